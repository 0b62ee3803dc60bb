"""What races could have shown, written by hand: everything as it is wanted."""

from __future__ import annotations

from cabinet.bench.fairness import ways
from cabinet.bench.fairness.result import Fairness, LiveRaces
from cabinet.bench.fairness.tally import DEAD_HEAT, LEADS, Count, Key, Tally
from cabinet.bench.figures import Spread
from tests.races import MS

QUICK = Spread(median=3.1, p99=5.2, max=9.3)


def counts(key: str, share_to_a: int) -> dict[Key, Count]:
    """A path that decides each class of 1,000 leads half wrongly, and gives `share_to_a` % of dead heats to a."""
    by_lead: dict[Key, Count] = {
        (key, lead, None): Count(races=1_000, wrong=500, given_to_a=540, won_by_a=500.0) for lead in LEADS
    }
    return {**by_lead, (key, DEAD_HEAT, None): Count(races=100, given_to_a=share_to_a, won_by_a=50.0)}


def own_counts(key: str) -> dict[Key, Count]:
    found: dict[Key, Count] = {
        (key, lead, "told_apart"): Count(races=900, given_to_a=450, won_by_a=450.0) for lead in LEADS
    }
    found[key, 0, "level"] = Count(races=70, wrong=35, given_to_a=35, won_by_a=35.0, by_token=70)
    found[key, 1, "late"] = Count(races=30, wrong=12, given_to_a=14, won_by_a=15.0)
    found[key, DEAD_HEAT, "level"] = Count(races=100_000, given_to_a=50_400, won_by_a=50_000.0, by_token=100_000)
    return found


IN_REAL_TIME = LiveRaces(
    tally=Tally(
        {
            ("cabinet", 8, "told_apart"): Count(races=60, given_to_a=30, won_by_a=30.0),
            ("cabinet", 6, "level"): Count(races=38, wrong=20, given_to_a=38, won_by_a=18.0),
            ("cabinet", 9, "late"): Count(races=2, wrong=1, given_to_a=1, won_by_a=0.0),
        },
        {"cabinet": (7 * MS, 9 * MS)},
    ),
    races=100, delay=QUICK, slack_ms=2.5, handed_over_late=QUICK, frames_per_s=59.6, collections=12,
    busy_processes=1,
)  # fmt: skip

FOUND = Fairness(
    races=1_000,
    seed=5,
    tally=Tally(
        {
            **{k: c for kind in ways.OURS for k, c in own_counts(kind.key).items()},
            **{k: c for kind in ways.USUAL for k, c in counts(kind.key, 90).items()},
        },
        {"cabinet": (*[20 * MS] * 29, 48 * MS), "bridge": (*[30 * MS] * 29, 60 * MS)},
    ),
    live=IN_REAL_TIME,
)
"""Races that have shown what is wanted."""

COUNTS = FOUND.tally.counts
