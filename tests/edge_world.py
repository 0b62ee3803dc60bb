"""A game that is given edges by sources with all their faults, as a Random draws them; and it played again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Final

from cabinet.buttons.arbiter import ArbiterSettings
from cabinet.buttons.bounce import FAMILIES, draw_trace
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.edges import HOST_CLOCK, Deliver, Edge, Line, Press, SourceStatus
from cabinet.buttons.intake import Intake, Taken
from cabinet.engine.games import CATALOGUE, game_named
from cabinet.engine.rules import Options
from cabinet.engine.table import SEATS
from cabinet.flow import FlowSettings
from cabinet.game import Game, GameSettings
from cabinet.kept_edges.edge_file import EdgeFile
from cabinet.kept_edges.reading import Damage
from cabinet.kept_edges.thinning import Item, Thinner
from cabinet.kept_edges.values import Beginning, Given, Run, Tap
from cabinet.panel import BUTTONS, START, line_of
from cabinet.players.robot import RobotSettings
from cabinet.record import RecordLine
from cabinet.replay.edges import BrokenOff, Played, StretchBegan, play_again
from cabinet.snapshot import Trouble

US: Final = 1_000
MS: Final = 1_000_000
S: Final = 1_000 * MS
STARTED_NS: Final = 5_000 * S


def drawn_run(rng: Random, sources: Iterable[str], *, hidden: bool = False) -> Run:
    """Settings with which much happens in little time."""
    names = rng.sample(list(CATALOGUE), 3)
    games = tuple(game_named(name, Options(hands="hidden") if hidden else Options()) for name in names)
    return Run(
        program="0",
        sources=tuple(sources),
        games=games,
        default=rng.randrange(3),
        flow=FlowSettings(
            robot_after_s=1,
            lobby_s=rng.randint(3, 8),
            ready_s=rng.randint(1, 3),
            away_s=rng.randint(3, 20),
            still_there_s=2,
            pause_s=3,
            again_after_s=1,
            result_s=3,
            show_s=rng.randint(2, 8),
            lessons=rng.random() < 0.5,
        ),
        robot=RobotSettings(strength="quick", show="quick"),
        layout=rng.choice(("side_by_side", "face_to_face")),
        debounce=DebounceSettings(),
        arbiter=ArbiterSettings(silent_ms=rng.choice((5, 25, 25, 200))),
    )


class FaultySource:
    """Reads in rounds, with a slack; is late, stalls, is lost, makes edges up, and may have a clock of its own."""

    def __init__(self, name: str, rng: Random, *, has_clock: bool = False) -> None:
        self.name = name
        self._rng = rng
        self.has_clock = has_clock
        self._clock = name if has_clock else HOST_CLOCK
        self._offset_ns = 3 * S if has_clock else 0
        self._deliver: Deliver = lambda _: None
        self._coming: list[tuple[int, Edge]] = []
        self._read_ns = STARTED_NS
        self._slack_ns = 2 * MS
        self._stalled_until_ns = 0
        self._behind_ns = 0
        self._lost_until_ns = 0
        self._losses = 0
        self._seq = 0

    def start(self, deliver: Deliver) -> None:
        self._deliver = deliver

    def close(self) -> None: ...

    def change(self, line: Line, closed: bool, at_ns: int) -> None:
        """A contact changes at a host time; how it is read is drawn."""
        rng = self._rng
        self._seq += 1
        made_up = rng.random() < 0.01
        err_ns = rng.randint(6, 20) * MS if made_up else rng.choice((0, 100 * US, 100 * US, 2 * MS))
        delay_ns = rng.choice((50 * US, 300 * US, 1 * MS, 1 * MS, rng.choice((1, 8, 40)) * MS))
        t_ns = at_ns - self._offset_ns
        self._coming.append((at_ns + delay_ns, Edge(self._clock, line, closed, t_ns, err_ns, self._seq, made_up)))
        self._coming.sort(key=lambda one: one[0])

    def run_until(self, now_ns: int) -> bool:
        """Rounds of reading up to a host time; whether anything was delivered."""
        rng, before = self._rng, self._seq_delivered()
        if rng.random() < 0.000_4:
            self._stalled_until_ns = now_ns + rng.choice((10, 30, 120, 400, 1_500)) * MS
            self._behind_ns = rng.choice((0, 5, 20, 100, 240)) * MS
        if rng.random() < 0.000_1:
            self._lost_until_ns = now_ns + rng.choice((20, 800, 2_000, 5_000)) * MS
        if rng.random() < 0.001:
            self._slack_ns = rng.choice((1, 2, 2, 2, 5, 15)) * MS
        if rng.random() < 0.001:
            self._losses += 1
        if self._clock != HOST_CLOCK and rng.random() < 0.05:
            self._offset_ns += rng.choice((1, -1, 1_000, -1_000, 200 * US, 30 * MS if rng.random() < 0.01 else 0))
        if (
            now_ns < max(self._stalled_until_ns, self._lost_until_ns)
            or now_ns - self._read_ns < rng.randint(0, 5) * MS
        ):
            return False
        if self._behind_ns and rng.random() < 0.01:
            self._behind_ns = 0
        self._read_ns = now_ns - rng.randint(0, 200) * US - self._behind_ns
        while self._coming and self._coming[0][0] <= self._read_ns:
            self._deliver(self._coming.pop(0)[1])
        return self._seq_delivered() != before

    def _seq_delivered(self) -> int:
        return self._seq - len(self._coming)

    def status(self, now_ns: int) -> SourceStatus:
        is_live = now_ns >= self._lost_until_ns
        has_clock = self._clock != HOST_CLOCK
        return SourceStatus(
            source=self.name,
            clock=self._clock,
            watermark_ns=self._read_ns - self._slack_ns,
            largest_err_ns=2 * MS,
            map_err_ns=200 * US if has_clock else 0,
            map_offset_ns=self._offset_ns,
            is_live=is_live,
            trouble=None if is_live else "The plug is out.",
            losses=self._losses,
        )


class WatchedIntake(Intake):
    """Remembers every press."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.debounce, run.arbiter)
        self.all_presses: list[Press] = []

    def take(self, edges: Iterable[Edge], statuses: Iterable[SourceStatus], now_ns: int) -> Taken:
        taken = super().take(edges, statuses, now_ns)
        self.all_presses += [press for cluster in taken.clusters for press in cluster]
        return taken


class CountingTap:
    """Counts the steps, and tells another tap."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self.steps = 0

    def began(self, beginning: Beginning) -> None:
        self._tap.began(beginning)

    def given(self, given: Given, *, robots_act: bool) -> None:
        self.steps += 1
        self._tap.given(given, robots_act=robots_act)

    def done(self, silent_ns: Sequence[int], unusual_presses: int, *, has_published: bool) -> None:
        self._tap.done(silent_ns, unusual_presses, has_published=has_published)

    def closed(self) -> None:
        self._tap.closed()


class World:
    """A game among faulty sources."""

    def __init__(self, seed: int, *, taps: bool = True) -> None:
        rng = self._rng = Random(seed)
        names = ["left", "right"][: rng.choice((1, 1, 2))]
        has_clock = rng.random() < 0.25
        self.sources = [
            FaultySource(name, rng, has_clock=has_clock and number == 0) for number, name in enumerate(names)
        ]
        self.run = drawn_run(rng, names, hidden=rng.random() < 0.3)
        self.lines: list[RecordLine] = []
        self.items: list[Item] = []
        self.intake = WatchedIntake(self.run)
        run = self.run
        settings = GameSettings(
            games=run.games, default=run.default, flow=run.flow, robot=run.robot, layout=run.layout
        )
        self.game = Game(settings, self.sources, self.intake, Random(rng.random()), self.lines.append)
        self.tap = CountingTap(Thinner(self.items.append, run.arbiter.silent_ms * MS))
        if taps:
            self.game.let_tap(self.tap)
        for source in self.sources:
            source.start(self.game.deliver)
        self.now_ns = STARTED_NS
        self._busy_until_ns = 0
        self._next_press_ns = STARTED_NS + 2 * S
        self.game.start(self.now_ns)

    def play(self, until_ns: int) -> None:
        """Lets time pass."""
        rng = self._rng
        while self.now_ns < until_ns:
            is_busy = self.now_ns < self._busy_until_ns
            self.now_ns += rng.randint(50, 600) * US if is_busy else rng.randint(500, 5_400) * US
            if rng.random() < 0.000_1:
                self.now_ns += rng.choice((30, 300, 1_100)) * MS
            if rng.random() < 0.000_3:
                self.game.report("x", rng.choice((None, Trouble("x", "Something."))))
            if self.now_ns >= self._next_press_ns:
                self._press()
            has_read = [source.run_until(self.now_ns) for source in self.sources]
            if any(has_read):
                self._busy_until_ns = self.now_ns + 40 * MS
            self.game.step(self.now_ns)

    def _press(self) -> None:
        rng = self._rng
        is_play = self.game.latest.scene == "match"
        self._next_press_ns = self.now_ns + int(rng.expovariate(1 / (120 * MS)))
        if not is_play and self.game.latest.scene != "lobby":
            self._next_press_ns += rng.choice((0, 5, 12)) * S
        elif rng.random() < 0.03:
            self._next_press_ns += rng.randint(2, 10) * S
        for _ in range(rng.choice((1, 1, 2))):
            button = rng.choice(BUTTONS) if rng.random() < (0.9 if is_play else 0.2) else START
            line = line_of(rng.choice(SEATS), button) if rng.random() < 0.97 else "service"
            at_ns = self.now_ns + rng.randint(0, 300) * US
            source = self.sources[-1] if line.startswith("b") else self.sources[0]
            hold_us = rng.choice((60_000, 60_000, 60_000, 400_000, 20_000_000 if rng.random() < 0.02 else 1_000))
            for us, closed in draw_trace(rng, rng.choice(FAMILIES), hold_us):
                source.change(line, bool(closed), at_ns + us * US)


class Replayed:
    """What comes of a file of kept edges."""

    def __init__(self, path: Path) -> None:
        self.lines: list[RecordLine] = []
        self.presses: list[Press] = []
        self.steps = 0
        self.stretches = 0
        self.breaks = 0
        self.damages: list[Damage] = []
        for event in play_again(path):
            if isinstance(event, Damage):
                self.damages.append(event)
            elif isinstance(event, Played):
                self.lines += event.lines
                self.presses += event.presses
                self.steps += event.given is not None
            else:
                self.stretches += isinstance(event, StretchBegan)
                self.breaks += isinstance(event, BrokenOff)


def write(path: Path, run: Run, items: Iterable[Item]) -> None:
    """A file of kept edges."""
    with EdgeFile(path, run, lambda: 1_900_000_000 * S) as file:
        for item in items:
            file.append(item)


def of_people(presses: Iterable[Press]) -> list[Press]:
    """The presses that no robot made."""
    return [press for press in presses if not press.line.startswith("robot.")]
