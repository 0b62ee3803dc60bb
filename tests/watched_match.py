"""One match that is pressed and waited on while a `Watcher` looks, and that can be told again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Action, Choose, Draw, Event, Move, Play, Ready, Slap, Spit, StockAction, Turn
from cabinet.engine.judge import Outcome
from cabinet.engine.match import Match
from cabinet.engine.misses import MISSES
from cabinet.engine.order import judge_presses
from cabinet.engine.rules import Rules
from cabinet.engine.speed import HAND_SIZE
from cabinet.engine.table import PILE_NAMES, SEATS, Seat
from cabinet.engine.table_rules import table_rules
from tests.invariants import Watcher
from tests.written_presses import Written, WrittenCourt

SHORT_NS: Final = (0, 0, 100_000, 200_000)

Together = Sequence[tuple[Seat, Action, int, int]]
"""Presses close to each other: seat, action, nanoseconds after the first, uncertainty."""


class WatchedMatch:
    """Every step is watched; `check_told_again` repeats the whole story from the start."""

    def __init__(self, start: Match) -> None:
        self.start = self.match = start
        self.watcher = Watcher(start)
        self.story: list[Callable[[Match], Match]] = []
        self.on_step: Callable[[Match, Match, tuple[Event, ...]], None] = lambda _before, _after, _events: None

    def _see(self, match: Match, events: tuple[Event, ...]) -> None:
        before, self.match = self.match, match
        self.watcher.see(match, events)
        self.on_step(before, match, events)

    def wait_until(self, to_ns: int) -> None:
        """Time passes, one time-out after another."""
        while (due_ns := judge.next_time_out_ns(self.match)) is not None and due_ns < to_ns:
            outcome = judge.advance(self.match, due_ns)
            assert outcome.events, "a time-out came and nothing happened"
            self._see(outcome.match, outcome.events)
        outcome = judge.advance(self.match, to_ns)
        self._see(outcome.match, outcome.events)
        self.story.append(lambda match: judge.advance(match, to_ns).match)

    def press(self, seat: Seat, action: Action, wait_ns: int) -> Outcome:
        """One press; a refused one changes nothing but what its player is made to pay."""
        at_ns = self.match.now_ns + wait_ns
        self.wait_until(at_ns)
        before = self.match
        outcome = judge.press(before, seat, action, at_ns)
        if outcome.refusal is not None:
            assert outcome.match == before_with_penalties(before, outcome, seat, action)
        self._see(outcome.match, outcome.events)
        self.story.append(lambda match: judge.press(match, seat, action, at_ns).match)
        return outcome

    def make_ready(self, seat: Seat) -> None:
        """The machine says ready for a player, now."""
        outcome = judge.make_ready(self.match, seat, by_machine=True)
        self._see(outcome.match, outcome.events)
        self.story.append(lambda match: judge.make_ready(match, seat, by_machine=True).match)

    def press_together(self, presses: Together) -> None:
        """Presses that may be dead heats, judged by `engine/order.py`."""
        at_ns = self.match.now_ns
        written = [
            Written(number, seat, at_ns + after_ns, err_ns, action)
            for number, (seat, action, after_ns, err_ns) in enumerate(sorted(presses, key=lambda one: one[2]))
        ]
        before = self.match
        match, judged, events = judge_presses(WrittenCourt(), before, written)
        assert sorted(one.press.number for one in judged) == list(range(len(presses)))
        is_by_token = any(one.token_decided for one in judged)
        assert not is_by_token or len({one.press.seat for one in judged}) == len(SEATS)
        self._see(match, tuple(events))
        self.story.append(lambda match: judge_presses(WrittenCourt(), match, written)[0])

    def check_told_again(self) -> None:
        """Same start and same inputs give the same states."""
        match = self.start
        for step in self.story:
            match = step(match)
        assert match == self.match


def before_with_penalties(before: Match, outcome: Outcome, seat: Seat, action: Action) -> Match:
    """The match before a refused press, with nothing changed but that player's misses or false start."""
    after = outcome.match
    if outcome.refusal == "FALSE_START":
        assert before.settling is not None
        assert after.settling is not None
        starts = before.settling.false_starts | {seat}
        return replace(before, settling=replace(before.settling, false_starts=starts))
    is_miss = isinstance(action, StockAction) and outcome.refusal in MISSES
    if not is_miss or not before.rules.miss_lockout_ms:
        return before
    paid = after.hand(seat)
    was = before.hand(seat)
    assert paid.acted_ns == was.acted_ns
    assert paid.misses - was.misses in (0, 1)
    assert paid.locked_until_ns >= was.locked_until_ns
    return replace(before, hand_a=paid) if seat == "a" else replace(before, hand_b=paid)


def any_action(rng: Random, rules: Rules) -> Action:
    """Anything that a player of this game can press, sense or nonsense."""
    pile, maybe_pile = rng.choice(PILE_NAMES), rng.choice((*PILE_NAMES, None))
    if rules.game == "speed":
        play = Play(rng.randint(1, HAND_SIZE), maybe_pile)
        return rng.choice((play, play, play, Draw(), Spit(maybe_pile), Slap(pile), Choose(pile), Ready()))
    stock, other = rng.randint(1, rules.stock), rng.randint(1, rules.stock)
    play, move = Play(stock, maybe_pile), Move(stock, other)
    return rng.choice((play, play, move, Turn(stock), Spit(maybe_pile), Slap(pile), Choose(pile), Ready()))


def close_presses(rng: Random, match: Match) -> Together:
    """One press of each player, close enough to be a dead heat, and of slaps a third; most of them sensible."""
    sensible = presses_that_count(match)
    presses = []
    for seat in [*SEATS, *rng.sample(SEATS, 1 if match.phase == "slap" else 0)]:
        action = any_action(rng, match.rules)
        own = [one for presser, one in sensible if presser == seat]
        if own and rng.random() < 0.7:
            action = rng.choice(own)
        presses.append((seat, action, rng.choice(SHORT_NS), rng.choice(SHORT_NS)))
    rng.shuffle(presses)
    return presses


def presses_that_count(match: Match) -> list[tuple[Seat, Action]]:
    """What either player could sensibly do now and would be let to."""
    presses: list[tuple[Seat, Action]] = []
    for seat in SEATS:
        actions: list[Action] = [Ready(), Spit(), Spit("left"), Spit("right")]
        actions += [kind(pile) for kind in (Slap, Choose) for pile in PILE_NAMES]
        actions += table_rules(match.rules).useful_actions(match.table, match.rules, seat)
        presses += [(seat, action) for action in actions if judge.action_refusal(match, seat, action) is None]
    return presses
