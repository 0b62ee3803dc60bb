"""A path from contacts to a decision: what every way of reading buttons has to answer about a race.

A new path is one class with `decide`, and one line in the list of paths in `virtual.py`. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Literal, Protocol

import msgspec

from cabinet.bench.fairness.races import Race
from cabinet.engine.table import SEATS, Seat

Claim = Literal["told_apart", "level", "late"]
"""What a path says of its own decision. `told_apart`: the stamps with their errors do not touch, and everything
was delivered as promised, so that the decision is certain. `level`: they touch, so that it is a dead heat, and the
token decides. `late`: something came later than promised, and was judged as it came."""


class Decision(msgspec.Struct, frozen=True, gc=False):
    """How a path decided a race."""

    winner: Seat | None
    """None: a press never came out."""
    claim: Claim | None = None
    """None: the path knows nothing of errors, and takes every decision for certain."""
    late_ns: int = 0
    """How much later than its stamp the latest edge came, where that was later than promised; else 0."""


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
