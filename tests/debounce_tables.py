"""The language of the debouncer's tables, and the manners in which time may pass over one.

A table is a list of edges and the list of presses and releases that must come of it. However time is cut the
result must be the same, and after it nothing may happen any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import msgspec

from cabinet.buttons.bank import Bank
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.edges import HOST_CLOCK, Edge, Line, Press, Release

US = 1_000
MS = 1_000_000
SECOND_NS = 1_000 * MS
SETTLES_NS = SECOND_NS
"""So long after the last edge all is decided, whatever the settings."""
QUIET_S = 60

CLOSES, OPENS = True, False

Result = Press | Release
Delivery = tuple[int, Edge]
"""When an edge arrives, and the edge."""
Told = tuple[float, Line, str]
"""The stamp in microseconds, the line, and ``press``, ``made-up press`` or ``release``."""


class At(NamedTuple):
    """An edge of a table."""

    us: float
    """Its stamp, to the nanosecond."""
    line: Line
    level: bool
    late_us: float = 0
    """How long after its stamp it arrives."""
    made_up: bool = False


class Case(msgspec.Struct, frozen=True):
    """A table."""

    edges: tuple[At, ...]
    expected: tuple[Told, ...]
    closed: frozenset[Line] = frozenset()
    """The lines that are pressed at the end."""
    spikes: int = 0
    settings: DebounceSettings = DebounceSettings()


class Outcome(NamedTuple):
    """What came of a table."""

    told: tuple[Told, ...]
    bank: Bank
    now_ns: int


def deliveries_of(edges: Iterable[At]) -> list[Delivery]:
    """The edges in the order in which they arrive; they are numbered as they stand in the table."""
    rows = [
        (_ns(row.us + row.late_us), Edge(HOST_CLOCK, row.line, row.level, _ns(row.us), 0, number, row.made_up))
        for number, row in enumerate(edges)
    ]
    return sorted(rows, key=lambda row: row[0])


def edge_by_edge(bank: Bank, deliveries: list[Delivery]) -> list[Result]:
    """Each edge is looked at when it arrives."""
    results = []
    for at_ns, edge in deliveries:
        bank.edge(edge)
        results += bank.advance(at_ns)
    return results


def in_steps(step_ns: int) -> Callable[[Bank, list[Delivery]], list[Result]]:
    """Edges are looked at every `step_ns`."""

    def drive(bank: Bank, deliveries: list[Delivery]) -> list[Result]:
        results: list[Result] = []
        waiting = list(deliveries)
        now_ns = 0
        while waiting:
            now_ns += step_ns
            while waiting and waiting[0][0] <= now_ns:
                bank.edge(waiting.pop(0)[1])
            results += bank.advance(now_ns)
        return results

    return drive


def in_one_lump(bank: Bank, deliveries: list[Delivery]) -> list[Result]:
    """All edges are there before the first is looked at."""
    for _, edge in deliveries:
        bank.edge(edge)
    return bank.advance(deliveries[-1][0])


def backwards(bank: Bank, deliveries: list[Delivery]) -> list[Result]:
    """The same, the last one first."""
    for _, edge in reversed(deliveries):
        bank.edge(edge)
    return bank.advance(deliveries[-1][0])


class Manner(NamedTuple):
    """A way to let time pass."""

    drive: Callable[[Bank, list[Delivery]], list[Result]]
    step_ns: int
    """In which steps it passes when no edges come."""


MANNERS: Mapping[str, Manner] = {
    "edge by edge": Manner(edge_by_edge, SECOND_NS),
    "steps of 1 ms": Manner(in_steps(MS), MS),
    "steps of 16.7 ms": Manner(in_steps(16_700 * US), 16_700 * US),
    "one lump": Manner(in_one_lump, SECOND_NS),
    "one lump, delivered backwards": Manner(backwards, SECOND_NS),
}
LUMPS = ("one lump", "one lump, delivered backwards")


def play(manner: str, deliveries: list[Delivery], settings: DebounceSettings | None = None) -> Outcome:
    """Drives a table, and lets all be decided."""
    bank = Bank(settings)
    chosen = MANNERS[manner]
    results = chosen.drive(bank, deliveries)
    now_ns = end_ns = max(at_ns for at_ns, _ in deliveries)
    while now_ns < end_ns + SETTLES_NS:
        now_ns += chosen.step_ns
        results += bank.advance(now_ns)
    return Outcome(tuple(_told(result) for result in results), bank, now_ns)


def assert_quiet(manner: str, outcome: Outcome, closed: frozenset[Line]) -> None:
    """For a minute nothing comes of it any more, and nothing is pressed or pending but what is closed."""
    bank, from_ns = outcome.bank, outcome.now_ns
    step_ns = MANNERS[manner].step_ns
    steps_ns = [from_ns + number * step_ns for number in range(1, 101)]
    steps_ns += [from_ns + 2 * SECOND_NS + second * SECOND_NS for second in range(QUIET_S)]
    for now_ns in sorted(steps_ns):
        assert bank.advance(now_ns) == []
        assert bank.settled_ns() == now_ns
        assert bank.pressed() == closed


def _told(result: Result) -> Told:
    if isinstance(result, Release):
        return result.t_ns / US, result.line, "release"
    return result.t_ns / US, result.line, "made-up press" if result.made_up else "press"


def _ns(us: float) -> int:
    return round(us * US)
