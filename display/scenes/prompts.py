"""Few, large words in a seat's half, with the button they ask for beside them."""

from __future__ import annotations

from typing import Final, NamedTuple

from cabinet.engine.table import PileName, Seat
from display import text
from display.layout import Box
from display.scenes.buttons import ButtonLook, button_disc, button_label, button_width, start_button
from display.stage import Face, Stage
from display.theme import Colour, mixed

CHOICE_PX: Final = 60
"""Height of a button that stands for a pile."""
WORD_W: Final = 190
"""Room for LEFT or RIGHT."""


class Words(NamedTuple):
    """One line of a message."""

    text: str
    px_1080: int
    colour: Colour
    heavy: bool = True


def message(stage: Stage, seat: Seat, lines: list[Words], *, icon: str = "", flare: float = 0.0) -> None:
    """Lines in the middle of a seat's message box.

    `icon` stands above them: ``button``, ``tick``, or ``room`` for neither.
    """
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
        elif icon == "tick":
            stage.centred(stage.kit.tick(icon_px, stage.theme.seat(seat)), middle)
        y += icon_px + gap
    for line, height in zip(lines, heights, strict=True):
        face = Face(line.px_1080, line.colour, "heavy" if line.heavy else "text")
        stage.words(line.text, (box.centre[0], y + height // 2), face, width=box.w)
        y += height


def side_choice(stage: Stage, seat: Seat, box: Box, stock_piles: int, *, is_lit: bool = True) -> None:
    """Which buttons mean left and right: two rows, an arrow, the word if there is room, and the buttons."""
    upper = (4, 5) if stock_piles == 5 else (3, 4)
    sides: tuple[tuple[PileName, tuple[int, int]], ...] = (("left", (1, 2)), ("right", upper))
    flare, strength = (0.3, 1.0) if is_lit else (0.0, 0.4)
    rows = [
        (
            pile,
            [
                ButtonLook(button_label(stage, f"{seat}.{n}"), stage.theme.seat(seat), flare, strength)
                for n in both
            ],
        )
        for pile, both in sides
    ]
    word_w = stage.px(WORD_W)
    has_words = all(_row_width(stage, looks) + word_w <= box.w for _, looks in rows)
    for row, (pile, looks) in enumerate(rows):
        middle = (box.centre[0], box.centre[1] + round((row - 0.5) * stage.px(92)))
        _side_row(stage, middle, pile, looks, has_word=has_words)


def _row_width(stage: Stage, looks: list[ButtonLook]) -> int:
    """How wide an arrow with its buttons is."""
    px, gap = stage.px(CHOICE_PX), stage.px(12)
    return stage.px(46) + sum(gap + button_width(stage, look.label, px) for look in looks)


def _side_row(
    stage: Stage, middle: tuple[int, int], pile: PileName, looks: list[ButtonLook], *, has_word: bool
) -> None:
    px, gap, word_w = stage.px(CHOICE_PX), stage.px(12), stage.px(WORD_W)
    colour = mixed(stage.theme.felt, looks[0].colour, looks[0].strength)
    arrow = stage.kit.arrow(stage.px(46), colour, to_left=pile == "left")
    widths = [button_width(stage, look.label, px) for look in looks]
    total = _row_width(stage, looks) + (word_w if has_word else 0)
    x, y = middle[0] - total // 2, middle[1]
    stage.put(arrow, x, y - arrow.get_height() // 2)
    x += arrow.get_width() + gap
    if has_word:
        word = stage.type.fitted(text.PILES[pile], stage.layout.text_px(52), colour, "heavy", word_w)
        stage.put(word, x, y - word.get_height() // 2)
        x += word_w
    for width, look in zip(widths, looks, strict=True):
        button_disc(stage, (x + width // 2, y), px, look)
        x += width + gap
