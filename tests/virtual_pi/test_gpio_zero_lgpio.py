"""The kernel's own edges through lgpio and gpiozero: stamps, order, and lamps on real lines."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from cabinet.buttons.gpio_pins import GpioSettings
from tests.virtual_pi.guest import PYTHON, Guest, told

pytestmark = pytest.mark.virtual_pi

SETTINGS = GpioSettings()


def json_from(guest: Guest, program: str) -> dict[str, Any]:
    done = guest.run(PYTHON, "-m", f"tests.virtual_pi.in_guest.{program}", within_s=240)
    assert done.returncode == 0, told(done)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_presses_come_out_in_the_order_in_which_the_contacts_closed(guest: Guest) -> None:
    result = json_from(guest, "presses")
    closed, presses = result["closed"], result["presses"]
    assert Counter(line for line, _, _ in closed) == dict.fromkeys(SETTINGS.pins, 20)
    assert [line for line, _ in presses] == [line for line, _, _ in closed]
    assert [t_ns for _, t_ns in presses] == sorted(t_ns for _, t_ns in presses)
    for (_, before_ns, after_ns), (_, t_ns) in zip(closed, presses, strict=True):
        assert before_ns <= t_ns <= after_ns
    assert result["by_command"] == ["b.3", "a.3"]
    assert result["losses"] == 0


def test_lamps_drive_their_lines_as_the_game_says(guest: Guest) -> None:
    result = json_from(guest, "lamps")
    assert not result["has_failed"]
    assert result["troubles"] == []
    assert not result["is_stuck"]
    blinks, lit, dark = [0, 1], [1], [0]
    assert result["levels"] == {
        "attract": {"a.spit": blinks, "b.spit": blinks},
        "a waits, b is ready": {"a.spit": blinks, "b.spit": lit},
        "play": {"a.spit": dark, "b.spit": dark},
        "dimmed": {"a.spit": blinks, "b.spit": blinks},
        "all lit": {"a.spit": lit, "b.spit": lit},
        "closed": {"a.spit": dark, "b.spit": dark},
    }
