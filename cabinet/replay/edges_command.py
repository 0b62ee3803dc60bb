"""The replay of kept edges as a command: as text, compared with the record beside them, or into a record anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from cabinet import record
from cabinet.kept_edges.edge_file import EdgesError, record_of
from cabinet.kept_edges.reading import Damage
from cabinet.record_file import RecordFile
from cabinet.replay.edges import Event, Played, play_again
from cabinet.replay.edges_check import Comparison, Recorded
from cabinet.replay.edges_words import Teller
from cabinet.replay.rematch import DifferenceError


def check(path: Path) -> int:
    """Plays everything again and compares each match with the record; the exit status."""
    matches = record_of(path)
    if matches is None:
        click.echo(f"{path}: is not named as --record names it, FILE.edges or FILE.edges.1; name it so", err=True)
        return 1
    try:
        comparison = Comparison(Recorded(matches))
    except OSError as error:
        click.echo(f"{matches}: cannot be read ({error.strerror}); lay the record beside its edges", err=True)
        return 1
    return _replay(path, lambda replay: _compare(replay, comparison))


def tell(path: Path) -> int:
    """Says every press, what came of it, and the results; the exit status."""
    return _replay(path, _tell)


def write(path: Path, to: Path) -> int:
    """Writes the record that the edges lead to, after what is in `to`; the exit status."""
    return _replay(path, lambda replay: _write(replay, to))


class _Replay:
    """The events of a file; what is damaged in it is said as it comes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.is_damaged = False

    def __iter__(self) -> Iterator[Event]:
        for event in play_again(self._path):
            if isinstance(event, Damage):
                click.echo(event.text, err=True)
                self.is_damaged |= not event.is_torn
            else:
                yield event


def _replay(path: Path, show: Callable[[Iterable[Event]], None]) -> int:
    replay = _Replay(path)
    try:
        show(replay)
    except DifferenceError as error:
        click.echo(f"{path}: {error}", err=True)
        return 1
    except (EdgesError, record.RecordError) as error:
        click.echo(str(error), err=True)
        return 1
    return 1 if replay.is_damaged else 0


def _compare(replay: Iterable[Event], comparison: Comparison) -> None:
    for event in replay:
        comparison.take(event)
    comparison.finish()
    counts = f"{_counted(comparison.presses, 'press', 'es')}, {_counted(comparison.matches, 'match', 'es')}"
    broken = comparison.broken_off
    breaks = f"; {broken} of them, broken off, as far as they go" if broken else ""
    click.echo(f"{counts}, all equal{breaks}")


def _counted(number: int, one: str, ending: str) -> str:
    return f"{number} {one}" + ("" if number == 1 else ending)


def _tell(replay: Iterable[Event]) -> None:
    teller = Teller()
    for event in replay:
        for line in teller.take(event):
            click.echo(line)
    for line in teller.rest():
        click.echo(line)


def _write(replay: Iterable[Event], to: Path) -> None:
    with RecordFile(to) as file:
        for event in replay:
            if isinstance(event, Played):
                for line in event.lines:
                    file.append(line)
