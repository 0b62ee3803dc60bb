"""A cabinet that runs in real time, while the main thread draws the busiest picture.

Contacts are changed by whoever measures: mock pins from threads of its own, or whatever its source reads. From the
source on all is the cabinet's own: source, game thread and window.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Final

from cabinet.bench import busy
from cabinet.buttons.edges import Deliver, Edge, Line, Source, SourceStatus
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
LINES: Final = tuple(line for line in PANEL_LINES if place_of(line) is not None)
"""The buttons of both seats."""


class RunningCabinet:
    """What is seen of a cabinet at work. Belongs to the main thread."""

    def __init__(self, source: Source, window: TimedWindow, rng: Random) -> None:
        self.source: Final = WatchedSource(source)
        self.signs: Final = Signs(self.source)
        self._window = window
        game = Game(GameSettings(), [self.source], Intake(), Random(rng.getrandbits(32)))
        self._thread = GameThread(game, time.monotonic_ns, self.signs.see)
        self.source.start(game.deliver)
        self._thread.start()

    @property
    def shown_ns(self) -> list[int]:
        """When each frame was shown, in host time."""
        return self._window.shown_ns

    def draw(self, from_ns: int, is_over: Callable[[], bool]) -> float:
        """Draws until it is over, or the game has failed, and a little longer.

        The frames per second from a host time until it was over.
        """
        window, scene = self._window, _BusyScene()

        def no_keys(_pump: Pump) -> None:
            pass

        def has_ended() -> bool:
            return self._thread.has_failed or is_over()

        window.run(scene.latest, no_keys, lambda: time.monotonic_ns() >= from_ns)
        frames_before, began_ns = window.frames_shown, time.monotonic_ns()
        window.run(scene.latest, no_keys, has_ended)
        ended_ns = time.monotonic_ns()
        frames_per_s = (window.frames_shown - frames_before) * NS_IN_S / (ended_ns - began_ns)
        window.run(scene.latest, no_keys, lambda: time.monotonic_ns() >= ended_ns + AFTER_PRESSES_NS)
        return round(frames_per_s, 1)

    def close(self) -> None:
        """Stops the game, and frees the pins."""
        self._thread.stop()
        self.source.close()


@contextmanager
def running(board: MockBoard, rng: Random) -> Iterator[RunningCabinet]:
    """A cabinet on the board's pins; else as `running_on`."""
    with running_on(GpioZeroSource(board.settings, board.factory), rng) as cabinet:
        yield cabinet


@contextmanager
def running_on(source: Source, rng: Random) -> Iterator[RunningCabinet]:
    """A cabinet whose buttons are on a source, with a window of 1920×1080 that nobody sees.

    It is closed at the end, and the source with it.
    """
    settings = DisplaySettings(driver="dummy", width=1_920, height=1_080)
    with _as_in_service(), _open(TimedWindow(settings)) as window:
        cabinet = RunningCabinet(source, window, rng)
        try:
            yield cabinet
        finally:
            cabinet.close()


def start_presses(first_ns: int) -> list[tuple[Line, int]]:
    """Which START is pressed when, in host time, so that a match is in play when presses begin at `first_ns`."""
    began_ns = first_ns - BEFORE_PRESSES_NS
    starts = ("a.spit", "b.spit")
    return [(starts[number % 2], began_ns + at_ms * MS) for number, at_ms in enumerate(START_PRESSES_MS)]


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


class TimedWindow(Window):
    """A window that notes when it has shown each frame."""

    def __init__(self, settings: DisplaySettings) -> None:
        super().__init__(settings)
        self.shown_ns: list[int] = []

    def show(self, snapshot: Snapshot, keys: Callable[[Pump], None] = lambda _pump: None) -> None:
        """Draws one snapshot and flips."""
        super().show(snapshot, keys)
        self.shown_ns.append(time.monotonic_ns())


@contextmanager
def _open(window: TimedWindow) -> Iterator[TimedWindow]:
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


class WatchedSource:
    """A source whose slack and promises are looked at; only the game thread asks for its status."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name = source.name
        self.slack_ns = 0
        self.late_ns: dict[tuple[Line, int], int] = {}
        """By line and stamp: how long after its stamp an edge was delivered that came later than promised."""
        self._deliver: Deliver | None = None
        self._promised_ns = 0

    def start(self, deliver: Deliver) -> None:
        """Begins to deliver."""
        self._deliver = deliver
        self._source.start(self._pass_on)

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything is delivered."""
        status = self._source.status(now_ns)
        self.slack_ns = now_ns - status.watermark_ns
        self._promised_ns = max(self._promised_ns, status.watermark_ns)
        return status

    def close(self) -> None:
        """Stops."""
        self._source.close()

    def _pass_on(self, edge: Edge) -> None:
        if edge.t_ns <= self._promised_ns:
            self.late_ns[edge.line, edge.t_ns] = time.monotonic_ns() - edge.t_ns
        if self._deliver is not None:
            self._deliver(edge)


class Signs:
    """When the sign of each press was first published, its number, and the slack then, by line and stamp."""

    def __init__(self, source: WatchedSource) -> None:
        self._source = source
        self._newest = 0
        self.published_ns: dict[tuple[Line, int], int] = {}
        self.slack_ns: dict[tuple[Line, int], int] = {}
        self.number: dict[tuple[Line, int], int] = {}
        """The smaller was judged first."""

    def see(self, snapshot: Snapshot) -> None:
        """Called by the game thread with each new snapshot."""
        now_ns = time.monotonic_ns()
        newest = self._newest
        for sign in reversed(snapshot.signs):
            if sign.number <= newest:
                return
            self._newest = max(self._newest, sign.number)
            self.number[sign.line, sign.at_ns] = sign.number
            self.published_ns[sign.line, sign.at_ns] = now_ns
            self.slack_ns[sign.line, sign.at_ns] = self._source.slack_ns
