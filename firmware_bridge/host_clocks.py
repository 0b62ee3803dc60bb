"""The host's two clocks: one for the game, and one whose rate nobody adjusts, for the maps of devices' clocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

TRIES: Final = 4
"""How often both clocks are read at once: between two readings the program may be held up."""

CLOSE_NS: Final = 2_000
"""Two readings so close to each other are good enough."""


def raw_ns() -> int:
    """CLOCK_MONOTONIC_RAW where there is one, else CLOCK_MONOTONIC."""
    return time.clock_gettime_ns(getattr(time, "CLOCK_MONOTONIC_RAW", time.CLOCK_MONOTONIC))


class HostClocks:
    """Both clocks. May be used from any thread."""

    def __init__(
        self, game_ns: Callable[[], int] = time.monotonic_ns, steady_ns: Callable[[], int] = raw_ns
    ) -> None:
        self.game_ns: Final = game_ns
        """CLOCK_MONOTONIC, in which the game thinks."""
        self.steady_ns: Final = steady_ns
        """CLOCK_MONOTONIC_RAW, which no NTP adjusts."""

    def difference(self) -> tuple[int, int]:
        """The game's clock less the steady one now, and how well that is known: plus or minus."""
        best: tuple[int, int] | None = None
        for _ in range(TRIES):
            before_ns, steady_ns, after_ns = self.game_ns(), self.steady_ns(), self.game_ns()
            err_ns = (after_ns - before_ns + 1) // 2
            if best is None or err_ns < best[1]:
                best = ((before_ns + after_ns) // 2 - steady_ns, err_ns)
            if err_ns <= CLOSE_NS:
                break
        assert best is not None
        return best
