"""What is kept of people's matches while the cabinet runs, each kind by a consumer of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Final

from cabinet.contest_file import ContestFile
from cabinet.record import RecordLine
from cabinet.record_file import RecordFile
from cabinet.workers import Consumer

NOT_RECORDED: Final = "The match is not being recorded."
NOT_KEPT: Final = "Who was first is not being kept."

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


def _end_record(consumer: Consumer[RecordLine], file: RecordFile) -> None:
    """A file belongs to its consumer as long as that runs."""
    if consumer.stop():
        file.close()
