"""The referee answers whatever it is given: in JSON that anyone can read, and never with an exception."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cabinet.referee import check_lines, result_of_line

WORDS = [
    "id",
    "game",
    "spit",
    "speed",
    "hand",
    "draw",
    "side",
    "deal",
    "stack_equal",
    "profile",
    "table",
    "arcade",
    "rules",
    "steps",
    "new_match",
    "sets",
    "seed",
    "token",
    "score",
    "round",
    "a",
    "b",
    "left",
    "right",
    "stock",
    "lock",
    "single",
    "phase",
    "ready",
    "slap",
    "choose",
    "round_end",
    "cause",
    "out",
    "player",
    "at_us",
    "err_us",
    "play",
    "turn",
    "move",
    "wait",
    "expect",
    "state",
    "error",
    "??",
    "5*??",
    "8H",
    "(KD)",
]

TEXTS = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=()), max_size=4)
NUMBERS = st.integers() | st.integers(-(10**1_100), 10**1_100) | st.floats()
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=12,
)
SIDE = {"stock": [["8H"], ["??", "KD"], [], [], []], "spit": ["5*??"]}
TABLE = {"a": SIDE, "b": {**SIDE, "stock": [["6D"], ["??", "KC"], [], [], []]}, "left": ["17*??", "7C"],
         "right": ["17*??", "2S"]}  # fmt: skip
STEP = {"at_us": 5, "err_us": 1, "player": "a", "play": [1, "left"]}
SCENARIO = {"id": 1, "game": "spit", "profile": "arcade", "rules": {}, "table": TABLE, "steps": [STEP],
            "expect": {"steps": ["ok"], "state": {"round": 1}}, "title": "t"}  # fmt: skip
SPEED_TABLE = {"a": {"hand": ["6S", "9D", "KD", None, "JH"], "draw": ["2H", "9*??"]},
               "b": {"hand": ["4D", "8S", "TS", "TC", "3H"], "draw": ["10*??"]}, "left": ["1*??", "5H"],
               "right": ["QD"], "side": {"left": ["10*??"], "right": ["10*??"]}, "phase": "play"}  # fmt: skip
SPEED_SCENARIO = {**SCENARIO, "game": "speed", "rules": {"draw": "manual"}, "table": SPEED_TABLE,
                  "steps": [{"at_us": 5, "player": "a", "draw": True}]}  # fmt: skip


def answer(line: str | bytes) -> Any:
    """What stands in the output, read by someone who takes JSON at its word."""

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(json.dumps(result_of_line(line)), parse_constant=refuse)


def test_the_scenarios_themselves_are_good() -> None:
    assert check_lines([json.dumps(SCENARIO), json.dumps(SPEED_SCENARIO)]).failures == ()


@given(st.text(st.characters(exclude_categories=())) | st.binary() | VALUES.map(json.dumps))
def test_anything_at_all_gets_an_answer(line: str | bytes) -> None:
    result = answer(line)
    assert "id" in result
    assert "error" in result or "state" in result
    assert all("\n" not in str(failure) for failure in check_lines([line]).failures)


@given(st.data())
def test_a_scenario_with_one_value_changed_gets_an_answer(data: st.DataObject) -> None:
    scenario = json.loads(json.dumps(data.draw(st.sampled_from([SCENARIO, SPEED_SCENARIO]))))
    place: Any = scenario
    while True:
        key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        inner = place[key]
        if not inner or not isinstance(inner, dict | list) or data.draw(st.booleans()):
            place[key] = data.draw(VALUES)
            break
        place = inner
    line = json.dumps(scenario)
    result = answer(line)
    assert "error" in result or "state" in result
    verdict = check_lines([line])
    assert verdict.passed + len(verdict.failures) == 1
    assert all(str(failure).isprintable() for failure in verdict.failures)
