"""Random matches, legal and illegal actions mixed, keep RULES.md section 9 after every event."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from cabinet.engine import judge, spit
from cabinet.engine.actions import Action, Choose, Move, Play, Ready, Slap, Spit, Turn
from cabinet.engine.cards import Card
from cabinet.engine.match import Match, new_match
from cabinet.engine.rules import rules_from_options
from cabinet.engine.table import SEATS, Seat, SpitTable
from cabinet.engine.view import view_of
from tests.invariants import Watcher, with_hidden_cards_reversed

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "stock": st.sampled_from([5, 4]),
        "colours": st.sampled_from(["any", "alternate"]),
        "pairs": st.booleans(),
        "turn": st.sampled_from(["auto", "manual"]),
        "slap": st.sampled_from(["race", "winner"]),
        "score": st.sampled_from(["cards", "points"]),
        "cap_rounds": st.integers(0, 3),
        "force_ms": st.sampled_from([0, 200, 12_000]),
        "spit_wait_ms": st.sampled_from([0, 3_000]),
        "spit_auto_ms": st.sampled_from([0, 4_000]),
        "slap_timeout_ms": st.sampled_from([0, 5_000]),
    },
)

PILES = st.sampled_from(["left", "right"])
STOCKS = st.integers(1, 4)
ANY_ACTION: st.SearchStrategy[Action] = st.one_of(
    st.builds(Play, STOCKS, st.one_of(PILES, st.none())),
    st.builds(Turn, STOCKS),
    st.builds(Move, STOCKS, STOCKS),
    st.builds(Spit, st.one_of(PILES, st.none())),
    st.builds(Slap, PILES),
    st.builds(Choose, PILES),
    st.builds(Ready),
)
WAITS_NS = st.sampled_from([0, 1, 50_000_000, 60_000_000, 501_000_000, 1_600_000_000, 5_000_000_000])


class RandomMatch(RuleBasedStateMachine):
    """Two hands that press anything, and now and then what is right."""

    def __init__(self) -> None:
        super().__init__()
        self.history: list[tuple[Any, ...]] = []

    @initialize(
        seed=st.integers(0, 2**32),
        profile=st.sampled_from(["arcade", "table"]),
        options=OPTIONS,
        size_a=st.sampled_from([26, 26, 26, 1, 7, 14, 15, 16, 37, 45]),
    )
    def deal(self, seed: int, profile: str, options: dict[str, Any], size_a: int) -> None:
        self.start = new_match(rules_from_options(profile, options), Random(seed), set_size_a=size_a)
        self.match = self.start
        self.watcher = Watcher(self.start)

    def do(self, seat: Seat, action: Action, wait_ns: int) -> None:
        at_ns = self.match.now_ns + wait_ns
        before = judge.advance(self.match, at_ns)
        self.watcher.see(before.match, before.events)
        outcome = judge.press(self.match, seat, action, at_ns)
        assert outcome.events[: len(before.events)] == before.events
        self.watcher.see(outcome.match, outcome.events[len(before.events) :])
        if outcome.refusal is not None:
            assert same_but_penalties(before.match, outcome.match)
        self.match = outcome.match
        self.history.append((seat, action, at_ns))

    @rule(seat=st.sampled_from(SEATS), action=ANY_ACTION, wait_ns=WAITS_NS)
    def press_anything(self, seat: Seat, action: Action, wait_ns: int) -> None:
        self.do(seat, action, wait_ns)

    @rule(data=st.data(), wait_ns=st.sampled_from([60_000_000, 600_000_000]))
    def press_something_useful(self, data: st.DataObject, wait_ns: int) -> None:
        match = judge.advance(self.match, self.match.now_ns + wait_ns).match
        choices = list(useful_presses(match))
        if choices:
            seat, action = data.draw(st.sampled_from(choices))
            self.do(seat, action, wait_ns)

    @precondition(lambda self: judge.next_time_out_ns(self.match) is not None)
    @rule()
    def wait_for_the_machine(self) -> None:
        due_ns = judge.next_time_out_ns(self.match)
        assert due_ns is not None
        outcome = judge.advance(self.match, due_ns)
        assert outcome.events
        self.watcher.see(outcome.match, outcome.events)
        self.match = outcome.match

    @invariant()
    def a_view_holds_no_hidden_card(self) -> None:
        if hasattr(self, "match"):
            swapped = replace(self.match, table=with_hidden_cards_reversed(self.match.table))
            assert view_of(swapped) == view_of(self.match)

    @invariant()
    def stuck_means_that_nothing_can_be_done(self) -> None:
        if hasattr(self, "match") and self.match.phase == "play" and self.match.beat is None:
            can_do = any(True for seat in SEATS for _ in useful_by_the_book(self.match.table, self.match, seat))
            assert can_do == (self.match.stuck is None)

    def teardown(self) -> None:
        if not self.history:
            return
        again = self.start
        for seat, action, at_ns in self.history:
            again = judge.press(again, seat, action, at_ns).match
        assert judge.advance(again, self.match.now_ns).match == self.match


def same_but_penalties(before: Match, after: Match) -> bool:
    """A refused action may only cost its player something; the table stays."""
    return replace(after, hand_a=before.hand_a, hand_b=before.hand_b, settling=before.settling) == before


def useful_presses(match: Match) -> list[tuple[Seat, Action]]:
    presses: list[tuple[Seat, Action]] = []
    for seat in SEATS:
        actions: list[Action] = [Ready(), Spit(), Spit("left"), Slap("left"), Choose("right")]
        actions += spit.useful_actions(match.table, match.rules, seat)
        presses += [(seat, action) for action in actions if judge.action_refusal(match, seat, action) is None]
    return presses


def useful_by_the_book(table: SpitTable, match: Match, seat: Seat) -> list[str]:
    """RULES.md 15, written a second time and plainly: plays, turns, moves that uncover."""
    stock = table.side(seat).stock
    found = []
    for pile in stock:
        if pile.cards and not pile.face_up:
            found.append("turn")
        for centre in (table.left, table.right):
            if pile.face_up and centre and fits(pile.cards[-1], centre[-1], match):
                found.append("play")
    if any(not pile.cards for pile in stock) and any(len(pile.cards) > 1 and pile.face_up for pile in stock):
        found.append("move")
    return found


def fits(card: Card, top: Card, match: Match) -> bool:
    ranks = "A23456789TJQKA"
    steps = [ranks[i : i + 2] for i in range(13)]
    by_rank = card.rank + top.rank in steps or top.rank + card.rank in steps
    by_rank = by_rank or (match.rules.pairs and card.rank == top.rank)
    return by_rank and (match.rules.colours == "any" or card.is_red != top.is_red)


RandomMatch.TestCase.settings = settings(
    max_examples=150, stateful_step_count=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
test_random_matches_keep_the_invariants = RandomMatch.TestCase


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), options=OPTIONS)
def test_a_match_of_two_willing_players_ends(seed: int, options: dict[str, Any]) -> None:
    """Players who always do something useful, and now and then something silly, come to an end of the match."""
    rng = Random(seed)
    match = new_match(rules_from_options("arcade", {**options, "slap_timeout_ms": 5_000}), rng)
    watcher = Watcher(match)
    for _ in range(6_000):
        if match.is_over:
            break
        due_ns = judge.next_time_out_ns(match)
        useful = useful_presses(match)
        if useful:
            seat, action = rng.choice(useful)
            if rng.random() < 0.1:
                action = Play(rng.randint(1, 4), rng.choice(["left", "right", None]))
            outcome = judge.press(match, seat, action, match.now_ns + rng.randrange(60_000_000))
        else:
            outcome = judge.advance(match, max(due_ns or 0, match.now_ns + 10_000_000))
        watcher.see(outcome.match, outcome.events)
        match = outcome.match
    assert match.is_over


@given(seed=st.integers(0, 2**32), steps=st.lists(st.integers(0, 9_000_000_000), min_size=1, max_size=6))
def test_waiting_in_one_go_or_in_steps_is_the_same(seed: int, steps: list[int]) -> None:
    match = new_match(rules_from_options("arcade", {}), Random(seed))
    for seat in SEATS:
        match = judge.press(match, seat, Ready(), 0).match
    in_steps = match
    for wait_ns in steps:
        in_steps = judge.advance(in_steps, in_steps.now_ns + wait_ns).match
    assert judge.advance(match, sum(steps)).match == in_steps
