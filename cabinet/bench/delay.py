"""From a pin's change to the published snapshot, in real time, while the main thread draws the busiest picture.

Contacts close and bounce on mock pins at random instants that are planned beforehand; the thread that changes the
pins stands where lgpio's has its place. From there on all is the cabinet's own: source, game thread and window.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Event, Thread
from typing import Final

import msgspec

from cabinet.bench import busy
from cabinet.bench.figures import Spread, in_ms, spread_ms
from cabinet.buttons.edges import Deliver, Line, SourceStatus
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.intake import Intake
from cabinet.buttons.lines import PANEL_LINES
from cabinet.buttons.mock_board import MockBoard
from cabinet.game import Game, GameSettings
from cabinet.panel import place_of
from cabinet.service import THREAD_SWITCH_S
from cabinet.snapshot import Snapshot
from cabinet.workers import GameThread
from display.settings import DisplaySettings
from display.window import Pump, Window

MS: Final = 1_000_000
NS_IN_S: Final = 1_000_000_000
BEFORE_PRESSES_NS: Final = 3_000 * MS
"""For both to join and be ready, and for the window to make its pictures."""
AFTER_PRESSES_NS: Final = 200 * MS
START_PRESSES_MS: Final = (1_600, 1_800, 2_000, 2_200)
"""When the two STARTs are pressed in turn: joined, joined, ready, ready."""
APART_NS: Final = (8 * MS, 16 * MS)
"""Between two presses. Twelve lines in turn: each has opened and rested long before it closes again."""
HOLD_US: Final = 60_000
LINES: Final = tuple(line for line in PANEL_LINES if place_of(line) is not None)
LONGEST_SLEEP_S: Final = 0.05


class DecisionDelay(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of the way from a contact to the snapshot with its sign."""

    delay: Spread
    """Since the contact's first closing."""
    beyond_slack: Spread
    """The same less the source's slack at that time."""
    slack_ms: float
    """How far the source's watermark stayed behind the present; the median over the presses."""
    presses: int
    presses_unanswered: int
    """Presses whose sign was in no snapshot."""
    frames_per_s: float
    """Drawn meanwhile."""


def measure(*, presses: int = 1_200, rng: Random | None = None) -> DecisionDelay:
    """Makes so many presses, twelve milliseconds apart; to be called from the main thread.

    Takes three seconds more than the presses do.
    """
    rng = rng or Random(1)
    board = MockBoard(chance=Random(rng.getrandbits(32)))
    source = _WatchedSource(GpioZeroSource(board.settings, board.factory))
    game = Game(GameSettings(), [source], Intake(), Random(rng.getrandbits(32)))
    signs = _Signs(source)
    settings = DisplaySettings(driver="dummy", width=1_920, height=1_080)
    with _as_in_service(), _open(Window(settings)) as window:
        source.start(game.deliver)
        thread = GameThread(game, time.monotonic_ns, signs.see)
        thread.start()
        first_ns = time.monotonic_ns() + BEFORE_PRESSES_NS
        stamps = plan(board, first_ns, presses, rng)
        pins = _PinThread(board)
        pins.start()
        try:
            frames_per_s = _draw(window, first_ns, stamps[-1][1] + AFTER_PRESSES_NS)
        finally:
            pins.stop()
            thread.stop()
            source.close()
    return _sum_up(stamps, signs, frames_per_s)


def plan(board: MockBoard, first_ns: int, presses: int, rng: Random) -> list[tuple[Line, int]]:
    """Plans the STARTs and then the presses on the board; the lines of the latter and when they first close."""
    for number, at_ms in enumerate(START_PRESSES_MS):
        board.press(("a.spit", "b.spit")[number % 2], first_ns - BEFORE_PRESSES_NS + at_ms * MS)
    stamps = []
    at_ns = first_ns
    for number in range(presses):
        line = LINES[number % len(LINES)]
        board.press(line, at_ns, hold_us=HOLD_US)
        stamps.append((line, at_ns))
        at_ns += rng.randrange(*APART_NS)
    return stamps


def _draw(window: Window, from_ns: int, until_ns: int) -> float:
    """Draws until a host time; the frames per second since another."""
    scene = _BusyScene()

    def no_keys(_pump: Pump) -> None:
        pass

    window.run(scene.latest, no_keys, lambda: time.monotonic_ns() >= from_ns)
    frames_before, began_ns = window.frames_shown, time.monotonic_ns()
    window.run(scene.latest, no_keys, lambda: time.monotonic_ns() >= until_ns)
    return round((window.frames_shown - frames_before) * NS_IN_S / (time.monotonic_ns() - began_ns), 1)


def _sum_up(stamps: list[tuple[Line, int]], signs: _Signs, frames_per_s: float) -> DecisionDelay:
    answered = [stamp for stamp in stamps if stamp in signs.published_ns]
    delays_ns = [signs.published_ns[stamp] - stamp[1] for stamp in answered]
    beyond_ns = [signs.published_ns[stamp] - stamp[1] - signs.slack_ns[stamp] for stamp in answered]
    slacks_ns = sorted(signs.slack_ns[stamp] for stamp in answered)
    return DecisionDelay(
        delay=spread_ms(delays_ns),
        beyond_slack=spread_ms(beyond_ns),
        slack_ms=in_ms(slacks_ns[len(slacks_ns) // 2]),
        presses=len(stamps),
        presses_unanswered=len(stamps) - len(answered),
        frames_per_s=frames_per_s,
    )


@contextmanager
def _as_in_service() -> Iterator[None]:
    """Threads take turns, and rubbish is collected, as while the service runs."""
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(THREAD_SWITCH_S)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.setswitchinterval(interval_s)


@contextmanager
def _open(window: Window) -> Iterator[Window]:
    window.open()
    try:
        yield window
    finally:
        window.close()


class _BusyScene:
    """The busiest second again and again, in real time."""

    def __init__(self) -> None:
        self._published = busy.snapshots(0)

    def latest(self) -> Snapshot:
        now_ns = time.monotonic_ns()
        second_ns = now_ns - now_ns % busy.SECOND_NS
        if self._published[0][0] != second_ns:
            self._published = busy.snapshots(second_ns)
        return busy.latest(self._published, now_ns)


class _WatchedSource:
    """A source whose slack is looked at; only the game thread asks for it."""

    def __init__(self, source: GpioZeroSource) -> None:
        self._source = source
        self.name = source.name
        self.slack_ns = 0

    def start(self, deliver: Deliver) -> None:
        self._source.start(deliver)

    def status(self, now_ns: int) -> SourceStatus:
        status = self._source.status(now_ns)
        self.slack_ns = now_ns - status.watermark_ns
        return status

    def close(self) -> None:
        self._source.close()


class _Signs:
    """When the sign of each press was first published, and the slack then, by line and stamp."""

    def __init__(self, source: _WatchedSource) -> None:
        self._source = source
        self._newest = 0
        self.published_ns: dict[tuple[Line, int], int] = {}
        self.slack_ns: dict[tuple[Line, int], int] = {}

    def see(self, snapshot: Snapshot) -> None:
        """Called by the game thread with each new snapshot."""
        now_ns = time.monotonic_ns()
        newest = self._newest
        for sign in reversed(snapshot.signs):
            if sign.number <= newest:
                return
            self._newest = max(self._newest, sign.number)
            self.published_ns[sign.line, sign.at_ns] = now_ns
            self.slack_ns[sign.line, sign.at_ns] = self._source.slack_ns


class _PinThread:
    """Lets the planned changes of the contacts happen when their time has come."""

    def __init__(self, board: MockBoard) -> None:
        self._board = board
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="pins", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._stopping.is_set():
            due_ns = self._board.next_ns()
            if due_ns is None:
                return
            left_s = (due_ns - time.monotonic_ns()) / NS_IN_S
            if left_s > 0:
                time.sleep(min(left_s, LONGEST_SLEEP_S))
            self._board.run_until(time.monotonic_ns())
