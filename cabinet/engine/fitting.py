"""Which cards fit on the centre piles, and where a play that names no pile goes (RULES.md 5-7; C35, C40)."""

from __future__ import annotations

from typing import Protocol

from cabinet.engine.actions import Refusal
from cabinet.engine.cards import Card, are_neighbours
from cabinet.engine.rules import Rules
from cabinet.engine.table import OTHER_PILE, OWN_SIDE, Centre, PileName, Seat


class Centres(Protocol):
    """A table as far as its centre piles go."""

    def pile(self, name: PileName, /) -> Centre | None:
        """A centre pile; None when this round does not have it."""


def fitting_pile(table: Centres, rules: Rules, seat: Seat, card: Card) -> PileName | None:
    """Where a play that names no pile goes: the only pile it fits, or the own side; None if it fits neither."""
    own = OWN_SIDE[seat]
    for name in (own, OTHER_PILE[own]):
        pile = table.pile(name)
        if pile and card in rules.fits[pile[-1]]:
            return name
    return None


def fit_refusal(table: Centres, rules: Rules, seat: Seat, card: Card, named: PileName | None) -> Refusal | None:
    """Why a card does not fit on the pile named, or on any; None when it does."""
    if named is not None:
        return _refusal_of_pile(table.pile(named), rules, card)
    if fitting_pile(table, rules, seat, card) is not None:
        return None
    return _refusal_of_pile(table.pile(judged_pile(table, seat)), rules, card)


def judged_pile(table: Centres, seat: Seat) -> PileName:
    """The pile whose reason stands for a play that names none and fits none (CLARIFICATIONS.md C35)."""
    own = OWN_SIDE[seat]
    return own if table.pile(own) is not None else OTHER_PILE[own]


def _refusal_of_pile(pile: Centre | None, rules: Rules, card: Card) -> Refusal | None:
    if not pile:
        return "NO_PILE"
    top = pile[-1]
    if card in rules.fits[top]:
        return None
    fits_by_rank = are_neighbours(card, top) or (rules.pairs and card.rank == top.rank)
    return "COLOUR" if fits_by_rank else "NOT_ADJACENT"
