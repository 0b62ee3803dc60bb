"""What the bench measures is what it says, on a clock that is made up, and nothing of it is left out."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable
from io import StringIO
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from cabinet.bench import bridge, busy, delay, engine, frames, report, running, sound, start, storm
from cabinet.bench import input as chattering
from cabinet.bench.figures import Spread, spread_ms
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.intake import Intake
from cabinet.engine import judge
from cabinet.engine.actions import PilesTaken, Played, SlapOpened
from cabinet.engine.match import new_match
from cabinet.engine.rules import ARCADE
from cabinet.snapshot import Snapshot

MS = 1_000_000
QUICK = Spread(median=1.0, p99=2.0, max=3.0)
MEASURED = report.Measured(
    engine=engine.EngineSpeed(actions_per_s=90_000.0, match_ms=5.0, actions_a_match=300.0),
    input=chattering.ChatterBorne(edges_per_s=900_000.0, presses=1_600, presses_lost=0, presses_made_up=0),
    decision=delay.DecisionDelay(
        delay=Spread(median=3.5, p99=6.0, max=9.0), beyond_slack=QUICK, slack_ms=2.0, presses=1_200,
        presses_unanswered=0, frames_per_s=59.5, processor_wait_ms=12.0, reader_late=QUICK,
    ),
    bridge=bridge.BridgeDelay(
        delay=Spread(median=4.0, p99=15.0, max=20.0), presses=1_100, presses_unanswered=0, stamps_wrong_ms=0.1,
        frames_per_s=59.0,
    ),
    storm=storm.StormBorne(
        edges_per_s=80_000.0, presses=64, presses_lost=0, presses_misdated=0,
        storm=storm.LateFrames(frames=600, late=7, worst_ms=30.0),
        calm=storm.LateFrames(frames=600, late=1, worst_ms=26.0),
        delay=QUICK, calm_delay=QUICK, edges_lost=0, edges_left_out=15_000,
    ),
    sound=sound.SoundDelay(delay=QUICK, buffer_ms=5.3, heard_p99_ms=15.0, sounds=500, unheard=0, made_ms=900.0),
    frame=Spread(median=4.0, p99=8.0, max=30.0),
    frame_720p=Spread(median=2.0, p99=5.0, max=30.0),
    start=start.Start(start_s=0.5, rss_mb=150.0, frames=240),
    start_720p=start.Start(start_s=0.5, rss_mb=120.0, frames=240),
    load=0.25,
)  # fmt: skip
"""A machine that just meets every figure."""


def ticking(step_ns: int) -> Callable[[], int]:
    """A clock that goes on by one step whenever it is asked."""
    return itertools.count(0, step_ns).__next__


def test_the_spread_of_times() -> None:
    times_ns = [number * MS for number in range(1, 201)]
    assert spread_ms(times_ns[::-1]) == Spread(median=100.5, p99=198.0, max=200.0)
    assert spread_ms([1_234_567]) == Spread(median=1.235, p99=1.235, max=1.235)


def test_nothing_measured_has_no_spread() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        spread_ms([])


def test_a_played_match_ends_and_its_presses_are_all_accepted_again() -> None:
    began = new_match(ARCADE, Random(3))
    presses = engine.play(began, Random(4))
    assert len(presses) > 50
    match = began
    for seat, action, at_ns in presses:
        outcome = judge.press(match, seat, action, at_ns)
        assert outcome.refusal is None
        match = outcome.match
    assert match.is_over
    assert engine.judge_again(engine.Recorded(began, presses)) == match


def test_actions_a_second_are_those_of_one_round_and_a_match_s_time_that_of_one_match() -> None:
    speed = engine.measure(ticking(4 * MS), matches=3, rounds=5)
    assert speed.match_ms == 4.0
    assert speed.actions_per_s == pytest.approx(speed.actions_a_match * 3 / 0.004, rel=0.001)


def test_chatter_has_five_thousand_edges_a_second_on_each_of_sixteen_lines() -> None:
    edges, presses = chattering.chatter(0, 0, Random(1))
    assert len(set(chattering.LINES)) == 16
    assert len(edges) == 16 * 5_000 * chattering.PRESS_EVERY_NS // 1_000_000_000
    assert [edge.t_ns for edge in edges] == sorted(edge.t_ns for edge in edges)
    assert edges[-1].t_ns < chattering.PRESS_EVERY_NS - 10 * MS, "the line rests before the next press"
    assert sorted(line for line, _ in presses) == sorted(chattering.LINES)


def test_no_press_is_lost_in_chatter_and_edges_are_counted_by_the_time_that_taking_them_took() -> None:
    borne = chattering.measure(ticking(MS), seconds=1)
    assert (borne.presses, borne.presses_lost, borne.presses_made_up) == (160, 0, 0)
    assert borne.edges_per_s == 80_000, "1,000 steps of one millisecond"


def with_debounce(monkeypatch: pytest.MonkeyPatch, settings: DebounceSettings) -> chattering.ChatterBorne:
    monkeypatch.setattr(chattering, "Intake", lambda: Intake(settings))
    return chattering.measure(ticking(MS), seconds=1)


def test_presses_that_get_lost_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    borne = with_debounce(monkeypatch, DebounceSettings(confirm_us=1_000, confirm_window_us=1_000))
    assert borne.presses_lost == borne.presses == 160


def test_presses_that_nobody_made_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    borne = with_debounce(monkeypatch, DebounceSettings(release_us=1, lock_us=0))
    assert borne.presses_lost == 0
    assert borne.presses_made_up > 160


def test_the_busiest_second_has_two_flights_at_a_time_then_the_slap_and_the_piles() -> None:
    published = busy.snapshots(5 * busy.SECOND_NS)
    assert [at_ns for at_ns, _ in published] == sorted(at_ns for at_ns, _ in published)
    flights = [[one.event for one in newest_happenings(snapshot)] for _, snapshot in published]
    assert all(count_of(Played, events) == 2 for events in flights[: len(busy.PLAYS_MS)])
    assert count_of(SlapOpened, [event for events in flights for event in events]) == 1
    assert count_of(PilesTaken, [event for events in flights for event in events]) == 1
    assert all(at_ns < 6 * busy.SECOND_NS for at_ns, _ in published)


def newest_happenings(snapshot: Snapshot) -> list[Any]:
    return [one for one in snapshot.happenings if one.at_ns == snapshot.at_ns]


def count_of(kind: type, events: list[Any]) -> int:
    return sum(isinstance(event, kind) for event in events)


def test_the_latest_snapshot_is_the_newest_that_was_published() -> None:
    published = busy.snapshots(0)
    assert busy.latest(published, -1) is published[0][1]
    assert busy.latest(published, published[2][0]) is published[2][1]
    assert busy.latest(published, published[2][0] - 1) is published[1][1]
    assert busy.latest(published, busy.SECOND_NS) is published[-1][1]


def test_every_frame_is_timed_and_the_video_driver_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    assert frames.measure(ticking(3 * MS), frames.HD, seconds=1) == Spread(median=3.0, p99=3.0, max=3.0)
    assert "SDL_VIDEODRIVER" not in os.environ


def test_presses_are_spread_and_a_line_is_open_again_before_its_next() -> None:
    changes = delay.plan(3_000 * MS, 100, Random(1))
    assert [change.at_ns for change in changes] == sorted(change.at_ns for change in changes)
    starts = [change for change in changes if change.closes and not change.is_measured]
    assert [change.line for change in starts] == ["a.spit", "b.spit", "a.spit", "b.spit"]
    times_ns = [change.at_ns for change in changes if change.is_measured]
    assert len(times_ns) == 100
    assert times_ns[0] == 3_000 * MS
    assert all(8 * MS <= later - earlier < 16 * MS for earlier, later in itertools.pairwise(times_ns))
    for line in running.LINES:
        of_line = [change for change in changes if change.line == line]
        assert [change.closes for change in of_line] == [True, False] * (len(of_line) // 2)
        opened = zip(of_line[1::2], of_line[2::2], strict=False)
        assert all(closing.at_ns - opening.at_ns > 30 * MS for opening, closing in opened)


def test_waits_for_a_processor_are_those_of_threads_that_lived_all_the_time() -> None:
    assert delay.added_ns({"1": 10, "2": 20, "4": 5}, {"1": 13, "2": 24, "3": 99}) == 7
    assert delay.added_ns({}, {}) is None


def test_a_program_that_does_not_start_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(start.StartError, match=r"^the cabinet has not started: exit status 1$"):
        start.measure(frames.HD, seconds=0)
    with pytest.raises(SystemExit) as ended:
        report.run(as_json=True)
    assert ended.value.code == "the cabinet has not started: exit status 1"
    assert capfd.readouterr().out == ""


def test_json_has_every_key_and_says_what_is_not_met(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "measure", lambda tell: MEASURED)  # noqa: ARG005
    report.run(as_json=True)
    values = json.loads(capsys.readouterr().out)
    assert values["engine_actions_per_s"] == 90_000
    assert values["spit_match_ms"] == 5
    assert values["edges_per_s"] == 900_000
    assert values["decision_ms"] == {"median": 3.5, "p99": 6.0, "max": 9.0, "slack": 2.0}
    assert values["frame_ms"] == {"median": 4.0, "p99": 8.0, "max": 30.0}
    assert values["frame_720p_ms"] == {"median": 2.0, "p99": 5.0, "max": 30.0}
    assert values["start_s"] == 0.5
    assert values["rss_mb"] == 150
    assert values["frames_per_s"] == 59.5
    assert values["decision_presses"] == 1_200
    assert values["chatter_presses_lost"] == 0
    assert values["load_before"] == 0.25
    assert values["decision_processor_wait_ms"] == 12
    assert values["late_frames"] == {"frames": 600, "late": 7, "worst_ms": 30, "share": 1.167}
    assert values["late_frames_calm"] == {"frames": 600, "late": 1, "worst_ms": 26, "share": 0.167}
    assert values["late_frames_ratio"] == 4
    assert values["storm_presses_lost"] == 0
    assert (values["sound_heard_p99_ms"], values["sounds"], values["sounds_unheard"]) == (15.0, 500, 0)
    assert values["unmet"] == []


SLOW: list[tuple[str, report.Measured]] = [
    ("engine: actions judged", replace(MEASURED, engine=replace(MEASURED.engine, actions_per_s=49_999.0))),
    ("a self-played match of Spit", replace(MEASURED, engine=replace(MEASURED.engine, match_ms=20.1))),
    ("chatter: edges taken", replace(MEASURED, input=replace(MEASURED.input, edges_per_s=79_999.0))),
    ("chatter: presses lost", replace(MEASURED, input=replace(MEASURED.input, presses_lost=1))),
    ("chatter: presses made up", replace(MEASURED, input=replace(MEASURED.input, presses_made_up=1))),
    (
        "pin to snapshot, median (slack 2.0 ms)",
        replace(MEASURED, decision=replace(MEASURED.decision, delay=Spread(median=3.6, p99=6.0, max=9.0))),
    ),
    (
        "pin to snapshot, p99",
        replace(MEASURED, decision=replace(MEASURED.decision, delay=Spread(median=3.5, p99=6.1, max=9.0))),
    ),
    (
        "pin to snapshot: unanswered",
        replace(MEASURED, decision=replace(MEASURED.decision, presses_unanswered=1)),
    ),
    (
        "frames drawn meanwhile, 1920×1080",
        replace(MEASURED, decision=replace(MEASURED.decision, frames_per_s=54.9)),
    ),
    (
        "through the bridge, p99",
        replace(MEASURED, bridge=replace(MEASURED.bridge, delay=Spread(median=4.0, p99=15.1, max=20.0))),
    ),
    ("through the bridge: unanswered", replace(MEASURED, bridge=replace(MEASURED.bridge, presses_unanswered=1))),
    (
        "storm, in real time: edges",
        replace(MEASURED, storm=replace(MEASURED.storm, edges_per_s=79_999.0)),
    ),
    (
        "storm: presses lost, of 64",
        replace(MEASURED, storm=replace(MEASURED.storm, presses_lost=1)),
    ),
    (
        "storm: presses with another stamp",
        replace(MEASURED, storm=replace(MEASURED.storm, presses_misdated=1)),
    ),
    (
        "storm: late frames, beyond calm's 0.167 %",
        replace(MEASURED, storm=replace(MEASURED.storm, storm=replace(MEASURED.storm.storm, late=8))),
    ),
    (
        "snapshot to sound card, p99",
        replace(MEASURED, sound=replace(MEASURED.sound, heard_p99_ms=15.1)),
    ),
    ("frame at 1920×1080, median", replace(MEASURED, frame=replace(MEASURED.frame, median=4.1))),
    ("frame at 1920×1080, p99", replace(MEASURED, frame=replace(MEASURED.frame, p99=8.1))),
    ("frame at 1280×720, p99", replace(MEASURED, frame_720p=replace(MEASURED.frame_720p, p99=5.1))),
    ("start to first frame", replace(MEASURED, start=replace(MEASURED.start, start_s=2.1))),
    ("memory at 1920×1080", replace(MEASURED, start=replace(MEASURED.start, rss_mb=150.1))),
    ("memory at 1280×720", replace(MEASURED, start_720p=replace(MEASURED.start_720p, rss_mb=150.1))),
]


@pytest.mark.parametrize(("name", "measured"), SLOW, ids=[name for name, _ in SLOW])
def test_the_table_and_the_json_name_a_figure_that_is_not_met(name: str, measured: report.Measured) -> None:
    console = Console(record=True, width=140, file=StringIO())
    console.print(report.as_table(measured))
    unmet = [line for line in console.export_text().splitlines() if "NOT MET" in line]
    assert len(unmet) == 1
    assert name in unmet[0]
    assert report.as_values(measured)["unmet"] == [name]


def test_every_figure_has_its_row() -> None:
    names = [figure.name for figure in report.figures(MEASURED)]
    assert names == [name for name, _ in SLOW]
