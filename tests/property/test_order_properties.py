"""Whatever two players press: seats that change places change only their names, and section 9 holds."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Action, Dealt, Redrawn, Refilled
from cabinet.engine.match import Covered, Match, Settling, Stuck
from cabinet.engine.order import judge_presses
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, SEATS, RoundEnd, SpeedTable, SpitTable, Table
from tests.drawn_matches import drawn_match, drawn_rules
from tests.watched_match import WatchedMatch, any_action, presses_that_count
from tests.written_presses import Written, WrittenCourt

MS = 1_000_000

SEEDS = st.integers(0, 2**32)
MOVES = st.integers(0, 60)


def mirrored_action(action: Action) -> Action:
    pile = getattr(action, "pile", None)
    return action if pile is None else replace(action, pile=OTHER_PILE[pile])


def mirrored_table(table: Table) -> Table:
    if isinstance(table, SpitTable):
        return SpitTable(table.b, table.a, table.right, table.left)
    return SpeedTable(
        table.b, table.a, table.right, table.left, table.side_right, table.side_left, table.is_turned
    )


def mirrored_covered(covered: tuple[Covered, ...]) -> tuple[Covered, ...]:
    """In the order in which the match keeps them."""
    swapped = [
        replace(one, pile=OTHER_PILE[one.pile], by=OTHER_SEAT[one.by] if one.by else None) for one in covered
    ]
    return tuple(sorted(swapped, key=lambda one: (one.at_ns, one.pile, one.card)))


def mirrored(match: Match) -> Match:
    """The match as it would be had the players sat the other way round."""
    settling, stuck, end, beat = match.settling, match.stuck, match.round_end, match.beat
    swapped: dict[str, Any] = {
        "table": mirrored_table(match.table),
        "token": OTHER_SEAT[match.token],
        "hand_a": match.hand_b,
        "hand_b": match.hand_a,
        "score_a": match.score_b,
        "score_b": match.score_a,
        "ready": frozenset(OTHER_SEAT[seat] for seat in match.ready),
        "tied_to_a": OTHER_PILE[match.tied_to_b] if match.tied_to_b else None,
        "tied_to_b": OTHER_PILE[match.tied_to_a] if match.tied_to_a else None,
        "covered": mirrored_covered(match.covered),
        "winner": OTHER_SEAT[match.winner] if match.winner else None,
        "final_owned": match.final_owned[::-1] if match.final_owned else None,
        "round_end": RoundEnd(end.cause, OTHER_SEAT[end.player] if end.player else None) if end else None,
        "beat": replace(
            beat,
            seats=tuple(sorted(OTHER_SEAT[seat] for seat in beat.seats)),
            pile=OTHER_PILE[beat.pile] if beat.pile else None,
        )
        if beat
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
    """A match of any game somewhere in a round, in which the machine plays for nobody.

    It plays left before right (CLARIFICATIONS.md C17), which no mirror shows.
    """
    rng = Random(seed)
    watched = WatchedMatch(drawn_match(rng, drawn_rules(rng, force_ms=0)))
    for _ in range(moves):
        presses = presses_that_count(watched.match)
        due_ns = judge.next_time_out_ns(watched.match)
        if presses:
            watched.press(*rng.choice(presses), rng.choice((0, 0, 60 * MS)))
        elif due_ns is not None:
            watched.wait_until(due_ns)
    return watched.match


def some_presses(match: Match, seed: int, count: int) -> list[Written]:
    """Presses of both, close together and far apart, sensible and not."""
    rng = Random(seed)
    at_ns, sensible, found = match.now_ns, presses_that_count(match), []
    for number in range(count):
        at_ns += rng.choice((0, 0, 50_000, 200_000, 30 * MS, 700 * MS))
        seat, action = rng.choice(SEATS), any_action(rng, match.rules)
        if sensible and rng.random() < 0.5:
            seat, action = rng.choice(sensible)
        found.append(Written(number, seat, at_ns, rng.choice((0, 100_000)), action))
    return found


@settings(max_examples=400)
@given(seed=SEEDS, moves=MOVES, press_seed=SEEDS, count=st.integers(1, 10))
def test_seats_that_change_places_change_only_their_names(
    seed: int, moves: int, press_seed: int, count: int
) -> None:
    match = played_for_a_while(seed, moves)
    pressed = some_presses(match, press_seed, count)
    swapped = [
        replace(press, seat=OTHER_SEAT[press.seat], action=mirrored_action(press.action)) for press in pressed
    ]
    end, judged, events = judge_presses(WrittenCourt(), match, pressed)
    other_end, other_judged, _ = judge_presses(WrittenCourt(), mirrored(match), swapped)
    assume(not any(isinstance(event, Dealt | Refilled | Redrawn) for event in events))
    assert {one.press.number: one.answer.refusal for one in judged} == {
        one.press.number: one.answer.refusal for one in other_judged
    }
    assert mirrored(end) == other_end


@settings(max_examples=200)
@given(seed=SEEDS, moves=MOVES, press_seed=SEEDS, count=st.integers(1, 10))
def test_each_press_is_judged_once_and_time_never_runs_back(
    seed: int, moves: int, press_seed: int, count: int
) -> None:
    match = played_for_a_while(seed, moves)
    pressed = some_presses(match, press_seed, count)
    end, judged, events = judge_presses(WrittenCourt(), match, pressed)
    assert sorted(one.press.number for one in judged) == list(range(count))
    times = [event.at_ns for event in events]
    assert times == sorted(times)
    assert match.now_ns <= pressed[-1].at_ns
    assert end.now_ns <= pressed[-1].at_ns


@settings(max_examples=300)
@given(seed=SEEDS, moves=MOVES, press_seed=SEEDS)
def test_who_stands_first_in_the_list_decides_no_dead_heat(seed: int, moves: int, press_seed: int) -> None:
    match = played_for_a_while(seed, moves)
    one, two = some_presses(match, press_seed, 2)
    one = replace(one, seat="a", at_ns=match.now_ns + MS)
    two = replace(two, seat="b", at_ns=match.now_ns + MS)
    first, _, _ = judge_presses(WrittenCourt(), match, [one, two])
    second, _, _ = judge_presses(WrittenCourt(), match, [two, one])
    assert first == second
