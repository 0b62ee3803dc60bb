"""Clock, rings and capture: every check runs under CPython and under MicroPython."""

from firmware_bridge.firmware.clock import Clock, nearest
from firmware_bridge.firmware.edge_ring import EdgeRing
from firmware_bridge.protocol import RawEdge
from tests.firmware_desk import MINUTE_US, RELEASED, Desk, SoftSamples, Ticks

WORD = 0x100000000


def edges_of(desk: Desk) -> "list[RawEdge]":
    for _ in range(3):
        desk.capture.drain()
    return desk.ring.edges(desk.ring.oldest, 1000)


def check_the_clock_goes_on_where_the_ticks_begin_again() -> None:
    ticks = Ticks(0x3FFFFFF0)
    clock = Clock(ticks)
    before_us = clock.now_us()
    for minutes in range(1, 100):
        ticks.now_us += MINUTE_US
        assert clock.now_us() == before_us + minutes * (MINUTE_US + 1)


def check_the_clock_knows_the_stamp_of_ticks_read_before() -> None:
    ticks = Ticks(0x3FFFFFFF - 5)
    clock = Clock(ticks)
    read = ticks()
    ticks.now_us += MINUTE_US
    assert clock.stamp_of(read) == read


def check_a_low_word_is_extended_to_the_nearest_number() -> None:
    assert nearest(5, 3 * WORD + 1) == 3 * WORD + 5
    assert nearest(WORD - 5, 3 * WORD + 1) == 3 * WORD - 5
    assert nearest(5, 3 * WORD - 1) == 3 * WORD + 5
    assert nearest(0, 0) == 0


def check_a_full_ring_keeps_the_newest_edges_and_counts_the_others() -> None:
    ring = EdgeRing(4)
    for stamp_us in range(10):
        ring.add(stamp_us, stamp_us % 3, stamp_us % 2 == 0)
    assert ring.drops == 6
    assert (ring.oldest, ring.held, ring.next_seq) == (6, 4, 10)
    assert ring.edges(6, 9) == [RawEdge(stamp_us, stamp_us % 3, stamp_us % 2 == 0) for stamp_us in range(6, 10)]
    assert ring.edges(8, 1) == [RawEdge(8, 2, True)]


def check_edge_numbers_begin_again_after_the_last() -> None:
    ring = EdgeRing(4)
    ring.oldest = WORD - 2
    for stamp_us in (7, 8, 9):
        ring.add(stamp_us, 0, True)
    assert ring.next_seq == 1
    assert ring.holds(WORD - 2)
    assert ring.holds(1)
    assert not ring.holds(2)
    assert not ring.holds(WORD - 3)
    assert ring.forget_before(0) == 2
    assert ring.edges(0, 5) == [RawEdge(9, 0, True)]


def check_a_stamp_of_more_than_32_bits_is_kept() -> None:
    ring = EdgeRing(2)
    ring.add(0x123456789ABCDEF, 31, False)
    assert ring.edges(0, 1) == [RawEdge(0x123456789ABCDEF, 31, False)]


def check_lost_edges_have_numbers_and_take_what_is_before_them_along() -> None:
    ring = EdgeRing(4)
    ring.add(1, 0, True)
    ring.lose(5)
    ring.add(2, 1, True)
    assert (ring.oldest, ring.drops, ring.next_seq) == (6, 6, 7)
    assert ring.edges(6, 4) == [RawEdge(2, 1, True)]


def check_an_edge_has_the_stamp_of_the_sample_that_saw_it() -> None:
    desk = Desk()
    closed_us = desk.close(7)
    opened_us = desk.open(7, 4)
    assert edges_of(desk) == [RawEdge(closed_us, 2, True), RawEdge(opened_us, 2, False)]
    assert opened_us == closed_us + 4


def check_lines_that_change_at_one_instant_have_one_stamp() -> None:
    desk = Desk()
    stamp_us = desk.samples.change(RELEASED & ~(1 << 28 | 1 << 1))
    assert edges_of(desk) == [RawEdge(stamp_us, 1, True), RawEdge(stamp_us, 3, True)]
    assert desk.capture.levels == 0b1010


def check_lines_that_are_no_buttons_are_not_seen() -> None:
    desk = Desk()
    desk.close(2)
    desk.close(15)
    assert edges_of(desk) == []
    assert desk.capture.levels == 0


def check_the_lines_at_the_start_are_levels_not_edges() -> None:
    desk = Desk()
    desk.samples.lines = RELEASED & ~1
    desk.samples.restart()
    desk.capture.restart()
    assert edges_of(desk) == []
    assert desk.capture.levels == 1


def check_stamps_are_right_after_a_long_quiet() -> None:
    desk = Desk()
    for _ in range(200):
        desk.ticks.now_us += MINUTE_US
        desk.capture.drain()
    assert desk.ticks.now_us > 2 * WORD
    closed_us = desk.close(0)
    opened_us = desk.open(0, 30 * MINUTE_US // 2)
    assert edges_of(desk) == [RawEdge(closed_us, 0, True), RawEdge(opened_us, 0, False)]


def check_stamps_are_right_on_both_sides_of_every_wrap() -> None:
    for wrap_us in (0x40000000, WORD, 3 * WORD):
        desk = Desk(started_us=5000)
        while desk.ticks.now_us < wrap_us - MINUTE_US:
            desk.ticks.now_us += MINUTE_US // 2
            desk.capture.drain()
        before_us = desk.close(1, wrap_us - desk.ticks.now_us - 3)
        after_us = desk.open(1, 6)
        assert before_us < wrap_us < after_us
        assert edges_of(desk) == [RawEdge(before_us, 1, True), RawEdge(after_us, 1, False)]


def check_the_watermark_stays_behind_what_is_on_its_way_to_memory() -> None:
    desk = Desk()
    desk.capture.drain()
    assert desk.ticks.now_us - 4 <= desk.capture.watermark_us <= desk.ticks.now_us - 3
    late_us = desk.ticks.now_us
    desk.samples.change(RELEASED & ~1, 0)
    assert late_us > desk.capture.watermark_us
    assert edges_of(desk)[0].stamp_us == late_us


def check_the_watermark_covers_only_what_was_taken_of_a_burst() -> None:
    desk = Desk(ring=500, samples=1024)
    stamps = []
    for _ in range(100):
        stamps.append(desk.close(0))
        stamps.append(desk.open(0))
    desk.capture.drain()
    taken = desk.ring.held
    assert 0 < taken < 200
    assert desk.capture.watermark_us == stamps[taken - 1]
    while desk.ring.held < 200:
        desk.capture.drain()
    assert [edge.stamp_us for edge in desk.ring.edges(0, 200)] == stamps


def check_an_overtaken_reader_keeps_the_newest_and_counts_the_rest() -> None:
    desk = Desk(ring=100, samples=64)
    desk.close(0)
    desk.capture.drain()
    stamps = [desk.open(0) if turn % 2 == 0 else desk.close(0) for turn in range(99)]
    edges = edges_of(desk)
    assert [edge.stamp_us for edge in edges] == stamps[-len(edges) :]
    assert 10 <= len(edges) <= 32
    assert desk.ring.drops + len(edges) == 100
    assert desk.ring.next_seq == 100
    assert desk.capture.levels == 0
    assert not edges[-1].closed


def check_hardware_that_overtakes_while_its_ring_is_read_is_noticed() -> None:
    desk = Desk(ring=100, samples=64)
    desk.capture.drain()
    for turn in range(31):
        desk.samples.change(RELEASED & ~(1 if turn % 2 == 0 else 0))
    honest = desk.samples.written
    asked = [0]

    def written() -> int:
        asked[0] += 1
        if asked[0] == 2:
            for turn in range(20):
                desk.samples.change(RELEASED & ~(2 if turn % 2 == 0 else 0))
        return honest()

    desk.samples.written = written  # type: ignore[method-assign]
    edges = edges_of(desk)
    assert edges
    assert desk.ring.drops + len(edges) == 51
    assert [edge.stamp_us for edge in edges] == sorted(edge.stamp_us for edge in edges)
    assert desk.ring.next_seq == 51


def check_a_worn_count_is_begun_anew_without_losing_an_edge() -> None:
    desk = Desk(ring=100)
    desk.samples.worn_at = 8
    stamps = []
    for _ in range(10):
        stamps.append(desk.close(0))
        desk.capture.drain()
        stamps.append(desk.open(0))
        desk.capture.drain()
    assert [edge.stamp_us for edge in desk.ring.edges(0, 100)] == stamps
    assert desk.samples.count < 8


def check_changes_around_the_ring_s_end_are_kept_when_the_count_is_begun_anew() -> None:
    desk = Desk(ring=100, samples=8)
    desk.samples.worn_at = 6
    stamps = [desk.close(0), desk.open(0)]

    def pause() -> None:
        stamps.append(desk.close(0))
        stamps.append(desk.open(0))

    desk.samples.pause = pause  # type: ignore[method-assign]
    desk.capture.drain()
    assert [edge.stamp_us for edge in desk.ring.edges(0, 100)] == stamps
    assert desk.samples.count == 0


def check_a_capture_that_stands_still_is_found_out() -> None:
    desk = Desk()
    assert desk.capture.check()
    desk.samples.runs = False
    assert [desk.capture.check() for _ in range(3)] == [True, True, False]
    alive = [desk.capture.is_alive]
    desk.samples.runs = True
    desk.capture.restart()
    alive.append(desk.capture.is_alive)
    desk.capture.drain()
    assert desk.capture.check()
    alive.append(desk.capture.is_alive)
    assert alive == [False, False, True]
    assert desk.ring.drops == 1


def check_lines_that_are_not_what_was_captured_are_found_out() -> None:
    desk = Desk()
    desk.capture.drain()
    desk.samples.lines &= ~1
    assert [desk.capture.check() for _ in range(3)] == [True, True, False]
    desk.samples.lines |= 1
    assert desk.capture.check()


def check_samples_in_memory_that_are_not_taken_yet_are_no_fault() -> None:
    desk = Desk()
    desk.capture.drain()
    desk.close(0)
    assert all(desk.capture.check() for _ in range(5))


def check_the_soft_samples_wrap_as_the_hardware_does() -> None:
    samples = SoftSamples(Ticks(0), 8)
    for _ in range(7):
        samples.change(5)
    assert samples.written() == 16
    assert samples.words[samples.base] == 5
