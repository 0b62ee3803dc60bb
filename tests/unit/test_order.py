"""Dead heats, what the token decides, and void slaps (RULES.md 13, 25, 26; CLARIFICATIONS.md C1-C3, C16)."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import msgspec

from cabinet.engine.actions import Play, Slap
from cabinet.engine.order import Timed, dead_heat_partner, judge_presses
from cabinet.engine.table import Seat
from cabinet.referee import result_of_line
from tests.tables import SLAP, match_with
from tests.written_presses import Written, WrittenCourt

RACE: dict[str, Any] = {
    "a": {"stock": [["8H"], ["??", "KD"], [], [], []], "spit": ["5*??"]},
    "b": {"stock": [["6D"], ["??", "KC"], [], [], []], "spit": ["5*??"]},
    "left": ["17*??", "7C"],
    "right": ["17*??", "2S"],
}


class At(msgspec.Struct, frozen=True):
    seat: Seat
    at_ns: int
    err_ns: int = 0

    def ties_with(self, other: Timed) -> bool:
        assert isinstance(other, At)
        return abs(self.at_ns - other.at_ns) <= self.err_ns + other.err_ns


def judged(table: dict[str, Any], *steps: dict[str, Any], token: str = "a", **rules: Any) -> dict[str, Any]:
    document = {
        "game": "spit",
        "profile": "table",
        "rules": rules,
        "table": {**table, "token": token},
        "steps": list(steps),
    }
    result = result_of_line(json.dumps(document))
    assert "error" not in result, result
    return result


def play(at_us: int, player: str, pile: str | None = "left", err_us: int = 0) -> dict[str, Any]:
    return {"at_us": at_us, "player": player, "play": [1, pile], "err_us": err_us}


def slap(at_us: int, player: str, pile: str, err_us: int = 0) -> dict[str, Any]:
    return {"at_us": at_us, "player": player, "slap": pile, "err_us": err_us}


# Who pairs with whom (C1)


def test_presses_whose_errors_touch_are_a_dead_heat() -> None:
    first, second = At("a", 0, 60), At("b", 100, 40)
    assert dead_heat_partner([first, second]) == second


def test_presses_further_apart_than_their_errors_are_not() -> None:
    assert dead_heat_partner([At("a", 0, 60), At("b", 101, 40)]) is None


def test_two_presses_of_one_player_never_pair() -> None:
    assert dead_heat_partner([At("a", 0, 60), At("a", 10, 60)]) is None


def test_a_press_between_that_ties_too_does_not_stand_in_the_way() -> None:
    b = At("b", 100, 100)
    assert dead_heat_partner([At("a", 0), At("a", 50), b]) == b


def test_a_press_between_that_is_told_apart_stands_in_the_way() -> None:
    assert dead_heat_partner([At("a", 0, 100), At("a", 10), At("b", 100)]) is None


def test_only_the_other_players_next_press_can_be_the_partner() -> None:
    first = At("b", 100, 50)
    assert dead_heat_partner([At("a", 0, 60), first, At("b", 110, 60)]) == first


# What the token decides (C3)


def test_the_token_decides_who_gets_the_pile_and_passes() -> None:
    for token, answers in (("a", ["ok", "NOT_ADJACENT"]), ("b", ["NOT_ADJACENT", "ok"])):
        result = judged(RACE, play(1, "a"), play(1, "b"), token=token)
        assert result["steps"] == answers
        assert result["state"]["token"] == ("b" if token == "a" else "a")


def test_the_order_in_the_list_decides_nothing() -> None:
    one = judged(RACE, play(1, "a"), play(1, "b"), token="b")
    two = judged(RACE, play(1, "b"), play(1, "a"), token="b")
    assert one["steps"] == two["steps"][::-1]
    assert one["state"]["left"] == two["state"]["left"]


def test_plays_on_different_piles_decide_nothing_and_the_token_stays() -> None:
    table = {**RACE, "b": {"stock": [["3D"], ["??", "KC"], [], [], []], "spit": ["5*??"]}}
    result = judged(table, play(1, "a"), play(1, "b", "right"))
    assert (result["steps"], result["state"]["token"]) == (["ok", "ok"], "a")


def test_both_presses_of_a_dead_heat_count_as_made_at_the_earlier_time() -> None:
    steps = [play(1_000, "a", err_us=100), play(1_150, "b", err_us=100)]
    result = judged(RACE, *steps, {"at_us": 51_000, "player": "b", "move": [2, 3]}, token="b", min_action_ms=50)
    assert result["steps"] == ["NOT_ADJACENT", "ok", "ok"]


def test_a_third_press_after_a_dead_heat_is_judged_on_its_own() -> None:
    result = judged(RACE, play(1, "a"), play(1, "b"), {"at_us": 1, "player": "a", "move": [2, 3]})
    assert result["steps"] == ["ok", "NOT_ADJACENT", "ok"]


# Slaps (R25, R26, C16)


def test_a_dead_heat_of_slaps_on_one_pile_goes_to_who_went_out() -> None:
    for token in ("a", "b"):
        result = judged(SLAP, slap(9, "b", "left"), slap(9, "a", "left"), token=token)
        assert result["steps"] == ["WRONG_PHASE", "ok"]
        assert (result["state"]["token"], result["state"]["a"]["owned"]) == (token, 17)


def test_a_dead_heat_of_slaps_on_different_piles_gives_each_the_own() -> None:
    result = judged(SLAP, slap(9, "b", "left"), slap(9, "a", "right"))
    assert (result["steps"], result["state"]["token"]) == (["ok", "ok"], "a")
    assert result["state"]["b"]["owned"] == 20


def test_who_of_the_two_stands_first_makes_no_difference_to_that() -> None:
    result = judged(SLAP, slap(9, "a", "right"), slap(9, "b", "left"))
    assert (result["steps"], result["state"]["b"]["owned"]) == (["ok", "ok"], 20)


def test_each_slap_of_such_a_dead_heat_is_answered_as_its_own() -> None:
    presses = [Written(0, "b", 9, 0, Slap("left")), Written(1, "a", 9, 0, Slap("right"))]
    match, answers, _ = judge_presses(WrittenCourt(), match_with(SLAP), presses)
    assert [(one.press.number, one.answer.action, one.answer.pile) for one in answers] == [
        (0, Slap("left"), "left"),
        (1, Slap("right"), "right"),
    ]
    assert [one.token_decided for one in answers] == [False, False]
    assert (match.hand_a.acted_ns, match.hand_b.acted_ns) == (9, 9)


def test_it_is_said_whether_the_token_decided() -> None:
    for action, decided in ((Play(1, "left"), True), (Play(2, "left"), False)):
        presses = [Written(0, "a", 9, 0, Play(1, "left")), Written(1, "b", 9, 0, action)]
        _, answers, _ = judge_presses(WrittenCourt(), match_with(RACE), presses)
        assert [one.token_decided for one in answers] == [decided, decided]
        assert {one.tied_with for one in answers} == set(presses)


def test_both_piles_by_one_hand_are_void_within_the_errors() -> None:
    result = judged(SLAP, slap(100, "a", "left", 30), slap(150, "a", "right", 20), slap(400, "b", "right"))
    assert result["steps"] == ["VOID", "VOID", "ok"]


def test_both_piles_by_one_hand_told_apart_are_a_slap_and_a_late_one() -> None:
    result = judged(SLAP, slap(100, "a", "left", 30), slap(151, "a", "right", 20))
    assert result["steps"] == ["ok", "WRONG_PHASE"]


def test_the_same_pile_twice_is_no_void_slap() -> None:
    assert judged(SLAP, slap(100, "a", "left"), slap(100, "a", "left"))["steps"] == ["ok", "WRONG_PHASE"]


def test_the_other_players_tied_slap_counts_when_a_hand_is_void() -> None:
    result = judged(SLAP, slap(9, "a", "left"), slap(9, "a", "right"), slap(9, "b", "left"))
    assert result["steps"] == ["VOID", "VOID", "ok"]
    assert result["state"]["b"]["owned"] == 20


def test_void_slaps_are_found_whatever_the_order_of_equal_times() -> None:
    slaps = [slap(9, "a", "left"), slap(9, "a", "right"), slap(9, "b", "left")]
    for steps in permutations(slaps):
        result = judged(SLAP, *steps)
        answers = {
            (step["player"], step["slap"]): answer for step, answer in zip(steps, result["steps"], strict=True)
        }
        assert answers == {("a", "left"): "VOID", ("a", "right"): "VOID", ("b", "left"): "ok"}
        assert result["state"]["b"]["owned"] == 20


def test_a_slap_locked_out_is_no_part_of_a_dead_heat() -> None:
    early = {"at_us": 0, "player": "a", "play": [1, "left"]}
    table = {
        "a": {"stock": [["6S"], [], [], [], []], "spit": ["4*??"]},
        "b": {"stock": [["4D"], ["??", "KD"], [], [], []], "spit": ["5*??"]},
        "left": ["19*??", "5H"],
        "right": ["18*??", "JD"],
    }
    delays: dict[str, Any] = {"slap_delay_ms": 100, "slap_grace_ms": 10, "slap_lockout_ms": 50}
    steps = [slap(50_000, "a", "left"), slap(120_000, "a", "left"), slap(120_000, "b", "left")]
    result = judged(table, early, *steps, **delays)
    assert result["steps"] == ["ok", "FALSE_START", "LOCKED_OUT", "ok"]
    assert result["state"]["b"]["owned"] == 8 + 21
