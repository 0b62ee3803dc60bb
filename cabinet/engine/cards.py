"""Cards, ranks, suits, the pack, and which cards are neighbours (RULES.md 1, 5-7)."""

from __future__ import annotations

from typing import Final

RANKS: Final = "A23456789TJQK"
"""The thirteen ranks in order, one letter each; T is ten. The ace is first and follows the king."""

SUITS: Final = "SHDC"
"""Spades, hearts, diamonds, clubs, in the order in which unnamed cards are filled in."""


class Card(int):
    """One of the 52 cards, as a number from 0 to 51: suit times 13 plus rank, in the order of `PACK`.

    A number, so that hands of cards are compared, hashed and stored at the speed of numbers.
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Card:
        """The card written as rank then suit, such as ``"TH"``.

        Raises ValueError, quoting the text, when there is no such card.
        """
        if len(text) == 2 and text[0] in RANKS and text[1] in SUITS:
            return PACK[SUITS.index(text[1]) * 13 + RANKS.index(text[0])]
        raise ValueError(f"{text!r} is no card: a rank of {RANKS}, then a suit of {SUITS}")

    @property
    def rank(self) -> str:
        """The rank's letter, one of `RANKS`."""
        return RANKS[self % 13]

    @property
    def suit(self) -> str:
        """The suit's letter, one of `SUITS`."""
        return SUITS[self // 13]

    @property
    def is_red(self) -> bool:
        """True for hearts and diamonds (RULES.md 40)."""
        return self.suit in "HD"

    def __str__(self) -> str:
        return self.rank + self.suit

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"


PACK: Final[tuple[Card, ...]] = tuple(Card(number) for number in range(52))
"""The pack in its one fixed order: AS to KS, AH to KH, AD to KD, AC to KC."""


def are_neighbours(card: Card, other: Card) -> bool:
    """Whether the ranks follow each other in either direction, turning the corner at the ace (RULES.md 5, 6)."""
    return (card - other) % 13 in (1, 12)


Fits = tuple[frozenset[Card], ...]
"""For each card as a pile's top, by its number: the cards that may be played on it."""


def fitting_cards(*, alternate_colours: bool, pairs: bool) -> Fits:
    """The table of what may be played on what (RULES.md 5-7, 40, 42)."""

    def fits(card: Card, top: Card) -> bool:
        by_rank = are_neighbours(card, top) or (pairs and card != top and card.rank == top.rank)
        return by_rank and not (alternate_colours and card.is_red == top.is_red)

    return tuple(frozenset(card for card in PACK if fits(card, top)) for top in PACK)
