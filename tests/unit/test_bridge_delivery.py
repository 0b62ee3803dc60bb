"""From a device's edges to the game's: clocks, watermarks, and what is held back until it can be mapped."""

from __future__ import annotations

from cabinet.buttons.edges import HOST_CLOCK, Edge, SourceStatus
from firmware_bridge.clock_sync import Estimate
from firmware_bridge.delivery import Delivery
from firmware_bridge.host_clocks import HostClocks
from firmware_bridge.protocol import Beat, Snapshot
from firmware_bridge.received import REST_NS, Happened, Received

MS = 1_000_000
GAME_NS = 700_000 * MS
STEADY_NS = 200_000 * MS
NAMES = {0: "a.1"}
PRESSED = Happened(0, True, 90 * MS, 1_000)


def estimate(epoch: int = 1, *, is_settled: bool = True) -> Estimate:
    return Estimate(offset_ns=STEADY_NS, err_ns=300_000, is_settled=is_settled, epoch=epoch)


class Reader:
    """A source's thread, and a game that asks it when it is told to."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.received = Received()
        self.received.begin(Snapshot(0, 0, 0, 0), is_same_boot=False)
        self.known(REST_NS)
        self.delivery = Delivery("bridge", HostClocks(lambda: GAME_NS, lambda: STEADY_NS))
        self.delivery.begin(self.edges.append)

    def known(self, t_ns: int) -> None:
        self.received.beat(Beat(t_ns // 1_000, 0, 0, 0, 0, 0, 0))

    def hold(self, *happened: Happened, of: Estimate | None) -> None:
        self.delivery.hold(happened, NAMES, of)

    def tell(self, *, is_linked: bool = True, trouble: str | None = None) -> SourceStatus:
        """What is told; the game asks."""
        self.delivery.tell(self.received, trouble, "wait", is_linked=is_linked)
        return self.delivery.status()


def live() -> Reader:
    reader = Reader()
    reader.hold(of=estimate())
    reader.tell()
    assert reader.tell().is_live
    return reader


def test_a_status_maps_the_devices_clock_to_the_games() -> None:
    reader = live()
    status = reader.tell()
    assert (status.clock, status.map_offset_ns, status.map_err_ns) == (
        "bridge 1",
        GAME_NS,
        300_000,
    )
    assert status.watermark_ns == REST_NS + status.map_offset_ns


def test_an_edge_carries_its_clock_name_and_number() -> None:
    reader = live()
    reader.hold(PRESSED, of=estimate())
    reader.tell()
    assert reader.edges == [Edge("bridge 1", "a.1", True, 90 * MS, 1_000, 1)]


def test_edges_wait_until_their_clock_is_settled() -> None:
    reader = Reader()
    reader.hold(PRESSED, of=estimate(is_settled=False))
    statuses = [reader.tell() for _ in range(3)]
    assert reader.edges == []
    assert not any(status.is_live for status in statuses)
    reader.hold(of=estimate())
    assert reader.tell().is_live
    assert len(reader.edges) == 1


def test_edges_of_a_link_that_is_gone_wait_for_nothing_but_the_games_question() -> None:
    reader = Reader()
    reader.hold(PRESSED, of=estimate(is_settled=False))
    reader.tell(is_linked=False)
    assert reader.edges == []
    reader.tell(is_linked=False)
    assert len(reader.edges) == 1


def test_an_older_clock_s_edges_that_nobody_asked_for_are_lost_and_counted() -> None:
    reader = Reader()
    reader.hold(PRESSED, of=estimate())
    reader.hold(PRESSED, PRESSED, of=estimate(epoch=2))
    reader.tell()
    status = reader.tell()
    assert [edge.clock for edge in reader.edges] == ["bridge 2", "bridge 2"]
    assert status.losses == 1


def test_another_clock_is_named_before_it_is_live() -> None:
    reader = live()
    reader.hold(PRESSED, of=estimate(epoch=2))
    first = reader.tell()
    assert (first.clock, first.is_live, reader.edges) == ("bridge 2", False, [])
    assert reader.tell().is_live
    assert [edge.clock for edge in reader.edges] == ["bridge 2"]


def test_a_watermark_stands_while_it_is_not_live() -> None:
    reader = live()
    before = reader.tell()
    reader.known(900 * MS)
    assert reader.tell(is_linked=False).watermark_ns == before.watermark_ns
    assert reader.tell().watermark_ns == before.watermark_ns + 900 * MS - REST_NS


def test_it_is_not_live_before_every_open_button_presses() -> None:
    reader = live()
    reader.received = Received()
    reader.received.begin(Snapshot(0, 0, 0, 0), is_same_boot=False)
    status = reader.tell()
    assert (status.is_live, status.trouble) == (False, "wait")


def test_before_any_map_there_is_no_clock_of_its_own() -> None:
    reader = Reader()
    reader.hold(PRESSED, of=None)
    status = reader.tell(trouble="It is not there.")
    assert (status.clock, status.is_live, status.trouble) == (HOST_CLOCK, False, "It is not there.")
    assert status.watermark_ns == GAME_NS


# The host's clocks


class Ticking:
    """Each look takes as long as is said."""

    def __init__(self, *gaps_ns: int) -> None:
        self.now_ns = 0
        self.gaps = iter(gaps_ns)

    def game(self) -> int:
        self.now_ns += next(self.gaps, 1)
        return self.now_ns + 1_000

    def steady(self) -> int:
        self.now_ns += next(self.gaps, 1)
        return self.now_ns


def test_two_clocks_are_compared_as_of_one_instant() -> None:
    ticking = Ticking(1, 100, 100)
    assert HostClocks(ticking.game, ticking.steady).difference() == (1_000, 100)


def test_a_program_held_up_between_two_looks_looks_again() -> None:
    ticking = Ticking(1, 9_000_000, 100, 1, 150, 50)
    assert HostClocks(ticking.game, ticking.steady).difference() == (950, 100)


def test_of_looks_that_all_took_long_the_shortest_counts_and_says_how_long() -> None:
    ticking = Ticking(1, 50_000, 50_000, 1, 10_000, 10_000, 1, 80_000, 80_000, 1, 80_000, 80_000)
    assert HostClocks(ticking.game, ticking.steady).difference() == (1_000, 10_000)


def test_how_well_the_clocks_compare_is_part_of_the_bound() -> None:
    ticking = Ticking(*([1, 50_000, 50_000] * 4))
    delivery = Delivery("bridge", HostClocks(ticking.game, ticking.steady))
    delivery.hold((), NAMES, estimate())
    assert delivery.map_err_ns == 350_000
