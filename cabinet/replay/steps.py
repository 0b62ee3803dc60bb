"""The lines of a record, put together to the steps in which its matches went on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from cabinet.record import GO_ROUND, Began, Pressed, Readied, RecordError, RecordLine, Seated, State, read_numbered

NumberedLine = tuple[int, RecordLine]
"""A line, and its number in the file."""


class Start(msgspec.Struct, frozen=True):
    """A match began."""

    match: int
    """Which one of the file, from 1."""
    line: int
    began: Began


class Step(msgspec.Struct, frozen=True):
    """What was done at one time, what came of it, and the state after it."""

    lines: tuple[NumberedLine, ...]
    state: State
    """The last of the lines."""

    @property
    def begins_ns(self) -> int:
        """Match time of the first thing that was done; without any, that of the state."""
        done = [line.at_ns for _, line in self.lines if isinstance(line, Seated | Readied | Pressed)]
        return min(done, default=self.state.at_ns)


def steps_of(path: Path, only_match: int | None = None) -> Iterator[Start | Step]:
    """What the record in a file says, in its order, or what it says of one match, counted from 1.

    A step that a power cut has left without its state is passed over. Raises RecordError as reading does.
    """
    match = 0
    step: list[NumberedLine] = []
    for number, line in read_numbered(path, only_match):
        if isinstance(line, Began):
            match = only_match or match + 1
            yield Start(match, number, line)
            step = []
            continue
        if not match:
            raise RecordError(f"{path}:{number}: found a line of a match before any began; {GO_ROUND}")
        step.append((number, line))
        if isinstance(line, State):
            yield Step(tuple(step), line)
            step = []
