"""A press at a seat: what the panel, the engine's order of presses and the record know of it."""

from __future__ import annotations

import msgspec

from cabinet.buttons.edges import Line, Press
from cabinet.engine.order import Timed
from cabinet.engine.table import PileName, Seat
from cabinet.panel import Button


class SeatPress(msgspec.Struct, frozen=True):
    """A press at a seat, with its place in match time."""

    seat: Seat
    button: Button
    line: Line
    spit_held: bool
    pile_held: PileName | None
    at_ns: int
    """Match time at which it takes its place in order."""
    stamp_ns: int
    """Match time at which the contact closed; earlier than `at_ns` when it could not be judged there."""
    press: Press

    def ties_with(self, other: Timed) -> bool:
        """Whether the two cannot be told apart (CLARIFICATIONS.md C1)."""
        return isinstance(other, SeatPress) and self.press.ties_with(other.press)
