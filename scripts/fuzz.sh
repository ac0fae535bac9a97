#!/usr/bin/env bash
# Fuzzes every reader of outside bytes: scripts/fuzz.sh [SECONDS [TARGET…]]
#
# Builds the targets in fuzz/ once, on the stable toolchain, and runs each for so many seconds (2, about a minute for all). Prints
# executions, covered edges and findings of each, and exits with 1 after a finding, whose input is kept in fuzz/artifacts.
# Inputs that covered something new are kept in fuzz/corpus: the next run starts with them.
#
# To see a finding again: FUZZ_TARGET=name "$(scripts/fuzz.sh 0 | tail -1)" fuzz/artifacts/name/…
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

seconds=${1:-2}
[ $# -eq 0 ] || shift

# A run may take so long for one input, in seconds.
longest=25

# And so much memory, in MiB. Readers stay below 90 in a quarter of an hour and the fuzzer's corpus grows; files of networks and trainings
# are large themselves. A packed file of 16 MiB with ten thousand games takes 324.
memory() {
    case $1 in
        network | training) echo 512 ;;
        repetitive) echo 448 ;;
        *) echo 256 ;;
    esac
}

# libFuzzer's coverage comes from an LLVM pass that any compiler has; only the sanitizers need a nightly one. Their work is done by
# the checks of safe Rust. Without --target, the flags would apply to build scripts, which are not linked with libFuzzer.
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
cargo build --release --locked --quiet --target "$host"
program=$PWD/target/$host/release/readers
targets=$(FUZZ_SEEDS=corpus "$program")
if [ "$seconds" = 0 ]; then
    echo "$program"
    exit
fi

# Readers of files get theirs from memory.
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

printf '%-20s %12s %8s %8s %9s\n' target executions edges 'MiB' findings
status=0
while read -r target dictionary; do
    [ $# -eq 0 ] || [[ " $* " == *" $target "* ]] || continue
    mkdir -p "artifacts/$target"
    before=$(find "artifacts/$target" -type f | wc -l)
    FUZZ_TARGET=$target "$program" "corpus/$target" -dict="dictionaries/$dictionary.dict" -max_total_time="$seconds" \
        -timeout=$longest -rss_limit_mb="$(memory "$target")" -max_len=32768 -artifact_prefix="artifacts/$target/" -print_final_stats=1 \
        >"artifacts/$target.log" 2>&1 </dev/null || true
    found=$(($(find "artifacts/$target" -type f | wc -l) - before))
    log() { sed -n "$1" "artifacts/$target.log" | tail -1; }
    executions=$(log 's/^stat::number_of_executed_units: *//p')
    peak=$(log 's/^stat::peak_rss_mb: *//p')
    # Without a summary, the program ended in a way that libFuzzer did not see.
    [ -n "$executions" ] || found=$((found > 0 ? found : 1))
    printf '%-20s %12s %8s %8s %9s\n' "$target" "${executions:-?}" "$(log 's/.* cov: \([0-9]*\) .*/\1/p')" "${peak:-?}" "$found"
    if [ "$found" -gt 0 ]; then
        status=1
        grep -E -m3 'panicked at|^ERROR|ERROR: libFuzzer|assertion' "artifacts/$target.log" | sed 's/^/    /' || true
        find "artifacts/$target" -type f -newer "$program" | tail -1 | sed 's/^/    fuzz\//'
    fi
done <<<"$targets"
exit $status
