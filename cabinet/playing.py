"""What is on the table, and who plays it without wired buttons: a match, a show of robots, or a lesson. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from cabinet.engine.games import Game
from cabinet.engine.match import Match, new_match
from cabinet.engine.rules import Rules
from cabinet.engine.table import SEATS, Seat
from cabinet.lesson import RunningLesson, lesson_in
from cabinet.panel import Layout
from cabinet.players.hands import RobotHands
from cabinet.players.robot import SKILLS, Robot, RobotSettings, Strength
from cabinet.players.scripted import Scripted
from cabinet.session import Session

DealMatch = Callable[[Rules, int], Match]
"""How a match begins, from the rules and a seed."""


def deal_new_match(rules: Rules, seed: int) -> Match:
    """How a match begins: from its own Random."""
    return new_match(rules, Random(seed))


class Playing:
    """The match that is played or shown, and the robots at it. Not thread-safe; owned by the game thread."""

    def __init__(self, robot: RobotSettings, layout: Layout, deal: DealMatch) -> None:
        """`deal`: how a match of people begins."""
        self._settings = robot
        self._layout: Layout = layout
        self._deal = deal
        self.session: Session | None = None
        """None: nothing is on the table."""
        self.lesson: RunningLesson | None = None
        self.robots = RobotHands()

    def begin_match(self, rules: Rules, seed: int, robots: Iterable[Seat], rng: Random, now_ns: int) -> Session:
        """People play, with robots at these seats; each robot gets its chance from `rng`."""
        session = self._begin(self._deal(rules, seed), now_ns)
        self._seat_robots(robots, self._settings.strength, rng)
        return session

    def begin_show(self, rules: Rules, rng: Random, now_ns: int) -> None:
        """Robots play at both seats, to be looked at; they and their match get their chance from `rng`."""
        self._begin(deal_new_match(rules, rng.getrandbits(32)), now_ns)
        self._seat_robots(SEATS, self._settings.show, rng)

    def begin_lesson(self, game: Game, now_ns: int) -> int:
        """It is shown how to play a game; the host time at which that ends."""
        plan = lesson_in(game)
        self._begin(plan.match, now_ns)
        self.lesson = RunningLesson(plan, now_ns)
        contacts = {"a": plan.contacts_a, "b": plan.contacts_b}
        self.robots.sit_down({seat: Scripted(contacts[seat], now_ns) for seat in SEATS})
        return now_ns + plan.length_ns

    def leave(self) -> None:
        """The table is cleared; robots let go of what they held."""
        self.session = None
        self.lesson = None
        self.robots.sit_down({})

    def forget_robots(self) -> None:
        """Whatever robots held counts for nothing."""
        self.robots = RobotHands()

    def _begin(self, match: Match, now_ns: int) -> Session:
        self.lesson = None
        session = self.session = Session(match, now_ns, self._layout)
        return session

    def _seat_robots(self, seats: Iterable[Seat], strength: Strength, rng: Random) -> None:
        skill = SKILLS[strength]
        self.robots.sit_down(
            {seat: Robot(seat, skill, Random(rng.getrandbits(32)), self._layout) for seat in seats}
        )
