"""Own tops onto own tops of equal rank, an option: which moves come to something (RULES.md 42; C18)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import msgspec

from cabinet.engine.actions import Move
from cabinet.engine.cards import Card
from cabinet.engine.rules import Rules
from cabinet.engine.table import PILE_NAMES, Seat, SpitTable, StockPile, StockView, View


class OpenPile(msgspec.Struct, frozen=True, gc=False):
    """A stock pile as far as its owner sees into it."""

    buried: int
    """How many cards lie face down."""
    cards: tuple[Card, ...]
    """The open ones above them, from bottom to top."""


OpenStock = tuple[OpenPile, ...]


def may_stack(stock: Sequence[StockPile], rules: Rules, source: int, target: int) -> bool:
    """Whether the open top of one pile may go onto that of another; both are numbered from 1."""
    if not rules.stack_equal or source == target:
        return False
    card, onto = stock[source - 1].top, stock[target - 1].top
    return card is not None and onto is not None and card.rank == onto.rank


def steps_to_use(table: SpitTable, rules: Rules, seat: Seat) -> tuple[Move, ...]:
    """The shortest series of own moves that ends in a legal play or uncovers a card; empty: there is none.

    Of several the first by the numbers of their piles. A play that needs no move is not looked for.
    """
    return _shortest_series(
        tuple(_opened(pile) for pile in table.side(seat).stock),
        frozenset[Card]().union(*(rules.fits[pile[-1]] for pile in (table.left, table.right) if pile)),
    )


def seen_steps_to_use(view: View, seat: Seat) -> tuple[Move, ...]:
    """The same from what a player sees."""
    tops = [pile.top for name in PILE_NAMES if (pile := view.pile(name)) is not None]
    return _shortest_series(
        tuple(_seen(pile) for pile in view.side(seat).stock),
        frozenset[Card]().union(*(view.rules.fits[top] for top in tops if top is not None)),
    )


def _opened(pile: StockPile) -> OpenPile:
    buried = len(pile.cards) - pile.face_up
    return OpenPile(buried, pile.cards[buried:])


def _seen(pile: StockView) -> OpenPile:
    cards = () if pile.top is None else (*pile.beneath, pile.top)
    return OpenPile(pile.size - len(cards), cards)


def _shortest_series(start: OpenStock, playable: frozenset[Card]) -> tuple[Move, ...]:
    if not _comes_to_something(start, playable):
        return ()
    seen = {start}
    waiting: deque[tuple[OpenStock, tuple[Move, ...]]] = deque([(start, ())])
    while waiting:
        stock, moves = waiting.popleft()
        for move in _moves(stock):
            source = stock[move.source - 1]
            series = (*moves, move)
            if len(source.cards) == 1 and source.buried:
                return series
            after = _moved(stock, move)
            if any(pile.cards and pile.cards[-1] in playable for pile in after):
                return series
            if after not in seen:
                seen.add(after)
                waiting.append((after, series))
    return ()


def _comes_to_something(stock: OpenStock, playable: frozenset[Card]) -> bool:
    """Whether there is a series at all, without searching for it.

    Open cards of a pile are of one rank, so they go one by one into a space or onto an equal top. Two equal tops
    give a space, unless one of them covers a face-down card, which then is uncovered: with a space, or with two
    equal tops, every buried card and every open one can be reached.
    """
    ranks = [pile.cards[-1].rank for pile in stock if pile.cards]
    if len(set(ranks)) == len(ranks) and not any(_is_space(pile) for pile in stock):
        return False
    if any(pile.buried and pile.cards for pile in stock):
        return True
    return any(card in playable for pile in stock if len(pile.cards) > 1 for card in pile.cards)


def _moves(stock: OpenStock) -> Iterator[Move]:
    """Every move there is, the lowest numbers first; from a pile of one into a space changes nothing."""
    space = next((number for number, pile in enumerate(stock, 1) if _is_space(pile)), None)
    for source, pile in enumerate(stock, 1):
        if not pile.cards:
            continue
        for target, onto in enumerate(stock, 1):
            into_space = target == space and pile.buried + len(pile.cards) > 1
            onto_equal = source != target and onto.cards and onto.cards[-1].rank == pile.cards[-1].rank
            if into_space or onto_equal:
                yield Move(source, target)


def _is_space(pile: OpenPile) -> bool:
    return not pile.cards and not pile.buried


def _moved(stock: OpenStock, move: Move) -> OpenStock:
    """The stock after a move that uncovers nothing."""
    piles = list(stock)
    source, target = stock[move.source - 1], stock[move.target - 1]
    piles[move.source - 1] = OpenPile(source.buried, source.cards[:-1])
    piles[move.target - 1] = OpenPile(target.buried, (*target.cards, source.cards[-1]))
    return tuple(piles)
