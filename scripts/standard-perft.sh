#!/bin/sh
# Counts the move sequences of the standard game, all eight game types, and compares with the published table.
#
#   scripts/standard-perft.sh TABLE [DEPTH]
#
# TABLE has a header line and then game type, depth and number of sequences, separated by tabs; DEPTH (7) is the longest length
# counted. The tests count to 6. WABE names the binary (target/release/wabe), THREADS the number of threads (1).
# Exit status: 0 all numbers agree, 1 one does not, 2 wrong arguments.
set -eu

table=${1:-}
depth=${2:-7}
wabe=${WABE:-$(dirname "$0")/../target/release/wabe}
if [ ! -r "$table" ]; then
    echo "standard-perft.sh: name a readable table: scripts/standard-perft.sh TABLE [DEPTH]" >&2
    exit 2
fi
if [ ! -x "$wabe" ]; then
    echo "standard-perft.sh: no wabe at $wabe; build it with cargo build --release, or set WABE" >&2
    exit 2
fi

printf '%-9s %5s %12s %12s %9s\n' type depth expected counted 'million/s'
tail -n +2 "$table" | awk -v depth="$depth" '$2 > 0 && $2 <= depth' | (
    status=0
    while read -r type plies expected; do
        output=$("$wabe" perft --game "$type" --depth "$plies" --bulk --threads "${THREADS:-1}")
        counted=$(printf '%s\n' "$output" | awk '$1 == "nodes" { print $2 }')
        speed=$(printf '%s\n' "$output" | awk '$1 == "nodes/s" { printf "%.1f", $2 / 1e6 }')
        printf '%-9s %5s %12s %12s %9s' "$type" "$plies" "$expected" "$counted" "$speed"
        if [ "$counted" = "$expected" ]; then
            echo
        else
            echo '  WRONG'
            status=1
        fi
    done
    exit "$status"
)
