"""Before a match: each seat presses START, and START again when ready; a seat that is taken lights its lamp."""

from __future__ import annotations

from typing import NamedTuple

from cabinet.engine.table import OTHER_SEAT, SEATS, Seat
from display import motion, text
from display.light import BRIGHT, DOWN, NORMAL
from display.scenes import table
from display.scenes.buttons import start_button, start_width
from display.stage import Stage, heavy, plain
from display.theme import mixed


class Standing(NamedTuple):
    """What a seat is told."""

    mark: str
    """``button`` to press, or ``tick`` for done."""
    word: str
    notes: tuple[str, ...] = ()


def draw(stage: Stage) -> None:
    """Who has joined, who is ready, and how a robot comes in."""
    table.ground(stage, _level(stage, "a"), _level(stage, "b"))
    title = stage.kit.lit_words(text.LOBBY_TITLE, stage.layout.text_px(96))
    stage.centred(title, (stage.layout.width // 2, stage.layout.strip.centre[1]))
    for seat in SEATS:
        _seat(stage, seat)


def _level(stage: Stage, seat: Seat) -> int:
    status = stage.snapshot.seat(seat)
    if status.player == "nobody":
        return DOWN
    return BRIGHT if status.is_ready or status.player == "robot" else NORMAL


def _seat(stage: Stage, seat: Seat) -> None:
    layout, theme = stage.layout, stage.theme
    is_taken = stage.snapshot.seat(seat).player != "nobody"
    x = layout.width // 4 if seat == "a" else layout.width - layout.width // 4
    y = layout.height // 2 - layout.px(140)
    px = layout.px(230)
    if is_taken:
        glow = layout.px(620)
        strength = 0.5 if _level(stage, seat) == BRIGHT else 0.3
        stage.shine(stage.kit.light.glow((glow, glow), theme.seat(seat), strength), (x, y))
    stage.centred(stage.kit.sign(seat, px, 1.0 if is_taken else 0.35), (x, y - (px // 14 if seat == "b" else 0)))
    name = (x, y + layout.px(210))
    colour = theme.seat(seat) if is_taken else mixed(theme.felt, theme.seat(seat), 0.75)
    stage.words(text.SEAT_NAMES[seat], name, heavy(84, colour))
    _standing(stage, seat, (x, y + layout.px(350)))


def _standing(stage: Stage, seat: Seat, at: tuple[int, int]) -> None:
    """The mark and the large word side by side, the notes beneath."""
    layout, theme = stage.layout, stage.theme
    standing = standing_of(stage, seat)
    px, gap = layout.px(104), layout.px(30)
    mark = px if standing.mark == "tick" else start_width(stage, seat, px)
    room = layout.width // 2 - layout.px(120) - mark - gap
    word = stage.type.fitted(standing.word, layout.text_px(84), theme.ink, "heavy", room)
    x = at[0] - (mark + gap + word.get_width()) // 2
    middle = (x + mark // 2, at[1])
    if standing.mark == "tick":
        stage.centred(stage.kit.tick(px, theme.seat(seat)), middle)
    else:
        start_button(stage, seat, middle, px, motion.steps(motion.hint_strength(stage.now_ns), 6))
    stage.put(word, x + mark + gap, at[1] - word.get_height() // 2)
    for row, note in enumerate(standing.notes):
        line = (at[0], at[1] + layout.px(110 + 58 * row))
        stage.words(note, line, plain(48, theme.muted), width=layout.width // 2 - layout.px(80))


def standing_of(stage: Stage, seat: Seat) -> Standing:
    """What a seat is told, from who sits where."""
    status, other = stage.snapshot.seat(seat), stage.snapshot.seat(OTHER_SEAT[seat])
    joins = stage.snapshot.robot_joins_ns
    if status.player == "robot":
        return Standing("tick", text.ROBOT, (text.ROBOT_NOTE,))
    if status.player == "nobody":
        return Standing("button", text.PRESS_START)
    waits = not other.is_ready and other.player != "robot"
    if status.is_ready:
        return Standing("tick", text.READY, (text.READY_NOTE,) if waits else ())
    if other.player == "nobody":
        robot = joins is not None and stage.now_ns >= joins
        return Standing("tick", text.JOINED, text.ROBOT_PROMPT if robot else (text.READY_NOTE,))
    return Standing("button", text.PRESS_START, (text.JOINED_NOTE,))
