"""Random matches of both games, legal and illegal actions mixed, keep RULES.md section 9 after every event."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Event, Hinted
from cabinet.engine.cards import PACK
from cabinet.engine.match import Match, new_match
from cabinet.engine.rules import GameKind, rules_from_options
from cabinet.engine.table import SEATS, Seat
from cabinet.engine.view import view_of
from tests.drawn_matches import CHOICES, drawn_match, drawn_rules
from tests.hidden_cards import VIEWERS, twin
from tests.watched_match import WatchedMatch, any_action, close_presses, presses_that_count

OPTIONS = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in CHOICES.items()})
GAMES = st.sampled_from(["spit", "speed"])
PROFILES = st.sampled_from(["arcade", "table"])
SEEDS = st.integers(0, 2**32)
WAITS_NS = st.sampled_from([0, 1, 10_000_000, 60_000_000, 501_000_000, 1_600_000_000, 5_000_000_000])


class RandomMatch(RuleBasedStateMachine):
    """Two hands that press anything, and now and then what is right."""

    @initialize(seed=SEEDS, game=GAMES, profile=PROFILES, options=OPTIONS)
    def deal(self, seed: int, game: GameKind, profile: str, options: dict[str, Any]) -> None:
        self.rng = Random(seed)
        start = drawn_match(self.rng, rules_from_options(game, profile, options))
        self.watched = WatchedMatch(start)

    @property
    def match(self) -> Match:
        return self.watched.match

    @rule(seed=SEEDS, seat=st.sampled_from(SEATS), wait_ns=WAITS_NS)
    def press_anything(self, seed: int, seat: Seat, wait_ns: int) -> None:
        self.watched.press(seat, any_action(Random(seed), self.match.rules), wait_ns)

    @rule(data=st.data(), wait_ns=st.sampled_from([60_000_000, 600_000_000]))
    def press_something_useful(self, data: st.DataObject, wait_ns: int) -> None:
        self.watched.wait_until(self.match.now_ns + wait_ns)
        presses = presses_that_count(self.match)
        if presses:
            assert self.watched.press(*data.draw(st.sampled_from(presses)), 0).refusal is None

    @rule(seed=SEEDS, wait_ns=WAITS_NS)
    def press_together(self, seed: int, wait_ns: int) -> None:
        self.watched.wait_until(self.match.now_ns + wait_ns)
        self.watched.press_together(close_presses(Random(seed), self.match))

    @precondition(lambda self: judge.next_time_out_ns(self.match) is not None)
    @rule()
    def wait_for_the_machine(self) -> None:
        due_ns = judge.next_time_out_ns(self.match)
        assert due_ns is not None
        self.watched.wait_until(due_ns)

    @invariant()
    def no_view_holds_a_hidden_card(self) -> None:
        if hasattr(self, "watched"):
            for viewer in VIEWERS:
                assert view_of(twin(self.match, viewer, self.rng), viewer) == view_of(self.match, viewer)

    def teardown(self) -> None:
        if hasattr(self, "watched"):
            self.watched.check_told_again()


RandomMatch.TestCase.settings = settings(
    max_examples=150, stateful_step_count=60, suppress_health_check=[HealthCheck.too_slow]
)
test_random_matches_keep_the_invariants = RandomMatch.TestCase


# Every match ends

MACHINE = {"force_ms": 200, "spit_wait_ms": 20, "spit_auto_ms": 20, "slap_timeout_ms": 20}
"""Times at which the machine does by itself all that players leave undone."""

LONGEST_MATCH = 30_000
"""Steps; the longest of 8,000 drawn matches that the machine played alone took 10,106, and 89 rounds."""


@settings(max_examples=60)
@given(seed=SEEDS)
def test_every_match_ends_when_only_the_machine_plays(seed: int) -> None:
    rng = Random(seed)
    rules = drawn_rules(rng, **MACHINE)
    watched = WatchedMatch(drawn_match(rng, rules))
    for _ in range(LONGEST_MATCH):
        if watched.match.is_over:
            break
        say_ready(watched)
        due_ns = judge.next_time_out_ns(watched.match)
        assert due_ns is not None, "the match stands still"
        watched.wait_until(due_ns)
    assert watched.match.is_over


@settings(max_examples=25)
@given(seed=SEEDS)
def test_every_match_ends_when_players_press_what_counts_and_now_and_then_nonsense(seed: int) -> None:
    """With equal players and speed_score=stock a round of Speed is seldom worth a point: one of them must do."""
    rng = Random(seed)
    rules = drawn_rules(rng, slap_timeout_ms=5_000, cap_rounds=rng.choice((1, 3)))
    if rules.speed_score == "stock":
        rules = replace(rules, speed_target=1)
    watched = WatchedMatch(drawn_match(rng, rules))
    for _ in range(LONGEST_MATCH):
        if watched.match.is_over:
            break
        presses = presses_that_count(watched.match)
        if not presses:
            due_ns = judge.next_time_out_ns(watched.match)
            watched.wait_until(max(due_ns or 0, watched.match.now_ns + 10_000_000))
        elif rng.random() < 0.1:
            watched.press(rng.choice(SEATS), any_action(rng, rules), rng.randrange(60_000_000))
        else:
            watched.press(*rng.choice(presses), rng.randrange(60_000_000))
    assert watched.match.is_over


def say_ready(watched: WatchedMatch) -> None:
    if watched.match.phase == "ready" and watched.match.beat is None:
        for seat in SEATS:
            watched.make_ready(seat)


@given(seed=SEEDS, steps=st.lists(st.integers(0, 9_000_000_000), min_size=1, max_size=6))
def test_waiting_in_one_go_or_in_steps_is_the_same(seed: int, steps: list[int]) -> None:
    rng = Random(seed)
    match = drawn_match(rng, drawn_rules(rng))
    for seat in SEATS:
        match = judge.make_ready(match, seat, by_machine=True).match
    in_steps = match
    for wait_ns in steps:
        in_steps = judge.advance(in_steps, in_steps.now_ns + wait_ns).match
    assert judge.advance(match, match.now_ns + sum(steps)).match == in_steps


@given(seed=SEEDS)
def test_a_hint_can_be_followed(seed: int) -> None:
    """What the machine shows would count, for the player to whom it is shown."""
    rng = Random(seed)
    watched = WatchedMatch(drawn_match(rng, drawn_rules(rng, **MACHINE, hint_ms=10, min_action_ms=0)))
    hints = []

    def ask(match: Match, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, Hinted) and event.hint is not None:
                hints.append(judge.action_refusal(match, event.seat, event.hint))

    watched.on_step = lambda _before, match, events: ask(match, events)
    say_ready(watched)
    watched.wait_until(watched.match.now_ns + 3_000_000_000)
    assert set(hints) <= {None}


@given(seed=SEEDS, game=GAMES)
def test_a_fresh_match_has_every_card_once_and_equal_shares(seed: int, game: GameKind) -> None:
    match = new_match(drawn_rules(Random(seed), game=game), Random(seed))
    sets = [match.table.side(seat).cards for seat in SEATS]
    assert len(sets[0]) == len(sets[1])
    assert len({*sets[0], *sets[1]}) == 2 * len(sets[0]) <= len(PACK)
