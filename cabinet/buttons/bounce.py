"""How switches bounce: presses of several kinds of switches, drawn. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, Literal

Trace = Sequence[Sequence[int]]
"""A contact's changes: pairs of microseconds and 1 for closed, 0 for open."""

BounceFamily = Literal["clean", "arcade", "worn", "release_chatter"]
"""How a switch bounces: not at all; like a new arcade micro switch, for half a millisecond while closing; like an
old one, for up to 15 ms; or while opening."""

FAMILIES: Final[tuple[BounceFamily, ...]] = ("clean", "arcade", "worn", "release_chatter")


def draw_trace(chance: Random, family: BounceFamily, hold_us: int = 80_000) -> list[list[int]]:
    """One press of a switch of that family, from its first closing at 0 until it has opened after `hold_us`.

    Whatever the family, the contact is closed for at least 200 µs of its first millisecond.
    """
    trace = [[0, 1]]
    if family == "arcade":
        _bounce(chance, trace, pulses=(1, 4), open_us=(2, 12), closed_us=(4, 300))
    elif family == "worn":
        trace += [[300, 0], [300 + chance.randint(700, 2_000), 1]]
        _bounce(chance, trace, pulses=(1, 5), open_us=(50, 2_500), closed_us=(50, 800))
    last_us = max(trace[-1][0] + 1_000, hold_us)
    trace.append([last_us, 0])
    if family in ("worn", "release_chatter"):
        at_us = last_us
        for _ in range(chance.randint(1, 4)):
            closes_us = at_us + chance.randint(50, 2_500)
            at_us = closes_us + chance.randint(5, 500)
            trace += [[closes_us, 1], [at_us, 0]]
    return trace


def _bounce(
    chance: Random,
    trace: list[list[int]],
    *,
    pulses: tuple[int, int],
    open_us: tuple[int, int],
    closed_us: tuple[int, int],
) -> None:
    """Append pulses to a trace that ends closed; it ends closed again."""
    at_us = trace[-1][0]
    for _ in range(chance.randint(*pulses)):
        opens_us = at_us + chance.randint(*closed_us)
        at_us = opens_us + chance.randint(*open_us)
        trace += [[opens_us, 0], [at_us, 1]]
