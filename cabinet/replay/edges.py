"""Kept edges played again: stretch by stretch through the whole input path, the matches as they come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from cabinet.buttons.edges import Press
from cabinet.kept_edges.lines import Began
from cabinet.kept_edges.reading import Damage, read
from cabinet.kept_edges.thinning import Closed, Failed, Steps
from cabinet.kept_edges.values import Given, Run
from cabinet.record import RecordLine
from cabinet.replay.stretch import Stretch
from cabinet.snapshot import Snapshot


class StretchBegan(msgspec.Struct, frozen=True):
    """A stretch begins; nothing before it counts."""

    number: int
    """Which one of the file, from 1."""
    run: Run
    began: Began


class Played(msgspec.Struct, frozen=True):
    """A step was played again, or the game was closed."""

    given: Given | None
    """None: it was closed."""
    presses: tuple[Press, ...]
    """Those that took their turn, in order."""
    lines: tuple[RecordLine, ...]
    """What the record says of it."""
    latest: Snapshot
    """What the screen showed after it."""


class BrokenOff(msgspec.Struct, frozen=True):
    """The stretch ends before its end: by a power cut, at a damaged line, or where the program was killed."""


Event = StretchBegan | Played | BrokenOff | Damage


def play_again(path: Path) -> Iterator[Event]:
    """What comes of a file of kept edges.

    Raises, in one line, EdgesError when it is none, and DifferenceError when the game fails where it did not then.
    """
    player = _Player()
    for line in read(path):
        if isinstance(line, Steps):
            for given in line.steps:
                yield from player.play_waiting()
                player.waiting = given
            continue
        yield from player.play_waiting(has_failed=isinstance(line, Failed))
        if isinstance(line, Closed):
            yield from player.close()
        elif isinstance(line, Damage):
            yield from player.break_off()
            yield line
        elif isinstance(line, Run):
            yield from player.break_off()
            player.run = line
        elif isinstance(line, Began):
            yield player.begin(line)
    yield from player.play_waiting()
    yield from player.break_off()


class _Player:
    """A step waits until it is known whether it failed then."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self.waiting: Given | None = None
        self._stretch: Stretch | None = None
        self._stretches = 0
        self._is_closed = True
        self._lines: list[RecordLine] = []

    def begin(self, began: Began) -> StretchBegan:
        assert self.run is not None
        self._stretches += 1
        self._is_closed = False
        self._stretch = Stretch(self.run, began.beginning, self._lines.append)
        return StretchBegan(self._stretches, self.run, began)

    def play_waiting(self, *, has_failed: bool = False) -> Iterator[Played]:
        given, self.waiting = self.waiting, None
        if given is not None and self._stretch is not None:
            self._stretch.step(given, has_failed=has_failed)
            yield self._played(given, self._stretch.presses)

    def close(self) -> Iterator[Played]:
        if self._stretch is not None:
            self._stretch.close()
            self._is_closed = True
            yield self._played(None, ())

    def break_off(self) -> Iterator[BrokenOff]:
        if not self._is_closed:
            yield BrokenOff()
        self._stretch = None
        self._is_closed = True

    def _played(self, given: Given | None, presses: tuple[Press, ...]) -> Played:
        assert self._stretch is not None
        lines = tuple(self._lines)
        self._lines.clear()
        return Played(given, presses, lines, self._stretch.latest)
