#!/bin/sh
# Builds the ZIP for the contest and tests it by playing games.
#
#   scripts/package.sh [--install-tools] [--no-games] [OUTPUT.zip]
#
# The ZIP (default: target/package/wabe.zip) contains start.sh, the licences, and the client in two binaries that need only glibc 2.17:
# wabe-x86-64-v3 for processors with AVX2 and BMI2, and wabe-x86-64 for any 64-bit PC. An existing ZIP is replaced only if the new one
# passes.
#   --install-tools  install cargo-zigbuild and zig into target/package/tools
#   --no-games       skip the games of scripts/try_package.py, which check time and memory
#
# Exits with 2 if the arguments are invalid. See docs/contest.md.
set -eu

GLIBC=2.17
MAX_BYTES=10000000
TARGET=x86_64-unknown-linux-gnu
CPUS="x86-64-v3 x86-64"

fail() {
    echo "package.sh: $1" >&2
    exit "${2:-1}"
}

# Prints which slow step follows.
announce() {
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
    -*) fail "unknown option: $argument" 2 ;;
    *)
        [ -z "$output" ] || fail "more than one output" 2
        output=$argument
        case $output in
        *[!/].zip) ;;
        *) fail "$output: the name of the output must end in .zip" 2 ;;
        esac
        [ ! -d "$output" ] || fail "$output is a folder" 2
        [ -d "$(dirname -- "$output")" ] || fail "cannot write $output: no such folder" 2
        [ -w "$(dirname -- "$output")" ] || fail "cannot write $output: the folder is not writable" 2
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
    announce "installing cargo-zigbuild and zig into $tools (440 MB)"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check cargo-zigbuild ziglang
fi
PATH=$tools/bin:$PATH
hint="to install it into target/package/tools: scripts/package.sh --install-tools"
command -v cargo-zigbuild >/dev/null || fail "needs cargo-zigbuild, to link against an old glibc; $hint"
command -v zig >/dev/null || python3 -c 'import ziglang' 2>/dev/null ||
    fail "needs zig (or Python's package ziglang), to link against an old glibc; $hint"

# --- binaries ---

cd "$root"

# Fails if the binary needs a glibc newer than $GLIBC or other system libraries.
check_glibc() {
    newest=$(objdump -T "$1" | sed -n 's/.*GLIBC_\([0-9][0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
    [ -n "$newest" ] || fail "cannot determine which glibc $1 needs"
    [ "$(printf '%s\n' "$newest" "$GLIBC" | sort -V | tail -n 1)" = "$GLIBC" ] ||
        fail "$1 needs glibc $newest (max $GLIBC)"
    for library in $(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }'); do
        case $library in
        libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1 | ld-linux-x86-64.so.2) ;;
        *) fail "$1 needs $library" ;;
        esac
    done
    echo "$(basename "$1"): $(wc -c <"$1") bytes, needs glibc $newest"
}

# Panic messages contain source paths, which must not reveal local folders.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
check_paths() {
    for folder in "$root" "$cargo_home"; do
        ! grep -qaF "$folder/" "$1" || fail "$1 contains the local path $folder"
    done
}

content=$work/content
rm -rf "$content"
mkdir -p "$content"
cp start.sh LICENSE LICENSE-APACHE LICENSE-MIT "$content/"
separator=$(printf '\037')
for cpu in $CPUS; do
    announce "building the client for $cpu (minutes, the first time)"
    # Overrides RUSTFLAGS, and allows blanks in paths.
    flags="-Ctarget-cpu=$cpu$separator--remap-path-prefix=$root=wabe$separator--remap-path-prefix=$cargo_home=cargo"
    CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_ENCODED_RUSTFLAGS=$flags cargo zigbuild --quiet --locked --release \
        -p wabe --no-default-features --target "$TARGET.$GLIBC" --target-dir "$work/$cpu"
    cp "$work/$cpu/$TARGET/release/wabe" "$content/wabe-$cpu"
    check_glibc "$content/wabe-$cpu"
    check_paths "$content/wabe-$cpu"
done

# Both binaries must search the same nodes. With qemu they run on the oldest supported processor.
signature() {
    "$@" bench --nodes 200 2>/dev/null | sed -n 's/^signature *//p'
}
if command -v qemu-x86_64 >/dev/null; then
    where="on emulated processors"
    plain=$(signature qemu-x86_64 -cpu qemu64 "$content/wabe-x86-64")
    fast=$(signature qemu-x86_64 -cpu Haswell "$content/wabe-x86-64-v3")
else
    where="on this processor (install qemu-user to test older ones)"
    plain=$(signature "$content/wabe-x86-64")
    fast=$(signature "$content/wabe-x86-64-v3")
fi
[ -n "$plain" ] || fail "wabe-x86-64 does not run $where"
[ -n "$fast" ] || fail "wabe-x86-64-v3 does not run $where"
[ "$plain" = "$fast" ] || fail "the binaries search differently: signatures $plain and $fast"
echo "same signatures $where"

# --- archive ---

# Fixed timestamps and permissions make the archive reproducible.
TZ=UTC touch -t 202001010000 "$content"/*
chmod 644 "$content"/*
chmod 755 "$content"/start.sh "$content"/wabe-*
candidate=$work/candidate.zip
rm -f "$candidate"
(cd "$content" && TZ=UTC python3 -m zipfile -c "$candidate" start.sh wabe-x86-64 wabe-x86-64-v3 LICENSE LICENSE-APACHE LICENSE-MIT)
bytes=$(wc -c <"$candidate")
[ "$bytes" -lt "$MAX_BYTES" ] || fail "archive too large: $bytes bytes (max $MAX_BYTES)"
echo "archive: $bytes bytes"

status="built without games"
if [ "$games" = yes ]; then
    announce "building wabe for the referee and the opponent (minutes, the first time)"
    cargo build --quiet --locked --release --bin wabe
    announce "playing four games with the package (three minutes)"
    WABE=${CARGO_TARGET_DIR:-$root/target}/release/wabe python3 scripts/try_package.py "$candidate" ||
        fail "the package failed (see above), $output was not written.
To repeat the games: scripts/try_package.py $candidate"
    status=good
fi
# Copied to the same file system first, so that the output can be replaced atomically.
part=$output.$$
trap 'rm -f "$part"' EXIT
cp "$candidate" "$part"
sync "$part"
mv "$part" "$output"
rm "$candidate"
echo "$status: $output"
