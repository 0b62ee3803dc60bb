"""Which steps are kept: those that decide something, and the one before where it says up to where that was so."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from cabinet.buttons.edges import HOST_CLOCK, Edge, SourceStatus
from cabinet.buttons.rest import ArbiterRest, IntakeRest
from cabinet.flow import Flow
from cabinet.kept_edges.thinning import (
    BATCH_NS,
    HELD_LIMIT,
    LONG_SILENCE_NS,
    MAP_MOVES_NS,
    Closed,
    Failed,
    Item,
    Steps,
    Thinner,
)
from cabinet.kept_edges.values import Beginning, Given

MS: Final = 1_000_000
STEP_NS: Final = 5 * MS
SLACK_NS: Final = 2 * MS
SILENT_NS: Final = 25 * MS
BEGINNING: Final = Beginning(
    now_ns=0,
    seed=1,
    flow=Flow(),
    show_ns=0,
    rest=IntakeRest(0, (), ArbiterRest((), 0, 0)),
    is_start=True,
    troubles=(),
    reported={},
)


class Steppers:
    """Tells a thinner of steps 5 ms apart, and knows which of them were kept, by their number."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.thinner = Thinner(self.items.append, SILENT_NS)
        self.thinner.began(BEGINNING)
        self.number = 0
        self.status = SourceStatus("gpio", HOST_CLOCK, 0, 100_000)
        self.unusual = 0
        self.step()
        self.step()

    def step(
        self,
        *,
        silent_ns: int = 0,
        edge_age_ns: int | None = None,
        has_published: bool = False,
        robots_act: bool = False,
        watermark_ns: int | None = None,
    ) -> int:
        self.number += 1
        now_ns = self.number * STEP_NS
        if not silent_ns:
            self.status = replace(self.status, watermark_ns=now_ns - SLACK_NS)
        if watermark_ns is not None:
            self.status = replace(self.status, watermark_ns=watermark_ns)
        edges = [] if edge_age_ns is None else [Edge(HOST_CLOCK, "a.1", True, now_ns - edge_age_ns, 0, 1)]
        self.thinner.given(Given(now_ns, [self.status], edges, {}), robots_act=robots_act)
        self.thinner.done((silent_ns, 0), self.unusual, has_published=has_published)
        return self.number

    def kept(self) -> list[int]:
        """Also what waits for the rest of its batch; the first step of a stretch is always kept."""
        self.thinner._flush()
        numbers = [
            given.now_ns // STEP_NS for item in self.items if isinstance(item, Steps) for given in item.steps
        ]
        assert numbers[0] == 1
        return numbers[1:]


def test_where_only_time_passes_nothing_is_kept() -> None:
    steps = Steppers()
    for _ in range(1_000):
        steps.step()
    assert steps.kept() == []


def test_a_step_with_an_edge_of_its_own_time_is_kept_alone() -> None:
    steps = Steppers()
    steps.step()
    edge = steps.step(edge_age_ns=STEP_NS - 1)
    steps.step()
    assert steps.kept() == [edge]


def test_before_an_edge_that_may_be_late_the_step_before_is_kept_too() -> None:
    steps = Steppers()
    before = steps.step()
    edge = steps.step(edge_age_ns=STEP_NS)
    assert steps.kept() == [before, edge]


def test_a_step_that_shows_something_and_one_in_which_robots_act_are_kept() -> None:
    steps = Steppers()
    kept = [steps.step(has_published=True)]
    steps.step()
    kept.append(steps.step(robots_act=True))
    assert steps.kept() == kept


def test_a_press_that_is_judged_where_the_step_stands_keeps_the_step_and_the_one_before() -> None:
    steps = Steppers()
    before = steps.step()
    steps.unusual = 1
    judged = steps.step()
    steps.step()
    assert steps.kept() == [before, judged]


def test_a_status_that_changes_keeps_the_step_and_the_one_before() -> None:
    for change in ({"is_live": False}, {"losses": 1}, {"largest_err_ns": 5}, {"trouble": "x"}, {"merged": 3}):
        steps = Steppers()
        before = steps.step()
        steps.status = replace(steps.status, **change)
        changed = steps.step()
        steps.step()
        assert steps.kept() == [before, changed], change


def test_a_watermark_that_goes_back_keeps_the_steps_until_it_is_as_high_again() -> None:
    steps = Steppers()
    before = steps.step()
    high_ns = steps.status.watermark_ns
    back = steps.step(watermark_ns=high_ns - MS)
    still = steps.step(watermark_ns=high_ns - 1)
    steps.step(watermark_ns=high_ns)
    steps.step()
    assert steps.kept() == [before, back, still]


def test_a_short_silence_leaves_nothing() -> None:
    steps = Steppers()
    for round_ms in (5, 10, 15, 20):
        steps.step(silent_ns=round_ms * MS)
    steps.step()
    assert steps.kept() == []


def test_rounds_of_a_silence_in_which_something_happens_are_kept_from_the_step_before_it() -> None:
    steps = Steppers()
    before = steps.step()
    silent = [steps.step(silent_ns=5 * MS), steps.step(silent_ns=10 * MS)]
    edge = steps.step(silent_ns=15 * MS, edge_age_ns=1)
    assert steps.kept() == [before, *silent, edge]


def test_a_silence_that_lasts_is_kept_whole_until_more_of_it_decides_nothing() -> None:
    steps = Steppers()
    kept = [steps.step()]
    silent_ns = 0
    while silent_ns < LONG_SILENCE_NS:
        silent_ns += 5 * MS
        kept.append(steps.step(silent_ns=silent_ns))
    for _ in range(100):
        steps.step(silent_ns=LONG_SILENCE_NS)
    assert steps.kept() == kept


def test_the_last_round_of_a_long_silence_is_kept_because_it_went_on_without_the_source() -> None:
    steps = Steppers()
    steps.step(silent_ns=LONG_SILENCE_NS)
    for _ in range(100):
        last = steps.step(silent_ns=LONG_SILENCE_NS)
    back = steps.step()
    steps.step()
    assert steps.kept()[-2:] == [last, back]


def test_no_more_rounds_are_held_back_than_the_limit() -> None:
    steps = Steppers()
    for _ in range(HELD_LIMIT + 10):
        steps.step(silent_ns=1)
    assert len(steps.kept()) >= HELD_LIMIT


def test_a_map_that_follows_its_clock_is_kept_now_and_then() -> None:
    steps = Steppers()
    steps.status = replace(steps.status, clock="pico")
    steps.step()
    steps.kept()
    first = steps.number
    for _ in range(100):
        steps.status = replace(
            steps.status, map_offset_ns=steps.status.map_offset_ns + MS, map_err_ns=steps.number
        )
        steps.step()
    kept = [number for number in steps.kept() if number > first]
    every = MAP_MOVES_NS // MS + 1
    assert kept == sorted(
        {*range(first + every - 1, first + 101, every), *range(first + every, first + 101, every)}
    )


def test_a_map_that_is_what_it_was_keeps_the_step_between() -> None:
    steps = Steppers()
    steps.status = replace(steps.status, clock="pico")
    steps.step()
    steps.status = replace(steps.status, map_offset_ns=7)
    between = steps.step()
    steps.status = replace(steps.status, map_offset_ns=0)
    again = steps.step()
    assert steps.kept()[-2:] == [between, again]


def test_what_is_kept_is_given_on_after_half_a_second() -> None:
    steps = Steppers()
    for _ in range(BATCH_NS // STEP_NS + 1):
        steps.step()
    assert any(isinstance(item, Steps) for item in steps.items)


def test_a_step_that_fails_is_kept_and_called_so() -> None:
    steps = Steppers()
    steps.step()
    steps.thinner.given(Given(1_000 * STEP_NS, [steps.status], [], {}), robots_act=False)
    steps.thinner.closed()
    assert isinstance(steps.items[-2], Failed)
    assert isinstance(steps.items[-1], Closed)
    assert steps.kept()[-2:] == [3, 1_000]


def test_when_the_game_is_closed_the_last_step_is_kept_because_it_says_when() -> None:
    steps = Steppers()
    last = steps.step()
    steps.thinner.closed()
    assert steps.kept() == [last]
    assert isinstance(steps.items[-1], Closed)


def test_a_beginning_within_a_step_comes_behind_that_step() -> None:
    steps = Steppers()
    steps.thinner.given(Given(7 * STEP_NS, [steps.status], [], {}), robots_act=False)
    steps.thinner.began(BEGINNING)
    steps.thinner.done((0, 0), 0, has_published=True)
    assert [type(item) for item in steps.items] == [Beginning, Steps, Beginning]


def test_before_the_first_beginning_there_is_nothing_to_keep() -> None:
    items: list[Item] = []
    thinner = Thinner(items.append, SILENT_NS)
    thinner.given(Given(1, [], [], {}), robots_act=True)
    thinner.done((), 0, has_published=True)
    thinner.closed()
    assert items == []
