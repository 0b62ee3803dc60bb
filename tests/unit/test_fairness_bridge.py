"""The bridge as a source of races: what its device stamps and its host delivers, and faults that show."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from cabinet.bench.fairness import virtual, ways
from cabinet.bench.fairness.bridge_source import BridgeModel
from cabinet.bench.fairness.cabinet_path import CabinetPath
from cabinet.bench.fairness.delivery import Stall
from cabinet.bench.fairness.paths import Decision, Path
from cabinet.bench.fairness.races import RaceMaker
from cabinet.bench.fairness.tally import DEAD_HEAT, EVERY, Count, Tally
from cabinet.buttons.edges import Edge, SourceStatus
from tests.races import MS, US, contact, race

RACES = 750


def raced(make: object = ways.on_bridge) -> Tally:
    kind = msgspec.structs.replace(ways.BRIDGE, make=make)
    return virtual.measure(RACES, 3, workers=1, paths=(kind,))


def certain(tally: Tally) -> Count:
    return tally.of("bridge", EVERY, ["told_apart"])


def test_without_a_fault_nothing_is_wrong_and_few_races_are_level() -> None:
    tally = raced()
    assert certain(tally).races > RACES * 0.75, "stamps are off by a microsecond, not by a hundred"
    assert (certain(tally).wrong, certain(tally).by_token) == (0, 0)
    assert tally.of("bridge", EVERY).undecided == 0
    assert abs(tally.of("bridge", [DEAD_HEAT]).bias) < 0.1
    level = tally.of("bridge", EVERY, ["level"])
    assert level.by_token == level.races
    assert tally.of("bridge", EVERY, ["late"]).races < RACES / 50


@pytest.mark.parametrize("seed", range(3))
def test_it_delivers_changes_in_order_on_one_clock_and_each_first_one(seed: int) -> None:
    """After a silence the host leaves out what a bounce lacks that it has cut in two; nothing else."""
    maker, source = RaceMaker(Random(seed), is_calm=True), BridgeModel(Random(seed))
    left_out = 0
    for _ in range(20):
        given = maker.race()
        deliveries = source.begin(given)
        stamps_ns = [delivery.edge.t_ns for delivery in deliveries]
        assert stamps_ns == sorted(stamps_ns)
        for one in (given.a, given.b):
            changes = [(change_ns, number % 2 == 0) for number, change_ns in enumerate(one.changes_ns)]
            own = [delivery for delivery in deliveries if delivery.edge.line == one.line]
            left_out += len(changes) - len(own)
            for number, delivery in enumerate(own):
                edge, bound_ns = delivery.edge, US + source.status(delivery.arrives_ns).map_err_ns
                assert (edge.clock, edge.err_ns, edge.made_up) == ("bridge 1", US, False)
                near = [change for change in changes if abs(delivery.host_ns - change[0]) <= bound_ns]
                assert edge.active in [active for _, active in near]
                assert number > 0 or changes[0] in near
                assert delivery.arrives_ns > near[0][0]
    assert left_out < 30


def test_what_lies_below_its_watermark_has_been_delivered() -> None:
    maker, source = RaceMaker(Random(4), is_calm=False), BridgeModel(Random(4))
    for _ in range(100):
        given = maker.race()
        for delivery in source.begin(given):
            before = source.status(delivery.arrives_ns - 1)
            assert before.watermark_ns < delivery.host_ns + before.map_err_ns
            assert before.watermark_ns < delivery.edge.t_ns + before.map_offset_ns


def test_two_microseconds_are_a_dead_heat_and_ten_are_not() -> None:
    apart, level = race(contact("a", 0), contact("b", 10 * US)), race(contact("a", 0), contact("b", 100))
    for seed in range(20):
        path = CabinetPath(Random(seed), BridgeModel(Random(seed)), token="b")
        assert path.decide(apart) == Decision("a", "told_apart")
        path = CabinetPath(Random(seed), BridgeModel(Random(seed)), token="b")
        assert path.decide(level) == Decision("b", "level", by_token=True)


def test_a_reader_that_stands_still_for_a_while_is_waited_for() -> None:
    given = race(contact("b", 0), contact("a", 300 * US)).swapped()
    stalled = msgspec.structs.replace(given, stall=Stall("reader", given.a.closes_ns, given.a.closes_ns + 15 * MS))
    for seed in range(20):
        decision = CabinetPath(Random(seed), BridgeModel(Random(seed))).decide(stalled)
        assert (decision.winner, decision.claim) in (("a", "told_apart"), ("a", "late"))


class StampedByHost(BridgeModel):
    """An edge has the time at which the host read it, as where the buttons are stamped on the host."""

    def _deliver(self, edge: Edge) -> None:
        offset_ns = self._held.status().map_offset_ns
        super()._deliver(msgspec.structs.replace(edge, t_ns=self._now_ns - offset_ns))


class Promising(BridgeModel):
    """Says at every time that all is delivered until then."""

    def status(self, now_ns: int) -> SourceStatus:
        return msgspec.structs.replace(super().status(now_ns), watermark_ns=now_ns)


def stamped_by_host(chance: Random) -> Path:
    return CabinetPath(chance, StampedByHost(Random(chance.getrandbits(64))))


def promising(chance: Random) -> Path:
    return CabinetPath(chance, Promising(Random(chance.getrandbits(64))))


def test_stamps_of_the_host_s_receipt_show() -> None:
    assert certain(raced(stamped_by_host)).wrong_share > 0.05, "what is read together is told apart no more"


def test_a_promise_that_is_not_kept_shows() -> None:
    level = raced(promising).of("bridge", EVERY, ["level"])
    assert level.by_token < level.races * 0.8, "the other press of a dead heat was not waited for"
