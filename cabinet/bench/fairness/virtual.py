"""Many random races in virtual time, each through every path.

Races are drawn in batches, each with chance of its own from the seed and its number, and each on a stretch of time
of its own: the result depends on the seed and the number of races, not on how many processes work at it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import msgspec

from cabinet.bench.fairness.paths import PathKind
from cabinet.bench.fairness.races import RaceMaker
from cabinet.bench.fairness.tally import EVERY, Counter, Tally, together
from cabinet.bench.fairness.ways import RACED
from cabinet.processes import cores, in_processes

BATCH: Final = 250
"""Races on one stretch of time. In every other batch all edges come in time; in the others some come late."""
BATCHES_IN_PART: Final = 8
"""What a process works off before it answers."""
FEW: Final = 2 * BATCH
"""So many races are not worth a process."""


class Part(msgspec.Struct, frozen=True):
    """Some races, by the numbers of their batches, which begin with `first`."""

    seed: int
    first: int
    sizes: tuple[int, ...]
    """How many races each batch has."""
    paths: tuple[PathKind, ...] = RACED


def run_part(part: Part) -> Tally:
    """Runs the batches of a part, one after the other."""
    numbered = enumerate(part.sizes, part.first)
    return together([run_batch(part.seed, races, part.paths, number) for number, races in numbered])


def run_batch(seed: int, races: int, paths: Sequence[PathKind], number: int) -> Tally:
    """Batch `number` of all races that `seed` draws, with `races` in it, through `paths`."""
    rng = Random(f"{seed}/{number}")
    maker = RaceMaker(Random(rng.getrandbits(64)), is_calm=number % 2 == 0)
    made = [(kind.key, kind.make(Random(rng.getrandbits(64)))) for kind in paths]
    counter = Counter()
    for _ in range(races):
        race = maker.race()
        for key, path in made:
            counter.add(key, race, path.decide(race))
    return counter.tally()


def measure(
    races: int,
    seed: int,
    *,
    workers: int | None = None,
    paths: Sequence[PathKind] = RACED,
    tell: Callable[[int], None] = lambda _: None,
) -> Tally:
    """How all paths decide so many races, about 2,500 a second and core; to be called in the main thread.

    `workers`: in so many processes; one: in this one; None: one for each core. `tell` is told how many races more
    have been run. Raises concurrent.futures' BrokenProcessPool when a process is killed.
    """
    workers = workers or cores()
    sizes = [min(BATCH, races - first) for first in range(0, races, BATCH)]
    numbers = range(0, len(sizes), BATCHES_IN_PART)
    parts = [Part(seed, first, tuple(sizes[first : first + BATCHES_IN_PART]), tuple(paths)) for first in numbers]

    def tell_of(tally: Tally) -> None:
        tell(tally.of(paths[0].key, EVERY).races)

    if races <= FEW or workers == 1:
        return together([_told(run_part(part), tell_of) for part in parts])
    return together(in_processes(run_part, parts, min(workers, len(parts)), tell_of))


def _told(tally: Tally, tell: Callable[[Tally], None]) -> Tally:
    tell(tally)
    return tally
