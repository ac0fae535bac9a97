#!/bin/sh
# Trains the evaluation's network from nothing: self-play with the network of `wabe train --first`, a first generation
# trained on these games, and further generations, each on the games of all networks before it.
#
#   scripts/train/network.sh GAME FOLDER [GAMES [GENERATIONS]]
#
# GAME is `contest` or a type of standard Hive; several types in quotes, `"Base Base+MLP"`, share the games equally. FOLDER takes the
# results of the games and the networks; a run that was interrupted continues there. GAMES is the number of games of each generation
# (10000), GENERATIONS the number of networks trained (1). Further options, as environment variables: NODES, the limit of a move
# (300); EPOCHS of each training (12); SEED of the first games (4041); WABE, a build to use in place of the working tree's.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: scripts/train/network.sh GAME FOLDER [GAMES [GENERATIONS]]" >&2
    exit 2
fi
types=$1
folder=$2
games=${3:-10000}
generations=${4:-1}
mkdir -p "$folder"
if [ -z "${WABE:-}" ]; then
    root=$(cd "$(dirname "$0")/../.." && pwd)
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml"
    WABE=${CARGO_TARGET_DIR:-$root/target}/release/wabe
fi

network=$folder/0.net
"$WABE" train --first --game "${types%% *}" --output "$network"
set -- $types
share=$((games / $#))
generation=1
while [ "$generation" -le "$generations" ]; do
    # The arena continues a run only with the same network, so a finished generation stays.
    for type in $types; do
        engine=mcts:nodes=${NODES:-300},weights=$network
        "$WABE" arena --game "$type" --engine "$engine name=one" --engine "$engine name=two" --games "$share" \
            --seed $((${SEED:-4041} + generation - 1)) --resume "$folder/$generation-$type.jsonl"
    done
    network=$folder/$generation.net
    if [ ! -e "$network" ]; then
        "$WABE" train "$folder"/*-*.jsonl --epochs "${EPOCHS:-12}" --output "$network"
    fi
    generation=$((generation + 1))
done
echo "$network"
