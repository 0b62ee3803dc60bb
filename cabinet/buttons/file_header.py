"""The first line of every file that the program keeps: what kind of file it is, and in which version of its form.

``{"kind":"spit-cabinet edges","version":1}``; what the lines after it mean is said by the room that writes them.
"""

from __future__ import annotations

from typing import Final

import msgspec

SHOWN_LIMIT: Final = 40
"""Characters of a line that are quoted when it is not understood."""


LONGEST_HEADER: Final = 1_000
"""No first line is longer, in bytes: of a file of another kind no more is read."""


class HeaderError(ValueError):
    """A file is of another kind or version; the text is the part of a line that says what was found."""


class Header(msgspec.Struct, frozen=True, gc=False):
    """What the first line says."""

    kind: str
    version: int

    def line(self) -> bytes:
        """The line as it is written, its line feed included."""
        return msgspec.json.encode(self) + b"\n"

    def check(self, line: bytes) -> None:
        """Sees that `line` is this header. Raises HeaderError."""
        try:
            found = msgspec.json.decode(line, type=Header)
        except (msgspec.DecodeError, RecursionError, ValueError):
            begins = self.line().decode().strip()
            raise HeaderError(f"found {shown(line)}; a file of {self.kind} begins with {begins}") from None
        if found.kind != self.kind:
            raise HeaderError(f"found a file of {_quoted(found.kind)}, and no file of {self.kind}")
        if found.version != self.version:
            program = "an older" if found.version < self.version else "a newer"
            raise HeaderError(
                f"found version {found.version} of {self.kind}, which {program} program wrote; "
                f"this one knows version {self.version}"
            )


def shown(line: bytes) -> str:
    """A line that was not understood, cut short, for a message."""
    text = line.decode("utf-8", "replace").strip("\r\n")
    return _quoted(text) if text else "an empty line"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= SHOWN_LIMIT else text[:SHOWN_LIMIT] + "…")
