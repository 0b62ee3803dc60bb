"""Somebody who walks up to the cabinet, presses START and plays: a robot at real contacts."""

from __future__ import annotations

from random import Random
from typing import Final

from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import Seat
from cabinet.panel import START, Layout
from cabinet.players.robot import TAP_NS, Contact, Robot, Skill
from cabinet.snapshot import Snapshot

DECIDES_NS: Final = 900 * MILLISECOND_NS
"""From a scene that asks for START to pressing it."""


class Visitor:
    """Presses the buttons of one seat. Not thread-safe."""

    def __init__(self, seat: Seat, skill: Skill, rng: Random, layout: Layout = "side_by_side") -> None:
        self.seat = seat
        self._skill = skill
        self._rng = rng
        self._layout: Layout = layout
        self._robot: Robot | None = None
        self._wants_start_ns: int | None = None
        self._contacts: list[Contact] = []

    def see(self, snapshot: Snapshot, shown_ns: int) -> None:
        """A frame with this snapshot was shown at `shown_ns`."""
        if snapshot.scene == "match" and snapshot.view is not None:
            self._wants_start_ns = None
            if self._robot is None:
                self._robot = Robot(self.seat, self._skill, Random(self._rng.getrandbits(32)), self._layout)
            self._robot.see(snapshot.view, snapshot.match_offset_ns, shown_ns)
            return
        self._robot = None
        if not self._is_asked(snapshot):
            self._wants_start_ns = None
        elif self._wants_start_ns is None:
            self._wants_start_ns = shown_ns + DECIDES_NS + self._rng.randrange(DECIDES_NS)

    def contacts_until(self, now_ns: int) -> list[Contact]:
        """What the fingers do up to and including `now_ns`; each contact is told once."""
        if self._wants_start_ns is not None and self._wants_start_ns <= now_ns:
            at_ns = self._wants_start_ns
            self._wants_start_ns = None
            self._contacts += [Contact(at_ns, START, True), Contact(at_ns + TAP_NS, START, False)]
        if self._robot is not None:
            self._contacts += self._robot.contacts_until(now_ns)
        due = [contact for contact in self._contacts if contact.at_ns <= now_ns]
        self._contacts = [contact for contact in self._contacts if contact.at_ns > now_ns]
        return due

    def next_ns(self) -> int | None:
        """When the visitor will do something next if nothing changes; None: never."""
        times = [contact.at_ns for contact in self._contacts]
        times += [self._wants_start_ns] if self._wants_start_ns is not None else []
        robot_ns = self._robot.next_ns() if self._robot is not None else None
        return min([*times, *([robot_ns] if robot_ns is not None else [])], default=None)

    def _is_asked(self, snapshot: Snapshot) -> bool:
        status = snapshot.seat(self.seat)
        if snapshot.scene == "result":
            return snapshot.again_from_ns is not None
        if snapshot.scene == "lobby" and status.player == "human":
            is_alone = snapshot.robot_joins_ns is not None
            return not is_alone and not status.is_ready
        return True
