#!/bin/sh
# Plays wabe against any contest client on wabe's server: against-client.sh CLIENT_COMMAND [GAMES]. See --help.
case $0 in */*) scripts=${0%/*} ;; *) scripts=. ;; esac
scripts=$(cd -- "$scripts" && pwd) || exit 2
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
    echo "against-client.sh: needs python3 3.8 or newer in the PATH" >&2
    exit 2
fi
PYTHONPATH="$scripts" exec python3 -B -m contest_match.client "$@"
