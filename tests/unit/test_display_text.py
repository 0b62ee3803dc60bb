"""What the screen says: every refusal has its words, and times read well."""

from __future__ import annotations

import typing

import pytest

from cabinet.engine.actions import Choose, Play, Refusal, Slap
from cabinet.engine.rules import ARCADE, rules_from_options
from cabinet.engine.view import view_of
from cabinet.snapshot import Caption
from display import text
from tests.display_games import LAST_OF_SPEED, Told
from tests.tables import SLAP


def test_every_refusal_has_two_or_three_words() -> None:
    assert set(text.REFUSALS) == set(typing.get_args(Refusal))
    for words in text.REFUSALS.values():
        assert 1 <= len(words.split()) <= 3


@pytest.mark.parametrize(
    ("nanoseconds", "words"),
    [
        (30_000, "by 30 µs"),
        (100_000, "by 0.1 ms"),
        (1_300_000, "by 1.3 ms"),
        (99_940_000, "by 99.9 ms"),
        (312_000_000, "by 312 ms"),
    ],
)
def test_margins_are_said_in_milliseconds(nanoseconds: int, words: str) -> None:
    assert text.ahead(nanoseconds) == words


def test_a_lost_race_is_said_with_a_minus() -> None:
    assert text.behind(1_300_000) == "−1.3 ms"


def test_a_lost_dead_heat_is_said_as_one() -> None:
    assert text.behind(0) == "DEAD HEAT"
    assert text.behind(40_000) == "−40 µs", "never −0.0 ms"


def test_what_was_taken() -> None:
    assert text.took("left", 1) == "took LEFT: 1 card"
    assert text.took("right", 17) == "took RIGHT: 17 cards"
    assert text.took(None, 0) == "took nothing"


@pytest.mark.parametrize(("left", "words"), [(6_200_000_000, "7"), (1, "1"), (-5, "1"), (10_000_000_000, "10")])
def test_seconds_count_down_to_one(left: int, words: str) -> None:
    assert text.seconds(left) == words


CAPTIONS: tuple[Caption, ...] = typing.get_args(Caption)


def test_every_caption_of_a_lesson_has_a_few_large_words() -> None:
    assert set(text.CAPTIONS) == set(CAPTIONS)
    for words in (*text.CAPTIONS.values(), text.DRAW_CAPTION):
        assert words.isupper()
        assert 2 <= len(words.split()) <= 6
        assert len(words) <= 26, "so that it can be set large"


def test_captions_tell_the_chapters_of_each_game_apart() -> None:
    assert text.CAPTIONS["spit"] == text.CAPTIONS["slide"], "the same button, in two games"
    others = [words for key, words in text.CAPTIONS.items() if key != "slide"]
    assert len(set(others)) == len(others)


def test_a_lesson_says_whether_a_card_is_drawn_by_itself() -> None:
    by_hand = rules_from_options("speed", "arcade", {"draw": "manual"})
    by_itself = rules_from_options("speed", "arcade", {})
    assert text.caption("draw", by_hand) == "DRAW YOUR NEXT CARD"
    assert text.caption("draw", by_itself) == "A NEW CARD COMES BY ITSELF"
    assert text.caption("slap", ARCADE) == "SLAP THE SMALLER PILE"


def why(told: Told) -> str:
    view = view_of(told.match)
    assert view.winner == "a"
    return text.won_by(view)


def slapped(rules: dict[str, typing.Any], **table: typing.Any) -> Told:
    """Seat a slaps the smaller pile."""
    return Told.at(SLAP | table, **rules).wait(1_700).press("a", Slap("left"))


def test_why_a_match_was_won() -> None:
    speed = Told.at(LAST_OF_SPEED | {"score": {"a": 20, "b": 24}}, "speed").press("a", Play(1))
    assert why(speed) == "25 POINTS REACHED"
    assert why(slapped({"score": "points"}, score={"a": 60, "b": 90})) == "FEWER POINTS AT 100"
    assert why(slapped({}, round=7)) == "FEWER CARDS AFTER 7 ROUNDS"
    assert why(slapped({"cap_rounds": 1})) == "FEWER CARDS AFTER 1 ROUND"
    chosen = Told.at(SLAP | {"phase": "choose"}, slap="winner", cap_rounds=1).wait(600).press("a", Choose("left"))
    assert why(chosen) == "FEWER CARDS AFTER 1 ROUND"


def test_a_match_is_won_by_time_or_by_having_no_cards() -> None:
    by_time = slapped({"cap_rounds": 0, "cap_minutes": 1})
    assert by_time.match.winner is None, "the time is not up yet"
    later = Told.at(SLAP, cap_rounds=0, cap_minutes=1, slap_timeout_ms=0).wait(61_000).press("a", Slap("left"))
    assert why(later) == "FEWER CARDS AFTER 1 MINUTE"
    last = {
        "a": {"stock": [["5S"], [], [], [], []], "spit": []},
        "b": {"stock": [["9S"], ["??", "KC"], [], [], []], "spit": ["3*??"]},
        "left": None,
        "right": ["44*??", "6C"],
    }
    assert why(Told.at(last).press("a", Play(1))) == "NO CARDS LEFT"
