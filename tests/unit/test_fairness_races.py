"""Races are drawn as they are said to be, counted as they were decided, and do not depend on who draws them."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from cabinet.bench.fairness import virtual, ways
from cabinet.bench.fairness.contest import Contest
from cabinet.bench.fairness.delivery import LARGEST_ERR_NS, LATE_NS, PROMPT_NS, QUIET_NS
from cabinet.bench.fairness.paths import Decision
from cabinet.bench.fairness.races import LONGEST_LEAD_NS, SHORTEST_LEAD_NS, Race, RaceMaker
from cabinet.bench.fairness.source_models import HostGpio
from cabinet.bench.fairness.tally import DEAD_HEAT, EVERY, LEADS, Count, Counter, Tally, lead_class, together
from cabinet.bench.fairness.timed import plan_races
from cabinet.bench.fairness.values import CLAIMS
from cabinet.buttons.edges import Press
from cabinet.buttons.settling import KERNEL_SLACK_NS
from cabinet.engine.table import SEATS, Seat
from tests.races import MS, US, contact, race


def drawn(count: int, *, is_calm: bool = False, seed: int = 1) -> list[Race]:
    maker = RaceMaker(Random(seed), is_calm=is_calm)
    return [maker.race() for _ in range(count)]


def test_every_tenth_race_is_an_exact_dead_heat_and_the_others_have_all_leads_alike() -> None:
    races = drawn(2_000)
    leads_ns = [one.lead_ns for one in races]
    assert [number for number, lead_ns in enumerate(leads_ns, 1) if not lead_ns] == list(range(10, 2_001, 10))
    others = [lead_ns for lead_ns in leads_ns if lead_ns]
    assert min(others) >= SHORTEST_LEAD_NS
    assert max(others) <= LONGEST_LEAD_NS
    below_100_us = sum(lead_ns < 100 * US for lead_ns in others) / len(others)
    assert 0.43 < below_100_us < 0.5, "two of the four and a third decades"


def test_either_seat_is_ahead_as_often_and_every_bounce_occurs_at_both() -> None:
    races = drawn(2_000)
    ahead = [one.winner for one in races]
    assert 800 < ahead.count("a") < 1_000
    assert 800 < ahead.count("b") < 1_000
    for seat in SEATS:
        edges = {len(one.a.changes_ns if seat == "a" else one.b.changes_ns) for one in races}
        assert {2, 4, 6, 8} <= edges


def test_a_stamp_is_never_wrong_by_more_than_it_says_and_stamps_of_a_line_never_go_back() -> None:
    errors = []
    for one in drawn(500):
        for press in (one.a, one.b):
            assert 0 < press.err_ns <= LARGEST_ERR_NS
            off_ns = [stamp - change for stamp, change in zip(press.stamps_ns, press.changes_ns, strict=True)]
            assert all(abs(off) <= press.err_ns for off in off_ns)
            assert all(earlier <= later for earlier, later in pairwise(press.stamps_ns))
            errors.append(off_ns[0] / press.err_ns)
    assert min(errors) == -1, "also all that the bound allows"
    assert max(errors) == 1


def latest_ns(one: Race) -> int:
    presses = (one.a, one.b)
    return max(
        arrives_ns - stamp_ns
        for press in presses
        for stamp_ns, arrives_ns in zip(press.stamps_ns, press.arrivals_ns, strict=True)
    )


def test_calm_races_are_delivered_within_the_slack_that_sources_begin_with() -> None:
    assert PROMPT_NS == KERNEL_SLACK_NS
    races = drawn(500, is_calm=True)
    assert all(one.stall is None and latest_ns(one) <= KERNEL_SLACK_NS for one in races)
    assert max(map(latest_ns, races)) > 0.95 * KERNEL_SLACK_NS


def test_half_of_the_races_are_run_on_a_quiet_machine() -> None:
    quiet = sum(latest_ns(one) <= QUIET_NS for one in drawn(1_000, is_calm=True))
    assert 450 < quiet < 550


def test_other_races_are_also_slow_late_and_stalled() -> None:
    races = drawn(2_000)
    latest = [latest_ns(one) for one in races if one.stall is None]
    assert all(later_ns <= LATE_NS for later_ns in latest)
    assert sum(2 * MS < later_ns <= 15 * MS for later_ns in latest) > 100
    assert sum(later_ns > 15 * MS for later_ns in latest) > 20
    stalls = [one.stall for one in races if one.stall is not None]
    assert {stall.whose for stall in stalls} == {"reader", "game"}
    assert 20 < len(stalls) < 80


def test_nothing_is_delivered_while_the_reader_stands_still() -> None:
    for one in drawn(3_000):
        stall = one.stall
        if stall is not None and stall.whose == "reader":
            arrivals_ns = [*one.a.arrivals_ns, *one.b.arrivals_ns]
            assert not any(stall.from_ns <= at_ns < stall.until_ns for at_ns in arrivals_ns)


def test_races_do_not_touch_each_other() -> None:
    for earlier, later in pairwise(drawn(300)):
        for press in (earlier.a, earlier.b):
            assert max(*press.changes_ns, *press.arrivals_ns) < earlier.rests_ns
        assert earlier.rests_ns < later.begins_ns < min(later.a.stamps_ns[0], later.b.stamps_ns[0])


def test_a_swapped_race_has_the_players_on_each_others_seats() -> None:
    one = race(contact("a", 0, delay_ns=MS), contact("b", MS))
    other = one.swapped()
    assert (other.a.line, other.b.line) == ("a.1", "b.1")
    assert (other.a.changes_ns, other.b.arrivals_ns) == (one.b.changes_ns, one.a.arrivals_ns)
    assert (one.winner, other.winner) == ("a", "b")
    assert other.swapped() == one


def test_stamps_that_just_touch_are_not_told_apart() -> None:
    a = contact("a", 0, err_ns=60 * US)
    assert not race(a, contact("b", 100 * US, err_ns=40 * US)).is_told_apart
    assert race(a, contact("b", 100 * US + 1, err_ns=40 * US)).is_told_apart


def test_races_in_real_time_leave_every_line_time_to_rest() -> None:
    races = plan_races(Random(1), 300, 5_000 * MS, 100 * US)
    assert len(races) == 300
    assert all(one.a.button == one.b.button for one in races)
    assert all(press.err_ns == 100 * US for one in races for press in (one.a, one.b))
    for seat in SEATS:
        of_seat = [one.a if seat == "a" else one.b for one in races]
        for button in {press.button for press in of_seat}:
            presses = [press for press in of_seat if press.button == button]
            for earlier, later in pairwise(presses):
                assert later.stamps_ns[0] - earlier.stamps_ns[-1] > 10 * MS


# The table that they race for


def press_of(seat: Seat, button: str, t_ns: int, err_ns: int = 0) -> Press:
    return Press(f"{seat}.{button}", t_ns, err_ns, "host", 0)


@pytest.mark.parametrize("buttons", [("1", "1"), ("2", "3"), ("4", "1"), ("3", "4")])
@pytest.mark.parametrize("first", SEATS)
def test_only_the_first_of_two_presses_is_accepted(first: Seat, buttons: tuple[str, str]) -> None:
    contest = Contest(token="a")
    contest.begin(10 * MS)
    second: Seat = "b" if first == "a" else "a"
    contest.take((press_of(first, buttons[0], 20 * MS),))
    assert not contest.is_over
    contest.take((press_of(second, buttons[1], 21 * MS),))
    assert (contest.winner, contest.is_over, contest.token) == (first, True, "a")


def test_a_race_is_not_over_when_one_seat_was_judged_twice() -> None:
    contest = Contest(token="a")
    contest.begin(0)
    for at_ns in (MS, 20 * MS):
        contest.take((press_of("a", "1", at_ns),))
    assert not contest.is_over
    contest.take((press_of("b", "1", 30 * MS),))
    assert contest.is_over


def test_the_token_decides_a_dead_heat_and_goes_to_the_other_into_the_next_race() -> None:
    contest = Contest(token="b")
    winners = []
    for begins_ns in (0, 500 * MS, 1_000 * MS):
        contest.begin(begins_ns)
        contest.take((press_of("a", "1", begins_ns + MS, 100), press_of("b", "2", begins_ns + MS + 150, 100)))
        winners.append(contest.winner)
    assert winners == ["b", "a", "b"]


# Sources


def test_a_source_s_watermark_follows_the_lateness_seen_and_stands_while_its_reader_does() -> None:
    source = HostGpio()
    for delivery in source.begin(race(contact("a", 0, delay_ns=8 * MS), contact("b", MS))):
        source.delivered(delivery)
    assert 400 * MS - source.status(400 * MS).watermark_ns == 10 * MS
    assert source.status(0).largest_err_ns == LARGEST_ERR_NS


def test_edges_are_numbered_by_their_stamps_and_delivered_as_they_arrive() -> None:
    source = HostGpio()
    found = source.begin(race(contact("a", 0, delay_ns=8 * MS), contact("b", MS)))
    assert [(one.edge.line, one.edge.active) for one in found] == [
        ("b.1", True),
        ("a.1", True),
        ("b.1", False),
        ("a.1", False),
    ]
    assert [one.edge.seq for one in found] == [1, 0, 3, 2]


# Counting


def test_leads_are_counted_in_their_classes() -> None:
    assert [lead_class(lead_ns) for lead_ns in (0, 1_000, 1_999, 2_000, 99_999, 100_000, 20 * MS)] == [
        DEAD_HEAT, 0, 0, 1, 5, 6, len(LEADS) - 1,
    ]  # fmt: skip


def test_decisions_are_counted_by_what_is_true_and_what_was_claimed() -> None:
    counter = Counter()
    a_led, b_led = race(contact("a", 0), contact("b", 3 * MS)), race(contact("a", 3 * MS), contact("b", 0))
    level = race(contact("a", 0), contact("b", 0))
    counter.add("cabinet", a_led, Decision("a", "told_apart"))
    counter.add("cabinet", a_led, Decision("b", "late", late_ns=40 * MS))
    counter.add("cabinet", b_led, Decision("b", "told_apart"))
    counter.add("cabinet", b_led, Decision(None, "told_apart"))
    counter.add("cabinet", level, Decision("a", "level", by_token=True))
    counter.add("frames", b_led, Decision("a"))
    tally = counter.tally()
    assert tally.of("cabinet", LEADS) == Count(races=4, wrong=2, undecided=1, given_to_a=1, won_by_a=2.0)
    assert tally.of("cabinet", LEADS, ["told_apart"]).wrong == 1
    assert tally.of("cabinet", [lead_class(3 * MS)]).races == 4
    assert tally.of("cabinet", [DEAD_HEAT]) == Count(races=1, given_to_a=1, won_by_a=0.5, by_token=1)
    assert tally.of("frames", LEADS) == Count(races=1, wrong=1, given_to_a=1)
    assert tally.late_ns == {"cabinet": (40 * MS,)}


def test_the_shares_of_a_count() -> None:
    count = Count(races=200, wrong=30, given_to_a=120, won_by_a=100.0)
    assert (count.wrong_share, count.given_to_a_share, count.bias) == (0.15, 0.6, 0.1)
    assert (Count().wrong_share, Count().given_to_a_share, Count().bias) == (0, 0.5, 0)


def test_tallies_add_up() -> None:
    one = Tally({("x", 1, None): Count(races=2, wrong=1)}, {"x": (5,)})
    two = Tally({("x", 1, None): Count(races=3), ("y", 1, None): Count(races=1)}, {"x": (7,)})
    both = together([one, two])
    assert both.of("x", [1]) == Count(races=5, wrong=1)
    assert both.of("y", [1]) == Count(races=1)
    assert both.late_ns == {"x": (5, 7)}


# Many


def test_the_same_seed_gives_the_same_whoever_works_at_it_and_another_seed_another() -> None:
    alone = virtual.measure(virtual.FEW + 30, 7, workers=1)
    assert virtual.measure(virtual.FEW + 30, 7, workers=2) == alone
    assert virtual.measure(virtual.FEW + 30, 8, workers=1) != alone


def test_every_race_goes_through_every_path_and_is_told() -> None:
    told: list[int] = []
    tally = virtual.measure(300, 1, workers=1, tell=told.append)
    assert told == [300]
    for kind in ways.PATHS:
        assert tally.of(kind.key, [DEAD_HEAT, *LEADS]).races == 300
        assert tally.of(kind.key, [DEAD_HEAT]).races == 30


def test_every_race_is_told_apart_or_level_or_late_and_counted_once() -> None:
    tally = virtual.measure(1_000, 2, workers=1, paths=(ways.CABINET,))
    by_claim = {claim: tally.of("cabinet", EVERY, [claim]).races for claim in CLAIMS}
    assert sum(by_claim.values()) == 1_000
    assert all(by_claim.values())
    assert tally.of("cabinet", [DEAD_HEAT], ["told_apart"]).races == 0
    level = tally.of("cabinet", EVERY, ["level"])
    assert level.by_token == level.races
    assert tally.of("cabinet", EVERY, ["told_apart"]).by_token == 0
