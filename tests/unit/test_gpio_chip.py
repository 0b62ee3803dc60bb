"""The source on the kernel's GPIO chip: on a model of the kernel, in virtual time."""

from __future__ import annotations

from cabinet.buttons.edges import HOST_CLOCK, Edge
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.settling import QUIET_NS
from tests.kernel_model import MS, READY_NS, START_NS, US, ChipBench, KernelModel

AT_NS = READY_NS + 50 * MS
ERR_NS = 100 * US
MERGE_NS = 200 * US


def settled(kernel: KernelModel | None = None) -> ChipBench:
    return ChipBench(kernel).settled()


# Stamps and order


def test_an_edge_has_the_kernels_stamp_and_a_contact_to_ground_is_active() -> None:
    bench = settled()
    bench.kernel.press("a.3", AT_NS, [(0, True), (700, False), (1_200, True)])
    bench.run_until(AT_NS + 10 * MS)
    assert bench.edges == [
        Edge(HOST_CLOCK, "a.3", True, AT_NS, ERR_NS, 1),
        Edge(HOST_CLOCK, "a.3", False, AT_NS + 700 * US, ERR_NS, 2),
        Edge(HOST_CLOCK, "a.3", True, AT_NS + 1_200 * US, ERR_NS, 3),
    ]


def test_how_well_stamps_are_known_is_a_setting() -> None:
    bench = settled(KernelModel(GpioSettings(err_us=7, merge_us=30)))
    bench.kernel.change("a.3", True, AT_NS)
    bench.run_until(AT_NS + 10 * MS)
    assert [edge.err_ns for edge in bench.edges] == [7 * US]
    assert bench.source.status(bench.kernel.now_ns).largest_err_ns == 37 * US


def test_edges_of_all_lines_come_in_the_order_of_their_interrupts_whatever_thread_is_first() -> None:
    bench = settled()
    late_ns = iter([1_500 * US, 900 * US, 20 * US])
    bench.kernel.late_ns = lambda: next(late_ns)
    for number, line in enumerate(("b.2", "a.5", "coin")):
        bench.kernel.change(line, True, AT_NS + number * 60 * US)
    bench.run_until(AT_NS + 10 * MS)
    assert [(edge.line, edge.seq, edge.err_ns) for edge in bench.edges] == [
        ("b.2", 1, ERR_NS),
        ("a.5", 2, ERR_NS),
        ("coin", 3, ERR_NS),
    ]


def test_the_first_contact_wins_the_race_though_its_event_comes_last() -> None:
    bench = settled()
    late_ns = iter([1_900 * US, 20 * US])
    bench.kernel.late_ns = lambda: next(late_ns)
    bench.kernel.change("b.1", True, AT_NS)
    bench.kernel.change("a.1", True, AT_NS + 250 * US)
    bench.play_until(AT_NS + 20 * MS)
    assert bench.presses == [("b.1", AT_NS), ("a.1", AT_NS + 250 * US)]
    assert bench.taken is not None
    assert bench.taken.late_presses == 0


def longest_wait_ns(bench: ChipBench) -> int:
    """In the next 30 ms."""
    bench.kernel.waits_ns.clear()
    bench.run_until(bench.kernel.now_ns + 30 * MS)
    return max(bench.kernel.waits_ns)


def test_it_waits_a_millisecond_while_a_press_may_be_pending_and_five_else() -> None:
    bench = settled()
    assert longest_wait_ns(bench) == 5 * MS
    bench.kernel.change("a.1", True, bench.kernel.now_ns)
    bench.run_until(bench.kernel.now_ns + 1 * MS)
    assert longest_wait_ns(bench) == 1 * MS
    bench.run_until(bench.kernel.now_ns + 100 * MS)
    assert longest_wait_ns(bench) == 5 * MS


def test_it_looks_again_as_soon_as_a_press_can_be_decided() -> None:
    """Its own error, the largest of another edge, and the slack: 100 and 300 µs, and 2 ms."""
    bench = settled()
    bench.kernel.change("a.1", True, AT_NS)
    bench.kernel.change("b.1", True, AT_NS + 350 * US)
    watermarks_ns = []
    while bench.kernel.now_ns < AT_NS + 10 * MS:
        bench.source.round()
        watermarks_ns.append(bench.source.status(0).watermark_ns)
    for needed_ns in (AT_NS + 400 * US, AT_NS + 750 * US):
        assert min(w for w in watermarks_ns if w >= needed_ns) <= needed_ns + 50 * US


# Watermark and slack


def test_the_watermark_is_when_the_buffer_was_seen_empty_less_two_milliseconds() -> None:
    bench = settled()
    bench.run_until(READY_NS + 10 * MS)
    seen_ns = bench.kernel.now_ns
    bench.source.round()
    assert bench.source.status(seen_ns + 100 * MS).watermark_ns == seen_ns - 2 * MS


def test_what_is_below_the_watermark_was_delivered() -> None:
    bench = settled()
    bench.kernel.late_ns = lambda: bench.kernel.chance.randrange(1, 1_900 * US)
    stamps = [AT_NS + count * 777 * US for count in range(200)]
    for count, t_ns in enumerate(stamps):
        bench.kernel.change(("a.1", "b.1", "a.2")[count % 3], count % 6 < 3, t_ns)
    while bench.kernel.now_ns < stamps[-1] + 10 * MS:
        bench.source.round()
        watermark_ns = bench.source.status(bench.kernel.now_ns).watermark_ns
        delivered = {edge.t_ns for edge in bench.edges}
        assert {t_ns for t_ns in stamps if t_ns <= watermark_ns} <= delivered
    assert len(bench.edges) == len(stamps)


def slack_ns(bench: ChipBench) -> int:
    """How far behind the look at an empty buffer the watermark stays."""
    assert not bench.kernel.is_readable
    seen_ns = bench.kernel.now_ns
    bench.source.round()
    return seen_ns - bench.source.status(seen_ns).watermark_ns


def test_the_slack_follows_the_lateness_seen_up_to_fifteen_milliseconds_and_falls_again() -> None:
    bench = settled()

    def slack_after(late_ns: int) -> int:
        """The second event comes while the reader looks every millisecond, so its lateness is seen exactly."""
        bench.kernel.late_ns = lambda: late_ns
        from_ns = bench.kernel.now_ns + 1 * MS
        for line, at_ns in (("a.1", from_ns), ("b.1", from_ns + late_ns // 2)):
            bench.kernel.change(line, not bench.kernel.lines[line].closed, at_ns)
        bench.run_until(from_ns + 2 * late_ns)
        return slack_ns(bench)

    assert slack_after(100 * US) == 2 * MS
    assert 6 * MS * 5 // 4 <= slack_after(6 * MS) <= 7 * MS * 5 // 4
    assert slack_after(30 * MS) == 15 * MS
    bench.run_until(bench.kernel.now_ns + 20_000 * MS)
    assert slack_ns(bench) == 2 * MS


def test_being_late_ourselves_is_no_lateness_of_the_kernels() -> None:
    bench = settled()
    bench.kernel.change("a.1", True, bench.kernel.now_ns + 1 * MS)
    bench.stop_process(12 * MS)
    bench.run_until(bench.kernel.now_ns + 10 * MS)
    assert slack_ns(bench) == 2 * MS


def test_a_process_that_was_stopped_claims_nothing_of_that_time_and_decides_by_the_stamps() -> None:
    bench = settled()
    bench.play_until(AT_NS)
    before_ns = bench.source.status(0).watermark_ns
    bench.kernel.change("b.1", True, bench.kernel.now_ns + 400 * MS)
    bench.kernel.change("a.1", True, bench.kernel.now_ns + 401 * MS)
    stopped_ns = bench.kernel.now_ns
    bench.stop_process(1_000 * MS)
    assert bench.source.status(bench.kernel.now_ns).watermark_ns == before_ns
    bench.take()
    bench.play_until(bench.kernel.now_ns + 30 * MS)
    assert bench.presses == [("b.1", stopped_ns + 400 * MS), ("a.1", stopped_ns + 401 * MS)]
    assert bench.taken is not None
    assert bench.taken.late_presses == 0
    assert slack_ns(bench) == 2 * MS


# The start


def test_the_first_300_ms_after_the_claim_are_ignored() -> None:
    bench = ChipBench()
    bench.kernel.press("a.1", READY_NS - 2 * MS, [(0, True), (1_999, False)])
    bench.kernel.change("b.1", True, READY_NS)
    bench.start()
    bench.run_until(READY_NS + 5 * MS)
    assert [(edge.line, edge.t_ns) for edge in bench.edges] == [("b.1", READY_NS)]


def test_a_line_closed_at_the_start_is_told_and_presses_only_after_it_was_let_go() -> None:
    bench = ChipBench()
    bench.kernel.change("a.2", True, START_NS)
    bench.kernel.run_until(START_NS)
    bench.settled()
    bench.run_until(READY_NS + 10 * MS)
    trouble = "Held since the start: a.2; let go, or check the switch and its wires."
    assert bench.source.status(bench.kernel.now_ns).trouble == trouble
    bench.kernel.change("a.2", False, READY_NS + 500 * MS)
    pressed_ns = READY_NS + 501 * MS + QUIET_NS
    bench.kernel.change("a.2", True, pressed_ns)
    bench.run_until(pressed_ns + 10 * MS)
    assert [(edge.t_ns, edge.active) for edge in bench.edges] == [(pressed_ns, True)]
    assert bench.source.status(bench.kernel.now_ns).trouble is None


def test_a_level_that_changed_unseen_while_settling_is_no_loss() -> None:
    bench = ChipBench().start()
    bench.kernel.lose("a.2", True, START_NS + 10 * MS)
    bench.run_until(READY_NS + 100 * MS)
    assert bench.edges == []
    assert bench.source.status(bench.kernel.now_ns).losses == 0
    assert bench.source.status(bench.kernel.now_ns).trouble is not None
