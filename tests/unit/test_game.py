"""The game on mock pins and a virtual clock: what people do at the panel, and what the snapshots say of it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from cabinet import game, record
from cabinet.buttons.edges import HOST_CLOCK, Edge
from cabinet.engine.actions import MatchOver, PilesTaken, SaidReady
from cabinet.engine.match import Match
from cabinet.engine.rules import Rules
from cabinet.engine.table import SEATS, View
from cabinet.flow import FlowSettings
from cabinet.game import GameSettings, deal_new_match
from cabinet.panel import BUTTONS, line_of, taps_for
from cabinet.players.robot import LEAST_REACTION_NS, SKILLS, Contact, Robot, sensible_actions
from cabinet.snapshot import Sign, Snapshot, Trouble
from cabinet.virtual import VirtualCabinet
from tests.tables import PLAIN, SLAP, match_with

MS = 1_000_000
S = 1_000 * MS
CLEAN = [[0, 1], [60_000, 0]]
BOTH_ON_LEFT: dict[str, Any] = {
    "a": {"stock": [["8H"], ["??", "KD"], [], [], []], "spit": ["5*??"]},
    "b": {"stock": [["6D"], ["??", "KC"], [], [], []], "spit": ["5*??"]},
    "left": ["17*??", "7C"],
    "right": ["17*??", "2S"],
    "token": "b",
}
"""Both have a card for left, and only one can go there."""


class Desk:
    """A cabinet whose buttons are pressed by the test."""

    def __init__(self, table: dict[str, Any] | None = None, **flow: Any) -> None:
        self.lines: list[record.RecordLine] = []
        deal: Callable[[Rules, int], Match] = deal_new_match
        if table is not None:
            given = table

            def deal(_rules: Rules, _seed: int) -> Match:
                return match_with(given)

        settings = GameSettings(deal=deal, flow=FlowSettings(**flow))
        self.cabinet = VirtualCabinet(settings, Random(7), keep=self.lines.append)
        self.snapshots: list[Snapshot] = []
        self.cabinet.on_snapshot = self.snapshots.append
        self.wait(1 * S)

    @property
    def now_ns(self) -> int:
        return self.cabinet.clock.now_ns

    def look(self) -> Snapshot:
        return self.cabinet.game.latest

    def view(self) -> View:
        view = self.look().view
        assert view is not None
        return view

    def wait(self, time_ns: int) -> None:
        self.cabinet.run_until(self.now_ns + time_ns)

    def tap(self, line: str, after_ns: int = 0, trace: list[list[int]] | None = None) -> None:
        self.cabinet.board.press(line, self.now_ns + after_ns, trace or CLEAN)

    def hold(self, line: str) -> None:
        self.cabinet.board.change(line, True, self.now_ns)

    def start_match(self) -> None:
        for line in ("a.spit", "b.spit", "a.spit", "b.spit"):
            self.tap(line)
            self.wait(100 * MS)

    def start_against_robot(self) -> None:
        """B is alone and brings a robot for a."""
        self.tap("b.spit")
        self.wait(2_500 * MS)
        self.tap("b.spit")
        self.wait(500 * MS)

    def signs(self, line: str) -> list[Sign]:
        seen = {sign.number: sign for snapshot in self.snapshots for sign in snapshot.signs}
        return [sign for sign in seen.values() if sign.line == line]


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
        assert (photo.first, photo.margin_ns, photo.is_dead_heat) == (first[0], 1_300_000, False)


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
    assert (photo.is_dead_heat, photo.token_decided, photo.first) == (True, True, token)
    assert desk.view().token == other


def test_a_slap_race_is_photographed_with_its_margin() -> None:
    desk = Desk(SLAP)
    desk.start_match()
    desk.tap("b.1", 10 * MS)
    desk.tap("a.2", 14_250_000)
    desk.wait(200 * MS)
    photo = desk.look().photo
    assert photo is not None
    assert (photo.first, photo.margin_ns, photo.is_dead_heat) == ("b", 4_250_000, False)
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
    assert isinstance(desk.lines[-1], record.Ended)


def test_a_press_long_after_a_slap_is_no_photo_finish() -> None:
    desk = Desk(SLAP)
    desk.start_match()
    desk.tap("b.1", 10 * MS)
    desk.tap("a.2", 1_500 * MS)
    desk.wait(2 * S)
    assert desk.look().photo is None


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


# What is kept


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


def test_button_three_is_no_slap_and_no_photo_finish() -> None:
    desk = Desk(SLAP)
    desk.start_match()
    desk.tap("a.1", 10 * MS)
    desk.tap("b.3", 30 * MS)
    desk.wait(200 * MS)
    assert desk.look().photo is None


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
    assert (photo.first, photo.is_dead_heat, photo.token_decided) == ("a", True, False)
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
    desk.wait(46 * S)
    assert desk.look().still_there_until_ns is not None


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


def lose_source(desk: Desk) -> Callable[[], None]:
    source = desk.cabinet.source
    status = source.status

    def lost(now_ns: int) -> Any:
        return replace(status(now_ns), is_live=False, trouble="The plug is out: put it back.")

    source.status = lost  # type: ignore[method-assign]

    def give_back() -> None:
        source.status = status  # type: ignore[method-assign]

    return give_back


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
    desk.wait(200 * MS)
    assert desk.look().paused_since_ns is None
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


# Robots


def test_no_robot_presses_what_no_person_could_have_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each first tap is explained by a frame that was shown at least 180 ms before it."""
    careful = {strength: replace(skill, misreads=0.0, miscounts=0.0) for strength, skill in SKILLS.items()}
    monkeypatch.setattr(game, "SKILLS", careful)
    frames: dict[int, list[tuple[int, View]]] = {}
    taps: list[tuple[int, Contact, int]] = []
    see, contacts_until = Robot.see, Robot.contacts_until

    def watched_see(robot: Robot, view: View, offset_ns: int, shown_ns: int) -> None:
        frames.setdefault(id(robot), []).append((shown_ns, view))
        see(robot, view, offset_ns, shown_ns)

    def watched_contacts(robot: Robot, now_ns: int) -> list[Contact]:
        contacts = contacts_until(robot, now_ns)
        taps.extend((id(robot), contact, "ab".index(robot.seat)) for contact in contacts if contact.closed)
        return contacts

    monkeypatch.setattr(Robot, "see", watched_see)
    monkeypatch.setattr(Robot, "contacts_until", watched_contacts)
    desk = Desk()
    desk.wait(120 * S)
    unexplained = 0
    for robot_id, contact, seat_index in taps:
        seat = SEATS[seat_index]
        seen = [view for shown_ns, view in frames[robot_id] if shown_ns <= contact.at_ns - LEAST_REACTION_NS]
        buttons = {
            tap.button
            for view in seen[-4:]
            for action in sensible_actions(view, seat)
            for tap in taps_for(action, seat, view)
        }
        unexplained += contact.button not in buttons | {"spit"}
    assert len(taps) > 100
    assert unexplained == 0


def test_a_show_that_ends_begins_again() -> None:
    desk = Desk()
    for _ in range(120):
        desk.wait(5 * S)
        if any(isinstance(happening.event, MatchOver) for happening in desk.look().happenings):
            break
    desk.wait(10 * S)
    assert desk.look().scene == "attract"
    view = desk.look().view
    assert view is not None
    assert (view.round, view.phase) == (1, "play")
