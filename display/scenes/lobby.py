"""Before a match: the game that is chosen in the middle, and at both sides who has joined and is ready."""

from __future__ import annotations

from typing import Final, NamedTuple

from cabinet.engine.table import OTHER_SEAT, SEATS, Seat
from display import motion, rules_line, text
from display.layout import Box
from display.light import BRIGHT, DOWN, NORMAL
from display.lobby_layout import (
    LINE_STEP,
    LONG_RULES_PX,
    RULES_PX,
    LobbyLayout,
    SeatColumn,
    lobby_layout,
    rules_lines,
)
from display.scenes import emblem, table
from display.scenes.buttons import ButtonLook, button_disc, button_label, button_width, start_button
from display.stage import Stage, heavy, plain
from display.theme import mixed

NAME_PX: Final = 124
HINT_PX: Final = 58
"""Height of the buttons that page and that show the lesson, at 1920×1080."""
MOST_DOTS: Final = 16
"""More games than that are counted in figures."""
PREVIOUS, NEXT, LESSON = "1", "5", "4"
"""Which buttons page and show the lesson (HOUSE.md, "The panel")."""


class Standing(NamedTuple):
    """What a seat is told."""

    mark: str
    """``button`` to press, or ``tick`` for done."""
    word: str
    notes: tuple[str, ...] = ()


def draw(stage: Stage) -> None:
    """Which game, who has joined, who is ready, and how a robot comes in."""
    table.ground(stage, level(stage, "a"), level(stage, "b"))
    places = lobby_layout(stage.layout)
    _game(stage, places)
    for seat in SEATS:
        _seat(stage, seat, places.seat(seat))


def level(stage: Stage, seat: Seat) -> int:
    """How bright a seat's lamp burns: by who sits there, and whether they are ready."""
    status = stage.snapshot.seat(seat)
    if status.player == "nobody":
        return DOWN
    return BRIGHT if status.is_ready or status.player == "robot" else NORMAL


# The game


def _game(stage: Stage, places: LobbyLayout) -> None:
    snapshot, theme = stage.snapshot, stage.theme
    name = text.game_name(snapshot.game)
    px = stage.type.fitting_px(name, stage.layout.text_px(NAME_PX), "heavy", places.name.w)
    stage.centred(stage.kit.lit_words(name, px), places.name.centre)
    emblem.draw(stage, snapshot.game.rules, places.picture)
    _rules(stage, places.rules)
    if len(snapshot.games) > 1:
        _which(stage, places.dots)
        _arrow(stage, places.previous, PREVIOUS, to_left=True)
        _arrow(stage, places.following, NEXT, to_left=False)
    box = places.lesson
    word = stage.type.fitted(text.HOW_TO_PLAY, stage.layout.text_px(52), theme.ink, "heavy", box.w // 2)
    discs = _discs_width(stage, LESSON)
    gap = stage.px(24)
    x = box.centre[0] - (discs + gap + word.get_width()) // 2
    _discs(stage, LESSON, (x + discs // 2, box.centre[1]))
    stage.put(word, x + discs + gap, box.centre[1] - word.get_height() // 2)


def _rules(stage: Stage, box: Box) -> None:
    """The rules in words, from the top of their box."""
    layout, type_ = stage.layout, stage.type
    most = rules_lines(layout)
    px, found = rules_line.fitted_lines(
        rules_line.clauses(stage.snapshot.game.rules),
        (layout.text_px(RULES_PX), layout.text_px(LONG_RULES_PX)),
        most,
        lambda line, px: type_.width(line, px) <= box.w,
    )
    step = box.h // most
    top = box.y + (most - len(found)) * step // 2
    for number, line in enumerate(found):
        stage.centred(type_.words(line, px, stage.theme.ink), (box.centre[0], top + step * number + step // 2))


def _which(stage: Stage, box: Box) -> None:
    """Dots for which of how many games; figures where they are many."""
    games, theme = stage.snapshot.games, stage.theme
    number = games.index(stage.snapshot.game) if stage.snapshot.game in games else 0
    if len(games) > MOST_DOTS:
        stage.words(text.which_of(number + 1, len(games)), box.centre, heavy(40, theme.ink), width=box.w)
        return
    px, pitch = stage.px(18), stage.px(38)
    x = box.centre[0] - pitch * (len(games) - 1) // 2
    for place in range(len(games)):
        is_it = place == number
        dot = stage.kit.disc(
            px * 3 // 2 if is_it else px, theme.ink if is_it else mixed(theme.felt, theme.muted, 0.5)
        )
        stage.centred(dot, (x + pitch * place, box.centre[1]))


def _arrow(stage: Stage, box: Box, button: str, *, to_left: bool) -> None:
    """An arrow, and beneath it the button of each seat that pages."""
    px = stage.px(96)
    stage.centred(stage.kit.arrow(px, stage.theme.ink, to_left=to_left), (box.centre[0], box.y + box.h // 4))
    for seat, y in zip(SEATS, (box.y + box.h * 5 // 8, box.y + box.h * 7 // 8), strict=True):
        _disc(stage, seat, button, (box.centre[0], y))


def _discs(stage: Stage, button: str, middle: tuple[int, int]) -> None:
    """The same button of both seats, side by side."""
    x = middle[0] - _discs_width(stage, button) // 2
    for seat in SEATS:
        width = _disc_width(stage, seat, button)
        _disc(stage, seat, button, (x + width // 2, middle[1]))
        x += width + stage.px(12)


def _discs_width(stage: Stage, button: str) -> int:
    return sum(_disc_width(stage, seat, button) for seat in SEATS) + stage.px(12)


def _disc_width(stage: Stage, seat: Seat, button: str) -> int:
    return button_width(stage, button_label(stage, f"{seat}.{button}"), stage.px(HINT_PX))


def _disc(stage: Stage, seat: Seat, button: str, middle: tuple[int, int]) -> None:
    line = f"{seat}.{button}"
    flare = 0.25 if stage.snapshot.lamp(line).mode == "on" else 0.0
    look = ButtonLook(button_label(stage, line), stage.theme.seat(seat), flare)
    button_disc(stage, middle, stage.px(HINT_PX), look)


# The seats


def _seat(stage: Stage, seat: Seat, places: SeatColumn) -> None:
    layout, theme = stage.layout, stage.theme
    is_taken = stage.snapshot.seat(seat).player != "nobody"
    middle, px = places.sign.centre, places.sign.w
    if is_taken:
        glow = layout.px(560)
        strength = 0.5 if level(stage, seat) == BRIGHT else 0.3
        stage.shine(stage.kit.light.glow((glow, glow), theme.seat(seat), strength), middle)
    lift = px // 14 if seat == "b" else 0
    stage.centred(stage.kit.sign(seat, px, 1.0 if is_taken else 0.35), (middle[0], middle[1] - lift))
    colour = theme.seat(seat) if is_taken else mixed(theme.felt, theme.seat(seat), 0.75)
    stage.words(text.SEAT_NAMES[seat], places.name.centre, heavy(84, colour), width=places.name.w)
    _standing(stage, seat, places)


def _standing(stage: Stage, seat: Seat, places: SeatColumn) -> None:
    """The mark, the large word beneath it, then the notes."""
    layout, theme = stage.layout, stage.theme
    standing, px = standing_of(stage, seat), places.mark.h
    if standing.mark == "tick":
        stage.centred(stage.kit.tick(px * 7 // 8, theme.seat(seat)), places.mark.centre)
    else:
        flare = motion.steps(motion.hint_strength(stage.now_ns), 6)
        start_button(stage, seat, places.mark.centre, px, flare)
    words = standing.word.split()
    box, step = places.word, places.word.h // 2
    for row, word in enumerate(words):
        at = (box.centre[0], box.y + step // 2 + row * step)
        stage.words(word, at, heavy(80, theme.ink), width=box.w)
    notes, note_step = places.notes, round(layout.text_px(44) * LINE_STEP)
    top = notes.y - (step if len(words) == 1 else 0)
    for row, note in enumerate(standing.notes):
        at = (notes.centre[0], top + note_step // 2 + row * note_step)
        stage.words(note, at, plain(44, theme.muted), width=notes.w)


def standing_of(stage: Stage, seat: Seat) -> Standing:
    """What a seat is told, from who sits where."""
    status, other = stage.snapshot.seat(seat), stage.snapshot.seat(OTHER_SEAT[seat])
    joins = stage.snapshot.robot_joins_ns
    if status.player == "robot":
        return Standing("tick", text.ROBOT, text.ROBOT_NOTE)
    if status.player == "nobody":
        return Standing("button", text.PRESS_START)
    waits = not other.is_ready and other.player != "robot"
    if status.is_ready:
        return Standing("tick", text.READY, text.READY_NOTE if waits else ())
    if other.player == "nobody":
        robot = joins is not None and stage.now_ns >= joins
        return Standing("tick", text.JOINED, text.ROBOT_PROMPT if robot else text.READY_NOTE)
    return Standing("button", text.PRESS_START, text.JOINED_NOTE)
