"""All figures of HOUSE.md, "What it must reach", measured here and now: as a table, or as JSON."""

from __future__ import annotations

import gc
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table

from cabinet.bench import bridge, delay, engine, frames, sound, start, storm
from cabinet.bench import input as chattering
from cabinet.bench.bridge import BridgeDelay, NoBridgeAnswerError
from cabinet.bench.delay import DecisionDelay
from cabinet.bench.engine import EngineSpeed
from cabinet.bench.figures import Spread
from cabinet.bench.input import ChatterBorne
from cabinet.bench.sound import SoundDelay
from cabinet.bench.start import Start, StartError
from cabinet.bench.storm import StormBorne

MEDIAN_BEYOND_SLACK_MS: Final = 1.5
P99_BEYOND_SLACK_MS: Final = 4.0
"""How much longer than the source's slack a decision may take."""
LATE_BEYOND_CALM_PERCENT: Final = 1.0
"""How many more frames may come late in a storm than without it: six of the 600 in ten seconds."""
BRIDGE_P99_MS: Final = 15.0
"""From a contact of a bridge to the published snapshot (HOUSE.md, "What it must reach")."""
SOUND_HEARD_MS: Final = 15.0
"""From a published snapshot to the card's first sample: later, a sound no longer belongs to what is seen."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `spit-cabinet bench` measures."""

    engine: EngineSpeed
    input: ChatterBorne
    decision: DecisionDelay
    bridge: BridgeDelay
    storm: StormBorne
    sound: SoundDelay
    frame: Spread
    """At 1920×1080."""
    frame_720p: Spread
    """At 1280×720."""
    start: Start
    """At 1920×1080."""
    start_720p: Start
    """At 1280×720."""
    load: float
    """Of the machine before the run: processes at work on average over the last minute."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure, what it should be, and whether it is."""

    name: str
    measured: float
    unit: str
    wanted: float
    is_least: bool = False
    """Whether `wanted` is the least; else it is the most."""

    @property
    def is_met(self) -> bool:
        """Whether the figure is reached."""
        return self.measured >= self.wanted if self.is_least else self.measured <= self.wanted


def run(*, as_json: bool) -> None:
    """Measures everything, in 110 seconds or so, and prints it; what is being done goes to the standard error.

    Belongs to the main thread. Ends the program with one plain line when the cabinet does not start here, or when
    it does not answer a bridge.
    """
    try:
        measured = measure(tell=Console(stderr=True).print)
    except (StartError, NoBridgeAnswerError) as error:
        sys.exit(str(error))
    if as_json:
        sys.stdout.write(json.dumps(as_values(measured), indent=2) + "\n")
    else:
        Console().print(as_table(measured))


def measure(tell: Callable[[str], None]) -> Measured:
    """Measures one subject after the other; `tell` is told in one line what comes next.

    Engine, chatter and frames are measured in time of the processor, one core, so that other programs do not
    count; starts, the way from pin to snapshot and the storm in real time, in which they do.
    """
    load = os.getloadavg()[0]
    clock_ns = time.thread_time_ns
    tell("Start and memory, in a process of its own …")
    started = start.measure(frames.FULL_HD, seconds=4)
    started_720p = start.measure(frames.HD, seconds=2)
    tell("Engine …")
    engine_speed = engine.measure(clock_ns)
    tell("Chatter …")
    chatter = chattering.measure(clock_ns)
    gc.collect()
    tell("Frames …")
    frame, frame_720p = (frames.measure(clock_ns, size) for size in (frames.FULL_HD, frames.HD))
    tell("From pin to snapshot while the busiest picture is drawn, in real time …")
    decision = delay.measure()
    tell("From a bridge's contact to snapshot while the same is drawn, in real time …")
    bridge_delay = bridge.measure()
    tell("A storm on sixteen lines while the busiest picture is drawn, in real time …")
    storm_borne = storm.measure()
    tell("Sounds, in real time …")
    sound_delay = sound.measure()
    return Measured(
        engine=engine_speed,
        input=chatter,
        decision=decision,
        bridge=bridge_delay,
        storm=storm_borne,
        sound=sound_delay,
        frame=frame,
        frame_720p=frame_720p,
        start=started,
        start_720p=started_720p,
        load=load,
    )


def as_values(measured: Measured) -> dict[str, Any]:
    """The figures for machines."""
    decision = measured.decision
    return {
        "engine_actions_per_s": measured.engine.actions_per_s,
        "spit_match_ms": measured.engine.match_ms,
        "edges_per_s": measured.input.edges_per_s,
        "decision_ms": {**msgspec.to_builtins(decision.delay), "slack": decision.slack_ms},
        "frame_ms": msgspec.to_builtins(measured.frame),
        "start_s": measured.start.start_s,
        "rss_mb": measured.start.rss_mb,
        "rss_720p_mb": measured.start_720p.rss_mb,
        "frame_720p_ms": msgspec.to_builtins(measured.frame_720p),
        "decision_beyond_slack_ms": msgspec.to_builtins(decision.beyond_slack),
        "decision_reader_late_ms": msgspec.to_builtins(decision.reader_late),
        "decision_processor_wait_ms": decision.processor_wait_ms,
        "decision_presses": decision.presses,
        "decision_presses_unanswered": decision.presses_unanswered,
        "frames_per_s": decision.frames_per_s,
        "bridge_decision_ms": msgspec.to_builtins(measured.bridge.delay),
        "bridge_presses": measured.bridge.presses,
        "bridge_presses_unanswered": measured.bridge.presses_unanswered,
        "bridge_stamps_wrong_ms": measured.bridge.stamps_wrong_ms,
        "bridge_frames_per_s": measured.bridge.frames_per_s,
        "chatter_presses": measured.input.presses,
        "chatter_presses_lost": measured.input.presses_lost,
        "chatter_presses_made_up": measured.input.presses_made_up,
        **_storm_values(measured.storm),
        "sound_ms": msgspec.to_builtins(measured.sound.delay),
        "sound_heard_p99_ms": measured.sound.heard_p99_ms,
        "sounds": measured.sound.sounds,
        "sounds_unheard": measured.sound.unheard,
        "spit_match_actions": measured.engine.actions_a_match,
        "load_before": measured.load,
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "unmet": [figure.name for figure in figures(measured) if not figure.is_met],
    }


def _storm_values(borne: StormBorne) -> dict[str, Any]:
    return {
        "late_frames": {**msgspec.to_builtins(borne.storm), "share": borne.storm.share},
        "late_frames_calm": {**msgspec.to_builtins(borne.calm), "share": borne.calm.share},
        "late_frames_ratio": borne.late_ratio,
        "storm_edges_per_s": borne.edges_per_s,
        "storm_edges_left_out": borne.edges_left_out,
        "storm_edges_lost": borne.edges_lost,
        "storm_presses": borne.presses,
        "storm_presses_lost": borne.presses_lost,
        "storm_presses_misdated": borne.presses_misdated,
        "storm_decision_ms": msgspec.to_builtins(borne.delay),
        "storm_calm_decision_ms": msgspec.to_builtins(borne.calm_delay),
    }


def figures(measured: Measured) -> tuple[Figure, ...]:
    """Every figure with what HOUSE.md wants of it."""
    decision, chatter, borne = measured.decision, measured.input, measured.storm
    return (
        _least("engine: actions judged", measured.engine.actions_per_s, "/s", 50_000),
        _most("a self-played match of Spit", measured.engine.match_ms, "ms", 20),
        _least("chatter: edges taken", chatter.edges_per_s, "/s", 80_000),
        _most("chatter: presses lost", chatter.presses_lost, "", 0),
        _most("chatter: presses made up", chatter.presses_made_up, "", 0),
        _most(
            f"pin to snapshot, median (slack {decision.slack_ms} ms)",
            decision.delay.median, "ms", round(decision.slack_ms + MEDIAN_BEYOND_SLACK_MS, 3),
        ),
        _most("pin to snapshot, p99", decision.delay.p99, "ms", round(decision.slack_ms + P99_BEYOND_SLACK_MS, 3)),
        _most("pin to snapshot: unanswered", decision.presses_unanswered, "", 0),
        _least("frames drawn meanwhile, 1920×1080", decision.frames_per_s, "/s", 55),
        _most("through the bridge, p99", measured.bridge.delay.p99, "ms", BRIDGE_P99_MS),
        _most("through the bridge: unanswered", measured.bridge.presses_unanswered, "", 0),
        _least("storm, in real time: edges", borne.edges_per_s, "/s", 80_000),
        _most(f"storm: presses lost, of {borne.presses}", borne.presses_lost, "", 0),
        _most("storm: presses with another stamp", borne.presses_misdated, "", 0),
        _most(
            f"storm: late frames, beyond calm's {borne.calm.share} %",
            borne.late_beyond_calm, "%", LATE_BEYOND_CALM_PERCENT,
        ),
        _most("snapshot to sound card, p99", measured.sound.heard_p99_ms, "ms", SOUND_HEARD_MS),
        _most("frame at 1920×1080, median", measured.frame.median, "ms", 4),
        _most("frame at 1920×1080, p99", measured.frame.p99, "ms", 8),
        _most("frame at 1280×720, p99", measured.frame_720p.p99, "ms", 5),
        _most("start to first frame", measured.start.start_s, "s", 2),
        _most("memory at 1920×1080", measured.start.rss_mb, "MB", 150),
        _most("memory at 1280×720", measured.start_720p.rss_mb, "MB", 150),
    )  # fmt: skip


def _least(name: str, measured: float, unit: str, wanted: float) -> Figure:
    return Figure(name=name, measured=measured, unit=unit, wanted=wanted, is_least=True)


def _most(name: str, measured: float, unit: str, wanted: float) -> Figure:
    return Figure(name=name, measured=measured, unit=unit, wanted=wanted)


def as_table(measured: Measured) -> Table:
    """The figures for people, and how much other programs got in the way."""
    wait_ms = measured.decision.processor_wait_ms
    waited = "" if wait_ms is None else f" From pin to snapshot includes {wait_ms:,.0f} ms of it, in all."
    table = Table(
        title=f"This machine ({platform.machine()}, Python {platform.python_version()})",
        caption=f"Load before the run: {measured.load:.2f} on {os.cpu_count()} cores. "
        f"Where other programs keep a processor busy, real time gets worse.{waited}",
    )
    table.add_column("figure")
    for column in ("measured", "wanted"):
        table.add_column(column, justify="right")
    table.add_column("")
    for row in figures(measured):
        verdict = "met" if row.is_met else "[bold red]NOT MET[/]"
        bound = "≥" if row.is_least else "≤"
        table.add_row(
            row.name, _number(row.measured, row.unit), f"{bound} {_number(row.wanted, row.unit)}", verdict
        )
    return table


def _number(value: float, unit: str) -> str:
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
    return text + unit if unit.startswith("/") else f"{text} {unit}".rstrip()
