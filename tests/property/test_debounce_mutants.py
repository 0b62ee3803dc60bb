"""Puts bugs into the debouncer, and sees that each property finds those that it is there for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from cabinet.buttons import bank
from cabinet.buttons.bank import Bank
from cabinet.buttons.debounce import NEVER_NS, Debouncer, DebounceSettings
from tests import bouncing as b

SEARCH = settings(database=None, phases=[Phase.generate], derandomize=True, deadline=None)
ANY = (b.any_edges(), b.any_settings())

PROPERTIES: dict[str, tuple[Callable[..., bool], tuple[st.SearchStrategy[Any], ...]]] = {
    "first edge": (b.stamps_are_first_edges, (b.bouncing(),)),
    "one press": (b.one_press_a_push, (b.bouncing(),)),
    "order": (b.order_is_that_of_first_edges, (b.bouncing(),)),
    "lock and release": (b.lock_and_release_move_no_first_press, (*ANY, b.any_settings())),
    "stuck": (b.nothing_is_stuck, ANY),
    "swapped": (b.swapping_seats_swaps_results, ANY),
}


class StampsTheLastClosing(Debouncer):
    """As one that waits for rest."""

    def _count_press(self, now_ns: int) -> None:
        self._first = self._closing
        super()._count_press(now_ns)


class StampsWhenItCounts(Debouncer):
    """As one that stamps when it reports."""

    def _count_press(self, now_ns: int) -> None:
        assert self._first is not None
        self._first = (now_ns, *self._first[1:])
        super()._count_press(now_ns)


class StampsTheEdgeAfterASpike(Debouncer):
    """The first pulse of a bounce is passed over when it is short."""

    def _change(self, edge_ns: int, edge: Any, map_err_ns: int) -> None:
        super()._change(edge_ns, edge, map_err_ns)
        if self._first is not None and edge.active and self._closed_sum_ns < 20_000:
            self._first = self._closing


class ReleasesAtTheFirstOpening(Debouncer):
    """A release needs no rest."""

    def __init__(self, line: str, settings: DebounceSettings | None = None) -> None:
        super().__init__(line, settings)
        self._release_ns = 1


class ForgetsTheLock(Debouncer):
    """A release may count right after the press."""

    def __init__(self, line: str, settings: DebounceSettings | None = None) -> None:
        super().__init__(line, settings)
        self._lock_ns = 0


class CountsTheLastPulseOnly(Debouncer):
    """The contact must be closed long enough in one piece."""

    def _change(self, edge_ns: int, edge: Any, map_err_ns: int) -> None:
        super()._change(edge_ns, edge, map_err_ns)
        if self._first is not None and not edge.active:
            self._closed_sum_ns = 0


class StaysPressedAfterATap(Debouncer):
    """A contact that opens while the line is locked never releases."""

    def _change(self, edge_ns: int, edge: Any, map_err_ns: int) -> None:
        super()._change(edge_ns, edge, map_err_ns)
        if self.pressed_since_ns is not None and edge_ns < self._lock_end_ns:
            self._due_ns = NEVER_NS


class KeepsACandidateForEver(Debouncer):
    """A spike that has ended is judged no more."""

    def _settle(self) -> None:
        if self._first is not None and not self._closed:
            self._due_ns = NEVER_NS
            return
        super()._settle()


class SeatBWaitsLonger(Debouncer):
    """One seat's buttons must be closed for longer."""

    def __init__(self, line: str, settings: DebounceSettings | None = None) -> None:
        super().__init__(line, settings)
        if line.startswith("b."):
            self._confirm_ns += 100_000


class TheLockMovesTheStamp(Debouncer):
    """A press takes the time of its lock's end."""

    def _count_press(self, now_ns: int) -> None:
        assert self._first is not None
        self._first = (self._first[0] + self._lock_ns, *self._first[1:])
        super()._count_press(now_ns)


LINE_BUGS: list[tuple[type[Debouncer], tuple[str, ...]]] = [
    (StampsTheLastClosing, ("first edge", "order")),
    (StampsWhenItCounts, ("first edge", "order")),
    (StampsTheEdgeAfterASpike, ("first edge",)),
    (ReleasesAtTheFirstOpening, ("one press",)),
    (ForgetsTheLock, ("one press",)),
    (CountsTheLastPulseOnly, ("first edge", "one press")),
    (StaysPressedAfterATap, ("one press", "stuck")),
    (KeepsACandidateForEver, ("stuck",)),
    (SeatBWaitsLonger, ("swapped",)),
    (TheLockMovesTheStamp, ("first edge", "lock and release")),
]


def breaks(name: str, examples: int = 300) -> bool:
    """Whether the property is found to be broken."""
    check, strategies = PROPERTIES[name]
    try:
        find(
            st.tuples(*strategies),
            lambda given: not check(*given),
            settings=settings(SEARCH, max_examples=examples),
        )
    except NoSuchExample:
        return False
    return True


@pytest.mark.parametrize("name", PROPERTIES)
def test_without_a_bug_no_property_is_broken(name: str) -> None:
    assert not breaks(name, examples=50)


@pytest.mark.parametrize(("bug", "names"), LINE_BUGS, ids=str)
def test_a_bug_of_a_line_is_found(
    bug: type[Debouncer], names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bank, "Debouncer", bug)
    assert [name for name in names if not breaks(name)] == []


def test_presses_in_the_order_in_which_they_count_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def arrival_order(self: Bank, t_ns: int) -> list[b.Result]:
        found = [result for line in self._lines.values() for _, result in line.advance(t_ns)]
        return sorted(found, key=lambda result: result.line)

    monkeypatch.setattr(Bank, "advance", arrival_order)
    assert breaks("order")


def test_what_is_held_on_one_seat_only_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with_held = Bank._with_held

    def of_seat_a(self: Bank, result: b.Result) -> b.Result:
        return with_held(self, result) if result.line.startswith("a.") else result

    monkeypatch.setattr(Bank, "_with_held", of_seat_a)
    assert breaks("swapped")
