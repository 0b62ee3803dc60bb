"""Kept edges on the disk: the newest, in two files of a limited size."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from cabinet.append_file import AppendFile, older, why_not_written
from cabinet.kept_edges.lines import HEADER, LineEncoder
from cabinet.kept_edges.thinning import Item
from cabinet.kept_edges.values import Beginning, Run

FILE_LIMIT_BYTES: Final = 32_000_000
"""A longer file becomes the older one when the next stretch begins: with it, some days of a cabinet are there."""
STRETCH_LIMIT_BYTES: Final = 2 * FILE_LIMIT_BYTES
"""A file in which one stretch has become so long is not written on: a line chatters without an end."""


class EdgesError(ValueError):
    """Kept edges cannot be read or written; the text says where and why, and what to do, in one line."""


class EdgeFile:
    """Appends stretches to a file, and begins one where there is none. Belongs to one thread at a time.

    A file that is full becomes ``….1``, in place of the one before, where a stretch begins.
    """

    def __init__(self, path: Path, run: Run, wall_ns: Callable[[], int]) -> None:
        """`wall_ns` tells nanoseconds since 1970 by the clock on the wall; nothing is decided by it.

        A last line that a power cut has torn is taken away, and the log says so. Raises EdgesError, in one line,
        when the file cannot be written or holds something else; it is then left as it is.
        """
        self._path = path
        self._wall_ns = wall_ns
        self._encoder = LineEncoder(run)
        self._file: AppendFile | None = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, item: Item) -> None:
        """Writes the next part of the run. Raises EdgesError, in one line, when it could not be written now."""
        begins = isinstance(item, Beginning)
        if begins:
            self._turn_over_if_full()
        if self._file is None:
            raise EdgesError(f"{self._path}: could not be begun anew; that is tried again when nobody plays")
        line = self._encoder.encode(item, self._wall_ns())
        if not begins and self._file.size() > STRETCH_LIMIT_BYTES:
            raise EdgesError(
                f"{self._path}: has become longer than {STRETCH_LIMIT_BYTES // 1_000_000} MB without a pause; "
                "it goes on when nobody plays; see with spit-cabinet buttons whether a button chatters"
            )
        self._file.append(line, begins=begins)

    def close(self) -> None:
        """Tries once more to write what is left, and frees the file. May be called twice. Raises EdgesError."""
        if self._file is not None:
            self._file.close()

    def _open(self) -> AppendFile:
        file = AppendFile(self._path, HEADER, EdgesError, "what is pressed")
        try:
            file.append(self._encoder.run(), begins=True)
        except EdgesError:
            file.close()
            raise
        return file

    def _turn_over_if_full(self) -> None:
        file = self._file
        if file is not None and file.size() <= FILE_LIMIT_BYTES:
            return
        self._file = None
        if file is not None:
            file.close()
            try:
                self._path.replace(older(self._path))
            except OSError as error:
                raise EdgesError(why_not_written(older(self._path), error)) from error
        self._file = self._open()


def beside(record: Path) -> Path | None:
    """Where the edges of the matches in `record` are kept; None when that is no file on a disk."""
    try:
        is_file = stat.S_ISREG(record.stat().st_mode)
    except OSError:
        is_file = True
    return record.with_name(record.name + ".edges") if is_file else None


def record_of(path: Path) -> Path | None:
    """Where the matches are whose edges `path` keeps, by its name; None when the name does not say it."""
    name = path.name.removesuffix(".1")
    return path.with_name(name.removesuffix(".edges")) if name.endswith(".edges") else None
