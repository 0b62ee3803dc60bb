"""Colours and light levels as one value, so that another theme is another value."""

from __future__ import annotations

from typing import Final

import msgspec

from cabinet.engine.table import Seat

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


class Theme(msgspec.Struct, frozen=True, kw_only=True):
    """Every colour of the picture. The two seats also differ in shape, so colour alone tells nothing."""

    seat_a: Colour = (0xFF, 0xB0, 0x00)
    """Amber, the disc."""
    seat_b: Colour = (0x00, 0xC2, 0xD1)
    """Cyan, the triangle."""
    lamp_a: Colour = (66, 43, 5)
    """What a's lamp adds to the felt at its brightest spot, at its normal level."""
    lamp_b: Colour = (3, 45, 52)
    """What b's lamp adds to the felt at its brightest spot, at its normal level."""
    felt: Colour = (13, 25, 27)
    """The ground in the middle."""
    felt_edge: Colour = (4, 9, 11)
    """The ground in the corners."""
    paper: Colour = (0xFC, 0xFA, 0xF4)
    """The face of a card."""
    paper_shade: Colour = (0xEA, 0xE8, 0xE3)
    """The lower end of a card's face, where less light falls."""
    card_edge: Colour = (0xB4, 0xC0, 0xC6)
    """The thin cool edge of a card."""
    stack_light: Colour = (0xD6, 0xD8, 0xD7)
    """The edge of a card that lies beneath another."""
    stack_line: Colour = (0x6E, 0x78, 0x7E)
    """The gap between two such edges."""
    back: Colour = (0x17, 0x2F, 0x3E)
    """The back of a card."""
    back_edge: Colour = (0x3A, 0x5A, 0x6C)
    """The edge of a card's back."""
    ink: Colour = (0xF2, 0xF4, 0xF1)
    """Words that belong to no seat."""
    muted: Colour = (0xB9, 0xC3, 0xC5)
    """Words of less weight."""
    panel: Colour = (0x16, 0x21, 0x25)
    """The ground under a strip or an overlay."""
    warning: Colour = (0xFF, 0x6B, 0x57)
    """Trouble, and presses that were refused."""
    hearts: Colour = (0xCC, 0x2C, 0x0D)
    diamonds: Colour = (0x10, 0x2F, 0xB3)
    clubs: Colour = (0x20, 0x94, 0x7C)
    spades: Colour = (0x11, 0x11, 0x11)

    def seat(self, seat: Seat) -> Colour:
        """The colour of a seat's light."""
        return self.seat_a if seat == "a" else self.seat_b

    def lamp(self, seat: Seat) -> Colour:
        """What a seat's lamp adds to the felt."""
        return self.lamp_a if seat == "a" else self.lamp_b

    def suit(self, suit: str) -> Colour:
        """The colour of a suit, by its letter. The four hold in all three kinds of colour blindness."""
        return {"H": self.hearts, "D": self.diamonds, "C": self.clubs, "S": self.spades}[suit]


LAMPS: Final = Theme()
"""Two lights over one table: the theme of the house."""

THEMES: Final[dict[str, Theme]] = {"lamps": LAMPS}


def mixed(colour: Colour, other: Colour, share: float) -> Colour:
    """A colour between two: `share` 0 is the first, 1 the other."""
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(colour, other, strict=True))
    return (red, green, blue)
