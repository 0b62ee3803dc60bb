"""RULES.md written a second time and plainly, to hold the engine against: what fits, and who can go on."""

from __future__ import annotations

from itertools import product

from cabinet.engine.cards import PACK, Card
from cabinet.engine.rules import Rules
from cabinet.engine.table import SEATS, SpeedSide, SpeedTable, SpitSide, SpitTable, StockPile

TURNING_THE_CORNER = "A23456789TJQKA"


def fits(card: Card, top: Card, rules: Rules) -> bool:
    """Rows 5 to 7, 40, 42."""
    steps = [TURNING_THE_CORNER[i : i + 2] for i in range(13)]
    by_rank = card.rank + top.rank in steps or top.rank + card.rank in steps
    by_rank = by_rank or (rules.pairs and card.rank == top.rank)
    return by_rank and (rules.colours == "any" or card.is_red != top.is_red)


def somebody_can_go_on(table: SpitTable | SpeedTable, rules: Rules) -> bool:
    """Rows 15, 42, 47: the opposite of stuck."""
    tops = [pile[-1] for pile in (table.left, table.right) if pile]
    for side in (table.a, table.b):
        if isinstance(side, SpeedSide):
            can = _can_in_speed(side, tops, rules)
        elif rules.stack_equal:
            can = _can_by_stacking(side, tops, rules)
        else:
            can = _can_in_spit(side, tops, rules)
        if can:
            return True
    return False


def _can_in_speed(side: SpeedSide, tops: list[Card], rules: Rules) -> bool:
    can_draw = None in side.hand and len(side.draw) > 0
    return can_draw or any(card is not None and fits(card, top, rules) for card, top in product(side.hand, tops))


def _can_in_spit(side: SpitSide, tops: list[Card], rules: Rules) -> bool:
    must_turn = any(pile.cards and not pile.face_up for pile in side.stock)
    can_play = any(pile.top is not None and fits(pile.top, top, rules) for pile, top in product(side.stock, tops))
    has_space = any(not pile.cards for pile in side.stock)
    can_uncover = has_space and any(pile.face_up and len(pile.cards) > 1 for pile in side.stock)
    return must_turn or can_play or can_uncover


Standing = tuple[tuple[int, tuple[Card, ...]], ...]
"""For each stock pile: how many cards lie face down, and the open ones from bottom to top."""


def _can_by_stacking(side: SpitSide, tops: list[Card], rules: Rules) -> bool:
    """CLARIFICATIONS.md C18, by trying every series of moves; which place a pile has makes no difference to it."""
    start: Standing = tuple(
        (len(pile.cards) - pile.face_up, tuple(_any_suit(card, rules) for card in _open_cards(pile)))
        for pile in side.stock
    )
    tried: set[Standing] = set()
    to_try = [start]
    while to_try:
        standing = tuple(sorted(to_try.pop()))
        if standing in tried:
            continue
        tried.add(standing)
        for down, up in standing:
            if down and not up:
                return True  # A card lies uncovered, to be turned.
            if up and any(fits(up[-1], top, rules) for top in tops):
                return True
        for source, target in product(range(len(standing)), repeat=2):
            after = _after_move(standing, source, target)
            if after is not None:
                if standing[source][0] and len(standing[source][1]) == 1:
                    return True  # This move uncovers a card.
                to_try.append(after)
    return False


def _any_suit(card: Card, rules: Rules) -> Card:
    """One card for all that fit alike."""
    return PACK[card % 13 + (13 if rules.colours == "alternate" and card.is_red else 0)]


def _open_cards(pile: StockPile) -> tuple[Card, ...]:
    return pile.cards[len(pile.cards) - pile.face_up :]


def _after_move(standing: Standing, source: int, target: int) -> Standing | None:
    """None: there is no such move."""
    down, up = standing[source]
    target_down, target_up = standing[target]
    if source == target or not up:
        return None
    is_space = not target_down and not target_up
    is_equal = bool(target_up) and target_up[-1].rank == up[-1].rank
    if not is_space and not is_equal:
        return None
    after = list(standing)
    after[source] = (down, up[:-1])
    after[target] = (target_down, (*target_up, up[-1]))
    return tuple(after)


def is_dead(table: SpeedTable, rules: Rules) -> bool:
    """Row 49: nobody can draw, and nothing in the middle or in a side pile takes any card of a hand."""
    sides = [table.side(seat) for seat in SEATS]
    if any(None in side.hand and side.draw for side in sides):
        return False
    hands = [card for side in sides for card in side.hand if card is not None]
    middle = (*table.left, *table.right, *table.side_left, *table.side_right)
    return not any(fits(card, other, rules) for card, other in product(hands, middle))
