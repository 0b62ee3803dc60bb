"""What many matches show: both seats are even, strengths are apart, and mashing does not pay."""

from __future__ import annotations

import pytest

from cabinet.engine.games import CATALOGUE, game_named
from cabinet.processes import cores
from cabinet.simulate.batch import Batch, play_batch
from cabinet.simulate.figures import Figures, chance_range
from cabinet.simulate.play import PlayerKind


def played(name: str, a: PlayerKind, b: PlayerKind, matches: int, *, takes_turns: bool = True) -> Figures:
    batch = Batch(rules=game_named(name).rules, a=a, b=b, matches=matches, seed=1, takes_turns=takes_turns)
    return play_batch(batch, cores())


def is_even(one: int, other: int) -> bool:
    """Whether chance alone would do that, all but once in 10,000 times."""
    fewest, most = chance_range(one + other)
    return fewest <= one <= most


# The seats


def assert_even_seats(figures: Figures) -> None:
    a, b = figures.a, figures.b
    assert is_even(a.wins, b.wins), (a.wins, b.wins)
    assert is_even(a.rounds_won, b.rounds_won), (a.rounds_won, b.rounds_won)
    assert is_even(a.smaller_piles, b.smaller_piles), (a.smaller_piles, b.smaller_piles)


def test_neither_seat_of_spit_wins_more_than_chance_gives_it() -> None:
    assert_even_seats(played("spit", "steady", "steady", 1_000, takes_turns=False))


@pytest.mark.long
@pytest.mark.parametrize("name", CATALOGUE)
def test_neither_seat_of_any_game_wins_more_than_chance_gives_it(name: str) -> None:
    assert_even_seats(played(name, "steady", "steady", 1_000, takes_turns=False))


# Strengths


@pytest.mark.parametrize("name", ["spit", "speed"])
@pytest.mark.parametrize(("stronger", "weaker"), [("quick", "steady"), ("steady", "gentle")])
def test_a_stronger_robot_wins_most_matches_and_yet_not_all(
    name: str, stronger: PlayerKind, weaker: PlayerKind
) -> None:
    matches = 100
    wins = played(name, stronger, weaker, matches).a.wins
    assert 0.65 * matches <= wins <= 0.95 * matches


# Mashing


MOST_ROUNDS_OF_A_MASHER = 0.40


def masher_share(name: str, matches: int, fewest_rounds: int) -> float:
    """The masher's share of the rounds that somebody won."""
    figures = played(name, "masher", "gentle", matches)
    rounds = figures.a.rounds_won + figures.b.rounds_won
    assert rounds >= fewest_rounds
    return figures.a.rounds_won / rounds


@pytest.mark.parametrize("name", ["spit", "four_piles", "pairs"])
def test_who_mashes_wins_few_rounds_even_against_the_weakest_robot(name: str) -> None:
    assert masher_share(name, 40, 150) < MOST_ROUNDS_OF_A_MASHER


@pytest.mark.long
@pytest.mark.parametrize("name", CATALOGUE)
def test_mashing_does_not_pay_in_any_game(name: str) -> None:
    assert masher_share(name, 80, 200) < MOST_ROUNDS_OF_A_MASHER
