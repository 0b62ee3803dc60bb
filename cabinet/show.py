"""The demo as a command: in a window, or on a terminal with words and a picture at the end."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal

import msgspec
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cabinet import keeping, record, virtual
from cabinet.append_file import why_not_written
from cabinet.demo import Demo
from cabinet.engine.actions import Dealt, MatchOver, PilesTaken, RoundEnded, Scored
from cabinet.engine.games import SPIT, Game
from cabinet.engine.table import SEATS, PileView, StockView, View
from cabinet.engine.words import event_in_words
from cabinet.game import GameSettings
from cabinet.kept_edges.edge_file import EdgeFile, EdgesError, beside
from cabinet.kept_edges.values import Tap
from cabinet.players.robot import RobotSettings
from cabinet.record_file import RecordFile
from cabinet.snapshot import Snapshot
from display.screen import Screen
from display.settings import DisplaySettings
from display.window import NoScreen, Pump, Window

log: Final = logging.getLogger(__name__)

SECOND_NS: Final = 1_000_000_000
TERMINAL_STEP_NS: Final = SECOND_NS // 5
RESULT_SHOWN_NS: Final = 3 * SECOND_NS
"""How long a window shows the result before the demo ends."""
LONGEST_ROUND_NS: Final = 30 * 60 * SECOND_NS
"""No round of a demo takes so long, whatever is played; a demo in which one does has gone wrong."""
PICTURE_SIZE: Final = (1_920, 1_080)
PICTURE_KINDS: Final = (".png", ".jpg", ".jpeg", ".bmp", ".tga")


DemoSource = Literal["mock-pins", "simulated-bridge"]


class PictureError(Exception):
    """A picture cannot be written; the text says why and what to do, in one line."""


class ShowOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line says, and what is played."""

    game: Game = SPIT
    robot: RobotSettings = RobotSettings()
    headless: bool = False
    matches: int = 1
    seed: int = 1
    speed: float | None = None
    record_path: Path | None = None
    picture: Path | None = None
    source: DemoSource = "mock-pins"
    """What the robots' contacts are wired to."""


def run(options: ShowOptions) -> int:
    """Plays the matches; the exit status. What cannot be written is said before, in one line."""
    try:
        with ExitStack() as closing:
            if options.picture is not None:
                check_picture(options.picture)
            game = GameSettings(games=(options.game,), robot=options.robot)
            keep = None
            if options.record_path is not None:
                keep = closing.enter_context(RecordFile(options.record_path)).append
            _play(options, game, keep, _tap(options, game, closing))
    except NoScreen as error:
        log.error("%s; add --headless", error)
        return 3
    except (record.RecordError, EdgesError, PictureError) as error:
        log.error("%s", error)
        return 1
    return 0


def _tap(options: ShowOptions, game: GameSettings, closing: ExitStack) -> Tap | None:
    """Keeps the edges beside the record."""
    path = None if options.record_path is None else beside(options.record_path)
    if path is None:
        return None
    names = virtual.BRIDGE_SOURCES if options.source == "simulated-bridge" else virtual.SOURCES
    run = keeping.run_of(game, names)
    return keeping.tap_for(run, closing.enter_context(EdgeFile(path, run, time.time_ns)).append)


def _play(
    options: ShowOptions, game: GameSettings, keep: Callable[[record.RecordLine], None] | None, tap: Tap | None
) -> None:
    cabinet = virtual.BridgeCabinet if options.source == "simulated-bridge" else virtual.VirtualCabinet
    demo = Demo(game, options.seed, keep, tap, cabinet)
    table = _LastTable()
    demo.watch(table.see)
    try:
        if options.headless:
            _show_on_terminal(demo, options)
        else:
            _show_in_window(demo, options)
    finally:
        demo.close()
    if options.picture is not None:
        write_picture(table.snapshot or demo.latest, options.picture)
        Console().print(f"The table at the end: {options.picture}")


class _LastTable:
    """Remembers the table as it was last played on."""

    def __init__(self) -> None:
        self.snapshot: Snapshot | None = None

    def see(self, snapshot: Snapshot) -> None:
        if snapshot.scene == "match" and snapshot.view is not None and snapshot.view.phase == "play":
            self.snapshot = snapshot


def _show_in_window(demo: Demo, options: ShowOptions) -> None:
    """Virtual time follows real time, `speed` times as fast."""
    speed = options.speed or 1.0
    started_ns = time.monotonic_ns()
    over_at_ns: int | None = None

    def virtual_now_ns() -> int:
        return int((time.monotonic_ns() - started_ns) * speed)

    def latest() -> Snapshot:
        nonlocal over_at_ns
        demo.run_until(virtual_now_ns())
        if demo.matches_over >= options.matches and over_at_ns is None:
            over_at_ns = demo.now_ns
        return demo.latest

    def is_over() -> bool:
        return over_at_ns is not None and demo.now_ns >= over_at_ns + RESULT_SHOWN_NS

    def no_keys(_pump: Pump) -> None:
        pass

    window = Window(DisplaySettings(), clock=virtual_now_ns)
    window.open()
    try:
        window.run(latest, no_keys, is_over)
    finally:
        window.close()


def _show_on_terminal(demo: Demo, options: ShowOptions) -> None:
    console = Console()
    told = 0
    started_s = time.monotonic()
    was_in, limit_ns = (0, 0), LONGEST_ROUND_NS
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        while demo.matches_over < options.matches:
            demo.run_until(demo.now_ns + TERMINAL_STEP_NS)
            told = _tell_milestones(console, demo.latest, told)
            if (now_in := (demo.matches_over, _round_of(demo.latest))) != was_in:
                was_in, limit_ns = now_in, demo.now_ns + LONGEST_ROUND_NS
            if console.is_terminal and demo.latest.view is not None:
                live.update(table_in_words(demo.latest.view))
            if options.speed is not None:
                time.sleep(max(0.0, started_s + demo.now_ns / SECOND_NS / options.speed - time.monotonic()))
            if demo.now_ns > limit_ns:
                raise RuntimeError("the robots do not come to an end")


def _tell_milestones(console: Console, snapshot: Snapshot, told: int) -> int:
    """Says how rounds and matches went; the number of the last happening told."""
    for happening in snapshot.happenings:
        is_milestone = isinstance(happening.event, Dealt | RoundEnded | PilesTaken | Scored | MatchOver)
        if happening.number > told and is_milestone and snapshot.scene in ("match", "result"):
            console.print(f"{happening.at_ns / SECOND_NS:7.1f} s  {event_in_words(happening.event)}")
    return max([told, *(happening.number for happening in snapshot.happenings)])


def _round_of(snapshot: Snapshot) -> int:
    return snapshot.view.round if snapshot.view is not None else 0


def table_in_words(view: View) -> Table:
    """The table as a player sees it, for a terminal."""
    table = Table(title=f"round {view.round}: {'stuck' if view.is_stuck else view.phase}")
    table.add_column("seat")
    for number in range(1, len(view.a.stock) + 1):
        table.add_column(str(number), justify="center", min_width=5)
    is_speed = view.rules.game == "speed"
    table.add_column("draw pile" if is_speed else "spit cards", justify="right")
    for seat, pile in zip(SEATS, (view.left, view.right), strict=True):
        side = view.side(seat)
        stocks = [Text(_pile_in_words(stock) if stock.size else "") for stock in side.stock]
        table.add_row(seat, *stocks, str(side.draw_size if is_speed else side.spit_size))
        if pile is not None:
            table.caption = f"{table.caption or ''}  {seat}'s pile: {_pile_in_words(pile)}"
    return table


def _pile_in_words(pile: StockView | PileView) -> str:
    return f"{'··' if pile.top is None else pile.top}×{pile.size}"


def check_picture(path: Path) -> None:
    """Sees that a picture can be written there, and leaves everything as it is.

    Raises PictureError, in one line, for a name of no known kind, a place that cannot be written, or a full disk.
    """
    if path.suffix.lower() not in PICTURE_KINDS:
        raise PictureError(f"{path}: is no picture; let the name end in .png, .jpg, .bmp or .tga")
    width, height = PICTURE_SIZE
    is_new = not path.exists()
    try:
        with path.open("ab", buffering=0) as file:
            size = file.tell()
            try:
                room = memoryview(bytes(width * height * 4))
                while room:
                    room = room[file.write(room) :]
            finally:
                file.truncate(size)
                if is_new:
                    path.unlink()
    except OSError as error:
        raise PictureError(why_not_written(path, error)) from error


def write_picture(snapshot: Snapshot, path: Path, size: tuple[int, int] = PICTURE_SIZE) -> None:
    """Draws one snapshot into a picture file, without a screen. Raises PictureError with one plain line."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    import pygame  # noqa: PLC0415 - the driver must be chosen before

    pygame.display.init()
    surface = pygame.display.set_mode(size)
    now_ns = snapshot.at_ns + RESULT_SHOWN_NS  # when all movement has come to rest
    Screen(size, DisplaySettings(width=size[0], height=size[1])).draw(surface, snapshot, now_ns)
    try:
        pygame.image.save(surface, str(path))
    except (pygame.error, OSError) as error:
        raise PictureError(f"{path}: the picture could not be written ({error}); name another file") from error
    finally:
        pygame.display.quit()
