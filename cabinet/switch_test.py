"""The switch test: what each button does, live on the terminal, for whoever has just wired it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table

from cabinet.bridges import compared
from cabinet.buttons.debounce import LineCounters
from cabinet.buttons.edges import Edge, Source, SourceStatus
from cabinet.buttons.intake import Taken
from cabinet.buttons.lines import PANEL_LINES
from cabinet.config import Settings
from cabinet.hearing import Hearing, hear
from cabinet.sources import SourceName

MICROSECOND_NS: Final = 1_000
HINT: Final = "Press every button, one after the other. Ctrl-C ends."
COLUMNS: Final = (
    "button", "level", "presses", "raw edges", "longest bounce, ms", "spikes",
    "lost", "made up", "in doubt", "late",
)  # fmt: skip
LEGEND: Final = (
    "lost: edges that were dropped · made up: edges that nobody saw; the level is right, the time a guess · "
    "in doubt: edges that may hide one before them · late: edges that came when their time was over"
)
"""What the last columns count, as in `LineCounters`."""


class SwitchTest:
    """Counts what the buttons do. Not thread-safe; `deliver` may be called from any thread."""

    def __init__(self, settings: Settings, *sources: Source) -> None:
        self._hearing = Hearing(settings, sources)
        self._taken: Taken | None = None

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from the source."""
        self._hearing.deliver(edge)

    def round(self, now_ns: int) -> bool:
        """Takes what came up to `now_ns`; it never ends by itself."""
        self._taken = self._hearing.round(now_ns)
        return True

    def table(self) -> Table:
        """All buttons, and what they have done since the start."""
        table = Table(
            title=HINT, caption="\n".join(self._notes()), box=box.SIMPLE, show_edge=False, padding=(0, 0, 0, 1)
        )
        for column in COLUMNS:
            longest = max(map(len, column.split()))
            table.add_column(column, justify="left" if column == "button" else "right", min_width=longest)
        counters = {counter.line: counter for counter in self._hearing.intake.counters()}
        for line in PANEL_LINES:
            counter = counters.get(line)
            level = "closed" if self._hearing.levels.get(line) else "open"
            table.add_row(line, level, *_figures(counter or LineCounters(line)), style=None if counter else "dim")
        return table

    def _notes(self) -> list[str]:
        """What is wrong, what the source as a whole has lost, and what the columns mean."""
        notes = [LEGEND]
        statuses, taken = self._hearing.statuses, self._taken
        if taken is None:
            return notes
        bound = compared(statuses)
        return [
            *(trouble.text for trouble in taken.troubles),
            *([] if bound is None else [bound]),
            "; ".join([*map(source_line, statuses), presses_line(taken)]),
            *notes,
        ]


def source_line(status: SourceStatus) -> str:
    """What a source has lost of all its buttons together, as far as it can tell."""
    return (
        f"{status.source}, as far as it can tell: edges lost or made up: {status.losses}, "
        f"merged with the next: {status.merged}, left out of a chatter: {status.left_out}"
    )


def presses_line(taken: Taken) -> str:
    """How many presses came late, or are known too badly."""
    return f"presses too late for their place: {taken.late_presses}, with a guessed time: {taken.wide_presses}"


def _figures(counter: LineCounters) -> list[str]:
    bounce = f"{counter.longest_bounce_ns / MICROSECOND_NS / 1000:.2f}" if counter.raw_edges else "–"
    figures = (
        counter.presses, counter.raw_edges, bounce, counter.spikes,
        counter.lost, counter.made_up, counter.in_doubt, counter.late,
    )  # fmt: skip
    return [str(figure) for figure in figures]


class _Shown(SwitchTest):
    """The test with its table on the terminal."""

    def __init__(self, settings: Settings, sources: Sequence[Source], live: Live) -> None:
        super().__init__(settings, *sources)
        self._live = live

    def round(self, now_ns: int) -> bool:
        goes_on = super().round(now_ns)
        self._live.update(self.table())
        return goes_on


def run(settings: Settings, name: SourceName) -> int:
    """Shows the test until Ctrl-C; the exit status."""
    console = Console()
    live = Live(console=console, refresh_per_second=10)

    def shown(sources: Sequence[Source]) -> SwitchTest:
        live.start()
        return _Shown(settings, sources, live)

    try:
        return hear(settings, name, console, shown)
    finally:
        live.stop()
