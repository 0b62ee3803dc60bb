"""From a scenario's table to a match of Speed at that position; what cannot occur is refused (C29)."""

from __future__ import annotations

from random import Random

from msgspec import UNSET

from cabinet.engine.cards import Card
from cabinet.engine.match import Chance, Match
from cabinet.engine.rules import Rules
from cabinet.engine.table import RoundEnd, SpeedSide, SpeedTable
from cabinet.referee.scenario import ScenarioError, SidePilesInput, SpeedSideInput, SpeedTableInput
from cabinet.referee.written import WrittenCard, fill, read_cards, refuse_parentheses

LEAST_IN_THE_MIDDLE = 4
"""Two singles and, once they slide, a card from each side pile (CLARIFICATIONS.md C29)."""


def speed_match_at(given: SpeedTableInput, rules: Rules) -> Match:
    """The match at the position given by all zones; raises ScenarioError, naming the field."""
    if given.a is UNSET or given.b is UNSET:
        raise ScenarioError("table: needs new_match, or the zones of a and b")
    if given.side is UNSET:
        raise ScenarioError("table.side: is missing; it has the side piles left and right")
    phase = "play" if given.phase is UNSET else given.phase
    table = _table(given, given.a, given.b, given.side, is_turned=phase == "play")
    _check(table, rules)
    return Match(
        rules=rules,
        table=table,
        chance=Chance.of(Random(given.seed)),
        token="a" if given.token is UNSET else given.token,
        phase=phase,
        round=given.round,
        score_a=given.score.a,
        score_b=given.score.b,
        round_end=_round_end(given),
    )


def _round_end(given: SpeedTableInput) -> RoundEnd | None:
    if given.round_end is not None and given.round_end.cause == "deadlock":
        raise ScenarioError("table.round_end: Speed has no deadlock; dry side piles are made anew")
    return given.round_end.value() if given.round_end is not None else None


def _table(
    given: SpeedTableInput, a: SpeedSideInput, b: SpeedSideInput, side: SidePilesInput, *, is_turned: bool
) -> SpeedTable:
    written = [
        *(_closed(f"table.{name}", cards) for name, cards in _zones("a", a)),
        *(_closed(f"table.{name}", cards) for name, cards in _zones("b", b)),
        _centre(given, "left", is_turned=is_turned),
        _centre(given, "right", is_turned=is_turned),
        _closed("table.side.left", side.left),
        _closed("table.side.right", side.right),
    ]
    a_hand, a_draw, b_hand, b_draw, left, right, side_left, side_right = fill(written)
    return SpeedTable(
        SpeedSide(_slots(a, a_hand), a_draw),
        SpeedSide(_slots(b, b_hand), b_draw),
        left,
        right,
        side_left,
        side_right,
        is_turned,
    )


def _zones(seat: str, side: SpeedSideInput) -> tuple[tuple[str, list[str]], tuple[str, list[str]]]:
    hand = [text for text in side.hand if text is not None]
    several = next((text for text in hand if "*" in text), None)
    if several is not None:
        raise ScenarioError(f"table.{seat}.hand: {several!r} is more than one card; a slot has one, or null")
    return (f"{seat}.hand", hand), (f"{seat}.draw", side.draw)


def _closed(field: str, texts: list[str]) -> list[WrittenCard]:
    written = read_cards(field, texts)
    refuse_parentheses(field, written)
    return written


def _centre(given: SpeedTableInput, name: str, *, is_turned: bool) -> list[WrittenCard]:
    """In play any number of open cards; before the start one single, which lies face down (C9)."""
    texts = given.left if name == "left" else given.right
    field = f"table.{name}"
    if texts is UNSET:
        raise ScenarioError(f"{field}: is missing")
    written = read_cards(field, texts)
    if is_turned:
        refuse_parentheses(field, written)
        if not written:
            raise ScenarioError(f"{field}: is empty, though play has begun")
    elif len(written) != 1 or not written[0].face_down:
        raise ScenarioError(f"{field}: before the start it is one card face down, such as (KH)")
    return written


def _slots(side: SpeedSideInput, cards: tuple[Card, ...]) -> tuple[Card | None, ...]:
    rest = iter(cards)
    return tuple(None if text is None else next(rest) for text in side.hand)


def _check(table: SpeedTable, rules: Rules) -> None:
    for name, side in (("a", table.a), ("b", table.b)):
        if not side.stock_size:
            raise ScenarioError(f"table.{name}.hand: a player without cards has ended the round")
        if rules.draw == "auto" and side.draw and None in side.hand:
            raise ScenarioError(f"table.{name}.hand: has room, and draw=auto fills it")
    if len(table.side_left) != len(table.side_right):
        raise ScenarioError(
            f"table.side: {len(table.side_left)} and {len(table.side_right)} cards; the two are equal in size"
        )
    middle = len(table.left) + len(table.right) + len(table.side_left) + len(table.side_right)
    if middle < LEAST_IN_THE_MIDDLE:
        raise ScenarioError(f"table.left: {middle} cards in the middle; at least {LEAST_IN_THE_MIDDLE} lie there")
