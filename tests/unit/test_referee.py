"""The referee: every scenario of tests/scenarios, and what it says of bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cabinet.referee import check_lines, result_of_line
from tests.tables import SLAP, SPEED

SCENARIOS = Path(__file__).parents[1] / "scenarios"


FILES = {"arcade": 39, "own": 109, "speed": 33, "spit": 108, "variants": 24}
"""The files of tests/scenarios, and how many scenarios each has."""


def scenario_lines() -> list[Any]:
    lines = []
    for name in FILES:
        for line in (SCENARIOS / f"{name}.jsonl").read_text().splitlines():
            scenario = json.loads(line)
            lines.append(pytest.param(line, id=f"{scenario['id']} R{scenario['row']} {scenario['title']}"))
    return lines


@pytest.mark.parametrize("line", scenario_lines())
def test_scenario(line: str) -> None:
    assert check_lines([line]).failures == ()


def test_all_scenarios_are_run() -> None:
    assert {file.stem for file in SCENARIOS.glob("*.jsonl")} == set(FILES)
    assert len(scenario_lines()) == sum(FILES.values())


def test_each_scenario_has_a_name_of_its_own() -> None:
    names = [json.loads(line.values[0])["id"] for line in scenario_lines()]
    assert len(set(names)) == len(names)


DAY_US = 86_400_000_000

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
        ({"left": None, "right": ["35*??", "2S"], "lock": {"a": "right"}}, "table.lock"),
        ({"lock": {"c": "left"}}, "lock"),
        ({"score": {"c": 1}}, "score"),
        ({"a": {"stock": [["8H"], ["??", "KD"], [], [], []], "spit": ["5*??"], "hand": []}}, "hand"),
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


@pytest.mark.parametrize("missing", ["a", "b"])
def test_both_players_must_be_there(missing: str) -> None:
    table = {name: zone for name, zone in POSITION["table"].items() if name != missing}
    assert "needs new_match, sets, or the zones" in error_with_steps(table=table)
    speed = {name: zone for name, zone in SPEED.items() if name != missing}
    assert "needs new_match, or the zones" in error_with_steps(game="speed", table=speed)


def test_a_race_for_one_pile_after_going_out_cannot_be() -> None:
    table = {**SLAP, "left": None, "right": ["48*??", "JD"]}
    assert "leaves nothing to slap" in error_with_steps(table=table)


@pytest.mark.parametrize(("sets", "a"), [({"a": 14}, 14), ({"b": 14}, 38), ({"a": 14, "b": 38}, 14), ({}, 26)])
def test_either_size_of_the_sets_may_be_left_out(sets: dict[str, int], a: int) -> None:
    state = result_of_line(json.dumps({**POSITION, "table": {"sets": sets}}))["state"]
    assert (state["a"]["owned"], state["b"]["owned"]) == (a, 52 - a)


def test_steps_go_by_time() -> None:
    assert "steps[1].at_us" in error_with_steps({"at_us": 9, "wait": True}, {"at_us": 8, "wait": True})


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"rules": {"jokers": True}}, "jokers"),
        ({"rules": {"slap_delay_ms": [9, 5]}}, "slap_delay_ms"),
        ({"rules": {"game": "spit"}}, "rules.game"),
        ({"profile": "pub"}, "profile"),
        ({"game": "whist"}, "game: 'whist' is not played here; allowed: spit, speed"),
        ({"game": 5}, "game"),
        ({"game": "speed"}, "stock"),
        ({"game": "speed", "table": {"a": {"hand": [], "draw": []}}}, "table.a.hand"),
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


def nested(depth: int, around: str = "@") -> str:
    return around.replace("@", "[" * depth + "]" * depth)


LONE_SURROGATE = "\ud800"

UNREADABLE: list[tuple[str | bytes, str]] = [
    ("[" * 100_000, "nested too deeply"),
    ('{"id": 1, "table": ' * 100_000, "nested too deeply"),
    (f'{{"id": {"9" * 5_000}}}', "digits"),
    (f'{{"id": 1, "x": -{"9" * 5_000}}}', "digits"),
    ('{"id": NaN}', "NaN is no number in JSON"),
    ('{"id": -Infinity}', "-Infinity is no number in JSON"),
    ('{"id": 1, "table": {"seed": NaN}}', "NaN is no number in JSON"),
    ('{"id": 1e999}', "1e999 is too large"),
    (b'{"id": "\xff"}', "not UTF-8"),
    (b"\xff\xfe{\x00}\x00", "not UTF-8"),
    ('{"id": [1]}', "id: a text or a number"),
    ('{"id": {"a": NaN}}', "NaN is no number in JSON"),
    (nested(900, '{"id": @}'), "id: a text or a number"),
]


@pytest.mark.parametrize(("line", "says"), UNREADABLE, ids=[says for _, says in UNREADABLE])
def test_a_line_that_is_no_scenario_at_all_is_told_and_has_no_id(line: str | bytes, says: str) -> None:
    result = result_of_line(line)
    assert result["id"] is None
    assert says in result["error"]
    verdict = check_lines([line, json.dumps({**POSITION, "expect": {"steps": []}})])
    assert verdict.passed == 1
    assert says in str(verdict.failures[0])


@pytest.mark.parametrize("scenario_id", [None, True, 7, 7.5, "SP-1", LONE_SURROGATE])
def test_an_id_that_can_be_read_stands_in_the_answer(scenario_id: object) -> None:
    assert result_of_line(json.dumps({**POSITION, "id": scenario_id}))["id"] == scenario_id
    assert result_of_line(json.dumps({"id": scenario_id}))["id"] == scenario_id


@pytest.mark.parametrize(
    "fields",
    [
        {"steps": [{"at_us": 1, "player": LONE_SURROGATE, "spit": True}]},
        {"table": {**POSITION["table"], LONE_SURROGATE: 1}},
        {"table": {**POSITION["table"], "phase": LONE_SURROGATE}},
        {"rules": {LONE_SURROGATE: 1}},
        {"rules": {"turn": LONE_SURROGATE}},
    ],
)
def test_half_a_character_is_an_error_like_any_other(fields: dict[str, Any]) -> None:
    result = result_of_line(json.dumps({**POSITION, **fields}))
    assert result["id"] == 7
    assert "half a character" in result["error"]


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"steps": [{"at_us": DAY_US + 1, "wait": True}]}, "steps[0].at_us"),
        ({"steps": [{"at_us": 10**30, "wait": True}]}, "steps[0].at_us"),
        ({"steps": [{"at_us": 1, "err_us": DAY_US + 1, "player": "a", "spit": True}]}, "steps[0].err_us"),
        ({"table": {"new_match": True, "seed": 2**63}}, "table.seed"),
        ({"table": {"new_match": True, "seed": -(10**30)}}, "table.seed"),
        ({"table": {"new_match": True, "round": 1_000_001}}, "table.round"),
        ({"table": {"new_match": True, "score": {"a": 10**900}}}, "table.score.a"),
        ({"table": {**POSITION["table"], "left": ["99*??"] * 53}}, "table.left"),
    ],
)
def test_numbers_and_lists_beyond_all_sense_are_named(fields: dict[str, Any], names: str) -> None:
    result = result_of_line(json.dumps({**POSITION, **fields}))
    assert result["id"] == 7
    assert names in result["error"]


def test_a_whole_day_may_pass() -> None:
    line = json.dumps({**POSITION, "profile": "arcade", "steps": [{"at_us": DAY_US, "wait": True}]})
    assert result_of_line(line)["steps"] == ["ok"]


def test_a_failure_is_one_line_whatever_the_title_holds() -> None:
    wrong = {**POSITION, "id": LONE_SURROGATE, "title": "two\nlines \x1b[2J ×", "expect": {"steps": ["ok"]}}
    (failure,) = check_lines([json.dumps(wrong)]).failures
    assert str(failure) == "\\ud800 (two\\nlines \\x1b[2J ×): steps: expected ['ok'], got []"


def test_an_expectation_nested_too_deeply_is_a_failure_and_the_next_line_is_read() -> None:
    deep = json.dumps({**POSITION, "expect": {"state": "@"}}).replace('"@"', '{"a":' * 950 + "1" + "}" * 950)
    good = json.dumps({**POSITION, "expect": {"steps": []}})
    verdict = check_lines([deep, good])
    assert (verdict.passed, len(verdict.failures)) == (1, 1)


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


def test_a_mistyped_expectation_is_a_failure() -> None:
    line = json.dumps({**POSITION, "expect": {"stat": {}}})
    assert "expect: unknown stat" in str(check_lines([line]).failures[0])
