#!/bin/sh
# Makes the ZIP for the contest, and tests it by playing with it.
#
#   scripts/package.sh [--install-tools] [--no-games] [OUTPUT.zip]
#
# The ZIP (by default target/package/wabe.zip) holds start.sh and the client alone, in two binaries that need nothing but glibc 2.17:
# wabe-x86-64-v3 for processors with AVX2 and BMI2, wabe-x86-64 for any 64-bit PC. It has wabe's licences, too. An older ZIP of that
# name is replaced at the end, when the new one is good.
#   --install-tools  installs cargo-zigbuild and zig into target/package/tools, where this script finds them
#   --no-games       leaves out the games of scripts/try_package.py, which check time and memory
#
# Exits with 2 where the command line is at fault. docs/contest.md says more.
set -eu

GLIBC=2.17
MOST_BYTES=10000000
TARGET=x86_64-unknown-linux-gnu
CPUS="x86-64-v3 x86-64"

fail() {
    echo "package.sh: $1" >&2
    exit "${2:-1}"
}

# Before what takes long.
say() {
    echo "== $*" >&2
}

# --- arguments ---

root=$(cd -- "$(dirname -- "$0")/.." && pwd -P)
work=$root/target/package
tools=$work/tools
games=yes
install=no
output=
for argument; do
    case $argument in
    --install-tools) install=yes ;;
    --no-games) games=no ;;
    -h | --help)
        sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    -*) fail "no such option: $argument" 2 ;;
    *)
        [ -z "$output" ] || fail "one output at most" 2
        output=$argument
        case $output in
        *[!/].zip) ;;
        *) fail "the output is a ZIP, and its name ends in .zip; $output does not" 2 ;;
        esac
        [ ! -d "$output" ] || fail "$output is a folder" 2
        [ -d "$(dirname -- "$output")" ] || fail "there is no folder $(dirname -- "$output") to write $output to" 2
        [ -w "$(dirname -- "$output")" ] || fail "the folder $(dirname -- "$output") may not be written to" 2
        ;;
    esac
done
output=${output:-$work/wabe.zip}
case $output in /*) ;; *) output=$PWD/$output ;; esac

# --- tools ---

for program in cargo python3 objdump; do
    command -v "$program" >/dev/null || fail "needs $program (objdump comes with binutils)"
done
if [ "$install" = yes ]; then
    say "installing cargo-zigbuild and zig into $tools (440 MB)"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check cargo-zigbuild ziglang
fi
PATH=$tools/bin:$PATH
hint="scripts/package.sh --install-tools installs it into target/package/tools"
command -v cargo-zigbuild >/dev/null || fail "needs cargo-zigbuild, to link against an old glibc; $hint"
command -v zig >/dev/null || python3 -c 'import ziglang' 2>/dev/null ||
    fail "needs zig (or Python's package ziglang), to link against an old glibc; $hint"

# --- binaries ---

cd "$root"

# Fails unless the binary needs nothing of the system but parts of glibc, none newer than $GLIBC.
check_glibc() {
    newest=$(objdump -T "$1" | sed -n 's/.*GLIBC_\([0-9][0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
    [ -n "$newest" ] || fail "cannot tell which glibc $1 needs"
    [ "$(printf '%s\n' "$newest" "$GLIBC" | sort -V | tail -n 1)" = "$GLIBC" ] ||
        fail "$1 needs glibc $newest, more than $GLIBC"
    for library in $(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }'); do
        case $library in
        libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1 | ld-linux-x86-64.so.2) ;;
        *) fail "$1 needs $library" ;;
        esac
    done
    echo "$(basename "$1"): $(wc -c <"$1") bytes, needs glibc $newest"
}

# Messages of panics name source files. Paths of this machine stay out of them.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
check_paths() {
    for folder in "$root" "$cargo_home"; do
        ! grep -qaF "$folder/" "$1" || fail "$1 names the folder $folder of this machine"
    done
}

content=$work/content
rm -rf "$content"
mkdir -p "$content"
cp start.sh LICENSE LICENSE-APACHE LICENSE-MIT "$content/"
separator=$(printf '\037')
for cpu in $CPUS; do
    say "building the client for $cpu (minutes, the first time)"
    # Goes before RUSTFLAGS, and paths in it may have blanks.
    flags="-Ctarget-cpu=$cpu$separator--remap-path-prefix=$root=wabe$separator--remap-path-prefix=$cargo_home=cargo"
    CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_ENCODED_RUSTFLAGS=$flags cargo zigbuild --quiet --locked --release \
        -p wabe --no-default-features --target "$TARGET.$GLIBC" --target-dir "$work/$cpu"
    cp "$work/$cpu/$TARGET/release/wabe" "$content/wabe-$cpu"
    check_glibc "$content/wabe-$cpu"
    check_paths "$content/wabe-$cpu"
done

# Both must search the same: where qemu is, on processors that have no more than what each binary is for.
signature() {
    "$@" bench --nodes 200 2>/dev/null | sed -n 's/^signature *//p'
}
if command -v qemu-x86_64 >/dev/null; then
    where="on emulated processors"
    plain=$(signature qemu-x86_64 -cpu qemu64 "$content/wabe-x86-64")
    fast=$(signature qemu-x86_64 -cpu Haswell "$content/wabe-x86-64-v3")
else
    where="on this processor (older ones are tried where qemu-x86_64 is, Debian's qemu-user)"
    plain=$(signature "$content/wabe-x86-64")
    fast=$(signature "$content/wabe-x86-64-v3")
fi
[ -n "$plain" ] || fail "wabe-x86-64 does not run $where"
[ -n "$fast" ] || fail "wabe-x86-64-v3 does not run $where"
[ "$plain" = "$fast" ] || fail "the binaries search differently: signatures $plain and $fast"
echo "both binaries search alike $where"

# --- archive ---

# The same binaries give the same archive.
TZ=UTC touch -t 202001010000 "$content"/*
chmod 644 "$content"/*
chmod 755 "$content"/start.sh "$content"/wabe-*
candidate=$work/candidate.zip
rm -f "$candidate"
(cd "$content" && TZ=UTC python3 -m zipfile -c "$candidate" start.sh wabe-x86-64 wabe-x86-64-v3 LICENSE LICENSE-APACHE LICENSE-MIT)
bytes=$(wc -c <"$candidate")
[ "$bytes" -lt "$MOST_BYTES" ] || fail "the archive has $bytes bytes, the limit is $MOST_BYTES"
echo "archive: $bytes bytes"

verdict="made, but not tried"
if [ "$games" = yes ]; then
    say "building all of wabe, for the trial's referee and opponent (minutes, the first time)"
    cargo build --quiet --locked --release --bin wabe
    say "playing four games with the package (three minutes)"
    python3 scripts/try_package.py "$candidate" ||
        fail "the package is not good, see above; nothing was written to $output.
To repeat only the trial: scripts/try_package.py $candidate"
    verdict=good
fi
# Beside the output first: another file system takes a moment to copy to.
part=$output.$$
trap 'rm -f "$part"' EXIT
cp "$candidate" "$part"
sync "$part"
mv "$part" "$output"
rm "$candidate"
echo "$verdict: $output"
