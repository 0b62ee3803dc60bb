"""Many random races in virtual time, each through every path.

Races are drawn in batches, each with chance of its own from the seed and its number, and each on a stretch of time
of its own: the result depends on the seed and the number of races, not on how many processes work at it.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from random import Random
from typing import Final

from cabinet.bench.fairness.cabinet_path import CabinetPath
from cabinet.bench.fairness.paths import PathKind
from cabinet.bench.fairness.races import RaceMaker
from cabinet.bench.fairness.tally import Counter, Tally, together
from cabinet.bench.fairness.usual import FramePolling, HostReceiveTime, LockOut, RestThenKernel, RestThenLgpio

CABINET: Final = PathKind("cabinet", "this cabinet", "this cabinet", CabinetPath)
PATHS: Final = (
    CABINET,
    PathKind("frame_polling", "frame polling", "polled once a frame, a first", FramePolling),
    PathKind("rest_lgpio", "rest, lgpio", "waits for rest, lgpio's stamps", RestThenLgpio),
    PathKind("rest_kernel", "rest, kernel", "waits for rest, the kernel's stamps", RestThenKernel),
    PathKind("lock_out", "lock-out", "lock-out, stamped on delivery", LockOut),
    PathKind("host_receive", "USB, host time", "USB encoders, stamped by the host", HostReceiveTime),
)
"""Every way of reading buttons that is compared, this project's first."""

BATCH: Final = 250
"""Races on one stretch of time. In every other batch all edges come in time; in the others some come late."""
BATCHES_AT_ONCE: Final = 8
"""What a process works off before it answers."""
FEW: Final = 2 * BATCH
"""So many races are not worth a process."""


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


def measure(races: int, seed: int, *, processes: int | None = None, paths: Sequence[PathKind] = PATHS) -> Tally:
    """How all paths decide so many races. `processes`: None uses every core.

    About 2,500 races a second and core.
    """
    processes = processes or os.cpu_count() or 1
    sizes = [min(BATCH, races - first) for first in range(0, races, BATCH)]
    if races <= FEW or processes == 1:
        return together(_batches(seed, sizes, paths))
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=gc.freeze) as pool:
        job = partial(_batch, seed, paths)
        return together(pool.map(job, enumerate(sizes), chunksize=BATCHES_AT_ONCE))


def _batches(seed: int, sizes: Iterable[int], paths: Sequence[PathKind]) -> Iterable[Tally]:
    return (run_batch(seed, races, paths, number) for number, races in enumerate(sizes))


def _batch(seed: int, paths: Sequence[PathKind], numbered: tuple[int, int]) -> Tally:
    number, races = numbered
    return run_batch(seed, races, paths, number)
