"""A machine without a screen, or without a header, is told so in one line."""

from __future__ import annotations

import json

import pytest

from tests.virtual_pi.guest import PYTHON, Guest, told

pytestmark = pytest.mark.virtual_pi


def test_what_is_missing_is_said_in_one_line_with_a_status_of_its_own(guest: Guest) -> None:
    done = guest.run(PYTHON, "-m", "tests.virtual_pi.in_guest.start_without", within_s=240)
    assert done.returncode == 0, told(done)
    result = json.loads(done.stdout)
    no_screen = result["no screen"]
    assert (no_screen["status"], no_screen["out"], no_screen["err"].count("\n")) == (3, "", 1)
    assert no_screen["err"].startswith("no screen: no desktop and no graphics card was found; ")
    for name in ("gpio-chip", "gpio-zero"):
        no_header = result[f"no header for {name}"]
        assert (no_header["status"], no_header["out"], no_header["err"].count("\n")) == (1, "", 1)
        assert no_header["err"].startswith(
            "no GPIO header of a Raspberry Pi was found (looked at no /dev/gpiochip*); "
        )
    held = result["held"]
    assert (held["status"], held["out"]) == (1, "")
    assert held["err"] == (
        "GPIO 8 (a.3) is held by 'blink'; stop the program that uses it, or give the button another GPIO\n"
    )
    assert result["forbidden"] == (
        "no permission to use /dev/gpiochip0, /dev/gpiochip1; add the user to the group gpio: "
        "sudo usermod -aG gpio $USER, then log in anew"
    )
