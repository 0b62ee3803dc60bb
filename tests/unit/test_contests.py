"""Contests: which presses contended, by how much, and how it was decided; and the line that the record keeps."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cabinet.contests import Contest
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import Seat
from cabinet.panel import Button
from cabinet.presses import SeatPress
from cabinet.record import Contended
from tests.game_desk import BOTH_ON_LEFT
from tests.recorded import ERR_NS, MS, US, Playing
from tests.tables import SLAP, match_with


def playing(table: dict[str, Any]) -> Playing:
    match = match_with(table)
    given = Playing(ARCADE, 1)
    given.session._state = type(given.session._state).of(replace(match, now_ns=given.session.match.now_ns))
    return given


def contested(one: Playing, *presses: SeatPress) -> tuple[Contest, ...]:
    return one.session.judge(presses).contests


def test_the_press_that_came_first_by_its_stamp_wins_by_the_distance_of_the_stamps() -> None:
    one = playing(BOTH_ON_LEFT)
    (contest,) = contested(one, one.at_button("b", "1"), one.at_button("a", "1", 400 * US))
    assert (contest.first.line, contest.second.line) == ("b.1", "a.1")
    assert (contest.margin_ns, contest.bound_ns, contest.decided_by) == (400 * US, 2 * ERR_NS, "stamps")


@pytest.mark.parametrize("token", ["a", "b"])
def test_stamps_within_their_errors_are_a_dead_heat_that_the_token_decides(token: str) -> None:
    one = playing({**BOTH_ON_LEFT, "token": token})
    (contest,) = contested(one, one.at_button("a", "1"), one.at_button("b", "1", 2 * ERR_NS))
    assert (contest.first.seat, contest.decided_by) == (token, "token")
    assert contest.margin_ns == (2 * ERR_NS if token == "a" else -2 * ERR_NS)


def test_a_late_press_loses_by_arrival_though_its_contact_closed_first() -> None:
    one = playing(BOTH_ON_LEFT)
    late = one.at_button("b", "1", 3 * MS, late_ns=20 * MS)
    (contest,) = contested(one, one.at_button("a", "1"), late)
    assert (contest.first.line, contest.margin_ns, contest.decided_by) == ("a.1", -17 * MS, "arrival")


def test_the_error_of_the_clocks_map_counts_between_two_clocks_only() -> None:
    def bounds(second_clock: str) -> tuple[int, int]:
        one = playing(BOTH_ON_LEFT)
        first = one.at_button("a", "1", clock="left pico")
        (contest,) = contested(one, first, one.at_button("b", "1", MS, clock=second_clock))
        return contest.err_ns(contest.first), contest.err_ns(contest.second)

    assert bounds("left pico") == (ERR_NS, ERR_NS)
    assert bounds("right pico") == (ERR_NS + 20 * US, ERR_NS + 20 * US)


def test_every_contest_of_a_step_is_found_and_not_the_last_alone() -> None:
    both = {
        "a": {"stock": [["8H"], ["3D"], ["KD"], [], []], "spit": ["5*??"]},
        "b": {"stock": [["6D"], ["AC"], ["KC"], [], []], "spit": ["5*??"]},
        "left": ["17*??", "7C"],
        "right": ["17*??", "2S"],
    }
    one = playing(both)
    pressed = [("a", "1", 0), ("b", "1", 1), ("a", "2", 200), ("b", "2", 202)]
    found = contested(one, *(one.at_button(seat, button, at * MS) for seat, button, at in pressed))  # type: ignore[arg-type]
    assert [(contest.first.line, contest.second.line) for contest in found] == [("a.1", "b.1"), ("a.2", "b.2")]
    assert [contest.margin_ns for contest in found] == [MS, 2 * MS]


def test_a_pause_between_two_presses_is_no_part_of_their_margin() -> None:
    one = playing(SLAP)
    contested(one, one.at_button("a", "1"))
    one.pause(5_000 * MS)
    (contest,) = contested(one, one.at_button("b", "1", 30 * MS))
    assert (contest.margin_ns, contest.decided_by) == (30 * MS, "stamps")


@pytest.mark.parametrize(
    ("seat", "button", "after_ns", "contests"),
    [
        ("b", "1", 1_000 * MS, 1),
        ("b", "1", 1_000 * MS + 1, 0),
        ("b", "3", 30 * MS, 0),
        ("a", "1", 30 * MS, 0),
    ],
)
def test_a_lost_slap_is_one_of_the_other_player_at_a_pile_within_a_second(
    seat: Seat, button: Button, after_ns: int, contests: int
) -> None:
    one = playing(SLAP)
    contested(one, one.at_button("a", "1"))
    assert len(contested(one, one.at_button(seat, button, after_ns))) == contests


def test_a_slap_that_was_won_is_contended_once() -> None:
    one = playing(SLAP)
    contested(one, one.at_button("a", "1"))
    assert len(contested(one, one.at_button("b", "1", 30 * MS))) == 1
    assert contested(one, one.at_button("b", "2", 60 * MS)) == ()


def test_two_presses_that_want_different_things_are_no_contest() -> None:
    one = playing(
        {
            "a": {"stock": [["8H"], ["KD"], [], [], []], "spit": ["5*??"]},
            "b": {"stock": [["3D"], ["KC"], [], [], []], "spit": ["5*??"]},
            "left": ["19*??", "7C"],
            "right": ["17*??", "2S"],
        }
    )
    assert contested(one, one.at_button("a", "1"), one.at_button("b", "1", 50 * US)) == ()


def test_the_record_keeps_both_stamps_their_errors_and_the_margin() -> None:
    one = playing(BOTH_ON_LEFT)
    at_ns = one.session.match.now_ns
    one.press(one.at_button("b", "1"), one.at_button("a", "1", 700 * US))
    (line,) = [line for line in one.lines if isinstance(line, Contended)]
    assert line == Contended(
        first="b.1",
        second="a.1",
        first_ns=at_ns,
        second_ns=at_ns + 700 * US,
        first_err_ns=ERR_NS,
        second_err_ns=ERR_NS,
        margin_ns=700 * US,
        decided_by="stamps",
    )
