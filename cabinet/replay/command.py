"""The replay as a command: reads and counts the matches, has them shown, and says in one line what is wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import msgspec

from cabinet.record import Ended, RecordError
from cabinet.replay.rematch import DifferenceError, Rematch
from cabinet.replay.steps import Start, Step, steps_of
from cabinet.replay.words import SECOND_NS, start_in_words, step_in_words, timed


class ReplayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line says."""

    path: Path
    match: int | None = None
    """Only this match of the file, from 1; None: all of them."""
    speed: float | None = None
    """Times life; None: text as fast as it goes, a window as it was."""


class Tally:
    """Reads the matches, and counts what has been replayed of them."""

    def __init__(self, options: ReplayOptions) -> None:
        self._options = options
        self._states = 0
        self._open: int | None = None
        self._broken_off: list[int] = []
        self.matches = 0
        """How many have begun."""

    def steps(self) -> Iterator[Start | Step]:
        """Each step; it counts as replayed when the next one is asked for. Raises RecordError."""
        for item in steps_of(self._options.path, self._options.match):
            if isinstance(item, Start):
                self._leave()
                self._open = item.match
                self.matches += 1
            yield item
            if isinstance(item, Step):
                self._states += 1
                if any(isinstance(line, Ended) for _, line in item.lines):
                    self._open = None
        self._leave()

    def _leave(self) -> None:
        if self._open is not None:
            self._broken_off.append(self._open)
            self._open = None

    @property
    def counts(self) -> str:
        """How many matches and states were replayed."""
        return f"{_counted(self.matches, 'match', 'es')}, {_counted(self._states, 'state', 's')}"

    @property
    def breaks(self) -> str:
        """Which matches end before their end."""
        return "".join(f"; match {number} breaks off before its end" for number in self._broken_off)


def _counted(number: int, one: str, ending: str) -> str:
    return f"{number} {one}" + ("" if number == 1 else ending)


def run(options: ReplayOptions, show: Callable[[Tally, float | None], None]) -> int:
    """Replays the matches by `show`; the exit status. What is wrong with them is said in one line."""
    tally = Tally(options)
    try:
        show(tally, options.speed)
    except DifferenceError as error:
        click.echo(f"{options.path}: {error}", err=True)
    except RecordError as error:
        before = f"; before it: {tally.counts}" if tally.matches else ""
        click.echo(f"{error}{before}", err=True)
    else:
        return 0
    return 1


def check(tally: Tally, _speed: float | None = None) -> None:
    """Sees, as fast as it goes, whether the matches come out as recorded, and says how many do."""
    rematch: Rematch | None = None
    for item in tally.steps():
        if isinstance(item, Start):
            rematch = Rematch(item)
        elif rematch is not None:
            rematch.play(item)
    click.echo(f"{tally.counts}, all equal{tally.breaks}")


def show_as_text(tally: Tally, speed: float | None) -> None:
    """Says every press and event at its time."""
    rematch: Rematch | None = None
    pace = Pace(speed)
    for item in tally.steps():
        if isinstance(item, Start):
            rematch = Rematch(item)
            pace.begin()
            click.echo(start_in_words(item))
        elif rematch is not None:
            for at_ns, words in step_in_words(item, rematch.play(item)):
                pace.wait_until(at_ns)
                click.echo(timed(at_ns, words))


class Pace:
    """Match time at some speed."""

    def __init__(
        self,
        speed: float | None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`speed` is times life; None: nothing is waited for."""
        self._speed = speed
        self._clock_ns = clock_ns
        self._sleep = sleep
        self._began_ns = clock_ns()

    def begin(self) -> None:
        """Match time is 0 now."""
        self._began_ns = self._clock_ns()

    def wait_until(self, at_ns: int) -> None:
        """Waits for a match time."""
        if self._speed is not None:
            left_ns = at_ns / self._speed - (self._clock_ns() - self._began_ns)
            self._sleep(max(0.0, left_ns / SECOND_NS))
