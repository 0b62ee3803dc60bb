"""Before a match: each seat presses START, and START again when ready."""

from __future__ import annotations

from cabinet.engine.table import OTHER_SEAT, SEATS, Seat
from display import motion, text
from display.layout import Box
from display.light import BRIGHT, DOWN, NORMAL
from display.scenes import table
from display.scenes.prompts import start_button
from display.stage import Stage
from display.theme import Colour


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
    status = stage.snapshot.seat(seat)
    joined = status.player != "nobody"
    colour = theme.seat(seat)
    height, width = layout.px(660), layout.px(820)
    middle_x = layout.width // 4 if seat == "a" else layout.width - layout.width // 4
    box = Box(middle_x - width // 2, layout.height // 2 - height // 2 + layout.px(90), width, height)
    stage.put(stage.kit.panel((box.w, box.h), theme.panel, 150), box.x, box.y)
    if joined:
        stage.put(stage.kit.panel((box.w, box.h), colour, 255, max(2, layout.px(5))), box.x, box.y)
    y = box.y + layout.px(110)
    sign = layout.px(96)
    name = stage.type.words(text.SEAT_NAMES[seat], layout.text_px(92), colour, "heavy")
    total = sign + layout.px(30) + name.get_width()
    x = box.centre[0] - total // 2
    stage.put(stage.kit.sign(seat, sign), x, y - sign // 2)
    stage.put(name, x + sign + layout.px(30), y - name.get_height() // 2)
    _body(stage, seat, box, colour)


def _body(stage: Stage, seat: Seat, box: Box, colour: Colour) -> None:
    layout, theme = stage.layout, stage.theme
    status, x = stage.snapshot.seat(seat), box.centre[0]
    icon = layout.px(150)
    middle = (x, box.y + layout.px(290))
    flare = motion.steps(motion.hint_strength(stage.now_ns), 6)
    if status.is_ready or status.player == "robot":
        stage.centred(stage.kit.tick(icon, colour), middle)
    else:
        start_button(stage, seat, middle, icon, flare)
    big, notes = _lines(stage, seat)
    stage.words(big, (x, box.y + layout.px(455)), 92, theme.ink, weight="heavy", width=box.w - layout.px(60))
    for row, note in enumerate(notes):
        at = (x, box.y + layout.px(545 + 56 * row))
        stage.words(note, at, 46, theme.muted, width=box.w - layout.px(60))


def _lines(stage: Stage, seat: Seat) -> tuple[str, tuple[str, ...]]:
    """The large word of a seat's panel and the lines beneath it."""
    status, other = stage.snapshot.seat(seat), stage.snapshot.seat(OTHER_SEAT[seat])
    joins = stage.snapshot.robot_joins_ns
    if status.player == "robot":
        return text.ROBOT, (text.ROBOT_NOTE,)
    if status.player == "nobody":
        return text.PRESS_START, ()
    if other.player == "nobody":
        if joins is not None and stage.now_ns >= joins:
            return text.JOINED, text.ROBOT_PROMPT
        return text.JOINED, (text.READY_NOTE,)
    if status.is_ready:
        return text.READY, (text.READY_NOTE,) if not other.is_ready else ()
    return text.PRESS_START, (text.JOINED_NOTE,)
