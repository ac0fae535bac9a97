#!/bin/sh
# Plays two builds of wabe against each other: is A stronger than B?
#
#   scripts/compare-builds.sh A B [OPTIONS] [OPTIONS OF wabe arena]
#
# A and B are each a git revision (built and cached in target/compare-builds/), the path of a build, or `.` (or WORKTREE) for the working
# tree with its changes. By default the run ends when an SPRT with elo0=0 elo1=10 is decided.
#
#   --nodes N        iterations per move for both, instead of --time MS [default: 100]
#   --depth N        depth per move for both, in standard Hive
#   --memory MIB     search memory for both
#   --a OPTIONS      engine options for A only, as in wabe arena: "nodes=500 env=RUST_LOG=info"
#   --b OPTIONS      engine options for B only
#   --no-sprt        play all games
#   --games N        maximum number of games [default: 20000]
#
# All other options are passed to wabe arena: --time, --concurrency, --seed, --sprt elo0=-5 elo1=0, --report FILE.html …
# With --game Base+MLP, or any other type, the builds play standard Hive. The results are written to a file in
# target/compare-builds/runs/, unless --results is given. The same command continues a run.
# The arena is built from the working tree, unless WABE is set to a binary.
#
# Exit status, as of wabe arena: 0 all games played, 1 failed, 2 invalid arguments, 3 H0 accepted (no gain), 4 H1 accepted (gain),
# 130 interrupted. See docs/arena.md.
set -eu

fail() {
    status=$1
    shift
    echo "compare-builds.sh: $*" >&2
    exit "$status"
}

case $0 in */*) scripts=${0%/*} ;; *) scripts=. ;; esac
root=$(cd -- "$scripts/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
case $target in /*) ;; *) target=$root/$target ;; esac
cache=$target/compare-builds

# --- arguments ---

usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; }

for argument; do
    [ "$argument" != --help ] || { usage; exit 0; }
done
[ $# -ge 2 ] || fail 2 "needs two builds or revisions (see --help)"
first=$1
second=$2
shift 2
for build in "$first" "$second"; do
    case $build in -*) fail 2 "expected a build or a revision, found \`$build\` (see --help)" ;; esac
done

# Builds play as clients of the contest or, in standard Hive, as UHP engines.
protocol=contest
nodes=
depth=
memory=
for_first=
for_second=
sprt=yes
games=20000
results=
# Settings that affect the games are part of the results' file name.
settings=
is_setting=no
# Removes each argument from the head of "$@", and appends the arena's options again.
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
    --nodes | --depth | --memory | --a | --b)
        [ "$count" -gt 0 ] || fail 2 "$argument needs a value"
        value=$1
        shift
        count=$((count - 1))
        ;;
    --nodes=* | --depth=* | --memory=* | --a=* | --b=*) value=${argument#*=} ;;
    esac
    case $argument in
    --nodes | --nodes=*) nodes=$value ;;
    --depth | --depth=*) depth=$value ;;
    --memory | --memory=*) memory=$value ;;
    --a | --a=*) for_first="$for_first $value" ;;
    --b | --b=*) for_second="$for_second $value" ;;
    --no-sprt) sprt=no ;;
    *)
        case $argument in
        --sprt | --sprt=* | --shard | --shard=*) sprt=no ;; # no SPRT within a shard
        --games | --games=*) games= ;;
        --results | --results=*) results=elsewhere ;;
        --game | --game=*) protocol=uhp ;;
        esac
        case $argument in
        --game | --game=* | --max-plies* | --random-plies* | --openings*) is_setting=yes ;;
        --time* | --margin* | --seed* | --engine* | --format* | --shard*) is_setting=yes ;;
        -*) is_setting=no ;;
        esac
        [ "$is_setting" = no ] || settings="$settings $argument"
        set -- "$@" "$argument"
        ;;
    esac
done

case $protocol in
contest)
    [ -z "$depth" ] || fail 2 "--depth needs standard Hive: --game TYPE"
    both="${nodes:+ nodes=$nodes}${memory:+ memory=$memory}"
    ;;
uhp)
    [ -z "$nodes" ] || fail 2 "no --nodes in standard Hive: use --depth N or --time MS"
    both="${depth:+ depth=$depth}${memory:+ set='MemoryMiB $memory'}"
    ;;
esac

# --- builds ---

tree=
remove_tree() {
    [ -z "$tree" ] || git -C "$root" worktree remove --force "$tree" 2>/dev/null || rm -rf "$tree"
    git -C "$root" worktree prune 2>/dev/null || true
    tree=
}
trap remove_tree EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

in_git() { git -C "$root" rev-parse --git-dir >/dev/null 2>&1; }

is_dirty() { [ -n "$(git -C "$root" status --porcelain --untracked-files=no)" ]; }

build() {
    command -v cargo >/dev/null || fail 1 "needs cargo to build $2"
    (cd "$1" && CARGO_TARGET_DIR=$3 cargo build --release --locked --quiet --bin wabe) >&2 ||
        fail 1 "$2 does not build"
}

# Copies a program so that later builds do not replace it. Sets `binary` and `label`.
keep_copy() {
    sum=$(cksum <"$1")
    label=$2-$(echo "$sum" | tr ' ' -)
    binary=$cache/builds/$label/wabe
    if [ ! -x "$binary" ]; then
        mkdir -p "${binary%/*}"
        cp "$1" "$binary.$$"
        mv "$binary.$$" "$binary"
    fi
}

build_worktree() {
    [ -n "${worktree:-}" ] || build "$root" "the working tree" "$target"
    worktree=$target/release/wabe
}

is_worktree() { [ "$1" = . ] || [ "$1" = WORKTREE ]; }

commit_of() {
    in_git || fail 2 "\`$1\` is not a build of wabe, and $root is not a git repository"
    git -C "$root" rev-parse --verify --quiet --end-of-options "$1^{commit}" ||
        fail 2 "\`$1\` is not a build of wabe or a git revision"
}

# Reports errors before slow builds start.
check() {
    if is_worktree "$1"; then
        return
    elif [ -f "$1" ]; then
        [ -x "$1" ] || fail 2 "$1 is not executable"
    else
        commit=$(commit_of "$1")
        git -C "$root" cat-file -e "$commit:Cargo.toml" 2>/dev/null ||
            fail 2 "revision $1 has no Cargo.toml"
    fi
}

# Sets `binary`, `label` (for file names) and `name` (for tables).
find_build() {
    find_binary "$1"
    "$binary" play --help 2>/dev/null | grep -q -e --reservation ||
        fail 2 "$1 is not a build of wabe with the command \`play\`"
    [ "$protocol" = contest ] || "$binary" uhp --help >/dev/null 2>&1 ||
        fail 2 "$1 is not a build of wabe with the command \`uhp\`"
}

find_binary() {
    if is_worktree "$1"; then
        build_worktree
        keep_copy "$worktree" worktree
        name=worktree
        if in_git; then
            name=worktree@$(git -C "$root" rev-parse --short HEAD)
            ! is_dirty || name="$name+changes"
        fi
    elif [ -f "$1" ]; then
        keep_copy "$1" file
        name=$1
    else
        find_revision "$1"
    fi
}

find_revision() {
    commit=$(commit_of "$1")
    short=$(git -C "$root" rev-parse --short "$commit")
    case $commit in
    "$1"*) name=$short ;;
    *) name=$1@$short ;;
    esac
    if [ "$commit" = "$(git -C "$root" rev-parse HEAD)" ] && is_dirty; then
        echo "compare-builds.sh: $1 does not include the changes in the working tree (use \`.\` for them)" >&2
    fi
    label=$short
    binary=$cache/builds/$commit/wabe
    [ -x "$binary" ] || build_revision "$1"
}

build_revision() {
    mkdir -p "$cache/trees"
    # Concurrent runs of this script would overwrite each other's builds.
    if command -v flock >/dev/null; then
        exec 9>"$cache/building"
        flock 9
    fi
    if [ ! -x "$binary" ]; then
        echo "compare-builds.sh: building $name" >&2
        tree=$cache/trees/$commit.$$
        git -C "$root" worktree add --quiet --force --detach "$tree" "$commit" >&2 ||
            fail 1 "cannot check out $1"
        build "$tree" "$1" "$cache/target"
        mkdir -p "${binary%/*}"
        cp "$cache/target/release/wabe" "$binary.$$"
        mv "$binary.$$" "$binary"
        remove_tree
    fi
    exec 9>&-
}

check "$first"
check "$second"
if [ -n "${WABE:-}" ]; then
    [ -f "$WABE" ] && [ -x "$WABE" ] || fail 2 "no program $WABE"
fi
find_build "$first"
first_binary=$binary first_label=$label first_name=$name
find_build "$second"
second_binary=$binary second_label=$label second_name=$name
[ "$first_name" != "$second_name" ] || second_name="$second_name again"

if [ -n "${WABE:-}" ]; then
    arena=$WABE
else
    build_worktree
    keep_copy "$worktree" worktree
    arena=$binary
fi

# --- the run ---

# Quotes a word for a shell.
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

command_of() {
    case $protocol in
    contest) printf 'wabe:%s' "$(quoted "$1")" ;;
    uhp) printf 'uhp:%s uhp' "$(quoted "$1")" ;;
    esac
}

spec() { printf '%s name=%s%s' "$(quoted "$(command_of "$1")")" "$(quoted "$2")" "$3"; }

if [ -z "$results" ]; then
    mkdir -p "$cache/runs"
    options=$(printf '%s' "$both${for_first:+ a$for_first}${for_second:+ b$for_second}$settings" | tr -sc A-Za-z0-9._ -)
    [ ${#options} -lt 100 ] || options=-$(printf '%s' "$options" | cksum | tr ' ' -)
    results=$cache/runs/$first_label-$second_label$options.jsonl
    set -- "$@" --results "$results"
    echo "compare-builds.sh: results: $results (the same command continues them)" >&2
fi
[ -z "$games" ] || set -- "$@" --games "$games"
[ "$sprt" = no ] || set -- "$@" --sprt elo0=0 elo1=10
echo "compare-builds.sh: A $first_name, B $second_name" >&2
exec "$arena" arena --engine "$(spec "$first_binary" "$first_name" "$both$for_first")" \
    --engine "$(spec "$second_binary" "$second_name" "$both$for_second")" "$@"
