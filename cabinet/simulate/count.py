"""Counting what happens in a match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cabinet.engine.actions import (
    CardsTurned,
    Dealt,
    Event,
    MatchOver,
    PilesTaken,
    Redrawn,
    Refilled,
    Refused,
    RoundEnded,
)
from cabinet.engine.rules import Rules
from cabinet.engine.table import SEATS
from cabinet.session import Judgement
from cabinet.simulate.figures import Figures, SeatFigures


class MatchCount:
    """Counts one match from its judgements. Not thread-safe."""

    def __init__(self, rules: Rules) -> None:
        self._is_won_by_cards = rules.game == "spit" and rules.score == "cards"
        self._totals: Counter[str] = Counter(matches=1)
        self._seats = {seat: Counter[str]() for seat in SEATS}
        self._length_ns = 0

    def add(self, judgement: Judgement) -> None:
        """What some presses, or time passing, led to."""
        for one in judgement.judged:
            counts = self._seats[one.press.seat]
            counts["presses"] += 1
            counts["refusals"] += one.answer.refusal is not None
        self._add_events(judgement.events)

    def _add_events(self, events: Iterable[Event]) -> None:
        totals = self._totals
        for event in events:
            if isinstance(event, Refused):
                self._seats[event.seat]["misses"] += event.locked_until_ns is not None
            elif isinstance(event, CardsTurned):
                totals["spits"] += event.kind == "spit"
            elif isinstance(event, Dealt):
                totals["single_rounds"] += event.is_single
            elif isinstance(event, RoundEnded):
                self._add_round(event)
            elif isinstance(event, PilesTaken):
                self._add_piles(event)
            elif isinstance(event, Redrawn):
                totals["redraws"] += 1
            elif isinstance(event, Refilled):
                totals["refills"] += 1
            elif isinstance(event, MatchOver):
                self._add_end(event)

    def _add_round(self, event: RoundEnded) -> None:
        self._totals["rounds"] += 1
        if event.end.player is None:
            self._totals["deadlocks"] += 1
        else:
            self._seats[event.end.player]["rounds_won"] += 1

    def _add_piles(self, event: PilesTaken) -> None:
        """A one-pile round that somebody won shares nothing out (RULES.md 33)."""
        if event.a is not None and event.b is not None and event.a_size != event.b_size:
            self._seats["a" if event.a_size < event.b_size else "b"]["smaller_piles"] += 1

    def _add_end(self, event: MatchOver) -> None:
        self._seats[event.winner]["wins"] += 1
        self._totals["ended_by_cap"] += self._is_won_by_cards and min(event.a_owned, event.b_owned) > 0
        self._length_ns = event.at_ns

    def figures(self) -> Figures:
        """What was counted of the match, which is over."""
        a, b = (SeatFigures(**self._seats[seat]) for seat in SEATS)
        return Figures(a=a, b=b, lengths_ns=(self._length_ns,), **self._totals)
