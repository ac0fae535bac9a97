#!/bin/sh
# The program that the tests have built, given in WABE_UNDER_TEST; its referee knows no time limit, however busy the machine is.
case $1 in
serve) exec "$WABE_UNDER_TEST" "$@" --time 0 ;;
*) exec "$WABE_UNDER_TEST" "$@" ;;
esac
