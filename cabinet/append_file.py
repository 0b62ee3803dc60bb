"""A file of lines to which run after run appends: records, and kept edges."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Final

import msgspec

from cabinet.buttons.file_header import Header, HeaderError

log: Final = logging.getLogger(__name__)

UNWRITTEN_LIMIT_BYTES: Final = 4_000_000
"""With so much unwritten, after some hours of a full disk, what begins next is left out as a whole."""

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FIRST_LINE_LIMIT: Final = 4_096
_BLOCK: Final = 65_536


class AppendFile:
    """Appends lines, and begins a file with its header where there is none. Belongs to one thread at a time.

    Every line is handed to the system at once, so that a program that dies leaves whole lines. What could not be
    written is kept, and tried again with the next line.
    """

    def __init__(self, path: Path, header: Header, complain: Callable[[str], Exception], what: str) -> None:
        """A last line that a power cut has torn is taken away, and the log says so.

        `complain` makes of one line the error that is raised when the file cannot be written, is of another kind
        or is being written by another program; it is then left as it is. `what` says what is left out when the
        disk is full for hours.
        """
        self._path = path
        self._header = header
        self._complain = complain
        self._what = what
        self._unwritten = bytearray()
        self._leaves_out = False
        try:
            self._file = _open(path)
        except BlockingIOError as error:
            raise complain(f"{path}: another program is writing it; name another file") from error
        except OSError as error:
            raise complain(why_not_written(path, error)) from error
        try:
            if not self._is_on_disk() or not self._mend():
                self._unwritten += header.line()
            self._write()
        except OSError as error:
            self._file.close()
            raise complain(why_not_written(path, error)) from error
        except BaseException:
            self._file.close()
            raise

    def append(self, line: bytes, *, begins: bool) -> None:
        """Writes a line, after those that could not be written yet.

        `begins`: what is left out and what is not is decided anew. Raises the error, with one line, when it could
        not be written now or is left out.
        """
        if begins:
            self._leaves_out = len(self._unwritten) > UNWRITTEN_LIMIT_BYTES
        if not self._leaves_out:
            self._unwritten += line
        self._write()
        if self._leaves_out:
            raise self._complain(f"{self._path}: {self._what} is left out, because there was no room")

    def size(self) -> int:
        """How many bytes are on the disk; 0 when that cannot be told."""
        try:
            return os.fstat(self._file.fileno()).st_size
        except (OSError, ValueError):
            return 0

    def close(self) -> None:
        """Tries once more to write what is left, and frees the file. May be called twice.

        Raises the error, with one line, when that fails.
        """
        try:
            self._write()
        finally:
            self._unwritten.clear()
            self._file.close()

    def _write(self) -> None:
        try:
            while self._unwritten:
                del self._unwritten[: self._file.write(self._unwritten)]
        except OSError as error:
            raise self._complain(why_not_written(self._path, error)) from error

    def _is_on_disk(self) -> bool:
        return stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)

    def _mend(self) -> bool:
        """Sees that it is of its kind and ends with a line feed; False when it is empty, now or before."""
        header = self._header.line()
        self._file.seek(0)
        start = self._file.read(_FIRST_LINE_LIMIT)
        if len(start) < _FIRST_LINE_LIMIT and header[:-1].startswith(start.rstrip(b"\0")):
            self._file.truncate(0)
            return False
        self._check_header(start.partition(b"\n")[0])
        last_line = self._last_line()
        if last_line and is_json(last_line):
            self._unwritten += b"\n"
        elif last_line:
            self._file.truncate(self._file.seek(0, os.SEEK_END) - len(last_line))
            log.warning(
                "%s: its last line was cut off, by a power cut perhaps; its %d bytes are left out",
                self._path,
                len(last_line),
            )
        return True

    def _check_header(self, line: bytes) -> None:
        try:
            self._header.check(line)
        except HeaderError as error:
            raise self._complain(f"{self._path}: is left as it is: {error}; name another file") from error

    def _last_line(self) -> bytes:
        """What stands behind the last line feed."""
        last_line = b""
        position = self._file.seek(0, os.SEEK_END)
        while position and b"\n" not in last_line:
            size = min(position, _BLOCK)
            position -= size
            self._file.seek(position)
            last_line = self._file.read(size) + last_line
        return last_line.rpartition(b"\n")[2]


def older(path: Path) -> Path:
    """Where the lines before those in `path` are, of a file that was full and has been begun anew."""
    return path.with_name(path.name + ".1")


def _open(path: Path) -> FileIO:
    """Opens a file for nobody else to write; BlockingIOError: somebody does. A pipe needs somebody who reads."""
    if path.is_fifo():
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(descriptor, True)
        return FileIO(descriptor, "w")
    file = FileIO(path, "a+")
    try:
        if path.is_file():
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise
    except OSError as error:
        log.info("%s: cannot be locked (%s)", path, error.strerror)
    return file


def why_not_written(path: Path, error: OSError) -> str:
    """One line: what was found, and what to do."""
    what_to_do = "make room" if error.errno in _NO_ROOM else "name another file"
    return f"{path}: cannot be written ({error.strerror}); {what_to_do}"


def is_json(line: bytes) -> bool:
    """Whether a line is whole."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True
