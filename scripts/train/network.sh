#!/bin/sh
# Trains the evaluation's network by self-play, generation after generation, for as long as it is left running.
#
#   scripts/train/network.sh GAMES FOLDER [POSITIONS [GENERATIONS]]
#
# GAMES is `contest`, or types of standard Hive with commas between them; a type that stands twice is played twice as often, and the first
# one is that of the matches. FOLDER takes games and networks. POSITIONS is the number of training positions of each generation
# (1000000), GENERATIONS the number of networks trained (no end).
#
# A generation plays itself with the best network so far, trains a candidate on the positions of all generations, and lets both play a
# match: the candidate becomes the best network if an SPRT accepts it. Every step runs at the lowest priority and leaves a file, so
# the run can be stopped at any moment, by Ctrl-C or a kill, and continues where it was. After a kill -9 of the script alone its programs
# go on: until they have ended, a second run ends and names the file that is being written. FOLDER/best.net is the best network at any
# time, FOLDER/log the result of every generation, FOLDER/N.files the files of games that its training uses.
#
# Environment: START, a network to begin with (that of `wabe train --first`); JOBS, processes that play (one for each core); NODES,
# iterations of a full search (400); GATE, iterations of a search in the match (2000); TRAIN, options of `wabe train`; SPRT, bounds of the
# match (elo0=0 elo1=15); WABE, a build to use instead of the working tree's; SEED, a number in the names of the files of games (1);
# PLAY_ONLY, to end after the self-play of a generation.
#
# Several machines share the self-play of a generation: give each the network as FOLDER/best.net and another SEED, run the script there
# with PLAY_ONLY=1, and copy the FOLDER/*.games of all into one FOLDER before it trains there. docs/tuning.md has an example.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: scripts/train/network.sh GAMES FOLDER [POSITIONS [GENERATIONS]]" >&2
    exit 2
fi
games=$1 folder=$2 positions=${3:-1000000} generations=${4:-0}
first_game=${games%%,*}
jobs=${JOBS:-$(nproc)} seed=${SEED:-1}

# A file appears whole or not at all.
copy() {
    cp "$1" "$2.new" && mv "$2.new" "$2"
}

mkdir -p "$folder"
if [ -z "${WABE:-}" ]; then
    root=$(cd "$(dirname "$0")/../.." && pwd)
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml"
    # A copy: the working tree may be built again meanwhile.
    copy "${CARGO_TARGET_DIR:-$root/target}/release/wabe" "$folder/wabe"
    WABE=$folder/wabe
fi

# A signal ends the running processes, too: a player after its game, a training after its epoch.
running=
stop() {
    # shellcheck disable=SC2086
    kill $running 2>/dev/null || true
    wait
    exit "$1"
}
trap 'stop 130' HUP INT TERM

low() {
    nice -n 19 "$WABE" "$@" &
    running=$!
    status=0
    wait "$running" || status=$?
    running=
    return "$status"
}

if [ ! -e "$folder/best.net" ]; then
    if [ -n "${START:-}" ]; then
        # Refused here if it is for another game.
        low bench --game "$first_game" --nodes 1 --weights "$START" >/dev/null
        copy "$START" "$folder/0.net"
    else
        low train --first "$first_game" --output "$folder/0.net"
    fi
    copy "$folder/0.net" "$folder/best.net"
fi

generation=0
while [ "$generations" = 0 ] || [ "$generation" -lt "$generations" ]; do
    generation=$((generation + 1))
    name=$folder/$generation
    if [ ! -e "$name.played" ]; then
        # The network of a generation stays the same when the run is continued.
        [ -e "$name.player.net" ] || copy "$folder/best.net" "$name.player.net"
        job=1
        while [ "$job" -le "$jobs" ]; do
            # Not through a function: its shell would get the signal in place of the program.
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
        # A training that is continued has the games that it began with. A run that was killed on another machine leaves empty files.
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
        low train "$@" ${TRAIN:---epochs 24 --batch-size 512 --learning-rate 0.001 --weight-decay 0.1} \
            --output "$name.training.net" --resume "$name.training" 2>>"$name.train" || {
            # Why it failed; or that games of a file are damaged, which were left out.
            said=$(tail -n +$((before + 1)) "$name.train")
            echo "$said" | grep '^wabe:' >&2 || echo "$said" | tail -n 3 >&2
            [ "$status" = 1 ] && echo "$said" | grep -qx 'the training is over' || exit "$status"
        }
        mv "$name.training.net" "$name.net"
        rm -f "$name.training" "$name.training.lock"
    fi
    if [ ! -e "$name.judged" ]; then
        engine="mcts:nodes=${GATE:-2000}"
        # shellcheck disable=SC2086
        low arena --game "$first_game" --engine "'$engine,weights=$name.net' name=candidate" \
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
