"""What the screen says: every refusal has its words, and times read well."""

from __future__ import annotations

import typing

import pytest

from cabinet.engine.actions import Refusal
from display import text


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
