# shellcheck shell=sh
# Compilers for other targets, for scripts that source this file; they define `root` and `fail MESSAGE [CODE]`.
#
# They are rustup's where `rustup target add TARGET` was done. Otherwise they are Debian's, unpacked into the folder of built files,
# some 900 MB for the compiler, and installed nowhere. A script exits with 3 where neither can be had.

target=${CARGO_TARGET_DIR:-$root/target}

# debian NAME PACKAGE...: unpacks packages of Debian, with what apt would install for them, into $target/NAME/root. Their libraries are
# found from then on.
debian() {
    tools=$target/$1
    shift
    if [ ! -e "$tools/complete" ]; then
        command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || fail "no apt to get $*${hint:-}" 3
        # Lists of an older day name older compilers, or none.
        [ "$(id -u)" != 0 ] || apt-get update -qq >/dev/null 2>&1 || true
        # What apt would install to get them, less what is there.
        packages=$(apt-get install --simulate --no-install-recommends "$@" 2>/dev/null | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
        [ -n "$packages" ] || fail "apt has no $* (apt-get update?)${hint:-}" 3
        echo "== unpacking $* into $tools"
        rm -rf "$tools"
        mkdir -p "$tools/packages" "$tools/root"
        # shellcheck disable=SC2086 # one word a package
        (cd "$tools/packages" && apt-get download -qq $packages 2>/dev/null) || fail "$* cannot be downloaded${hint:-}" 3
        for package in "$tools"/packages/*.deb; do dpkg -x "$package" "$tools/root"; done
        rm -r "$tools/packages"
        touch "$tools/complete"
    fi
    # Some of Debian's libraries still lie in /lib.
    host=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)
    LD_LIBRARY_PATH=$tools/root/usr/lib/$host:$tools/root/lib/$host:${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH
}

# compiler TARGET CRATES: defines `compile`, which is cargo for this target. Debian's compiler lies in $unpacked, and builds these crates
# of std itself.
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
        fail "Debian's compiler is $found, wabe needs $wanted (apt-get update?)$hint" 3
    fi
    hint=
    crates=$2
    compile() {
        command=$1
        shift
        # The compiler is a stable one; its switch for building std is not.
        PATH=$unpacked/bin:$PATH RUSTC=$unpacked/bin/rustc RUSTC_BOOTSTRAP=1 "$unpacked/bin/cargo" "$command" -Z "build-std=$crates" "$@"
    }
}
