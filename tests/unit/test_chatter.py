"""What is left out of a chatter when events have piled up."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cabinet.buttons.chatter import KEPT_EVERY_NS, PILED_UP_EVENTS, RUSH_REST_NS, Rush, needless
from cabinet.buttons.debounce import Debouncer
from cabinet.buttons.edges import HOST_CLOCK, Edge
from cabinet.buttons.sequence import RawEvent

MS = 1_000_000
US = 1_000


def train(line: int, count: int, apart_ns: int, from_ns: int = 0) -> list[RawEvent]:
    return [(from_ns + n * apart_ns, 1 + n % 2, line, n + 1, n + 1) for n in range(count)]


def test_as_long_as_few_come_at_once_nothing_is_left_out() -> None:
    assert needless(train(4, PILED_UP_EVENTS - 1, 200 * US)) == frozenset()


def test_of_a_chatter_the_beginning_the_end_and_one_event_every_two_milliseconds_are_kept() -> None:
    events = train(4, 500, 200 * US)
    kept = [event[0] for place, event in enumerate(events) if place not in needless(events)]
    assert kept[:8] == [event[0] for event in events[:8]]
    assert kept[-1] == events[-1][0]
    gaps = [after - before for before, after in pairwise(kept)]
    assert max(gaps) == KEPT_EVERY_NS
    assert len(kept) < 70


def test_a_line_that_bounces_as_switches_do_loses_nothing_however_much_the_others_chatter() -> None:
    bounce = [
        (30 * MS + us * US, 1 + n % 2, 5, n + 1, n + 1) for n, us in enumerate((0, 4, 9, 260, 550, 556, 570))
    ]
    events = sorted([*train(4, 500, 200 * US), *bounce])
    left_out = needless(events)
    assert left_out
    assert {events[place][2] for place in left_out} == {4}


def test_a_worn_switch_loses_nothing_either() -> None:
    worn = train(5, 40, 600 * US)
    left_out = needless([*train(4, 500, 200 * US), *worn])
    assert left_out
    assert max(left_out) < 500


def test_the_last_event_before_a_rest_is_kept_for_its_level() -> None:
    events = [*train(4, 306, 200 * US), *train(4, 306, 200 * US, from_ns=200 * MS)]
    left_out = needless(events)
    assert 304 in left_out
    assert 305 not in left_out


def test_presses_that_piled_up_while_the_program_stood_still_lose_nothing() -> None:
    events = train(4, 300, 3 * MS)
    assert needless(events) == frozenset()


@given(st.builds(Random, st.integers(0, 1 << 32)))
def test_a_chattering_press_is_the_same_press_with_and_without_what_is_left_out(chance: Random) -> None:
    """Its first edge is its stamp, it is one press, and it is over when it was over."""
    t_ns = 10 * MS
    events: list[RawEvent] = []
    for number in range(chance.randrange(300, 900)):
        events.append((t_ns, 1 + number % 2, 4, number + 1, number + 1))
        closed = number % 2 == 0
        t_ns += chance.randrange(180, 240) * US if closed else chance.randrange(80, 120) * US
    left_out = needless(events)
    assert left_out
    whole = debounced(events)
    assert debounced([event for place, event in enumerate(events) if place not in left_out]) == whole
    assert [kind for _, kind in whole] == (["Press"] if len(events) % 2 else ["Press", "Release"])


def debounced(events: list[RawEvent]) -> list[tuple[int, str]]:
    """As the source passes them on: equal kinds in a row are a pulse."""
    line = Debouncer("a.1")
    closed = False
    seq = 0
    for t_ns, kind, *_ in events:
        for active in [not closed, closed] if (kind == 1) == closed else [kind == 1]:
            seq += 1
            line.edge(Edge(HOST_CLOCK, "a.1", active, t_ns, 0, seq))
        closed = kind == 1
    return [(one.t_ns, type(one).__name__) for _, one in line.advance(10_000 * MS)]


def rests(events_a_ms: int, for_ms: int) -> list[int]:
    """What a reader that looks every millisecond is told."""
    rush = Rush()
    return [rush.rest_ns(events_a_ms, ms * MS) for ms in range(for_ms)]


def test_switches_in_order_make_no_rush_however_many_bounce_at_once() -> None:
    assert set(rests(2, 10_000)) == {0}
    rush = Rush()
    twelve_buttons_bounce = [rush.rest_ns(5, at_us * 1_000) for at_us in range(0, 12_000, 1_000)]
    assert set(twelve_buttons_bounce) == {0}


def test_one_chattering_line_is_a_rush_after_a_while_and_sixteen_at_once() -> None:
    one, sixteen = rests(5, 100), rests(80, 100)
    assert one[:20] == [0] * 20
    assert one[30:] == [RUSH_REST_NS] * 70
    assert sixteen == [RUSH_REST_NS] * 100


def test_events_read_one_by_one_make_a_rush_as_well() -> None:
    rush = Rush()
    told = [rush.rest_ns(1, number * 12_500) for number in range(400)]
    assert told[:60] == [0] * 60
    assert told[100:] == [RUSH_REST_NS] * 300


def test_a_rush_ends_soon_after_the_chatter() -> None:
    rush = Rush()
    for ms in range(1_000):
        rush.rest_ns(80, ms * MS)
    assert rush.rest_ns(2, 1_010 * MS) == RUSH_REST_NS
    assert rush.rest_ns(2, 1_050 * MS) == 0
