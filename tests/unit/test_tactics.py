"""What a robot finds worth doing, in every game and with every option."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Action, Choose, Draw, Move, Play, Ready, Slap, Spit, Turn
from cabinet.engine.match import Hand, Match, new_match
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import SEATS, BeatView, SpeedTable
from cabinet.engine.view import view_of
from cabinet.players.tactics import sensible_actions
from tests.drawn_matches import drawn_match, drawn_rules
from tests.tables import LONE, PLAIN, SLAP, SPEED, SPEED_STUCK, STUCK, match_with, view_with


def test_a_play_is_made_only_where_it_fits() -> None:
    assert set(sensible_actions(view_with(PLAIN), "a")) == {Play(1, "left"), Play(2, "right"), Move(3, 4)}


def test_a_buried_card_is_uncovered_when_nothing_fits() -> None:
    table = {**PLAIN, "a": {"stock": [["KH"], [], ["??", "JD"], ["??", "??", "9D"], []], "spit": ["4*??"]}}
    assert sensible_actions(view_with({**table, "left": ["15*??", "5C"]}), "a")[0] == Move(4, 2)


QUIET_B = {"stock": [["5S"], ["??", "KC"], [], [], []], "spit": ["5*??"]}
"""b's tops follow on nothing that a plays below."""


def test_a_play_that_another_own_card_can_follow_comes_first() -> None:
    table = {
        "a": {"stock": [["3D"], ["8H"], ["9D"], ["KH"], []], "spit": ["5*??"]},
        "b": QUIET_B,
        "left": ["16*??", "7C"],
        "right": ["17*??", "2S"],
    }
    assert sensible_actions(view_with(table), "a")[0] == Play(2, "left")
    unfit = {**table, "a": {"stock": [["3D"], ["8H"], ["TD"], ["KH"], []], "spit": ["5*??"]}}
    assert sensible_actions(view_with(unfit), "a")[0] == Play(1, "right")


def test_what_can_follow_is_what_the_rules_let_follow() -> None:
    """With alternating colours a black nine can follow the red eight, a red one cannot."""

    def first(follower: str) -> Action:
        table = {
            "a": {"stock": [["3D"], ["8H"], [follower], ["QH"], []], "spit": ["5*??"]},
            "b": QUIET_B,
            "left": ["16*??", "7C"],
            "right": ["17*??", "2S"],
        }
        return sensible_actions(view_with(table, colours="alternate"), "a")[0]

    assert first("9C") == Play(2, "left")
    assert first("9D") == Play(1, "right")


def test_of_two_plays_the_one_that_helps_the_other_player_less_comes_first() -> None:
    table = {
        "a": {"stock": [["3D"], ["8H"], ["KH"], [], []], "spit": ["7*??"]},
        "b": {"stock": [["4S"], ["??", "KC"], [], [], []], "spit": ["7*??"]},
        "left": ["15*??", "7C"],
        "right": ["15*??", "2S"],
    }
    assert sensible_actions(view_with(table), "a")[0] == Play(2, "left")


def test_a_face_down_top_is_turned_and_never_moved() -> None:
    table = {
        "a": {"stock": [["KH"], [], ["??", "??"], ["??", "9D"], []], "spit": ["5*??"]},
        "b": QUIET_B,
        "left": ["16*??", "5C"],
        "right": ["16*??", "5D"],
    }
    assert sensible_actions(view_with(table, turn="manual"), "a") == [Turn(3), Move(4, 2)]


def test_equal_tops_are_stacked_only_where_something_comes_of_it() -> None:
    table = {
        "a": {"stock": [["KH"], ["??", "9D"], ["9S"], ["QD"], ["JS"]], "spit": ["5*??"]},
        "b": {"stock": [["TS"], ["8H"], ["8D"], ["QC"], ["JH"]], "spit": ["5*??"]},
        "left": ["14*??", "5C"],
        "right": ["15*??", "5D"],
    }
    assert sensible_actions(view_with(table, stack_equal=True), "a") == [Move(2, 3)]
    assert sensible_actions(view_with(table, stack_equal=True), "b") == []


def test_a_hand_of_speed_is_played_and_drawn_and_nothing_else() -> None:
    view = view_with(SPEED, game="speed")
    assert set(sensible_actions(view, "a")) == {Play(1, "left"), Play(3, "right"), Play(5, "right")}
    gap = {**SPEED, "a": {"hand": [None, "9D", "8D", "2C", "2D"], "draw": ["2H", "10*??"]}}
    assert sensible_actions(view_with(gap, game="speed", draw="manual"), "a") == [Draw()]
    last = {
        **SPEED,
        "a": {"hand": [None, "9D", "8D", "2C", "2D"], "draw": []},
        "b": {**SPEED["b"], "draw": ["21*??"]},
    }
    assert sensible_actions(view_with(last, game="speed", draw="manual"), "a") == []


def test_a_slide_is_called_once() -> None:
    view = view_with(SPEED_STUCK, game="speed")
    assert sensible_actions(view, "a") == [Spit()]
    assert sensible_actions(replace(view, a=replace(view.a, has_called=True)), "a") == []


def test_a_hidden_hand_changes_nothing_for_who_holds_the_other() -> None:
    """The plays of a are the same, whatever b holds."""
    match = match_with(SPEED, game="speed", hands="hidden")
    assert isinstance(match.table, SpeedTable)
    swapped = replace(match, table=match.table.with_side("b", replace(match.table.b, hand=match.table.b.draw[:5])))
    ours = sensible_actions(view_of(match, "a"), "a")
    assert set(ours) == {Play(1, "left"), Play(3, "right"), Play(5, "right")}
    assert sensible_actions(view_of(swapped, "a"), "a") == ours


def test_the_smaller_pile_of_a_one_pile_round_is_the_missing_one() -> None:
    single = {**SLAP, "left": None, "right": ["47*??", "JD"], "round_end": {"cause": "deadlock"}}
    single["a"] = {"stock": [["9D"], [], [], [], []], "spit": []}
    assert sensible_actions(view_with(single), "b") == [Slap("left")]


def test_a_lone_spitter_spits_and_the_other_waits() -> None:
    view = view_with(LONE)
    assert sensible_actions(view, "a") == []
    assert sensible_actions(view, "b") == [Spit("left")]


def test_stuck_is_called_once() -> None:
    view = view_with(STUCK)
    assert sensible_actions(view, "a") == [Spit()]
    assert sensible_actions(replace(view, a=replace(view.a, has_called=True)), "a") == []


def test_the_smaller_pile_is_slapped_only_after_the_cue() -> None:
    view = view_with(SLAP)
    assert sensible_actions(view, "b") == [Slap("left")]
    assert sensible_actions(replace(view, slap_open=False), "b") == []


def test_of_equal_piles_each_takes_the_own_side() -> None:
    view = view_with(SLAP)
    equal = replace(view, left=view.right)
    assert sensible_actions(equal, "a") == [Slap("left")]
    assert sensible_actions(equal, "b") == [Slap("right")]


def test_only_the_chooser_chooses() -> None:
    view = view_with({**SLAP, "phase": "choose"}, slap="winner")
    assert sensible_actions(view, "a") == [Choose("left")]
    assert sensible_actions(view, "b") == []


def test_ready_is_said_once_and_nothing_in_a_beat() -> None:
    view = view_of(new_match(ARCADE, Random(1)))
    assert sensible_actions(view, "a") == [Ready()]
    assert sensible_actions(replace(view, a=replace(view.a, is_ready=True)), "a") == []
    assert sensible_actions(replace(view, beat=BeatView("deal", 0, 9, ("left", "right"))), "a") == []


# All games, all options


def without_waits(match: Match) -> Match:
    """The same with nobody's buttons locked, and nobody too soon."""
    return replace(match, hand_a=Hand(), hand_b=Hand())


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_sensible_is_accepted_and_doing_it_comes_to_an_end(seed: int) -> None:
    """From random positions of both games: no refusals, and no more than 250 actions in a round."""
    rng = Random(seed)
    for _ in range(8):
        match = drawn_match(rng, drawn_rules(rng, force_ms=0, hint_ms=0))
        first_round, actions = match.round, 0
        while match.round == first_round and not match.is_over:
            wanted = [(seat, sensible_actions(view_of(match, seat), seat)) for seat in SEATS]
            able = [(seat, some) for seat, some in wanted if some]
            if not able:
                due_ns = judge.next_time_out_ns(match)
                assert due_ns is not None, "nobody wants to do anything, and nothing happens"
                match = judge.advance(match, due_ns).match
                continue
            seat, some = rng.choice(able)
            for action in some:
                assert judge.action_refusal(without_waits(match), seat, action) is None
            match = judge.press(without_waits(match), seat, some[0], match.now_ns).match
            actions += 1
            assert actions <= 250
