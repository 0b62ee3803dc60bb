"""Races: two contacts that close at nearly the same time, how that is stamped, and when it is delivered.

All of it is drawn beforehand, in virtual time, so that every path is given the very same race. The truth is the
instant at which each contact first closes. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from random import Random
from typing import Final

import msgspec

from cabinet.bench.fairness.delivery import (
    Stall,
    draw_arrivals,
    draw_limit_ns,
    draw_prompt_ns,
    draw_stall,
    draw_stamps,
    log_uniform,
)
from cabinet.buttons.bounce import FAMILIES, draw_trace
from cabinet.buttons.edges import Line
from cabinet.engine.table import OTHER_SEAT, SEATS, Seat
from cabinet.panel import Button

US: Final = 1_000
MS: Final = 1_000_000
SHORTEST_LEAD_NS: Final = US
LONGEST_LEAD_NS: Final = 20 * MS
DEAD_HEAT_EVERY: Final = 10
"""One race in so many is an exact dead heat: both contacts close at the same nanosecond."""
HOLD_US: Final = (40_000, 80_000)
"""How long a button is held: longer than any switch bounces, and than a frame."""
BUTTONS: Final[tuple[Button, ...]] = ("1", "2", "3", "4")
PAUSE_NS: Final = (40 * MS, 57 * MS)
"""Between the last that happens in a race and the next race: all lines have rested, whatever a path waits for; and
as far spread as a frame is long, so that races begin anywhere in one."""


class Contact(msgspec.Struct, frozen=True, gc=False):
    """One seat's press in a race."""

    seat: Seat
    button: Button
    changes_ns: tuple[int, ...]
    """When the contact changed, in truth: it closes with the first change, opens with the second, and so on."""
    stamps_ns: tuple[int, ...]
    """What the kernel wrote down for each change; within `err_ns` of the truth, and never going back."""
    arrivals_ns: tuple[int, ...]
    """When each change reached the program."""
    err_ns: int

    @property
    def line(self) -> Line:
        """The contact's line."""
        return f"{self.seat}.{self.button}"

    @property
    def closes_ns(self) -> int:
        """When it first closed: what decides the race in truth."""
        return self.changes_ns[0]

    def is_closed_at(self, t_ns: int) -> bool:
        """Its level at an instant."""
        return bisect_right(self.changes_ns, t_ns) % 2 == 1


class Race(msgspec.Struct, frozen=True, gc=False):
    """Two presses that contend, alone on their stretch of time."""

    a: Contact
    b: Contact
    begins_ns: int
    """Before anything happens."""
    rests_ns: int
    """After everything: changed, delivered, and rested."""
    stall: Stall | None = None

    @property
    def lead_ns(self) -> int:
        """By how much the race was won in truth; 0: an exact dead heat."""
        return abs(self.a.closes_ns - self.b.closes_ns)

    @property
    def winner(self) -> Seat | None:
        """Whose contact closed first in truth; None: neither's."""
        if self.a.closes_ns == self.b.closes_ns:
            return None
        return "a" if self.a.closes_ns < self.b.closes_ns else "b"

    @property
    def is_told_apart(self) -> bool:
        """Whether the stamps with their errors do not touch: then they name the winner for certain."""
        apart_ns = abs(self.a.stamps_ns[0] - self.b.stamps_ns[0])
        return apart_ns > self.a.err_ns + self.b.err_ns

    def swapped(self) -> Race:
        """The same race with the players on each other's seats."""
        a, b = (msgspec.structs.replace(one, seat=OTHER_SEAT[one.seat]) for one in (self.b, self.a))
        return msgspec.structs.replace(self, a=a, b=b)


class RaceMaker:
    """Draws one race after the other on one stretch of virtual time. Not thread-safe."""

    def __init__(self, chance: Random, *, is_calm: bool) -> None:
        """`is_calm`: every edge is delivered within the slack that sources begin with, and nothing stalls."""
        self._chance = chance
        self._is_calm = is_calm
        self._buttons = {seat: chance.choice(BUTTONS) for seat in SEATS}
        self._now_ns = 0
        self._count = 0

    def race(self) -> Race:
        """The next race: every tenth an exact dead heat, the others won by 1 µs to 20 ms, on a log scale."""
        chance = self._chance
        self._count += 1
        lead_ns = 0 if self._count % DEAD_HEAT_EVERY == 0 else draw_lead_ns(chance)
        begins_ns = self._now_ns + chance.randrange(*PAUSE_NS)
        first: Seat = chance.choice(SEATS)
        stall = None if self._is_calm else draw_stall(chance, begins_ns, lead_ns)
        prompt_ns = draw_prompt_ns(chance)
        one = self._contact(first, begins_ns, prompt_ns, stall)
        other = self._contact(OTHER_SEAT[first], begins_ns + lead_ns, prompt_ns, stall)
        a, b = (one, other) if first == "a" else (other, one)
        last_ns = max(*a.arrivals_ns, *b.arrivals_ns, stall.until_ns if stall else 0)
        self._now_ns = last_ns + PAUSE_NS[0]
        return Race(a, b, begins_ns - MS, self._now_ns, stall)

    def _contact(self, seat: Seat, closes_ns: int, prompt_ns: int, stall: Stall | None) -> Contact:
        chance = self._chance
        trace = draw_trace(chance, chance.choice(FAMILIES), chance.randint(*HOLD_US))
        changes_ns = [closes_ns + us * US for us, _ in trace]
        err_ns, stamps_ns = draw_stamps(chance, changes_ns)
        limit_ns = draw_limit_ns(chance, prompt_ns, is_calm=self._is_calm)
        arrivals_ns = draw_arrivals(chance, stamps_ns, limit_ns, stall)
        return Contact(seat, self._buttons[seat], tuple(changes_ns), tuple(stamps_ns), tuple(arrivals_ns), err_ns)


def draw_lead_ns(chance: Random) -> int:
    """From 1 µs to 20 ms, every part of the logarithmic scale as often as any other."""
    return log_uniform(chance, SHORTEST_LEAD_NS, LONGEST_LEAD_NS)
