"""Raw edges to and from a file: to see later what a switch did, and to play it again.

One JSON object a line. The first names the kind of file and its version, each other is an `Edge`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from cabinet.buttons.edges import Edge
from cabinet.buttons.file_header import Header, HeaderError, shown

HEADER: Final = Header("spit-cabinet edges", 1)
"""What the first line of a trace says."""


class TraceError(Exception):
    """A file is no trace; the text says where, what was found and what is allowed, in one line."""


class TraceWriter:
    """Writes edges as they come. Not thread-safe. A context manager.

    What was written reaches the disk when the writer is closed or its buffer is full; a file cut short by a power
    cut can be read up to its damaged last line with a text editor.
    """

    def __init__(self, path: Path) -> None:
        """Begins a new file, over an old one. Raises OSError."""
        self._encoder = msgspec.json.Encoder()
        self._file = path.open("wb")
        self._file.write(HEADER.line())

    def write(self, edge: Edge) -> None:
        """Append one edge. Raises OSError."""
        self._file.write(self._encoder.encode(edge) + b"\n")

    def close(self) -> None:
        """Write out the rest. May be called twice."""
        self._file.close()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def write_trace(path: Path, edges: Iterable[Edge]) -> None:
    """Write a whole trace. Raises OSError."""
    with TraceWriter(path) as writer:
        for edge in edges:
            writer.write(edge)


def read_trace(path: Path) -> tuple[Edge, ...]:
    """The edges of a file, in its order.

    Raises TraceError for a foreign or damaged file, OSError when it cannot be opened.
    """
    header, *lines = path.read_bytes().splitlines() or [b""]
    _check_header(path, header)
    decoder = msgspec.json.Decoder(Edge)
    edges = []
    for number, line in enumerate(lines, start=2):
        try:
            edge = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise TraceError(
                f"{path}:{number}: no edge but {shown(line)} ({error}); cut the file before this line"
            ) from error
        if edge.err_ns < 0:
            raise TraceError(f"{path}:{number}: err_ns is {edge.err_ns}; it must be 0 or more")
        edges.append(edge)
    return tuple(edges)


def _check_header(path: Path, line: bytes) -> None:
    try:
        HEADER.check(line)
    except HeaderError as error:
        raise TraceError(f"{path}:1: {error}; name a file of raw edges") from error
