#!/bin/sh
# Starts the client; every argument goes to it: start.sh --host HOST --port PORT --reservation CODE
# Looks for the binary beside this script, as in a package, and then where cargo builds it.
folder=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1
for binary in "$folder/wabe" "$folder/target/release/wabe"; do
    if [ -f "$binary" ]; then
        # Unpacking an archive may drop the execute bit.
        [ -x "$binary" ] || chmod +x "$binary" || exit 1
        exec "$binary" play "$@"
    fi
done
echo "start.sh: no wabe beside this script nor in target/release; build it with: cargo build --release" >&2
exit 1
