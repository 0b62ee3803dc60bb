"""Many matches on all cores. What comes out does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

import msgspec

from cabinet.engine.rules import Rules
from cabinet.processes import in_processes
from cabinet.simulate.figures import Figures, swapped, together
from cabinet.simulate.play import EndlessMatchError, PlayerKind, play_match

LARGEST_PART: Final = 10
"""Matches that a process plays before it tells of them."""


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Matches of one game between two kinds of players."""

    rules: Rules
    a: PlayerKind
    b: PlayerKind
    matches: int
    seed: int
    """Each match has a seed of its own, made of this one and the match's number."""
    takes_turns: bool = False
    """In every other match the two change seats. The figures then are those of the players, not of the seats."""


class Part(msgspec.Struct, frozen=True):
    """Some matches of a batch, by their numbers from 0."""

    batch: Batch
    first: int
    end: int


def play_batch(batch: Batch, workers: int, tell: Callable[[int], None] = lambda _: None) -> Figures:
    """Plays a batch in so many processes, one: in this one; `tell` is told how many more matches are played.

    To be called in the main thread.
    Raises EndlessMatchError, and concurrent.futures' BrokenProcessPool when a process is killed.
    """
    parts = list(_parts(batch, workers))
    if workers == 1 or len(parts) == 1:
        return together([_told(play_part(part), tell) for part in parts])
    played = in_processes(play_part, parts, min(workers, len(parts)), lambda figures: tell(figures.matches))
    return together(played)


def _parts(batch: Batch, workers: int) -> Iterator[Part]:
    size = max(1, min(LARGEST_PART, batch.matches // (4 * workers)))
    for first in range(0, batch.matches, size):
        yield Part(batch, first, min(first + size, batch.matches))


def _told(figures: Figures, tell: Callable[[int], None]) -> Figures:
    tell(figures.matches)
    return figures


def play_part(part: Part) -> Figures:
    """Plays some matches of a batch, one after another. Raises EndlessMatchError, naming the match."""
    return together([_play(part.batch, number) for number in range(part.first, part.end)])


def _play(batch: Batch, number: int) -> Figures:
    is_swapped = batch.takes_turns and number % 2 == 1
    kinds = (batch.b, batch.a) if is_swapped else (batch.a, batch.b)
    try:
        figures = play_match(batch.rules, kinds, Random(f"{batch.seed} {number}"))
    except EndlessMatchError as error:
        raise EndlessMatchError(f"match {number} of seed {batch.seed}: {error}") from error
    return swapped(figures) if is_swapped else figures
