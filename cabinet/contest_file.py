"""The contests of people's matches, kept for the owner: who went first, by how much, and how it was decided.

One JSON object a line, the oldest first; the first line of a file says what kind it is. When the file is full it
becomes ``contests.jsonl.1``, in place of the one before, so that some thousands of contests are there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from cabinet.buttons.file_header import Header, HeaderError, shown
from cabinet.record import Began, Contended, RecordLine

HEADER: Final = Header("spit-cabinet contests", 1)
FILE_NAME: Final = "contests.jsonl"
FILE_LIMIT_BYTES: Final = 500_000
"""About two thousand contests: an evening at least."""


class KeptContest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One contest, as it is kept."""

    at: datetime
    """By the clock on the wall, to find it again; it may be set, so nothing is decided by it."""
    game: str
    contended: Contended


class ContestError(ValueError):
    """Kept contests cannot be read; the text says where and why, in one line."""


class ContestFile:
    """Keeps the contests of a record as it is told. Belongs to one thread at a time."""

    def __init__(self, path: Path, now: Callable[[], datetime]) -> None:
        """`now` tells the time of day, with its zone. Nothing is opened yet."""
        self._path = path
        self._now = now
        self._game = ""

    def append(self, line: RecordLine) -> None:
        """Writes a contest through to the disk; other lines are only looked at. Raises OSError."""
        if isinstance(line, Began):
            self._game = line.game.name
        elif isinstance(line, Contended):
            self._write(msgspec.json.encode(KeptContest(self._now(), self._game, line)) + b"\n")

    def _write(self, text: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            size = file.tell()
            if not size:
                file.write(HEADER.line())
            elif not self._ends_whole(size):
                file.write(b"\n")
            file.write(text)
            file.flush()
            os.fdatasync(file.fileno())
            is_full = file.tell() > FILE_LIMIT_BYTES
        if is_full:
            self._path.replace(older(self._path))

    def _ends_whole(self, size: int) -> bool:
        with self._path.open("rb") as file:
            file.seek(size - 1)
            return file.read(1) == b"\n"


def older(path: Path) -> Path:
    """Where the contests before those in `path` are."""
    return path.with_name(path.name + ".1")


def read(path: Path) -> tuple[list[KeptContest], list[str]]:
    """The contests that are kept, the oldest first, and a line for everything that cannot be read.

    Raises ContestError for a foreign file or one that cannot be opened; none kept is no error.
    """
    contests: list[KeptContest] = []
    troubles: list[str] = []
    for one in (older(path), path):
        try:
            lines = one.read_bytes().splitlines()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ContestError(f"{one}: cannot be read ({error.strerror})") from error
        _read_into(contests, troubles, one, lines)
    return contests, troubles


def _read_into(contests: list[KeptContest], troubles: list[str], path: Path, lines: list[bytes]) -> None:
    if not lines:
        return
    try:
        HEADER.check(lines[0])
    except HeaderError as error:
        raise ContestError(f"{path}:1: {error}; move the file away, and a new one is begun") from error
    for number, line in enumerate(lines[1:], start=2):
        try:
            contests.append(_DECODER.decode(line))
        except (msgspec.DecodeError, RecursionError, ValueError):
            troubles.append(f"{path}:{number}: found no contest but {shown(line)}; it is left out")


_DECODER: Final = msgspec.json.Decoder(KeptContest)
