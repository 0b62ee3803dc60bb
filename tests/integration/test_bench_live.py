"""What the bench measures in real time: presses on a running cabinet, and a start in a process of its own."""

from __future__ import annotations

import sys

from cabinet.bench import bridge, delay, start, storm


def test_every_press_is_answered_after_the_slack_while_frames_are_drawn() -> None:
    interval_s = sys.getswitchinterval()
    decision = delay.measure(presses=36)
    assert (decision.presses, decision.presses_unanswered) == (36, 0)
    assert decision.slack_ms > 0
    assert 0 < decision.beyond_slack.median < decision.delay.median <= decision.delay.p99 <= decision.delay.max
    assert decision.frames_per_s > 0
    assert sys.getswitchinterval() == interval_s


def test_every_press_on_a_bridge_is_answered() -> None:
    found = bridge.measure(presses=36)
    assert (found.presses, found.presses_unanswered) == (36, 0)
    assert 0 < found.delay.median <= found.delay.p99 <= found.delay.max
    assert found.frames_per_s > 0


def test_no_press_that_the_kernel_told_is_lost_in_a_storm_and_frames_are_counted_beside_calm_ones() -> None:
    borne = storm.measure(seconds=2)
    assert borne.edges_per_s == 80_000
    assert borne.presses > 8
    assert borne.presses_lost == 0 or borne.edges_lost, "on a busy machine the kernel's full buffer drops edges"
    assert borne.storm.frames > 10
    assert borne.calm.frames > 10
    assert borne.storm.worst_ms > 0


def test_the_cabinet_shows_a_frame_and_says_how_much_memory_it_took() -> None:
    started = start.measure((1_280, 720), seconds=0.3)
    assert started.start_s > 0
    assert started.rss_mb > 20
    assert started.frames > 1
