"""What a lesson shows: for any rules a position, and the presses that make every caption come true.

Pure. The cards mean the same whatever the options say: each play of the story changes the colour, and a card that
must not fit lies two ranks or more from both piles. So the options only decide which chapters there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Final

import msgspec

from cabinet.engine.cards import PACK, Card
from cabinet.engine.rules import Rules
from cabinet.engine.speed import HAND_SIZE
from cabinet.engine.table import EMPTY_STOCK, Seat, SpeedSide, SpeedTable, SpitSide, SpitTable, StockPile, Table
from cabinet.panel import START, STOCK_BUTTONS, Button
from cabinet.snapshot import Caption

SeatButton = tuple[Seat, Button]
"""Whose button is pressed, and which."""

LEFT_TOP: Final = "5C"
RIGHT_TOP: Final = "2S"
BOTH_CALL: Final[tuple[SeatButton, ...]] = (("a", START), ("b", START))

SPIT_CARDS_LEFT: Final = {5: 8, 4: 11}
"""By the number of stock piles: what is left of each player's 11 or 16 spit cards (RULES.md 3, 39)."""
SIDE_CARDS_LEFT: Final = {15: 8, 20: 3}
"""By the cards dealt: what is left of each side pile's 10 or 5 cards in Speed (RULES.md 43)."""
POINTS_A_ROUND: Final = 26
"""What each player scores on average in a round of points (RULES.md 41)."""
SPEED_POINTS_A_ROUND: Final = 8
"""What the winner of a round of Speed scored in the rounds before, about (RULES.md 51)."""


class Chapter(msgspec.Struct, frozen=True):
    """One caption, and what is pressed meanwhile."""

    caption: Caption
    presses: tuple[SeatButton, ...] = ()


class Story(msgspec.Struct, frozen=True):
    """A position in play, and how it goes on."""

    table: Table
    chapters: tuple[Chapter, ...]
    score: int = 0
    """What each player has scored in the rounds before."""
    rounds_before: int = 0


def story_of(rules: Rules, rng: Random) -> Story:
    """The story for these rules; `rng` mixes the cards that nobody sees."""
    return _spit_story(rules, rng) if rules.game == "spit" else _speed_story(rules, rng)


# Spit


def _spit_story(rules: Rules, rng: Random) -> Story:
    """With points the score was level, and this round takes b to the target (RULES.md 41)."""
    rounds = (rules.points_target - 1) // POINTS_A_ROUND if rules.score == "points" else 0
    return Story(_spit_table(rules, rng), tuple(_spit_chapters(rules)), POINTS_A_ROUND * rounds, rounds)


def _spit_table(rules: Rules, rng: Random) -> SpitTable:
    """A has nearly done; the 8s turn when both spit, and then all that a has left can go.

    Right is so much the smaller pile that anybody sees it.
    """
    a_stock = (("6H",), ("9H",), ("9C",), ("5S", "TC"))
    b_stock = tuple((card,) for card in _b_stock(rules))
    a_turns, b_turns = "8S", "8D"
    named = [card for pile in (*a_stock, *b_stock) for card in pile]
    rest = _rest_of_pack([*named, a_turns, b_turns, LEFT_TOP, RIGHT_TOP], rng)
    a_spit, b_spit = (
        (*islice(rest, SPIT_CARDS_LEFT[rules.stock] - 1), Card.parse(turns)) for turns in (a_turns, b_turns)
    )
    under = list(rest)
    under_right = len(under) // 4
    return SpitTable(
        a=SpitSide(_stock(a_stock, rules.stock), a_spit),
        b=SpitSide(_stock(b_stock, rules.stock), b_spit),
        left=(*under[under_right:], Card.parse(LEFT_TOP)),
        right=(*under[:under_right], Card.parse(RIGHT_TOP)),
    )


def _b_stock(rules: Rules) -> tuple[str, ...]:
    """Single cards: what b plays on the right, and a red 2 that the ace refuses; then some that fit nowhere."""
    cards = ["AH"]
    if rules.colours == "alternate":
        cards += ["2D", "KS"]
    if rules.pairs:
        cards += [_pair_of_spit(rules)]
    if len(cards) == 1:
        cards += ["KS"]
    return (*cards, "JD", "8C", "JS")[: rules.stock]


def _pair_of_spit(rules: Rules) -> str:
    return "KH" if rules.colours == "alternate" else "AS"


def _stock(piles: Sequence[Sequence[str]], places: int) -> tuple[StockPile, ...]:
    filled = [StockPile(tuple(map(Card.parse, pile)), 1) for pile in piles]
    return (*filled, *[EMPTY_STOCK] * (places - len(filled)))


def _spit_chapters(rules: Rules) -> Iterator[Chapter]:
    b = _buttons("b", _b_stock(rules))
    is_alternate = rules.colours == "alternate"
    corner = [b["KS"]] if "KS" in b and not is_alternate else []
    yield Chapter("neighbours", (*_a(1), b["AH"], *corner))
    if is_alternate:
        yield Chapter("colours", (b["2D"], b["KS"]))
    if rules.pairs:
        yield Chapter("pairs", (b[_pair_of_spit(rules)],))
    if rules.stack_equal:
        yield Chapter("stack", _a(2, 3))
    if rules.turn == "auto":
        yield Chapter("space", _a(1, 4, 4))
    else:
        yield Chapter("space", _a(1, 4))
        yield Chapter("turn", _a(4, 4))
    yield Chapter("spit", BOTH_CALL)
    yield Chapter("out", _a(3, 1, 3) if rules.stack_equal else _a(2, 1, 3))
    right = rules.stock
    if rules.slap == "race":
        yield Chapter("slap", (*_a(right), ("b", STOCK_BUTTONS[right - 1])))
    else:
        yield Chapter("choose", _a(right))
    yield Chapter("fewer_cards_win" if rules.score == "cards" else "fewer_points_win")


# Speed


def _speed_story(rules: Rules, rng: Random) -> Story:
    """The score was level, and a wins the match by this round; before it ends b plays one card and draws one."""
    table = _speed_table(rules, rng)
    points = (table.b.stock_size if rules.speed_score == "all" else len(table.b.draw)) - 1
    score = max(0, rules.speed_target - points)
    rounds_of_each = -(-score // SPEED_POINTS_A_ROUND)
    return Story(table, tuple(_speed_chapters(rules)), score, 2 * rounds_of_each)


def _speed_table(rules: Rules, rng: Random) -> SpeedTable:
    """A has drawn the last card; the 8s slide when both call, and then all that a has left can go."""
    a_hand = _a_hand(rules)
    b_plays = "4H" if rules.colours == "alternate" else "5S"
    b_hand = (b_plays, "JD", "8H", "TH", "JC")
    b_draw = ("JS", "9D", "TS", "9C")
    slides = ("8S", "8C")
    rest = _rest_of_pack([*a_hand, *b_hand, *b_draw, *slides, LEFT_TOP, RIGHT_TOP], rng)
    side_left, side_right = ((*islice(rest, SIDE_CARDS_LEFT[rules.deal] - 1), Card.parse(card)) for card in slides)
    under = list(rest)
    half = len(under) // 2
    return SpeedTable(
        a=SpeedSide(tuple(map(Card.parse, a_hand)), ()),
        b=SpeedSide(tuple(map(Card.parse, b_hand)), tuple(map(Card.parse, b_draw))),
        left=(*under[half:], Card.parse(LEFT_TOP)),
        right=(*under[:half], Card.parse(RIGHT_TOP)),
        side_left=side_left,
        side_right=side_right,
        is_turned=True,
    )


def _a_hand(rules: Rules) -> tuple[str, ...]:
    """What a plays before it is stuck, and the 7, 9 and 10 afterwards."""
    cards = ["6H", "AH"]
    if rules.colours == "alternate":
        cards += ["7D", "5S"]
    if rules.pairs:
        cards += ["AS"]
    if len(cards) == 2:
        cards += ["KS"]
    return (*cards, "9H", "TC")[:HAND_SIZE]


def _speed_chapters(rules: Rules) -> Iterator[Chapter]:
    a = _buttons("a", _a_hand(rules))
    b_plays: SeatButton = ("b", STOCK_BUTTONS[0])
    yield Chapter("neighbours", tuple(a[card] for card in ("6H", "AH", "KS") if card in a))
    if rules.colours == "alternate":
        yield Chapter("colours", (a["7D"], a["5S"]))
    if rules.pairs:
        yield Chapter("pairs", (a["AS"],))
    yield Chapter("draw", (b_plays,) if rules.draw == "auto" else (b_plays, b_plays))
    yield Chapter("slide", BOTH_CALL)
    yield Chapter("speed_out", tuple(a[card] for card in ("7D", "9H", "TC") if card in a))


# Both


def _rest_of_pack(named: Iterable[str], rng: Random) -> Iterator[Card]:
    """All other cards, mixed."""
    seen = {Card.parse(card) for card in named}
    rest = [card for card in PACK if card not in seen]
    rng.shuffle(rest)
    return iter(rest)


def _a(*numbers: int) -> tuple[SeatButton, ...]:
    return tuple(("a", STOCK_BUTTONS[number - 1]) for number in numbers)


def _buttons(seat: Seat, cards: Sequence[str]) -> dict[str, SeatButton]:
    """What plays each of a row of single cards."""
    return {card: (seat, button) for card, button in zip(cards, STOCK_BUTTONS, strict=False)}
