"""A table at which both players want the same place: whose card comes to lie there has won the race.

Presses are judged by the cabinet's own session: panel, engine, and what it says of dead heats and the token.
"""

from __future__ import annotations

from random import Random
from typing import Final

from msgspec.structs import replace

from cabinet.buttons.arbiter import Cluster
from cabinet.buttons.edges import Line, Press
from cabinet.engine.cards import Card
from cabinet.engine.match import Chance, Match
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import SEATS, Seat, SpitSide, SpitTable, StockPile
from cabinet.panel import Button, place_of
from cabinet.presses import SeatPress
from cabinet.session import Session

STOCK_A: Final = ("8C", "6C", "8H", "6H", "2C")
STOCK_B: Final = ("8D", "6D", "8S", "6S", "2D")
LEFT: Final = "7C"
RIGHT: Final = "KD"
"""Each of the first four stock cards fits the seven, and none fits an eight, a six, or the king."""
SPIT: Final = ("3C", "3D")


class Contest:
    """Judges one race after the other, each at the same table; only the token stays from race to race."""

    def __init__(self, token: Seat) -> None:
        """`token`: who has it before the first race."""
        self._match = replace(contested_match(), token=token)
        self._session = Session(self._match, 0)
        self._judged: set[Seat] = set()
        self.winner: Seat | None = None
        """Whose card lies on the pile; None while nobody's does."""

    @property
    def token(self) -> Seat:
        """Who has the token now."""
        return self._session.match.token

    @property
    def is_over(self) -> bool:
        """Whether a press of both seats was judged."""
        return len(self._judged) == len(SEATS)

    def begin(self, now_ns: int) -> None:
        """The next race, at host time `now_ns`."""
        self._session = Session(replace(self._match, token=self.token), now_ns)
        self._judged = set()
        self.winner = None

    def take(self, cluster: Cluster) -> None:
        """Judges presses whose order is certain, with everything that ties with one of them."""
        judgement = self._session.judge([self._seat_press(press) for press in cluster])
        self._judged.update(one.press.seat for one in judgement.judged)
        for one in judgement.judged:
            if one.answer.is_accepted and self.winner is None:
                self.winner = one.press.seat

    def _seat_press(self, press: Press) -> SeatPress:
        return self._session.seat_press(*_place(press.line), press)


def _place(line: Line) -> tuple[Seat, Button]:
    place = place_of(line)
    if place is None:
        raise ValueError(f"{line!r} is no button of a seat")
    return place


def contested_match() -> Match:
    """A match in play in which stock 1 to 4 of both seats fit the same pile, and only the first of all."""
    table = SpitTable(_side(STOCK_A), _side(STOCK_B), (Card.parse(LEFT),), (Card.parse(RIGHT),))
    return Match(rules=ARCADE, table=table, chance=Chance.of(Random(0)), token="a", phase="play")


def _side(stock: tuple[str, ...]) -> SpitSide:
    piles = tuple(StockPile((Card.parse(name),), 1) for name in stock)
    return SpitSide(piles, tuple(Card.parse(name) for name in SPIT))
