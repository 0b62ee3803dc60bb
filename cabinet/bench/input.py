"""How much chatter the way from the kernel's events to presses bears, and whether a press gets lost in it.

Sixteen worn switches at once: each closes ten times a second and chatters through the whole press, 5,000 edges a
second on average (HOUSE.md, "What it must reach").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from random import Random
from typing import Final

import msgspec

from cabinet.buttons.edges import HOST_CLOCK, Edge, Line, Press
from cabinet.buttons.gpio_chip import GpioChipSource
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.intake import Intake
from cabinet.buttons.lines import OPTIONAL_LINES, PANEL_LINES
from cabinet.buttons.sequence import BECAME_ACTIVE, RawEvent

MS: Final = 1_000_000
NS_IN_S: Final = 1_000_000_000
LINES: Final[tuple[Line, ...]] = (*PANEL_LINES, *OPTIONAL_LINES)[:16]
PRESS_EVERY_NS: Final = 100 * MS
EDGES_A_PRESS: Final = 500
"""Ten presses a second with so many edges are 5,000 edges a second."""
CLOSED_NS: Final = (180_000, 240_000)
OPEN_NS: Final = (80_000, 120_000)
"""How long the chattering contact stays closed and open: about 80 ms for all edges of a press, so that it then
rests long enough to count as released before the next press."""
STEP_NS: Final = 1 * MS
"""The game thread's pace while edges come."""
PINS: Final = {**GpioSettings().pins, "a.left": 24, "a.right": 25}
"""The GPIOs of `LINES`."""
SETTLES_NS: Final = 50 * MS
"""Some time after the last edge, in which the last presses are released."""


class ChatterBorne(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of the input."""

    edges_per_s: float
    """Edges that source and intake work off in a second of one core."""
    presses: int
    """Presses that were made."""
    presses_lost: int
    """Presses that did not come out with the stamp of their first edge."""
    presses_made_up: int
    """What came out and was no press."""


def measure(clock_ns: Callable[[], int], *, seconds: int = 10, rng: Random | None = None) -> ChatterBorne:
    """Feeds `seconds` of chatter on all lines, as kernel and game thread would. About a third of that time."""
    rng = rng or Random(1)
    path = _Path()
    wanted: Counter[tuple[Line, int]] = Counter()
    found: Counter[tuple[Line, int]] = Counter()
    spent_ns = edges_taken = seq = 0
    until_ns = seconds * NS_IN_S
    for start_ns in range(0, until_ns, PRESS_EVERY_NS):
        edges, presses = chatter(start_ns, seq, rng)
        wanted.update(presses)
        seq += len(edges)
        edges_taken += len(edges)
        for now_ns, step in _steps(edges, start_ns, start_ns + PRESS_EVERY_NS):
            path.queue(step)
            began_ns = clock_ns()
            out = path.take(now_ns)
            spent_ns += clock_ns() - began_ns
            found.update((press.line, press.t_ns) for press in out)
    for now_ns in range(until_ns, until_ns + SETTLES_NS, STEP_NS):
        found.update((press.line, press.t_ns) for press in path.take(now_ns))
    return ChatterBorne(
        edges_per_s=round(edges_taken * NS_IN_S / max(1, spent_ns)),
        presses=wanted.total(),
        presses_lost=(wanted - found).total(),
        presses_made_up=(found - wanted).total(),
    )


def chatter(
    start_ns: int, seq: int, rng: Random, lines: Sequence[Line] = LINES
) -> tuple[list[Edge], list[tuple[Line, int]]]:
    """A press on every line, each somewhere in the first 5 ms: all edges in order of time, and the presses."""
    changes: list[tuple[int, Line, bool]] = []
    presses = []
    for line in lines:
        at_ns = start_ns + rng.randrange(5 * MS)
        presses.append((line, at_ns))
        for number in range(EDGES_A_PRESS):
            is_closing = number % 2 == 0
            changes.append((at_ns, line, is_closing))
            at_ns += rng.randrange(*(CLOSED_NS if is_closing else OPEN_NS))
    changes.sort()
    edges = [
        Edge(HOST_CLOCK, line, is_closing, at_ns, 0, number)
        for number, (at_ns, line, is_closing) in enumerate(changes, seq)
    ]
    return edges, presses


def _steps(edges: list[Edge], from_ns: int, to_ns: int) -> Iterator[tuple[int, list[Edge]]]:
    """The edges as they are found at each step of the game thread; none lies beyond `to_ns`."""
    taken = 0
    for now_ns in range(from_ns + STEP_NS, to_ns + 1, STEP_NS):
        first = taken
        while taken < len(edges) and edges[taken].t_ns <= now_ns:
            taken += 1
        yield now_ns, edges[first:taken]


class _Path:
    """The source on the kernel's chip and the intake; stands itself for the kernel's lines and for the clock."""

    def __init__(self) -> None:
        self._events: list[RawEvent] = []
        self._numbers = dict.fromkeys(LINES, 0)
        self._number = 0
        self._levels = dict.fromkeys(LINES, False)
        self._now_ns = 0
        self._edges: list[Edge] = []
        self._intake = Intake()
        settings = GpioSettings(pins=PINS, settle_ms=0, err_us=0)
        self._source = GpioChipSource(settings, lambda _: self, lambda: self._now_ns, pause=lambda _: None)
        self._source.claim(self._edges.append)

    def queue(self, edges: list[Edge]) -> None:
        """The kernel's part."""
        for edge in edges:
            self._number += 1
            self._numbers[edge.line] += 1
            self._levels[edge.line] = edge.active
            kind = BECAME_ACTIVE if edge.active else BECAME_ACTIVE + 1
            self._events.append((edge.t_ns, kind, PINS[edge.line], self._number, self._numbers[edge.line]))

    def take(self, now_ns: int) -> list[Press]:
        """Ours."""
        self._now_ns = now_ns
        if self._events:
            self._source.round()
        self._source.round()
        status = self._source.status(now_ns)
        edges = self._edges.copy()
        self._edges.clear()
        return list(chain.from_iterable(self._intake.take(edges, [status], now_ns).clusters))

    def wait(self, _timeout_ns: int) -> bool:
        return bool(self._events)

    def read(self) -> list[RawEvent]:
        events, self._events = self._events, []
        return events

    def levels(self) -> dict[Line, bool]:
        return self._levels

    def close(self) -> None:
        """There is nothing to let go of."""
