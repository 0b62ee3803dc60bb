"""The whole cabinet on mock pins and a virtual clock: for the demo, for benchmarks and for tests.

Only pins and time are made up; contacts go through the real source, intake, game and panel.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from cabinet import pace, record
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.intake import Intake
from cabinet.buttons.mock_board import MockBoard
from cabinet.game import Game, GameSettings
from cabinet.kept_edges.values import Tap
from cabinet.snapshot import Snapshot

SOURCES: Final = ("gpio",)
"""The names of a virtual cabinet's sources."""


class VirtualClock:
    """A clock that stands still until it is set."""

    def __init__(self, now_ns: int = 0) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        return self.now_ns


class VirtualCabinet:
    """A cabinet whose contacts are planned on `board`, and whose time passes in `run_until`."""

    def __init__(
        self,
        settings: GameSettings,
        rng: Random,
        *,
        gpio: GpioSettings | None = None,
        keep: Callable[[record.RecordLine], None] | None = None,
        tap: Tap | None = None,
    ) -> None:
        """`rng` draws the matches, and how the contacts bounce; `keep` is told the record's lines.

        `tap` is told what the game is given.
        """
        self.clock = VirtualClock()
        self.board = MockBoard(gpio, Random(rng.getrandbits(32)))
        self.source = GpioZeroSource(self.board.settings, self.board.factory, self.clock, SOURCES[0])
        self.intake = Intake()
        self.game = Game(settings, [self.source], self.intake, rng, keep)
        self.on_snapshot: Callable[[Snapshot], None] = lambda _: None
        """Called with each new snapshot, at its time."""
        self._busy_until_ns = 0
        if tap is not None:
            self.game.let_tap(tap)
        self.source.start(self.game.deliver)
        self.game.start(0)

    def run_until(self, until_ns: int, wanted_ns: Callable[[], int | None] = lambda: None) -> None:
        """Lets virtual time pass to `until_ns`, or to when the caller wants to act, asked at each step."""
        while self.clock.now_ns < until_ns:
            wanted = wanted_ns()
            if wanted is not None and wanted <= self.clock.now_ns:
                return
            self.step(min(until_ns, self._next_ns(wanted)))

    def step(self, now_ns: int) -> None:
        """One round of the game at `now_ns`."""
        self.clock.now_ns = now_ns
        if self.board.run_until(now_ns):
            self._busy_until_ns = now_ns + pace.BUSY_AFTER_EDGE_NS
        snapshot = self.game.step(now_ns)
        if snapshot is not None:
            self.on_snapshot(snapshot)

    def _next_ns(self, wanted_ns: int | None) -> int:
        now_ns = self.clock.now_ns
        times = [now_ns + pace.step_ns(now_ns, self._busy_until_ns), self.board.next_ns(), wanted_ns]
        return max(now_ns + 1, min(time_ns for time_ns in times if time_ns is not None))

    def close(self) -> None:
        """Frees the pins."""
        self.source.close()
