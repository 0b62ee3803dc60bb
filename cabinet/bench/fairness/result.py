"""What `spit-cabinet bench fairness` has found, and whether it is what HOUSE.md wants. Pure."""

from __future__ import annotations

from math import sqrt
from typing import Final

import msgspec
from msgspec.structs import replace

from cabinet.bench.fairness.paths import PathKind
from cabinet.bench.fairness.tally import DEAD_HEAT, EVERY, LEADS, Count, Tally
from cabinet.bench.fairness.ways import BRIDGE, CABINET, PATHS
from cabinet.bench.figures import Spread, in_ms

LIVE_MOST: Final = 2_000
LIVE_LEAST: Final = 100
LIVE_SHARE: Final = 10
"""In real time a tenth of the races is run, within these bounds."""

CERTAIN: Final = "told apart, in time: decided wrongly"
DEAD_HEAT_BAND: Final = 0.005
"""How far from a half of the dead heats either seat may be given (HOUSE.md, "What it must reach")."""
MOST_LATE: Final = 0.02
"""Share of the races that may be late. As `delivery.py` draws them, a slack that follows the lateness seen leaves
one in a hundred late. Were it many more, nothing would be shown by those that are left."""
CHANCE: Final = 3.1
"""Of few races chance alone moves a share: by more than so many standard deviations twice in a thousand."""


class LiveRaces(msgspec.Struct, frozen=True, kw_only=True):
    """How races were decided in real time."""

    tally: Tally
    """With `Claim`s as in virtual time, under the path `cabinet`."""
    races: int
    delay: Spread
    """From the instant at which a contact closed to the snapshot with its sign."""
    slack_ms: float
    """How far the source's watermark stayed behind the present; the median over the presses."""
    handed_over_late: Spread
    """How long after its instant a change was handed to the source."""
    frames_per_s: float
    """Drawn meanwhile, at 1920×1080."""
    collections: int
    """Times that garbage was collected by force."""
    busy_processes: int
    """Processes that kept the other cores busy."""


class Fairness(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found."""

    races: int
    """In virtual time; every tenth is an exact dead heat."""
    seed: int
    tally: Tally
    live: LiveRaces
    paths: tuple[PathKind, ...] = PATHS

    def certain(self, kind: PathKind = CABINET) -> Count:
        """One of this project's: races that the stamps tell apart, with everything delivered in time."""
        return self.tally.of(kind.key, EVERY, ["told_apart"])

    def level(self, kind: PathKind = CABINET) -> Count:
        """Exact dead heats that were delivered in time: the token decides all of them."""
        return self.tally.of(kind.key, [DEAD_HEAT], ["level"])

    def close(self, kind: PathKind = CABINET) -> Count:
        """Races with a lead within the errors of the stamps, delivered in time: the token decides them, too."""
        return self.tally.of(kind.key, LEADS, ["level"])

    def tied(self, kind: PathKind = CABINET) -> Count:
        """All races whose stamps touch, delivered in time."""
        return self.tally.of(kind.key, EVERY, ["level"])

    def late(self, kind: PathKind = CABINET) -> Count:
        """Races in which what decides was delivered later than promised."""
        return self.tally.of(kind.key, EVERY, ["late"])


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One finding in words."""

    name: str
    found: str
    wanted: str = ""
    is_met: bool | None = None
    """None: it is told, and nothing is wanted of it."""


def live_races(races: int) -> int:
    """How many races are run in real time when so many are in virtual time."""
    return min(LIVE_MOST, max(LIVE_LEAST, races // LIVE_SHARE))


def verdicts(found: Fairness) -> tuple[Verdict, ...]:
    """What was found of this project, on pins and on a bridge in virtual time, and in real time."""
    return (*virtual_verdicts(found), *bridge_verdicts(found), *live_verdicts(found.live))


def bridge_verdicts(found: Fairness) -> tuple[Verdict, ...]:
    """The same as `virtual_verdicts` of the buttons on a bridge."""
    return tuple(replace(one, name=f"on a bridge, {one.name}") for one in virtual_verdicts(found, BRIDGE))


def virtual_verdicts(found: Fairness, kind: PathKind = CABINET) -> tuple[Verdict, ...]:
    """What was found of one path of this project in virtual time."""
    certain, level, close = found.certain(kind), found.level(kind), found.close(kind)
    late, tied = found.late(kind), found.tied(kind)
    most_late = MOST_LATE + allowance(MOST_LATE, found.races)
    undecided = found.tally.of(kind.key, EVERY).undecided
    band = dead_heat_band(level.races)
    delays_ns = sorted(found.tally.late_ns.get(kind.key, ()))
    return (
        _none(CERTAIN, certain.wrong, certain.races),
        _none("presses that never came out", undecided, found.races),
        Verdict(
            name=f"of {level.races:,} exact dead heats, given to a",
            found=percent(level.given_to_a_share, 2),
            wanted=f"50 ± {band * 100:.2g} %",
            is_met=abs(level.given_to_a_share - 0.5) <= band,
        ),
        _none("stamps that touch: not decided by the token", tied.races - tied.by_token, tied.races),
        Verdict(
            name="of these with a lead, given to a",
            found=f"{percent(close.given_to_a_share, 2)} of {close.races:,}",
        ),
        Verdict(
            name="came later than promised, judged as it came",
            found=percent(late.races / found.races, 2),
            wanted=f"≤ {most_late * 100:.2g} %",
            is_met=late.races / found.races <= most_late,
        ),
        Verdict(name="… of these decided wrongly", found=f"{late.wrong:,} of {late.races:,}"),
        Verdict(name="… how late: median, worst", found=_median_and_worst(delays_ns)),
    )


def live_verdicts(live: LiveRaces) -> tuple[Verdict, ...]:
    """What was found of this project in real time."""
    every = live.tally.of(CABINET.key, EVERY)
    certain = live.tally.of(CABINET.key, EVERY, ["told_apart"])
    level, late = (live.tally.of(CABINET.key, EVERY, [claim]) for claim in ("level", "late"))
    delay = live.delay
    return (
        _none(f"in real time, {CERTAIN}", certain.wrong, certain.races),
        _none("in real time, presses without an answer", every.undecided, every.races),
        Verdict(name="in real time, dead heats by the stamps", found=f"{level.races:,}"),
        Verdict(name="in real time, an edge came late", found=f"{late.races:,}, {late.wrong:,} wrong"),
        Verdict(
            name=f"pin to snapshot, slack {live.slack_ms:.1f} ms: median, p99, worst",
            found=f"{delay.median:.1f}, {delay.p99:.1f}, {delay.max:.1f} ms",
        ),
        Verdict(
            name=f"frames meanwhile, {live.busy_processes} busy process(es), {live.collections} collections",
            found=f"{live.frames_per_s:.1f}/s",
        ),
    )


def dead_heat_band(dead_heats: int) -> float:
    """How far from a half a seat's share may be: half a percent, or what chance alone does where they are few."""
    return max(DEAD_HEAT_BAND, allowance(0.5, dead_heats))


def allowance(share: float, races: int) -> float:
    """How far chance alone moves a share of so many races."""
    return min(0.5, CHANCE * sqrt(share * (1 - share) / races)) if races else 0.5


def percent(share: float, places: int = 1) -> str:
    """A share for people."""
    return f"{share * 100:.{places}f} %"


def _none(name: str, count: int, of: int) -> Verdict:
    """None of them is wanted; of none at all nothing is shown."""
    return Verdict(name=name, found=f"{count:,} of {of:,}", wanted="0", is_met=None if of == 0 else count == 0)


def _median_and_worst(delays_ns: list[int]) -> str:
    if not delays_ns:
        return "–"
    return f"{in_ms(delays_ns[len(delays_ns) // 2]):.1f}, {in_ms(delays_ns[-1]):.1f} ms"
