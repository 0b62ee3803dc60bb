"""A board in software: gpiozero's mock pins with contacts that bounce and carry their own time stamps.

It stands in for the wired buttons in the demo, in the benchmarks and in tests; what it does passes through the
real `GpioZeroSource`.
"""

from __future__ import annotations

import heapq
from random import Random
from threading import Lock
from typing import Final

from gpiozero.pins.mock import MockFactory, MockPin

from cabinet.buttons.bounce import FAMILIES, Trace, draw_trace
from cabinet.buttons.edges import Line
from cabinet.buttons.gpio_pins import GpioSettings


class MockBouncingPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A mock input wired to a contact to ground, whose edges have the times they are given."""

    is_contact_closed = False

    def change(self, closed: bool, at_ns: int) -> None:
        """The contact closes or opens at host time `at_ns`; also to the level that it has already."""
        self.is_contact_closed = closed
        self._state = not closed
        self._last_change = at_ns / 1_000_000_000
        if self._when_changed is not None:
            self._call_when_changed()

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self.is_contact_closed:
            self._state = False


class MockBoard:
    """The cabinet's pins as `GpioSettings` place them, and what happens to its contacts.

    What is planned happens when `run_until` reaches its time, in the caller's thread. Planning is thread-safe.
    """

    def __init__(self, settings: GpioSettings | None = None, chance: Random | None = None) -> None:
        """`chance` draws how switches bounce; None: the same for every board."""
        self.settings: Final = settings or GpioSettings()
        self.factory: Final = MockFactory(pin_class=MockBouncingPin)
        """To be given to `GpioZeroSource` and `GpioLamps`."""
        self._chance = chance or Random(0)
        self._pins = {line: self.factory.pin(number) for line, number in self.settings.pins.items()}
        self._lock = Lock()
        self._planned: list[tuple[int, int, Line, bool]] = []
        self._count = 0

    def change(self, line: Line, closed: bool, at_ns: int) -> None:
        """Plan one change of a contact at host time `at_ns`. Raises ValueError for a line without a pin."""
        if line not in self._pins:
            raise ValueError(f"{line!r} has no pin on this board; it has {', '.join(sorted(self._pins))}")
        with self._lock:
            heapq.heappush(self._planned, (at_ns, self._count, line, closed))
            self._count += 1

    def press(self, line: Line, at_ns: int, trace: Trace | None = None, *, hold_us: int = 80_000) -> None:
        """Plan a press whose trace begins at host time `at_ns`. None draws a switch and how it bounces."""
        if trace is None:
            trace = draw_trace(self._chance, self._chance.choice(FAMILIES), hold_us)
        for us, closed in trace:
            self.change(line, bool(closed), at_ns + us * 1000)

    def next_ns(self) -> int | None:
        """When the next planned change is due; None when nothing is planned."""
        with self._lock:
            return self._planned[0][0] if self._planned else None

    def run_until(self, now_ns: int) -> int:
        """Let happen what was planned up to host time `now_ns`, in order of time; how many changes there were."""
        changes = 0
        while True:
            with self._lock:
                if not self._planned or self._planned[0][0] > now_ns:
                    return changes
                at_ns, _, line, closed = heapq.heappop(self._planned)
            self._pins[line].change(closed, at_ns)
            changes += 1

    def lit(self) -> frozenset[Line]:
        """The buttons whose lamps are lit."""
        return frozenset(
            line
            for line, number in self.settings.lamps.items()
            if self.factory.pin(number).function == "output" and self.factory.pin(number).state
        )
