"""What a device is told of its lamps, and when: at every change and again and again. Pure; not thread-safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from cabinet.buttons.edges import Line
from cabinet.buttons.lamp_state import DARK, LampState
from firmware_bridge.protocol import LAMPS_EVERY_MS, Lamp, Lamps

MOST_IN_FRAME: Final = 18
MS: Final = 1_000_000
_NONE: Final = Lamp(*DARK.numbers)


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
        wanted = {number: Lamp(*states.get(name, DARK).numbers) for number, name in sorted(self._names.items())}
        if wanted == self._told and now_ns - self._told_ns < LAMPS_EVERY_MS * MS:
            return []
        self._told = wanted
        self._told_ns = now_ns
        return list(_frames(wanted))


def _frames(wanted: Mapping[int, Lamp]) -> Iterator[Lamps]:
    """As few frames as hold them; lamps that are not there are told nothing by being dark."""
    numbers = list(wanted)
    while numbers:
        first = numbers[0]
        held = [number for number in numbers if number < first + MOST_IN_FRAME]
        yield Lamps(first, tuple(wanted.get(number, _NONE) for number in range(first, held[-1] + 1)))
        numbers = numbers[len(held) :]
