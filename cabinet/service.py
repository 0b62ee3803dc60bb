"""Starts and stops the cabinet: sources, game thread, window, lamps and record (HOUSE.md, Threads)."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom
from threading import Event
from typing import Any, Final

import msgspec

from cabinet import keeping, sources
from cabinet.bridges import Bridges, ClockNote
from cabinet.buttons.edges import Source, SourceError
from cabinet.buttons.gpio_lamps import GpioLamps
from cabinet.buttons.intake import Intake
from cabinet.buttons.keyboard import KeyboardSource
from cabinet.config import Settings
from cabinet.game import Game, GameSettings
from cabinet.kept_edges import edge_file
from cabinet.kept_edges.edge_file import EdgesError
from cabinet.record import RecordError
from cabinet.snapshot import Snapshot, Trouble
from cabinet.sources import SourceName, Wired
from cabinet.workers import Consumer, GameThread
from display.sound.player import SoundPlayer
from display.window import NoScreen, Pump, Window

log: Final = logging.getLogger(__name__)

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_NO_SCREEN: Final = 3
"""Exit status of `run` when there is no screen; deploy/play.sh knows it."""

THREAD_SWITCH_S: Final = 0.0001
"""How long one thread may hold up the others: drawing must not delay those that read and judge presses."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line says beyond the settings."""

    source: SourceName = "auto"
    headless: bool = False
    """Without a window; the buttons must come from pins or encoders."""
    record: Path | None = None
    """Where to keep the matches, after those that are there already; the edges that led to them beside it."""
    contests: Path | None = None
    """Where to keep the contests of people's matches; None: nowhere."""
    troubles: tuple[str, ...] = ()
    """What went wrong before the start, for the screen."""


class Service:
    """A cabinet on this machine's clock. `run` belongs to the main thread; `stop` may be called from any."""

    def __init__(
        self, settings: Settings, options: RunOptions, clock_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._settings = settings
        self._options = options
        self._clock_ns = clock_ns
        self._start_troubles = tuple(Trouble("settings", text) for text in options.troubles)
        self._stopping = Event()
        self._window: Window | None = None
        self._keyboard: KeyboardSource | None = None
        self._lamps: GpioLamps | Bridges | None = None
        self._record: Path | None = None
        self._hangs = False

    def stop(self) -> None:
        """Ends `run` soon."""
        self._stopping.set()

    @property
    def frames_shown(self) -> int:
        """Frames shown so far: a watchdog's sign that there is a picture. From any thread."""
        return self._window.frames_shown if self._window is not None else 0

    def run(self) -> int:
        """Plays until stopped; the exit status.

        Raises NoScreen or SourceError with one plain line when the cabinet cannot start. Whatever was
        opened is freed, in the opposite order, also when something goes wrong and when freeing a part of it fails.
        """
        sys.setswitchinterval(THREAD_SWITCH_S)
        with ExitStack() as closing:
            wired = sources.find(
                self._options.source,
                _keyboard_plays,
                wants_lamps=bool(self._settings.gpio.lamps),
                encoder=self._settings.encoder,
                bridge=self._settings.bridge,
            )
            if wired is not None:
                closing.callback(wired.close)
            if not self._options.headless:
                self._open_window(closing, has_keys=wired is None or wired.has_keys)
            thread = self._start(closing, self._open_sources(closing, wired))
            self._wait(thread)
        return EXIT_FAILED if thread.has_failed or self._hangs else EXIT_OK

    def _open_window(self, closing: ExitStack, *, has_keys: bool) -> None:
        labels = key_labels(self._settings) if has_keys else {}
        window = Window(self._settings.display, labels, report=self._report_drawing, clock=self._clock_ns)
        closing.callback(window.close)
        window.open()
        self._window = window

    def _start(self, closing: ExitStack, found: Sequence[Source]) -> GameThread:
        intake = Intake(self._settings.debounce, self._settings.arbiter)
        game_settings = GameSettings(
            games=self._settings.playable(),
            default=self._settings.default_game,
            flow=self._settings.cabinet,
            robot=self._settings.robot,
            lamps=self._settings.lamps,
        )
        self._game = Game(game_settings, found, intake, SystemRandom(), self._keepers(closing))
        self._keep_edges(closing, game_settings, [source.name for source in found])
        for number, trouble in enumerate(self._start_troubles):
            self._game.report(f"start {number}", trouble)
        lamps = Consumer("lamps", self._light, self._report_lamps, newest_only=True, rest_s=self._lamps_rest_s)
        closing.callback(lamps.stop)
        sound = SoundPlayer(self._settings.sound, may_begin=self._has_picture, clock_ns=self._clock_ns)
        closing.callback(sound.stop)

        clock_note = ClockNote(found, log.warning)

        def publish(snapshot: Snapshot) -> None:
            clock_note.look(snapshot.at_ns)
            lamps.give(snapshot)
            sound.give(snapshot)

        thread = GameThread(self._game, self._clock_ns, publish)
        closing.callback(self._end_game, thread)
        for source in found:
            source.start(self._game.deliver)
        gc.freeze()
        thread.start()
        return thread

    def _has_picture(self) -> bool:
        return self._window is None or self._window.frames_shown > 0

    def _end_game(self, thread: GameThread) -> None:
        """A game belongs to its thread as long as that runs."""
        if thread.stop():
            self._game.close()
        else:
            self._hangs = True
            log.error("The game thread does not end; a match in play has no end in the record")

    def _wait(self, thread: GameThread) -> None:
        window = self._window
        if window is None:
            while not self._stopping.wait(0.1) and not thread.has_failed:
                pass
            return
        window.run(lambda: self._game.latest, self._pumped, lambda: self._stopping.is_set() or thread.has_failed)

    def _pumped(self, pump: Pump) -> None:
        if self._keyboard is not None:
            self._keyboard.pumped(pump.from_ns, pump.to_ns, pump.changes)

    # Buttons

    def _open_sources(self, closing: ExitStack, wired: Wired | None) -> Sequence[Source]:
        found: Sequence[Source]
        if wired is not None:
            if wired.instead_of is not None:
                log.error("%s", wired.instead_of)
                self._start_troubles += (Trouble("encoder", wired.instead_of),)
            self._open_lamps(closing, wired)
            found = wired.sources(self._settings.gpio, self._clock_ns)
            self._keyboard = wired.bridges.keys(self._settings.keyboard) if wired.bridges is not None else None
        elif self._options.headless:
            raise SourceError(
                "without a window there are no keys: use another --source than keyboard, or leave --headless out"
            )
        else:
            self._keyboard = KeyboardSource(self._settings.keyboard)
            found = [self._keyboard]
        for source in found:
            closing.callback(source.close)
        return found

    def _open_lamps(self, closing: ExitStack, wired: Wired) -> None:
        if wired.why_no_pins is not None:
            log.error("The button lamps stay dark: %s", wired.why_no_pins)
            self._start_troubles += (Trouble("lamps", f"The button lamps stay dark: {wired.why_no_pins}"),)
        if wired.bridges is not None:
            self._lamps = wired.bridges
        elif wired.factory is not None:
            self._lamps = GpioLamps(self._settings.gpio, wired.factory, self._clock_ns)
            closing.callback(self._lamps.close)

    # Consumers

    def _light(self, snapshot: Snapshot) -> None:
        if self._lamps is not None:
            self._lamps.set(dict(snapshot.lamps))

    def _lamps_rest_s(self) -> float | None:
        return self._lamps.rest_s() if self._lamps is not None else None

    def _keepers(self, closing: ExitStack) -> keeping.Keep | None:
        keepers = []
        if self._options.record is not None:
            try:
                keepers.append(keeping.keep_matches(self._options.record, closing, self._report))
                self._record = self._options.record
            except RecordError as error:
                log.error("%s", error)
                self._start_troubles += (Trouble("record", f"{keeping.NOT_RECORDED} {error}"),)
        if self._options.contests is not None:
            keepers.append(keeping.keep_contests(self._options.contests, closing, self._report))
        return keeping.together(keepers)

    def _keep_edges(self, closing: ExitStack, game: GameSettings, names: Sequence[str]) -> None:
        path = None if self._record is None else edge_file.beside(self._record)
        if path is None:
            return
        run = keeping.run_of(game, names, self._settings.debounce, self._settings.arbiter)
        try:
            self._game.let_tap(keeping.keep_edges(path, run, closing, self._report))
        except EdgesError as error:
            log.error("%s", error)
            self._start_troubles += (Trouble("edges", f"{keeping.EDGES_NOT_KEPT} {error}"),)

    def _report_drawing(self, text: str) -> None:
        log.error("Drawing: %s", text)

    def _report_lamps(self, text: str | None) -> None:
        self._report("lamps", None if text is None else f"The button lamps do not work. {text}")

    def _report(self, key: str, text: str | None) -> None:
        self._game.report(key, None if text is None else Trouble(key, text))


def _keyboard_plays(why: str) -> None:
    """On a desk there are no pins and nothing is wrong; on a Pi the owner must know."""
    level = logging.WARNING if sources.is_raspberry_pi() else logging.INFO
    log.log(level, "The keyboard plays: %s", why)


def key_labels(settings: Settings) -> dict[str, str]:
    """What to print under each button when the keyboard stands for it; short enough to be read from a distance."""
    return {line: key.split()[-1].upper() for line, key in settings.keyboard.keys.items()}


def for_screen(lines: tuple[str, ...]) -> tuple[str, ...]:
    """What an owner must know of bad settings, in one line for the screen; the whole list is on the terminal.

    `lines` are those of `config.load_or_last_good`: the mistakes, then which settings are used.
    """
    if len(lines) < 2:
        return lines
    count = len(lines) - 1
    used = "the defaults" if "starts on the defaults" in lines[-1] else "the last good ones"
    return (f"The settings have {count} mistake{'s' if count != 1 else ''}: playing on {used}. {lines[0]}",)


def run(settings: Settings, options: RunOptions) -> int:
    """Runs the cabinet until a signal or a closed window ends it; the exit status.

    A closed terminal ends it, too, unless it was started to outlive it (``nohup``). What keeps it from starting is
    said in one line on the standard error.
    """
    service = Service(settings, options)

    def stop(_number: int, _frame: Any) -> None:
        service.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, stop)
    try:
        return service.run()
    except NoScreen as error:
        log.error("%s", error)
        return EXIT_NO_SCREEN
    except SourceError as error:
        log.error("%s", error)
        return EXIT_FAILED
