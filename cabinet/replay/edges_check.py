"""Matches that kept edges lead to, compared byte for byte with those of the record beside them."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Final

from cabinet.kept_edges.values import Run
from cabinet.record import Began, Ended, LineEncoder, Pressed
from cabinet.replay.edges import BrokenOff, Event, Played, StretchBegan
from cabinet.replay.rematch import DifferenceError

SHOWN_LIMIT: Final = 160
"""Characters of a line that are quoted where a match differs."""

_BEGAN: Final = b'{"line":"began"'


class Recorded:
    """The matches of a record, found by the line with which they begin."""

    def __init__(self, path: Path) -> None:
        """Raises OSError."""
        self.path = path
        self._places: dict[bytes, list[tuple[int, int]]] = {}
        """Of each beginning where it stands: the offset, and the number of the line."""
        with path.open("rb") as file:
            offset = 0
            for number, line in enumerate(file, start=1):
                if line.startswith(_BEGAN):
                    self._places.setdefault(line, []).append((offset, number))
                offset += len(line)

    def take(self, began: bytes) -> tuple[int, list[bytes]] | None:
        """The next match that begins so, each once: the number of its first line, and its lines."""
        places = self._places.get(began)
        if not places:
            return None
        offset, number = places.pop(0)
        lines = [began]
        with self.path.open("rb") as file:
            file.seek(offset + len(began))
            for line in file:
                if line.startswith(_BEGAN):
                    break
                lines.append(line)
        return number, lines


class Comparison:
    """Compares the matches as they come. Not thread-safe."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded = recorded
        self._encoder = LineEncoder()
        self._run: Run | None = None
        self._made: list[bytes] = []
        self._has_ended = False
        self.matches = 0
        self.presses = 0
        """Presses at the seats that play, the robots' among them."""
        self.broken_off = 0
        """Matches of which only the beginning is there, in the edges or in the record."""

    def take(self, event: Event) -> None:
        """The next part of the replay. Raises DifferenceError where a match is not as recorded."""
        if isinstance(event, StretchBegan):
            self.finish()
            self._run = event.run
        elif isinstance(event, BrokenOff):
            self.finish(is_broken_off=True)
        elif isinstance(event, Played):
            for line in event.lines:
                if isinstance(line, Began):
                    self.finish()
                self._made.append(self._encoder.encode(line))
                self.presses += isinstance(line, Pressed)
                self._has_ended |= isinstance(line, Ended)

    def finish(self, *, is_broken_off: bool = False) -> None:
        """The match is whole, or breaks off: then it is enough that its beginning is equal."""
        made, self._made = self._made, []
        has_ended, self._has_ended = self._has_ended, False
        if not made:
            return
        self.matches += 1
        found = self._recorded.take(made[0])
        if found is None:
            self.broken_off += is_broken_off
            if not is_broken_off:
                raise self._difference(f"is not in {self._recorded.path}: {_shown(made[0])}")
            return
        first, recorded = found
        self.broken_off += not has_ended or len(made) != len(recorded)
        for place, (ours, theirs) in enumerate(zip_longest(made, recorded)):
            if ours != theirs and not (is_broken_off and (ours is None or theirs is None)):
                where = f"{self._recorded.path}:{first + place}"
                raise self._difference(
                    f"{where}: the record has {_shown(theirs)}, the edges lead to {_shown(ours)}"
                )

    def _difference(self, what: str) -> DifferenceError:
        program = f", of program version {self._run.program}" if self._run is not None else ""
        return DifferenceError(f"match {self.matches} of the edges{program}, {what}")


def _shown(line: bytes | None) -> str:
    if line is None:
        return "nothing"
    text = line.decode("utf-8", "replace").rstrip("\n")
    return text if len(text) <= SHOWN_LIMIT else text[:SHOWN_LIMIT] + "…"
