# shellcheck shell=sh
# Compilers for other targets. Scripts that source this file define `root` and `fail MESSAGE [CODE]`.
#
# Uses rustup's compiler if `rustup target add TARGET` was run. Otherwise it unpacks Debian's compiler (900 MB) into the target folder,
# without installing it. Exits with 3 if neither is available.

target=${CARGO_TARGET_DIR:-$root/target}

# debian NAME PACKAGE...: unpacks Debian packages and their missing dependencies into $target/NAME/root, and adds their libraries to
# LD_LIBRARY_PATH.
debian() {
    tools=$target/$1
    shift
    if [ ! -e "$tools/complete" ]; then
        command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || fail "needs apt to download $*${hint:-}" 3
        # Outdated package lists may lack the compiler, or contain an older one.
        [ "$(id -u)" != 0 ] || apt-get update -qq >/dev/null 2>&1 || true
        # The packages that apt would install.
        packages=$(apt-get install --simulate --no-install-recommends "$@" 2>/dev/null | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
        [ -n "$packages" ] || fail "apt does not find $* (apt-get update?)${hint:-}" 3
        echo "== unpacking $* into $tools"
        rm -rf "$tools"
        mkdir -p "$tools/packages" "$tools/root"
        # shellcheck disable=SC2086 # one word per package
        (cd "$tools/packages" && apt-get download -qq $packages 2>/dev/null) || fail "cannot download $*${hint:-}" 3
        for package in "$tools"/packages/*.deb; do dpkg -x "$package" "$tools/root"; done
        rm -r "$tools/packages"
        touch "$tools/complete"
    fi
    # Some of Debian's libraries are still in /lib.
    host=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)
    LD_LIBRARY_PATH=$tools/root/usr/lib/$host:$tools/root/lib/$host:${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH
}

# compiler TARGET CRATES: defines `compile`, which runs cargo for this target. If Debian's compiler is used, `unpacked` is its folder, and
# these crates of std are built from source.
compiler() {
    command -v rustc >/dev/null 2>&1 || fail "no rustc in the PATH" 3
    sysroot=$(rustc --print sysroot)
    unpacked=
    if [ -d "$sysroot/lib/rustlib/$1" ]; then
        compile() { cargo "$@"; }
        return
    fi
    hint="; or: rustup target add $1"
    debian web-toolchain rustc-web cargo-web rust-web-src
    unpacked=$target/web-toolchain/root/usr
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
    found=$("$unpacked/bin/rustc" --version | cut -d ' ' -f 2)
    if [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1)" != "$wanted" ]; then
        rm -rf "$target/web-toolchain"
        fail "Debian's compiler is too old: needs $wanted, found $found (apt-get update?)$hint" 3
    fi
    hint=
    crates=$2
    compile() {
        command=$1
        shift
        # A stable compiler accepts -Z build-std only with RUSTC_BOOTSTRAP.
        PATH=$unpacked/bin:$PATH RUSTC=$unpacked/bin/rustc RUSTC_BOOTSTRAP=1 "$unpacked/bin/cargo" "$command" -Z "build-std=$crates" "$@"
    }
}
