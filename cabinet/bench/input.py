"""How much chatter the way from edges to presses bears, and whether a press gets lost in it.

Sixteen worn switches at once: each closes ten times a second and chatters through the whole press, 5,000 edges a
second on average (HOUSE.md, "What it must reach").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from random import Random
from typing import Final

import msgspec

from cabinet.buttons.edges import HOST_CLOCK, Edge, Line, Press, SourceStatus
from cabinet.buttons.intake import Intake
from cabinet.buttons.lines import OPTIONAL_LINES, PANEL_LINES

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
SLACK_NS: Final = 2 * MS
SETTLES_NS: Final = 50 * MS
"""Some time after the last edge, in which the last presses are released."""


class ChatterBorne(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of the input."""

    edges_per_s: float
    """Edges that `Intake.take` works off in a second of one core."""
    presses: int
    """Presses that were made."""
    presses_lost: int
    """Presses that did not come out with the stamp of their first edge."""
    presses_made_up: int
    """What came out and was no press."""


def measure(clock_ns: Callable[[], int], *, seconds: int = 10, rng: Random | None = None) -> ChatterBorne:
    """Feeds `seconds` of chatter on all lines, as the game thread would. About a tenth of that time."""
    rng = rng or Random(1)
    intake = Intake()
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
            began_ns = clock_ns()
            out = _take(intake, step, now_ns)
            spent_ns += clock_ns() - began_ns
            found.update((press.line, press.t_ns) for press in out)
    for now_ns in range(until_ns, until_ns + SETTLES_NS, STEP_NS):
        found.update((press.line, press.t_ns) for press in _take(intake, [], now_ns))
    return ChatterBorne(
        edges_per_s=round(edges_taken * NS_IN_S / max(1, spent_ns)),
        presses=wanted.total(),
        presses_lost=(wanted - found).total(),
        presses_made_up=(found - wanted).total(),
    )


def chatter(start_ns: int, seq: int, rng: Random) -> tuple[list[Edge], list[tuple[Line, int]]]:
    """A press on every line, each somewhere in the first 5 ms: all edges in order of time, and the presses."""
    changes: list[tuple[int, Line, bool]] = []
    presses = []
    for line in LINES:
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


def _take(intake: Intake, edges: list[Edge], now_ns: int) -> list[Press]:
    status = SourceStatus("chatter", HOST_CLOCK, now_ns - SLACK_NS, largest_err_ns=0)
    return list(chain.from_iterable(intake.take(edges, [status], now_ns).clusters))
