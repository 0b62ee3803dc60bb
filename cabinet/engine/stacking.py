"""Own tops onto own tops of equal rank, an option: which moves come to something (RULES.md 42; C18)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from cabinet.engine.actions import Move
from cabinet.engine.cards import Card
from cabinet.engine.rules import Rules
from cabinet.engine.table import EMPTY_STOCK, Seat, SpitTable, StockPile

Stock = tuple[StockPile, ...]


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
    playable = frozenset[Card]().union(*(rules.fits[pile[-1]] for pile in (table.left, table.right) if pile))
    start = table.side(seat).stock
    seen = {start}
    waiting: deque[tuple[Stock, tuple[Move, ...]]] = deque([(start, ())])
    while waiting:
        stock, moves = waiting.popleft()
        for move in _moves(stock, rules):
            source = stock[move.source - 1]
            series = (*moves, move)
            if source.face_up == 1 and len(source.cards) > 1:
                return series
            after = _moved(stock, move)
            if any(pile.top in playable for pile in after):
                return series
            if after not in seen:
                seen.add(after)
                waiting.append((after, series))
    return ()


def _moves(stock: Stock, rules: Rules) -> Iterator[Move]:
    """Every move there is, the lowest numbers first; from a pile of one into a space changes nothing."""
    spaces = [number for number, pile in enumerate(stock, 1) if not pile.cards]
    for source, pile in enumerate(stock, 1):
        if pile.top is None:
            continue
        for target in range(1, len(stock) + 1):
            into_space = target in spaces[:1] and len(pile.cards) > 1
            if into_space or may_stack(stock, rules, source, target):
                yield Move(source, target)


def _moved(stock: Stock, move: Move) -> Stock:
    """The stock after a move that uncovers nothing."""
    piles = list(stock)
    source, target = stock[move.source - 1], stock[move.target - 1]
    rest = source.cards[:-1]
    piles[move.source - 1] = StockPile(rest, source.face_up - 1) if rest else EMPTY_STOCK
    piles[move.target - 1] = StockPile((*target.cards, source.cards[-1]), target.face_up + 1)
    return tuple(piles)
