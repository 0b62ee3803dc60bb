"""Reads a file of kept edges, and passes over what is damaged in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from cabinet.append_file import is_json
from cabinet.buttons.file_header import LONGEST_HEADER, HeaderError, shown
from cabinet.kept_edges.edge_file import EdgesError
from cabinet.kept_edges.lines import HEADER, Line, LineDecoder, LineError

LONGEST_LINE: Final = 32_000_000
"""No line is longer, in bytes: half a second in which all lines chatter as fast as they can takes 2 MB."""
_NAME_ANOTHER: Final = "name a file of edges that this program's --record has written"


class Damage(msgspec.Struct, frozen=True):
    """Something in the file cannot be read; what follows belongs to another stretch."""

    text: str
    """Where, what was found and what follows from it, in one line."""
    is_torn: bool
    """It is the end of the file, as a power cut leaves it: nothing that is whole is lost."""


def read(path: Path) -> Iterator[Line | Damage]:
    """What a file says, from its beginning. Raises EdgesError, in one line, when it holds no kept edges."""
    try:
        with path.open("rb") as file:
            yield from _lines(path, file)
    except OSError as error:
        raise EdgesError(f"{path}: cannot be read ({error.strerror}); {_NAME_ANOTHER}") from error


def is_of_edges(path: Path) -> bool:
    """Whether the first line says that a file holds edges; False when it cannot be read."""
    try:
        with path.open("rb") as file:
            header = file.readline(LONGEST_HEADER)
    except OSError:
        return False
    return HEADER.kind.encode() in header


def _lines(path: Path, file: BinaryIO) -> Iterator[Line | Damage]:
    try:
        HEADER.check(file.readline(LONGEST_HEADER).removesuffix(b"\n"))
    except HeaderError as error:
        raise EdgesError(f"{path}:1: {error}; {_NAME_ANOTHER}") from error
    decoder = LineDecoder()
    is_lost = False
    number = 1
    while text := file.readline(LONGEST_LINE):
        number += 1
        if not text.endswith(b"\n") and not is_json(text):
            yield Damage(
                f"{path}:{number}: its last line was cut off, by a power cut perhaps; it is left out", True
            )
            return
        text = text.removesuffix(b"\n")
        if is_lost and decoder.kind_of(text) not in ("run", "began"):
            continue
        try:
            line = decoder.decode(text)
        except LineError as error:
            decoder.skip()
            if not is_lost:
                where = f"{path}:{number}: {error}: {shown(text)}"
                yield Damage(f"{where}; from there to the next beginning nothing can be played again", False)
            is_lost = True
            continue
        is_lost = False
        yield line
