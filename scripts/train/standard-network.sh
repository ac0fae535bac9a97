#!/bin/sh
# Trains the network of standard Hive from nothing: self-play with the weighted sum, a first network, self-play with that, a second one.
#
#   scripts/train/standard-network.sh FOLDER [GAMES]
#
# FOLDER takes the results of the games and the networks; what is there already is gone on with. GAMES is the number of games of each
# generation, 2000 if nothing is said, shared out among the game types. WABE names a build of wabe in place of the working tree's.
# The built-in network came about in this way, with moves drawn at random now and then in its games.
set -eu

folder=${1:?"the first argument is a folder for games and networks"}
games=${2:-2000}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$folder"
if [ -z "${WABE:-}" ]; then
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml"
    WABE=${CARGO_TARGET_DIR:-$root/target}/release/wabe
fi

# self_play NAME OPTIONS SEED: games of a player against itself, to NAME-TYPE.jsonl. Half of them are of the two types that are
# played most.
self_play() {
    for game in Base Base+MLP Base+M Base+L Base+P Base+ML Base+MP Base+LP; do
        case $game in
            Base | Base+MLP) share=$((games / 4)) ;;
            *) share=$((games / 12)) ;;
        esac
        "$WABE" arena --game "$game" --engine "mcts:$2 name=one" --engine "mcts:$2 name=two" --games "$share" --seed "$3" \
            --resume "$folder/$1-$game.jsonl"
    done
}

self_play first "nodes=250,weights=$root/scripts/train/standard-linear.txt" 51
"$WABE" train "$folder"/first-*.jsonl --epochs 12 --output "$folder/first.net"
self_play second "nodes=300,weights=$folder/first.net" 52
"$WABE" train "$folder"/first-*.jsonl "$folder"/second-*.jsonl --epochs 14 --output "$folder/second.net"
echo "$folder/second.net"
