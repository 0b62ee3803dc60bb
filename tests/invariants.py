"""RULES.md section 9 as checks that a test can make after every event, for both games."""

from __future__ import annotations

from itertools import pairwise

from cabinet.engine.actions import (
    CardsTurned,
    Dealt,
    Event,
    MatchOver,
    Moved,
    PilesTaken,
    Played,
    Redrawn,
    Refilled,
    RoundEnded,
    Scored,
    TokenPassed,
)
from cabinet.engine.cards import PACK, Card, are_neighbours
from cabinet.engine.match import Match
from cabinet.engine.rules import MINUTE_NS
from cabinet.engine.table import (
    PILE_NAMES,
    SEATS,
    PileName,
    RoundEnd,
    Seat,
    SpeedSide,
    SpeedTable,
    SpitSide,
    SpitTable,
    Table,
)
from tests.by_the_book import is_dead, somebody_can_go_on

STEPS_IN_A_ROUND = 100
"""Plays, uncovering moves and spits of a round of Spit (RULES.md section 9)."""


def all_cards(table: Table) -> list[Card]:
    """Every card on the table, zone by zone."""
    cards = [card for side in (table.a, table.b) for card in side.cards]
    cards += [card for name in PILE_NAMES for card in table.pile(name) or ()]
    return [*cards, *table.side_left, *table.side_right] if isinstance(table, SpeedTable) else cards


class Watcher:
    """Sees every state and event of one match and fails when section 9 is broken."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.steps = 0
        self.round_end: RoundEnd | None = None
        """Of the round that is on the table, once it has ended."""
        self.played: dict[PileName, set[int]] = {"left": set(), "right": set()}
        self.check_table(match)
        self.check_standing(match)

    def see(self, match: Match, events: tuple[Event, ...]) -> None:
        """What one press, or one wait, led to; at most one round may end in it."""
        before, self.match = self.match, match
        for event in events:
            self.see_event(event, before, match)
        self.check_table(match)
        self.check_stock_does_not_grow(before, match)
        self.check_winner(match, events)
        self.check_standing(match)
        passes = sum(isinstance(event, TokenPassed) for event in events)
        assert (match.token != before.token) == (passes % 2 == 1)

    def see_event(self, event: Event, before: Match, match: Match) -> None:
        assert before.now_ns <= event.at_ns <= match.now_ns
        if isinstance(event, Dealt):
            self.steps = 0
            self.round_end = None
            self.played = {"left": set(), "right": set()}
        elif isinstance(event, RoundEnded):
            assert self.round_end is None, "one cause ends a round"
            self.round_end = event.end
            check_cause(event.end, before, match)
        elif isinstance(event, Played):
            self.steps += 1
            self.played[event.pile].add(event.card)
        elif isinstance(event, CardsTurned):
            self.steps += len(event.cards)
        elif isinstance(event, Moved):
            self.steps += event.uncovered is not None
        elif isinstance(event, Refilled):
            self.played = {"left": set(), "right": set()}
        elif isinstance(event, Redrawn):
            assert match.rules.game == "speed"
        assert match.rules.game == "speed" or self.steps <= STEPS_IN_A_ROUND

    def check_table(self, match: Match) -> None:
        """52 cards, each in one zone; what was played lies on a neighbour; the zones have their shape."""
        table = match.table
        assert sorted(all_cards(table)) == list(PACK)
        for name in PILE_NAMES:
            for below, card in pairwise(table.pile(name) or ()):
                if card in self.played[name]:
                    is_pair = match.rules.pairs and card.rank == below.rank
                    assert are_neighbours(card, below) or is_pair
                    assert match.rules.colours == "any" or card.is_red != below.is_red
        for side in (table.a, table.b):
            if isinstance(side, SpitSide):
                check_stock(side, match)
            else:
                check_hand(side, match)
        if isinstance(table, SpeedTable):
            assert len(table.side_left) == len(table.side_right)
            assert table.left
            assert table.right
            assert table.is_turned or match.phase == "ready"

    def check_stock_does_not_grow(self, before: Match, after: Match) -> None:
        if before.round == after.round:
            for seat in SEATS:
                assert after.table.side(seat).stock_size <= before.table.side(seat).stock_size

    def check_winner(self, match: Match, events: tuple[Event, ...]) -> None:
        """A match is won exactly when a rule says so."""
        assert bool(match.winner) == (match.phase == "over")
        rules = match.rules
        scored = next((event for event in events if isinstance(event, Scored)), None)
        taken = next((event for event in events if isinstance(event, PilesTaken)), None)
        if rules.game == "speed":
            ended = next((event.end for event in events if isinstance(event, RoundEnded)), None)
            if ended is not None:
                assert scored is not None
                check_speed_score(match, ended, scored)
        elif rules.score == "points":
            assert (scored is None) == (taken is None)
            if scored is not None:
                assert scored.a + scored.b == 52
                is_up = max(match.score_a, match.score_b) >= rules.points_target
                assert match.winner == (lower(match.score_a, match.score_b) if is_up else None)
        elif taken is not None:
            assert match.winner == winner_by_cards(match, taken.at_ns)
        over = [event for event in events if isinstance(event, MatchOver)]
        if over:
            assert over[0].winner == match.winner
            assert (over[0].a_owned, over[0].b_owned) == (match.owned("a"), match.owned("b"))

    def check_standing(self, match: Match) -> None:
        """Phases, stuck and lone spits as the table has them, whoever acts next."""
        assert (match.settling is not None) == (match.phase in ("slap", "choose"))
        assert match.stuck is None or match.phase == "play"
        assert match.beat is None or (match.beat.kind == "deal") == (match.phase == "ready")
        if match.phase != "play":
            return
        assert all(match.table.side(seat).stock_size for seat in SEATS)
        assert (match.stuck is None) == somebody_can_go_on(match.table, match.rules)
        if match.stuck is None:
            return
        table = match.table
        if isinstance(table, SpeedTable):
            assert not is_dead(table, match.rules)
            assert match.stuck.lone_spitter is None
            return
        spitters = [seat for seat in SEATS if table.side(seat).spit]
        assert spitters, "stuck without spit cards is a deadlock"
        assert match.stuck.lone_spitter == (spitters[0] if len(spitters) == 1 else None)


def check_stock(side: SpitSide, match: Match) -> None:
    """Never more than the piles there are, and open cards only where the rules have them."""
    assert len(side.stock) == match.rules.stock
    for pile in side.stock:
        assert 0 <= pile.face_up <= len(pile.cards)
        open_cards = pile.cards[len(pile.cards) - pile.face_up :]
        assert len(open_cards) <= 1 or match.rules.stack_equal
        assert len({card.rank for card in open_cards}) <= 1
        assert open_cards or not pile.cards or match.rules.turn == "manual"


def check_hand(side: SpeedSide, match: Match) -> None:
    """Five slots; fewer cards only when there are none to draw, or nobody drew yet (RULES.md 45)."""
    assert len(side.hand) == 5
    assert None not in side.hand or not side.draw or match.rules.draw == "manual"


def check_cause(end: RoundEnd, before: Match, match: Match) -> None:
    """Out: the last card of the stock went. Deadlock: stuck, and neither has spit cards (RULES.md 21)."""
    if end.cause == "out":
        assert end.player is not None
        assert before.table.side(end.player).stock_size == 1
        return
    assert end.player is None
    table = match.table
    if match.round == before.round:
        assert isinstance(table, SpitTable)
        assert not table.a.spit
        assert not table.b.spit
        assert not somebody_can_go_on(table, match.rules)


def check_speed_score(match: Match, end: RoundEnd, scored: Scored) -> None:
    """The winner of the round scores what the other has left; the target ends the match (RULES.md 51)."""
    assert end.player is not None
    won, lost = (scored.a, scored.b) if end.player == "a" else (scored.b, scored.a)
    assert lost == 0
    assert won >= (1 if match.rules.speed_score == "all" else 0)
    total = match.score_a if end.player == "a" else match.score_b
    assert match.winner == (end.player if total >= match.rules.speed_target else None)
    if match.is_over:
        left = sum(match.owned(seat) for seat in SEATS)
        assert match.owned(end.player) == 0
        assert won == left or match.rules.speed_score == "stock"


def winner_by_cards(match: Match, settled_ns: int) -> Seat | None:
    """Who has no card left; else, at a cap, who has fewer (RULES.md 34, 38)."""
    a, b = match.owned("a"), match.owned("b")
    assert a + b == 52
    if min(a, b) == 0:
        return lower(a, b)
    settled_round = match.round if match.is_over else match.round - 1
    rounds, minutes = match.rules.cap_rounds, match.rules.cap_minutes
    is_capped = 0 < rounds <= settled_round or 0 < minutes * MINUTE_NS <= settled_ns
    return lower(a, b) if is_capped else None


def lower(a: int, b: int) -> Seat | None:
    """Who has less; None when equal."""
    if a == b:
        return None
    return "a" if a < b else "b"
