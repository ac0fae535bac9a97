#!/bin/sh
# Starts the client with the given arguments: start.sh --host HOST --port PORT --reservation CODE
#
# Uses the first of these binaries that exists:
#   wabe-x86-64-v3 next to this script, if the processor has AVX2, BMI2 and the rest of that level
#   wabe-x86-64 next to this script (any 64-bit PC)
#   wabe next to this script
#   target/release/wabe, the release build of a checkout
#
# Environment:
#   WABE_CPU=x86-64 or WABE_CPU=x86-64-v3 selects the binary of a package.
#   WABE_CPUINFO=FILE is read instead of /proc/cpuinfo.
script=$(readlink -f -- "$0" 2>/dev/null) || script=$0
folder=$(cd -- "$(dirname -- "$script")" && pwd) || exit 1

# Succeeds if the processor supports x86-64-v3. Fails if that cannot be determined.
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
    # In Linux's names, abm is lzcnt and pni is SSE3. xsave shows that the system saves the AVX registers.
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
    echo "start.sh: no wabe-$WABE_CPU next to this script (set by WABE_CPU)" >&2
    exit 1
fi
if is_v3; then
    start "$folder/wabe-x86-64-v3" "$@"
fi
start "$folder/wabe-x86-64" "$@"
start "$folder/wabe" "$@"
start "$folder/target/release/wabe" "$@"
echo "start.sh: no wabe next to this script or in target/release; build it with: cargo build --release" >&2
exit 1
