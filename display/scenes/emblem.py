"""A picture of a game's rules, made from its options: what fits, what a player has, how it goes on at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import pygame

from cabinet.engine.cards import Card
from cabinet.engine.rules import Rules
from cabinet.engine.table import Seat
from display import text
from display.cards import Size
from display.layout import CARD_RATIO, COUNTABLE, Box
from display.scenes.heaps import Heap, heap
from display.stage import Stage
from display.theme import mixed

SMALL_H: Final = 142
"""Height of a card in the lower rows, at 1920×1080."""
MIDDLES: Final = (0.185, 0.535, 0.845)
"""Where the middles of the three rows lie in the picture's height: the first is the tallest."""
GAP: Final = 12
ARROW: Final = 40
SIGN: Final = 64
FAN: Final = 22
"""How far an open card peeks out from under the next."""
WORDS_PX: Final = 48
SMALLER, LARGER = 4, 14
"""Cards in the two centre piles at the end of a round."""
SIDE: Final = 10
"""Cards in a side pile."""
HAND: Final = ("6S", "9D", "KC", "2H", "JS")
TOPS: Final = ("QS", "4D", "TC", "2H", "KS")
BENEATH: Final = "TD"
FACE_DOWN: Final = (1, 3)
"""Which tops lie face down where a player turns them, and which slots wait for a card, counted from 0."""

_card = Card.parse


class Piece(NamedTuple):
    """Something in a row."""

    width: int
    draw: Callable[[int, int], None]
    """At a left edge and a middle height."""


def draw(stage: Stage, rules: Rules, box: Box) -> None:
    """The picture in a box, in three rows."""
    rows = (_fitting(stage, rules), _own(stage, rules), _end(stage, rules))
    for row, middle in zip(rows, MIDDLES, strict=True):
        _row(stage, row, box.centre[0], box.y + round(box.h * middle))


def _row(stage: Stage, pieces: list[Piece], middle: int, y: int) -> None:
    gap = stage.px(GAP)
    x = middle - (sum(piece.width for piece in pieces) + gap * (len(pieces) - 1)) // 2
    for piece in pieces:
        piece.draw(x, y)
        x += piece.width + gap


# What fits (RULES.md 5-7, 40, 42)


def _fitting(stage: Stage, rules: Rules) -> list[Piece]:
    size = stage.layout.small_card
    lower, equal, higher = ("6H", "7H", "8D") if rules.colours == "alternate" else ("6S", "7D", "8H")
    left = [_open(stage, _card(lower), size)]
    if rules.pairs:
        left.append(_open(stage, _card(equal), size))
    top = _pile(stage, size, Pile(COUNTABLE, _card("7C")))
    right = [_arrow(stage, to_left=True), _open(stage, _card(higher), size)]
    return [*left, _arrow(stage, to_left=False), top, *right]


# What a player has (RULES.md 2, 8, 39, 42-45, 52)


def _own(stage: Stage, rules: Rules) -> list[Piece]:
    return _hand(stage, rules) if rules.game == "speed" else _stock(stage, rules)


def _stock(stage: Stage, rules: Rules) -> list[Piece]:
    pieces = []
    for number in range(rules.stock):
        is_closed = rules.turn == "manual" and number in FACE_DOWN
        beneath = _card(BENEATH) if rules.stack_equal and number == 2 else None
        top = None if is_closed else _card(TOPS[number])
        pieces.append(_pile(stage, _small(stage), Pile(number + 1, top, beneath)))
    return pieces


def _hand(stage: Stage, rules: Rules) -> list[Piece]:
    size = _small(stage)
    pieces = [_pile(stage, size, Pile(rules.deal - len(HAND), is_closed=True)), _gap(stage)]
    for number, name in enumerate(HAND):
        if rules.draw == "manual" and number in FACE_DOWN:
            pieces.append(_space(stage, size))
        else:
            pieces.append(_open(stage, None if rules.hands == "hidden" else _card(name), size))
    return pieces


# How a round ends (RULES.md 22, 28), or how it goes on when nobody can (47)


def _end(stage: Stage, rules: Rules) -> list[Piece]:
    size = _small(stage)
    if rules.game == "speed":
        side = _pile(stage, size, Pile(SIDE, is_closed=True))
        middle = [_pile(stage, size, Pile(4, _card(top))) for top in ("5H", "QD")]
        return [side, _arrow(stage, to_left=False), *middle, _arrow(stage, to_left=True), side]
    smaller = [_pile(stage, size, Pile(SMALLER, _card("7C")))]
    larger = [_pile(stage, size, Pile(LARGER, _card("JH")))]
    if rules.score == "points":
        smaller.append(_words(stage, text.gained(SMALLER)))
        larger.append(_words(stage, text.gained(LARGER)))
    to_left, to_right = _arrow(stage, to_left=True), _arrow(stage, to_left=False)
    if rules.slap == "winner":
        return [*smaller, to_left, _sign(stage, "a"), to_right, *larger]
    return [_sign(stage, "a"), to_right, *smaller, to_left, _sign(stage, "b"), _gap(stage), *larger]


# Pieces


class Pile(NamedTuple):
    """What a pile shows."""

    cards: int
    top: Card | None = None
    """None: its back."""
    beneath: Card | None = None
    """An open card that peeks out from under the top."""
    is_closed: bool = False
    """Whether the cards beneath show their backs' colour."""


def _small(stage: Stage) -> Size:
    height = stage.px(SMALL_H)
    return (round(height * CARD_RATIO), height)


def _open(stage: Stage, card: Card | None, size: Size) -> Piece:
    """A card alone; None: its back."""
    return _pile(stage, size, Pile(1, card))


def _pile(stage: Stage, size: Size, pile: Pile) -> Piece:
    """A pile around the middle height."""
    count = pile.cards
    rise = max(2, stage.px(4)) * (count - 1) // (1 if count <= COUNTABLE else 2)
    offsets = tuple(round(rise * n / (count - 1)) for n in range(count - 1, 0, -1))

    def draw_at(x: int, y: int) -> None:
        box = Box(x, y - size[1] // 2 + rise // 2, *size)
        heap(stage, box, Heap(offsets, size[0], backs=pile.is_closed))
        if pile.beneath is not None:
            stage.put(stage.face(pile.beneath, size), x, box.y - rise - stage.px(FAN))
        picture = stage.face(pile.top, size) if pile.top is not None else stage.kit.deck.back(size)
        stage.put(picture, x, box.y - rise)

    return Piece(size[0], draw_at)


def _space(stage: Stage, size: Size) -> Piece:
    """A slot that waits for a card."""
    colour = stage.theme.ink

    def draw_at(x: int, y: int) -> None:
        stage.put(stage.kit.slot(size, mixed(stage.theme.felt, colour, 0.6), 255), x, y - size[1] // 2)
        stage.centred(stage.kit.plus(stage.px(ARROW), colour), (x + size[0] // 2, y))

    return Piece(size[0], draw_at)


def _arrow(stage: Stage, *, to_left: bool) -> Piece:
    return _picture(stage, stage.kit.arrow(stage.px(ARROW), stage.theme.ink, to_left=to_left))


def _sign(stage: Stage, seat: Seat) -> Piece:
    return _picture(stage, stage.kit.sign(seat, stage.px(SIGN)))


def _words(stage: Stage, words: str) -> Piece:
    return _picture(stage, stage.type.words(words, stage.layout.text_px(WORDS_PX), stage.theme.ink, "heavy"))


def _gap(stage: Stage) -> Piece:
    return Piece(stage.px(GAP), lambda _x, _y: None)


def _picture(stage: Stage, picture: pygame.Surface) -> Piece:
    return Piece(picture.get_width(), lambda x, y: stage.put(picture, x, y - picture.get_height() // 2))
