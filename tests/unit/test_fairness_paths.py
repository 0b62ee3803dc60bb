"""Each usual way of reading buttons decides known races as it is known to; this project's decides them rightly."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from cabinet.bench.fairness import ways
from cabinet.bench.fairness.cabinet_path import CabinetPath
from cabinet.bench.fairness.delivery import Stall
from cabinet.bench.fairness.paths import Decision, Path, PathKind
from cabinet.bench.fairness.races import Contact, Race
from cabinet.bench.fairness.source_models import HostGpio
from cabinet.bench.fairness.usual import (
    FRAME_NS,
    JIFFY_NS,
    USB_POLL_NS,
    FramePolling,
    HostReceiveTime,
    LockOut,
    RestThenKernel,
    RestThenLgpio,
    begin_of_rest_ns,
)
from cabinet.engine.table import SEATS, Seat
from tests.races import BEGINS_NS, MS, US, contact, race

ARCADE_US = (8, 12, 268, 560, 564, 572)
"""A measured arcade switch: it rests closed 572 µs after it first closed."""


def shares(path: Path, given: Race, times: int = 400) -> float:
    """How often `a` is given the race."""
    return sum(path.decide(given).winner == "a" for _ in range(times)) / times


def within(unit_ns: int, at_ns: int) -> int:
    """How far into a race the first multiple of `unit_ns` lies, and `at_ns` more."""
    return -BEGINS_NS % unit_ns + at_ns


def test_of_two_presses_in_one_frame_polling_gives_a_the_race() -> None:
    b_led = race(contact("a", within(FRAME_NS, 12 * MS)), contact("b", within(FRAME_NS, 2 * MS)))
    assert FramePolling(Random(1)).decide(b_led) == Decision("a")


def test_polling_gives_the_race_to_whose_frame_was_earlier() -> None:
    b_led = race(contact("a", within(FRAME_NS, MS)), contact("b", within(FRAME_NS, -MS)))
    assert FramePolling(Random(1)).decide(b_led) == Decision("b")


def test_a_bounce_hides_a_contact_from_the_frame_that_looks_just_then() -> None:
    a = contact("a", within(FRAME_NS, -500 * US), bounce_us=(400, 700))
    b = contact("b", within(FRAME_NS, -100 * US))
    assert FramePolling(Random(1)).decide(race(a, b)) == Decision("b")


def test_waiting_for_rest_gives_the_race_to_the_switch_that_bounces_less() -> None:
    a_led = race(contact("a", 0, bounce_us=ARCADE_US), contact("b", 500 * US))
    assert RestThenLgpio(Random(1)).decide(a_led) == Decision("b")
    assert RestThenLgpio(Random(1)).decide(a_led.swapped()) == Decision("a")


def test_waiting_for_rest_is_right_where_neither_switch_bounces() -> None:
    assert RestThenLgpio(Random(1)).decide(race(contact("a", 0), contact("b", US))) == Decision("a")


def test_lgpio_compares_stamps_with_their_errors() -> None:
    a_led = race(contact("a", 0, off_ns=90 * US, err_ns=100 * US), contact("b", 50 * US, err_ns=100 * US))
    assert RestThenLgpio(Random(1)).decide(a_led) == Decision("b")


def test_rest_begins_with_the_last_closing_before_it() -> None:
    assert begin_of_rest_ns((0, 5, 8, 30, 31, 90), 20) == 8
    with pytest.raises(ValueError, match="never rests"):
        begin_of_rest_ns((0, 5, 8, 20), 20)


def test_the_kernel_decides_by_the_tick_in_which_the_rest_was_over() -> None:
    path = RestThenKernel(Random(1))
    a_led = race(contact("a", within(JIFFY_NS, -US)), contact("b", within(JIFFY_NS, US)))
    assert path.decide(a_led) == Decision("a")
    bounced = race(contact("a", within(JIFFY_NS, -US), bounce_us=(5, 4_500)), contact("b", within(JIFFY_NS, US)))
    assert path.decide(bounced) == Decision("b")


def test_within_one_tick_the_kernel_tosses_a_coin() -> None:
    a_led = race(contact("a", within(JIFFY_NS, US)), contact("b", within(JIFFY_NS, 3 * MS)))
    assert 0.4 < shares(RestThenKernel(Random(1)), a_led) < 0.6


def test_lock_out_is_decided_by_the_delivery_of_the_first_edge() -> None:
    a_led = race(contact("a", 0, delay_ns=1_500 * US), contact("b", MS, delay_ns=100 * US))
    assert LockOut(Random(1)).decide(a_led) == Decision("b")
    in_time = race(contact("a", 0, bounce_us=ARCADE_US, delay_ns=100 * US), contact("b", MS, delay_ns=100 * US))
    assert LockOut(Random(1)).decide(in_time) == Decision("a")


def test_encoders_give_a_race_to_the_seat_that_is_asked_next() -> None:
    path = HostReceiveTime(Random(1))
    instants_ns = [within(USB_POLL_NS, number * 200 * US) for number in range(40)]
    won = [path.decide(race(contact("a", at_ns), contact("b", at_ns))).winner for at_ns in instants_ns]
    turns = sum(one != two for one, two in pairwise([*won, won[0]]))
    assert (set(won), turns) == ({"a", "b"}, 2), "from one seat's question to the other's all go to the other"


def test_encoders_cannot_tell_apart_what_happens_between_two_polls() -> None:
    wrong = 0
    for seed in range(200):
        a_led = race(contact("a", 0), contact("b", 2 * MS))
        wrong += HostReceiveTime(Random(seed)).decide(a_led).winner == "b"
    assert 40 < wrong < 100, "in a quarter of all pairs of phases b is asked soon enough, and a is not"


@pytest.mark.parametrize("kind", ways.USUAL, ids=lambda kind: kind.key)
def test_every_way_is_right_when_one_player_is_far_ahead(kind: PathKind) -> None:
    a_led = race(contact("a", 0, bounce_us=ARCADE_US), contact("b", 30 * MS))
    for seed in range(20):
        assert kind.make(Random(seed)).decide(a_led) == Decision("a")
        assert kind.make(Random(seed)).decide(a_led.swapped()) == Decision("b")


# This project


def decided(given: Race, token: Seat = "a") -> Decision:
    return CabinetPath(Random(1), token=token).decide(given)


def test_the_cabinet_is_right_where_the_usual_ways_are_wrong() -> None:
    bounced = race(contact("a", 0, bounce_us=ARCADE_US), contact("b", 500 * US))
    one_frame = race(contact("a", within(FRAME_NS, 12 * MS)), contact("b", within(FRAME_NS, 2 * MS)))
    delivered = race(contact("a", 0, delay_ns=1_900 * US), contact("b", MS))
    assert [decided(one) for one in (bounced, one_frame, delivered)] == [
        Decision("a", "told_apart"),
        Decision("b", "told_apart"),
        Decision("a", "told_apart"),
    ]


def test_stamps_that_touch_are_a_dead_heat_which_the_token_decides_and_then_passes() -> None:
    touching = race(contact("a", 0, err_ns=60 * US), contact("b", 100 * US, err_ns=40 * US))
    assert decided(touching, token="b") == Decision("b", "level", by_token=True)
    path = CabinetPath(Random(1), token="b")
    later = touching.swapped()
    winners = [path.decide(one).winner for one in (touching, moved(later, 400 * MS), moved(touching, 800 * MS))]
    assert winners == ["b", "a", "b"]


def moved(given: Race, by_ns: int) -> Race:
    """The race, later."""
    a, b = (
        replace(
            one,
            changes_ns=tuple(t_ns + by_ns for t_ns in one.changes_ns),
            stamps_ns=tuple(t_ns + by_ns for t_ns in one.stamps_ns),
            arrivals_ns=tuple(t_ns + by_ns for t_ns in one.arrivals_ns),
        )
        for one in (given.a, given.b)
    )
    return Race(a, b, given.begins_ns + by_ns, given.rests_ns + by_ns)


def test_a_press_that_comes_later_than_promised_is_judged_as_it_comes_and_called_late() -> None:
    late = race(contact("a", 0, delay_ns=40 * MS), contact("b", MS))
    assert decided(late) == Decision("b", "late", late_ns=40 * MS)


def test_a_loser_that_comes_late_excuses_nothing() -> None:
    late = race(contact("a", 0), contact("b", MS, delay_ns=40 * MS))
    assert decided(late) == Decision("a", "told_apart")


def test_of_level_presses_either_may_come_late() -> None:
    late = race(contact("a", 0, err_ns=60 * US), contact("b", 50 * US, delay_ns=40 * MS, err_ns=40 * US))
    assert decided(late) == Decision("a", "late", late_ns=40 * MS)
    assert decided(late.swapped()) == Decision("b", "late", late_ns=40 * MS)


def test_an_edge_that_can_change_nothing_any_more_may_come_as_late_as_it_likes() -> None:
    pressed = contact("a", 0, bounce_us=(5_000, 6_000))
    begins_ns = pressed.closes_ns
    slow = replace(pressed, arrivals_ns=(begins_ns, *(begins_ns + at_ns * MS for at_ns in (45, 46, 80))))
    other = contact("b", 44 * MS)
    assert decided(race(slow, other)) == Decision("a", "told_apart")


def test_what_was_delivered_in_time_is_not_late_whatever_its_source_has_promised() -> None:
    """A source without slack promises too much: it is found out."""
    eager = CabinetPath(Random(1), HostGpio(slack_ns=0, slack_limit_ns=0))
    wrong = race(contact("a", 0, delay_ns=1_900 * US), contact("b", 300 * US))
    assert eager.decide(wrong) == Decision("b", "told_apart")


def with_reader_stalled(length_ms: int) -> Race:
    """a was first; nothing is delivered for a while from just before that, and then b's edges come first."""
    until_ns = BEGINS_NS + length_ms * MS
    a = contact("a", 0, delay_ns=length_ms * MS)
    b = contact("b", MS, delay_ns=(length_ms - 1) * MS)
    return race(a, b, Stall("reader", BEGINS_NS - MS, until_ns))


def test_a_reader_that_stands_still_for_a_moment_is_waited_for() -> None:
    assert decided(with_reader_stalled(15)) == Decision("a", "told_apart")


def test_a_reader_that_stands_still_for_long_counts_as_silent_and_its_races_as_late() -> None:
    found = decided(with_reader_stalled(80))
    assert (found.claim, found.late_ns >= 79 * MS) == ("late", True)


def test_a_game_that_stands_still_decides_rightly_when_it_goes_on() -> None:
    stall = Stall("game", BEGINS_NS - MS, BEGINS_NS + 120 * MS)
    assert decided(race(contact("a", 0, delay_ns=2 * MS), contact("b", MS), stall)) == Decision("a", "told_apart")


def test_a_spike_wins_nothing() -> None:
    instants_ns = (BEGINS_NS, BEGINS_NS + 3 * US)
    a, b = (Contact(seat, "1", instants_ns, instants_ns, instants_ns, err_ns=0) for seat in SEATS)
    assert decided(race(contact("a", MS), b)).winner == "a"
    assert decided(race(a, b)).winner is None
