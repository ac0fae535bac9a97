#!/bin/sh
# Builds the board as a static site with the engine as WebAssembly: site.sh [--home URL] DIR
#
# The folder can be served by any web host, under any path. To try it: python3 -m http.server --directory DIR
#   --home URL   where wabe can be downloaded, linked on the page
#
# Uses rustup's compiler if `rustup target add wasm32-unknown-unknown` was run. Otherwise it unpacks Debian's compiler (900 MB) into
# target/web-toolchain, without installing it. Exits with 3 if neither is available (scripts/toolchain.sh).
set -eu

fail() {
    echo "site.sh: $1" >&2
    exit "${2:-2}"
}

home=
out=
while [ $# -gt 0 ]; do
    case $1 in
        --home) [ $# -gt 1 ] || fail "--home needs a URL"; home=$2; shift ;;
        -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '/^set/d'; exit ;;
        -*) fail "unknown option $1" ;;
        *) [ -z "$out" ] || fail "more than one folder"; out=$1 ;;
    esac
    shift
done
[ -n "$out" ] || fail "usage: site.sh [--home URL] DIR"
case $home in
    *[\"\<\>\&\|]*) fail "$home is not a URL" ;;
esac
root=$(cd -- "$(dirname -- "$0")/.." && pwd)
if [ -e "$out" ] && { [ ! -d "$out" ] || { [ -n "$(ls -A "$out")" ] && [ ! -e "$out/sw.js" ]; }; }; then
    fail "$out exists and is not a site"
fi

# --- the compiler ---

# shellcheck source=scripts/toolchain.sh
. "$root/scripts/toolchain.sh"
compiler wasm32-unknown-unknown std,panic_abort
if [ -n "$unpacked" ]; then
    linker=$(find "$sysroot/lib/rustlib" -name rust-lld -type f | head -n 1)
    [ -n "$linker" ] || linker=$(command -v wasm-ld) || fail "no linker: neither rustup's rust-lld nor wasm-ld (Debian: lld)" 3
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker"
fi

echo "== building the engine"
# All current browsers support SIMD. The module must not contain local paths.
separator=$(printf '\037')
flags="-Ctarget-feature=+simd128$separator--remap-path-prefix=$root=wabe$separator--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
(cd "$root/wasm" && CARGO_ENCODED_RUSTFLAGS=$flags compile build --quiet --locked --release --target wasm32-unknown-unknown --target-dir "$target/wasm") ||
    fail "cannot build the engine"

# --- the files ---

site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
cp -R "$root/crates/board/src/page/." "$site"
rm "$site/types.js"
# As in assets.rs: without indentation and the lines that contain only a comment.
find "$site" -name '*.js' ! -path '*/vendor/*' -exec sed -i -E 's/^[[:space:]]+//; /^\/\//d; /^\/\*.*\*\/$/d; /^\/\*/,/\*\//d' {} +
sed -i -E 's/^[[:space:]]+//; /^\/\*.*\*\/$/d; /^\/\*/,/\*\//d' "$site"/*.css
mkdir "$site/engine"
cp "$root"/wasm/engine.js "$root"/wasm/worker.js "$root"/wasm/wabe.js "$root"/wasm/example.html "$site/engine"
cp "$root"/LICENSE* "$site/engine"
cp "$root/wasm/manifest.webmanifest" "$site"
gzip -9nc "$target/wasm/wasm32-unknown-unknown/release/wabe_wasm.wasm" >"$site/engine/engine.bin"

# The import map, the only inline script, is allowed by its hash.
map=$(sed -n 's|.*<script type="importmap">\(.*\)</script>.*|\1|p' "$root/crates/board/src/page/index.html")
hash=$(printf %s "$map" | openssl dgst -sha256 -binary | openssl base64)
policy="default-src 'none'; script-src 'self' 'sha256-$hash' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'"
sed -e "s|<html lang=\"en\">|<html lang=\"en\" data-engine=\"engine/worker.js\"${home:+ data-home=\"$home\"}>|" \
    -e "s|<meta charset=\"utf-8\">|&\n  <meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">|" \
    -e 's|<link rel="icon".*|&\n  <link rel="manifest" href="manifest.webmanifest">|' \
    "$root/crates/board/src/page/index.html" >"$site/index.html"
grep -q data-engine "$site/index.html" && grep -q wasm-unsafe-eval "$site/index.html" || fail "index.html does not match the substitutions of this script"

cd "$site"
# The files that the page loads: no licences, no types, no wabe.js and no example.
find . -type f ! -name 'LICENSE*' ! -name '*.md' ! -name '*.d.ts' ! -name wabe.js ! -name example.html | sed 's|^\./||' | LC_ALL=C sort >"$site.files"
version=$(xargs sha256sum <"$site.files" | sha256sum | cut -c 1-16)
{ echo "  './',"; sed "s|.*|  '&',|" "$site.files"; } >"$site.list"
sed -e "s/@VERSION@/$version/" -e "/@FILES@/{r $site.list
d
}" "$root/wasm/sw.js" >sw.js
packed=0
for file in $(cat "$site.files"); do packed=$((packed + $(gzip -9c "$file" | wc -c))); done
rm "$site.files" "$site.list"
cd - >/dev/null

rm -rf "$out"
mkdir -p "$(dirname -- "$out")"
cp -R "$site" "$out"
chmod 755 "$out"
echo "$out: version $version, $((packed / 1000)) kB compressed for the first load"
