"""What a lamp does by the clock, and what it is called in the bridge's protocol."""

from __future__ import annotations

import pytest

from cabinet.buttons.lamp_state import (
    BRIGHTEST,
    DARK,
    FLASH_WINDOW_NS,
    FLASHES,
    LONGEST_PERIOD_MS,
    MODES,
    PERIOD_STEP_MS,
    PHASES,
    SHORTEST_PERIOD_MS,
    FlashLimit,
    LampState,
    brightness_at,
    next_change_ns,
)
from firmware_bridge import protocol
from firmware_bridge.firmware import lamps as firmware
from firmware_bridge.protocol import Lamp

MS = 1_000_000
STATES = (
    DARK,
    LampState("on", 200),
    LampState("blink", 255, 1_000, 4),
    LampState("breathe", 128, 3_000, 9),
    LampState("fade", 40, 500),
)


def test_a_state_s_numbers_are_those_of_the_protocol() -> None:
    modes = (protocol.LAMP_OFF, protocol.LAMP_ON, protocol.LAMP_BLINK, protocol.LAMP_BREATHE, protocol.LAMP_FADE)
    assert tuple(MODES.index(mode) for mode in MODES) == modes
    assert Lamp(*LampState("blink", 96, 2_000, 5).numbers) == Lamp(
        mode=protocol.LAMP_BLINK, phase=5, brightness=96, period=100
    )
    assert PERIOD_STEP_MS == protocol.LAMP_PERIOD_MS
    assert SHORTEST_PERIOD_MS == protocol.LAMP_SHORTEST_PERIOD * protocol.LAMP_PERIOD_MS
    assert LONGEST_PERIOD_MS == 255 * protocol.LAMP_PERIOD_MS
    assert (FLASHES, FLASH_WINDOW_NS) == (firmware.FLASHES, firmware.FLASH_WINDOW_MS * MS)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.mode)
def test_pins_show_what_a_microcontroller_shows(state: LampState) -> None:
    told_us, before = 123_456, 17
    for now_us in range(told_us, told_us + 7_000_000, 3_333):
        on_pins = brightness_at(state, now_us * 1_000, before, told_us * 1_000)
        assert on_pins == firmware.brightness(Lamp(*state.numbers), before, now_us, told_us)


def test_a_lamp_blinks_for_exactly_half_its_period() -> None:
    state = LampState("blink", 200, 1_000, phase=4)
    shown = [brightness_at(state, at_ms * MS) for at_ms in range(0, 2_000, 10)]
    assert shown == ([0] * 25 + [200] * 50 + [0] * 25) * 2
    assert next_change_ns(state, 0) == 250 * MS
    assert next_change_ns(state, 250 * MS - 1) == 250 * MS
    assert next_change_ns(state, 250 * MS) == 750 * MS


def test_a_lamp_breathes_up_and_down() -> None:
    state = LampState("breathe", 100, 2_000)
    assert [brightness_at(state, at_ms * MS) for at_ms in (0, 500, 1_000, 1_500, 2_000)] == [0, 50, 100, 50, 0]
    assert next_change_ns(state, 1_999 * MS) == 2_000 * MS


def test_a_lamp_fades_once_from_what_it_showed() -> None:
    state = LampState("fade", 200, 400)
    assert [brightness_at(state, at_ms * MS, 100, 1_000 * MS) for at_ms in (1_000, 1_200, 1_400, 9_000)] == [
        100,
        150,
        200,
        200,
    ]
    assert next_change_ns(state, 1_399 * MS, 1_000 * MS) == 1_400 * MS
    assert next_change_ns(state, 1_400 * MS, 1_000 * MS) is None
    assert next_change_ns(LampState("on"), 0) is None


def test_lamps_of_one_period_keep_step_whenever_they_were_told() -> None:
    state = LampState("blink", 255, 800)
    for now_ns in range(0, 2_000 * MS, 7 * MS):
        assert brightness_at(state, now_ns, 0, 0) == brightness_at(state, now_ns, 255, now_ns - MS)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("blink", 255, 320), "period of 320 ms; allowed for blink: a multiple of 20 from 340 to 5100"),
        (("breathe", 255, 0), "period of 0 ms"),
        (("fade", 255, 30), "period of 30 ms"),
        (("on", 255, 5_120), "period of 5120 ms"),
        (("on", 256, 0), "brightness of 256"),
        (("on", 255, 0, PHASES), "phase of 16"),
    ],
)
def test_what_no_driver_can_do_is_refused(arguments: tuple[object, ...], found: str) -> None:
    with pytest.raises(ValueError, match=found):
        LampState(*arguments)  # type: ignore[arg-type]


def test_a_fourth_rise_waits_until_the_first_is_a_second_old() -> None:
    limit = FlashLimit()
    for at_ms in (0, 100, 200):
        assert limit.allows(0, BRIGHTEST, at_ms * MS)
        assert limit.allows(BRIGHTEST, 0, (at_ms + 50) * MS)
    assert limit.allowed_from_ns() == 1_000 * MS
    assert not limit.allows(0, BRIGHTEST, 999 * MS)
    assert limit.allows(0, BRIGHTEST, 1_000 * MS)
    assert limit.allows(128, BRIGHTEST, 1_001 * MS), "it rises on"
