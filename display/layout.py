"""Where everything lies: side by side, at any resolution. Pure geometry in whole pixels."""

from __future__ import annotations

from typing import Final

import msgspec

from cabinet.engine.table import PILE_NAMES, SEATS, PileName, Seat

SMALLEST: Final = (1_024, 720)
"""The smallest picture that is laid out."""
SMALLEST_TEXT: Final = 24
"""No word that a player must read is set smaller, in pixels."""
COUNTABLE: Final = 5
"""Up to here the cards of a pile are counted by eye; beyond, heights are compared."""
PILE_SCALE: Final = 1.4
"""Centre piles against stock cards."""
CARD_RATIO: Final = 0.705
"""Width of a card by its height."""


class Box(msgspec.Struct, frozen=True, gc=False):
    """An upright rectangle in pixels."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        """The first column to the right of it."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """The first row beneath it."""
        return self.y + self.h

    @property
    def centre(self) -> tuple[int, int]:
        """Its middle."""
        return (self.x + self.w // 2, self.y + self.h // 2)

    def overlaps(self, other: Box) -> bool:
        """Whether the two share a pixel."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def within(self, other: Box) -> bool:
        """Whether all of it lies in the other."""
        return (
            self.x >= other.x and self.y >= other.y and self.right <= other.right and self.bottom <= other.bottom
        )


class SeatLayout(msgspec.Struct, frozen=True):
    """One player's half."""

    header: Box
    """Shape and name."""
    note: Box
    """One line beneath the name."""
    spit: Box
    """The top of the spit cards, when one card lies there."""
    spit_count: Box
    """The number of spit cards."""
    stock: tuple[Box, ...]
    """The lowest card of each stock pile, left to right."""
    buttons: tuple[Box, ...]
    """The number of the button under each stock pile."""
    bar: Box
    """How long the stock buttons stay locked."""
    words: Box
    """Short words right above the stock piles, as high as a line."""
    message: Box
    """Large words between the spit cards and the centre piles."""


class Layout(msgspec.Struct, frozen=True):
    """The whole picture."""

    width: int
    height: int
    unit: float
    """Pixels for each pixel of a 1920×1080 picture."""
    top: int
    """Room above the table on screens higher than 16:9."""
    card: tuple[int, int]
    """Width and height of a stock card."""
    big_card: tuple[int, int]
    """Width and height of a card on a centre pile."""
    small_card: tuple[int, int]
    """Width and height of a spit card."""
    a: SeatLayout
    b: SeatLayout
    left: Box
    """The lowest card of the left centre pile."""
    right: Box
    strip: Box
    """The photo finish, top middle."""
    banner: Box
    """Large words over the centre piles, where the strip is."""

    def seat(self, seat: Seat) -> SeatLayout:
        """One player's half."""
        return self.a if seat == "a" else self.b

    def pile(self, name: PileName) -> Box:
        """The lowest card of a centre pile."""
        return self.left if name == "left" else self.right

    def px(self, at_1080: float) -> int:
        """A length given for 1920×1080, in pixels here; at least 1."""
        return max(1, round(at_1080 * self.unit))

    def text_px(self, at_1080: float) -> int:
        """A type size given for 1920×1080, never too small to read."""
        return max(SMALLEST_TEXT, round(at_1080 * self.unit))

    def stock_rise(self, size: int) -> int:
        """How far the top card of a stock pile is lifted by those beneath."""
        return max(0, size - 1) * self.px(6)

    def pile_rise(self, size: int) -> int:
        """How far the top card of a centre pile is lifted: five countable steps, then finer ones."""
        countable = min(max(0, size - 1), COUNTABLE)
        return countable * self.px(7) + round(max(0, size - 1 - COUNTABLE) * 1.55 * self.unit)

    def fixed_boxes(self) -> dict[str, Box]:
        """Everything that must neither overlap nor leave the screen, by name."""
        boxes = {"strip": self.strip}
        tallest = self.pile_rise(52)
        for name in PILE_NAMES:
            pile = self.pile(name)
            boxes[name] = Box(pile.x, pile.y - tallest, pile.w, pile.h + tallest)
        for seat in SEATS:
            half = self.seat(seat)
            boxes |= {
                f"{seat} header": half.header,
                f"{seat} note": half.note,
                f"{seat} spit": _grown_up(half.spit, self.px(34)),
                f"{seat} spit count": half.spit_count,
                f"{seat} bar": half.bar,
                f"{seat} words": half.words,
                f"{seat} message": half.message,
            }
            for index, (stock, button) in enumerate(zip(half.stock, half.buttons, strict=True), 1):
                boxes[f"{seat} stock {index}"] = _grown_up(stock, self.stock_rise(5))
                boxes[f"{seat} button {index}"] = button
        return boxes


def _grown_up(box: Box, by: int) -> Box:
    return Box(box.x, box.y - by, box.w, box.h + by)


def layout_for(width: int, height: int, stock_piles: int = 5) -> Layout:
    """The geometry for a picture of `width` by `height` pixels with four or five stock piles a seat.

    Raises ValueError when the picture is smaller than `SMALLEST`.
    """
    if width < SMALLEST[0] or height < SMALLEST[1]:
        raise ValueError(f"a picture of {width}×{height} is too small; at least {SMALLEST[0]}×{SMALLEST[1]}")
    unit = min(width / 1_920, height / 1_080)
    return _Plan(width, height, unit, stock_piles).layout()


class _Plan:
    """Works the boxes out, from the bottom row upwards."""

    def __init__(self, width: int, height: int, unit: float, stock_piles: int) -> None:
        self.width, self.height, self.unit, self.piles = width, height, unit, stock_piles
        self.half = width // 2
        self.card_h = self.px(236)
        self.card_w = round(self.card_h * CARD_RATIO)
        self.spare = height - round(1_080 * unit)
        self.stock_y = height - self.px(148) - self.card_h - self.spare // 3
        self.pile_bottom = self.px(628) + self.spare // 3

    def px(self, at_1080: float) -> int:
        return max(1, round(at_1080 * self.unit))

    def text_px(self, at_1080: float) -> int:
        return max(SMALLEST_TEXT, round(at_1080 * self.unit))

    def layout(self) -> Layout:
        big_h = round(self.card_h * PILE_SCALE)
        big_w = round(big_h * CARD_RATIO)
        gap = self.px(36)
        top = self.spare // 4
        strip = Box(self.half - self.px(390), top + self.px(34), self.px(780), self.px(104))
        pile_y = self.pile_bottom - big_h
        left = Box(self.half - gap - big_w, pile_y, big_w, big_h)
        small_h = self.px(178)
        return Layout(
            width=self.width,
            height=self.height,
            unit=self.unit,
            top=top,
            card=(self.card_w, self.card_h),
            big_card=(big_w, big_h),
            small_card=(round(small_h * CARD_RATIO), small_h),
            a=self.seat("a", left, small_h),
            b=self.seat("b", left, small_h),
            left=left,
            right=Box(self.half + gap, pile_y, big_w, big_h),
            strip=strip,
            banner=Box(self.half - self.px(700), strip.y, self.px(1_400), strip.h),
        )

    def seat(self, seat: Seat, left_pile: Box, small_h: int) -> SeatLayout:
        margin = self.px(48)
        top = self.spare // 4
        small_w = round(small_h * CARD_RATIO)
        pitch = self.card_w + self.px(13)
        row_w = pitch * self.piles - self.px(13)
        row_x = (self.half - row_w) // 2
        stock = tuple(Box(row_x + pitch * n, self.stock_y, self.card_w, self.card_h) for n in range(self.piles))
        button = self.px(72)
        button_y = self.stock_y + self.card_h + self.px(46)
        buttons = tuple(Box(box.centre[0] - button // 2, button_y, button, button) for box in stock)
        header = Box(margin, top + self.px(40), self.px(500), self.px(62))
        line = self.text_px(40)
        spit_y = self.pile_bottom - self.px(100) - small_h
        word_y = self.stock_y - self.px(30) - self.text_px(40) - self.px(8)
        message_x = margin + small_w + self.px(44)
        half = SeatLayout(
            header=header,
            note=Box(margin, header.bottom + self.px(6), self.px(500), round(line * 1.2)),
            spit=Box(margin, spit_y, small_w, small_h),
            spit_count=Box(margin, spit_y + small_h + self.px(8), small_w, self.px(58)),
            stock=stock,
            buttons=buttons,
            bar=Box(row_x, self.stock_y + self.card_h + self.px(18), row_w, self.px(12)),
            words=Box(margin, word_y, left_pile.x - margin, round(self.text_px(40) * 1.1)),
            message=Box(
                message_x, top + self.px(215), left_pile.x - self.px(30) - message_x, word_y - top - self.px(225)
            ),
        )
        return half if seat == "a" else self.mirrored(half)

    def mirrored(self, half: SeatLayout) -> SeatLayout:
        def flip(box: Box) -> Box:
            return Box(self.width - box.right, box.y, box.w, box.h)

        return SeatLayout(
            header=flip(half.header),
            note=flip(half.note),
            spit=flip(half.spit),
            spit_count=flip(half.spit_count),
            stock=tuple(flip(box) for box in reversed(half.stock)),
            buttons=tuple(flip(box) for box in reversed(half.buttons)),
            bar=flip(half.bar),
            words=flip(half.words),
            message=flip(half.message),
        )
