"""The robots at the table: what their fingers do, as edges on lines of their own, beside the wired buttons'.

Not thread-safe; owned by the game thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from cabinet.buttons.edges import HOST_CLOCK, Edge, Line, SourceStatus
from cabinet.engine.table import Seat, View
from cabinet.panel import line_of
from cabinet.players.robot import Contact

ROBOT_PREFIX: Final = "robot."
"""Before the line of a robot's finger, so that it is no person's button."""


def is_robot_line(line: Line) -> bool:
    """Whether a line is a robot's finger."""
    return line.startswith(ROBOT_PREFIX)


def panel_line(line: Line) -> Line:
    """The button that a line presses, whoever does it."""
    return line.removeprefix(ROBOT_PREFIX)


class Fingers(Protocol):
    """Who plays a seat without wired buttons: a robot, or the hands of a lesson."""

    def see(self, view: View, offset_ns: int, shown_ns: int) -> None:
        """A frame with this view is shown at host time `shown_ns`; `offset_ns` is host less match time."""

    def contacts_until(self, now_ns: int) -> Sequence[Contact]:
        """What the fingers do up to and including host time `now_ns`, in order; each is told once."""


class RobotHands:
    """The robots that sit at the table now, by seat."""

    def __init__(self) -> None:
        self._robots: dict[Seat, Fingers] = {}
        self._down: set[Line] = set()
        self._let_go: set[Line] = set()
        self._count = 0

    def __contains__(self, seat: object) -> bool:
        return seat in self._robots

    def sit_down(self, robots: Mapping[Seat, Fingers]) -> None:
        """These robots play from now on; those before let go of what they held."""
        for seat in list(self._robots):
            self.leave(seat)
        self._robots = dict(robots)

    def leave(self, seat: Seat) -> None:
        """A robot goes, and lets go of what it held."""
        if self._robots.pop(seat, None) is not None:
            prefix = f"{ROBOT_PREFIX}{seat}."
            self._let_go |= {line for line in self._down if line.startswith(prefix)}

    def see(self, view_of_seat: Callable[[Seat], View], offset_ns: int, shown_ns: int) -> None:
        """A frame is shown at host time `shown_ns`, to each seat with what that may see."""
        for seat, robot in self._robots.items():
            robot.see(view_of_seat(seat), offset_ns, shown_ns)

    def edges_until(self, now_ns: int) -> list[Edge]:
        """What the fingers do up to and including host time `now_ns`; each is told once."""
        edges = [self._edge(line, False, now_ns) for line in sorted(self._let_go)]
        self._let_go = set()
        for seat, robot in self._robots.items():
            for contact in robot.contacts_until(now_ns):
                line = ROBOT_PREFIX + line_of(seat, contact.button)
                edges.append(self._edge(line, contact.closed, contact.at_ns))
        return edges

    def status(self, now_ns: int) -> SourceStatus:
        """Everything up to host time `now_ns` is told."""
        return SourceStatus("robots", HOST_CLOCK, now_ns, largest_err_ns=0)

    def _edge(self, line: Line, closed: bool, at_ns: int) -> Edge:
        (self._down.add if closed else self._down.discard)(line)
        self._count += 1
        return Edge(HOST_CLOCK, line, closed, at_ns, 0, self._count)
