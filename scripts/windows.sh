#!/bin/sh
# Builds wabe for Windows on Linux, and tries it under wine: windows.sh
#
# The program is target/windows/x86_64-pc-windows-gnu/release/wabe.exe; a warning is an error. Each trial is a line of the output; the
# exit code is 1 if one failed, 3 where the compiler cannot be had. The compiler is rustup's where `rustup target add
# x86_64-pc-windows-gnu` was done, the linker x86_64-w64-mingw32-gcc, wine the one in the PATH. What is missing is unpacked from Debian's
# packages into target (scripts/toolchain.sh). Environment:
#   WABE       the Linux program to compare with; built from these sources without it
#   WABE_EXE   the program for Windows; built from these sources without it
set -eu

fail() {
    echo "windows.sh: $1" >&2
    exit "${2:-2}"
}

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=scripts/toolchain.sh
. "$root/scripts/toolchain.sh"

# --- the program ---

triple=x86_64-pc-windows-gnu
compiler "$triple" std,panic_unwind,panic_abort
linker=$(command -v x86_64-w64-mingw32-gcc || true)
if [ -z "$linker" ]; then
    debian mingw gcc-mingw-w64-x86-64-win32
    PATH=$target/mingw/root/usr/bin:$PATH
    linker=$target/mingw/root/usr/bin/x86_64-w64-mingw32-gcc-win32
fi
if [ -z "${WABE_EXE:-}" ]; then
    if [ -n "$unpacked" ]; then
        # Objects that rustup's target brings along, at the beginning and the end of a program.
        mkdir -p "$unpacked/lib/rustlib/$triple/lib"
        for object in rsbegin rsend; do
            RUSTC_BOOTSTRAP=1 "$unpacked/bin/rustc" --target "$triple" --crate-type lib --emit obj \
                -o "$unpacked/lib/rustlib/$triple/lib/$object.o" "$unpacked/lib/rustlib/src/rust/library/rtstartup/$object.rs"
        done
    fi
    echo "== building wabe.exe"
    (cd "$root" && CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$linker CARGO_ENCODED_RUSTFLAGS=-Dwarnings compile build \
        --quiet --locked --release --bin wabe --target "$triple" --target-dir "$target/windows") || fail "wabe.exe cannot be built" 1
    WABE_EXE=$target/windows/$triple/release/wabe.exe
fi
if [ -z "${WABE:-}" ]; then
    echo "== building wabe"
    (cd "$root" && cargo build --quiet --locked --release --bin wabe)
    WABE=$target/release/wabe
fi

# --- wine ---

wine=$(command -v wine64 || command -v wine || true)
if [ -z "$wine" ]; then
    debian wine wine64
    wine=$target/wine/root/usr/lib/wine/wine64
    # Both lie elsewhere where wine is installed.
    ln -sf wineserver64 "$target/wine/root/usr/lib/wine/wineserver"
    export WINEPATH="$target/wine/root/usr/x86_64-w64-mingw32/lib"
fi
work=$(mktemp -d)
export WINEPREFIX="$work/prefix" WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
# Ends what still runs in this prefix, and nothing else; its server writes to it to the end.
trap '"$wine" wineboot --kill >/dev/null 2>&1 || true; rm -rf "$work" 2>/dev/null || { sleep 3; rm -rf "$work"; }' EXIT
folder="$work/a folder"
mkdir "$folder"
cp "$WABE_EXE" "$folder/wabe.exe"
cp "$root/start.bat" "$folder"
# Wine 8 lacks this library, from which Rust's standard library takes random numbers.
cat >"$work/random.c" <<'END'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, size); }
END
"$linker" -shared -o "$folder/bcryptprimitives.dll" "$work/random.c" -ladvapi32 || fail "$linker cannot link" 3
cd "$folder"
echo "== $("$wine" --version) begins"
timeout 300 "$wine" wineboot --init >"$work/log" 2>&1 || fail "wine does not run: $(tail -n 3 "$work/log")" 3

# --- trials ---

failed=
trial() {
    started=$(date +%s)
    if "$1" >"$work/log" 2>&1; then
        echo "ok      $1, $(($(date +%s) - started)) s"
    else
        echo "FAILED  $1, $(($(date +%s) - started)) s"
        sed 's/^/        /' "$work/log"
        failed="$failed $1"
    fi
}
windows() { timeout 300 "$wine" "$@"; }
# Lines of Windows as those of Linux.
lines() { tr -d '\r'; }
# Fails with the text where it does not hold this line.
holds() {
    cat "$1"
    lines <"$1" | grep -q -- "$2"
}
path() { printf 'Z:%s' "$1" | tr / '\\'; }

version() {
    windows wabe.exe --version | lines >"$work/windows"
    "$WABE" --version >"$work/linux"
    diff "$work/linux" "$work/windows"
}

bench() {
    for game in contest Base; do
        windows wabe.exe bench --nodes 200 --game "$game" | lines | grep '^signature' >"$work/windows"
        "$WABE" bench --nodes 200 --game "$game" | grep '^signature' >"$work/linux"
        cat "$work/windows"
        diff "$work/linux" "$work/windows" || return 1
    done
}

# Against a program whose path has backslashes and a blank; Linux reads the replay.
match() {
    windows wabe.exe match --seed 1 --quiet --red mcts:nodes=50 --blue "'wabe:\"$(path "$folder")\\wabe.exe\"' nodes=50" \
        --replays '.\replays' || return 1
    "$WABE" replay replays/* >"$work/replay" || return 1
    holds "$work/replay" .
}

uhp() {
    printf 'newgame Base\r\nplay wS1\r\nbestmove depth 2\r\nvalidmoves\r\nexit\r\n' | windows wabe.exe uhp >"$work/uhp"
    holds "$work/uhp" '^Base;InProgress;Black\[1\];wS1$' && holds "$work/uhp" '^b[A-Z][0-9]* .*wS1;'
}

# begin ARGUMENT...: runs wabe.exe until `end`, and waits for its address.
begin() {
    "$wine" wabe.exe "$@" >"$work/server" 2>&1 </dev/null &
    server=$!
    for _ in $(seq 100); do
        port=$(lines <"$work/server" | sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' | head -n 1)
        [ -z "$port" ] || return 0
        sleep 0.2
    done
    cat "$work/server"
    return 1
}
# Wine makes Ctrl-C of this signal.
end() {
    kill -INT "$server"
    wait "$server"
}

board() {
    begin board --no-open --port 0 || return 1
    curl -fsS "http://127.0.0.1:$port/" | grep '<title>' && curl -fsS "http://127.0.0.1:$port/app.js" | grep import || return 1
    end
}

# One client is started by start.bat, the other comes from Linux.
serve() {
    begin serve --port 0 --replays 'played here' || return 1
    "$WABE" play --port "$port" --nodes 50 >"$work/blue" 2>&1 &
    linux=$!
    windows cmd /c '.\start.bat' --port "$port" --nodes 50 >"$work/red" 2>&1 || { cat "$work/red" "$work/server"; return 1; }
    wait "$linux" || return 1
    holds "$work/red" 'as red\|as blue' && end && holds "$work/server" REGULAR && ls 'played here'
}

# The path of a program begins at its folder, which is not the present one. Linux reads the results.
arena() {
    mkdir '../my bots'
    cp wabe.exe bcryptprimitives.dll '../my bots'
    windows wabe.exe arena --quiet --games 2 --seed 1 --engine mcts:nodes=20 --engine "'cmd:.\wabe.exe --nodes 20' dir='..\my bots'" \
        --results 'results.jsonl' || return 1
    "$WABE" arena merge results.jsonl >"$work/results" || return 1
    holds "$work/results" '^games *2:'
}

for name in version bench match uhp board serve arena; do trial "$name"; done
[ -z "$failed" ] || fail "failed:$failed" 1
