"""Counting how races were decided: by path, by lead, and by what the path said of its decision. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

import msgspec

from cabinet.bench.fairness.paths import Claim, Decision
from cabinet.bench.fairness.races import Race
from cabinet.engine.table import Seat

US: Final = 1_000
LEADS_US: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
"""The bounds of the classes of leads, each class from one to the next."""
LEADS: Final = range(len(LEADS_US) - 1)
"""The classes of leads by number."""
DEAD_HEAT: Final = -1
"""The class of exact dead heats."""
EVERY: Final = (DEAD_HEAT, *LEADS)
"""All classes of leads, exact dead heats too."""

Key = tuple[str, int, Claim | None]
"""The path's key, the class of the lead, and the path's claim."""

_BOUNDS_NS: Final = tuple(lead_us * US for lead_us in LEADS_US[:-1])


class Count(msgspec.Struct, frozen=True, gc=False):
    """How some races were decided."""

    races: int = 0
    wrong: int = 0
    """Not decided for the player whose contact closed first. An exact dead heat has none."""
    undecided: int = 0
    """Decided for nobody, because a press never came out."""
    given_to_a: int = 0
    won_by_a: float = 0.0
    """In truth; an exact dead heat is half a win."""
    by_token: int = 0
    """Decided by the token, as far as the path tells."""

    def __add__(self, other: Count) -> Count:
        return Count(
            self.races + other.races,
            self.wrong + other.wrong,
            self.undecided + other.undecided,
            self.given_to_a + other.given_to_a,
            self.won_by_a + other.won_by_a,
            self.by_token + other.by_token,
        )

    @property
    def wrong_share(self) -> float:
        """Share of the races that were decided wrongly; 0 of none."""
        return self.wrong / self.races if self.races else 0.0

    @property
    def given_to_a_share(self) -> float:
        """Share of the races that seat a was given; a half of none."""
        return self.given_to_a / self.races if self.races else 0.5

    @property
    def bias(self) -> float:
        """How much more of the races seat a was given than it won, as a share of all; negative: b was favoured."""
        return (self.given_to_a - self.won_by_a) / self.races if self.races else 0.0


class Tally(msgspec.Struct, frozen=True):
    """How all paths decided many races."""

    counts: dict[Key, Count] = {}
    late_ns: dict[str, tuple[int, ...]] = {}
    """By path: for each race decided late, how late its latest edge came."""

    def of(self, path: str, leads: Iterable[int], claims: Iterable[Claim | None] | None = None) -> Count:
        """The races of one path in these classes of leads, with these claims; None: whatever it claims."""
        wanted = set(leads)
        allowed = None if claims is None else set(claims)
        found = Count()
        for (name, lead, claim), count in self.counts.items():
            if name == path and lead in wanted and (allowed is None or claim in allowed):
                found += count
        return found


class Counter:
    """Counts decisions one by one. Not thread-safe."""

    def __init__(self) -> None:
        self._counts: dict[Key, _Figures] = {}
        self._late_ns: dict[str, list[int]] = {}

    def add(self, path: str, race: Race, decision: Decision) -> None:
        """How a path decided a race."""
        key = (path, lead_class(race.lead_ns), decision.claim)
        if key not in self._counts:
            self._counts[key] = _Figures()
        self._counts[key].add(race.winner, decision)
        if decision.late_ns:
            self._late_ns.setdefault(path, []).append(decision.late_ns)

    def tally(self) -> Tally:
        """What was counted."""
        counts = {key: figures.count() for key, figures in self._counts.items()}
        return Tally(counts, {path: tuple(late_ns) for path, late_ns in self._late_ns.items()})


class _Figures:
    """A `Count` in the making."""

    __slots__ = ("by_token", "given_to_a", "races", "undecided", "won_by_a", "wrong")

    def __init__(self) -> None:
        self.races = self.wrong = self.undecided = self.given_to_a = self.by_token = 0
        self.won_by_a = 0.0

    def add(self, truth: Seat | None, decision: Decision) -> None:
        given = decision.winner
        self.races += 1
        self.by_token += decision.by_token
        self.wrong += truth is not None and given != truth
        self.undecided += given is None
        self.given_to_a += given == "a"
        self.won_by_a += 0.5 if truth is None else truth == "a"

    def count(self) -> Count:
        return Count(self.races, self.wrong, self.undecided, self.given_to_a, self.won_by_a, self.by_token)


def together(tallies: Iterable[Tally]) -> Tally:
    """The sum of some tallies."""
    counts: dict[Key, Count] = {}
    late_ns: dict[str, tuple[int, ...]] = {}
    for tally in tallies:
        for key, count in tally.counts.items():
            counts[key] = counts.get(key, Count()) + count
        for path, delays_ns in tally.late_ns.items():
            late_ns[path] = late_ns.get(path, ()) + delays_ns
    return Tally(counts, late_ns)


def lead_class(lead_ns: int) -> int:
    """The number of the class of a lead."""
    return bisect_right(_BOUNDS_NS, lead_ns) - 1 if lead_ns else DEAD_HEAT
