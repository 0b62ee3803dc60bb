"""Buttons on the screen: a ring, or a wide key where what stands on it is too long for a ring."""

from __future__ import annotations

from typing import Final, NamedTuple

import pygame

from cabinet.engine.table import Seat
from display import motion
from display.stage import Stage, heavy
from display.theme import Colour, mixed

LESSON_FLARE_NS: Final = 600 * motion.MS
"""How long a button burns that is pressed in a lesson: long enough to be found."""
LABEL_PX: Final = 44
START_LABEL_PX: Final = 50
MARK_SCALE: Final = 1.7
"""How much larger than a letter a mark such as ``;`` is set: it has little ink."""
MARK_SHARE: Final = 0.6
"""Largest side of a mark by the button's height."""
CAP_SHARE: Final = 0.68
"""Height of the cap of START within its ring."""
END_SHARE: Final = 0.4
"""Room at both ends of a long label together, by the height of what it stands on."""


class ButtonLook(NamedTuple):
    """How a button is drawn."""

    label: str
    colour: Colour
    flare: float = 0.0
    """How bright it is inside, from 0 to 1."""
    strength: float = 1.0
    """How much of its light is left."""


def buttons(stage: Stage, seat: Seat, *, strength: float = 1.0) -> None:
    """The number, or the key, of the button beneath each stock pile; it flares when pressed."""
    pressed = {sign.line: sign.at_ns for sign in stage.snapshot.signs if sign.line.startswith(seat)}
    stuck = stage.snapshot.seat(seat).stuck_lines
    flare_ns = motion.FLARE_NS if stage.snapshot.lesson is None else LESSON_FLARE_NS
    for index, box in enumerate(stage.layout.seat(seat).buttons):
        line = f"{seat}.{index + 1}"
        age = stage.age(pressed[line]) if line in pressed else flare_ns
        flare = motion.steps(1 - motion.share(age, flare_ns), 4) if age >= 0 else 0.0
        if stage.snapshot.lamp(line).mode == "on":
            flare = max(flare, 0.25)
        colour = stage.theme.warning if line in stuck else stage.theme.seat(seat)
        button_disc(stage, box.centre, box.w, ButtonLook(button_label(stage, line), colour, flare, strength))


def button_label(stage: Stage, line: str) -> str:
    """What stands on a button: its number, or the key that takes its place."""
    return stage.kit.key_labels.get(line, line.partition(".")[2])


def button_width(stage: Stage, label: str, px: int) -> int:
    """How wide a button of height `px` is with that label: a ring, or at most as wide as a stock card."""
    width = stage.type.width(label, stage.layout.text_px(LABEL_PX), "heavy")
    if _is_mark(label) or width <= px - stage.px(18):
        return px
    return min(max(px, stage.layout.card[0]), width + round(px * END_SHARE))


def button_disc(stage: Stage, middle: tuple[int, int], px: int, look: ButtonLook) -> None:
    """A button as a ring, or as a wide key, with a label."""
    felt, flare = stage.theme.felt, look.flare
    ring = mixed(felt, look.colour, look.strength)
    size = (button_width(stage, look.label, px), px)
    if flare > 0:
        glow = (size[0] + px, px * 2)
        stage.shine(stage.kit.light.glow(glow, look.colour, 0.55 * flare), middle)
    stage.centred(stage.kit.pill(size, mixed(felt, ring, 0.22 + 0.7 * flare)), middle)
    stage.centred(stage.kit.pill(size, ring, max(2, stage.px(5))), middle)
    ink = stage.theme.felt_edge if flare > 0.6 else mixed(felt, stage.theme.ink, max(look.strength, 0.35))
    room = px - stage.px(18) if size[0] == px else size[0] - stage.px(20)
    _label(stage, look.label, middle, LabelLook(ink, LABEL_PX, room, px))


def start_width(stage: Stage, seat: Seat, px: int) -> int:
    """How wide the START button of height `px` is: its key may have a long name."""
    label = stage.kit.key_labels.get(f"{seat}.spit")
    if label is None or _is_mark(label):
        return px
    width = stage.type.width(label, stage.layout.text_px(START_LABEL_PX), "heavy")
    cap = round(px * CAP_SHARE)
    if width <= cap - stage.px(8):
        return px
    return min(stage.layout.seat(seat).message.w, width + round(cap * END_SHARE) + px - cap)


def start_button(stage: Stage, seat: Seat, middle: tuple[int, int], px: int, flare: float = 0.0) -> None:
    """The START / SPIT button: a lit cap in its ring, with the seat's shape or the key that takes its place."""
    theme, colour = stage.theme, stage.theme.seat(seat)
    width, cap = start_width(stage, seat, px), round(px * CAP_SHARE)
    if flare > 0:
        stage.shine(stage.kit.light.glow((width + px, px * 2), colour, 0.5 * flare), middle)
    stage.centred(stage.kit.pill((width, px), mixed(theme.felt, colour, 0.28)), middle)
    stage.centred(stage.kit.pill((width, px), colour, max(2, px // 16)), middle)
    inner = (width - px + cap, cap)
    stage.centred(stage.kit.pill(inner, mixed(theme.felt, colour, 0.72 + 0.28 * flare)), middle)
    label = stage.kit.key_labels.get(f"{seat}.spit")
    if label:
        _label(stage, label, middle, LabelLook(theme.felt_edge, START_LABEL_PX, inner[0] - stage.px(8), cap))
    else:
        lift = cap // 24 if seat == "b" else 0
        stage.centred(stage.kit.shape(seat, cap // 2, theme.felt_edge), (middle[0], middle[1] - lift))


class LabelLook(NamedTuple):
    """How a label is set."""

    colour: Colour
    px_1080: int
    room: int
    """Width that is there for it, in pixels."""
    height: int
    """Height of what it stands on, in pixels."""


def _is_mark(label: str) -> bool:
    return len(label) == 1 and not label.isalnum()


def _label(stage: Stage, label: str, middle: tuple[int, int], look: LabelLook) -> None:
    """A letter, a number or a word by its capitals' height; a mark by its ink."""
    if not _is_mark(label):
        stage.words(label, middle, heavy(look.px_1080, look.colour), width=look.room)
        return
    picture, inked = _mark(stage, label, look)
    stage.put(picture, middle[0] - inked.centerx, middle[1] - inked.centery)


def _mark(stage: Stage, label: str, look: LabelLook) -> tuple[pygame.Surface, pygame.Rect]:
    px = round(stage.layout.text_px(look.px_1080) * MARK_SCALE)
    picture = stage.type.words(label, px, look.colour, "heavy")
    inked = picture.get_bounding_rect()
    side, most = max(inked.size), round(look.height * MARK_SHARE)
    if side > most:
        picture = stage.type.words(label, px * most // side, look.colour, "heavy")
        inked = picture.get_bounding_rect()
    return picture, inked
