"""Contacts that bounce in any way, settings that fit them, and what a debouncer must make of both.

A finger's push is a trace: microseconds and levels from 0, when the contact first closes, until it opens for good.
The checks take a trace's truth from its own edges. They only say yes or no, so that a bug which is put in can be
searched for with them, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
from hypothesis import strategies as st

from cabinet.buttons.bank import Bank
from cabinet.buttons.bounce import FAMILIES, draw_trace
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.edges import HOST_CLOCK, Edge, Press, Release

US = 1_000
SECOND_NS = 1_000_000_000
LINES = ("a.1", "a.2", "a.spit", "b.1", "b.2", "b.spit")

Trace = list[tuple[int, bool]]
Result = Press | Release

CONFIRM_US, WINDOW_US, LOCK_US, RELEASE_US = 20_000, 50_000, 100_000, 200_000
"""The largest that each setting may be."""


class Pushed(msgspec.Struct, frozen=True):
    """Pushes on one line: when each began, and its trace."""

    line: str
    pushes: tuple[tuple[int, Trace], ...]
    """Microseconds, and the trace from there."""

    def edges(self, start_ns: int = 0) -> list[Edge]:
        """All their edges."""
        changes = [(us + at_us, closed) for us, trace in self.pushes for at_us, closed in trace]
        return [
            Edge(HOST_CLOCK, self.line, closed, start_ns + us * US, 0, seq)
            for seq, (us, closed) in enumerate(changes)
        ]


class Bouncing(msgspec.Struct, frozen=True):
    """Pushes on several lines, and settings under which each of them is one press."""

    lines: tuple[Pushed, ...]
    settings: DebounceSettings
    other_settings: DebounceSettings


# What a contact does


@st.composite
def family_traces(draw: st.DrawFn) -> Trace:
    """A switch of one of the families that the board in software and the fairness bench press."""
    chance = Random(draw(st.integers(0, 1 << 32)))
    trace = draw_trace(chance, draw(st.sampled_from(FAMILIES)), draw(st.integers(1, 200_000)))
    return [(us, bool(closed)) for us, closed in trace]


@st.composite
def any_traces(draw: st.DrawFn) -> Trace:
    """Closes and opens in any rhythm, in pulses from a microsecond on; rests as long as a release's, too."""
    spans_us = st.one_of(st.integers(1, 20), st.integers(1, 3_000), st.integers(1, 12_000))
    spans = draw(st.lists(st.tuples(spans_us, spans_us), max_size=8))
    held_us = draw(st.one_of(st.integers(1, 300), st.integers(1, 200_000)))
    at_us, trace = 0, [(0, True)]
    for place, (closed_us, open_us) in enumerate(spans):
        closed_us += held_us if place == len(spans) // 2 else 0  # noqa: PLW2901
        trace += [(at_us + closed_us, False), (at_us + closed_us + open_us, True)]
        at_us += closed_us + open_us
    trace.append((at_us + held_us, False))
    return trace


TRACES = st.one_of(family_traces(), any_traces())


def closed_us(trace: Trace, until_us: int) -> int:
    """For how long in sum the contact is closed until then."""
    spans = zip(trace[::2], trace[1::2], strict=True)
    return sum(max(0, min(until_us, opens) - closes) for (closes, _), (opens, _) in spans)


def counts_us(trace: Trace, confirm_us: int) -> int:
    """When it has been closed for so long in sum."""
    left_us = confirm_us
    for (closes, _), (opens, _) in zip(trace[::2], trace[1::2], strict=True):
        if left_us <= opens - closes:
            return closes + left_us
        left_us -= opens - closes
    raise ValueError("it is never closed for so long")


def longest_rest_us(trace: Trace, locked_until_us: int) -> int:
    """The longest time for which it is open before it closes again, as far as no lock keeps that from counting."""
    rests = zip(trace[1::2], trace[2::2], strict=False)
    return max((closes - opens for (opens, _), (closes, _) in rests if closes >= locked_until_us), default=0)


# Settings


@st.composite
def any_settings(draw: st.DrawFn) -> DebounceSettings:
    """All that the settings file allows; small figures, at which bounce and times meet, as often as large ones."""

    def up_to(least: int, small: int, most: int) -> int:
        return draw(st.one_of(st.integers(least, min(small, most)), st.integers(least, most)))

    window_us = up_to(1, 2_000, WINDOW_US)
    return DebounceSettings(
        confirm_us=up_to(0, 300, min(CONFIRM_US, window_us)),
        confirm_window_us=window_us,
        lock_us=up_to(0, 6_000, LOCK_US),
        release_us=up_to(1, 12_000, RELEASE_US),
    )


@st.composite
def fitting_settings(draw: st.DrawFn, traces: Sequence[Trace]) -> DebounceSettings:
    """All settings under which each trace is one press that begins with its first edge.

    That is: in the window the contact is closed for as long as it must be, and outside the lock it rests for less
    than a release. A contact that is not is another thing to these settings: a spike, or two presses.
    """
    wanted = draw(any_settings())
    window_us = wanted.confirm_window_us
    longest_us = min(closed_us(trace, window_us) for trace in traces)
    confirm_us = draw(st.one_of(st.just(min(wanted.confirm_us, longest_us)), st.just(min(longest_us, CONFIRM_US))))
    rests_us = [longest_rest_us(trace, counts_us(trace, confirm_us) + wanted.lock_us) for trace in traces]
    return msgspec.structs.replace(
        wanted, confirm_us=confirm_us, release_us=max(wanted.release_us, max(rests_us) + 1)
    )


@st.composite
def bouncing(draw: st.DrawFn) -> Bouncing:
    """Lines that are pushed again and again; the next push may begin in the moment in which the last is over."""
    numbers = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(1, len(LINES))))]
    traces = [[draw(TRACES) for _ in range(number)] for number in numbers]
    every = [trace for of_line in traces for trace in of_line]
    settings, other = draw(fitting_settings(every)), draw(fitting_settings(every))
    lines = []
    for line, of_line in zip(LINES, traces, strict=False):
        pushes = []
        at_us = draw(st.integers(0, 20_000))
        for trace in of_line:
            pushes.append((at_us, trace))
            over_us = max(is_over_us(trace, settings), is_over_us(trace, other))
            at_us += over_us + draw(st.one_of(st.just(0), st.integers(0, 50_000)))
        lines.append(Pushed(line, tuple(pushes)))
    return Bouncing(tuple(lines), settings, other)


def is_over_us(trace: Trace, settings: DebounceSettings) -> int:
    """When the release of a push has counted."""
    locked_us = counts_us(trace, settings.confirm_us) + settings.lock_us
    return max(trace[-1][0] + settings.release_us, locked_us)


@st.composite
def any_edges(draw: st.DrawFn) -> list[Edge]:
    """Edges of any lines at any times, any direction after any other, often several at one time."""
    times = st.one_of(st.integers(0, 60_000_000), st.integers(0, 600).map(lambda number: number * 100 * US))
    drawn = draw(st.lists(st.tuples(times, st.sampled_from(LINES), st.booleans()), min_size=1, max_size=60))
    drawn.sort(key=lambda edge: edge[0])
    return [Edge(HOST_CLOCK, line, on, t_ns, 0, seq) for seq, (t_ns, line, on) in enumerate(drawn)]


# What must come of it


def run(edges: Sequence[Edge], settings: DebounceSettings) -> list[Result]:
    """All edges in one lump."""
    bank = Bank(settings)
    for edge in edges:
        bank.edge(edge)
    return bank.advance(max(edge.t_ns for edge in edges) + SECOND_NS)


def first_presses(results: Sequence[Result]) -> list[tuple[int, str]]:
    """The first press of each line, in order."""
    firsts: dict[str, int] = {}
    for result in results:
        if isinstance(result, Press):
            firsts.setdefault(result.line, result.t_ns)
    return [(t_ns, line) for line, t_ns in firsts.items()]


def stamps_are_first_edges(given: Bouncing, start_ns: int = 0) -> bool:
    """Each push's press has the stamp of the push's first edge, and its release that of the last."""
    for one in given.lines:
        results = run(one.edges(start_ns), given.settings)
        ends = [(start_ns + us * US, start_ns + (us + trace[-1][0]) * US) for us, trace in one.pushes]
        pushed = [stamp for push in ends for stamp in push]
        if [result.t_ns for result in results][: len(pushed)] != pushed:
            return False
    return True


def one_press_a_push(given: Bouncing) -> bool:
    """There are as many presses and releases as pushes, on every line, in turn."""
    edges = sorted((edge for one in given.lines for edge in one.edges()), key=lambda edge: edge.t_ns)
    results = run(edges, given.settings)
    for one in given.lines:
        kinds = [type(result) for result in results if result.line == one.line]
        if kinds != [Press, Release] * len(one.pushes):
            return False
    return True


def order_is_that_of_first_edges(given: Bouncing) -> bool:
    """Two settings put the first presses of all lines in one order: that of the contacts."""
    edges = [edge for one in given.lines for edge in one.edges()]
    truth = sorted((one.pushes[0][0] * US, one.line) for one in given.lines)
    return all(first_presses(run(edges, chosen)) == truth for chosen in (given.settings, given.other_settings))


def lock_and_release_move_no_first_press(
    edges: Sequence[Edge], settings: DebounceSettings, other: DebounceSettings
) -> bool:
    """What locks or releases takes no part in where the first press of a line is stamped, whatever the edges."""
    changed = msgspec.structs.replace(settings, lock_us=other.lock_us, release_us=other.release_us)
    return first_presses(run(edges, settings)) == first_presses(run(edges, changed))


def nothing_is_stuck(edges: Sequence[Edge], settings: DebounceSettings) -> bool:
    """One second after all contacts have opened nothing is pressed or pending, and nothing comes any more."""
    end_ns = edges[-1].t_ns + 1_000
    bank = Bank(settings)
    for edge in [*edges, *(Edge(HOST_CLOCK, line, False, end_ns, 0, 1_000) for line in LINES)]:
        bank.edge(edge)
    bank.advance(end_ns + SECOND_NS)
    return (
        bank.pressed() == frozenset()
        and bank.settled_ns() == end_ns + SECOND_NS
        and bank.advance(end_ns + 60 * SECOND_NS) == []
    )


def swapping_seats_swaps_results(edges: Sequence[Edge], settings: DebounceSettings) -> bool:
    """On the other seat's lines the same comes of the same edges."""

    def swapped(line: str) -> str:
        return ("b" if line[0] == "a" else "a") + line[1:]

    def by_line(results: list[Result], line: str) -> list[tuple[type, int, frozenset[str]]]:
        return [
            (type(r), r.t_ns, r.held if isinstance(r, Press) else frozenset()) for r in results if r.line == line
        ]

    mirror = [msgspec.structs.replace(edge, line=swapped(edge.line)) for edge in edges]
    straight, swap = run(edges, settings), run(mirror, settings)
    return all(
        by_line(swap, swapped(line))
        == [(kind, t_ns, frozenset(map(swapped, held))) for kind, t_ns, held in by_line(straight, line)]
        for line in LINES
    )
