"""Spit on the table: how it is dealt, what is legal, when it is stuck, what an action changes.

Only the table and the rules are known here; phases, time and penalties are `judge.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from cabinet.engine.actions import Move, Play, Refusal, TableAction, Turn, TurnedCard
from cabinet.engine.cards import Card
from cabinet.engine.change import Change, Turned
from cabinet.engine.fitting import fit_refusal, fitting_pile
from cabinet.engine.rules import Rules
from cabinet.engine.stacking import may_stack, steps_to_use
from cabinet.engine.table import (
    EMPTY_STOCK,
    OWN_SIDE,
    PILE_NAMES,
    SEATS,
    BeatKind,
    PileName,
    Seat,
    SpitSide,
    SpitTable,
    StockPile,
)

# Dealing


def fresh_table(pack: Sequence[Card], rules: Rules) -> SpitTable:
    """A shuffled pack, half to each (RULES.md 1)."""
    half = len(pack) // 2
    return lay_out(pack[:half], pack[half:], rules)


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


def refusal(table: SpitTable, rules: Rules, seat: Seat, action: TableAction) -> Refusal | None:
    """Why the table does not allow a stock action; None when it does (CLARIFICATIONS.md C5)."""
    stock = table.side(seat).stock
    if isinstance(action, Play):
        pile = stock[action.stock - 1]
        return _top_refusal(pile) or fit_refusal(table, rules, seat, pile.cards[-1], action.pile)
    if isinstance(action, Move):
        return _top_refusal(stock[action.source - 1]) or _move_refusal(stock, rules, action)
    if not isinstance(action, Turn):
        raise ValueError(f"Spit has no {type(action).__name__.lower()}")
    pile = stock[action.stock - 1]
    if not pile.cards:
        return "EMPTY"
    return "FACE_UP" if pile.face_up else None


def _move_refusal(stock: Sequence[StockPile], rules: Rules, action: Move) -> Refusal | None:
    """Into a space only, or with stack_equal onto an own top of equal rank (RULES.md 9, 42)."""
    if not stock[action.target - 1].cards or may_stack(stock, rules, action.source, action.target):
        return None
    return "TARGET_NOT_EMPTY"


def _top_refusal(pile: StockPile) -> Refusal | None:
    if not pile.cards:
        return "EMPTY"
    return None if pile.face_up else "FACE_DOWN"


def can_spit(table: SpitTable, seat: Seat) -> bool:
    """Whether a player has spit cards left."""
    return bool(table.side(seat).spit)


def is_out(table: SpitTable, seat: Seat) -> bool:
    """Whether a player's stock is empty (RULES.md 21)."""
    return not table.side(seat).stock_size


def is_stuck(table: SpitTable, rules: Rules) -> bool:
    """Whether neither player has a play, a turn, or a move that uncovers something (RULES.md 15).

    With stack_equal: whether no series of own moves ends in one of these (CLARIFICATIONS.md C18). Judged from
    counts and face-up cards only.
    """
    fits = rules.fits
    on_left: frozenset[Card] = fits[table.left[-1]] if table.left else frozenset()
    on_right: frozenset[Card] = fits[table.right[-1]] if table.right else frozenset()
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
            if len(cards) > pile.face_up:
                has_buried = True
        if has_space and has_buried and not rules.stack_equal:
            return False
    return not rules.stack_equal or all(not steps_to_use(table, rules, seat) for seat in SEATS)


def useful_actions(table: SpitTable, rules: Rules, seat: Seat) -> Iterator[TableAction]:
    """All that brings this player on, in the order in which the machine would do it (CLARIFICATIONS.md C17).

    Plays, lowest stock first and left before right; then turns; then moves from piles of two or more,
    lowest first, to the lowest space. With stack_equal the only move is the first of the shortest series that
    comes to something (CLARIFICATIONS.md C18).
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
    if rules.stack_equal:
        yield from steps_to_use(table, rules, seat)[:1]
        return
    space = next((number for number, pile in enumerate(stock, 1) if not pile.cards), None)
    if space is not None:
        for number, pile in enumerate(stock, 1):
            if pile.face_up and len(pile.cards) > 1:
                yield Move(number, space)


# What an action changes


def apply(table: SpitTable, rules: Rules, seat: Seat, action: TableAction) -> Change:
    """The table after a stock action that `refusal` allows (RULES.md 5, 8-11, 42)."""
    if isinstance(action, Play):
        return _apply_play(table, rules, seat, action)
    side = table.side(seat)
    if isinstance(action, Move):
        source = side.stock[action.source - 1]
        card, rest = _without_top(source, rules)
        target = side.stock[action.target - 1]
        changed = _with_stock(side, action.source, rest)
        grown = StockPile((*target.cards, card), target.face_up + 1)
        changed = _with_stock(changed, action.target, grown)
        is_progress = source.face_up == 1 and bool(rest.cards)
        uncovered = rest.top if is_progress else None
        return Change(table.with_side(seat, changed), card, uncovered, is_progress=is_progress)
    if not isinstance(action, Turn):
        raise ValueError(f"{action} cannot be done; refusal() tells")
    pile = side.stock[action.stock - 1]
    turned = StockPile(pile.cards, 1)
    return Change(table.with_side(seat, _with_stock(side, action.stock, turned)), pile.cards[-1])


def _apply_play(table: SpitTable, rules: Rules, seat: Seat, action: Play) -> Change:
    side = table.side(seat)
    source = side.stock[action.stock - 1]
    card, rest = _without_top(source, rules)
    name = action.pile or fitting_pile(table, rules, seat, card)
    pile = table.pile(name) if name else None
    if name is None or not pile:
        raise ValueError(f"{action} does not fit; refusal() tells")
    after = table.with_side(seat, _with_stock(side, action.stock, rest)).with_pile(name, (*pile, card))
    return Change(after, card, rest.top if source.face_up == 1 else None, name, pile[-1])


def _without_top(pile: StockPile, rules: Rules) -> tuple[Card, StockPile]:
    cards = pile.cards[:-1]
    if not cards:
        return pile.cards[-1], EMPTY_STOCK
    face_up = pile.face_up - 1 or (1 if rules.turn == "auto" else 0)
    return pile.cards[-1], StockPile(cards, face_up)


def _with_stock(side: SpitSide, number: int, pile: StockPile) -> SpitSide:
    stock = side.stock
    return SpitSide((*stock[: number - 1], pile, *stock[number:]), side.spit)


def starters(table: SpitTable) -> tuple[Seat, ...]:
    """Whose spit cards turn when both are ready: who has a pile to start (RULES.md 4, 32)."""
    return tuple(seat for seat in SEATS if table.pile(OWN_SIDE[seat]) is not None)


def turn_cards(
    table: SpitTable,
    kind: BeatKind,  # noqa: ARG001
    seats: Sequence[Seat],
    pile: PileName | None,
    rng: Random,  # noqa: ARG001
) -> Turned:
    """The top spit card of each of `seats` turned in one step, on the own side or on `pile` (RULES.md 4, 17)."""
    turned = []
    for seat in seats:
        side = table.side(seat)
        name = pile or OWN_SIDE[seat]
        card = side.spit[-1]
        table = table.with_side(seat, SpitSide(side.stock, side.spit[:-1]))
        table = table.with_pile(name, (*(table.pile(name) or ()), card))
        turned.append(TurnedCard(seat, name, card))
    return Turned(table, tuple(turned))


def revived(table: SpitTable, rules: Rules, rng: Random) -> None:
    """Nothing: who is stuck for good in Spit ends the round (RULES.md 21)."""
