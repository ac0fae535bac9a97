#!/bin/sh
# Kills a run of the arena repeatedly and compares it with an uninterrupted one: arena-kill.sh, --help for more.
case $0 in */*) scripts=${0%/*} ;; *) scripts=. ;; esac
scripts=$(cd -- "$scripts" && pwd) || exit 2
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
    echo "arena-kill.sh: no python3 in the PATH, or one older than version 3.8" >&2
    exit 2
fi
PYTHONPATH="$scripts" exec python3 -B -m arena_runs.kill "$@"
