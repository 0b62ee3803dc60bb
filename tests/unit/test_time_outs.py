"""What the machine does by itself and when, and limits at their very borders (RULES.md 4, 16-28, 38, 41)."""

from __future__ import annotations

from typing import Any, Final

import pytest
from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import (
    Action,
    Called,
    Choose,
    Event,
    Hinted,
    Move,
    Moved,
    Play,
    Played,
    Ready,
    SaidReady,
    Slap,
    Spit,
)
from cabinet.engine.match import Match
from cabinet.engine.table import Seat
from tests.tables import LONE, PLAIN, SLAP, SPEED_STUCK, STUCK, match_with, spit_with

MS: Final = 1_000_000
S: Final = 1_000 * MS

A_PLAYS_NOTHING = STUCK["a"]["stock"]
B_PLAYS_NOTHING = STUCK["b"]["stock"]


def told(match: Match, *presses: tuple[Seat, Action], every_ns: int = 100 * MS) -> tuple[Match, list[Event]]:
    """What is told of presses, one after another."""
    events: list[Event] = []
    for seat, action in presses:
        outcome = judge.press(match, seat, action, match.now_ns + every_ns)
        match = outcome.match
        events += outcome.events
    return match, events


def waited(match: Match, ns: int) -> tuple[Match, list[Event]]:
    outcome = judge.advance(match, match.now_ns + ns)
    return outcome.match, list(outcome.events)


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


# Calls (16, 18)


def test_a_second_call_by_the_same_player_is_accepted_and_tells_nothing() -> None:
    match, events = told(match_with(STUCK), ("a", Spit()), ("a", Spit()))
    assert kinds(events) == ["Called"]
    assert match.beat is None


def test_the_machine_says_that_a_call_was_its_own() -> None:
    _, events = told(match_with(STUCK), ("a", Spit()))
    assert [event.by_machine for event in events if isinstance(event, Called)] == [False]
    _, events = waited(match_with(STUCK), 4 * S)
    assert [(event.seat, event.by_machine) for event in events if isinstance(event, Called)] == [
        ("a", True),
        ("b", True),
    ]
    _, events = waited(match_with(LONE), 4 * S)
    assert [(event.pile, event.by_machine) for event in events if isinstance(event, Called)] == [("right", True)]


def test_after_a_lone_call_only_the_wait_for_a_pile_counts() -> None:
    match, _ = told(match_with(LONE), ("b", Spit()), every_ns=3_900 * MS)
    match, events = waited(match, 3_000 * MS - 1)
    assert (events, match.beat) == ([], None)
    match, _ = waited(match, 1)
    assert match.beat is not None
    assert match.beat.pile == "right"


def test_after_a_first_call_of_two_whichever_time_is_up_first_calls() -> None:
    for called_ns, due_ns in ((500 * MS, 3_500 * MS), (2_000 * MS, 4_000 * MS)):
        match, _ = told(match_with(STUCK), ("a", Spit()), every_ns=called_ns)
        assert judge.next_time_out_ns(match) == due_ns


def test_times_that_are_off_leave_the_calls_to_the_players() -> None:
    off: dict[str, Any] = {"spit_wait_ms": 0, "spit_auto_ms": 0}
    match, _ = told(match_with(STUCK, **off), ("a", Spit()))
    assert judge.next_time_out_ns(match) is None
    assert judge.next_time_out_ns(match_with(LONE, **off)) is None


@pytest.mark.parametrize("lone", ["a", "b"])
def test_in_a_one_pile_round_the_lone_spitter_is_tied_to_nothing(lone: Seat) -> None:
    a_spit, b_spit = (["8D", "8S"], []) if lone == "a" else ([], ["8D", "8S"])
    left, right = (["39*??", "5H"], None) if lone == "a" else (None, ["39*??", "5H"])
    table = spit_with(A_PLAYS_NOTHING, B_PLAYS_NOTHING, a_spit, b_spit, left=left, right=right)
    match, _ = told(match_with(table, "table"), (lone, Spit()))
    assert (match.stuck, match.tied_to_a, match.tied_to_b) == (None, None, None)
    assert [str(pile[-1]) for pile in (match.table.left, match.table.right) if pile] == ["8S"]


# Ready (4)


def test_ready_is_said_once_by_the_machine_and_in_its_phase_only() -> None:
    dealt = match_with({"new_match": True, "seed": 1})
    once = judge.make_ready(dealt, "a", by_machine=True)
    said = [(event.seat, event.by_machine) for event in once.events if isinstance(event, SaidReady)]
    assert said == [("a", True)]
    assert judge.make_ready(once.match, "a", by_machine=True).events == ()
    beat = judge.make_ready(once.match, "b", by_machine=False).match
    assert judge.make_ready(beat, "b", by_machine=True).match == beat
    for other in (match_with(PLAIN), match_with(SLAP)):
        assert judge.make_ready(other, "a", by_machine=True).match == other


def test_a_players_ready_is_no_machines() -> None:
    _, events = told(match_with({"new_match": True, "seed": 1}), ("a", Ready()))
    assert [event.by_machine for event in events if isinstance(event, SaidReady)] == [False]


@pytest.mark.parametrize("table", [PLAIN, SLAP], ids=["in play", "in the race"])
def test_ready_is_out_of_place_elsewhere(table: dict[str, Any]) -> None:
    assert judge.press(match_with(table), "a", Ready(), MS).refusal == "WRONG_PHASE"


def test_the_first_cards_cover_nothing() -> None:
    for game in ("spit", "speed"):
        match = match_with({"new_match": True, "seed": 1}, game="spit" if game == "spit" else "speed")
        match, _ = told(match, ("a", Ready()), ("b", Ready()))
        match, _ = waited(match, 2 * S)
        assert match.covered == ()


# Hints and the machine's own play (20)


def hints(match: Match, ns: int) -> tuple[Match, int]:
    match, events = waited(match, ns)
    return match, sum(isinstance(event, Hinted) for event in events)


def test_a_hint_is_shown_once_and_again_after_progress() -> None:
    match, first = hints(match_with(PLAIN, force_ms=0), 60 * S)
    assert first == 1
    match, _ = told(match, ("a", Play(1, "left")))
    assert not match.is_hinted
    match, second = hints(match, 5 * S)
    assert (second, match.is_hinted) == (1, True)


def test_a_hint_is_shown_again_after_cards_turned() -> None:
    stuck, _ = told(match_with(STUCK), ("a", Spit()), ("b", Spit()))
    assert not waited(replace(stuck, is_hinted=True), 600 * MS)[0].is_hinted


@pytest.mark.parametrize(("hint_ms", "force_ms", "shown"), [(5_000, 4_000, 0), (5_000, 5_000, 1), (0, 5_000, 0)])
def test_a_hint_comes_before_the_machines_play_or_not_at_all(hint_ms: int, force_ms: int, shown: int) -> None:
    assert hints(match_with(PLAIN, hint_ms=hint_ms, force_ms=force_ms), force_ms * MS)[1] == shown


def test_the_machine_says_that_a_play_was_its_own() -> None:
    _, events = waited(match_with(PLAIN), 12 * S)
    assert [event.by_machine for event in events if isinstance(event, Played)] == [True]
    _, events = told(match_with(PLAIN), ("a", Play(1, "left")))
    assert [event.by_machine for event in events if isinstance(event, Played)] == [False]


def test_an_open_card_laid_bare_in_a_stack_is_no_progress() -> None:
    table = spit_with([["KS", "KC"], [], ["??", "JC"], ["3H"], ["9C"]], B_PLAYS_NOTHING, ["8D"], ["8S"])
    match, events = told(match_with(table, stack_equal=True), ("a", Move(1, 2)), every_ns=3 * S)
    assert [event.uncovered for event in events if isinstance(event, Moved)] == [None]
    assert hints(match, 2 * S)[1] == 1


# The end of a round (24, 27, 28)


def race_with_false_start() -> Match:
    table = spit_with([["6S"], [], [], [], []], B_PLAYS_NOTHING, ["8D"], ["8S"])
    delays: dict[str, Any] = {"slap_delay_ms": 1_000, "slap_grace_ms": 500, "slap_lockout_ms": 400}
    match, _ = told(match_with(table, **delays), ("a", Play(1, "left")))
    outcome = judge.press(match, "a", Slap("left"), match.now_ns + 500 * MS + 1)
    assert outcome.refusal == "FALSE_START"
    return judge.advance(outcome.match, match.now_ns + 1_000 * MS).match


def test_a_false_start_is_over_exactly_when_it_is() -> None:
    match = race_with_false_start()
    assert judge.press(match, "a", Slap("left"), match.now_ns + 400 * MS - 1).refusal == "LOCKED_OUT"
    assert judge.press(match, "a", Slap("left"), match.now_ns + 400 * MS).refusal is None
    assert judge.press(match, "b", Slap("left"), match.now_ns).refusal is None


@pytest.mark.parametrize(("left", "right", "taken"), [(3, 9, 3), (9, 3, 3), (6, 6, 6)])
@pytest.mark.parametrize("seat", ["a", "b"])
def test_who_went_out_gets_the_smaller_pile_or_the_own_side_when_time_is_up(
    seat: Seat, left: int, right: int, taken: int
) -> None:
    out: list[list[str]] = [[], [], [], [], []]
    other = [["4D"], ["38*??", "KD"], [], [], []]
    a, b = (out, other) if seat == "a" else (other, out)
    table = spit_with(a, b, [], [], left=[f"{left - 1}*??", "6S"], right=[f"{right - 1}*??", "JD"])
    table |= {"phase": "slap", "round_end": {"cause": "out", "player": seat}}
    before = match_with(table, cap_rounds=0)
    match, events = waited(before, 5 * S)
    assert match.owned(seat) == taken
    if left == right:
        own = before.table.pile("left" if seat == "a" else "right")
        assert set(own or ()) == set(match.table.side(seat).cards)
    assert kinds(events)[-2:] == ["PilesTaken", "Dealt"]


@pytest.mark.parametrize(("left", "right"), [(9, 32), (32, 9)])
def test_after_a_deadlock_the_chooser_gets_the_smaller_pile_when_time_is_up(left: int, right: int) -> None:
    table = spit_with(A_PLAYS_NOTHING, [*B_PLAYS_NOTHING[:4], []], [], [])
    table |= {"left": [f"{left}*??", "5H"], "right": [f"{right}*??", "5C"]}
    match = match_with(table, slap="winner")
    assert match.settling is not None
    assert match.settling.chooser == "b"
    match, _ = waited(match, 6 * S)
    assert match.owned("b") == 4 + 10


def test_a_choice_counts_from_exactly_the_grace_on() -> None:
    table = spit_with([["6S"], [], [], [], []], B_PLAYS_NOTHING, ["8D"], ["8S"])
    match, _ = told(match_with(table, slap="winner"), ("a", Play(1, "left")))
    assert judge.press(match, "a", Choose("left"), match.now_ns + 500 * MS - 1).refusal == "WRONG_PHASE"
    assert judge.press(match, "a", Choose("left"), match.now_ns + 500 * MS).refusal is None


# Caps and targets at their borders (38, 41)


def after_the_slap(at_ns: int = 0, table: dict[str, Any] | None = None, **rules: Any) -> Match:
    """a has gone out and slaps left: 17 cards to 35."""
    match = match_with({**SLAP, **(table or {})}, "table", slap_timeout_ms=0, **rules)
    return judge.press(match, "a", Slap("left"), at_ns).match


def test_the_cap_of_rounds_is_reached_with_its_last_round() -> None:
    assert after_the_slap(cap_rounds=1).winner == "a"
    assert after_the_slap(cap_rounds=2).winner is None
    assert after_the_slap(cap_rounds=2, table={"round": 2}).winner == "a"
    assert after_the_slap(cap_rounds=0, table={"round": 1_000}).winner is None


def test_the_cap_of_minutes_is_reached_with_its_last_nanosecond() -> None:
    assert after_the_slap(60 * S - 1, cap_minutes=1).winner is None
    assert after_the_slap(60 * S, cap_minutes=1).winner == "a"
    assert after_the_slap(3_600 * S, cap_minutes=0).winner is None


def test_the_target_of_points_is_reached_exactly_or_not() -> None:
    for b_had, winner in ((64, None), (65, "a")):
        match = after_the_slap(score="points", table={"score": {"a": 0, "b": b_had}})
        assert (match.score_a, match.score_b, match.winner) == (17, b_had + 35, winner)


def test_both_stuck_players_of_speed_are_called_for() -> None:
    _, events = waited(match_with(SPEED_STUCK, game="speed"), 4 * S)
    assert [event.seat for event in events if isinstance(event, Called)] == ["a", "b"]
