"""What the game keeps of a match: photo finishes, signs and the record."""

from __future__ import annotations

import pytest

from cabinet import record
from cabinet.buttons.edges import HOST_CLOCK, Edge
from cabinet.engine.actions import PilesTaken, SaidReady
from tests.game_desk import BOTH_ON_LEFT, MS, Desk, S, lose_source
from tests.tables import PLAIN, SLAP


def test_a_slap_race_is_photographed_with_its_margin() -> None:
    desk = Desk(SLAP)
    desk.start_match()
    desk.tap("b.1", 10 * MS)
    desk.tap("a.2", 14_250_000)
    desk.wait(200 * MS)
    photo = desk.look().photo
    assert photo is not None
    assert (photo.first, photo.margin_ns, photo.decided_by) == ("b", 4_250_000, "stamps")
    assert desk.view().round == 2


def test_the_slap_that_ends_the_match_is_photographed_too() -> None:
    desk = Desk({**SLAP, "round": 7})
    desk.start_match()
    desk.tap("a.1", 10 * MS)
    desk.tap("b.1", 42 * MS)
    desk.wait(300 * MS)
    assert desk.look().scene == "result"
    photo = desk.look().photo
    assert photo is not None
    assert (photo.first, photo.margin_ns) == ("a", 32 * MS)
    ends = [line for line in desk.lines if isinstance(line, record.Ended | record.Pressed)]
    assert [type(line) for line in ends[-3:]] == [record.Pressed, record.Ended, record.Pressed]


@pytest.mark.parametrize(("line", "after_ms"), [("b.3", 20), ("b.spit", 20), ("b.1", 1_500)])
def test_a_press_that_was_no_slap_or_came_long_after_is_no_photo_finish(line: str, after_ms: int) -> None:
    desk = Desk(SLAP)
    desk.start_match()
    desk.tap("a.1", 10 * MS)
    desk.tap(line, (10 + after_ms) * MS)
    desk.wait(2 * S)
    assert desk.look().view is not None
    assert [sign.kind for sign in desk.signs("a.1")] == ["done"]
    assert not [snapshot for snapshot in desk.snapshots if snapshot.photo is not None]


def test_a_seat_made_ready_is_so_at_its_own_time_however_far_apart_the_steps_are() -> None:
    times = []
    for step_ms in (1, 7, 40):
        desk = Desk({**SLAP, "token": "a"}, ready_s=10)
        desk.start_match()
        desk.tap("b.1", 10 * MS)
        desk.wait(100 * MS)
        for _ in range(11_000 // step_ms):
            desk.cabinet.step(desk.now_ns + step_ms * MS)
        ready = [
            line.event.at_ns
            for line in desk.lines
            if isinstance(line, record.Happened) and isinstance(line.event, SaidReady)
        ]
        times.append(ready)
    assert len(times[0]) == 2
    assert times[0] == times[1] == times[2]


def test_a_match_that_is_switched_off_ends_its_record_without_a_result() -> None:
    desk = Desk(PLAIN)
    desk.start_match()
    desk.cabinet.game.close()
    desk.cabinet.game.close()
    assert [line.winner for line in desk.lines if isinstance(line, record.Ended)] == [None]


def test_a_flood_of_edges_does_not_hide_an_earlier_press() -> None:
    """All that was delivered when the sources were asked is taken in one step, however much it is."""
    desk = Desk(BOTH_ON_LEFT)
    desk.start_match()
    start_ns = desk.now_ns
    deliver = desk.cabinet.game.deliver
    for number in range(6_000):
        deliver(Edge(HOST_CLOCK, "service", number % 2 == 0, start_ns + number * 10_000, 0, number))
    for at_ms, line in ((52, "a.1"), (50, "b.1")):
        for closed, after_ns in ((True, 0), (False, 5 * MS)):
            deliver(Edge(HOST_CLOCK, line, closed, start_ns + at_ms * MS + after_ns, 100_000, 0))
    desk.cabinet.step(start_ns + 60 * MS)
    desk.wait(100 * MS)
    assert [sign.kind for sign in desk.signs("b.1")] == ["done"]
    assert [sign.behind_ns for sign in desk.signs("a.1")] == [2 * MS]


def test_a_robot_that_leaves_lets_go_of_its_buttons() -> None:
    for after_ms in range(0, 400, 40):
        desk = Desk()
        desk.wait(20 * S + after_ms * MS)
        desk.tap("a.1")
        desk.wait(300 * MS)
        assert desk.look().scene == "lobby"
        assert not [line for line in desk.cabinet.intake.pressed() if line.startswith("robot.")]


@pytest.mark.parametrize("step_ms", [1, 20, 40])
def test_what_a_press_means_at_a_change_of_scene_does_not_depend_on_the_steps(step_ms: int) -> None:
    desk = Desk()
    desk.start_against_robot()
    beat = desk.view().beat
    assert beat is not None
    turns_ns = beat.ends_ns + desk.look().match_offset_ns
    desk.tap("a.spit", turns_ns + 3 * MS - desk.now_ns)
    while desk.now_ns < turns_ns + 300 * MS:
        desk.cabinet.step(desk.now_ns + step_ms * MS)
    assert desk.look().seats_a.player == "robot"


def test_a_seat_taken_back_stands_in_the_record() -> None:
    desk = Desk()
    desk.start_against_robot()
    desk.tap("a.spit")
    desk.wait(500 * MS)
    seated = [line for line in desk.lines if isinstance(line, record.Seated)]
    assert [(line.seat, line.player) for line in seated] == [("a", "human")]


def test_the_machines_ready_is_no_press_of_the_players() -> None:
    desk = Desk({**SLAP, "token": "a"}, ready_s=1)
    desk.start_match()
    desk.tap("b.1")
    desk.wait(1_200 * MS)
    ready = [
        line.event
        for line in desk.lines
        if isinstance(line, record.Happened) and isinstance(line.event, SaidReady)
    ]
    assert [event.by_machine for event in ready] == [True, True]


def test_a_game_that_starts_anew_ends_the_match_in_its_record() -> None:
    desk = Desk(PLAIN)
    desk.start_match()
    desk.cabinet.game.start(desk.now_ns)
    assert [line.winner for line in desk.lines if isinstance(line, record.Ended)] == [None]


def test_a_press_whose_edge_came_too_late_is_a_contest_by_arrival_in_picture_and_record() -> None:
    desk = Desk(BOTH_ON_LEFT)
    desk.start_match()
    closed_ns = desk.now_ns + 10 * MS
    desk.tap("b.1", 11 * MS)
    desk.wait(100 * MS)
    desk.cabinet.game.deliver(Edge(HOST_CLOCK, "a.1", True, closed_ns, 100_000, 1_000))
    desk.wait(100 * MS)
    photo = desk.look().photo
    assert photo is not None
    assert (photo.first, photo.decided_by) == ("b", "arrival")
    (line,) = [line for line in desk.lines if isinstance(line, record.Contended)]
    assert (line.first, line.second, line.margin_ns, line.decided_by) == ("b.1", "a.1", -1 * MS, "arrival")


def test_slaps_in_one_instant_on_different_piles_are_no_contest() -> None:
    desk = Desk(SLAP)
    desk.start_match()
    desk.tap("a.1", 10 * MS)
    desk.tap("b.5", 10 * MS)
    desk.wait(200 * MS)
    assert desk.look().photo is None
    taken = [
        line.event
        for line in desk.lines
        if isinstance(line, record.Happened) and isinstance(line.event, PilesTaken)
    ]
    assert [(event.a, event.b, event.settled_by) for event in taken] == [("left", "right", None)]


def test_a_dead_heat_of_slaps_after_out_is_not_the_tokens() -> None:
    desk = Desk({**SLAP, "token": "b"})
    desk.start_match()
    desk.tap("b.1", 10 * MS)
    desk.tap("a.1", 10 * MS)
    desk.wait(200 * MS)
    photo = desk.look().photo
    assert photo is not None
    assert (photo.first, photo.decided_by) == ("a", "nobody")
    assert desk.view().token == "b"


def test_a_sign_tells_the_pile_of_a_play_that_named_none() -> None:
    desk = Desk(BOTH_ON_LEFT)
    desk.start_match()
    desk.tap("b.1", 10 * MS)
    desk.tap("a.1", 12 * MS)
    desk.wait(200 * MS)
    assert [sign.pile for sign in desk.signs("b.1")] == ["left"]
    assert [sign.pile for sign in desk.signs("a.1")] == ["left"]


def test_a_press_in_a_pause_does_not_put_off_the_question_whether_anybody_is_there() -> None:
    desk = Desk(PLAIN)
    desk.start_match()
    give_back = lose_source(desk)
    desk.wait(20 * S)
    give_back()
    desk.tap("a.3")
    desk.wait(200 * MS)
    desk.wait(49 * S)
    assert desk.look().still_there_until_ns is not None
