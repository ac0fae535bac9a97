#!/bin/sh
# Prints the changelog section of a release: release-notes.sh VERSION
#
# Fails unless VERSION is the version in Cargo.toml and CHANGELOG.md has text for it.
set -eu

fail() {
    echo "release-notes.sh: $*" >&2
    exit 1
}

[ $# = 1 ] || fail "usage: release-notes.sh VERSION"
cd -- "$(dirname -- "$0")/.."
packaged=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
[ "$packaged" = "$1" ] || fail "version in Cargo.toml: expected $1, found $packaged"
# From this version's heading, which may contain a date, to the next one.
notes=$(awk -v version="$1" '/^## / { inside = $2 == version; next } inside' CHANGELOG.md)
[ -n "$notes" ] || fail "CHANGELOG.md has no text under \"## $1\""
# Command substitution removed trailing line breaks. sed removes leading ones.
printf '%s\n' "$notes" | sed '/./,$!d'
