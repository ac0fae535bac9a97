#!/bin/sh
# Plays two builds of wabe against each other: is A stronger than B?
#
#   scripts/selfplay.sh A B [OPTIONS] [OPTIONS OF wabe arena]
#
# A and B are each a git revision, which is built and kept under target/selfplay/, a path of a build of wabe, or `.` (or
# WORKTREE) for the working tree as it is. The run ends as soon as an SPRT with elo0=0 elo1=10 is decided.
#
#   --nodes N        search iterations for a move of both, instead of a time (--time MS, 100 if nothing is said)
#   --depth N        of standard Hive: depth for a move of both, instead of a time
#   --memory MIB     memory of the search of both
#   --a OPTIONS      options of engine A alone, as in wabe arena: "nodes=500 env=RUST_LOG=info"
#   --b OPTIONS      of engine B alone
#   --no-sprt        play all games
#   --games N        at most so many games (20000)
#
# Everything else goes to wabe arena: --time, --concurrency, --seed, --sprt elo0=-5 elo1=0, --report FILE.html … With
# --game Base+MLP, or any other type, the builds play standard Hive. The results go to a file under target/selfplay/runs/,
# unless --results names another, and the same command continues it.
# The arena is the working tree's, or the binary that the environment variable WABE names.
#
# Exit status, as wabe arena has it: 0 all games played, 1 failed, 2 wrong arguments, 3 H0 accepted (no gain), 4 H1 accepted (a
# gain), 130 interrupted. docs/arena.md says more.
set -eu

fail() {
    status=$1
    shift
    echo "selfplay.sh: $*" >&2
    exit "$status"
}

case $0 in */*) scripts=${0%/*} ;; *) scripts=. ;; esac
root=$(cd -- "$scripts/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
case $target in /*) ;; *) target=$root/$target ;; esac
cache=$target/selfplay

# --- arguments ---

usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; }

for argument; do
    [ "$argument" != --help ] || { usage; exit 0; }
done
[ $# -ge 2 ] || fail 2 "two builds or revisions are needed (--help says more)"
first=$1
second=$2
shift 2
for build in "$first" "$second"; do
    case $build in -*) fail 2 "\`$build\` is no build: A and B come first (--help says more)" ;; esac
done

# The specification of a build: a client of the contest, or, for standard Hive, a UHP engine.
protocol=contest
nodes=
depth=
memory=
for_first=
for_second=
sprt=yes
games=20000
results=
# All settings that decide the games are part of the name of their file.
deciding=
decides=no
# The arena's options stay in "$@": each argument is taken from its head, and put back at its end if it is one of them.
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
        --sprt | --sprt=* | --shard | --shard=*) sprt=no ;; # a share of a run has no test of its own
        --games | --games=*) games= ;;
        --results | --results=*) results=elsewhere ;;
        --game | --game=*) protocol=uhp ;;
        esac
        case $argument in
        --game | --game=* | --max-plies* | --random-plies* | --openings*) decides=yes ;;
        --time* | --margin* | --seed* | --engine* | --format* | --shard*) decides=yes ;;
        -*) decides=no ;;
        esac
        [ "$decides" = no ] || deciding="$deciding $argument"
        set -- "$@" "$argument"
        ;;
    esac
done

case $protocol in
contest)
    [ -z "$depth" ] || fail 2 "--depth is for standard Hive: --game TYPE"
    both="${nodes:+ nodes=$nodes}${memory:+ memory=$memory}"
    ;;
uhp)
    [ -z "$nodes" ] || fail 2 "builds that play standard Hive are not told nodes: --depth N or --time MS"
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

# Puts a copy of a program where no later build replaces it, and sets `binary` and `label`.
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
    in_git || fail 2 "\`$1\` is neither a build of wabe nor a revision: there is no git repository in $root"
    git -C "$root" rev-parse --verify --quiet --end-of-options "$1^{commit}" ||
        fail 2 "\`$1\` is neither a build of wabe nor a git revision"
}

# Reports errors before minutes are spent on a build.
check() {
    if is_worktree "$1"; then
        return
    elif [ -f "$1" ]; then
        [ -x "$1" ] || fail 2 "$1 is not executable"
    else
        commit=$(commit_of "$1")
        git -C "$root" cat-file -e "$commit:Cargo.toml" 2>/dev/null ||
            fail 2 "$1 is from before there was a program"
    fi
}

# Sets `binary`, `label` for file names and `name` for tables.
find_build() {
    find_binary "$1"
    "$binary" play --help 2>/dev/null | grep -q -e --reservation ||
        fail 2 "$1 is no build of wabe that can play: it has no command \`play\`"
    [ "$protocol" = contest ] || "$binary" uhp --help >/dev/null 2>&1 ||
        fail 2 "$1 is no build of wabe that plays standard Hive: it has no command \`uhp\`"
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
        echo "selfplay.sh: $1 is what is committed; the changes in the working tree do not play (\`.\` stands for them)" >&2
    fi
    label=$short
    binary=$cache/builds/$commit/wabe
    [ -x "$binary" ] || build_revision "$1"
}

build_revision() {
    mkdir -p "$cache/trees"
    # Two scripts at once would take each other's build.
    if command -v flock >/dev/null; then
        exec 9>"$cache/building"
        flock 9
    fi
    if [ ! -x "$binary" ]; then
        echo "selfplay.sh: building $name" >&2
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

# For one more splitting into words as a shell does it.
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
    options=$(printf '%s' "$both${for_first:+ a$for_first}${for_second:+ b$for_second}$deciding" | tr -sc A-Za-z0-9._ -)
    [ ${#options} -lt 100 ] || options=-$(printf '%s' "$options" | cksum | tr ' ' -)
    results=$cache/runs/$first_label-$second_label$options.jsonl
    set -- "$@" --results "$results"
    echo "selfplay.sh: results go to $results; the same command goes on with them" >&2
fi
[ -z "$games" ] || set -- "$@" --games "$games"
[ "$sprt" = no ] || set -- "$@" --sprt elo0=0 elo1=10
echo "selfplay.sh: A $first_name, B $second_name" >&2
exec "$arena" arena --engine "$(spec "$first_binary" "$first_name" "$both$for_first")" \
    --engine "$(spec "$second_binary" "$second_name" "$both$for_second")" "$@"
