#!/bin/sh
# Prints the changelog's part about a release: release-notes.sh VERSION
#
# Fails unless Cargo.toml has that version and CHANGELOG.md has something to say about it.
set -eu

fail() {
    echo "release-notes.sh: $*" >&2
    exit 1
}

[ $# = 1 ] || fail "which version? release-notes.sh VERSION"
cd -- "$(dirname -- "$0")/.."
packaged=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
[ "$packaged" = "$1" ] || fail "Cargo.toml has version $packaged, not $1"
# From the heading, which may have a date, to the next.
notes=$(awk -v version="$1" '/^## / { inside = $2 == version; next } inside' CHANGELOG.md)
[ -n "$notes" ] || fail "CHANGELOG.md has nothing under \"## $1\""
# Command substitution has taken the line ends after the text, sed takes those before it.
printf '%s\n' "$notes" | sed '/./,$!d'
