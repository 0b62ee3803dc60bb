"""Faults put into this project's path show in the bench as wrong decisions or a favoured seat; no fault, nothing.

Each is a fault that real programs have: stamping a press when its contact has come to rest, giving ties to seat a,
going by the order of arrival, and not waiting for what may still be delivered.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import msgspec
import pytest

from cabinet.bench.fairness import cabinet_path, virtual, ways
from cabinet.bench.fairness.cabinet_path import CabinetPath
from cabinet.bench.fairness.paths import Path, PathKind
from cabinet.bench.fairness.result import MOST_LATE, allowance
from cabinet.bench.fairness.source_models import HostGpio
from cabinet.bench.fairness.tally import DEAD_HEAT, EVERY, LEADS, Count, Tally, lead_class
from cabinet.buttons import bank, debounce
from cabinet.buttons.debounce import Debouncer, DebounceSettings
from cabinet.buttons.edges import Edge, Press, SourceStatus
from cabinet.buttons.intake import Intake, Taken
from cabinet.engine import order
from cabinet.engine.table import Seat
from tests.races import MS

RACES = 1_500
CLEAR = range(lead_class(MS // 5), len(LEADS))
"""Leads of 0.2 ms and more: beyond all errors of stamps."""


def raced(kind: PathKind = ways.CABINET) -> Tally:
    return virtual.measure(RACES, 3, workers=1, paths=(kind,))


def certain(tally: Tally) -> Count:
    return tally.of("cabinet", EVERY, ["told_apart"])


def test_without_a_fault_nothing_is_wrong_and_no_seat_is_favoured() -> None:
    tally = raced()
    assert certain(tally).races > RACES / 2
    assert (certain(tally).wrong, certain(tally).bias) == (0, 0)
    assert tally.of("cabinet", EVERY).undecided == 0
    assert abs(tally.of("cabinet", [DEAD_HEAT]).bias) < 0.1
    assert tally.of("cabinet", EVERY, ["late"]).races < RACES / 20
    assert tally.of("cabinet", CLEAR).wrong_share < 0.03, "only what came late"


class RestingDebouncer(Debouncer):
    """Every opening ends a candidate, so that a press is stamped when its contact has come to rest."""

    def _change(self, edge_ns: int, edge: Edge, map_err_ns: int) -> None:
        super()._change(edge_ns, edge, map_err_ns)
        if self._state == debounce._CANDIDATE and not edge.active:
            self._state, self._first, self._due_ns = debounce._IDLE, None, debounce.NEVER_NS


def test_stamping_after_rest_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    resting = DebounceSettings(confirm_us=5_000, confirm_window_us=5_000)
    monkeypatch.setattr(bank, "Debouncer", RestingDebouncer)
    monkeypatch.setattr(cabinet_path, "Intake", lambda: Intake(resting))
    tally = raced()
    assert certain(tally).wrong_share > 0.1
    assert tally.of("cabinet", CLEAR).wrong_share > 0.1


def test_giving_ties_to_seat_a_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    led_by = order._led_by

    def led_by_a(_seat: Seat, first: order.PressT, second: order.PressT) -> tuple[order.PressT, order.PressT]:
        return led_by("a", first, second)

    monkeypatch.setattr(order, "_led_by", led_by_a)
    tally = raced()
    level = tally.of("cabinet", EVERY, ["level"])
    assert level.by_token < level.races * 0.7
    assert tally.of("cabinet", [DEAD_HEAT], ["level"]).given_to_a_share == 1
    assert tally.of("cabinet", LEADS, ["level"]).bias > 0.4


def test_knowing_of_no_errors_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps that touch are then decided by which is smaller, as though it meant something."""
    monkeypatch.setattr(Press, "ties_with", lambda *_: False)
    tally = raced()
    assert tally.of("cabinet", EVERY, ["level"]).by_token == 0


def test_dead_heats_beyond_the_errors_show(monkeypatch: pytest.MonkeyPatch) -> None:
    def within_a_millisecond(one: Press, other: Press) -> bool:
        return abs(one.t_ns - other.t_ns) < MS

    monkeypatch.setattr(Press, "ties_with", within_a_millisecond)
    tally = raced()
    assert certain(tally).wrong_share > 0.05
    assert certain(tally).by_token > 0


class IntakeByArrival(Intake):
    """An edge has the time of the round in which it came."""

    def take(self, edges: Iterable[Edge], statuses: Iterable[SourceStatus], now_ns: int) -> Taken:
        return super().take([msgspec.structs.replace(edge, t_ns=now_ns) for edge in edges], statuses, now_ns)


def test_going_by_the_order_of_arrival_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cabinet_path, "Intake", IntakeByArrival)
    assert certain(raced()).wrong_share > 0.1


def without_slack(chance: Random) -> Path:
    return CabinetPath(chance, HostGpio(slack_ns=0, slack_limit_ns=0))


def test_a_slack_of_nothing_shows() -> None:
    tally = raced(msgspec.structs.replace(ways.CABINET, make=without_slack))
    assert certain(tally).wrong_share > 0.02, "delivered within 2 ms, and yet too late"
    assert tally.of("cabinet", EVERY, ["late"]).races > raced().of("cabinet", EVERY, ["late"]).races * 2


def with_a_slack_that_does_not_grow(chance: Random) -> Path:
    return CabinetPath(chance, HostGpio(slack_limit_ns=2 * MS))


def test_a_slack_that_does_not_follow_the_lateness_seen_shows() -> None:
    tally = raced(msgspec.structs.replace(ways.CABINET, make=with_a_slack_that_does_not_grow))
    assert tally.of("cabinet", EVERY, ["late"]).races / RACES > MOST_LATE + allowance(MOST_LATE, RACES)
    assert raced().of("cabinet", EVERY, ["late"]).races / RACES < MOST_LATE


class IntakeOfSwitchedSeats(Intake):
    """Whatever a does counts for b: the crossed wires that no measurement of time finds."""

    def take(self, edges: Iterable[Edge], statuses: Iterable[SourceStatus], now_ns: int) -> Taken:
        other = {"a": "b", "b": "a"}
        crossed = [msgspec.structs.replace(edge, line=other[edge.line[0]] + edge.line[1:]) for edge in edges]
        return super().take(crossed, statuses, now_ns)


def test_crossed_wires_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cabinet_path, "Intake", IntakeOfSwitchedSeats)
    assert certain(raced()).wrong_share == 1


def test_every_late_race_is_counted_with_its_delay() -> None:
    tally = raced()
    late = tally.of("cabinet", EVERY, ["late"])
    assert len(tally.late_ns["cabinet"]) == late.races
    assert min(tally.late_ns["cabinet"]) > 2 * MS


def patient(chance: Random) -> Path:
    return CabinetPath(chance, HostGpio(slack_ns=15 * MS))


def test_more_slack_than_needed_makes_nothing_wrong() -> None:
    tally = raced(msgspec.structs.replace(ways.CABINET, make=patient))
    assert (certain(tally).wrong, certain(tally).races > RACES / 2) == (0, True)
