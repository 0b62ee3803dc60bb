"""Buttons heard outside a game: whichever they are, through the same intake, until somebody has heard enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from rich.console import Console

from cabinet import sources
from cabinet.buttons.edges import Edge, Line, Source, SourceError, SourceStatus
from cabinet.buttons.intake import Intake, Taken
from cabinet.buttons.keyboard import KeyboardSource
from cabinet.config import Settings
from cabinet.sources import SourceName, Wired
from display.window import NoScreen, Window

ROUND_S: Final = 0.005


class Hearing:
    """What sources deliver, debounced and in order. `deliver` may be called from any thread."""

    def __init__(self, settings: Settings, sources: Sequence[Source]) -> None:
        self.sources = sources
        self.intake = Intake(settings.debounce, settings.arbiter)
        self.levels: dict[Line, bool] = {}
        """Which contacts are closed, by their last edges."""
        self.statuses: tuple[SourceStatus, ...] = ()
        """The sources', as of the last round."""
        self._inbox: SimpleQueue[Edge] = SimpleQueue()

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from the source."""
        self._inbox.put(edge)

    def round(self, now_ns: int) -> Taken:
        """Takes what came up to `now_ns`."""
        self.statuses = tuple([source.status(now_ns) for source in self.sources])
        edges = []
        while True:
            try:
                edges.append(self._inbox.get_nowait())
            except Empty:
                break
        for edge in edges:
            self.levels[edge.line] = edge.active
        return self.intake.take(edges, self.statuses, now_ns)


class Listener(Protocol):
    """Hears the buttons, round by round."""

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from the source; may be called from any thread."""

    def round(self, now_ns: int) -> bool:
        """Takes what came up to `now_ns`; whether to go on."""


ListenerOf = Callable[[Sequence[Source]], Listener]
"""Makes a listener that hears these sources."""


def hear(settings: Settings, name: SourceName, console: Console, listener_of: ListenerOf) -> int:
    """Lets a listener hear the buttons until it has heard enough, or until Ctrl-C; the exit status.

    What keeps the buttons from being heard is said in one line.
    """

    def say(text: str, style: str | None = None) -> None:
        console.print(text, style=style, highlight=False, markup=False, soft_wrap=True)

    try:
        wired = sources.find(
            name,
            lambda why: say(f"The keyboard is tested: {why}"),
            wants_lamps=False,
            encoder=settings.encoder,
            bridge=settings.bridge,
        )
        if wired is None:
            keys = KeyboardSource(settings.keyboard)
            listener = listener_of([keys])
            keys.start(listener.deliver)
            return _hear_keys(settings, console, keys, listener)
        try:
            if wired.instead_of is not None:
                say(wired.instead_of, "red")
            return _hear_wired(settings, console, wired, listener_of)
        finally:
            wired.close()
    except (SourceError, NoScreen) as error:
        say(str(error), "red")
        return 1
    except KeyboardInterrupt:
        return 0


def _hear_wired(settings: Settings, console: Console, wired: Wired, listener_of: ListenerOf) -> int:
    """A simulated bridge's buttons are pressed by keys."""
    heard = wired.sources(settings.gpio)
    listener = listener_of(heard)
    keys = wired.bridges.keys(settings.keyboard) if wired.bridges is not None else None
    try:
        for source in heard:
            source.start(listener.deliver)
        if keys is not None:
            return _hear_keys(settings, console, keys, listener)
        while listener.round(time.monotonic_ns()):
            time.sleep(ROUND_S)
    finally:
        for source in heard:
            source.close()
    return 0


def _hear_keys(settings: Settings, console: Console, keys: KeyboardSource, listener: Listener) -> int:
    """Keys come through a window of their own, as in the game."""
    window = Window(settings.display)
    window.open()
    console.print("Keys count while the empty window has the keyboard; Ctrl-Q there ends, too.")
    try:
        while True:
            pump = window.pump()
            if pump.wants_close:
                return 0
            keys.pumped(pump.from_ns, pump.to_ns, pump.changes)
            if not listener.round(time.monotonic_ns()):
                return 0
            time.sleep(ROUND_S)
    finally:
        window.close()
