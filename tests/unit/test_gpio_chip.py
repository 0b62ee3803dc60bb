"""The source on the kernel's GPIO chip: on a model of the kernel, in virtual time."""

from __future__ import annotations

from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Edge
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.settling import LEVEL_CHECK_NS, QUIET_NS
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


def test_it_waits_a_millisecond_while_a_press_may_be_pending_and_five_else() -> None:
    bench = settled()
    bench.kernel.waits_ms.clear()
    bench.run_until(READY_NS + 30 * MS)
    assert set(bench.kernel.waits_ms) == {0, 5}
    bench.kernel.change("a.1", True, bench.kernel.now_ns)
    bench.run_until(bench.kernel.now_ns + 1 * MS)
    bench.kernel.waits_ms.clear()
    bench.run_until(bench.kernel.now_ns + 30 * MS)
    assert set(bench.kernel.waits_ms) == {0, 1}
    bench.run_until(bench.kernel.now_ns + 100 * MS)
    bench.kernel.waits_ms.clear()
    bench.run_until(bench.kernel.now_ns + 30 * MS)
    assert set(bench.kernel.waits_ms) == {0, 5}


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


# Losses


def chatter(bench: ChipBench, line: str, edges: int, from_ns: int, apart_ns: int = 50 * US) -> None:
    for count in range(edges):
        bench.kernel.change(line, count % 2 == 0, from_ns + count * apart_ns)


def test_a_full_buffer_loses_the_oldest_events_and_every_one_is_counted() -> None:
    bench = settled()
    chatter(bench, "a.1", 1_500, bench.kernel.now_ns + 1 * MS)
    bench.stop_process(200 * MS)
    bench.run_until(bench.kernel.now_ns + 30 * MS)
    assert bench.source.tally.events == 1_024
    assert bench.source.tally.dropped == 476
    assert bench.source.status(bench.kernel.now_ns).losses == 476
    assert bench.source.status(bench.kernel.now_ns).merged == 0


def test_the_first_edge_after_a_loss_is_no_dead_heat_and_its_error_covers_all_that_was_not_seen() -> None:
    bench = settled()
    bench.run_until(READY_NS + 100 * MS)
    began_ns = bench.kernel.now_ns + 1 * MS
    chatter(bench, "a.1", 1_500, began_ns)
    bench.stop_process(200 * MS)
    bench.run_until(bench.kernel.now_ns + 30 * MS)
    first, second = bench.edges[:2]
    assert first.t_ns - first.err_ns <= began_ns
    assert first.err_ns > WIDE_ERROR_NS
    assert not first.made_up
    assert second.err_ns == ERR_NS


def test_other_lines_bear_the_loss_only_where_they_lost_something() -> None:
    bench = settled()
    bench.kernel.change("b.1", True, bench.kernel.now_ns + 1 * MS)
    chatter(bench, "a.1", 1_500, bench.kernel.now_ns + 2 * MS)
    bench.kernel.change("b.1", False, bench.kernel.now_ns + 110 * MS)
    bench.kernel.change("b.2", True, bench.kernel.now_ns + 120 * MS)
    bench.stop_process(200 * MS)
    bench.run_until(bench.kernel.now_ns + 30 * MS)
    *_, release = (edge for edge in bench.edges if edge.line == "b.1")
    press = next(edge for edge in bench.edges if edge.line == "b.2")
    assert not release.active
    assert release.err_ns > WIDE_ERROR_NS
    assert (press.active, press.err_ns) == (True, ERR_NS)


def test_edges_that_became_one_are_counted_and_the_error_covers_the_first_of_them() -> None:
    """A contact opens 30 µs after it closed and closes again: one event, stamped at the last of the three."""
    bench = settled()
    bench.kernel.late_ns = lambda: 60 * US
    bench.kernel.press("a.1", AT_NS, [(0, True), (30, False), (45, True)])
    bench.run_until(AT_NS + 10 * MS)
    (edge,) = bench.edges
    assert (edge.active, edge.t_ns) == (True, AT_NS + 45 * US)
    assert edge.err_ns == ERR_NS + MERGE_NS
    assert edge.t_ns - edge.err_ns <= AT_NS
    status = bench.source.status(bench.kernel.now_ns)
    assert (status.merged, status.losses) == (2, 0)
    assert status.largest_err_ns == ERR_NS + MERGE_NS


def test_the_error_of_merged_edges_grows_as_edges_are_seen_to_overtake_each_other() -> None:
    bench = settled()
    late_ns = iter([900 * US, 10 * US, 900 * US])
    bench.kernel.late_ns = lambda: next(late_ns)
    bench.kernel.change("a.1", True, AT_NS)
    bench.kernel.change("b.1", True, AT_NS + 800 * US)
    bench.kernel.press("b.2", AT_NS + 20 * MS, [(0, True), (500, False), (850, True)])
    bench.run_until(AT_NS + 40 * MS)
    assert [edge.err_ns for edge in bench.edges] == [ERR_NS, ERR_NS, ERR_NS + 1_000 * US]
    assert bench.source.status(bench.kernel.now_ns).largest_err_ns == ERR_NS + 1_000 * US


def test_a_level_that_disagrees_becomes_a_made_up_edge_with_an_error_since_it_last_agreed() -> None:
    bench = settled()
    bench.run_until(AT_NS)
    bench.kernel.lose("b.4", True, bench.kernel.now_ns + 1 * MS)
    bench.run_until(bench.kernel.now_ns + 2 * LEVEL_CHECK_NS)
    (edge,) = bench.edges
    assert (edge.line, edge.active, edge.made_up) == ("b.4", True, True)
    assert edge.err_ns > WIDE_ERROR_NS
    assert edge.t_ns - edge.err_ns <= AT_NS + 1 * MS <= edge.t_ns
    assert edge.err_ns <= LEVEL_CHECK_NS + 5 * MS
    assert bench.source.status(bench.kernel.now_ns).losses == 1
    bench.run_until(bench.kernel.now_ns + 10 * LEVEL_CHECK_NS)
    assert len(bench.edges) == 1


def test_after_a_burst_levels_are_read_at_once() -> None:
    """Older Pis lose an edge when two lines fire together."""
    bench = settled()
    bench.kernel.change("a.1", True, AT_NS)
    bench.kernel.lose("b.1", True, AT_NS)
    bench.run_until(AT_NS + 15 * MS)
    assert [(edge.line, edge.made_up) for edge in bench.edges] == [("a.1", False), ("b.1", True)]


def test_an_edge_under_way_is_not_made_up() -> None:
    bench = settled()
    late_ns = iter([20 * US, 9 * MS])
    bench.kernel.late_ns = lambda: next(late_ns)
    bench.kernel.change("a.1", True, AT_NS)
    bench.kernel.change("b.1", True, AT_NS + 8_500 * US)
    bench.run_until(AT_NS + 9 * MS)
    bench.run_until(AT_NS + 11 * MS)
    assert [(edge.line, edge.made_up) for edge in bench.edges] == [("a.1", False)]
    bench.run_until(AT_NS + 40 * MS)
    assert [edge.line for edge in bench.edges if not edge.made_up] == ["a.1", "b.1"]


def test_equal_directions_in_a_row_toggle_nothing() -> None:
    bench = settled()
    bench.kernel.press("a.1", AT_NS, [(0, True), (1_000, False), (1_020, True)])
    bench.play_until(AT_NS + 100 * MS)
    assert [edge.active for edge in bench.edges] == [True, False, True], "it was open between two equal edges"
    assert bench.presses == [("a.1", AT_NS)]
    assert bench.intake.pressed() == {"a.1"}


def test_a_press_whose_first_pulse_was_over_before_the_kernel_read_the_level_has_the_stamp_of_that_pulse() -> None:
    """It was read as open, as it had been before; but open to open is no edge, so it was closed in between."""
    bench = settled()
    bench.kernel.step_ns = lambda: 10 * US
    bench.kernel.late_ns = lambda: 5 * US
    bench.kernel.press("a.1", AT_NS, [(0, True), (20, False), (190, True)])
    bench.play_until(AT_NS + 100 * MS)
    first, second = bench.edges[:2]
    assert (first.active, first.t_ns, first.made_up) == (True, AT_NS, False)
    assert (second.active, second.t_ns) == (False, AT_NS)
    assert bench.presses == [("a.1", AT_NS)]


def test_such_a_pulse_alone_is_a_spike_and_no_press() -> None:
    bench = settled()
    bench.kernel.late_ns = lambda: 60 * US
    bench.kernel.press("a.1", AT_NS, [(0, True), (20, False)])
    bench.play_until(AT_NS + 100 * MS)
    assert bench.presses == []
    (counter,) = bench.intake.counters()
    assert (counter.raw_edges, counter.spikes) == (2, 1)


def test_numbers_that_wrap_lose_nothing() -> None:
    bench = ChipBench().start()
    bench.kernel.number = (1 << 32) - 3
    bench.source._reader._sequence._next = (1 << 32) - 2  # type: ignore[union-attr]
    bench.run_until(READY_NS)
    chatter(bench, "a.1", 6, AT_NS, 100 * US)
    bench.run_until(AT_NS + 10 * MS)
    assert [edge.t_ns for edge in bench.edges] == [AT_NS + count * 100 * US for count in range(6)]
    assert bench.source.tally.merged == 0


def test_an_edge_that_the_full_buffer_lost_is_found_in_the_middle_of_a_chatter() -> None:
    """The buffer is never seen empty, and the button that was pressed has no further edge for a while."""
    bench = settled()
    bench.kernel.change("b.1", True, bench.kernel.now_ns + 1 * MS)
    chatter(bench, "a.1", 5_000, bench.kernel.now_ns + 2 * MS)
    pressed_ns = bench.kernel.now_ns + 1 * MS
    bench.stop_process(100 * MS)
    bench.play_until(bench.kernel.now_ns + 60 * MS)
    found = [(edge.active, edge.made_up) for edge in bench.edges if edge.line == "b.1"]
    assert found == [(True, True)]
    edge = next(edge for edge in bench.edges if edge.line == "b.1")
    assert edge.t_ns - edge.err_ns <= pressed_ns
    assert bench.intake.pressed() >= {"b.1"}


def test_when_events_pile_up_the_middle_of_a_chatter_is_left_out_and_counted() -> None:
    bench = settled()
    chatter(bench, "a.1", 900, bench.kernel.now_ns + 1 * MS, 100 * US)
    bench.kernel.press("b.1", bench.kernel.now_ns + 40 * MS, [(0, True), (9, False), (30, True)])
    pressed_ns = bench.kernel.now_ns + 40 * MS
    bench.stop_process(100 * MS)
    bench.play_until(bench.kernel.now_ns + 60 * MS)
    tally = bench.source.tally
    assert tally.left_out > 800
    assert tally.edges < 100
    assert (tally.events + tally.merged, tally.dropped) == (bench.kernel.number, 0)
    assert [t_ns for line, t_ns in bench.presses if line == "b.1"] == [pressed_ns + 30 * US]


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


# Chatter


def test_sixteen_lines_that_chatter_lose_no_press_of_the_other_seat() -> None:
    """All lines of seat a, service, coin and four pile buttons chatter for a second; seat b presses one button."""
    pins = {**GpioSettings().pins, "a.left": 24, "a.right": 25, "b.left": 26, "b.right": 27}
    bench = settled(KernelModel(GpioSettings(pins=pins)))
    bench.kernel.late_ns = lambda: bench.kernel.chance.randrange(10 * US, 200 * US)
    quiet = {"b.1", "b.2"}
    for line in sorted(set(pins) - quiet):
        chatter(bench, line, 500, AT_NS + bench.kernel.chance.randrange(1 * MS), 200 * US)
    pressed = []
    for count in range(9):
        line = ("b.1", "b.2")[count % 2]
        at_ns = AT_NS + (3 + 10 * count) * MS + 111 * US
        bench.kernel.press(line, at_ns, [(0, True), (6_000, False)])
        pressed.append((line, at_ns))
    bench.play_until(AT_NS + 300 * MS)
    assert [press for press in bench.presses if press[0] in quiet] == pressed
    assert bench.source.tally.dropped == 0
    assert bench.source.tally.events + bench.source.tally.merged == bench.kernel.number
