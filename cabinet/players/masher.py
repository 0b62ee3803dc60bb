"""Somebody who hits buttons at random, as fast as they can: the measure of what a miss must cost (RULES.md 53)."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Final

from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import Seat, View
from cabinet.panel import START, STOCK_BUTTONS, Button
from cabinet.players.robot import TAP_NS, Contact

MASHES_EVERY_NS: Final = 120 * MILLISECOND_NS
"""From one press of a masher to the next."""

_BUTTONS: Final[tuple[Button, ...]] = (*STOCK_BUTTONS, START)


class Masher:
    """Presses one of the seat's six buttons at a time, whatever is shown. Not thread-safe."""

    def __init__(self, seat: Seat, rng: Random) -> None:
        self.seat = seat
        self._rng = rng
        self._contacts: deque[Contact] = deque()
        self._plan(rng.randrange(MASHES_EVERY_NS))

    def see(self, view: View, offset_ns: int, shown_ns: int) -> None:
        """A masher does not look."""

    def contacts_until(self, now_ns: int) -> list[Contact]:
        """What the fingers do up to and including host time `now_ns`, in order; each is told once."""
        due = []
        while self._contacts[0].at_ns <= now_ns:
            contact = self._contacts.popleft()
            due.append(contact)
            if contact.closed:
                self._plan(contact.at_ns + MASHES_EVERY_NS)
        return due

    def next_press_ns(self) -> int:
        """When a button goes down next."""
        return next(contact.at_ns for contact in self._contacts if contact.closed)

    def _plan(self, at_ns: int) -> None:
        button = self._rng.choice(_BUTTONS)
        self._contacts += [Contact(at_ns, button, True), Contact(at_ns + TAP_NS, button, False)]
