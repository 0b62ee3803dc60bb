"""What a bridge is told of its lamps, and when."""

from __future__ import annotations

from cabinet.buttons.lamp_state import LampState
from firmware_bridge.lamp_telling import LampTelling
from firmware_bridge.protocol import LAMP_BLINK, LAMP_OFF, LAMP_ON, LAMPS_EVERY_MS, Lamp, Lamps, encode

MS = 1_000_000
DARK = Lamp(LAMP_OFF, 0, 255, 0)
LIT = Lamp(LAMP_ON, 0, 255, 0)
ON = LampState("on")
NAMES = {0: "a.1", 1: "a.2", 2: "coin"}


def telling(has_lamp: int = 0b011) -> LampTelling:
    lamps = LampTelling()
    lamps.begin(NAMES, has_lamp)
    return lamps


def test_all_lamps_are_told_at_first_then_when_one_changes() -> None:
    lamps = telling()
    assert lamps.due({"a.2": ON}, 0) == [Lamps(0, (DARK, LIT))]
    assert lamps.due({"a.2": ON}, MS) == []
    assert lamps.due({"a.1": ON, "a.2": ON}, 2 * MS) == [Lamps(0, (LIT, LIT))]


def test_they_are_told_again_every_half_second_since_one_frame_may_be_lost() -> None:
    lamps = telling()
    lamps.due({}, 0)
    assert lamps.due({}, LAMPS_EVERY_MS * MS - 1) == []
    assert lamps.due({}, LAMPS_EVERY_MS * MS) == [Lamps(0, (DARK, DARK))]
    assert lamps.due({}, LAMPS_EVERY_MS * MS + 1) == []


def test_a_new_session_is_told_all_of_them() -> None:
    lamps = telling()
    lamps.due({"a.1": ON}, 0)
    lamps.begin(NAMES, 0b011)
    assert lamps.due({"a.1": ON}, MS) == [Lamps(0, (LIT, DARK))]


def test_a_button_without_a_lamp_is_told_nothing() -> None:
    assert telling(0b010).due({"a.1": ON, "a.2": ON, "coin": ON}, 0) == [Lamps(1, (LIT,))]
    assert telling(0).due({"a.1": ON}, 0) == []


def test_a_state_is_told_with_all_its_numbers() -> None:
    state = LampState("blink", brightness=128, period_ms=1_000, phase=4)
    assert telling(1).due({"a.1": state}, 0) == [Lamps(0, (Lamp(LAMP_BLINK, 4, 128, 50),))]


def test_many_lamps_go_in_frames_that_fit() -> None:
    lamps = LampTelling()
    lamps.begin({number: f"lamp{number}" for number in range(32)}, 0xFFFFFFFF)
    frames = lamps.due({"lamp31": ON}, 0)
    assert [(frame.first, len(frame.lamps)) for frame in frames] == [(0, 18), (18, 14)]
    assert frames[1].lamps[-1] == LIT
    assert all(encode(frame) for frame in frames)
