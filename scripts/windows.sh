#!/bin/sh
# Builds wabe for Windows on Linux and tests it under wine: windows.sh
#
# The program is target/windows/x86_64-pc-windows-gnu/release/wabe.exe. Warnings are errors. Prints
# one line per test. Exits with 1 if a test failed, and with 3 if a compiler or wine is missing.
#
# Needs rustup's target x86_64-pc-windows-gnu, x86_64-w64-mingw32-gcc and wine. Missing tools are unpacked from Debian packages into
# target (scripts/toolchain.sh). Environment:
#   WABE       Linux program to compare with [default: built from these sources]
#   WABE_EXE   Windows program [default: built from these sources]
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
        # Start and end objects for programs, which Debian's compiler lacks.
        mkdir -p "$unpacked/lib/rustlib/$triple/lib"
        for object in rsbegin rsend; do
            RUSTC_BOOTSTRAP=1 "$unpacked/bin/rustc" --target "$triple" --crate-type lib --emit obj \
                -o "$unpacked/lib/rustlib/$triple/lib/$object.o" "$unpacked/lib/rustlib/src/rust/library/rtstartup/$object.rs"
        done
    fi
    echo "== building wabe.exe"
    (cd "$root" && CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$linker CARGO_ENCODED_RUSTFLAGS=-Dwarnings compile build \
        --quiet --locked --release --bin wabe --target "$triple" --target-dir "$target/windows") || fail "cannot build wabe.exe" 1
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
    # An unpacked wine cannot find its server and libraries.
    ln -sf wineserver64 "$target/wine/root/usr/lib/wine/wineserver"
    export WINEPATH="$target/wine/root/usr/x86_64-w64-mingw32/lib"
fi
work=$(mktemp -d)
export WINEPREFIX="$work/prefix" WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
# Ends all processes in this prefix. Its server may still be writing.
trap '"$wine" wineboot --kill >/dev/null 2>&1 || true; rm -rf "$work" 2>/dev/null || { sleep 3; rm -rf "$work"; }' EXIT
folder="$work/a folder"
mkdir "$folder"
cp "$WABE_EXE" "$folder/wabe.exe"
cp "$root/start.bat" "$folder"
# Rust's standard library gets random numbers from this library, which wine 8 lacks.
cat >"$work/random.c" <<'END'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, size); }
END
"$linker" -shared -o "$folder/bcryptprimitives.dll" "$work/random.c" -ladvapi32 || fail "$linker cannot link" 3
cd "$folder"
echo "== starting $("$wine" --version)"
timeout 300 "$wine" wineboot --init >"$work/log" 2>&1 || fail "wine does not run: $(tail -n 3 "$work/log")" 3

# --- tests ---

failed=
run_test() {
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
# Converts Windows line endings.
lines() { tr -d '\r'; }
# Prints a file and fails if no line matches.
contains() {
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

# The opponent's path contains backslashes and a blank. The Linux program must be able to read the
# replay.
match() {
    windows wabe.exe match --seed 1 --quiet --red mcts:nodes=50 --blue "'wabe:\"$(path "$folder")\\wabe.exe\"' nodes=50" \
        --replays '.\replays' || return 1
    "$WABE" replay replays/* >"$work/replay" || return 1
    contains "$work/replay" .
}

uhp() {
    printf 'newgame Base\r\nplay wS1\r\nbestmove depth 2\r\nvalidmoves\r\nexit\r\n' | windows wabe.exe uhp >"$work/uhp"
    contains "$work/uhp" '^Base;InProgress;Black\[1\];wS1$' && contains "$work/uhp" '^b[A-Z][0-9]* .*wS1;'
}

# start_server ARGUMENT...: starts wabe.exe in the background and waits for its address.
start_server() {
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
# Wine translates the signal to Ctrl-C.
stop_server() {
    kill -INT "$server"
    wait "$server"
}

board() {
    start_server board --no-open --port 0 || return 1
    curl -fsS "http://127.0.0.1:$port/" | grep '<title>' && curl -fsS "http://127.0.0.1:$port/app.js" | grep import || return 1
    stop_server
}

# Plays a game between start.bat and the Linux program.
serve() {
    start_server serve --port 0 --replays 'played here' || return 1
    "$WABE" play --port "$port" --nodes 50 >"$work/blue" 2>&1 &
    linux=$!
    windows cmd /c '.\start.bat' --port "$port" --nodes 50 >"$work/red" 2>&1 || { cat "$work/red" "$work/server"; return 1; }
    wait "$linux" || return 1
    contains "$work/red" 'as red\|as blue' && stop_server && contains "$work/server" REGULAR && ls 'played here'
}

# The program's path is relative to its folder. The Linux program must be able to read the results.
arena() {
    mkdir '../my bots'
    cp wabe.exe bcryptprimitives.dll '../my bots'
    windows wabe.exe arena --quiet --games 2 --seed 1 --engine mcts:nodes=20 --engine "'cmd:.\wabe.exe play --nodes 20' dir='..\my bots'" \
        --results 'results.jsonl' || return 1
    "$WABE" arena merge results.jsonl >"$work/results" || return 1
    contains "$work/results" '^games *2:' || return 1
    # A program that exits immediately forfeits.
    windows wabe.exe arena --quiet --games 2 --seed 1 --engine greedy --engine "'cmd:.\wabe.exe --version'" >"$work/results" || return 1
    contains "$work/results" 'crash 2'
}

for name in version bench match uhp board serve arena; do run_test "$name"; done
[ -z "$failed" ] || fail "failed:$failed" 1
