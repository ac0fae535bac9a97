#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it into a fresh environment and runs its tests, the
# type checker and the examples. Exit status 3 if Python 3.9 with venv is missing.
#
# The wheel is built without link-time optimisation, to compile faster. PyPI must be
# reachable.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "Python 3.9 or later with venv is missing"
    exit 3
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/build"
"$python" -m venv "$work/test"
"$work/build/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2'

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/python}
"$work/build/bin/maturin" build --quiet --locked --profile ci --manifest-path python/Cargo.toml --out "$work/wheels"
wheel=$(echo "$work"/wheels/*.whl)
"$work/test/bin/pip" install --quiet --disable-pip-version-check "$wheel[test]"

# A copy, so that Python imports the installed package and not the folder next to the tests.
cp -R python/tests python/examples python/pyproject.toml "$work/"
cd "$work"
test/bin/python -m pytest --quiet tests
test/bin/python -m mypy --strict --package wabe
test/bin/python -m mypy --strict examples
# Signatures and defaults of the stub; the module's list of names is not in it.
test/bin/python -m mypy.stubtest --ignore-disjoint-bases --allowlist <(echo 'wabe\._wabe\.__all__') wabe._wabe
