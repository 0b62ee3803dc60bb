"""The switch test: what each button does, live on the terminal, for whoever has just wired it."""

from __future__ import annotations

import time
from queue import Empty, SimpleQueue
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.table import Table

from cabinet import sources
from cabinet.buttons.edges import Edge, Source, SourceError
from cabinet.buttons.intake import Intake
from cabinet.buttons.keyboard import KeyboardSource
from cabinet.buttons.lines import PANEL_LINES
from cabinet.config import Settings
from cabinet.sources import SourceName
from display.window import NoScreen, Window

MICROSECOND_NS: Final = 1_000
ROUND_S: Final = 0.005
HINT: Final = "Press every button, one after the other. Ctrl-C ends."


class SwitchTest:
    """Counts what the buttons do. Not thread-safe; `deliver` may be called from any thread."""

    def __init__(self, settings: Settings, source: Source) -> None:
        self._source = source
        self._intake = Intake(settings.debounce, settings.arbiter)
        self._inbox: SimpleQueue[Edge] = SimpleQueue()
        self._levels: dict[str, bool] = {}
        self._troubles: tuple[str, ...] = ()

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from the source."""
        self._inbox.put(edge)

    def round(self, now_ns: int) -> None:
        """Takes what came up to `now_ns`."""
        statuses = [self._source.status(now_ns)]
        edges = []
        while True:
            try:
                edges.append(self._inbox.get_nowait())
            except Empty:
                break
        for edge in edges:
            self._levels[edge.line] = edge.active
        taken = self._intake.take(edges, statuses, now_ns)
        self._troubles = tuple(trouble.text for trouble in taken.troubles)

    def table(self) -> Table:
        """All buttons, and what they have done since the start."""
        table = Table(title=HINT, caption="\n".join(self._troubles) or None)
        for column in ("button", "level", "presses", "raw edges", "longest bounce", "spikes", "lost edges"):
            table.add_column(column, justify="left" if column == "button" else "right")
        counters = {counter.line: counter for counter in self._intake.counters()}
        for line in PANEL_LINES:
            counter = counters.get(line)
            level = "closed" if self._levels.get(line) else "open"
            if counter is None:
                table.add_row(line, level, "0", "0", "–", "0", "0", style="dim")
                continue
            bounce = f"{counter.longest_bounce_ns / MICROSECOND_NS / 1000:.2f} ms"
            figures = (counter.presses, counter.raw_edges, bounce, counter.spikes, counter.made_up)
            table.add_row(line, level, *map(str, figures))
        return table


def run(settings: Settings, name: SourceName) -> int:
    """Shows the test until Ctrl-C; the exit status."""
    console = Console()

    def tell(why: str) -> None:
        console.print(f"The keyboard is tested: {why}", highlight=False)

    try:
        wired = sources.find(name, tell, wants_lamps=False, encoder=settings.encoder)
        if wired is None:
            return _run_keyboard(settings, console)
        if wired.instead_of is not None:
            console.print(wired.instead_of, style="red", highlight=False)
        try:
            return _run_pins(settings, wired.source(settings.gpio), console)
        finally:
            wired.close()
    except (SourceError, NoScreen) as error:
        console.print(str(error), style="red", highlight=False)
        return 1
    except KeyboardInterrupt:
        return 0


def _run_pins(settings: Settings, source: Source, console: Console) -> int:
    test = SwitchTest(settings, source)
    try:
        source.start(test.deliver)
        with Live(test.table(), console=console, refresh_per_second=10) as live:
            while True:
                test.round(time.monotonic_ns())
                live.update(test.table())
                time.sleep(ROUND_S)
    finally:
        source.close()


def _run_keyboard(settings: Settings, console: Console) -> int:
    """Keys come through a window of their own, as in the game."""
    source = KeyboardSource(settings.keyboard)
    test = SwitchTest(settings, source)
    source.start(test.deliver)
    window = Window(settings.display)
    window.open()
    console.print("Keys count while the empty window has the keyboard; Ctrl-Q there ends, too.")
    try:
        with Live(test.table(), console=console, refresh_per_second=10) as live:
            while True:
                pump = window.pump()
                if pump.wants_close:
                    return 0
                source.pumped(pump.from_ns, pump.to_ns, pump.changes)
                test.round(time.monotonic_ns())
                live.update(test.table())
                time.sleep(ROUND_S)
    finally:
        window.close()
