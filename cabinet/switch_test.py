"""The switch test: what each button does, live on the terminal, for whoever has just wired it."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.live import Live
from rich.table import Table

from cabinet.buttons.edges import Edge, Source
from cabinet.buttons.lines import PANEL_LINES
from cabinet.config import Settings
from cabinet.hearing import Hearing, hear
from cabinet.sources import SourceName

MICROSECOND_NS: Final = 1_000
HINT: Final = "Press every button, one after the other. Ctrl-C ends."


class SwitchTest:
    """Counts what the buttons do. Not thread-safe; `deliver` may be called from any thread."""

    def __init__(self, settings: Settings, source: Source) -> None:
        self._hearing = Hearing(settings, source)
        self._troubles: tuple[str, ...] = ()

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from the source."""
        self._hearing.deliver(edge)

    def round(self, now_ns: int) -> bool:
        """Takes what came up to `now_ns`; it never ends by itself."""
        self._troubles = tuple(trouble.text for trouble in self._hearing.round(now_ns).troubles)
        return True

    def table(self) -> Table:
        """All buttons, and what they have done since the start."""
        table = Table(title=HINT, caption="\n".join(self._troubles) or None)
        for column in ("button", "level", "presses", "raw edges", "longest bounce", "spikes", "lost edges"):
            table.add_column(column, justify="left" if column == "button" else "right")
        counters = {counter.line: counter for counter in self._hearing.intake.counters()}
        for line in PANEL_LINES:
            counter = counters.get(line)
            level = "closed" if self._hearing.levels.get(line) else "open"
            if counter is None:
                table.add_row(line, level, "0", "0", "–", "0", "0", style="dim")
                continue
            bounce = f"{counter.longest_bounce_ns / MICROSECOND_NS / 1000:.2f} ms"
            figures = (counter.presses, counter.raw_edges, bounce, counter.spikes, counter.made_up)
            table.add_row(line, level, *map(str, figures))
        return table


class _Shown(SwitchTest):
    """The test with its table on the terminal."""

    def __init__(self, settings: Settings, source: Source, live: Live) -> None:
        super().__init__(settings, source)
        self._live = live

    def round(self, now_ns: int) -> bool:
        goes_on = super().round(now_ns)
        self._live.update(self.table())
        return goes_on


def run(settings: Settings, name: SourceName) -> int:
    """Shows the test until Ctrl-C; the exit status."""
    console = Console()
    live = Live(console=console, refresh_per_second=10)

    def shown(source: Source) -> SwitchTest:
        live.start()
        return _Shown(settings, source, live)

    try:
        return hear(settings, name, console, shown)
    finally:
        live.stop()
