"""The contests of people's matches, kept for the owner: who went first, by how much, and how it was decided.

One JSON object a line, the oldest first; the first line of a file says what kind it is. When the file is full it
becomes ``contests.jsonl.1``, in place of the one before, so that some thousands of contests are there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from cabinet.append_file import older
from cabinet.buttons.file_header import LONGEST_HEADER, Header, HeaderError, shown
from cabinet.panel import place_of
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
    """Kept contests cannot be read, or go into no such file; the text says where and why, in one line."""


class ContestFile:
    """Keeps the contests of a record as it is told. Belongs to one thread at a time."""

    def __init__(self, path: Path, now: Callable[[], datetime]) -> None:
        """`now` tells the time of day, with its zone. Nothing is opened yet."""
        self._path = path
        self._now = now
        self._game = ""

    def append(self, line: RecordLine) -> None:
        """Writes a contest through to the disk; other lines are only looked at.

        Raises OSError, and ContestError where the file is none of contests; it is then left as it is.
        """
        if isinstance(line, Began):
            self._game = line.game.name
        elif isinstance(line, Contended):
            self._write(msgspec.json.encode(KeptContest(self._now(), self._game, line)) + b"\n")

    def _write(self, text: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            self._mend(file)
            file.write(text)
            file.flush()
            os.fdatasync(file.fileno())
            is_full = file.tell() > FILE_LIMIT_BYTES
        if is_full:
            self._path.replace(older(self._path))

    def _mend(self, file: BinaryIO) -> None:
        """Sees that the file is one of contests, begun as a whole, and ends with a line feed."""
        file.seek(0)
        start = file.read(LONGEST_HEADER)
        if HEADER.line().startswith(start):
            file.truncate(0)
            file.write(HEADER.line())
            return
        _check_header(self._path, start.partition(b"\n")[0])
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.write(b"\n")


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
    _check_header(path, lines[0])
    for number, line in enumerate(lines[1:], start=2):
        contest = _contest(line)
        if contest is None:
            troubles.append(f"{path}:{number}: found no contest but {shown(line)}; it is left out")
        else:
            contests.append(contest)


def _contest(line: bytes) -> KeptContest | None:
    try:
        contest = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return contest if _can_have_been(contest) else None


def _can_have_been(contest: KeptContest) -> bool:
    """Whether both buttons are a seat's, and the time one that a clock on the wall can show."""
    lines = (contest.contended.first, contest.contended.second)
    return 1970 <= contest.at.year < 9999 and None not in map(place_of, lines)


def _check_header(path: Path, line: bytes) -> None:
    try:
        HEADER.check(line)
    except HeaderError as error:
        raise ContestError(f"{path}:1: {error}; move the file away, and a new one is begun") from error


_DECODER: Final = msgspec.json.Decoder(KeptContest)
