"""Short ways to put cards on a table, for tests. Cards are written as in SCENARIOS.md."""

from __future__ import annotations

from typing import Any

from cabinet.engine import judge
from cabinet.engine.match import Match
from cabinet.engine.rules import Rules
from cabinet.engine.table import View
from cabinet.engine.view import view_of
from cabinet.referee.position import match_at
from cabinet.referee.scenario import ScenarioInput, read_rules, read_scenario

PLAIN: dict[str, Any] = {
    "a": {"stock": [["8H"], ["3D"], ["??", "5D"], [], []], "spit": ["5*??"]},
    "b": {"stock": [["9S"], ["??", "KC"], [], [], []], "spit": ["5*??"]},
    "left": ["16*??", "7C"],
    "right": ["17*??", "2S"],
}
"""A can play 8H on left (7C) and 3D on right (2S); b can play nothing yet, but uncover a card."""

STUCK: dict[str, Any] = {
    "a": {"stock": [["KS"], ["7D"], ["JC"], ["3H"], ["9C"]], "spit": ["5*??"]},
    "b": {"stock": [["KD"], ["7H"], ["JS"], ["3S"], ["9D"]], "spit": ["5*??"]},
    "left": ["15*??", "5H"],
    "right": ["15*??", "5C"],
}

LONE: dict[str, Any] = {
    "a": {"stock": [["KS"], ["7D"], ["JC"], ["3H"], ["9C"]], "spit": []},
    "b": {"stock": [["KD"], ["7H"], ["JS"], ["3S"], ["9D"]], "spit": ["TH", "8S", "2H"]},
    "left": ["19*??", "5H"],
    "right": ["18*??", "5C"],
}
"""Stuck, and only b has spit cards."""

SLAP: dict[str, Any] = {
    "a": {"stock": [[], [], [], [], []], "spit": []},
    "b": {"stock": [["4D"], ["??", "KD"], [], [], []], "spit": []},
    "left": ["16*??", "6S"],
    "right": ["31*??", "JD"],
    "phase": "slap",
    "round_end": {"cause": "out", "player": "a"},
}


def match_with(table: dict[str, Any], profile: str = "arcade", **rules: Any) -> Match:
    scenario: ScenarioInput = read_scenario(
        {"game": "spit", "profile": profile, "rules": rules, "table": table, "steps": []}
    )
    read: Rules = read_rules(scenario)
    return judge.found_on_table(match_at(scenario.table, read)).match


def view_with(table: dict[str, Any], **rules: Any) -> View:
    return view_of(match_with(table, **rules))
