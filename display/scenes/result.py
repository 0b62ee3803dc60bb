"""The match is over: the winner's light fills the table."""

from __future__ import annotations

from cabinet.engine.table import SEATS, Seat, View
from display import motion, text
from display.scenes import photo, points, table
from display.scenes.buttons import start_button, start_width
from display.stage import Stage, heavy, plain


def draw(stage: Stage, view: View) -> None:
    """Who won and why, how to play again, and for a moment by how much the last slap was won."""
    winner = view.winner
    if winner is None:
        _no_result(stage)
        return
    table.dark_ground(stage)
    layout = stage.layout
    colour = stage.theme.seat(winner)
    middle = (layout.width // 2, round(layout.height * 0.29))
    flood = stage.kit.light.glow((layout.width * 7 // 8, layout.height), colour, 0.5)
    stage.shine(flood, (middle[0], round(layout.height * 0.42)))
    px = layout.px(190)
    words = f"{text.SEAT_NAMES[winner]} {text.WINS}"
    room = layout.width - layout.px(160) - px
    picture = stage.type.fitted(words, layout.text_px(210), stage.theme.ink, "heavy", room)
    total = px + layout.px(56) + picture.get_width()
    x = middle[0] - total // 2
    stage.put(stage.kit.sign(winner, px), x, middle[1] - px // 2)
    stage.put(picture, x + px + layout.px(56), middle[1] - picture.get_height() // 2)
    why = (middle[0], round(layout.height * 0.435))
    stage.words(text.won_by(view), why, heavy(64, colour), width=layout.width - layout.px(320))
    for seat in SEATS:
        _total(stage, view, seat)
    photo.strip(stage)
    _again(stage)


def _total(stage: Stage, view: View, seat: Seat) -> None:
    """What decided the match: cards owned, or points."""
    layout, theme = stage.layout, stage.theme
    x = layout.width // 3 if seat == "a" else layout.width - layout.width // 3
    y = round(layout.height * 0.6)
    sign = layout.px(70)
    is_scored = points.are_counted(view.rules)
    total = points.score_of(view, seat) if is_scored else view.side(seat).owned
    number = stage.type.words(str(total), layout.text_px(150), theme.seat(seat), "heavy")
    width = sign + layout.px(26) + number.get_width()
    stage.put(stage.kit.sign(seat, sign), x - width // 2, y - sign // 2)
    stage.put(number, x - width // 2 + sign + layout.px(26), y - number.get_height() // 2)
    label = text.POINTS if is_scored else text.OWNED
    stage.words(label, (x, y + layout.px(104)), plain(46, theme.muted))


def _again(stage: Stage) -> None:
    """START plays again, from the moment at which it does."""
    layout, again = stage.layout, stage.snapshot.again_from_ns
    if again is None or stage.now_ns < again:
        return
    y = round(layout.height * 0.865)
    flare = motion.steps(motion.hint_strength(stage.now_ns), 6)
    words = stage.type.words(text.PRESS_START, layout.text_px(84), stage.theme.ink, "heavy")
    note = stage.type.words(text.AGAIN, layout.text_px(46), stage.theme.muted, "heavy")
    middle = layout.width // 2
    stage.centred(words, (middle, y - layout.px(22)))
    stage.centred(note, (middle, y + layout.px(52)))
    px = layout.px(118)
    for seat, x in zip(SEATS, (-1, 1), strict=True):
        away = (words.get_width() + start_width(stage, seat, px)) // 2 + layout.px(51)
        start_button(stage, seat, (middle + x * away, y), px, flare)


def _no_result(stage: Stage) -> None:
    table.dark_ground(stage)
    layout = stage.layout
    picture = stage.kit.lit_words(text.MATCH_OVER, layout.text_px(170))
    stage.centred(picture, (layout.width // 2, layout.height // 3))
    _again(stage)
