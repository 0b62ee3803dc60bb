"""Edges, losses, levels and the watermark on the host's side: PROTOCOL.md, "What the host does", 2 to 5."""

from __future__ import annotations

import pytest

from cabinet.buttons.edges import WIDE_ERROR_NS
from firmware_bridge.protocol import Beat, Edges, Snapshot
from firmware_bridge.received import MARKS_KEPT, REST_NS, Happened, Received
from tests import bridge_talk

US = 1_000
REST_US = REST_NS // US
BEGAN_US = 1_000
LATER_US = 100_000
"""Edges of the tests count from here on, long after the link began."""


def at(later_us: int) -> int:
    """A stamp in nanoseconds."""
    return (LATER_US + later_us) * US


def edges_of(first: int, *changes: tuple[int, int, bool], ahead: int = 0, err_us: int = 1) -> Edges:
    later = [(LATER_US + stamp_us, button, closed) for stamp_us, button, closed in changes]
    return bridge_talk.edges_of(first, *later, ahead=ahead, err_us=err_us)


def beat_of(watermark_us: int, next_seq: int, levels: int = 0, held: int = 0) -> Beat:
    return bridge_talk.beat_of(LATER_US + watermark_us, next_seq, levels, held)


def begun(first: int = 0, next_seq: int | None = None, levels: int = 0) -> Received:
    received = Received()
    snapshot = Snapshot(BEGAN_US, levels, first, first if next_seq is None else next_seq)
    assert received.begin(snapshot, is_same_boot=False) == []
    return received


def resumed(received: Received, first: int, next_seq: int, levels: int, stamp_us: int) -> list[Happened]:
    return received.begin(Snapshot(LATER_US + stamp_us, levels, first, next_seq), is_same_boot=True)


def changes(happened: list[Happened]) -> list[tuple[int, bool, int]]:
    return [(one.button, one.closed, one.t_ns // US - LATER_US) for one in happened]


# Once and in order


def test_edges_are_taken_with_the_devices_stamps_and_errors() -> None:
    received = begun()
    [one, two] = received.edges(edges_of(0, (2_000, 1, True), (2_345, 1, False), err_us=7))
    assert one == Happened(1, True, at(2_000), 7 * US)
    assert two == Happened(1, False, at(2_345), 7 * US)
    assert (received.needs_next, received.gone, received.largest_err_ns) == (2, 0, 7 * US)


def test_what_was_here_already_is_not_taken_again() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 1, True), (2_100, 1, False)))
    assert received.edges(edges_of(0, (2_000, 1, True), (2_100, 1, False))) == []
    again = received.edges(edges_of(1, (2_100, 1, False), (2_200, 1, True)))
    assert changes(again) == [(1, True, 2_200)]
    assert received.needs_next == 3


def test_a_frame_behind_a_lost_one_is_not_taken() -> None:
    received = begun()
    hole = edges_of(1, (2_100, 1, False), ahead=1)
    assert received.edges(hole) == []
    assert received.misses(hole)
    assert (received.needs_next, received.gone) == (0, 0)


def test_numbers_go_on_from_zero_after_the_last() -> None:
    received = begun(first=0xFFFFFFFF)
    assert changes(received.edges(edges_of(0xFFFFFFFF, (2_000, 0, True), (2_001, 0, False)))) == [
        (0, True, 2_000),
        (0, False, 2_001),
    ]
    assert received.needs_next == 1


# Gone


def test_edges_before_the_oldest_that_is_held_are_gone_and_counted() -> None:
    received = begun()
    happened = received.edges(edges_of(5, (3_000, 0, True), ahead=0))
    assert changes(happened) == [(0, True, 3_000)]
    assert (received.gone, received.needs_next) == (5, 6)


def test_of_edges_gone_and_others_lost_on_the_way_the_others_are_waited_for() -> None:
    received = begun()
    hole = edges_of(9, (3_000, 0, True), ahead=4)
    assert received.edges(hole) == []
    assert (received.gone, received.needs_next) == (5, 5)
    assert received.misses(hole)


def test_a_beat_tells_of_gone_edges_too() -> None:
    received = begun()
    received.beat(beat_of(3_000, 8, held=2))
    assert (received.gone, received.needs_next) == (6, 6)


def test_the_first_edge_of_each_button_after_gone_ones_may_hide_one_and_says_so_in_its_error() -> None:
    received = begun()
    received.beat(beat_of(1_500, 0))
    [one, two, other] = received.edges(edges_of(5, (3_000, 0, True), (3_100, 0, False), (3_200, 1, True)))
    assert (one.may_hide, one.err_ns) == (True, 1_500 * US)
    assert (two.may_hide, two.err_ns) == (False, 1 * US)
    assert (other.may_hide, other.err_ns) == (True, 1_700 * US)


def test_levels_that_agree_end_the_doubt() -> None:
    received = begun()
    received.beat(beat_of(1_500, 5, held=0))
    [one] = received.edges(edges_of(5, (3_000, 0, True)))
    assert (received.gone, one.may_hide, one.err_ns) == (5, False, 1 * US)


# Levels


def test_a_level_that_no_edge_explains_makes_up_an_edge_that_is_never_a_dead_heat() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 1, True)))
    received.beat(beat_of(3_000, 1, levels=0b010))
    [made_up] = received.beat(beat_of(8_000, 1, levels=0b011))
    assert made_up == Happened(0, True, at(5_500), WIDE_ERROR_NS + 1, made_up=True)
    assert received.made_up == 1
    assert received.beat(beat_of(9_000, 1, levels=0b011)) == []


def test_the_error_of_what_is_made_up_covers_all_the_time_in_which_it_may_have_been() -> None:
    received = begun()
    received.beat(beat_of(2_000, 0))
    [made_up] = received.beat(beat_of(42_000, 0, levels=1))
    assert (made_up.t_ns, made_up.err_ns) == (at(22_000), 20_000 * US)


def test_what_is_made_up_lies_behind_the_last_edge_of_its_button() -> None:
    received = begun()
    received.edges(edges_of(0, (7_000, 0, True)))
    [made_up] = received.beat(beat_of(8_000, 1, levels=0))
    assert (made_up.closed, made_up.t_ns) == (False, at(7_500))


def test_a_made_up_edge_that_gone_numbers_explain_is_not_counted_twice() -> None:
    received = begun()
    [made_up] = received.beat(beat_of(8_000, 3, levels=1))
    assert made_up.made_up
    assert (received.gone, received.made_up) == (3, 0)


def test_levels_are_not_compared_before_their_edges_are_here() -> None:
    received = begun()
    assert received.beat(beat_of(8_000, 1, levels=1, held=1)) == []
    assert changes(received.edges(edges_of(0, (7_000, 0, True)))) == [(0, True, 7_000)]
    assert received.made_up == 0


def test_levels_of_a_beat_that_newer_edges_have_overtaken_say_nothing() -> None:
    received = begun()
    received.beat(beat_of(8_000, 1, levels=0b001, held=1))
    happened = received.edges(edges_of(0, (7_000, 0, True), (9_000, 0, False)))
    assert changes(happened) == [(0, True, 7_000), (0, False, 9_000)]
    assert received.watermark_ns == at(8_000)


# Watermark


def test_the_watermark_is_that_of_a_beat_whose_edges_are_all_here() -> None:
    received = begun()
    received.beat(beat_of(3_000, 0))
    assert received.watermark_ns == at(3_000)
    received.beat(beat_of(8_000, 2, levels=1, held=2))
    received.edges(edges_of(0, (7_000, 0, True)))
    assert received.watermark_ns == at(3_000)
    received.edges(edges_of(1, (7_100, 1, True), ahead=1))
    assert received.watermark_ns == at(8_000)


def test_each_beat_that_waits_counts_when_its_own_edges_are_here() -> None:
    received = begun()
    received.beat(beat_of(3_000, 1, held=1))
    received.beat(beat_of(8_000, 2, held=2))
    received.edges(edges_of(0, (2_000, 0, True)))
    assert received.watermark_ns == at(3_000)


def test_a_beat_counts_when_its_edges_are_gone() -> None:
    received = begun()
    received.beat(beat_of(8_000, 4, held=0))
    assert received.watermark_ns == at(8_000)


def test_of_too_many_beats_that_wait_the_newest_counts() -> None:
    received = begun()
    for number in range(MARKS_KEPT + 10):
        received.beat(beat_of(3_000 + number, 1, held=1))
    received.edges(edges_of(0, (2_000, 0, True)))
    assert received.watermark_ns == at(3_000 + MARKS_KEPT + 9)


# The begin of a link


def test_a_button_that_is_down_at_the_first_levels_presses_only_after_it_was_let_go_for_a_while() -> None:
    received = begun(levels=0b100)
    assert received.held() == (2,)
    assert received.edges(edges_of(0, (5_000, 2, False), (5_300, 2, True), (5_400, 2, False))) == []
    assert received.held() == ()
    again = received.edges(edges_of(3, (5_400 + REST_US, 2, True)))
    assert changes(again) == [(2, True, 5_400 + REST_US)]


def test_the_bounce_of_letting_it_go_presses_nothing() -> None:
    received = begun(levels=0b100)
    just_before_us = 5_000 + REST_US - 1
    assert received.edges(edges_of(0, (5_000, 2, False), (just_before_us, 2, True))) == []
    assert received.edges(edges_of(2, (just_before_us + 100, 2, False))) == []


def test_a_button_that_is_open_at_the_first_levels_presses_when_it_has_been_so_for_a_while() -> None:
    """What closes sooner may be the bounce of a button that was let go while the device booted."""
    received = Received()
    received.begin(Snapshot(LATER_US, 0, 3, 3), is_same_boot=False)
    received.beat(beat_of(REST_US - 1, 3))
    assert not received.is_ready
    assert received.edges(edges_of(3, (REST_US - 1, 0, True), (REST_US, 0, False))) == []
    assert changes(received.edges(edges_of(5, (2 * REST_US, 0, True)))) == [(0, True, 2 * REST_US)]
    assert changes(received.edges(edges_of(6, (2 * REST_US, 1, True)))) == [(1, True, 2 * REST_US)]


def test_a_link_is_ready_when_that_while_is_over() -> None:
    received = Received()
    ready = [received.is_ready]
    received.begin(Snapshot(LATER_US, 0, 3, 3), is_same_boot=False)
    for later_us in (0, REST_US - 1, REST_US):
        received.beat(beat_of(later_us, 3))
        ready.append(received.is_ready)
    received.lose(0)
    resumed(received, first=3, next_seq=3, levels=0, stamp_us=REST_US + 1)
    ready.append(received.is_ready)
    assert ready == [False, False, False, True, True], "the same boot knows its buttons"


def test_beats_of_an_older_session_count_no_more() -> None:
    received = begun()
    received.beat(beat_of(3_000, 5, levels=0b111, held=5))
    received.lose(0)
    received.begin(Snapshot(BEGAN_US, 0, 5, 5), is_same_boot=False)
    assert received.watermark_ns == BEGAN_US * US
    assert received.held() == ()


def test_edges_from_before_the_first_levels_press_nothing() -> None:
    received = Received()
    received.begin(Snapshot(LATER_US, 0b010, 3, 5), is_same_boot=False)
    assert received.edges(edges_of(3, (-400, 0, False), (-300, 0, True))) == []
    assert received.held() == (1,)


# Links that are lost


def test_a_lost_link_lets_go_what_was_told_closed_with_an_honest_error() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True), (2_100, 1, True), (2_200, 1, False)))
    received.beat(beat_of(93_000, 3, levels=1))
    [released] = received.lose(80_000_000)
    assert released == Happened(0, False, at(93_000) + 1, 80_000_000, made_up=True)
    assert received.made_up == 1
    assert received.lose(80_000_000) == []


def test_a_release_that_is_made_up_is_never_known_well() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True)))
    assert received.lose(0)[0].err_ns == WIDE_ERROR_NS + 1


def test_a_press_that_has_just_begun_lasts_long_enough_to_count() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True)))
    assert received.lose(0)[0].t_ns == at(2_000) + REST_NS


def test_what_is_held_over_a_lost_link_does_not_press_when_the_link_is_back() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True)))
    received.lose(0)
    assert resumed(received, first=1, next_seq=1, levels=1, stamp_us=90_000) == []
    assert received.held() == (0,)
    assert received.edges(edges_of(1, (95_000, 0, False))) == []
    again = received.edges(edges_of(2, (95_000 + REST_US, 0, True)))
    assert changes(again) == [(0, True, 95_000 + REST_US)]


def test_what_closed_while_nobody_listened_comes_when_the_same_boot_is_resumed() -> None:
    received = begun()
    received.lose(0)
    resumed(received, first=0, next_seq=2, levels=0, stamp_us=90_000)
    happened = received.edges(edges_of(0, (40_000, 0, True), (60_000, 0, False)))
    assert changes(happened) == [(0, True, 40_000), (0, False, 60_000)]
    assert (received.gone, received.made_up) == (0, 0)


def test_where_a_resumed_device_has_dropped_edges_they_are_gone() -> None:
    received = begun()
    resumed(received, first=30, next_seq=40, levels=0, stamp_us=90_000)
    assert (received.gone, received.needs_next) == (30, 30)


def test_a_session_that_is_answered_twice_takes_nothing_twice() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True), (2_100, 0, False)))
    resumed(received, first=1, next_seq=2, levels=0, stamp_us=90_000)
    assert received.needs_next == 2


@pytest.mark.parametrize("first", [0, 500])
def test_another_boot_begins_with_its_own_numbers_and_times_and_nothing_is_gone(first: int) -> None:
    received = begun(first=100)
    received.edges(edges_of(100, (2_000_000, 0, True)))
    received.lose(0)
    assert received.begin(Snapshot(BEGAN_US, 0, first, first), is_same_boot=False) == []
    assert changes(received.edges(edges_of(first, (1_500, 0, True)))) == [(0, True, 1_500)]
    assert (received.gone, received.watermark_ns) == (0, BEGAN_US * US)


# Bounces that are cut in two


def test_what_comes_late_of_a_bounce_is_no_press_of_its_own() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True), (2_300, 0, False)))
    received.interrupt()
    assert received.edges(edges_of(2, (3_500, 0, True), (4_000, 0, False))) == []
    again = received.edges(edges_of(4, (4_000 + REST_US, 0, True)))
    assert changes(again) == [(0, True, 4_000 + REST_US)]


def test_nor_is_what_comes_late_of_the_bounce_of_letting_go() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True), (90_000, 0, False)))
    received.lose(0)
    assert received.edges(edges_of(2, (91_000, 0, True), (91_100, 0, False))) == []


def test_a_press_that_has_not_counted_counts_by_what_comes_late() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True), (2_199, 0, False)))
    received.interrupt()
    assert changes(received.edges(edges_of(2, (2_300, 0, True)))) == [(0, True, 2_300)]


def test_a_button_at_rest_is_not_in_the_middle_of_a_bounce() -> None:
    received = begun()
    received.edges(edges_of(0, (2_000, 0, True), (40_000, 0, False)))
    received.beat(beat_of(40_000 + REST_US, 2))
    received.interrupt()
    again = received.edges(edges_of(2, (41_000 + REST_US, 0, True)))
    assert changes(again) == [(0, True, 41_000 + REST_US)]
