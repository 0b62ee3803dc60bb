"""What is told of actions and of misses: which cards came to light, who did it, who was faster (RULES.md 53)."""

from __future__ import annotations

from typing import Final

from cabinet.engine import judge
from cabinet.engine.actions import Action, Draw, Drew, Event, Move, Moved, Play, Played, Refused, Turn, TurnedUp
from cabinet.engine.cards import Card
from cabinet.engine.match import Match
from cabinet.engine.table import Seat
from tests.tables import PLAIN, SPEED, STUCK, match_with, spit_with

MS: Final = 1_000_000
S: Final = 1_000 * MS

B_PLAYS_NOTHING = STUCK["b"]["stock"]


def told(match: Match, *presses: tuple[Seat, Action], every_ns: int = 100 * MS) -> tuple[Match, list[Event]]:
    """What is told of presses, one after another."""
    events: list[Event] = []
    for seat, action in presses:
        outcome = judge.press(match, seat, action, match.now_ns + every_ns)
        match = outcome.match
        events += outcome.events
    return match, events


# Cards that come to light


def test_what_was_uncovered_drawn_or_turned_is_told() -> None:
    table = spit_with([["(4H)", "6S"], ["(2D)", "JC"], [], ["9C"], []], B_PLAYS_NOTHING, ["8D"], ["8S"])
    _, events = told(match_with(table), ("a", Play(1, "left")), ("a", Move(2, 3)), ("a", Move(4, 5)))
    uncovered = [event.uncovered for event in events if isinstance(event, Played | Moved)]
    assert uncovered == [Card.parse("4H"), Card.parse("2D"), None]
    _, events = told(match_with(table, turn="manual"), ("a", Play(1, "left")), ("a", Turn(1)))
    assert [event.uncovered for event in events if isinstance(event, Played)] == [None]
    assert [str(event.card) for event in events if isinstance(event, TurnedUp)] == ["4H"]
    speed = {**SPEED, "a": {"hand": ["6S", None, "KD", "2C", "JH"], "draw": ["2H", "10*??"]}}
    _, events = told(match_with(speed, game="speed", draw="manual"), ("a", Draw()), ("a", Play(1, "left")))
    assert [(event.slot, str(event.card)) for event in events if isinstance(event, Drew)] == [(2, "2H")]
    assert [event.uncovered for event in events if isinstance(event, Played)] == [None]


# Misses (53)


def test_a_miss_tells_the_pile_and_until_when_it_locks() -> None:
    _, events = told(match_with(PLAIN), ("b", Play(1)))
    (refused,) = (event for event in events if isinstance(event, Refused))
    assert (refused.pile, refused.behind_ns, refused.locked_until_ns) == ("right", None, 600 * MS)


def test_a_lost_race_tells_how_far_behind_and_locks_nothing() -> None:
    match, events = told(match_with(PLAIN), ("a", Play(1, "left")), ("b", Play(2)), every_ns=30 * MS)
    assert isinstance(events[-1], Refused)
    table = {**PLAIN, "b": {"stock": [["6S"], ["??", "KC"], [], [], []], "spit": ["5*??"]}}
    match, events = told(match_with(table), ("a", Play(1, "left")), ("b", Play(1)), every_ns=30 * MS)
    refused = events[-1]
    assert isinstance(refused, Refused)
    assert (refused.pile, refused.behind_ns, refused.locked_until_ns) == ("left", 30 * MS, None)
    assert match.hand_b.misses == 0


def test_a_card_covered_just_now_excuses_only_what_fitted_it() -> None:
    """8H covers 7C; the king of b fitted neither."""
    match, _ = told(match_with(PLAIN), ("a", Play(1, "left")), ("b", Play(2)), every_ns=30 * MS)
    assert match.hand_b.misses == 1


def test_what_the_own_card_covered_excuses_too_and_is_no_lost_race() -> None:
    table = {**PLAIN, "a": {"stock": [["8H"], ["6D"], ["??", "5D"], [], []], "spit": ["5*??"]}}
    _, events = told(match_with(table), ("a", Play(1, "left")), ("a", Play(2, "left")), every_ns=60 * MS)
    refused = events[-1]
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.behind_ns, refused.locked_until_ns) == ("NOT_ADJACENT", None, None)


def test_the_grace_ends_exactly_when_it_is_over() -> None:
    table = {**PLAIN, "b": {"stock": [["6S"], ["??", "KC"], [], [], []], "spit": ["5*??"]}}
    covered, _ = told(match_with(table), ("a", Play(1, "left")))
    for after_ns, misses in ((400 * MS - 1, 0), (400 * MS, 1)):
        match = judge.press(covered, "b", Play(1, "left"), covered.now_ns + after_ns).match
        assert match.hand_b.misses == misses


def test_where_nothing_locks_no_miss_is_counted() -> None:
    match = match_with(PLAIN, "table")
    assert judge.press(match, "b", Play(1), 0).match == match
