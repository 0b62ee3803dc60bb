"""What the source on the kernel's GPIO chip makes of edges that were dropped, merged or never seen; chatter."""

from __future__ import annotations

from cabinet.buttons.edges import WIDE_ERROR_NS
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.settling import LEVEL_CHECK_NS
from tests.kernel_model import MS, READY_NS, US, ChipBench, KernelModel

AT_NS = READY_NS + 50 * MS
ERR_NS = 100 * US
MERGE_NS = 200 * US


def settled(kernel: KernelModel | None = None) -> ChipBench:
    return ChipBench(kernel).settled()


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


def test_the_first_edge_after_a_loss_is_no_dead_heat_however_short_the_time_that_was_not_seen() -> None:
    bench = settled()
    bench.kernel.late_ns = lambda: 1 * US
    began_ns = bench.kernel.now_ns + 1 * MS
    for number, line in enumerate(bench.kernel.lines):
        chatter(bench, line, 100, began_ns + 3 * number * US)
    bench.run_until(began_ns + 1 * MS)
    bench.stop_process(10 * MS)
    bench.run_until(bench.kernel.now_ns + 30 * MS)
    assert bench.source.tally.dropped > 0
    after_loss = [edge for edge in bench.edges if edge.err_ns > ERR_NS]
    assert {edge.line for edge in after_loss} == set(bench.kernel.lines)
    assert all(edge.t_ns - began_ns < WIDE_ERROR_NS < edge.err_ns for edge in after_loss)


def test_while_more_waits_than_one_read_can_take_nothing_is_claimed() -> None:
    bench = settled()
    before_ns = bench.source.status(0).watermark_ns
    chatter(bench, "a.1", 1_500, bench.kernel.now_ns + 1 * MS)
    bench.stop_process(200 * MS)
    bench.source.round()
    assert bench.source.tally.events == 1_024
    assert bench.source.status(0).watermark_ns == before_ns
    bench.source.round()
    assert bench.source.status(0).watermark_ns > before_ns + 190 * MS


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


def test_a_made_up_edge_is_no_dead_heat_however_short_the_time_that_was_not_seen() -> None:
    bench = settled()
    bench.kernel.change("a.1", True, AT_NS)
    bench.kernel.lose("b.1", True, AT_NS + 12 * MS)
    bench.run_until(AT_NS + 30 * MS)
    _, made_up = bench.edges
    assert made_up.t_ns - AT_NS < 20 * MS
    assert (made_up.line, made_up.err_ns) == ("b.1", WIDE_ERROR_NS + 1)


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
    bench.kernel.reading_ns = 200 * US
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
