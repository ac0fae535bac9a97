#!/bin/sh
# Measures how many plies a second `wabe serve` arbitrates, and how long a ply takes while others misbehave.
#
#   scripts/referee-load.sh                   this project's server
#   scripts/referee-load.sh HOST:PORT         and another one that runs there, under the same clients, in turns
#
# PASSWORD is the other server's password, ROOMS the number of games at once, SECONDS_EACH the time of each measurement,
# ROUNDS how often the servers take turns.
set -eu

other=${1:-}
rooms=${ROOMS:-200}
seconds=${SECONDS_EACH:-20}
rounds=${ROUNDS:-2}
cd "$(dirname "$0")/.."

cargo build --release --quiet --bin wabe --example referee_load
target=${CARGO_TARGET_DIR:-target}/release
load=$target/examples/referee_load

log=$(mktemp)
"$target/wabe" serve --port 0 >"$log" 2>/dev/null &
server=$!
abusers=
stop() {
    # shellcheck disable=SC2086 # none or one
    kill $server $abusers 2>/dev/null || true
    rm -f "$log"
}
trap stop EXIT INT TERM

address=
while [ -z "$address" ]; do
    kill -0 $server 2>/dev/null || { echo "wabe serve did not start" >&2; exit 1; }
    sleep 0.1
    address=$(sed -n 's/^listening on //p' "$log")
done

memory() {
    [ ! -r /proc/$server/status ] || sed -n 's/^VmHWM:[[:space:]]*/memory    /p' /proc/$server/status
}

for round in $(seq "$rounds"); do
    echo "== wabe serve, round $round"
    "$load" --address "$address" --rooms "$rooms" --seconds "$seconds"
    memory
    if [ -n "$other" ]; then
        echo "== $other, round $round"
        "$load" --address "$other" --password "${PASSWORD:-examplepassword}" --rooms "$rooms" --seconds "$seconds"
    fi
done

echo "== wabe serve, 4 games alone"
"$load" --address "$address" --rooms 4 --seconds "$seconds"
echo "== wabe serve, 4 games beside 16 misbehaving clients"
# At the lowest priority, because in earnest they would not run on the server's machine.
nice -n 19 "$load" --address "$address" --rooms 0 --seconds $((seconds + 6)) --abusers 4 >/dev/null &
abusers=$!
"$load" --address "$address" --rooms 4 --seconds "$seconds"
memory
