"""Where everything lies before a match: the game in the middle, the seats at both sides. Pure geometry."""

from __future__ import annotations

from typing import Final

import msgspec

from cabinet.engine.table import SEATS, Seat
from display.layout import SMALLEST_TEXT, Box, Layout

LINE_STEP: Final = 1.3
"""From one line to the next, by the type size."""
RULES_PX: Final = 40
"""Type size of the rules at 1920×1080."""
LONG_RULES_PX: Final = 36
"""The same for rules that would else take too many lines."""


def rules_lines(layout: Layout) -> int:
    """Lines that a game's rules may take: one more where the smallest type is large for the screen."""
    return 3 if LONG_RULES_PX * layout.unit >= SMALLEST_TEXT - 0.5 else 4


class SeatColumn(msgspec.Struct, frozen=True):
    """One seat, from top to bottom."""

    sign: Box
    """The seat's shape."""
    name: Box
    mark: Box
    """START, or a mark for done."""
    word: Box
    """One or two large lines."""
    notes: Box
    """One or two small lines."""


class LobbyLayout(msgspec.Struct, frozen=True):
    """The whole picture."""

    name: Box
    """The game's name."""
    dots: Box
    """Which of how many games."""
    picture: Box
    """The rules as a picture."""
    rules: Box
    """The rules in words."""
    previous: Box
    """The arrow to the game before, and the buttons for it."""
    following: Box
    """The same for the next one."""
    lesson: Box
    """How to see the lesson."""
    a: SeatColumn
    b: SeatColumn

    def seat(self, seat: Seat) -> SeatColumn:
        """One seat."""
        return self.a if seat == "a" else self.b

    def boxes(self) -> dict[str, Box]:
        """Everything that must neither overlap nor leave the screen, by name."""
        own = {
            "name": self.name,
            "dots": self.dots,
            "picture": self.picture,
            "rules": self.rules,
            "previous": self.previous,
            "following": self.following,
            "lesson": self.lesson,
        }
        for seat in SEATS:
            column = self.seat(seat)
            own |= {f"{seat} {part}": getattr(column, part) for part in column.__struct_fields__}
        return own


def lobby_layout(layout: Layout) -> LobbyLayout:
    """The lobby on a screen of that size."""
    px, middle = layout.px, layout.width // 2
    spare = layout.height - round(1_080 * layout.unit)
    line = round(layout.text_px(RULES_PX) * LINE_STEP)
    lesson = Box(middle - px(330), layout.height - px(112), px(660), px(84))
    rules_h = rules_lines(layout) * line
    rules = Box(middle - px(470), lesson.y - px(14) - rules_h, px(940), rules_h)
    name = Box(middle - px(470), px(34) + spare // 8, px(940), px(124))
    dots = Box(middle - px(330), name.bottom + px(6), px(660), max(px(40), layout.text_px(36)))
    top = dots.bottom + px(16)
    height = rules.y - px(16) - top
    picture = Box(middle - px(350), top, px(700), height)
    arrow_y = picture.centre[1] - px(130)
    column = _column(layout, spare)
    return LobbyLayout(
        name=name,
        dots=dots,
        picture=picture,
        rules=rules,
        previous=Box(picture.x - px(130), arrow_y, px(110), px(260)),
        following=Box(picture.right + px(20), arrow_y, px(110), px(260)),
        lesson=lesson,
        a=column,
        b=_mirrored(column, layout.width),
    )


def _column(layout: Layout, spare: int) -> SeatColumn:
    """The column of a."""
    px = layout.px
    x, width = px(30), px(430)
    middle = x + width // 2
    top = px(130) + spare // 4

    def row(y: int, height: int, wide: int = width) -> Box:
        return Box(middle - wide // 2, top + y, wide, height)

    note_h = 2 * round(layout.text_px(44) * LINE_STEP)
    return SeatColumn(
        sign=row(0, px(180), px(180)),
        name=row(px(206), px(88)),
        mark=row(px(340) + spare // 12, px(124)),
        word=row(px(484) + spare // 12, px(170)),
        notes=row(px(672) + spare // 12, note_h),
    )


def _mirrored(column: SeatColumn, width: int) -> SeatColumn:
    return SeatColumn(*(Box(width - box.right, box.y, box.w, box.h) for box in _parts(column)))


def _parts(column: SeatColumn) -> tuple[Box, ...]:
    return (column.sign, column.name, column.mark, column.word, column.notes)
