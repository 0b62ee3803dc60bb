"""Speed on the table: how it is dealt, what is legal, when it is stuck or dead, what changes (RULES.md 43-50).

Only the table and the rules are known here; phases, time and penalties are `judge.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from msgspec.structs import replace

from cabinet.engine.actions import Draw, Play, Refusal, TableAction, TurnedCard
from cabinet.engine.cards import Card
from cabinet.engine.change import Change, Turned
from cabinet.engine.fitting import fit_refusal, fitting_pile
from cabinet.engine.rules import Rules
from cabinet.engine.table import OWN_SIDE, PILE_NAMES, SEATS, BeatKind, PileName, Seat, SpeedSide, SpeedTable

HAND_SIZE: Final = 5
"""Slots of a hand (RULES.md 45)."""


# Dealing


def fresh_table(pack: Sequence[Card], rules: Rules) -> SpeedTable:
    """A shuffled pack, cut from its front: a's cards, b's, the side piles, then the two singles (RULES.md 43)."""
    side_size = (len(pack) - 2 * rules.deal - 2) // 2
    rest = iter(pack)

    def cut(size: int) -> tuple[Card, ...]:
        return tuple(next(rest) for _ in range(size))

    a, b = _side_of(cut(rules.deal)), _side_of(cut(rules.deal))
    side_left, side_right = cut(side_size), cut(side_size)
    return SpeedTable(a, b, cut(1), cut(1), side_left, side_right, is_turned=False)


def _side_of(cards: Sequence[Card]) -> SpeedSide:
    """The first five are the hand (SCENARIOS.md, "Repeatable shuffles")."""
    hand = tuple(cards[:HAND_SIZE])
    return SpeedSide((*hand, *[None] * (HAND_SIZE - len(hand))), tuple(cards[HAND_SIZE:]))


# What may be done


def refusal(table: SpeedTable, rules: Rules, seat: Seat, action: TableAction) -> Refusal | None:
    """Why the table does not allow an action; None when it does (CLARIFICATIONS.md C5, C28, C32)."""
    side = table.side(seat)
    if isinstance(action, Draw):
        if None not in side.hand:
            return "HAND_FULL"
        return None if side.draw else "EMPTY"
    if not isinstance(action, Play):
        raise ValueError(f"Speed has no {type(action).__name__.lower()}")
    card = side.hand[action.stock - 1]
    return "EMPTY" if card is None else fit_refusal(table, rules, seat, card, action.pile)


def can_spit(table: SpeedTable, seat: Seat) -> bool:  # noqa: ARG001
    """Both slide whenever it is stuck: dry side piles are made anew (RULES.md 47, 48)."""
    return True


def is_out(table: SpeedTable, seat: Seat) -> bool:
    """Whether a player has neither hand nor draw pile left (RULES.md 50)."""
    return not table.side(seat).stock_size


def is_stuck(table: SpeedTable, rules: Rules) -> bool:
    """Whether neither player can play and neither can draw (RULES.md 47)."""
    on_left, on_right = rules.fits[table.left[-1]], rules.fits[table.right[-1]]
    for side in (table.a, table.b):
        if _can_draw(side):
            return False
        if any(card in on_left or card in on_right for card in side.hand if card is not None):
            return False
    return True


def _can_draw(side: SpeedSide) -> bool:
    return bool(side.draw) and None in side.hand


def useful_actions(table: SpeedTable, rules: Rules, seat: Seat) -> Iterator[TableAction]:
    """Plays, lowest slot first and left before right; then a draw (CLARIFICATIONS.md C17)."""
    side = table.side(seat)
    for number, card in enumerate(side.hand, 1):
        for name in PILE_NAMES:
            if card is not None and card in rules.fits[table.pile(name)[-1]]:
                yield Play(number, name)
    if _can_draw(side):
        yield Draw()


# What changes


def apply(table: SpeedTable, rules: Rules, seat: Seat, action: TableAction) -> Change:
    """The table after an action that `refusal` allows (RULES.md 45, 46)."""
    side = table.side(seat)
    if isinstance(action, Draw):
        slot = side.hand.index(None) + 1
        return Change(table.with_side(seat, _drawn(side, slot)), side.draw[0], slot=slot)
    card = side.hand[action.stock - 1] if isinstance(action, Play) else None
    if card is None or not isinstance(action, Play):
        raise ValueError(f"{action} cannot be done; refusal() tells")
    name = action.pile or fitting_pile(table, rules, seat, card)
    if name is None:
        raise ValueError(f"{action} does not fit; refusal() tells")
    pile = table.pile(name)
    played = replace(side, hand=_with_slot(side.hand, action.stock, None))
    drawn = _drawn(played, action.stock) if rules.draw == "auto" and played.draw else played
    after = table.with_side(seat, drawn).with_pile(name, (*pile, card))
    return Change(after, card, drawn.hand[action.stock - 1], name, pile[-1])


def _drawn(side: SpeedSide, slot: int) -> SpeedSide:
    return SpeedSide(_with_slot(side.hand, slot, side.draw[0]), side.draw[1:])


def _with_slot(hand: tuple[Card | None, ...], slot: int, card: Card | None) -> tuple[Card | None, ...]:
    return (*hand[: slot - 1], card, *hand[slot:])


def starters(table: SpeedTable) -> tuple[Seat, ...]:  # noqa: ARG001
    """Whose cards turn when both are ready: both singles (RULES.md 44)."""
    return SEATS


def turn_cards(
    table: SpeedTable,
    kind: BeatKind,
    seats: Sequence[Seat],
    pile: PileName | None,  # noqa: ARG001
    rng: Random,
) -> Turned:
    """Both singles turn, or one card slides from each side pile (RULES.md 44, 47, 48)."""
    if kind == "deal":
        cards = tuple(TurnedCard(seat, OWN_SIDE[seat], table.pile(OWN_SIDE[seat])[-1]) for seat in seats)
        return Turned(replace(table, is_turned=True), cards)
    is_dry = not table.side_left
    if is_dry:
        table = _refilled(table, rng)
    left, right = table.side_left[-1], table.side_right[-1]
    slid = replace(
        table,
        left=(*table.left, left),
        right=(*table.right, right),
        side_left=table.side_left[:-1],
        side_right=table.side_right[:-1],
    )
    return Turned(slid, (TurnedCard("a", "left", left), TurnedCard("b", "right", right)), is_dry)


def _refilled(table: SpeedTable, rng: Random) -> SpeedTable:
    """New side piles from all cards under the two tops; an odd one stays under left's top (RULES.md 48)."""
    under = [*table.left[:-1], *table.right[:-1]]
    rng.shuffle(under)
    half = len(under) // 2
    return replace(
        table,
        left=(*under[2 * half :], table.left[-1]),
        right=table.right[-1:],
        side_left=tuple(under[:half]),
        side_right=tuple(under[half : 2 * half]),
    )


# Dead positions


def revived(table: SpeedTable, rules: Rules, rng: Random) -> SpeedTable | None:
    """The table after both have redrawn a dead hand; None when sliding can still help (RULES.md 49)."""
    if not is_dead(table, rules):
        return None
    while is_dead(table, rules):
        for seat in SEATS:
            cards = list(table.side(seat).cards)
            rng.shuffle(cards)
            table = table.with_side(seat, _side_of(cards))
    return table


def is_dead(table: SpeedTable, rules: Rules) -> bool:
    """Whether no hand card fits any card in the middle or in a side pile, and nobody can draw (RULES.md 49)."""
    if _can_draw(table.a) or _can_draw(table.b):
        return False
    hands = {card for side in (table.a, table.b) for card in side.hand if card is not None}
    others = (*table.left, *table.right, *table.side_left, *table.side_right)
    return not any(rules.fits[other] & hands for other in others)
