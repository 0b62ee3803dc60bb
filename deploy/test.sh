#!/bin/sh
# Checks everything: sets up .venv with the tools, then runs them in turn. Arguments go to pytest.
set -eu
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
. deploy/venv.sh

check() {
    name=$1
    shift
    say "== $name"
    if ! "$@"; then stop "FAILED: $name ($*)"; fi
}

prepare_venv '[dev]'
PATH=$PWD/.venv/bin:$PATH
export PATH
check "lint" ruff check .
check "format" ruff format --check .
check "types" mypy
check "imports between the rooms" lint-imports
check "tests" python -m pytest "$@"
say "All checks passed."
