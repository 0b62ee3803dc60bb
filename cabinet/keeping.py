"""What is kept while the cabinet runs: matches, contests and raw edges, each by a consumer of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Final

from cabinet.buttons.arbiter import ArbiterSettings
from cabinet.buttons.debounce import DebounceSettings
from cabinet.contest_file import ContestFile
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.game import GameSettings
from cabinet.kept_edges.edge_file import EdgeFile
from cabinet.kept_edges.thinning import Item, Thinner
from cabinet.kept_edges.values import Run, Tap
from cabinet.record import RecordLine
from cabinet.record_file import RecordFile
from cabinet.workers import Consumer

NOT_RECORDED: Final = "The match is not being recorded."
NOT_KEPT: Final = "Who was first is not being kept."
EDGES_NOT_KEPT: Final = "What is pressed is not being kept."

Keep = Callable[[RecordLine], None]
Report = Callable[[str, str | None], None]
"""Takes a key and a line of what is wrong, for the screen; None: no longer."""


def keep_matches(path: Path, closing: ExitStack, report: Report) -> Keep:
    """Keeps the matches in a file, until `closing`; what is wrong is reported under ``record``.

    Raises RecordError, in one line, when the file cannot be written at all.
    """
    file = RecordFile(path)
    consumer = Consumer("record", file.append, _reporting(report, "record", NOT_RECORDED))
    closing.callback(_end_record, consumer, file)
    return consumer.give


def keep_contests(path: Path, closing: ExitStack, report: Report) -> Keep:
    """Keeps the contests in a file, until `closing`; what is wrong is reported under ``contests``."""
    file = ContestFile(path, lambda: datetime.now().astimezone())
    consumer = Consumer("contests", file.append, _reporting(report, "contests", NOT_KEPT))
    closing.callback(consumer.stop)
    return consumer.give


def keep_edges(path: Path, run: Run, closing: ExitStack, report: Report) -> Tap:
    """Keeps what a game is given in a file, until `closing`; what is wrong is reported under ``edges``.

    Raises EdgesError, in one line, when the file cannot be written at all.
    """
    file = EdgeFile(path, run, time.time_ns)
    consumer = Consumer("edges", file.append, _reporting(report, "edges", EDGES_NOT_KEPT))
    closing.callback(_end_edges, consumer, file)
    return tap_for(run, consumer.give)


def tap_for(run: Run, keep: Callable[[Item], None]) -> Tap:
    """Tells `keep` what must be kept of what a game is given."""
    return Thinner(keep, run.arbiter.silent_ms * MILLISECOND_NS)


def run_of(
    settings: GameSettings,
    sources: Sequence[str],
    debounce: DebounceSettings | None = None,
    arbiter: ArbiterSettings | None = None,
) -> Run:
    """What decides as long as the program runs; `sources` by their names."""
    return Run(
        program=program_version(),
        sources=tuple(sources),
        games=settings.games,
        default=settings.default,
        flow=settings.flow,
        robot=settings.robot,
        layout=settings.layout,
        debounce=debounce or DebounceSettings(),
        arbiter=arbiter or ArbiterSettings(),
    )


def program_version() -> str:
    """This program's version, as it is installed."""
    try:
        return metadata.version("spit-cabinet")
    except metadata.PackageNotFoundError:
        return "not installed"


def together(keepers: Sequence[Keep]) -> Keep | None:
    """Tells each line to all of them; None when there is none."""
    if not keepers:
        return None

    def keep(line: RecordLine) -> None:
        for one in keepers:
            one(line)

    return keep


def _reporting(report: Report, key: str, meaning: str) -> Callable[[str | None], None]:
    return lambda text: report(key, None if text is None else f"{meaning} {text}")


def _end_edges(consumer: Consumer[Item], file: EdgeFile) -> None:
    if consumer.stop():
        file.close()


def _end_record(consumer: Consumer[RecordLine], file: RecordFile) -> None:
    """A file belongs to its consumer as long as that runs."""
    if consumer.stop():
        file.close()
