"""`spit-cabinet simulate`: plays matches with a bar to watch, and prints their figures."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from typing import Any, Final, NoReturn

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cabinet.engine.games import Game
from cabinet.processes import cores
from cabinet.simulate import report, tournament
from cabinet.simulate.batch import Batch, play_batch
from cabinet.simulate.play import EndlessMatchError, PlayerKind

MATCHES: Final = 500
"""How many are played when nobody says it."""

EXIT_INTERRUPTED: Final = 130
"""What a shell expects of a program that ended by Ctrl-C."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How much is to be played, and how it is told."""

    matches: int | None
    """None: as many as a tournament plays of each pair, or `MATCHES`."""
    seed: int
    workers: int | None
    """How many processes play; None: one for each core. The figures do not depend on it."""
    as_json: bool


def simulate(game: Game, players: tuple[PlayerKind, PlayerKind], wanted: Wanted) -> None:
    """Plays matches of one game and prints their figures; ends the program with one line when it cannot."""
    matches = wanted.matches or MATCHES
    batch = Batch(rules=game.rules, a=players[0], b=players[1], matches=matches, seed=wanted.seed)
    with _Watched(matches) as watched:
        began_s = time.perf_counter()
        figures = play_batch(batch, wanted.workers or cores(), watched.tell)
        seconds = time.perf_counter() - began_s
    told = report.report_of(game, batch, figures, seconds)
    if wanted.as_json:
        _write_json(told)
    else:
        Console().print(report.as_table(told, game))


def hold_tournament(games: Sequence[Game], wanted: Wanted) -> None:
    """Plays every strength against the others in each game and prints who won how much; else as `simulate`."""
    total = sum(tournament.matches_of(game, wanted.matches) * len(tournament.PAIRS) for game in games)
    with _Watched(total) as watched:
        played = tournament.play_tournament(
            games, wanted.matches, wanted.seed, wanted.workers or cores(), watched.tell
        )
        reports = list(played)
    if wanted.as_json:
        _write_json(reports)
    else:
        Console().print(tournament.as_table(reports, wanted.seed))


class _Watched(AbstractContextManager["_Watched"]):
    """A bar on the standard error, and one line for what can go wrong meanwhile."""

    def __init__(self, matches: int) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("matches"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._progress.add_task("", total=matches)
        self._matches = matches
        self._played = 0

    def tell(self, matches: int) -> None:
        """So many more are played."""
        self._played += matches
        self._progress.advance(self._task, matches)

    def __enter__(self) -> _Watched:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._progress.stop()
        if isinstance(error, KeyboardInterrupt):
            _end(f"Stopped after {self._played} of {self._matches} matches.", EXIT_INTERRUPTED)
        if isinstance(error, EndlessMatchError):
            _end(f"{error}; no figures are told of matches that do not end", 1)
        if isinstance(error, BrokenProcessPool):
            _end("One of the processes that play was killed; there may be too little memory: try --workers 1", 1)


def _end(text: str, status: int) -> NoReturn:
    sys.stderr.write(text + "\n")
    raise SystemExit(status)


def _write_json(values: Any) -> None:
    sys.stdout.write(json.dumps(msgspec.to_builtins(values), indent=2) + "\n")
