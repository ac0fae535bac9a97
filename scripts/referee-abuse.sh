#!/bin/sh
# Measures what misbehaving clients cost the games of others: referee-abuse.sh, --help for more.
scripts=$(cd -- "$(dirname -- "$0")" && pwd) || exit 2
if ! command -v python3 >/dev/null; then
    echo "referee-abuse.sh: no python3 in the PATH (version 3.8 or newer is needed)" >&2
    exit 2
fi
PYTHONPATH="$scripts" exec python3 -B -m contest_match.referee_abuse "$@"
