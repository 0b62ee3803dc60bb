"""The switch test: what a maker sees of each button."""

from __future__ import annotations

from rich.console import Console

from cabinet.buttons.chatter import KEPT_EVERY_NS
from cabinet.buttons.edges import HOST_CLOCK, Edge
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.lines import PANEL_LINES
from cabinet.buttons.mock_board import MockBoard
from cabinet.config import Settings
from cabinet.switch_test import COLUMNS, SwitchTest
from cabinet.virtual import VirtualClock
from tests.kernel_model import US, ChipBench

MS = 1_000_000
LOSSES = ("lost", "made up", "in doubt", "late")


class Bench:
    """A board, its source and the switch test on one clock."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.board = MockBoard()
        self.source = GpioZeroSource(self.board.settings, self.board.factory, self.clock)
        self.test = SwitchTest(Settings(), self.source)
        self.source.start(self.test.deliver)

    def run_until(self, until_ns: int) -> None:
        for now_ns in range(self.clock.now_ns, until_ns, MS):
            self.clock.now_ns = now_ns
            self.board.run_until(now_ns)
            self.test.round(now_ns)

    def row(self, line: str) -> list[str]:
        return row_of(self.test, line)


def shown(test: SwitchTest, width: int = 80) -> str:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(test.table())
    return capture.get()


def note_of(test: SwitchTest) -> str:
    """What it says of the source, on one line."""
    return " ".join(shown(test).split())


def row_of(test: SwitchTest, line: str) -> list[str]:
    return next(row for row in shown(test).splitlines() if f" {line} " in row).split()


def losses_of(test: SwitchTest, line: str) -> dict[str, int]:
    """What the row of a button says in the columns about losses."""
    cells = dict(zip(COLUMNS, row_of(test, line), strict=True))
    return {column: int(cells[column]) for column in LOSSES}


class ChipTest:
    """The switch test on the model of the kernel's chip."""

    def __init__(self) -> None:
        self.bench = ChipBench().settled()
        self.kernel = self.bench.kernel
        self.test = SwitchTest(Settings(), self.bench.source)

    def chatter(self, line: str, edges: int, apart_ns: int = 50 * US) -> None:
        for count in range(edges):
            self.kernel.change(line, count % 2 == 0, self.kernel.now_ns + MS + count * apart_ns)

    def run(self, for_ns: int) -> None:
        until_ns = self.kernel.now_ns + for_ns
        while self.kernel.now_ns < until_ns:
            self.bench.source.round()
            for edge in self.bench.inbox:
                self.test.deliver(edge)
            self.bench.inbox.clear()
            self.test.round(self.kernel.now_ns)


def test_a_bouncing_press_is_one_press_with_its_edges_and_bounce() -> None:
    bench = Bench()
    bench.board.press("a.3", 500 * MS, [[0, 1], [300, 0], [2_100, 1], [60_000, 0]])
    bench.run_until(700 * MS)
    assert bench.row("a.3") == ["a.3", "open", "1", "4", "2.10", "0", "0", "0", "0", "0"]


def test_a_spike_is_counted_and_is_no_press() -> None:
    bench = Bench()
    bench.board.press("b.1", 500 * MS, [[0, 1], [3, 0]])
    bench.run_until(700 * MS)
    assert bench.row("b.1")[2:4] + bench.row("b.1")[5:6] == ["0", "2", "1"]


def test_a_button_that_is_down_is_shown_closed_and_one_never_pressed_is_there() -> None:
    bench = Bench()
    bench.board.change("coin", True, 500 * MS)
    bench.run_until(700 * MS)
    assert bench.row("coin")[:3] == ["coin", "closed", "1"]
    assert bench.row("a.1") == ["a.1", "open", "0", "0", "–", "0", "0", "0", "0", "0"]


def test_a_change_that_no_edge_told_is_a_made_up_edge_of_its_button_and_a_loss_of_the_source() -> None:
    bench = Bench()
    bench.run_until(500 * MS)
    pin = bench.board.factory.pin(bench.board.settings.pins["b.4"])
    pin._state = False
    bench.run_until(700 * MS)
    assert losses_of(bench.test, "b.4") == {"lost": 0, "made up": 1, "in doubt": 0, "late": 1}
    assert losses_of(bench.test, "b.3") == dict.fromkeys(LOSSES, 0)
    assert "gpio, as far as it can tell: edges lost or made up: 1, merged with the next: 0," in note_of(bench.test)
    assert "presses too late for their place: 0, with a guessed time: 1" in note_of(bench.test)


def test_an_edge_that_comes_for_a_time_that_is_over_is_late_and_so_is_its_press() -> None:
    bench = Bench()
    bench.run_until(500 * MS)
    bench.test.deliver(Edge(HOST_CLOCK, "a.2", True, 400 * MS, 0, 1))
    bench.run_until(700 * MS)
    assert losses_of(bench.test, "a.2") == {"lost": 0, "made up": 0, "in doubt": 0, "late": 1}
    assert "presses too late for their place: 1, with" in note_of(bench.test)


def test_edges_that_a_full_buffer_dropped_are_lost_by_their_button_and_by_no_other() -> None:
    on_chip = ChipTest()
    on_chip.chatter("a.1", 1_500)
    on_chip.bench.stop_process(200 * MS)
    on_chip.run(30 * MS)
    assert losses_of(on_chip.test, "a.1") == {"lost": 476, "made up": 0, "in doubt": 1, "late": 0}
    assert losses_of(on_chip.test, "a.2") == dict.fromkeys(LOSSES, 0)
    assert "edges lost or made up: 476," in note_of(on_chip.test)


def test_what_was_lost_before_an_event_that_stands_for_two_edges_is_told_once() -> None:
    on_chip = ChipTest()
    on_chip.chatter("a.1", 1_501)
    on_chip.bench.stop_process(200 * MS)
    on_chip.run(30 * MS)
    assert losses_of(on_chip.test, "a.1") == {"lost": 477, "made up": 0, "in doubt": 2, "late": 0}


def test_an_edge_that_may_hide_one_is_in_doubt_and_the_source_says_how_many_became_one() -> None:
    on_chip = ChipTest()
    on_chip.kernel.late_ns = lambda: 60 * US
    on_chip.kernel.press("a.1", on_chip.kernel.now_ns + 5 * MS, [(0, True), (30, False), (45, True)])
    on_chip.run(30 * MS)
    assert losses_of(on_chip.test, "a.1") == {"lost": 0, "made up": 0, "in doubt": 1, "late": 0}
    assert "merged with the next: 2," in note_of(on_chip.test)


def test_what_the_chip_left_out_of_a_chatter_is_said_of_the_source() -> None:
    on_chip = ChipTest()
    on_chip.chatter("a.1", 1_000)
    on_chip.bench.stop_process(60 * MS)
    on_chip.run(30 * MS)
    left_out = on_chip.bench.source.tally.left_out
    assert left_out > 1_000 - 60 * MS // KEPT_EVERY_NS - 20
    assert f"left out of a chatter: {left_out};" in note_of(on_chip.test)
    assert losses_of(on_chip.test, "a.1")["lost"] == 0, "they were seen"


def test_the_table_fits_on_a_terminal_of_eighty_columns() -> None:
    on_chip = ChipTest()
    on_chip.kernel.change("coin", True, on_chip.kernel.now_ns + 1 * MS)
    on_chip.run(30 * MS)
    rows = shown(on_chip.test).splitlines()
    assert row_of(on_chip.test, "coin") == ["coin", "closed", "1", "1", "0.00", "0", "0", "0", "0", "0"]
    assert max(map(len, rows)) <= 80
    for line in PANEL_LINES:
        assert sum(f" {line} " in row for row in rows) == 1
    headings = "".join(rows[: rows.index(next(row for row in rows if " a.1 " in row))])
    assert all(word in headings for column in COLUMNS for word in column.split())
    assert not any("…" in row for row in rows)
