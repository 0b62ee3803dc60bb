"""Few, large words in a seat's half, with the button they ask for beside them."""

from __future__ import annotations

from typing import NamedTuple

from cabinet.engine.table import PileName, Seat
from display import text
from display.layout import Box
from display.scenes.table import ButtonLook, button_disc
from display.stage import Face, Stage, heavy
from display.theme import Colour, mixed


class Words(NamedTuple):
    """One line of a message."""

    text: str
    px_1080: int
    colour: Colour
    heavy: bool = True


def message(stage: Stage, seat: Seat, lines: list[Words], *, icon: str = "", flare: float = 0.0) -> None:
    """Lines in the middle of a seat's message box; `icon` is ``button`` or ``tick`` and stands above them."""
    box = stage.layout.seat(seat).message
    icon_px = stage.px(118)
    gap = stage.px(26)
    heights = [round(stage.layout.text_px(line.px_1080) * 1.12) for line in lines]
    total = sum(heights) + (icon_px + gap if icon else 0)
    y = box.centre[1] - total // 2
    if icon:
        middle = (box.centre[0], y + icon_px // 2)
        if icon == "button":
            start_button(stage, seat, middle, icon_px, flare)
        else:
            stage.centred(stage.kit.tick(icon_px, stage.theme.seat(seat)), middle)
        y += icon_px + gap
    for line, height in zip(lines, heights, strict=True):
        face = Face(line.px_1080, line.colour, "heavy" if line.heavy else "text")
        stage.words(line.text, (box.centre[0], y + height // 2), face, width=box.w)
        y += height


def start_button(stage: Stage, seat: Seat, middle: tuple[int, int], px: int, flare: float = 0.0) -> None:
    """The START / SPIT button: a lit cap in its ring, with the seat's shape or the key that takes its place."""
    theme, colour = stage.theme, stage.theme.seat(seat)
    if flare > 0:
        stage.shine(stage.kit.light.glow((px * 2, px * 2), colour, 0.5 * flare), middle)
    stage.centred(stage.kit.disc(px, mixed(theme.felt, colour, 0.28)), middle)
    stage.centred(stage.kit.disc(px, colour, max(2, px // 16)), middle)
    cap = px * 68 // 100
    stage.centred(stage.kit.disc(cap, mixed(theme.felt, colour, 0.72 + 0.28 * flare)), middle)
    label = stage.kit.key_labels.get(f"{seat}.spit")
    if label:
        stage.words(label, middle, heavy(44, theme.felt_edge), width=px - stage.px(30))
    else:
        lift = cap // 24 if seat == "b" else 0
        stage.centred(stage.kit.shape(seat, cap // 2, theme.felt_edge), (middle[0], middle[1] - lift))


def side_choice(stage: Stage, seat: Seat, box: Box, stock_piles: int, *, is_lit: bool = True) -> None:
    """Which buttons mean left and right: two rows, an arrow, the word and the buttons' numbers."""
    lower = (1, 2)
    upper = (4, 5) if stock_piles == 5 else (3, 4)
    px, gap = stage.px(60), stage.px(12)
    row_h = stage.px(92)
    sides: tuple[tuple[PileName, tuple[int, int]], ...] = (("left", lower), ("right", upper))
    strength = 1.0 if is_lit else 0.4
    colour = mixed(stage.theme.felt, stage.theme.seat(seat), strength)
    for row, (pile, numbers) in enumerate(sides):
        middle = box.centre[1] + round((row - 0.5) * row_h)
        word = stage.type.fitted(text.PILES[pile], stage.layout.text_px(52), colour, "heavy", box.w // 2)
        arrow = stage.kit.arrow(stage.px(46), colour, to_left=pile == "left")
        total = arrow.get_width() + gap + stage.px(190) + 2 * px + gap
        x = box.centre[0] - total // 2
        stage.put(arrow, x, middle - arrow.get_height() // 2)
        x += arrow.get_width() + gap
        stage.put(word, x, middle - word.get_height() // 2)
        x += stage.px(190)
        for number in numbers:
            label = stage.kit.key_labels.get(f"{seat}.{number}", str(number))
            flare = 0.3 if is_lit else 0.0
            look = ButtonLook(label, stage.theme.seat(seat), flare, strength)
            button_disc(stage, (x + px // 2, middle), px, look)
            x += px + gap
