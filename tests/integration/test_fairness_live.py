"""Races in real time, on mock pins and through the real threads."""

from __future__ import annotations

from cabinet.bench.fairness import live
from cabinet.bench.fairness.tally import EVERY


def test_every_race_in_real_time_has_two_answers_and_the_right_winner() -> None:
    found = live.measure(40, 1)
    every = found.tally.of("cabinet", EVERY)
    assert (found.races, every.races, every.undecided) == (40, 40, 0)
    certain = found.tally.of("cabinet", EVERY, ["told_apart"])
    assert (certain.wrong, certain.races > 5) == (0, True)
    assert 0 < found.slack_ms < found.delay.median <= found.delay.p99 <= found.delay.max
    assert found.frames_per_s > 0
    assert found.collections > 0
    assert found.busy_processes >= 1
