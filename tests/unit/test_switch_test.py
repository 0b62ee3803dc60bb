"""The switch test: what a maker sees of each button."""

from __future__ import annotations

from rich.console import Console

from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.mock_board import MockBoard
from cabinet.config import Settings
from cabinet.switch_test import SwitchTest
from cabinet.virtual import VirtualClock

MS = 1_000_000


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
        console = Console(width=200)
        with console.capture() as capture:
            console.print(self.test.table())
        row = next(row for row in capture.get().splitlines() if f" {line} " in row)
        return [cell.strip() for cell in row.strip("│┃").split("│")]


def test_a_bouncing_press_is_one_press_with_its_edges_and_bounce() -> None:
    bench = Bench()
    bench.board.press("a.3", 500 * MS, [[0, 1], [300, 0], [2_100, 1], [60_000, 0]])
    bench.run_until(700 * MS)
    assert bench.row("a.3") == ["a.3", "open", "1", "4", "2.10 ms", "0", "0"]


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
    assert bench.row("a.1") == ["a.1", "open", "0", "0", "–", "0", "0"]
