#!/bin/sh
# Plays: sets up .venv on the first start, then starts the cabinet. Arguments go to "spit-cabinet run".
set -eu
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
. deploy/venv.sh

no_screen=3 # the exit status of "spit-cabinet run" when there is no screen

# A request to end goes on to the cabinet, which ends in order.
run_cabinet() {
    cabinet=
    trap '[ -z "$cabinet" ] || kill -TERM "$cabinet" 2>/dev/null || true' HUP INT TERM
    .venv/bin/python -m cabinet run "$@" <&0 &
    cabinet=$!
    while true; do
        status=0
        wait "$cabinet" || status=$?
        kill -0 "$cabinet" 2>/dev/null || break
    done
    trap - HUP INT TERM
    return "$status"
}

prepare_venv ''
status=0
run_cabinet "$@" || status=$?
if [ "$status" -eq "$no_screen" ]; then
    say "Two robots play on made-up pins instead; the picture at the end is table.png."
    exec .venv/bin/python -m cabinet demo --headless --picture table.png
fi
exit "$status"
