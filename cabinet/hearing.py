"""Buttons heard outside a game: whichever they are, through the same intake, until somebody has heard enough."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from rich.console import Console

from cabinet import sources
from cabinet.buttons.edges import Edge, Line, Source, SourceError, SourceStatus
from cabinet.buttons.intake import Intake, Taken
from cabinet.buttons.keyboard import KeyboardSource
from cabinet.config import Settings
from cabinet.sources import SourceName
from display.window import NoScreen, Window

ROUND_S: Final = 0.005


class Hearing:
    """What one source delivers, debounced and in order. `deliver` may be called from any thread."""

    def __init__(self, settings: Settings, source: Source) -> None:
        self.source = source
        self.intake = Intake(settings.debounce, settings.arbiter)
        self.levels: dict[Line, bool] = {}
        """Which contacts are closed, by their last edges."""
        self.status: SourceStatus | None = None
        """The source's, as of the last round."""
        self._inbox: SimpleQueue[Edge] = SimpleQueue()

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from the source."""
        self._inbox.put(edge)

    def round(self, now_ns: int) -> Taken:
        """Takes what came up to `now_ns`."""
        self.status = self.source.status(now_ns)
        edges = []
        while True:
            try:
                edges.append(self._inbox.get_nowait())
            except Empty:
                break
        for edge in edges:
            self.levels[edge.line] = edge.active
        return self.intake.take(edges, [self.status], now_ns)


class Listener(Protocol):
    """Hears the buttons, round by round."""

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from the source; may be called from any thread."""

    def round(self, now_ns: int) -> bool:
        """Takes what came up to `now_ns`; whether to go on."""


def hear(settings: Settings, name: SourceName, console: Console, listener_of: Callable[[Source], Listener]) -> int:
    """Lets a listener hear the buttons until it has heard enough, or until Ctrl-C; the exit status.

    What keeps the buttons from being heard is said in one line.
    """

    def say(text: str, style: str | None = None) -> None:
        console.print(text, style=style, highlight=False, markup=False, soft_wrap=True)

    try:
        wired = sources.find(
            name, lambda why: say(f"The keyboard is tested: {why}"), wants_lamps=False, encoder=settings.encoder
        )
        if wired is None:
            return _hear_keys(settings, console, listener_of)
        try:
            if wired.instead_of is not None:
                say(wired.instead_of, "red")
            return _hear_contacts(wired.source(settings.gpio), listener_of)
        finally:
            wired.close()
    except (SourceError, NoScreen) as error:
        say(str(error), "red")
        return 1
    except KeyboardInterrupt:
        return 0


def _hear_contacts(source: Source, listener_of: Callable[[Source], Listener]) -> int:
    listener = listener_of(source)
    try:
        source.start(listener.deliver)
        while listener.round(time.monotonic_ns()):
            time.sleep(ROUND_S)
    finally:
        source.close()
    return 0


def _hear_keys(settings: Settings, console: Console, listener_of: Callable[[Source], Listener]) -> int:
    """Keys come through a window of their own, as in the game."""
    source = KeyboardSource(settings.keyboard)
    listener = listener_of(source)
    source.start(listener.deliver)
    window = Window(settings.display)
    window.open()
    console.print("Keys count while the empty window has the keyboard; Ctrl-Q there ends, too.")
    try:
        while True:
            pump = window.pump()
            if pump.wants_close:
                return 0
            source.pumped(pump.from_ns, pump.to_ns, pump.changes)
            if not listener.round(time.monotonic_ns()):
                return 0
            time.sleep(ROUND_S)
    finally:
        window.close()
