#!/bin/sh
# Plays: sets up .venv on the first start, then starts the cabinet. Arguments go to "spit-cabinet run".
set -eu
cd -- "$(dirname -- "$0")/.."
. deploy/venv.sh

no_screen=3 # the exit status of "spit-cabinet run" when there is no screen

prepare_venv ''
status=0
.venv/bin/python -m cabinet run "$@" || status=$?
if [ "$status" -eq "$no_screen" ]; then
    say "There is no screen here: two robots play on made-up pins instead; the picture at the end is table.png."
    exec .venv/bin/python -m cabinet demo --headless --picture table.png
fi
exit "$status"
