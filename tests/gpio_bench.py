"""A board in software with the gpiozero source on it; no time passes but what a test says."""

from __future__ import annotations

from random import Random

from cabinet.buttons.edges import Edge
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.mock_board import MockBoard

MS = 1_000_000
START_NS = 1_000_000 * MS
READY_NS = START_NS + 300 * MS


class Bench:
    """A board, the source on it, the time, and what was delivered."""

    def __init__(self, settings: GpioSettings | None = None) -> None:
        self.now_ns = START_NS
        self.board = MockBoard(settings, Random(1))
        self.source = GpioZeroSource(self.board.settings, self.board.factory, lambda: self.now_ns)
        self.edges: list[Edge] = []

    def start(self) -> Bench:
        self.source.start(self.edges.append)
        return self

    def run_until(self, now_ns: int) -> None:
        """Every change happens at its own time; the source is told at once."""
        while (due_ns := self.board.next_ns()) is not None and due_ns <= now_ns:
            self.now_ns = due_ns
            self.board.run_until(due_ns)
        self.now_ns = now_ns
