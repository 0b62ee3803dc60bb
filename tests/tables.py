"""Short ways to put cards on a table, for tests. Cards are written as in SCENARIOS.md."""

from __future__ import annotations

from typing import Any

from cabinet.engine import judge
from cabinet.engine.match import Match
from cabinet.engine.rules import GameKind
from cabinet.engine.table import View
from cabinet.engine.view import view_of
from cabinet.referee.position import match_at
from cabinet.referee.scenario import read_game, read_scenario

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


SPEED: dict[str, Any] = {
    "a": {"hand": ["6S", "9D", "KD", "2C", "JH"], "draw": ["2H", "9*??"]},
    "b": {"hand": ["4D", "8S", "TS", "TC", "3H"], "draw": ["10*??"]},
    "left": ["5H"],
    "right": ["QD"],
    "side": {"left": ["10*??"], "right": ["10*??"]},
}
"""a can play 6S on left (5H), KD and JH on right (QD); b can play 4D on left."""

SPEED_STUCK: dict[str, Any] = {
    "a": {"hand": ["8D", "TD", "3C", "TH", "3D"], "draw": ["10*??"]},
    "b": {"hand": ["8C", "TS", "TC", "3H", "8H"], "draw": ["10*??"]},
    "left": ["6D"],
    "right": ["6S"],
    "side": {"left": ["9*??", "QH"], "right": ["9*??", "2S"]},
}
"""Nobody can play; the cards that slide are QH and 2S."""


def spit_with(
    a: list[list[str]], b: list[list[str]], a_spit: list[str], b_spit: list[str], **table: Any
) -> dict[str, Any]:
    """A table of Spit; unless said otherwise the rest of the pack lies under the two tops, 5H and 5C."""
    rest = 52 - 2 - sum(_count(card) for zone in (*a, *b, a_spit, b_spit) for card in zone)
    return {
        "a": {"stock": a, "spit": a_spit},
        "b": {"stock": b, "spit": b_spit},
        "left": [f"{rest // 2}*??", "5H"],
        "right": [f"{rest - rest // 2}*??", "5C"],
        **table,
    }


def _count(card: str) -> int:
    return int(card.split("*", maxsplit=1)[0]) if "*" in card else 1


def match_with(table: dict[str, Any], profile: str = "arcade", game: GameKind = "spit", **rules: Any) -> Match:
    """The match at a position written as in SCENARIOS.md, tested for stuck."""
    scenario = read_scenario({"game": game, "profile": profile, "rules": rules, "table": table, "steps": []})
    return judge.found_on_table(match_at(scenario.table, read_game(scenario).rules)).match


def view_with(table: dict[str, Any], **rules: Any) -> View:
    """What a screen sees of that match."""
    return view_of(match_with(table, **rules))
