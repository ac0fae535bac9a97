#!/bin/sh
# Trains the evaluation's network from nothing: self-play with the weighted sum, a first network, self-play with that, a second one.
#
#   scripts/train/network.sh FOLDER [GAMES]
#
# FOLDER takes the games, the labelled positions and the networks; what is there already is gone on with. GAMES is the number of games
# of the first generation, 10000 if nothing is said; the second plays three tenths of it. WABE names a build of wabe in place of
# the working tree's. The built-in network came about so, with the seeds below; the whole way takes about an hour on two cores.
set -eu

folder=${1:?"the first argument is a folder for games, positions and networks"}
games=${2:-10000}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$folder"
if [ -z "${WABE:-}" ]; then
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml"
    WABE=${CARGO_TARGET_DIR:-$root/target}/release/wabe
fi

# self_play NAME OPTIONS GAMES SEED: games of a player against itself, to NAME.jsonl and NAME.pos.
self_play() {
    "$WABE" arena --engine "mcts:$2 name=one" --engine "mcts:$2 name=two" --games "$3" --seed "$4" \
        --resume "$folder/$1.jsonl" --positions "$folder/$1.pos"
}

self_play first "nodes=300,weights=$root/scripts/train/linear.txt" "$games" 4041
"$WABE" train "$folder/first.pos" --epochs 12 --output "$folder/first.net"
self_play second "nodes=400,weights=$folder/first.net" "$((games * 3 / 20 * 2))" 4142
"$WABE" train "$folder/first.pos" "$folder/second.pos" --epochs 16 --learning-rate 0.001 --batch 256 --decay 0.3 \
    --output "$folder/second.net"
echo "$folder/second.net"
