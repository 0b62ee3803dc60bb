"""What holds for every race, however it is drawn."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cabinet.bench.fairness.cabinet_path import CabinetPath
from cabinet.bench.fairness.races import Race, RaceMaker
from cabinet.engine.table import OTHER_SEAT, Seat

SEEDS = st.integers(0, 1 << 32)
SEATS: st.SearchStrategy[Seat] = st.sampled_from(("a", "b"))


def races_of(seed: int, *, is_calm: bool) -> list[Race]:
    maker = RaceMaker(Random(seed), is_calm=is_calm)
    return [maker.race() for _ in range(12)]


@settings(max_examples=60, deadline=None)
@given(SEEDS, SEEDS, SEATS, st.booleans())
def test_when_the_seats_of_all_races_are_swapped_so_are_the_results(
    drawn: int, rounds: int, token: Seat, is_calm: bool
) -> None:
    races = races_of(drawn, is_calm=is_calm)
    path = CabinetPath(Random(rounds), token=token)
    mirror = CabinetPath(Random(rounds), token=OTHER_SEAT[token])
    for race in races:
        straight, swapped = path.decide(race), mirror.decide(race.swapped())
        assert straight.winner is not None
        assert swapped.winner == OTHER_SEAT[straight.winner]
        assert replace(swapped, winner=straight.winner) == straight


@settings(max_examples=60, deadline=None)
@given(SEEDS, SEEDS, st.booleans())
def test_what_the_stamps_tell_apart_and_comes_in_time_goes_to_who_closed_first(
    drawn: int, rounds: int, is_calm: bool
) -> None:
    path = CabinetPath(Random(rounds))
    for race in races_of(drawn, is_calm=is_calm):
        decision = path.decide(race)
        assert decision.claim == "late" or (decision.claim == "told_apart") == race.is_told_apart
        assert not (is_calm and decision.claim == "late")
        if decision.claim == "told_apart":
            assert decision.winner == race.winner
        assert decision.by_token == (decision.claim == "level") or decision.claim == "late"


@settings(max_examples=40, deadline=None)
@given(SEEDS, SEEDS, SEEDS)
def test_the_rounds_of_the_game_change_no_decision_of_races_in_time(drawn: int, one: int, other: int) -> None:
    races = races_of(drawn, is_calm=True)
    first, second = CabinetPath(Random(one), token="a"), CabinetPath(Random(other), token="a")
    assert [first.decide(race) for race in races] == [second.decide(race) for race in races]
