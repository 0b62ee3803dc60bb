"""RULES.md section 9 as checks that a test can make after every event."""

from __future__ import annotations

from itertools import pairwise

from cabinet.engine.actions import (
    CardsTurned,
    Dealt,
    Event,
    MatchOver,
    Moved,
    Played,
    RoundEnded,
)
from cabinet.engine.cards import PACK, Card, are_neighbours
from cabinet.engine.match import Match
from cabinet.engine.rules import MINUTE_NS
from cabinet.engine.table import PILE_NAMES, SEATS, PileName, SpitSide, SpitTable, StockPile

STEPS_IN_A_ROUND = 100


def all_cards(table: SpitTable) -> list[Card]:
    cards = [card for side in (table.a, table.b) for card in side.cards]
    return cards + [card for name in PILE_NAMES for card in table.pile(name) or ()]


class Watcher:
    """Sees every state and event of one match and fails when section 9 is broken."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.steps = 0
        self.round_ends = 0
        self.rounds_scored = 0
        self.played: dict[PileName, set[int]] = {"left": set(), "right": set()}
        self.check_table(match)

    def see(self, match: Match, events: tuple[Event, ...]) -> None:
        before, self.match = self.match, match
        for event in events:
            self.see_event(event, match)
        self.check_table(match)
        self.check_stock_does_not_grow(before, match)
        self.check_winner(match, events)
        if match.rules.score == "points":
            assert (match.score_a + match.score_b) % 52 == 0
        assert (match.settling is not None) == (match.phase in ("slap", "choose"))
        assert match.stuck is None or match.phase == "play"
        assert match.token in SEATS

    def see_event(self, event: Event, match: Match) -> None:
        if isinstance(event, Dealt):
            self.steps = 0
            self.round_ends = 0
            self.played = {"left": set(), "right": set()}
        elif isinstance(event, RoundEnded):
            self.round_ends += 1
            assert self.round_ends == 1, "one cause ends a round"
        elif isinstance(event, Played):
            self.steps += 1
            self.played[event.pile].add(event.card)
        elif isinstance(event, CardsTurned):
            self.steps += len(event.cards)
        elif isinstance(event, Moved):
            self.steps += event.uncovered is not None
        assert self.steps <= STEPS_IN_A_ROUND
        assert event.at_ns <= match.now_ns

    def check_table(self, match: Match) -> None:
        assert sorted(all_cards(match.table)) == list(PACK)
        for name in PILE_NAMES:
            pile = match.table.pile(name) or ()
            for below, card in pairwise(pile):
                if card in self.played[name]:
                    is_pair = match.rules.pairs and card.rank == below.rank
                    assert are_neighbours(card, below) or is_pair
                    assert match.rules.colours == "any" or card.is_red != below.is_red

    def check_stock_does_not_grow(self, before: Match, after: Match) -> None:
        if before.round == after.round:
            for seat in SEATS:
                assert after.table.side(seat).stock_size <= before.table.side(seat).stock_size

    def check_winner(self, match: Match, events: tuple[Event, ...]) -> None:
        over = [event for event in events if isinstance(event, MatchOver)]
        assert bool(match.winner) == (match.phase == "over")
        if not over:
            return
        a, b = over[0].a_owned, over[0].b_owned
        assert a + b == 52
        rules = match.rules
        if rules.score == "points":
            assert max(match.score_a, match.score_b) >= rules.points_target
            assert match.winner == ("a" if match.score_a < match.score_b else "b")
            return
        assert match.winner == ("a" if a < b else "b")
        out_of_cards = min(a, b) == 0
        capped = 0 < rules.cap_rounds <= match.round or 0 < rules.cap_minutes * MINUTE_NS <= match.now_ns
        assert out_of_cards or capped


def with_hidden_cards_reversed(table: SpitTable) -> SpitTable:
    """The same table to anybody's eye: all face-down cards have changed places with each other."""
    hidden = [card for side in (table.a, table.b) for card in hidden_cards(side)]
    supply = iter(reversed(hidden))

    def swap(side: SpitSide) -> SpitSide:
        stock = []
        for pile in side.stock:
            down = len(pile.cards) - pile.face_up
            stock.append(StockPile((*(next(supply) for _ in range(down)), *pile.cards[down:]), pile.face_up))
        return SpitSide(tuple(stock), tuple(next(supply) for _ in side.spit))

    a = swap(table.a)
    return SpitTable(a, swap(table.b), table.left, table.right)


def hidden_cards(side: SpitSide) -> list[Card]:
    down = [card for pile in side.stock for card in pile.cards[: len(pile.cards) - pile.face_up]]
    return [*down, *side.spit]
