"""The storm of the bench: its events are those of sixteen chattering lines, and what is lost is counted."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from cabinet.bench import storm
from cabinet.bench.figures import spread_ms
from cabinet.bench.running import start_presses
from cabinet.buttons.kernel_lines import BUFFER_EVENTS
from cabinet.buttons.sequence import BECAME_ACTIVE, RawEvent
from cabinet.game import FRAME_NS

MS = 1_000_000
SECOND_NS = 1_000 * MS


class Clock:
    """A clock that is set."""

    now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


def lines_of(presses: list[tuple[str, int]], from_ns: int, to_ns: int) -> tuple[storm.StormyLines, Clock]:
    clock = Clock()
    return storm.StormyLines(presses, (from_ns, to_ns), Random(1), clock), clock


def events_until(until_ns: int, step_ns: int, presses: list[tuple[str, int]]) -> list[RawEvent]:
    """What a reader finds that looks every `step_ns`, with a storm in the second 1."""
    lines, clock = lines_of(presses, SECOND_NS, 2 * SECOND_NS)
    events = []
    while clock.now_ns < until_ns:
        clock.now_ns += step_ns
        if lines.wait(0):
            events += lines.read()
    assert not lines.wait(0)
    return events


def test_sixteen_lines_chatter_at_five_thousand_edges_a_second_while_two_are_pressed() -> None:
    assert len(storm.NOISY) == 16
    assert set(storm.NOISY).isdisjoint(storm.PRESSED)
    assert {line[0] for line in storm.PRESSED} == {"b"}
    events = events_until(3 * SECOND_NS, 1 * MS, [("b.1", 1_500 * MS)])
    of_line = {line: [event for event in events if event[2] == pin] for line, pin in storm.PINS.items()}
    assert {len(of_line[line]) for line in storm.NOISY} == {5_000}
    assert [(t_ns, kind == BECAME_ACTIVE) for t_ns, kind, *_ in of_line["b.1"]] == [
        (1_500 * MS, True),
        (1_500 * MS + storm.HOLD_NS, False),
    ]
    assert all(SECOND_NS <= event[0] < 2 * SECOND_NS for line in storm.NOISY for event in of_line[line])


def test_events_come_when_their_time_has_come_in_order_and_numbered_without_a_gap() -> None:
    presses = [(line, at_ns) for line, at_ns in storm.plan(0, 3 * SECOND_NS, Random(2))]
    for step_ns in (1 * MS, 7 * MS):
        events = events_until(4 * SECOND_NS, step_ns, presses)
        assert [event[0] for event in events] == sorted(event[0] for event in events)
        assert [event[3] for event in events] == list(range(1, len(events) + 1))
        for pin in storm.PINS.values():
            numbers = [event[4] for event in events if event[2] == pin]
            assert numbers == list(range(1, len(numbers) + 1))


def test_a_full_buffer_loses_its_oldest_events_as_the_kernel_s_does() -> None:
    lines, clock = lines_of([], 0, SECOND_NS)
    clock.now_ns = 20 * MS
    assert lines.wait(0)
    events = lines.read()
    assert len(events) == BUFFER_EVENTS < events[-1][3]
    assert not lines.wait(0)


def test_levels_are_those_after_the_last_event() -> None:
    lines, clock = lines_of([("b.1", 5 * MS)], SECOND_NS, 2 * SECOND_NS)
    assert not any(lines.levels().values())
    clock.now_ns = 5 * MS
    assert [line for line, closed in lines.levels().items() if closed] == ["b.1"]


def test_presses_of_the_other_player_are_far_apart_and_each_line_has_rested() -> None:
    presses = storm.plan(0, 10 * SECOND_NS, Random(1))
    assert len(presses) > 50
    for (line, at_ns), (next_line, next_ns) in pairwise(presses):
        assert line != next_line
        assert 100 * MS <= next_ns - at_ns < 200 * MS
    assert presses[-1][1] + storm.HOLD_NS < 10 * SECOND_NS
    starts = start_presses(4 * SECOND_NS)
    assert max(at_ns for _, at_ns in starts) + storm.HOLD_NS < 4 * SECOND_NS


def test_a_frame_is_late_when_it_comes_more_than_one_and_a_half_frame_times_after_the_one_before() -> None:
    late_ns = FRAME_NS * 3 // 2
    shown_ns = [0, FRAME_NS, FRAME_NS + late_ns, FRAME_NS + 2 * late_ns + 1]
    found = storm.late_frames(shown_ns, [(0, SECOND_NS)])
    assert (found.frames, found.late, found.worst_ms, found.share) == (3, 1, 25.0, 33.333)


def test_frames_are_counted_only_within_the_stretches_of_time() -> None:
    shown_ns = [0, 10 * MS, 100 * MS, 110 * MS, 120 * MS, 300 * MS]
    found = storm.late_frames(shown_ns, [(0, 50 * MS), (100 * MS, 200 * MS)])
    assert (found.frames, found.late, found.worst_ms) == (3, 0, 10.0)
    with pytest.raises(ValueError, match="no frames were shown"):
        storm.late_frames(shown_ns, [(400 * MS, 500 * MS)])


def test_a_press_without_a_sign_is_lost_and_one_with_another_stamp_is_misdated() -> None:
    presses = [("b.1", 100 * MS), ("b.2", 250 * MS), ("b.1", 400 * MS), ("b.2", 900 * MS)]
    published_ns = {
        ("b.1", 100 * MS): 103 * MS,
        ("b.2", 250 * MS + 1): 255 * MS,
        ("b.2", 400 * MS): 402 * MS,
        ("b.2", 900 * MS): 905 * MS,
    }
    told = storm.told_of(presses, published_ns, 0, 500 * MS)
    assert (told.delays_ns, told.misdated, told.lost) == ([3 * MS], 1, 1)


def test_how_many_times_as_many_frames_were_late_has_an_answer_where_none_was() -> None:
    calm = storm.LateFrames(frames=300, late=0, worst_ms=20.0)
    spread = spread_ms([MS])
    borne = storm.StormBorne(
        edges_per_s=80_000.0, presses=64, presses_lost=0, presses_misdated=0,
        storm=storm.LateFrames(frames=600, late=5, worst_ms=30.0), calm=calm,
        delay=spread, calm_delay=spread, edges_lost=0, edges_left_out=0,
    )  # fmt: skip
    assert borne.late_beyond_calm == 0.833
    assert borne.late_ratio == 3.0
