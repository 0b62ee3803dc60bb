"""A record on the disk, to which run after run appends its matches."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from cabinet import record
from cabinet.append_file import AppendFile


class RecordFile:
    """Appends to a record, and begins one where there is none. Belongs to one thread at a time.

    Every line is handed to the system at once, so that a program that dies leaves whole lines. What could not be
    written is kept, and tried again with the next line.
    """

    def __init__(self, path: Path) -> None:
        """A last line that a power cut has torn is taken away, and the log says so.

        Raises RecordError, in one line, when the file cannot be written or is no record; it is then left as it is.
        """
        self._encoder = record.LineEncoder()
        self._file = AppendFile(path, record.HEADER, record.RecordError, "the match in play")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, line: record.RecordLine) -> None:
        """Writes a line, after those that could not be written yet.

        Raises RecordError, in one line, when it could not be written now or its match is left out.
        """
        self._file.append(self._encoder.encode(line), begins=isinstance(line, record.Began))

    def close(self) -> None:
        """Tries once more to write what is left, and frees the file. May be called twice.

        Raises RecordError, in one line, when that fails.
        """
        self._file.close()
