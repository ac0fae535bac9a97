#!/bin/sh
# Trains the evaluation network with self-play, generation by generation, until it is stopped.
#
#   scripts/train/network.sh GAMES DIR [POSITIONS [GENERATIONS]]
#
#   GAMES        `contest`, or comma-separated types of standard Hive; repeat a type to weight it; matches use the first one
#   DIR          folder for games and networks
#   POSITIONS    training positions per generation [default: 1000000]
#   GENERATIONS  number of networks to train [default: unlimited]
#
# In each generation, the best network plays against itself, a candidate is trained on the positions of all generations, and both play a
# match. The candidate becomes the best network if an SPRT accepts it. DIR/best.net is the current best network, DIR/log
# contains the result of each generation, and DIR/N.files lists the game files used for training.
#
# All steps run at the lowest priority. The run can be stopped at any time and continues with the same command. If only the script was
# killed with -9, its programs keep running; until they have exited, a new run fails with the name of the file in use.
#
# Environment:
#   START      first network [default: that of `wabe train --first`]
#   JOBS       self-play processes [default: number of cores]
#   NODES      iterations of a full search [default: 400]
#   GATE       iterations per move in the match [default: 2000]
#   TRAIN      options of `wabe train`
#   SPRT       bounds of the match [default: elo0=0 elo1=15]
#   WABE       build to use [default: built from the working tree]
#   SEED       number in the names of game files [default: 1]
#   PLAY_ONLY  stop after the self-play of a generation
#
# To share self-play between machines, give each the network as DIR/best.net and a different SEED, run the script with PLAY_ONLY=1,
# and copy all DIR/*.games into one folder before training there. See docs/tuning.md for an example.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: scripts/train/network.sh GAMES DIR [POSITIONS [GENERATIONS]]" >&2
    exit 2
fi
games=$1 folder=$2 positions=${3:-1000000} generations=${4:-0}
first_game=${games%%,*}
jobs=${JOBS:-$(nproc)} seed=${SEED:-1}

# Copies a file atomically.
copy() {
    cp "$1" "$2.new" && mv "$2.new" "$2"
}

mkdir -p "$folder"
if [ -z "${WABE:-}" ]; then
    root=$(cd "$(dirname "$0")/../.." && pwd)
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml"
    # A copy, because the working tree may be rebuilt during the run.
    copy "${CARGO_TARGET_DIR:-$root/target}/release/wabe" "$folder/wabe"
    WABE=$folder/wabe
fi

# A signal also stops the running processes: self-play after its game, training after its epoch.
running=
stop() {
    # shellcheck disable=SC2086
    kill $running 2>/dev/null || true
    wait
    exit "$1"
}
trap 'stop 130' HUP INT TERM

run_low() {
    nice -n 19 "$WABE" "$@" &
    running=$!
    status=0
    wait "$running" || status=$?
    running=
    return "$status"
}

if [ ! -e "$folder/best.net" ]; then
    if [ -n "${START:-}" ]; then
        # Fails if the network is for another game.
        run_low bench --game "$first_game" --nodes 1 --weights "$START" >/dev/null
        copy "$START" "$folder/0.net"
    else
        run_low train --first "$first_game" --output "$folder/0.net"
    fi
    copy "$folder/0.net" "$folder/best.net"
fi

generation=0
while [ "$generations" = 0 ] || [ "$generation" -lt "$generations" ]; do
    generation=$((generation + 1))
    name=$folder/$generation
    if [ ! -e "$name.played" ]; then
        # A resumed generation keeps its network.
        [ -e "$name.player.net" ] || copy "$folder/best.net" "$name.player.net"
        job=1
        while [ "$job" -le "$jobs" ]; do
            # Not in a function: its subshell would receive the signal instead of the program.
            nice -n 19 "$WABE" selfplay --game "$games" --output "$name-$seed-$job.games" --positions $((positions / jobs)) \
                --nodes "${NODES:-400}" --seed $((seed * 1000000 + generation * 1000 + job)) --weights "$name.player.net" >/dev/null &
            running="$running $!"
            job=$((job + 1))
        done
        for player in $running; do
            wait "$player" || stop $?
        done
        running=
        touch "$name.played"
        [ -z "${PLAY_ONLY:-}" ] || exit 0
    fi
    [ -z "${PLAY_ONLY:-}" ] || continue
    if [ ! -e "$name.net" ]; then
        # Resumed training uses the same files. Runs killed on other machines may leave empty ones.
        if [ ! -e "$name.files" ]; then
            for file in "$folder"/*-*.games; do
                [ ! -s "$file" ] || echo "${file##*/}"
            done >"$name.files.new"
            mv "$name.files.new" "$name.files"
        fi
        set --
        while IFS= read -r file; do
            set -- "$@" "$folder/$file"
        done <"$name.files"
        echo "$# files" >>"$name.train"
        before=$(wc -l <"$name.train")
        # shellcheck disable=SC2086
        run_low train "$@" ${TRAIN:---epochs 24 --batch-size 512 --learning-rate 0.001 --weight-decay 0.1} \
            --output "$name.training.net" --resume "$name.training" 2>>"$name.train" || {
            # Either an error, or just a report of damaged games, which were skipped.
            output=$(tail -n +$((before + 1)) "$name.train")
            echo "$output" | grep '^wabe:' >&2 || echo "$output" | tail -n 3 >&2
            [ "$status" = 1 ] && echo "$output" | grep -qx 'training finished' || exit "$status"
        }
        mv "$name.training.net" "$name.net"
        rm -f "$name.training" "$name.training.lock"
    fi
    if [ ! -e "$name.judged" ]; then
        engine="mcts:nodes=${GATE:-2000}"
        # shellcheck disable=SC2086
        run_low arena --game "$first_game" --engine "'$engine,weights=$name.net' name=candidate" \
            --engine "'$engine,weights=$name.player.net' name=best" --games 2000 --sprt ${SPRT:-elo0=0 elo1=15} \
            --seed "$generation" --results "$name.jsonl" --quiet >"$name.match" && verdict=0 || verdict=$?
        case $verdict in
            0 | 3) ;;
            4) copy "$name.net" "$folder/best.net" ;;
            *) exit "$verdict" ;;
        esac
        elo=$(grep '^Elo' "$name.match") || elo="no games"
        sprt=$(grep '^SPRT' "$name.match") || sprt="no verdict"
        grep -qs "^generation $generation:" "$folder/log" || echo "generation $generation: $elo, $sprt" >>"$folder/log"
        touch "$name.judged"
    fi
done
echo "$folder/best.net"
