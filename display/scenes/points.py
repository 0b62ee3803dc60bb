"""Points at each seat, in games that count them."""

from __future__ import annotations

from cabinet.engine.rules import Rules
from cabinet.engine.table import Seat, View
from display import text
from display.stage import Stage, heavy, plain
from display.theme import mixed

SCORE_PX = 96
NOTE_PX = 38


def score_of(view: View, seat: Seat) -> int:
    """The points of a seat."""
    return view.score_a if seat == "a" else view.score_b


def are_counted(rules: Rules) -> bool:
    """Whether the game counts points."""
    return rules.game == "speed" or rules.score == "points"


def score(stage: Stage, seat: Seat, view: View, *, strength: float = 1.0) -> None:
    """The points, large beside the name, and beneath them what they are counted for."""
    half, theme = stage.layout.seat(seat), stage.theme
    if half.score is None or half.score_note is None:
        return
    colour = mixed(theme.felt, theme.seat(seat), strength)
    box, note = half.score, half.score_note
    stage.words(str(score_of(view, seat)), box.centre, heavy(SCORE_PX, colour), width=box.w)
    words = text.of_target(view.rules.speed_target) if view.rules.game == "speed" else text.LOW_WINS
    stage.words(words, note.centre, plain(NOTE_PX, mixed(theme.felt, theme.muted, strength)), width=note.w)
