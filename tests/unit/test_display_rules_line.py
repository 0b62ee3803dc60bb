"""A game's line of rules is made from its options, so it is true of every game, an owner's own included."""

from __future__ import annotations

import itertools
from typing import Any

import pygame
import pytest

from cabinet.engine.games import CATALOGUE, Game, game_named
from cabinet.engine.rules import ARCADE, GameKind, Rules, rules_from_options
from display import rules_line, text
from display.layout import SMALLEST_TEXT, layout_for
from display.lobby_layout import LINE_STEP, LONG_RULES_PX, RULES_PX, lobby_layout, rules_lines
from display.type import Type
from tests.display_games import all_rules

SIZES = [(1_024, 720), (1_024, 768), (1_280, 720), (1_280, 1_024), (1_920, 1_080), (2_560, 1_440)]


def line(game: GameKind = "spit", **options: Any) -> str:
    return rules_line.DOT.join(rules_line.clauses(rules_from_options(game, "arcade", options)))


def test_the_line_of_spit_and_of_speed() -> None:
    assert line() == "One up or one down · slap the smaller pile · no cards left wins"
    assert line("speed") == "One up or one down · 15 cards each · 1 point per card left · 25 points win"


@pytest.mark.parametrize(
    ("game", "options", "clause"),
    [
        ("spit", {"colours": "alternate"}, "in the other colour"),
        ("spit", {"pairs": True}, "or equal"),
        ("spit", {"stock": 4}, "four piles"),
        ("spit", {"stack_equal": True}, "stack equals"),
        ("spit", {"turn": "manual"}, "turn by hand"),
        ("spit", {"slap": "winner"}, "first out picks a pile"),
        ("spit", {"score": "points"}, "low wins at 100"),
        ("spit", {"score": "points", "points_target": 60}, "low wins at 60"),
        ("spit", {"cap_rounds": 3}, "at most 3 rounds or 8 min"),
        ("spit", {"cap_rounds": 1, "cap_minutes": 0}, "at most 1 round"),
        ("spit", {"cap_rounds": 0, "cap_minutes": 20}, "at most 20 min"),
        ("speed", {"colours": "alternate", "pairs": True}, "One up, down or equal in the other colour"),
        ("speed", {"deal": 20}, "20 cards each"),
        ("speed", {"draw": "manual"}, "draw by hand"),
        ("speed", {"hands": "hidden"}, "hidden hands"),
        ("speed", {"speed_score": "stock"}, "1 point per undrawn card"),
        ("speed", {"speed_target": 1}, "1 point wins"),
    ],
)
def test_each_option_says_its_rule_and_only_then(game: GameKind, options: dict[str, Any], clause: str) -> None:
    assert clause in line(game, **options)
    assert clause not in line(game)


def test_what_does_not_hold_is_not_said() -> None:
    assert "slap" not in line(slap="winner")
    assert "no cards" not in line(score="points")
    assert "at most" not in line(cap_rounds=0, cap_minutes=0)
    assert "at most" not in line(cap_rounds=3, score="points"), "a series of points has no cap (C23)"


def test_options_of_the_other_game_change_nothing() -> None:
    others: dict[str, Any] = {"deal": 20, "draw": "manual", "hands": "hidden", "speed_target": 7}
    assert line(**others) == line()
    spit = {
        "stock": 4,
        "stack_equal": True,
        "turn": "manual",
        "slap": "winner",
        "score": "points",
        "cap_rounds": 2,
    }
    assert line("speed", **spit) == line("speed")


def test_different_rules_have_different_lines() -> None:
    lines = [rules_line.clauses(rules) for rules in all_rules()]
    assert len(lines) > 150
    assert len(set(lines)) == len(lines)


def widest() -> list[Rules]:
    """With the longest numbers."""
    most: dict[str, Any] = {
        "points_target": 1_000,
        "cap_rounds": 1_000,
        "cap_minutes": 1_440,
        "speed_target": 1_000,
    }
    return [
        rules_from_options(
            rules.game,
            "arcade",
            {name: getattr(rules, name) for name in rules.__struct_fields__ if name not in ("game", *most)} | most,
        )
        for rules in all_rules()
    ]


@pytest.mark.parametrize("size", SIZES)
def test_every_line_fits_its_box_and_can_be_read(size: tuple[int, int]) -> None:
    pygame.font.init()
    layout, type_ = layout_for(*size), Type()
    box, most = lobby_layout(layout).rules, rules_lines(layout)
    sizes = (layout.text_px(RULES_PX), layout.text_px(LONG_RULES_PX))
    for rules in widest():
        px, found = rules_line.fitted_lines(
            rules_line.clauses(rules), sizes, most, lambda words, px: type_.width(words, px) <= box.w
        )
        assert px >= SMALLEST_TEXT
        assert len(found) <= most, found
        assert len(found) * round(px * LINE_STEP) <= box.h
        assert all(type_.width(words, px) <= box.w for words in found), found


def test_lines_are_broken_only_between_clauses_and_lose_none() -> None:
    parts = ("One up or one down", "four piles", "slap the smaller pile")
    found = rules_line.lines(parts, lambda words: len(words) <= 31)
    assert found == ("One up or one down · four piles", "slap the smaller pile")
    assert rules_line.lines(parts, lambda words: len(words) <= 5) == parts
    assert rules_line.lines(parts, lambda words: len(words) < 100) == (" · ".join(parts),)


def test_every_game_of_the_catalogue_has_a_name_and_an_own_game_keeps_its_own() -> None:
    assert set(text.GAME_NAMES) == set(CATALOGUE)
    names = [text.game_name(game_named(name)) for name in CATALOGUE]
    assert len(set(names)) == len(names)
    assert all("_" not in name and name.isupper() for name in names)
    assert text.game_name(Game("Friday night", ARCADE)) == "Friday night"


def test_attract_adds_the_name_only_of_games_that_are_not_plain_spit_or_speed() -> None:
    subtitles = {name: text.game_subtitle(game_named(name)) for name in CATALOGUE}
    assert subtitles.pop("spit") is subtitles.pop("speed") is None
    assert all(subtitles.values())


@pytest.mark.parametrize("names", [list(itertools.islice(CATALOGUE, 8))])
def test_no_name_is_too_long_for_the_lobby(names: list[str]) -> None:
    pygame.font.init()
    type_, layout = Type(), layout_for(1_024, 720)
    box = lobby_layout(layout).name
    for name in [*names, "W" * 16, "An owner's game: 24 long"]:
        words = text.GAME_NAMES.get(name, name)
        px = type_.fitting_px(words, layout.text_px(124), "heavy", box.w)
        assert type_.width(words, px, "heavy") <= box.w
        assert px >= SMALLEST_TEXT
