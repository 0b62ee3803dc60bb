"""What the measurements have in common: how many figures a subject has, and how they are summed up."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import msgspec

NS_IN_MS = 1_000_000


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How long something took, in milliseconds."""

    median: float
    p99: float
    max: float


def spread_ms(times_ns: Sequence[int]) -> Spread:
    """The spread of some times, given in nanoseconds. Raises ValueError when there is none."""
    if not times_ns:
        raise ValueError("nothing was measured, so there is no median")
    ordered = sorted(times_ns)
    return Spread(
        median=in_ms(median(ordered)), p99=in_ms(ordered[(len(ordered) * 99 - 1) // 100]), max=in_ms(ordered[-1])
    )


def in_ms(time_ns: float) -> float:
    """Milliseconds, to the microsecond."""
    return round(time_ns / NS_IN_MS, 3)
