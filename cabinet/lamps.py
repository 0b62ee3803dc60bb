"""Which button is lit, and why: a START lamp that blinks asks to be pressed, one that burns has been."""

from __future__ import annotations

from typing import Final

from cabinet.buttons.edges import Line
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import SEATS, Seat, View
from cabinet.panel import LESSON_BUTTON, PAGING, START, line_of
from cabinet.snapshot import Scene, SeatStatus

BLINK_NS: Final = 400 * MILLISECOND_NS
"""Half a period of blinking: slower than three flashes a second."""


def lit_lines(
    scene: Scene, seats: dict[Seat, SeatStatus], view: View | None, now_ns: int, *, may_page: bool = False
) -> frozenset[Line]:
    """The lamps that burn at host time `now_ns`. `may_page`: there are games to page through in the lobby."""
    is_on_beat = now_ns // BLINK_NS % 2 == 0
    lit = set()
    for seat in SEATS:
        asks, has_pressed = _start_lamp(scene, seats[seat], view, seat)
        if has_pressed or (asks and is_on_beat):
            lit.add(line_of(seat, START))
        if scene == "lobby":
            lit.add(line_of(seat, LESSON_BUTTON))
            lit |= {line_of(seat, button) for button in PAGING if may_page}
    return frozenset(lit)


def _start_lamp(scene: Scene, status: SeatStatus, view: View | None, seat: Seat) -> tuple[bool, bool]:
    """Whether START asks to be pressed, and whether it has been."""
    if scene in ("attract", "result"):
        return True, False
    if scene == "lobby":
        return not status.is_ready, status.is_ready
    if view is None or status.player != "human":
        return False, False
    side = view.side(seat)
    if view.phase == "ready":
        return view.beat is None and not side.is_ready, side.is_ready
    if view.phase != "play" or not view.is_stuck:
        return False, False
    is_asked = view.beat is None and view.lone_spitter in (None, seat)
    return is_asked and not side.has_called, side.has_called
