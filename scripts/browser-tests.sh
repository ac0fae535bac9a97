#!/bin/sh
# Tests the page of `wabe board` in Chromium, and a part in Firefox: browser-tests.sh [PART OF A TEST'S NAME]
#
# Checks the types in the page's sources, then runs tests/browser. Installs pinned tools from npm
# outside the source tree, and Debian's chromium if necessary. Environment:
#   WABE                 program to test [default: a debug build of these sources]
#   SITE                 folder built by site.sh, to test it as well
#   BROWSER              browser [default: chromium from the PATH]
#   FIREFOX              Firefox [default: firefox or firefox-esr from the PATH]
#   BROWSER_TOOLS_CACHE  folder for the tools [default: ~/.cache/wabe-browser-tests]
set -eu

PLAYWRIGHT=1.65.1
PUPPETEER=24.43.1
AXE=4.14.1
TYPESCRIPT=5.9.3
LIT=3.3.3
GIFENC=1.0.3

fail() {
    echo "browser-tests.sh: $*" >&2
    exit 2
}

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
page=$root/crates/board/src/page

# --- requirements ---

command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || fail "node or npm is not in the PATH"

if [ -z "${BROWSER:-}" ]; then
    BROWSER=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
    if [ -z "$BROWSER" ]; then
        command -v apt-get >/dev/null 2>&1 || fail "chromium is not in the PATH"
        echo "== installing chromium"
        if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
        $as_root apt-get update -q && $as_root apt-get install -qy --no-install-recommends chromium || fail "cannot install chromium"
        BROWSER=$(command -v chromium)
    fi
fi

FIREFOX=${FIREFOX:-$(command -v firefox || command -v firefox-esr || true)}
[ -n "$FIREFOX" ] || echo "== Firefox is not installed, its test is skipped (Debian: apt-get install firefox-esr)"

cache=${BROWSER_TOOLS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wabe-browser-tests}
tools=$cache/$PLAYWRIGHT-$PUPPETEER-$AXE-$TYPESCRIPT-$LIT-$GIFENC
if [ ! -e "$tools/complete" ]; then
    echo "== installing tools from npm into $tools"
    mkdir -p "$tools"
    echo '{ "private": true }' >"$tools/package.json"
    npm install --prefix "$tools" --no-audit --no-fund --loglevel=error --save-exact \
        "playwright-core@$PLAYWRIGHT" "puppeteer-core@$PUPPETEER" "axe-core@$AXE" "typescript@$TYPESCRIPT" \
        "lit-html@$LIT" "gifenc@$GIFENC" || fail "cannot install the tools"
    touch "$tools/complete"
fi

if [ -z "${WABE:-}" ]; then
    echo "== building wabe"
    (cd "$root" && cargo build --locked)
    WABE=${CARGO_TARGET_DIR:-$root/target}/debug/wabe
fi

work=$(mktemp -d)
screenshots=$(mktemp -d)
trap 'rm -rf "$work"; rmdir "$screenshots" 2>/dev/null || true' EXIT

# --- types ---

cmp -s "$page/vendor/gifenc/gifenc.js" "$tools/node_modules/gifenc/dist/gifenc.esm.js" || fail "vendor/gifenc/gifenc.js differs from gifenc $GIFENC"
# Only the npm package contains the types of lit-html.
cp -R "$page" "$work/page"
(cd "$page/vendor/lit-html" && find . -name '*.js') | while read -r file; do
    # The copy imports by the names of the import map.
    sed -E 's|from"\.\.?/([a-z-]+\.js)"|from"wabe/vendor/lit-html/\1"|g' "$tools/node_modules/lit-html/$file" | cmp -s - "$page/vendor/lit-html/$file" || fail "vendor/lit-html/$file differs from lit-html $LIT"
    cp "$tools/node_modules/lit-html/${file%.js}.d.ts" "$work/page/vendor/lit-html/${file%.js}.d.ts"
done
ln -s "$tools/node_modules" "$work/node_modules"
echo "== types"
types=0
cp "$root/tests/browser/tsconfig.json" "$work"
node "$tools/node_modules/typescript/bin/tsc" --project "$work" || types=1

# --- the browser ---

echo "== browser"
browser=0
WABE=$WABE BROWSER=$BROWSER FIREFOX=$FIREFOX BROWSER_TOOLS=$tools SCREENSHOTS=$screenshots node "$root/tests/browser/run.mjs" "$@" >"$work/log" 2>&1 &
tests=$!
tail -f --pid="$tests" "$work/log" 2>/dev/null | grep -v 'passed, ' || true
wait "$tests" || browser=1

# The last line of output counts the type check as a test.
passed=$(sed -n 's/^\([0-9]*\) passed, .*/\1/p' "$work/log" | tail -1)
failed=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed/\1/p' "$work/log" | tail -1)
[ -n "$passed" ] || fail "the tests did not finish"
if [ "$types" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
echo "$passed passed, $failed failed"
[ "$types" = 0 ] && [ "$browser" = 0 ]
