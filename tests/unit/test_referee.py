"""The referee: every scenario of tests/scenarios, and what it says of bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cabinet.referee import check_lines, result_of_line

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def scenario_lines() -> list[Any]:
    lines = []
    for file in sorted(SCENARIOS.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            scenario = json.loads(line)
            if scenario["game"] == "spit":
                lines.append(pytest.param(line, id=f"{scenario['id']} R{scenario['row']} {scenario['title']}"))
    return lines


@pytest.mark.parametrize("line", scenario_lines())
def test_scenario(line: str) -> None:
    assert check_lines([line]).failures == ()


def test_all_scenarios_are_there() -> None:
    assert len(scenario_lines()) >= 108 + 37


POSITION: dict[str, Any] = {
    "id": 7,
    "game": "spit",
    "profile": "table",
    "table": {
        "a": {"stock": [["8H"], ["??", "KD"], [], [], []], "spit": ["5*??"]},
        "b": {"stock": [["6D"], ["??", "KC"], [], [], []], "spit": ["5*??"]},
        "left": ["17*??", "7C"],
        "right": ["17*??", "2S"],
    },
}


def error_with(**table: Any) -> str:
    document = {**POSITION, "table": {**POSITION["table"], **table}}
    result = result_of_line(json.dumps(document))
    assert result["id"] == 7
    return str(result.get("error"))


def error_with_steps(*steps: dict[str, Any], **fields: Any) -> str:
    return str(result_of_line(json.dumps({**POSITION, "steps": list(steps), **fields})).get("error"))


def test_the_position_itself_is_good() -> None:
    assert "error" not in result_of_line(json.dumps(POSITION))


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ({"left": ["16*??", "7C"]}, "table: 51 cards"),
        ({"left": ["17*??", "8H"]}, "8H is there twice"),
        ({"left": ["17*??", "1C"]}, "table.left: '1C' is no card"),
        ({"left": ["99999999*??", "7C"]}, "table.left"),
        ({"left": ["17*??", "(7C)"]}, "table.left: parentheses"),
        ({"left": [], "right": ["35*??", "2S"]}, "table.left: is empty"),
        ({"left": None, "right": None}, "table"),
        ({"single": True}, "table.single"),
        ({"phase": "slap"}, "table.round_end"),
        ({"phase": "slap", "round_end": {"cause": "out", "player": "a"}}, "contradicts the stock of a"),
        ({"phase": "slap", "round_end": {"cause": "deadlock"}}, "no deadlock"),
        ({"phase": "choose", "round_end": {"cause": "deadlock"}}, "table.phase"),
        ({"round_end": {"cause": "out"}}, "table.round_end"),
        ({"phase": "over"}, "phase"),
        ({"cheat": 1}, "cheat"),
        ({"round": 0}, "round"),
        ({"a": {"stock": [["8H"], ["KD", "3D"], [], [], []], "spit": ["5*??"]}}, "an open card lies below"),
        ({"a": {"stock": [["8H"], ["3D", "(KD)"], [], [], []], "spit": ["5*??"]}}, "open card"),
        ({"a": {"stock": [["8H"], ["??", "(KD)"], [], [], []], "spit": ["5*??"]}}, "turn=auto"),
        ({"a": {"stock": [["8H"], ["??", "KD"], []], "spit": ["5*??"]}}, "table.a.stock: 3 piles"),
        ({"a": {"stock": [[], [], [], [], []], "spit": ["8*??"]}}, "table.a.stock"),
        ({"new_match": True}, "table.a"),
        ({"sets": {"a": 14}}, "table.a"),
    ],
)
def test_a_position_that_cannot_occur_is_named(table: dict[str, Any], names: str) -> None:
    assert names in error_with(**table)


@pytest.mark.parametrize(
    ("step", "names"),
    [
        ({"at_us": 1, "player": "a", "play": [6, "left"]}, "play: there is no stock pile 6"),
        ({"at_us": 1, "player": "a", "move": [1, 0]}, "move: there is no stock pile 0"),
        ({"at_us": 1, "player": "a", "draw": True}, "draw"),
        ({"at_us": 1, "player": "c", "spit": True}, "player"),
        ({"at_us": 1, "spit": True}, "player"),
        ({"at_us": 1, "player": "a", "wait": True}, "player"),
        ({"at_us": 1, "player": "a", "slap": "middle"}, "slap"),
        ({"at_us": 1, "player": "a", "slap": "left", "spit": True}, "found spit, slap"),
        ({"at_us": 1, "player": "a"}, "found none"),
        ({"at_us": 1, "player": "a", "ready": False}, "ready"),
        ({"at_us": -1, "wait": True}, "at_us"),
        ({"at_us": 1.5, "wait": True}, "at_us"),
        ({"wait": True}, "at_us"),
    ],
)
def test_a_step_that_cannot_be_is_named(step: dict[str, Any], names: str) -> None:
    assert names in error_with_steps(step)


def test_steps_go_by_time() -> None:
    assert "steps[1].at_us" in error_with_steps({"at_us": 9, "wait": True}, {"at_us": 8, "wait": True})


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"rules": {"jokers": True}}, "jokers"),
        ({"rules": {"slap_delay_ms": [9, 5]}}, "slap_delay_ms"),
        ({"rules": {"game": "spit"}}, "rules.game"),
        ({"profile": "pub"}, "profile"),
        ({"game": "whist"}, "game"),
        ({"table": 5}, "table"),
        ({"table": {}}, "table"),
        ({"table": {"sets": {"a": 30, "b": 30}}}, "table.sets"),
        ({"table": {"new_match": False}}, "table.new_match"),
    ],
)
def test_bad_fields_are_named(fields: dict[str, Any], names: str) -> None:
    assert names in error_with_steps(**fields)


@pytest.mark.parametrize("line", ["", "no", "[1]", "3", '{"id": 1}', '{"id": 2, "game": []}'])
def test_any_line_gets_an_answer(line: str) -> None:
    result = result_of_line(line)
    assert isinstance(result["error"], str)
    assert result["id"] in (None, 1, 2)


def test_the_checker_finds_what_differs() -> None:
    wrong = {**POSITION, "title": "t", "expect": {"state": {"left": {"top": "6S"}}}}
    verdict = check_lines([json.dumps(wrong), json.dumps({**wrong, "expect": {"state": {"left": {"top": "7C"}}}})])
    assert verdict.passed == 1
    assert [str(failure) for failure in verdict.failures] == ["7 (t): state.left.top: expected 6S, got 7C"]


def test_a_scenario_that_expects_nothing_checks_nothing() -> None:
    assert "expects nothing" in str(check_lines([json.dumps(POSITION)]).failures[0])


def test_a_lone_pair_in_a_one_pile_round_cannot_have_spit_cards_on_both_sides() -> None:
    assert "table.single" in error_with(left=["35*??", "7C"], right=None)


def test_events_are_told_in_words() -> None:
    steps = [{"at_us": 1000, "player": "a", "play": [1, None]}, {"at_us": 2000, "player": "b", "play": [1, None]}]
    state = result_of_line(json.dumps({**POSITION, "steps": steps}))["state"]
    assert state["events"] == [
        "a plays 8H from 1 on left",
        "b: stock 1 refused, NOT_ADJACENT, 1.0 ms behind",
    ]
