"""Where everything lies: side by side, at any resolution. Pure geometry in whole pixels."""

from __future__ import annotations

from typing import Final

import msgspec

from cabinet.engine.rules import GameKind, Rules
from cabinet.engine.table import OWN_SIDE, PILE_NAMES, SEATS, PileName, Seat

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
STOCK_STEP_PX: Final = 6
"""How far each card of a stock pile lifts those above it, at 1920×1080."""
FAN_PX: Final = 38
"""How far each open card peeks out from under the next, at 1920×1080: its corner can be read."""
MOST_BENEATH: Final = 3
"""A rank has four cards, so that at most so many lie open beneath a top of that rank (RULES.md 42)."""


class TableShape(msgspec.Struct, frozen=True):
    """What a game needs room for on the table."""

    piles: int = 5
    """Stock piles, or slots of the hand, of each player."""
    game: GameKind = "spit"
    is_fanned: bool = False
    """Whether open cards lie beneath the tops (stack_equal)."""
    is_scored: bool = False
    """Whether points are counted."""


SPIT_SHAPE: Final = TableShape()
"""Spit as it is mostly played."""


def shape_of(rules: Rules, piles: int | None = None) -> TableShape:
    """The shape of a game's table; `piles` when it is known from the table itself."""
    if rules.game == "speed":
        return TableShape(piles or 5, "speed", is_scored=True)
    return TableShape(piles or rules.stock, is_fanned=rules.stack_equal, is_scored=rules.score == "points")


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
    score: Box | None
    """The points, beside the name; None where none are counted."""
    score_note: Box | None
    """One short line beneath the points."""
    spit: Box
    """The top of the spit cards, when one card lies there; in Speed of the draw pile."""
    spit_count: Box
    """The number of cards there."""
    side: Box | None
    """The top of the side pile beside the own centre pile; only in Speed."""
    side_count: Box | None
    """The number of cards there."""
    stock: tuple[Box, ...]
    """The lowest card of each stock pile, left to right."""
    buttons: tuple[Box, ...]
    """The number of the button under each stock pile."""
    bar: Box
    """How long the stock buttons stay locked."""
    words: Box
    """Short words right above the stock piles, as high as a line."""
    message: Box
    """Large words between the spit cards and the centre piles, or in Speed the side pile."""


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
    caption: Box
    """What a lesson says, beneath the strip's first line."""

    def seat(self, seat: Seat) -> SeatLayout:
        """One player's half."""
        return self.a if seat == "a" else self.b

    def pile(self, name: PileName) -> Box:
        """The lowest card of a centre pile."""
        return self.left if name == "left" else self.right

    def side_pile(self, name: PileName) -> Box | None:
        """The top of the side pile beside a centre pile; None where there are none."""
        return (self.a if name == OWN_SIDE["a"] else self.b).side

    def px(self, at_1080: float) -> int:
        """A length given for 1920×1080, in pixels here; at least 1."""
        return max(1, round(at_1080 * self.unit))

    def text_px(self, at_1080: float) -> int:
        """A type size given for 1920×1080, never too small to read."""
        return max(SMALLEST_TEXT, round(at_1080 * self.unit))

    def stock_rise(self, size: int) -> int:
        """How far the top card of a stock pile is lifted by those beneath."""
        return max(0, size - 1) * self.px(STOCK_STEP_PX)

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
            if half.score is not None and half.score_note is not None:
                boxes |= {f"{seat} score": half.score, f"{seat} score note": half.score_note}
            if half.side is not None and half.side_count is not None:
                boxes |= {f"{seat} side": _grown_up(half.side, self.px(34)), f"{seat} side count": half.side_count}
            for index, (stock, button) in enumerate(zip(half.stock, half.buttons, strict=True), 1):
                boxes[f"{seat} stock {index}"] = _grown_up(stock, self.stock_rise(5))
                boxes[f"{seat} button {index}"] = button
        return boxes

    def fan(self, beneath: int) -> int:
        """How far the lowest of so many open cards peeks out above the top card."""
        return beneath * self.px(FAN_PX)


def _grown_up(box: Box, by: int) -> Box:
    return Box(box.x, box.y - by, box.w, box.h + by)


def layout_for(width: int, height: int, shape: TableShape = SPIT_SHAPE) -> Layout:
    """The geometry for a picture of `width` by `height` pixels and a game's table.

    Raises ValueError when the picture is smaller than `SMALLEST`.
    """
    if width < SMALLEST[0] or height < SMALLEST[1]:
        raise ValueError(f"a picture of {width}×{height} is too small; at least {SMALLEST[0]}×{SMALLEST[1]}")
    unit = min(width / 1_920, height / 1_080)
    return _Plan(width, height, unit, shape).layout()


class _Plan:
    """Works the boxes out, from the bottom row upwards."""

    def __init__(self, width: int, height: int, unit: float, shape: TableShape) -> None:
        self.width, self.height, self.unit, self.shape = width, height, unit, shape
        self.half = width // 2
        self.card_h = self.px(236)
        self.card_w = round(self.card_h * CARD_RATIO)
        self.small_h = self.px(178)
        self.small_w = round(self.small_h * CARD_RATIO)
        self.spare = height - round(1_080 * unit)
        self.top = self.spare // 4
        self.margin = self.px(48)
        self.stock_y = height - self.px(148) - self.card_h - self.spare // 3
        self.pile_bottom = self.px(628) + self.spare // 3

    def px(self, at_1080: float) -> int:
        return max(1, round(at_1080 * self.unit))

    def text_px(self, at_1080: float) -> int:
        return max(SMALLEST_TEXT, round(at_1080 * self.unit))

    def layout(self) -> Layout:
        big_h = round(self.card_h * PILE_SCALE)
        big_w = round(big_h * CARD_RATIO)
        gap, top = self.px(36), self.top
        strip = Box(self.half - self.px(390), top + self.px(34), self.px(780), self.px(104))
        pile_y = self.pile_bottom - big_h
        left = Box(self.half - gap - big_w, pile_y, big_w, big_h)
        half = self.seat(left)
        return Layout(
            width=self.width,
            height=self.height,
            unit=self.unit,
            top=top,
            card=(self.card_w, self.card_h),
            big_card=(big_w, big_h),
            small_card=(self.small_w, self.small_h),
            a=half,
            b=self.mirrored(half),
            left=left,
            right=Box(self.half + gap, pile_y, big_w, big_h),
            strip=strip,
            banner=Box(self.half - self.px(700), strip.y, self.px(1_400), strip.h),
            caption=Box(self.half - self.px(860), top + self.px(111), self.px(1_720), self.px(80)),
        )

    def seat(self, left_pile: Box) -> SeatLayout:
        """The half of a; that of b is its mirror image."""
        stock = self.stock()
        button = self.px(72)
        button_y = self.stock_y + self.card_h + self.px(46)
        name_w = self.px(310 if self.shape.is_scored else 500)
        header = Box(self.margin, self.top + self.px(40), name_w, self.px(62))
        note = Box(self.margin, header.bottom + self.px(6), name_w, round(self.text_px(40) * 1.2))
        row_x, row_w = stock[0].x, stock[-1].right - stock[0].x
        word_y = self.stock_y - self.px(30) - self.text_px(40) - self.px(8)
        spit = Box(self.margin, self.pile_bottom - self.px(100) - self.small_h, self.small_w, self.small_h)
        side = self.side(left_pile, spit.y)
        return SeatLayout(
            header=header,
            note=note,
            score=self.score(header.y - self.px(8), self.px(74)),
            score_note=self.score(note.y, note.h),
            spit=spit,
            spit_count=self.beneath(spit),
            side=side,
            side_count=self.beneath(side) if side else None,
            stock=stock,
            buttons=tuple(Box(box.centre[0] - button // 2, button_y, button, button) for box in stock),
            bar=Box(row_x, self.stock_y + self.card_h + self.px(18), row_w, self.px(12)),
            words=Box(self.margin, word_y, left_pile.x - self.margin, round(self.text_px(40) * 1.1)),
            message=self.message(side.x if side else left_pile.x, word_y),
        )

    def stock(self) -> tuple[Box, ...]:
        pitch = self.card_w + self.px(13)
        row_x = (self.half - pitch * self.shape.piles + self.px(13)) // 2
        return tuple(
            Box(row_x + pitch * n, self.stock_y, self.card_w, self.card_h) for n in range(self.shape.piles)
        )

    def score(self, y: int, height: int) -> Box | None:
        """A line of the points' column, between the name and the strip."""
        return Box(self.px(368), y, self.px(184), height) if self.shape.is_scored else None

    def side(self, left_pile: Box, y: int) -> Box | None:
        """The side pile, as large as the draw pile and at its height."""
        if self.shape.game != "speed":
            return None
        return Box(left_pile.x - self.px(26) - self.small_w, y, self.small_w, self.small_h)

    def beneath(self, pile: Box) -> Box:
        """The number under a small pile."""
        return Box(pile.x, pile.bottom + self.px(8), pile.w, self.px(58))

    def message(self, right: int, word_y: int) -> Box:
        """What is left between the small piles and `right`; open cards that peek out need some of its height."""
        room = self.px(30 if self.shape.game == "spit" else 22)
        x = self.margin + self.small_w + self.px(44 if self.shape.game == "spit" else 22)
        y = self.top + self.px(215)
        bottom = word_y - self.px(10)
        if self.shape.is_fanned:
            bottom = self.stock_y - 4 * self.px(STOCK_STEP_PX) - MOST_BENEATH * self.px(FAN_PX) - self.px(2)
        return Box(x, y, right - room - x, bottom - y)

    def mirrored(self, half: SeatLayout) -> SeatLayout:
        def flip(box: Box) -> Box:
            return Box(self.width - box.right, box.y, box.w, box.h)

        def flip_if(box: Box | None) -> Box | None:
            return flip(box) if box is not None else None

        return SeatLayout(
            header=flip(half.header),
            note=flip(half.note),
            score=flip_if(half.score),
            score_note=flip_if(half.score_note),
            spit=flip(half.spit),
            spit_count=flip(half.spit_count),
            side=flip_if(half.side),
            side_count=flip_if(half.side_count),
            stock=tuple(flip(box) for box in reversed(half.stock)),
            buttons=tuple(flip(box) for box in reversed(half.buttons)),
            bar=flip(half.bar),
            words=flip(half.words),
            message=flip(half.message),
        )
