#!/bin/sh
# A stand-in for Java. It runs wabe ($WABE_UNDER_TEST) instead of the contest's programs.
while [ "$1" != -jar ]; do shift; done
jar=$2
shift 2
case $jar in
server.jar) WABE_PASSWORD='s&cret' exec "$WABE_UNDER_TEST" serve --time 0 "$@" ;;
*/defaultplayer.jar) exec "$WABE_UNDER_TEST" play --player random "$@" ;;
*) exit 9 ;;
esac
