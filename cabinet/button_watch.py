"""What the game notices of the buttons: sources in trouble, buttons held too long, presses that came late."""

from __future__ import annotations

import logging
from typing import Final

from cabinet.buttons.edges import Line
from cabinet.buttons.intake import Intake, Taken
from cabinet.engine.rules import MICROSECOND_NS
from cabinet.engine.table import SEATS
from cabinet.panel import BUTTONS, line_of
from cabinet.snapshot import Trouble

log: Final = logging.getLogger(__name__)

HELD_TOO_LONG_NS: Final = 15_000_000_000
"""A button held longer than this in play is stuck, and the game goes on without it (HOUSE.md, "The panel")."""

_SEAT_LINES: Final[tuple[Line, ...]] = tuple(line_of(seat, button) for seat in SEATS for button in BUTTONS)


def troubles_of(taken: Taken) -> list[Trouble]:
    """What is wrong with the sources, in words for the screen; a source that is gone pauses a match."""
    return [
        Trouble(f"source {trouble.source}", trouble.text, pauses_game=not trouble.is_live)
        for trouble in taken.troubles
    ]


def stuck_lines(intake: Intake, decided_ns: int) -> frozenset[Line]:
    """The seats' buttons that have been held too long at host time `decided_ns`."""
    since_ns = {line: intake.closed_since(line) for line in _SEAT_LINES}
    return frozenset(
        line for line, since in since_ns.items() if since is not None and decided_ns - since > HELD_TOO_LONG_NS
    )


class LateLog:
    """Writes down presses that came when their place was decided: a dispute can be looked up. Not thread-safe."""

    def __init__(self) -> None:
        self._told = 0

    def tell(self, intake: Intake, late_presses: int) -> None:
        """`late_presses` have come since the start; the new ones go to the log."""
        if late_presses > self._told:
            for late in intake.late_log()[self._told - late_presses :]:
                late_us = late.late_ns // MICROSECOND_NS
                log.info("%s came %d µs late and was judged as it came: %s", late.press.line, late_us, late)
            self._told = late_presses
