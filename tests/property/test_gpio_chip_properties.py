"""What holds for presses through the kernel's chip, however late and in whatever order its threads deliver."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.buttons.edges import Line, Press
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.lines import PANEL_LINES
from tests.kernel_model import MS, READY_NS, US, ChipBench, KernelModel

CHANCE = st.builds(Random, st.integers(0, 1 << 32))
SLACK_NS = 2 * MS
MERGE_US = 200
TIGHT = GpioSettings(err_us=0, merge_us=MERGE_US)
HOLD_NS = 30 * MS


class Race(ChipBench):
    """A bench that remembers when contacts truly closed, and lets the game look when it likes."""

    def __init__(self, chance: Random, late_ns: tuple[int, int]) -> None:
        super().__init__(KernelModel(TIGHT, chance))
        self.chance = chance
        self.kernel.late_ns = lambda: chance.randrange(*late_ns)
        self.closed: list[tuple[int, Line]] = []
        self.came: list[Press] = []
        self.settled()
        self.last_ns = self.kernel.now_ns

    def close(self, line: Line, at_ns: int, bounce_ns: list[int]) -> None:
        """A contact closes, opens and closes after each further time, and opens for good."""
        self.closed.append((at_ns, line))
        for count, wait_ns in enumerate((0, *bounce_ns)):
            at_ns += wait_ns
            self.kernel.change(line, count % 2 == 0, at_ns)
        self.kernel.change(line, True, at_ns + 1_000)
        self.kernel.change(line, False, at_ns + HOLD_NS)
        self.last_ns = max(self.last_ns, at_ns + HOLD_NS)

    def run(self, *, stops: bool) -> None:
        until_ns = self.last_ns + 60 * MS
        while self.kernel.now_ns < until_ns:
            self.source.round()
            if stops and self.chance.random() < 0.02:
                self.stop_process(self.chance.randrange(400 * MS))
            if self.chance.random() < 0.7:
                self.look()
        for _ in range(100):
            self.source.round()
            self.look()

    def look(self) -> None:
        now_ns = self.kernel.now_ns
        statuses = [self.source.status(now_ns)]
        edges, self.inbox = self.inbox, []
        self.taken = self.intake.take(edges, statuses, now_ns)
        self.came += [press for cluster in self.taken.clusters for press in cluster]

    @property
    def late_presses(self) -> int:
        assert self.taken is not None
        return self.taken.late_presses

    def seen(self) -> int:
        """What became of the numbers that the kernel gave: delivered, merged or dropped."""
        tally = self.source.tally
        return tally.events + tally.merged + tally.dropped


@given(CHANCE, st.integers(1, 60), st.booleans())
@settings(max_examples=60)
def test_presses_come_in_the_order_of_their_stamps_whatever_the_delivery_within_the_slack(
    chance: Random, presses: int, stops: bool
) -> None:
    race = Race(chance, (10 * US, SLACK_NS - 100 * US))
    at_ns = dict.fromkeys(PANEL_LINES, READY_NS + 10 * MS)
    for _ in range(presses):
        line = chance.choice(PANEL_LINES)
        race.close(line, at_ns[line] + chance.randrange(40 * MS), [])
        at_ns[line] += 120 * MS
    race.run(stops=stops)
    assert [(press.t_ns, press.line) for press in race.came] == sorted(race.closed)
    assert race.late_presses == 0
    assert race.seen() == race.kernel.number
    if not race.source.tally.merged:
        assert {press.err_ns for press in race.came} == {0}


@given(CHANCE, st.integers(1, 40), st.booleans())
@settings(max_examples=60)
def test_a_stamp_is_within_its_error_and_a_certain_order_is_true_also_where_edges_became_one(
    chance: Random, presses: int, stops: bool
) -> None:
    race = Race(chance, (5 * US, 150 * US))
    race.kernel.step_ns = lambda: chance.randrange(0, 25 * US)
    at_ns = dict.fromkeys(PANEL_LINES, READY_NS + 10 * MS)
    for _ in range(presses):
        line = chance.choice(PANEL_LINES)
        bounce = [chance.randrange(2 * US, 100 * US) for _ in range(2 * chance.randrange(4))]
        race.close(line, at_ns[line] + chance.randrange(4 * MS), bounce)
        at_ns[line] += 120 * MS
    race.run(stops=stops)
    assert race.late_presses == 0
    assert race.seen() == race.kernel.number
    true_ns: dict[int, int] = {}
    for press in race.came:
        (closed_ns,) = [at for at, line in race.closed if line == press.line and 0 <= press.t_ns - at < 20 * MS]
        assert press.t_ns - press.err_ns <= closed_ns <= press.t_ns + press.err_ns
        true_ns[press.seq] = closed_ns
    assert len(race.came) == len(race.closed)
    for index, first in enumerate(race.came):
        for second in race.came[index + 1 :]:
            assert first.ties_with(second) or true_ns[first.seq] < true_ns[second.seq]


@given(CHANCE, st.integers(1, 40))
@settings(max_examples=40)
def test_what_comes_later_than_the_slack_is_counted_and_nothing_is_lost_or_stuck(
    chance: Random, presses: int
) -> None:
    race = Race(chance, (10 * US, 40 * MS))
    at_ns = dict.fromkeys(PANEL_LINES, READY_NS + 10 * MS)
    for _ in range(presses):
        line = chance.choice(PANEL_LINES)
        race.close(line, at_ns[line] + chance.randrange(40 * MS), [])
        at_ns[line] += 300 * MS
    race.run(stops=False)
    assert race.seen() == race.kernel.number
    assert race.intake.pressed() == frozenset()
    late = [press for press in race.came if press.judged_ns is not None]
    assert [press.order_ns for press in race.came] == sorted(press.order_ns for press in race.came)
    assert len(late) >= race.late_presses
