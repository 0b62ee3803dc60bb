"""Whatever buttons, robots and sources do: what was kept of it leads to the same presses, matches and results."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.kept_edges.thinning import Steps
from cabinet.record import Began, Pressed, Seated
from tests.edge_world import STARTED_NS, Replayed, S, World, of_people, write

SEEDS: Final = st.integers(0, 1 << 32)
EVENTFUL: Final = (2, 10, 11, 30, 51)
"""Worlds in which it shows when a step is left out that is needed: each rule of the thinning decides in one."""


def played(seed: int, seconds: int) -> World:
    world = World(seed)
    world.play(STARTED_NS + seconds * S)
    world.game.close()
    return world


def check(world: World, directory: Path) -> Replayed:
    path = directory / "record.edges"
    write(path, world.run, world.items)
    replayed = Replayed(path)
    assert replayed.damages == []
    assert replayed.lines == world.lines
    assert of_people(replayed.presses) == of_people(world.intake.all_presses)
    return replayed


@settings(max_examples=12, deadline=None)
@given(SEEDS)
def test_what_was_kept_leads_to_the_same(seed: int) -> None:
    world = played(seed, 25)
    with TemporaryDirectory() as directory:
        replayed = check(world, Path(directory))
    assert replayed.steps < world.tap.steps


@pytest.mark.parametrize("seed", EVENTFUL)
def test_of_an_eventful_minute_too(seed: int, tmp_path: Path) -> None:
    world = played(seed, 60)
    replayed = check(world, tmp_path)
    assert replayed.stretches > 1
    assert replayed.steps < world.tap.steps * 0.7
    assert sum(isinstance(line, Pressed) for line in world.lines) > 8
    assert world.intake.late_log()


def test_the_eventful_minutes_are_what_they_are_called() -> None:
    worlds = [World(seed) for seed in EVENTFUL]
    assert any(len(world.sources) == 2 for world in worlds)
    assert any(source.has_clock for world in worlds for source in world.sources)
    seated = played(30, 60)
    assert sum(isinstance(line, Seated) for line in seated.lines) == 2


@settings(max_examples=5, deadline=None)
@given(SEEDS)
def test_a_file_cut_anywhere_leads_to_the_beginning_of_the_same(seed: int) -> None:
    world = played(seed, 30)
    rng = Random(seed)
    with TemporaryDirectory() as directory:
        path = Path(directory) / "record.edges"
        write(path, world.run, world.items)
        whole = path.read_bytes()
        for length in rng.sample(range(len(whole) // 4, len(whole)), 6):
            path.write_bytes(whole[:length])
            replayed = Replayed(path)
            assert replayed.lines == world.lines[: len(replayed.lines)]
            assert [damage.is_torn for damage in replayed.damages] in ([], [True])


def test_without_the_thinning_the_same_matches_are_played() -> None:
    """Keeping edges changes nothing."""
    kept, free = World(30), World(30, taps=False)
    for world in (kept, free):
        world.play(STARTED_NS + 30 * S)
    assert any(isinstance(line, Began) for line in kept.lines)
    assert kept.lines == free.lines
    assert any(isinstance(item, Steps) for item in kept.items)
    assert free.items == []
