# Sourced by play.sh and test.sh: makes .venv once, and again when pyproject.toml has changed.
# shellcheck shell=sh

say() { printf '%s\n' "$*" >&2; }

stop() {
    say "$*"
    exit 1
}

# The newest Python on this machine that the cabinet runs on; PYTHON in the environment names another.
find_python() {
    for name in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then
            printf '%s\n' "$name"
            return
        fi
    done
    found=$(python3 --version 2>/dev/null || echo "no python3")
    stop "Python 3.11 to 3.14 is needed; found: $found. Raspberry Pi OS 12 (Bookworm) or newer has it: sudo apt install python3"
}

is_pi() { grep -qs 'Raspberry Pi' /proc/device-tree/model; }

# What pip is to install, and whether it still is what was installed: a sum over pyproject.toml and the choice.
stamp_of() { { cat pyproject.toml && printf '%s\n' "$1"; } | cksum; }

# Whole, and made here: a directory that was moved takes along a .venv that points to its old place.
venv_works() {
    [ "$(cat .venv/made-in 2>/dev/null)" = "$PWD" ] && .venv/bin/python -m pip --version >/dev/null 2>&1
}

make_venv() {
    rm -rf .venv
    python=$(find_python) || exit 1
    bits=$("$python" -c 'import struct; print(struct.calcsize("P") * 8)')
    [ "$bits" = 64 ] || stop "This is a $bits-bit Python, and pygame-ce has no wheel for it: install the 64-bit Raspberry Pi OS."
    say "Making .venv with $("$python" --version) ..."
    options=
    # A Pi gets lgpio from apt, because PyPI has no wheel of it for newer Pythons.
    if is_pi; then options=--system-site-packages; fi
    # shellcheck disable=SC2086  # empty or one word
    if ! "$python" -m venv $options .venv >.venv-log 2>&1; then
        cat .venv-log >&2
        rm -rf .venv .venv-log
        stop "Python could not make .venv. On Debian and Raspberry Pi OS: sudo apt install python3-venv"
    fi
    rm -f .venv-log
    printf '%s\n' "$PWD" >.venv/made-in
}

# Usage: prepare_venv '' or '[dev]'. Afterwards .venv holds the cabinet, editable, and that extra.
prepare_venv() {
    extra=$1
    venv_works || make_venv
    stamp=.venv/installed$extra
    if [ "$(cat "$stamp" 2>/dev/null)" = "$(stamp_of "$extra")" ]; then return; fi
    say "Installing what the cabinet needs ..."
    if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".$extra"; then
        stop "pip could not install it (its message is above). Without a network, connect once and start again; then none is needed."
    fi
    stamp_of "$extra" >"$stamp"
    if is_pi && ! .venv/bin/python -c 'import lgpio; lgpio.gpiochip_open' 2>/dev/null; then
        say "For lamps and gpiozero's pins on this Pi: sudo apt install python3-lgpio"
    fi
}
