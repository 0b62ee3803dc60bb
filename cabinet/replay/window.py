"""The replay on a screen."""

from __future__ import annotations

import time

from cabinet.replay.command import Tally
from cabinet.replay.reel import Reel
from display.settings import DisplaySettings
from display.window import NoScreen, Pump, Window

__all__ = ["NoScreen", "show_in_window"]


def show_in_window(tally: Tally, speed: float | None) -> None:
    """Shows the matches as the cabinet did, `speed` times as fast. Raises NoScreen."""
    reel = Reel(tally.steps())
    clock = _Clock(speed or 1.0)
    window = Window(DisplaySettings(), clock=clock)
    window.open()
    clock.begin()
    try:
        window.run(lambda: reel.run_until(clock()), _pass_over, lambda: reel.is_over(clock()))
    finally:
        window.close()


class _Clock:
    """Real time since its beginning, so many times as fast."""

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self.begin()

    def begin(self) -> None:
        self._began_ns = time.monotonic_ns()

    def __call__(self) -> int:
        return int((time.monotonic_ns() - self._began_ns) * self._speed)


def _pass_over(_pump: Pump) -> None:
    """A replay has no buttons."""
