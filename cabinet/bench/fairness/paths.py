"""A path from contacts to a decision: what every way of reading buttons has to answer about a race.

A new path is one class with `decide`, and one line in the list in `ways.py`. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final, Literal, Protocol

import msgspec

from cabinet.bench.fairness.races import Race
from cabinet.engine.table import SEATS, Seat

Claim = Literal["told_apart", "level", "late"]
"""What a path says of its decision; every race is one of them. `told_apart`: the stamps with their errors do not
touch, and the press that was first was delivered as promised, so that the decision is certain, however late the
other came. `level`: they touch, and both were delivered as promised: a dead heat, which the token decides. `late`:
the press that was first, or one of two whose stamps touch, came later than promised, and was judged as it came."""

LATE_COUNTS_NS: Final = 2_000_000
"""An edge so long after its press began can change nothing about the press any more: it has counted by then."""


class Decision(msgspec.Struct, frozen=True, gc=False):
    """How a path decided a race."""

    winner: Seat | None
    """None: a press never came out."""
    claim: Claim | None = None
    """None: the path knows nothing of errors, and takes every decision for certain."""
    late_ns: int = 0
    """How much later than its stamp the latest edge came, where that was later than promised; else 0."""
    by_token: bool = False
    """Whether the token decided: who had it won, and the other has it now."""


class Path(Protocol):
    """Decides races, one after the other as they follow on the stretch of time. Pure, not thread-safe."""

    def decide(self, race: Race) -> Decision:
        """Whose press counts as the first."""


class PathKind(msgspec.Struct, frozen=True):
    """One way of reading buttons."""

    key: str
    """Its name in JSON."""
    short: str
    """Its name for people, at the head of a narrow column."""
    title: str
    """What it does, in a few words."""
    make: Callable[[Random], Path]
    """A path at the beginning of a stretch of time, with chance of its own."""


def earlier(a: float, b: float, chance: Random) -> Seat:
    """The seat with the smaller figure; between equal ones a coin, which is the best that can be said of them."""
    if a == b:
        return chance.choice(SEATS)
    return "a" if a < b else "b"


def claim_of(race: Race, late_ns: Mapping[Seat, int], *, tells_apart: bool) -> Claim:
    """What this project says of a race.

    `late_ns`: of each seat whose press was delivered later than promised, by how much. `tells_apart`: whether the
    stamps with their errors do not touch. Then a late loser excuses nothing: the winner was in time.
    """
    matters = SEATS if race.winner is None or not tells_apart else (race.winner,)
    if any(late_ns.get(seat) for seat in matters):
        return "late"
    return "told_apart" if tells_apart else "level"
