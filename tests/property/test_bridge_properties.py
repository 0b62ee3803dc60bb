"""Random play over bad links: no press lost that was made while linked, none doubled, none misordered."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bridge_play import KEEPING_MEMORY, QUIET_LINK, Play, check

HOUR_MS = 3_600_000
seeds = st.integers(0, 2**32)


@settings(max_examples=4, deadline=None)
@given(seeds)
def test_bad_frames_alone_lose_nothing(seed: int) -> None:
    play = Play(seed, failures=()).run(6_000)
    check(play)
    assert len(play.made) == len(play.desk.presses)
    assert play.desk.status.losses == 0


@settings(max_examples=3, deadline=None)
@given(seeds)
def test_on_a_good_line_no_press_comes_late(seed: int) -> None:
    play = Play(seed, failures=(), faults=QUIET_LINK).run(6_000)
    check(play)
    assert play.desk.taken is not None
    assert (play.desk.taken.late_presses, play.desk.taken.wide_presses) == (0, 0)


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_stalls_resets_and_unpluggings_lose_no_press_that_was_made_while_linked(seed: int) -> None:
    check(Play(seed).run(15_000))


@settings(max_examples=4, deadline=None)
@given(seeds)
def test_a_device_that_keeps_its_memory_loses_no_edge(seed: int) -> None:
    play = Play(seed, failures=KEEPING_MEMORY).run(10_000)
    check(play)
    releases = sum(edge.made_up for edge in play.desk.edges)
    assert play.desk.status.losses == releases
    assert not any(edge.made_up and edge.active for edge in play.desk.edges)


@settings(max_examples=4, deadline=None)
@given(seeds, st.sampled_from((-50.0, 0.0, 50.0)))
def test_edges_keep_the_devices_exact_stamps_whatever_the_link_does(seed: int, ppm: float) -> None:
    play = Play(seed, failures=KEEPING_MEMORY, ppm=ppm).run(10_000)
    edges = [edge for edge in play.desk.edges if not edge.made_up]
    assert {edge.clock for edge in edges} == {"bridge 1"}
    assert {(edge.line, edge.active, edge.t_ns) for edge in edges} <= play.true_stamps()
    assert all(two.t_ns >= one.t_ns for one, two in pairwise(edges))
    assert len(edges) > 100


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_an_hour_of_unpluggings_resets_and_bad_frames(seed: int) -> None:
    play = Play(seed).run(HOUR_MS)
    check(play)
    assert len(play.made) > 20_000
    assert len(play.must_come()) > len(play.made) / 2
    assert len(play.boots) > 100
    assert len(play.desk.presses) < len(play.made), "some were made while nothing was plugged in"
