"""Whatever two players press: seats that change places change only their names, and section 9 holds."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Action, Dealt, Event, Move, Play, Ready, Slap, Spit, Turn
from cabinet.engine.match import Match, Settling, Stuck, new_match
from cabinet.engine.order import Answer, Timed, judge_presses
from cabinet.engine.rules import rules_from_options
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, RoundEnd, Seat, SpitTable
from tests.invariants import Watcher

MS = 1_000_000


class Written(msgspec.Struct, frozen=True):
    """A press whose meaning is written down."""

    number: int
    seat: Seat
    at_ns: int
    err_ns: int
    action: Action

    def ties_with(self, other: Timed) -> bool:
        assert isinstance(other, Written)
        return abs(self.at_ns - other.at_ns) <= self.err_ns + other.err_ns


class WrittenCourt:
    def __init__(self, watcher: Watcher | None = None) -> None:
        self.watcher = watcher

    def match(self, state: Match) -> Match:
        return state

    def with_match(self, state: Match, match: Match) -> Match:  # noqa: ARG002
        return match

    def meaning(self, state: Match, press: Written) -> Action:  # noqa: ARG002
        return press.action

    def act(self, state: Match, press: Written, at_ns: int) -> tuple[Match, Answer, tuple[Event, ...]]:
        outcome = judge.press(state, press.seat, press.action, at_ns)
        return outcome.match, Answer(press.action, outcome.refusal), outcome.events


def mirrored_action(action: Action) -> Action:
    pile = getattr(action, "pile", None)
    return action if pile is None else replace(action, pile=OTHER_PILE[pile])


def mirrored(match: Match) -> Match:
    """The match as it would be had the players sat the other way round."""
    table = match.table
    settling, stuck, end = match.settling, match.stuck, match.round_end
    swapped: dict[str, Any] = {
        "table": SpitTable(table.b, table.a, table.right, table.left),
        "token": OTHER_SEAT[match.token],
        "hand_a": match.hand_b,
        "hand_b": match.hand_a,
        "score_a": match.score_b,
        "score_b": match.score_a,
        "ready": frozenset(OTHER_SEAT[seat] for seat in match.ready),
        "tied_to_a": OTHER_PILE[match.tied_to_b] if match.tied_to_b else None,
        "tied_to_b": OTHER_PILE[match.tied_to_a] if match.tied_to_a else None,
        "covered": tuple(
            sorted(
                (
                    replace(one, pile=OTHER_PILE[one.pile], by=OTHER_SEAT[one.by] if one.by else None)
                    for one in match.covered
                ),
                key=lambda one: (one.at_ns, one.pile, one.card),
            )
        ),
        "winner": OTHER_SEAT[match.winner] if match.winner else None,
        "final_owned": match.final_owned[::-1] if match.final_owned else None,
        "round_end": RoundEnd(end.cause, OTHER_SEAT[end.player] if end.player else None) if end else None,
        "beat": replace(
            match.beat,
            seats=tuple(sorted(OTHER_SEAT[seat] for seat in match.beat.seats)),
            pile=OTHER_PILE[match.beat.pile] if match.beat.pile else None,
        )
        if match.beat
        else None,
        "stuck": Stuck(
            stuck.since_ns,
            OTHER_SEAT[stuck.lone_spitter] if stuck.lone_spitter else None,
            frozenset(OTHER_SEAT[seat] for seat in stuck.callers),
            stuck.first_call_ns,
        )
        if stuck
        else None,
        "settling": Settling(
            settling.ended_ns,
            settling.opens_ns,
            settling.is_open,
            frozenset(OTHER_SEAT[seat] for seat in settling.false_starts),
            OTHER_SEAT[settling.chooser] if settling.chooser else None,
            settling.by_token,
        )
        if settling
        else None,
    }
    return replace(match, **swapped)


def played_for_a_while(seed: int, moves: int) -> Match:
    """A match somewhere in a round: the machine has played for both, and stops now.

    It plays left before right (CLARIFICATIONS.md C17), which no mirror shows.
    """
    match = new_match(rules_from_options("arcade", {"force_ms": 60, "hint_ms": 0}), Random(seed))
    for seat in ("a", "b"):
        match = judge.press(match, seat, Ready(), 0).match
    for _ in range(moves):
        due_ns = judge.next_time_out_ns(match)
        if due_ns is None or (match.phase == "ready" and match.beat is None):
            break
        match = judge.advance(match, due_ns).match
    return replace(match, rules=rules_from_options("arcade", {"force_ms": 0}))


PILES = st.sampled_from(["left", "right"])
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Play, st.integers(1, 5), st.one_of(st.none(), PILES)),
    st.builds(Move, st.integers(1, 5), st.integers(1, 5)),
    st.builds(Turn, st.integers(1, 5)),
    st.builds(Spit, st.one_of(st.none(), PILES)),
    st.builds(Slap, PILES),
)
PRESSES = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from([0, 0, 50_000, 200_000, 30 * MS, 700 * MS]),
        st.sampled_from([0, 100_000]),
        ACTIONS,
    ),
    min_size=2,
    max_size=10,
)


def written(match: Match, presses: list[Any]) -> list[Written]:
    at_ns, found = match.now_ns, []
    for number, (seat, wait_ns, err_ns, action) in enumerate(presses):
        at_ns += wait_ns
        found.append(Written(number, seat, at_ns, err_ns, action))
    return found


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10_000), moves=st.integers(0, 60), presses=PRESSES)
def test_seats_that_change_places_change_only_their_names(seed: int, moves: int, presses: list[Any]) -> None:
    match = played_for_a_while(seed, moves)
    pressed = written(match, presses)
    swapped = [
        replace(press, seat=OTHER_SEAT[press.seat], action=mirrored_action(press.action)) for press in pressed
    ]
    end, judged, events = judge_presses(WrittenCourt(), match, pressed)
    other_end, other_judged, _ = judge_presses(WrittenCourt(), mirrored(match), swapped)
    assume(not any(isinstance(event, Dealt) for event in events))
    assert {one.press.number: one.answer.refusal for one in judged} == {
        one.press.number: one.answer.refusal for one in other_judged
    }
    assert mirrored(end) == other_end


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10_000), moves=st.integers(0, 60), presses=PRESSES)
def test_presses_in_order_keep_the_invariants_and_are_judged_once(
    seed: int, moves: int, presses: list[Any]
) -> None:
    match = played_for_a_while(seed, moves)
    pressed = written(match, presses)
    end, judged, events = judge_presses(WrittenCourt(), match, pressed)
    Watcher(match).see(end, tuple(events))
    assert sorted(one.press.number for one in judged) == list(range(len(presses)))
    assert end.now_ns >= match.now_ns


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10_000), moves=st.integers(0, 60), actions=st.tuples(ACTIONS, ACTIONS))
def test_who_stands_first_in_the_list_decides_no_dead_heat(
    seed: int, moves: int, actions: tuple[Action, Action]
) -> None:
    match = played_for_a_while(seed, moves)
    one = Written(0, "a", match.now_ns + MS, 0, actions[0])
    two = Written(1, "b", match.now_ns + MS, 0, actions[1])
    first, _, _ = judge_presses(WrittenCourt(), match, [one, two])
    second, _, _ = judge_presses(WrittenCourt(), match, [two, one])
    assert first == second
