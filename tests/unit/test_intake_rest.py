"""The intake at rest: when it is, and that everything after it is decided as if it had never been interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import msgspec
import pytest

from cabinet.buttons.edges import HOST_CLOCK, Edge, Press, SourceStatus
from cabinet.buttons.intake import Intake
from cabinet.buttons.rest import IntakeRest

MS: Final = 1_000_000
RESTS_MS: Final = 60


class Rounds:
    """An intake in rounds of a millisecond, and what came of them."""

    def __init__(self, clock: str = HOST_CLOCK) -> None:
        self.intake = Intake()
        self.clock = clock
        self.now_ms = 0
        self.seq = 0
        self.presses: list[Press] = []
        self.decided_ns: list[int] = []

    def edge(self, line: str, active: bool, at_ms: float) -> Edge:
        self.seq += 1
        return Edge(self.clock, line, active, round(at_ms * MS), 100_000, self.seq)

    def rounds(self, count: int, edges: Sequence[Edge] = (), offset_ns: int = 0) -> None:
        for number in range(count):
            self.now_ms += 1
            status = SourceStatus(
                "gpio", self.clock, (self.now_ms - 2) * MS, 100_000, map_offset_ns=offset_ns, map_err_ns=7
            )
            taken = self.intake.take(edges if number == 0 else (), [status], self.now_ms * MS)
            self.presses += [press for cluster in taken.clusters for press in cluster]
            self.decided_ns.append(taken.decided_ns)


def test_it_is_at_rest_when_no_line_has_changed_for_a_while() -> None:
    rounds = Rounds()
    assert rounds.intake.rest() is not None
    rounds.rounds(5, [rounds.edge("a.1", True, 0.5)])
    assert rounds.intake.rest() is None
    rounds.rounds(RESTS_MS)
    rest = rounds.intake.rest()
    assert rest is not None
    assert [(line.line, line.pressed_since_ns) for line in rest.lines] == [("a.1", 500_000)]


@pytest.mark.parametrize("after_ms", [0, 1, 3, 8, 20])
def test_it_is_not_while_a_press_or_a_release_is_judged_or_an_edge_waits(after_ms: int) -> None:
    rounds = Rounds()
    rounds.rounds(1, [rounds.edge("a.1", True, 0.5)])
    rounds.rounds(RESTS_MS)
    rounds.rounds(1 + after_ms, [rounds.edge("a.1", False, RESTS_MS + 1)])
    assert rounds.intake.rest() is None


def test_it_is_not_while_a_press_waits_for_a_source() -> None:
    intake = Intake()
    for now_ms in range(1, 200):
        statuses = [
            SourceStatus("one", HOST_CLOCK, (now_ms - 1) * MS, 0),
            SourceStatus("two", HOST_CLOCK, now_ms * 1_000, 0),
        ]
        edges = [Edge(HOST_CLOCK, "a.1", True, 10 * MS, 0, 1)] if now_ms == 10 else []
        intake.take(edges, statuses, now_ms * MS)
        if now_ms > 12:
            assert intake.rest() is None


def test_lines_that_do_not_count_are_left_out_with_what_is_pending_of_them() -> None:
    rounds = Rounds()
    rounds.rounds(3, [rounds.edge("robot.a.1", True, 0.5), rounds.edge("robot.b.1", True, 0.6)])
    rest = rounds.intake.rest(lambda line: not line.startswith("robot."))
    assert rest is not None
    assert rest.lines == ()
    rounds.intake.resume(rest)
    rounds.rounds(RESTS_MS)
    assert rounds.intake.pressed() == frozenset()


def test_by_force_only_the_levels_count() -> None:
    rounds = Rounds()
    edges = [rounds.edge("a.1", True, 0.5), rounds.edge("b.1", True, 0.5), rounds.edge("b.1", False, 3.5)]
    rounds.rounds(1, edges)
    rest = rounds.intake.rest(by_force=True)
    assert rest is not None
    assert [(line.line, line.pressed_since_ns) for line in rest.lines] == [("a.1", 500_000), ("b.1", None)]
    rounds.intake.resume(rest)
    rounds.rounds(RESTS_MS)
    assert rounds.presses == []
    assert rounds.intake.closed_since("a.1") == 500_000


def test_counters_and_the_log_of_late_presses_stay() -> None:
    rounds = Rounds()
    rounds.rounds(20)
    rounds.rounds(RESTS_MS + 20, [rounds.edge("a.1", True, 0.5)])
    rounds.rounds(RESTS_MS + 20, [rounds.edge("a.1", False, 90)])
    rest = rounds.intake.rest()
    assert rest is not None
    before = rounds.intake.counters()
    rounds.intake.resume(rest)
    assert rounds.intake.counters() == before
    assert [counter.presses for counter in before] == [1]
    assert len(rounds.intake.late_log()) == 1


@pytest.mark.parametrize("clock", [HOST_CLOCK, "pico"])
@pytest.mark.parametrize("seed", range(20))
def test_what_goes_on_from_rest_decides_like_a_fresh_intake_that_goes_on_from_it(seed: int, clock: str) -> None:
    """Also through a file; presses, places and decided times are the same."""
    rng = Random(seed)
    one, other = Rounds(clock), Rounds(clock)
    is_down = dict.fromkeys(("a.1", "a.2", "b.1"), False)
    for _ in range(12):
        line = rng.choice(list(is_down))
        is_down[line] = not is_down[line]
        edges = [one.edge(line, is_down[line], one.now_ms + rng.uniform(-8, 1))]
        one.rounds(rng.randint(1, 15), edges, rng.randint(-2_000, 2_000) if clock != HOST_CLOCK else 0)
    one.rounds(RESTS_MS + 20)
    rest = one.intake.rest()
    assert rest is not None
    one.intake.resume(rest)
    other.intake.resume(msgspec.json.decode(msgspec.json.encode(rest), type=IntakeRest))
    assert other.intake.rest() == one.intake.rest() == rest
    other.now_ms, other.seq = one.now_ms, one.seq
    one.presses.clear()
    one.decided_ns.clear()
    for _ in range(25):
        line = rng.choice(list(is_down))
        is_down[line] = not is_down[line]
        edges = [one.edge(line, is_down[line], one.now_ms + rng.uniform(-40, 1))]
        count, offset_ns = rng.randint(1, 25), rng.randint(-2_000, 2_000) if clock != HOST_CLOCK else 0
        one.rounds(count, edges, offset_ns)
        other.rounds(count, edges, offset_ns)
    assert one.presses == other.presses != []
    assert one.decided_ns == other.decided_ns
    assert one.intake.pressed() == other.intake.pressed()
