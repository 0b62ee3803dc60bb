"""Robots in the game: at a seat, behind the title, and never faster than a person."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cabinet import playing
from cabinet.engine.actions import MatchOver
from cabinet.engine.table import SEATS, View
from cabinet.panel import taps_for
from cabinet.players.robot import LEAST_REACTION_NS, SKILLS, Contact, Robot
from cabinet.players.tactics import sensible_actions
from tests.game_desk import Desk, S


def test_no_robot_presses_what_no_person_could_have_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each first tap is explained by a frame that was shown at least 180 ms before it."""
    careful = {strength: replace(skill, misreads=0.0, miscounts=0.0) for strength, skill in SKILLS.items()}
    monkeypatch.setattr(playing, "SKILLS", careful)
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
    desk.wait(240 * S)
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
