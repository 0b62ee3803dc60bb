"""The game on mock pins and a virtual clock: what people do at the panel, and what the snapshots say of it."""

from __future__ import annotations

import pytest

from cabinet import record
from cabinet.engine.table import SEATS
from cabinet.panel import BUTTONS, line_of
from cabinet.snapshot import Trouble
from tests.game_desk import BOTH_ON_LEFT, MS, Desk, S, lose_source
from tests.tables import PLAIN

# From attract to play


def test_two_people_are_playing_four_presses_after_attract() -> None:
    desk = Desk()
    assert desk.look().scene == "attract"
    assert desk.look().view is not None
    desk.start_match()
    assert desk.look().scene == "match"
    assert desk.view().beat is not None
    desk.wait(2 * S)
    assert desk.view().phase == "play"


def test_the_title_is_played_behind_by_two_robots() -> None:
    desk = Desk()
    desk.wait(30 * S)
    view = desk.look().view
    assert view is not None
    assert view.phase in ("play", "slap", "ready")
    assert desk.look().happenings
    assert desk.lines == []


def test_a_person_alone_gets_a_robot_that_plays() -> None:
    desk = Desk()
    desk.start_against_robot()
    assert (desk.look().scene, desk.look().seats_a.player) == ("match", "robot")
    desk.wait(20 * S)
    pressed = [line for line in desk.lines if isinstance(line, record.Pressed)]
    assert {line.button[0] for line in pressed} == {"a"}
    assert any(line.action is not None and line.refusal is None for line in pressed)


def test_start_at_the_robots_seat_takes_it_back_before_the_first_card() -> None:
    desk = Desk()
    desk.start_against_robot()
    desk.tap("a.spit")
    desk.wait(500 * MS)
    assert desk.look().seats_a.player == "human"
    desk.wait(15 * S)
    assert all(line.button[0] != "a" for line in desk.lines if isinstance(line, record.Pressed))


def test_after_the_first_card_the_robots_seat_stays_the_robots() -> None:
    desk = Desk()
    desk.start_against_robot()
    desk.wait(3 * S)
    desk.tap("a.spit")
    desk.wait(500 * MS)
    assert desk.look().seats_a.player == "robot"


# Races


def test_the_first_contact_wins_by_its_stamp_whatever_the_seat() -> None:
    for first, second in (("a.1", "b.1"), ("b.1", "a.1")):
        desk = Desk(BOTH_ON_LEFT)
        desk.start_match()
        desk.tap(first, 10 * MS)
        desk.tap(second, 11_300_000)
        desk.wait(200 * MS)
        assert [sign.kind for sign in desk.signs(first)] == ["done"]
        (lost,) = desk.signs(second)
        assert (lost.kind, lost.reason, lost.behind_ns) == ("refused", "NOT_ADJACENT", 1_300_000)
        photo = desk.look().photo
        assert photo is not None
        assert (photo.first, photo.margin_ns, photo.decided_by) == (first[0], 1_300_000, "stamps")


def test_bounce_does_not_change_who_was_first() -> None:
    desk = Desk(BOTH_ON_LEFT)
    desk.start_match()
    desk.tap("a.1", 10 * MS, [[0, 1], [300, 0], [2_100, 1], [2_500, 0], [6_400, 1], [70_000, 0]])
    desk.tap("b.1", 10_500_000)
    desk.wait(200 * MS)
    assert [sign.kind for sign in desk.signs("a.1")] == ["done"]
    assert [sign.behind_ns for sign in desk.signs("b.1")] == [500_000]


@pytest.mark.parametrize("token", ["a", "b"])
def test_in_a_dead_heat_the_token_decides_and_passes(token: str) -> None:
    desk = Desk({**BOTH_ON_LEFT, "token": token})
    desk.start_match()
    other = "b" if token == "a" else "a"
    desk.tap(f"{other}.1", 10 * MS)
    desk.tap(f"{token}.1", 10_100_000)
    desk.wait(200 * MS)
    assert [sign.kind for sign in desk.signs(f"{token}.1")] == ["done"]
    assert [sign.kind for sign in desk.signs(f"{other}.1")] == ["refused"]
    photo = desk.look().photo
    assert photo is not None
    assert (photo.decided_by, photo.first) == ("token", token)
    assert desk.view().token == other


def test_spit_held_takes_the_other_pile() -> None:
    table = {
        **PLAIN,
        "a": {"stock": [["6S"], ["KD"], ["??", "5D"], [], []], "spit": ["5*??"]},
        "left": ["16*??", "5C"],
        "right": ["17*??", "5H"],
    }
    desk = Desk(table)
    desk.start_match()
    desk.tap("a.spit", 10 * MS, [[0, 1], [400_000, 0]])
    desk.tap("a.1", 200 * MS)
    desk.wait(500 * MS)
    played = [line.action for line in desk.lines if isinstance(line, record.Pressed) and line.button == "a.1"]
    assert [getattr(action, "pile", None) for action in played] == ["right"]


# Hands on everything


def test_somebody_leaning_on_all_buttons_presses_each_once() -> None:
    desk = Desk(PLAIN)
    desk.start_match()
    lines = [line_of(seat, button) for seat in SEATS for button in BUTTONS[:6]]
    before = {line: len(desk.signs(line)) for line in lines}
    for line in lines:
        desk.hold(line)
    desk.wait(14 * S)
    assert {line: len(desk.signs(line)) - before[line] for line in lines} == dict.fromkeys(lines, 1)
    assert desk.look().scene == "match"


def test_a_button_held_longer_than_fifteen_seconds_is_named_and_the_game_goes_on_without_it() -> None:
    desk = Desk(PLAIN)
    desk.start_match()
    desk.hold("a.spit")
    desk.wait(16 * S)
    assert desk.look().seats_a.stuck_lines == ("a.spit",)
    desk.tap("b.2")
    desk.wait(200 * MS)
    assert desk.signs("b.2")
    desk.cabinet.board.change("a.spit", False, desk.now_ns)
    desk.wait(500 * MS)
    assert desk.look().seats_a.stuck_lines == ()


# Nobody there, nothing there


def test_people_who_walk_away_are_asked_and_then_it_is_attract_again() -> None:
    desk = Desk(PLAIN, away_s=45, still_there_s=10)
    desk.start_match()
    desk.wait(46 * S)
    assert desk.look().still_there_until_ns is not None
    desk.wait(10 * S)
    assert desk.look().scene == "attract"
    ends = [line for line in desk.lines if isinstance(line, record.Ended)]
    assert [end.winner for end in ends] == [None]


def test_a_match_is_held_while_its_buttons_are_gone_and_loses_no_time() -> None:
    desk = Desk(PLAIN)
    desk.start_match()
    view = desk.look().view
    assert view is not None
    give_back = lose_source(desk)
    desk.wait(20 * S)
    assert desk.look().paused_since_ns is not None
    assert [trouble.text for trouble in desk.look().troubles if trouble.pauses_game] == [
        "The plug is out: put it back."
    ]
    give_back()
    back_ns = desk.now_ns
    desk.wait(200 * MS)
    goes_on_ns = desk.look().goes_on_ns
    assert goes_on_ns is not None
    assert 0 <= goes_on_ns - back_ns - 3 * S <= 10 * MS
    desk.tap("b.1")
    desk.wait(2_700 * MS)
    assert desk.look().paused_since_ns is not None
    desk.wait(150 * MS)
    assert (desk.look().paused_since_ns, desk.look().goes_on_ns) == (None, None)
    assert not [line for line in desk.lines if isinstance(line, record.Pressed) and line.button == "b.1"]
    desk.tap("a.1")
    desk.wait(200 * MS)
    played = [line for line in desk.lines if isinstance(line, record.Pressed) and line.button == "a.1"]
    assert [line.refusal for line in played] == [None]
    assert played[0].at_ns < 2 * S


def test_after_thirty_seconds_without_buttons_the_match_ends_without_a_result() -> None:
    desk = Desk(PLAIN)
    desk.start_match()
    lose_source(desk)
    desk.wait(31 * S)
    assert desk.look().scene == "attract"
    assert [line.winner for line in desk.lines if isinstance(line, record.Ended)] == [None]


def test_a_trouble_that_is_reported_is_shown_until_it_is_taken_back() -> None:
    desk = Desk()
    desk.cabinet.game.report("sound", Trouble("sound", "No sound."))
    desk.wait(100 * MS)
    assert [trouble.text for trouble in desk.look().troubles] == ["No sound."]
    desk.cabinet.game.report("sound", None)
    desk.wait(100 * MS)
    assert desk.look().troubles == ()
