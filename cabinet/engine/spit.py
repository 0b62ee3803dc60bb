"""Spit on the table: how it is dealt, what is legal, when it is stuck, what an action changes.

Only the table and the rules are known here; phases, time and penalties are `judge.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from cabinet.engine.actions import Move, Play, Refusal, Turn, TurnedCard
from cabinet.engine.cards import Card, are_neighbours
from cabinet.engine.rules import Rules
from cabinet.engine.table import (
    EMPTY_STOCK,
    OTHER_PILE,
    OWN_SIDE,
    PILE_NAMES,
    Centre,
    PileName,
    Seat,
    SpitSide,
    SpitTable,
    StockPile,
)

StockAction = Play | Turn | Move
"""What the stock buttons do."""


# Dealing


def lay_out(set_a: Sequence[Card], set_b: Sequence[Card], rules: Rules) -> SpitTable:
    """Both sets dealt out; nothing lies in the middle yet (RULES.md 2, 31, 32, 39).

    Each set is dealt from its front. A player left without spit cards makes it a one-pile round.
    """
    a = _deal_side(set_a, rules.stock)
    b = _deal_side(set_b, rules.stock)
    return SpitTable(a, b, left=() if a.spit else None, right=() if b.spit else None)


def _deal_side(cards: Sequence[Card], piles: int) -> SpitSide:
    stock: list[list[Card]] = [[] for _ in range(piles)]
    places = [pile for row in range(piles) for pile in range(row, piles)]
    for place, card in zip(places, cards, strict=False):
        stock[place].append(card)
    return SpitSide(
        stock=tuple(StockPile(tuple(pile), 1) if pile else EMPTY_STOCK for pile in stock),
        spit=tuple(cards[len(places) :]),
    )


# What may be done


def refusal(table: SpitTable, rules: Rules, seat: Seat, action: StockAction) -> Refusal | None:
    """Why the table does not allow a stock action; None when it does (CLARIFICATIONS.md C5)."""
    stock = table.side(seat).stock
    if isinstance(action, Play):
        return _play_refusal(table, rules, seat, stock[action.stock - 1], action.pile)
    if isinstance(action, Move):
        return _top_refusal(stock[action.source - 1]) or (
            "TARGET_NOT_EMPTY" if stock[action.target - 1].cards else None
        )
    pile = stock[action.stock - 1]
    if not pile.cards:
        return "EMPTY"
    return "FACE_UP" if pile.face_up else None


def _top_refusal(pile: StockPile) -> Refusal | None:
    if not pile.cards:
        return "EMPTY"
    return None if pile.face_up else "FACE_DOWN"


def _play_refusal(
    table: SpitTable, rules: Rules, seat: Seat, source: StockPile, named: PileName | None
) -> Refusal | None:
    refused = _top_refusal(source)
    if refused:
        return refused
    card = source.cards[-1]
    if named is not None:
        return _fit_refusal(table.pile(named), rules, card)
    if fitting_pile(table, rules, seat, card) is not None:
        return None
    own = OWN_SIDE[seat]
    return _fit_refusal(table.pile(own if table.pile(own) is not None else OTHER_PILE[own]), rules, card)


def _fit_refusal(pile: Centre | None, rules: Rules, card: Card) -> Refusal | None:
    if not pile:
        return "NO_PILE"
    top = pile[-1]
    if card in rules.fits[top]:
        return None
    fits_by_rank = are_neighbours(card, top) or (rules.pairs and card.rank == top.rank)
    return "COLOUR" if fits_by_rank else "NOT_ADJACENT"


def fitting_pile(table: SpitTable, rules: Rules, seat: Seat, card: Card) -> PileName | None:
    """Where a play that names no pile goes: the only pile it fits, or the own side; None if it fits neither."""
    own = OWN_SIDE[seat]
    for name in (own, OTHER_PILE[own]):
        pile = table.pile(name)
        if pile and card in rules.fits[pile[-1]]:
            return name
    return None


def is_stuck(table: SpitTable, rules: Rules) -> bool:
    """Whether neither player has a play, a turn, or a move that uncovers something (RULES.md 15).

    Judged from counts and face-up cards only.
    """
    fits = rules.fits
    on_left = fits[table.left[-1]] if table.left else frozenset()
    on_right = fits[table.right[-1]] if table.right else frozenset()
    for side in (table.a, table.b):
        has_space = False
        has_buried = False
        for pile in side.stock:
            cards = pile.cards
            if not cards:
                has_space = True
                continue
            if not pile.face_up:
                return False
            top = cards[-1]
            if top in on_left or top in on_right:
                return False
            if len(cards) > 1:
                has_buried = True
        if has_space and has_buried:
            return False
    return True


def useful_actions(table: SpitTable, rules: Rules, seat: Seat) -> Iterator[StockAction]:
    """All that brings this player on, in the order in which the machine would do it (CLARIFICATIONS.md C17).

    Plays, lowest stock first and left before right; then turns; then moves from piles of two or more,
    lowest first, to the lowest space.
    """
    stock = table.side(seat).stock
    for number, pile in enumerate(stock, 1):
        for name in PILE_NAMES:
            centre = table.pile(name)
            if pile.face_up and centre and pile.cards[-1] in rules.fits[centre[-1]]:
                yield Play(number, name)
    for number, pile in enumerate(stock, 1):
        if pile.cards and not pile.face_up:
            yield Turn(number)
    space = next((number for number, pile in enumerate(stock, 1) if not pile.cards), None)
    if space is not None:
        for number, pile in enumerate(stock, 1):
            if pile.face_up and len(pile.cards) > 1:
                yield Move(number, space)


# What an action changes


class Change(msgspec.Struct, frozen=True, gc=False):
    """What an accepted stock action did."""

    table: SpitTable
    card: Card
    """The card that was played, moved or turned."""
    uncovered: Card | None = None
    """The card that turned face up beneath it."""
    pile: PileName | None = None
    """The centre pile that was played on."""
    covered: Card | None = None
    """The card that lay on top there before."""
    is_progress: bool = True
    """False for a move that uncovers nothing (RULES.md 10)."""


def apply(table: SpitTable, rules: Rules, seat: Seat, action: StockAction) -> Change:
    """The table after a stock action that `refusal` allows (RULES.md 5, 8-11)."""
    if isinstance(action, Play):
        return _apply_play(table, rules, seat, action)
    side = table.side(seat)
    if isinstance(action, Move):
        source = side.stock[action.source - 1]
        card, rest = _without_top(source, rules)
        changed = _with_stock(side, action.source, rest)
        changed = _with_stock(changed, action.target, StockPile((card,), 1))
        return Change(table.with_side(seat, changed), card, rest.top, is_progress=bool(rest.cards))
    pile = side.stock[action.stock - 1]
    turned = StockPile(pile.cards, 1)
    return Change(table.with_side(seat, _with_stock(side, action.stock, turned)), pile.cards[-1])


def _apply_play(table: SpitTable, rules: Rules, seat: Seat, action: Play) -> Change:
    side = table.side(seat)
    card, rest = _without_top(side.stock[action.stock - 1], rules)
    name = action.pile or fitting_pile(table, rules, seat, card)
    pile = table.pile(name) if name else None
    if name is None or not pile:
        raise ValueError(f"{action} does not fit; refusal() tells")
    after = table.with_side(seat, _with_stock(side, action.stock, rest)).with_pile(name, (*pile, card))
    return Change(after, card, rest.top, name, pile[-1])


def _without_top(pile: StockPile, rules: Rules) -> tuple[Card, StockPile]:
    cards = pile.cards[:-1]
    if not cards:
        return pile.cards[-1], EMPTY_STOCK
    face_up = pile.face_up - 1 or (1 if rules.turn == "auto" else 0)
    return pile.cards[-1], StockPile(cards, face_up)


def _with_stock(side: SpitSide, number: int, pile: StockPile) -> SpitSide:
    stock = side.stock
    return SpitSide((*stock[: number - 1], pile, *stock[number:]), side.spit)


def turn_spit_cards(
    table: SpitTable, seats: Sequence[Seat], pile: PileName | None
) -> tuple[SpitTable, tuple[TurnedCard, ...]]:
    """The top spit card of each of `seats` turned in one step, on the own side or on `pile` (RULES.md 4, 17)."""
    turned = []
    for seat in seats:
        side = table.side(seat)
        name = pile or OWN_SIDE[seat]
        card = side.spit[-1]
        table = table.with_side(seat, SpitSide(side.stock, side.spit[:-1]))
        table = table.with_pile(name, (*(table.pile(name) or ()), card))
        turned.append(TurnedCard(seat, name, card))
    return table, tuple(turned)
