"""What a viewer must not know of a match, and matches that differ in nothing else (RULES.md 3, 24, 52; section 9).

Written from the rules, without a look at `engine/view.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from cabinet.engine.actions import CardsTurned, Drew, Event, Played, Redrawn
from cabinet.engine.cards import PACK, Card
from cabinet.engine.match import Chance, Match
from cabinet.engine.table import SEATS, Centre, Seat, SpeedSide, SpeedTable, SpitSide, SpitTable, StockPile, Table

Viewer = Seat | None
VIEWERS: Final[tuple[Viewer, ...]] = ("a", "b", None)
"""The two seats, and a screen that both look at."""


def sees_hand(match: Match, viewer: Viewer, seat: Seat) -> bool:
    """Rows 45, 52: hands are open unless they are hidden, and then a player sees only the own."""
    return match.rules.hands == "open" or viewer == seat


def visible_cards(match: Match, viewer: Viewer) -> set[Card]:
    """The face-up cards: open ones of the stock or the hands seen, and the two tops in the middle."""
    table = match.table
    seen: set[Card] = set()
    for seat in SEATS:
        side = table.side(seat)
        if isinstance(side, SpitSide):
            for pile in side.stock:
                seen |= set(pile.cards[len(pile.cards) - pile.face_up :])
        elif sees_hand(match, viewer, seat):
            seen |= {card for card in side.hand if card is not None}
    if isinstance(table, SpitTable) or table.is_turned:
        seen |= {pile[-1] for pile in (table.left, table.right) if pile}
    return seen


def hidden_cards(match: Match, viewer: Viewer) -> set[Card]:
    """All others."""
    return set(PACK) - visible_cards(match, viewer)


def with_cards_exchanged(table: Table, exchange: dict[Card, Card]) -> Table:
    """The table with each card of `exchange` replaced by its partner."""

    def centre(pile: Centre | None) -> Any:
        return None if pile is None else tuple(exchange.get(card, card) for card in pile)

    if isinstance(table, SpitTable):

        def spit_side(side: SpitSide) -> SpitSide:
            stock = tuple(StockPile(centre(pile.cards), pile.face_up) for pile in side.stock)
            return SpitSide(stock, centre(side.spit))

        return SpitTable(spit_side(table.a), spit_side(table.b), centre(table.left), centre(table.right))

    def speed_side(side: SpeedSide) -> SpeedSide:
        hand = tuple(None if card is None else exchange.get(card, card) for card in side.hand)
        return SpeedSide(hand, centre(side.draw))

    return SpeedTable(
        speed_side(table.a),
        speed_side(table.b),
        centre(table.left),
        centre(table.right),
        centre(table.side_left),
        centre(table.side_right),
        is_turned=table.is_turned,
    )


def shuffled_among(cards: set[Card], rng: Random) -> dict[Card, Card]:
    """Each card's new place."""
    one, other = sorted(cards), sorted(cards)
    rng.shuffle(other)
    return dict(zip(one, other, strict=True))


def twin(match: Match, viewer: Viewer, rng: Random) -> Match:
    """A match that `viewer` must not be able to tell from this one: other hidden cards, chance, opening time.

    Also what the machine remembers for its own use only: cards covered lately, and when each hand acted.
    """
    exchange = shuffled_among(hidden_cards(match, viewer), rng)
    other = replace(
        match,
        table=with_cards_exchanged(match.table, exchange),
        chance=Chance.of(Random(rng.random())),
        covered=(),
    )
    settling = match.settling
    if settling is not None and not settling.is_open:
        opens_ns = settling.opens_ns + rng.randrange(1, 10**9)
        other = replace(other, settling=replace(settling, opens_ns=opens_ns))
    return other


def cards_in(value: Any) -> set[Card]:
    """Every card found anywhere in a value, however deep, the rules (which name all cards) left aside."""
    if isinstance(value, Card):
        return {value}
    if isinstance(value, msgspec.Struct):
        return {
            card for name in value.__struct_fields__ if name != "rules" for card in cards_in(getattr(value, name))
        }
    if isinstance(value, dict):
        return cards_in(tuple(value)) | cards_in(tuple(value.values()))
    if isinstance(value, tuple | list | set | frozenset):
        return {card for one in value for card in cards_in(one)}
    assert value is None or isinstance(value, str | int | bool | float), f"what is a {type(value)} doing here?"
    return set()


def shown_on_the_way(match: Match, viewer: Viewer, events: Sequence[Event]) -> set[Card]:
    """Cards that lay open between two states: played on a pile, or drawn into a hand that was dead and redrawn."""
    shown: set[Card] = set()
    is_redrawn = any(isinstance(event, Redrawn) for event in events)
    for event in events:
        if isinstance(event, Played):
            shown.add(event.card)
        elif isinstance(event, CardsTurned):
            shown |= {turned.card for turned in event.cards}
        if is_redrawn and isinstance(event, Played | Drew) and sees_hand(match, viewer, event.seat):
            drawn = event.card if isinstance(event, Drew) else event.uncovered
            shown |= set() if drawn is None else {drawn}
    return shown
