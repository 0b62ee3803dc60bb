"""A stretch of kept edges played again: by the game itself, from sources that deliver what was kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from cabinet.buttons.edges import Deliver, Edge, Press, SourceStatus
from cabinet.buttons.intake import Intake, Taken
from cabinet.game import Game, GameSettings
from cabinet.kept_edges.values import Beginning, Given, Run
from cabinet.record import RecordLine
from cabinet.replay.rematch import DifferenceError
from cabinet.replay.words import SECOND_NS
from cabinet.snapshot import Snapshot


class Stretch:
    """Plays what the game was given, step by step. Not thread-safe."""

    def __init__(self, run: Run, beginning: Beginning, keep: Callable[[RecordLine], None]) -> None:
        """`keep` is told the matches' record."""
        self._sources = [_KeptSource(name) for name in run.sources]
        self._intake = _WatchedIntake(run)
        settings = GameSettings(
            games=run.games, default=run.default, flow=run.flow, robot=run.robot, layout=run.layout
        )
        self._game = Game(settings, self._sources, self._intake, Random(beginning.seed), keep)
        self._reported = beginning.reported
        self._program = run.program
        self.now_ns = beginning.now_ns
        """Host time of the last step."""
        self._game.resume(beginning)

    @property
    def latest(self) -> Snapshot:
        """What the screen showed."""
        return self._game.latest

    @property
    def presses(self) -> tuple[Press, ...]:
        """Those that took their turn in the last step, in order, the robots' among them."""
        return self._intake.presses

    def step(self, given: Given, *, has_failed: bool = False) -> None:
        """Gives the game what it was given; `has_failed`: it ended in an exception then.

        Raises DifferenceError, in one line, when it fails now and did not then.
        """
        for key in self._reported.keys() | given.reported.keys():
            if self._reported.get(key) != given.reported.get(key):
                self._game.report(key, given.reported.get(key))
        self._reported = dict(given.reported)
        for source, status in zip(self._sources, given.statuses, strict=True):
            source.now = status
        for edge in given.edges:
            self._game.deliver(edge)
        self.now_ns = given.now_ns
        self._intake.presses = ()
        try:
            self._game.step(given.now_ns)
        except Exception as error:
            if not has_failed:
                where = f"at {given.now_ns / SECOND_NS:.6f} s ({type(error).__name__}: {error})"
                raise DifferenceError(
                    f"the game fails {where}, which it did not then, in program version {self._program}; "
                    "play it again with that version, and tell us of it"
                ) from error

    def close(self) -> None:
        """The game was closed."""
        self._game.close()


class _KeptSource:
    """Stands for a source: its status is the one that was kept."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.now: SourceStatus | None = None

    def start(self, deliver: Deliver) -> None:
        """Its edges are delivered by whoever reads them."""

    def status(self, now_ns: int) -> SourceStatus:
        """That of the step."""
        if self.now is None:
            raise ValueError(f"{self.name} has no status at {now_ns}")
        return self.now

    def close(self) -> None:
        """Nothing is open."""


class _WatchedIntake(Intake):
    """Remembers the presses of a round."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.debounce, run.arbiter)
        self.presses: tuple[Press, ...] = ()

    def take(self, edges: Iterable[Edge], statuses: Iterable[SourceStatus], now_ns: int) -> Taken:
        """One round."""
        taken = super().take(edges, statuses, now_ns)
        self.presses = tuple(press for cluster in taken.clusters for press in cluster)
        return taken
