"""Fingers on mock pins: presses at planned instants, with the contact traces of bounce.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import msgspec

from cabinet.buttons.bounce import Trace
from cabinet.buttons.edges import Line
from cabinet.buttons.mock_board import MockBoard
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import Seat
from cabinet.panel import START, Tap, line_of

US: Final = 1_000
MS: Final = MILLISECOND_NS

BETWEEN_TAPS_NS: Final = 160 * MS
"""From one press of a hand to its next: longer than every trace and the rest after it."""
SPIT_AHEAD_NS: Final = 30 * MS
"""How long before a stock button SPIT goes down when it is held with it: all traces of `HOLDING` are closed."""


def _from_first_closing(trace: list[list[int]]) -> Trace:
    first_us = trace[0][0]
    return [[us - first_us, closed] for us, closed in trace]


_TRACES: Final = json.loads((Path(__file__).parent / "bounce.json").read_text(encoding="utf-8"))["traces"]
TRACES: Final[dict[str, Trace]] = {name: _from_first_closing(trace) for name, trace in _TRACES.items()}
"""The traces of bounce.json, each moved so that its contact first closes at 0."""

HOLDING: Final = ("arcade_switch", "clean", "release_chatter", "worn")
"""Presses whose contact stays closed for at least 50 ms."""
PRESSES: Final = (*HOLDING, "fast_tap")
SPIKES: Final = ("spike", "burst_of_spikes")
"""No presses at all."""


class Finger(msgspec.Struct, frozen=True):
    """One press that somebody has decided on."""

    line: Line
    at_ns: int
    """Host time at which the contact first closes."""
    is_held: bool = False
    """Another button is pressed while this one is down."""


def fingers_for(taps: tuple[Tap, ...], seat: Seat, at_ns: int) -> list[Finger]:
    """The presses that make `taps`, from `at_ns` on."""
    fingers = []
    for tap in taps:
        if tap.with_spit:
            fingers.append(Finger(line_of(seat, START), at_ns, is_held=True))
            fingers.append(Finger(line_of(seat, tap.button), at_ns + SPIT_AHEAD_NS))
        else:
            fingers.append(Finger(line_of(seat, tap.button), at_ns))
        at_ns += BETWEEN_TAPS_NS
    return fingers


def move(board: MockBoard, line: Line, at_ns: int, trace: str) -> None:
    """The contact of `line` first closes at `at_ns` and bounces as that trace of bounce.json."""
    board.press(line, at_ns, TRACES[trace])
