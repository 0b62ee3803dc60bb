"""The order of the kernel's events, and what is missing among them."""

from __future__ import annotations

from cabinet.buttons.sequence import RawEvent, Sequence

MS = 1_000_000
US = 1_000
MERGE_NS = 200 * US
NEVER_NS = 0
"""Before every stamp here: nothing is due but what is in order."""


def event(number: int, line_number: int, *, us: int, line: int = 4, kind: int = 1) -> RawEvent:
    return (10 * MS + us * US, kind, line, number, line_number)


def sequence() -> Sequence:
    return Sequence(1 * MS)


def stamps_us(one: Sequence, until_us: int | None = None) -> list[int]:
    until_ns = NEVER_NS if until_us is None else 10 * MS + until_us * US
    return [(found.t_ns - 10 * MS) // US for found in one.ready(until_ns, MERGE_NS)]


def test_events_that_follow_each_other_go_at_once() -> None:
    one = sequence()
    assert one.take([event(1, 1, us=0), event(2, 1, us=5, line=5)]) == 0
    assert stamps_us(one) == [0, 5]
    assert (one.dropped, one.merged) == (0, 0)


def test_events_are_put_in_the_order_of_their_numbers_and_the_disorder_is_told() -> None:
    one = sequence()
    came = [event(3, 1, us=700, line=6), event(1, 1, us=0, line=4), event(2, 1, us=300, line=5)]
    assert one.take(came) == 700 * US
    assert stamps_us(one) == [0, 300, 700]


def test_an_event_behind_a_missing_one_waits_for_it() -> None:
    one = sequence()
    one.take([event(1, 1, us=0), event(3, 1, us=50, line=5)])
    assert stamps_us(one, until_us=49) == [0]
    one.take([event(2, 2, us=20)])
    assert stamps_us(one, until_us=49) == [20, 50]
    assert one.merged == 0


def test_it_waits_no_longer_than_its_stamp_is_due() -> None:
    one = sequence()
    one.take([event(1, 1, us=0), event(3, 1, us=50, line=5), event(4, 2, us=60), event(6, 3, us=90)])
    assert stamps_us(one, until_us=50) == [0, 50, 60]
    assert stamps_us(one, until_us=100) == [90]
    assert one.merged == 2


def test_one_that_comes_after_it_was_given_up_is_passed_on_and_not_missing_any_more() -> None:
    one = sequence()
    one.take([event(1, 1, us=0), event(3, 1, us=50, line=5)])
    assert stamps_us(one, until_us=50) == [0, 50]
    assert one.merged == 1
    one.take([event(2, 2, us=20)])
    assert stamps_us(one) == [20]
    assert one.merged == 0


def test_equal_kinds_in_a_row_stay_what_they_are() -> None:
    one = sequence()
    one.take([event(1, 1, us=0), event(2, 2, us=5), event(3, 3, us=9, kind=2), event(4, 4, us=11, kind=2)])
    assert [found.is_active for found in one.ready(NEVER_NS, MERGE_NS)] == [True, True, False, False]


def test_numbers_wrap_around_after_four_thousand_million() -> None:
    one = sequence()
    one._next = (1 << 32) - 1
    one._lines[4] = ((1 << 32) - 1, one._next - 1, 10 * MS)
    one.take([event(1, 2, us=9), event((1 << 32) - 1, 0, us=0), event(0, 1, us=5)])
    assert stamps_us(one) == [0, 5, 9]
    assert (one.dropped, one.merged) == (0, 0)


def test_a_hole_in_the_numbers_of_a_line_is_a_loss_and_the_next_edge_is_in_doubt_since_its_last() -> None:
    one = sequence()
    one.take([event(1, 1, us=0), event(2, 1, us=10, line=5), event(6, 4, us=900), event(7, 2, us=950, line=5)])
    first, other, after_loss, _ = one.ready(11 * MS, MERGE_NS)
    assert (first.doubt_from_ns, other.doubt_from_ns) == (first.t_ns, other.t_ns)
    assert after_loss.follows_loss
    assert after_loss.doubt_from_ns == first.t_ns
    assert one.dropped == 2
    assert one.merged == 1


def test_a_loss_before_the_first_event_of_a_line_is_in_doubt_since_the_claim() -> None:
    one = sequence()
    one.take([event(3, 3, us=0)])
    (found,) = one.ready(11 * MS, MERGE_NS)
    assert (found.doubt_from_ns, found.follows_loss, one.dropped) == (1 * MS, True, 2)


def test_where_edges_became_one_the_edge_is_in_doubt_since_the_event_before() -> None:
    one = sequence()
    one.take([event(1, 1, us=0, line=5), event(3, 1, us=100, line=4)])
    _, merged = one.ready(11 * MS, MERGE_NS)
    assert not merged.follows_loss
    assert merged.t_ns - merged.doubt_from_ns == 100 * US


def test_but_no_longer_than_edges_can_become_one() -> None:
    one = sequence()
    one.take([event(1, 1, us=0, line=5), event(3, 1, us=5_000, line=4)])
    _, merged = one.ready(20 * MS, MERGE_NS)
    assert merged.t_ns - merged.doubt_from_ns == MERGE_NS


def test_a_missing_edge_may_be_of_any_line_that_follows_soon_but_of_each_only_once() -> None:
    one = sequence()
    one.take(
        [
            event(1, 1, us=0, line=5),
            event(3, 1, us=50, line=4),
            event(4, 2, us=70, line=5),
            event(5, 2, us=80, line=4),
            event(6, 1, us=251, line=6),
        ]
    )
    doubts = [(found.t_ns - found.doubt_from_ns) // US for found in one.ready(20 * MS, MERGE_NS)]
    assert doubts == [0, 50, 70, 0, 0]


def test_a_needless_event_does_not_come_out_but_its_numbers_count() -> None:
    one = sequence()
    one.take([event(1, 1, us=0), event(2, 2, us=5), event(3, 3, us=9)], needless={1})
    assert stamps_us(one) == [0, 9]
    assert (one.dropped, one.merged) == (0, 0)


def test_a_needless_event_behind_a_loss_comes_out_to_tell_it() -> None:
    one = sequence()
    one.take([event(1, 1, us=0), event(4, 4, us=5), event(5, 5, us=9)], needless={1})
    found = one.ready(11 * MS, MERGE_NS)
    assert [each.follows_loss for each in found] == [False, True, False]


def test_holes_without_end_are_not_remembered_without_end() -> None:
    one = sequence()
    for count in range(1, 20_000):
        one.take([event(2 * count, count, us=count)])
        one.ready(100 * MS, MERGE_NS)
    assert len(one._hole_numbers) <= 4_096
    assert one.merged == 19_999
