"""The computer player: when it presses what it wants, and what it makes of frames that come meanwhile."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from cabinet.engine.actions import Play
from cabinet.players.robot import (
    BETWEEN_TAPS_NS,
    LEAST_REACTION_NS,
    RETRY_NS,
    SKILLS,
    Contact,
    Robot,
    Strength,
)
from cabinet.players.tactics import sensible_actions
from tests.tables import PLAIN, view_with

MS = 1_000_000
CAREFUL = replace(SKILLS["steady"], form=0.0, misreads=0.0, miscounts=0.0)


def robot(seat: str = "a", seed: int = 1) -> Robot:
    return Robot("a" if seat == "a" else "b", CAREFUL, Random(seed))


def contacts(player: Robot, until_ns: int, step_ns: int = 5 * MS) -> list[Contact]:
    return [contact for now_ns in range(0, until_ns, step_ns) for contact in player.contacts_until(now_ns)]


def planned_ns(player: Robot, now_ns: int = 0) -> int:
    """When the robot, having looked at the frames up to `now_ns`, will press."""
    player.contacts_until(now_ns)
    next_ns = player.next_ns()
    assert next_ns is not None
    return next_ns


@pytest.mark.parametrize("strength", ["gentle", "steady", "quick"])
def test_no_press_comes_before_a_person_could_react(strength: Strength) -> None:
    for seed in range(200):
        player = Robot("a", SKILLS[strength], Random(seed))
        player.see(view_with(PLAIN), 0, shown_ns=50 * MS)
        assert planned_ns(player, 50 * MS) >= 50 * MS + LEAST_REACTION_NS


def test_stronger_robots_are_faster() -> None:
    def median_ns(strength: Strength) -> int:
        times = []
        for seed in range(301):
            player = Robot("a", SKILLS[strength], Random(seed))
            player.see(view_with(PLAIN), 0, 0)
            times.append(planned_ns(player))
        return sorted(times)[150]

    assert median_ns("gentle") > median_ns("steady") > median_ns("quick")


NOTHING_FITS = {**PLAIN, "left": ["16*??", "KH"], "right": ["17*??", "QC"]}


def test_a_robot_thinks_anew_when_the_table_changed_while_it_was_thinking() -> None:
    player = robot()
    player.see(view_with(PLAIN), 0, 0)
    changed_ns = planned_ns(player) - LEAST_REACTION_NS
    assert contacts(player, changed_ns) == []
    player.see(view_with(NOTHING_FITS), 0, changed_ns)
    assert planned_ns(player, changed_ns) >= changed_ns + LEAST_REACTION_NS
    closed = [contact.button for contact in contacts(player, changed_ns + 3_000 * MS) if contact.closed]
    assert closed[:1] == ["4"]


def test_a_frame_too_young_to_react_to_neither_stops_nor_changes_a_press() -> None:
    for early_ns in (-15 * MS, 1, LEAST_REACTION_NS - 1):
        player = robot()
        player.see(view_with(PLAIN), 0, 0)
        press_ns = planned_ns(player)
        player.see(view_with(NOTHING_FITS), 0, press_ns - early_ns)
        first = next(contact for contact in contacts(player, press_ns + 50 * MS, MS) if contact.closed)
        assert (first.at_ns, first.button) == (press_ns, "2")


def test_after_such_a_press_the_robot_thinks_of_what_it_saw_meanwhile() -> None:
    player = robot()
    player.see(view_with(PLAIN), 0, 0)
    press_ns = planned_ns(player)
    player.see(view_with(NOTHING_FITS), 0, press_ns - 50 * MS)
    closed = [contact for contact in contacts(player, press_ns + 4_000 * MS) if contact.closed]
    assert [contact.button for contact in closed[:2]] == ["2", "4"]
    assert closed[1].at_ns >= press_ns - 50 * MS + LEAST_REACTION_NS


def test_spit_is_held_only_for_piles_that_were_seen() -> None:
    both = {
        **PLAIN,
        "a": {"stock": [["6S"], ["KD"], ["??", "5D"], [], []], "spit": ["5*??"]},
        "left": ["16*??", "9C"],
        "right": ["17*??", "5H"],
    }
    player = robot()
    player.see(view_with(both), 0, 0)
    press_ns = planned_ns(player)
    player.see(view_with({**both, "left": ["16*??", "5C"]}), 0, press_ns + 15 * MS)
    assert [contact.button for contact in contacts(player, press_ns + 10 * MS, MS)] == ["1"]


def test_a_change_that_leaves_its_plan_good_does_not_slow_it_down() -> None:
    player = robot()
    player.see(view_with(PLAIN), 0, 0)
    press_ns = planned_ns(player)
    player.see(replace(view_with(PLAIN), b=replace(view_with(PLAIN).b, is_ready=True)), 0, 100 * MS)
    assert planned_ns(player, 100 * MS) == press_ns


def test_equally_good_plays_go_to_the_own_side_in_both_seats() -> None:
    table = {
        "a": {"stock": [["6S"], ["??", "KD"], [], [], []], "spit": ["5*??"]},
        "b": {"stock": [["6D"], ["??", "KC"], [], [], []], "spit": ["5*??"]},
        "left": ["17*??", "5C"],
        "right": ["17*??", "5H"],
    }
    view = view_with(table)
    assert sensible_actions(view, "a")[0] == Play(1, "left")
    assert sensible_actions(view, "b")[0] == Play(1, "right")


def test_a_move_is_two_taps_a_finger_apart() -> None:
    table = {**PLAIN, "a": {"stock": [["KH"], [], ["??", "JD"], ["9D"], []], "spit": ["6*??"]}}
    player = robot()
    player.see(view_with({**table, "left": ["17*??", "5C"], "right": ["15*??", "5S"]}), 0, 0)
    closed = [contact for contact in contacts(player, 10_000 * MS) if contact.closed]
    assert [contact.button for contact in closed[:2]] == ["2", "3"]
    assert closed[1].at_ns - closed[0].at_ns == BETWEEN_TAPS_NS


def test_every_contact_that_closes_opens_again() -> None:
    player = robot()
    player.see(view_with(PLAIN), 0, 0)
    moves = contacts(player, 4_000 * MS)
    assert [contact.closed for contact in moves[:2]] == [True, False]
    assert moves == sorted(moves, key=lambda contact: contact.at_ns)


def test_a_press_that_changed_nothing_is_tried_again() -> None:
    player = robot()
    player.see(view_with(PLAIN), 0, 0)
    first_ns = player.next_ns() or 0
    closed = [
        contact.at_ns for contact in contacts(player, first_ns + 2 * RETRY_NS + 3_000 * MS) if contact.closed
    ]
    assert len(closed) >= 2
    assert closed[1] - closed[0] >= RETRY_NS


def test_a_locked_robot_waits_for_the_end_of_its_lock() -> None:
    view = view_with(PLAIN)
    player = robot()
    player.see(replace(view, a=replace(view.a, locked_until_ns=5_000 * MS)), 1_000 * MS, 0)
    assert planned_ns(player) > 6_000 * MS


def test_the_same_random_plays_the_same() -> None:
    runs = []
    for _ in range(2):
        player = robot(seed=9)
        player.see(view_with(PLAIN), 0, 0)
        runs.append(contacts(player, 5_000 * MS))
    assert runs[0] == runs[1]
