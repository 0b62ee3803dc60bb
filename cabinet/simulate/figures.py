"""What is counted of matches, and how figures of many are added up. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, sqrt
from statistics import NormalDist
from typing import Final

import msgspec

from cabinet.engine.table import SEATS, Seat

ONE_IN: Final = 10_000
"""Even players fall outside a range of chance once in so many times."""


class SeatFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted of one player."""

    wins: int = 0
    """Matches won."""
    rounds_won: int = 0
    """Rounds in which the player was out first (RULES.md 21, 50)."""
    smaller_piles: int = 0
    """Rounds shared out in which the player got the smaller pile (RULES.md 23, 28)."""
    presses: int = 0
    refusals: int = 0
    """Presses that the engine refused, for whatever reason."""
    misses: int = 0
    """Presses that locked the stock buttons (RULES.md 53)."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted of matches: of one, or of many together."""

    a: SeatFigures = SeatFigures()
    b: SeatFigures = SeatFigures()
    matches: int = 0
    rounds: int = 0
    spits: int = 0
    """Times that cards turned, or slid, because neither could go on (RULES.md 16, 47)."""
    deadlocks: int = 0
    """Rounds in which neither could go on, with no spit cards left (RULES.md 21)."""
    single_rounds: int = 0
    """One-pile rounds (RULES.md 32)."""
    ended_by_cap: int = 0
    """Matches that a cap ended (RULES.md 38)."""
    redraws: int = 0
    """Dead positions of Speed (RULES.md 49)."""
    refills: int = 0
    """Times that dry side piles were made anew (RULES.md 48)."""
    lengths_ns: tuple[int, ...] = ()
    """How long each match was, in match time."""

    def seat(self, seat: Seat) -> SeatFigures:
        """What is counted of one player."""
        return self.a if seat == "a" else self.b

    @property
    def presses(self) -> int:
        """Of both players."""
        return self.a.presses + self.b.presses


def together(figures: Sequence[Figures]) -> Figures:
    """The figures of all matches added up."""
    names = [name for name in Figures.__struct_fields__ if name not in (*SEATS, "lengths_ns")]
    return Figures(
        a=_seats_together([one.a for one in figures]),
        b=_seats_together([one.b for one in figures]),
        lengths_ns=tuple(length_ns for one in figures for length_ns in one.lengths_ns),
        **{name: sum(getattr(one, name) for one in figures) for name in names},
    )


def _seats_together(figures: Sequence[SeatFigures]) -> SeatFigures:
    names = SeatFigures.__struct_fields__
    return SeatFigures(**{name: sum(getattr(one, name) for one in figures) for name in names})


def swapped(figures: Figures) -> Figures:
    """The same with the seats exchanged."""
    return msgspec.structs.replace(figures, a=figures.b, b=figures.a)


def chance_range(matches: int) -> tuple[int, int]:
    """The fewest and most wins that chance leaves one of two even players, all but once in `ONE_IN` times."""
    width = NormalDist().inv_cdf(1 - 1 / (2 * ONE_IN)) * sqrt(matches) / 2
    return max(0, floor(matches / 2 - width)), min(matches, ceil(matches / 2 + width))


def share(part: int, whole: int) -> float | None:
    """A part of a whole as a percentage, to two places; None when there is no whole."""
    return round(100 * part / whole, 2) if whole else None


def percentile(values: Iterable[int], per_cent: int) -> int:
    """The least of the values that so many per cent of them do not exceed; there must be one."""
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * per_cent / 100) - 1)]
