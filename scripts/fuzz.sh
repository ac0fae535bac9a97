#!/usr/bin/env bash
# Fuzzes all readers of untrusted input: scripts/fuzz.sh [SECONDS [TARGET…]]
#
# Builds the targets in fuzz/ with the stable toolchain and runs each for SECONDS (default 2, about a minute in total). Prints
# executions, covered edges and findings per target. Exits with 1 after a finding and keeps its input in fuzz/artifacts.
# Inputs with new coverage are kept in fuzz/corpus for the next run.
#
# To reproduce a finding: FUZZ_TARGET=name "$(scripts/fuzz.sh 0 | tail -1)" fuzz/artifacts/name/…
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

seconds=${1:-2}
[ $# -eq 0 ] || shift

# Timeout per input, in seconds.
timeout=25

# Memory limit in MiB. Most readers stay below 90 in a quarter of an hour, including the growing corpus. Network and training files are
# large themselves. A gzipped file of 16 MiB with ten thousand games takes 324.
memory_limit() {
    case $1 in
        network | training) echo 512 ;;
        repetitive) echo 448 ;;
        *) echo 256 ;;
    esac
}

# The coverage pass is part of LLVM; only sanitizers need a nightly compiler, and safe Rust does not need them. Without --target, the
# flags would also apply to build scripts, which are not linked with libFuzzer.
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
cargo build --release --locked --quiet --target "$host"
program=${CARGO_TARGET_DIR:-$PWD/target}/$host/release/readers
targets=$(FUZZ_SEEDS=corpus "$program")
if [ "$seconds" = 0 ]; then
    echo "$program"
    exit
fi

for target in "$@"; do
    grep -q "^$target " <<<"$targets" || {
        echo "fuzz.sh: unknown target $target" >&2
        exit 2
    }
done

# Keep files for the readers in memory.
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
        -timeout=$timeout -rss_limit_mb="$(memory_limit "$target")" -max_len=32768 -artifact_prefix="artifacts/$target/" -print_final_stats=1 \
        >"artifacts/$target.log" 2>&1 </dev/null || true
    found=$(($(find "artifacts/$target" -type f | wc -l) - before))
    log() { sed -n "$1" "artifacts/$target.log" | tail -1; }
    executions=$(log 's/^stat::number_of_executed_units: *//p')
    peak=$(log 's/^stat::peak_rss_mb: *//p')
    # Without a summary, the program exited unnoticed by libFuzzer. That counts as a finding.
    [ -n "$executions" ] || found=$((found > 0 ? found : 1))
    printf '%-20s %12s %8s %8s %9s\n' "$target" "${executions:-?}" "$(log 's/.* cov: \([0-9]*\) .*/\1/p')" "${peak:-?}" "$found"
    if [ "$found" -gt 0 ]; then
        status=1
        grep -E -m3 'panicked at|^ERROR|ERROR: libFuzzer|assertion' "artifacts/$target.log" | sed 's/^/    /' || true
        find "artifacts/$target" -type f -newer "$program" | tail -1 | sed 's/^/    fuzz\//'
    fi
done <<<"$targets"
exit $status
