#!/bin/sh
# Starts the client; every argument goes to it: start.sh --host HOST --port PORT --reservation CODE
#
# Takes the first of these: in a package the binary beside this script that suits the processor, wabe-x86-64-v3 (AVX2, BMI2 and
# what came with them) or wabe-x86-64 (any 64-bit PC); a binary called wabe beside this script; what cargo builds.
#   WABE_CPU=x86-64 or WABE_CPU=x86-64-v3 takes that binary of a package, whatever the processor.
#   WABE_CPUINFO=FILE describes the processor in place of /proc/cpuinfo.
script=$(readlink -f -- "$0" 2>/dev/null) || script=$0
folder=$(cd -- "$(dirname -- "$script")" && pwd) || exit 1

# Whether the processor has what x86-64-v3 adds to x86-64. An unreadable description means no.
is_v3() {
    flags=
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        flags*:*)
            flags=" ${line#*:} "
            break
            ;;
        esac
    done 2>/dev/null <"${WABE_CPUINFO:-/proc/cpuinfo}"
    # abm is lzcnt; xsave comes with avx where the system saves the wide registers, pni is SSE3.
    for flag in cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2 avx avx2 bmi1 bmi2 f16c fma abm movbe xsave; do
        case $flags in
        *" $flag "*) ;;
        *) return 1 ;;
        esac
    done
}

# `-h HOST` names the host for the contest's own clients; wabe prints its help.
for argument; do
    shift
    [ "$argument" = -h ] && argument=--host
    set -- "$@" "$argument"
done

start() {
    [ -f "$1" ] || return 0
    # Unpacking an archive may drop the execute bit.
    [ -x "$1" ] || chmod +x "$1" || exit 1
    binary=$1
    shift
    echo "start.sh: starting $binary" >&2
    exec "$binary" play "$@"
}

if [ -n "${WABE_CPU:-}" ]; then
    start "$folder/wabe-$WABE_CPU" "$@"
    echo "start.sh: no wabe-$WABE_CPU beside this script, which WABE_CPU asks for" >&2
    exit 1
fi
if is_v3; then
    start "$folder/wabe-x86-64-v3" "$@"
fi
start "$folder/wabe-x86-64" "$@"
start "$folder/wabe" "$@"
start "$folder/target/release/wabe" "$@"
echo "start.sh: no wabe beside this script nor in target/release; build it with: cargo build --release" >&2
exit 1
