"""How to play: a table on which scripted hands press, what they show in large words, and how to join meanwhile."""

from __future__ import annotations

from typing import Final

from cabinet.engine.table import SEATS, Seat, View
from cabinet.snapshot import Caption, Lesson
from display import motion, text
from display.motion import MS
from display.scenes import play, points, slap
from display.scenes import round as round_end
from display.scenes.attract import wandered
from display.scenes.buttons import start_button, start_width
from display.scenes.lobby import standing_of
from display.scenes.prompts import Words, message
from display.stage import Stage, heavy
from display.theme import mixed

NAME_PX: Final = 62
CAPTION_PX: Final = 104
INVITED_PX: Final = 56
START_PX: Final = 76
SAYS_WHO_WINS: Final[tuple[Caption, ...]] = ("fewer_cards_win", "fewer_points_win")
"""Captions under which the totals are shown."""
COMES_NS: Final = 240 * MS
"""How long a caption takes to come up."""


def draw(stage: Stage, view: View, lesson: Lesson) -> None:
    """The lesson's table beneath its caption; in attract it wanders, so that nothing burns in."""
    is_attract = stage.snapshot.scene == "attract"
    if is_attract:
        stage.shift = wandered(stage)
    if lesson.caption in SAYS_WHO_WINS:
        play.body(stage, view)
        _totals(stage, view)
    else:
        _table(stage, view)
    for seat in SEATS:
        if is_attract:
            _header(stage, seat, "button", text.PRESS_START)
        else:
            standing = standing_of(stage, seat)
            _header(stage, seat, standing.mark, standing.word)
    layout = stage.layout
    name = text.game_name(stage.snapshot.game)
    px = stage.type.fitting_px(name, layout.text_px(NAME_PX), "heavy", layout.strip.w)
    stage.centred(stage.kit.lit_words(name, px), (layout.strip.centre[0], _line_y(stage)))
    _caption(stage, view, lesson)


def _table(stage: Stage, view: View) -> None:
    """The table as a match shows it, but for the top."""
    gain = round_end.given(stage)
    if view.phase in ("slap", "choose"):
        slap.body(stage, view)
    elif view.phase in ("ready", "over") and view.beat is None and gain is not None:
        round_end.body(stage, view, gain)
    else:
        play.body(stage, view)


def _totals(stage: Stage, view: View) -> None:
    """What each has by now; the one with less is marked, because less wins."""
    is_scored = points.are_counted(view.rules)
    totals = {seat: points.score_of(view, seat) if is_scored else view.side(seat).owned for seat in SEATS}
    label = text.POINTS if is_scored else text.OWNED
    for seat in SEATS:
        lines = [
            Words(str(totals[seat]), 170, stage.theme.seat(seat)),
            Words(label, 46, stage.theme.muted, heavy=False),
        ]
        message(stage, seat, lines, icon="tick" if totals[seat] == min(totals.values()) else "room")


def _line_y(stage: Stage) -> int:
    """The middle of the first line, above the caption."""
    return stage.layout.a.header.centre[1] - stage.px(14)


def _header(stage: Stage, seat: Seat, mark: str, word: str) -> None:
    """In a corner: what to press, or what is done, and by whom."""
    layout, theme, px = stage.layout, stage.theme, stage.px(START_PX)
    edge = layout.a.header.x if seat == "a" else layout.b.header.right
    middle, gap = _line_y(stage), stage.px(20)
    width = start_width(stage, seat, px) if mark == "button" else stage.px(56)
    x = edge + width // 2 if seat == "a" else edge - width // 2
    if mark == "button":
        start_button(stage, seat, (x, middle), px, motion.steps(motion.hint_strength(stage.now_ns // 2), 6))
    else:
        lift = width // 14 if seat == "b" else 0
        stage.centred(stage.kit.sign(seat, width), (x, middle - lift))
    at = x + width // 2 + gap if seat == "a" else x - width // 2 - gap
    colour = theme.ink if mark == "button" else theme.seat(seat)
    room = layout.strip.x - layout.a.header.x - width - 2 * gap
    line = stage.words(
        word, (at, middle), heavy(INVITED_PX, colour), anchor="left" if seat == "a" else "right", width=room
    )
    if mark == "tick":
        done = stage.kit.tick(stage.px(48), colour)
        beside = line.right + gap if seat == "a" else line.x - gap - done.get_width()
        stage.put(done, beside, middle - done.get_height() // 2)


def _caption(stage: Stage, view: View, lesson: Lesson) -> None:
    """The caption, and dots for which of how many it is."""
    box, theme = stage.layout.caption, stage.theme
    words = text.caption(lesson.caption, view.rules)
    picture = stage.type.fitted(words, stage.layout.text_px(CAPTION_PX), theme.ink, "heavy", box.w)
    come = motion.steps(motion.share(stage.age(lesson.since_ns), COMES_NS), 6)
    stage.centred(picture, box.centre, alpha=round(255 * max(0.15, come)))
    pitch, y = stage.px(34), box.bottom + stage.px(26)
    x = box.centre[0] - pitch * (lesson.count - 1) // 2
    for number in range(1, lesson.count + 1):
        colour = theme.ink if number == lesson.number else mixed(theme.felt, theme.muted, 0.4)
        dot = stage.kit.disc(stage.px(24 if number == lesson.number else 16), colour)
        stage.centred(dot, (x + pitch * (number - 1), y))
