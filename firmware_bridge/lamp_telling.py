"""What a device is told of its lamps, and when: at every change and again and again. Pure; not thread-safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec

from cabinet.buttons.edges import Line
from firmware_bridge.protocol import (
    LAMP_BLINK,
    LAMP_BREATHE,
    LAMP_FADE,
    LAMP_OFF,
    LAMP_ON,
    LAMP_PERIOD_MS,
    LAMP_SHORTEST_PERIOD,
    LAMPS_EVERY_MS,
    Lamp,
    Lamps,
)

MOST_IN_FRAME: Final = 18
MS: Final = 1_000_000
LONGEST_PERIOD: Final = 255
BRIGHTEST: Final = 255

LampMode = Literal["off", "on", "blink", "breathe", "fade"]

_MODES: Final[dict[LampMode, int]] = {
    "off": LAMP_OFF,
    "on": LAMP_ON,
    "blink": LAMP_BLINK,
    "breathe": LAMP_BREATHE,
    "fade": LAMP_FADE,
}
_DARK: Final = Lamp(LAMP_OFF, 0, 0, 0)


class LampState(msgspec.Struct, frozen=True, gc=False):
    """What one lamp does."""

    mode: LampMode
    brightness: float = 1.0
    """As the eye sees it, from 0 to 1."""
    period_ms: int = 800
    """Of blinking, breathing or one fading, in milliseconds."""
    phase: float = 0.0
    """Which part of its period it is behind, from 0 to 1."""


class LampTelling:
    """The lamps of one device."""

    def __init__(self) -> None:
        self._names: dict[int, Line] = {}
        self._told: dict[int, Lamp] = {}
        self._told_ns = 0

    def begin(self, names: Mapping[int, Line], has_lamp: int) -> None:
        """A session began: its buttons' names, and the bits of those that have a lamp; all are told anew."""
        self._names = {number: name for number, name in names.items() if has_lamp >> number & 1}
        self._told = {}

    def due(self, states: Mapping[Line, LampState], now_ns: int) -> list[Lamps]:
        """What to tell, when the lamps should be as in `states`; one that is not named is dark."""
        wanted = {number: lamp_of(states.get(name)) for number, name in sorted(self._names.items())}
        if wanted == self._told and now_ns - self._told_ns < LAMPS_EVERY_MS * MS:
            return []
        self._told = wanted
        self._told_ns = now_ns
        return list(_frames(wanted))


def lamp_of(state: LampState | None) -> Lamp:
    """A state as it goes over the wire: never faster than three flashes a second."""
    if state is None or state.mode == "off":
        return _DARK
    units = max(0, min(LONGEST_PERIOD, round(state.period_ms / LAMP_PERIOD_MS)))
    if state.mode in ("blink", "breathe"):
        units = max(LAMP_SHORTEST_PERIOD, units)
    brightness = max(0, min(BRIGHTEST, round(BRIGHTEST * state.brightness)))
    return Lamp(_MODES[state.mode], int(state.phase * 16) % 16, brightness, units)


def _frames(wanted: Mapping[int, Lamp]) -> Iterator[Lamps]:
    """As few frames as hold them; lamps that are not there are told nothing by being dark."""
    numbers = list(wanted)
    while numbers:
        first = numbers[0]
        held = [number for number in numbers if number < first + MOST_IN_FRAME]
        yield Lamps(first, tuple(wanted.get(number, _DARK) for number in range(first, held[-1] + 1)))
        numbers = numbers[len(held) :]
