"""Starts and stops the cabinet: sources, game thread, window, lamps and record (HOUSE.md, Threads)."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom
from threading import Event
from typing import Any, Final, Literal

import msgspec

from cabinet import record
from cabinet.buttons.edges import Source, SourceError
from cabinet.buttons.gpio_zero import GpioLamps, GpioZeroSource, PinFactory, open_lgpio
from cabinet.buttons.intake import Intake
from cabinet.buttons.keyboard import KeyboardSource
from cabinet.config import Settings
from cabinet.game import Game, GameSettings
from cabinet.snapshot import Snapshot, Trouble
from cabinet.workers import Consumer, GameThread
from display.window import NoScreen, Pump, Window

log: Final = logging.getLogger(__name__)

SourceName = Literal["auto", "gpio-zero", "keyboard"]

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
    """Without a window; the buttons must come from pins."""
    record: Path | None = None
    """Where to keep the matches."""
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
        self._stopping = Event()
        self._window: Window | None = None
        self._factory: PinFactory | None = None
        self._keyboard: KeyboardSource | None = None
        self._lamps: GpioLamps | None = None

    def stop(self) -> None:
        """Ends `run` soon."""
        self._stopping.set()

    @property
    def frames_shown(self) -> int:
        """Frames shown so far: a watchdog's sign that there is a picture. From any thread."""
        return self._window.frames_shown if self._window is not None else 0

    def run(self) -> int:
        """Plays until stopped; the exit status.

        Raises NoScreen or SourceError with one plain line when the cabinet cannot start.
        """
        sys.setswitchinterval(THREAD_SWITCH_S)
        window = None if self._options.headless else self._open_window()
        try:
            return self._run_with(window)
        finally:
            if window is not None:
                window.close()

    def _open_window(self) -> Window:
        labels = key_labels(self._settings) if self._uses_keyboard() else {}
        window = Window(self._settings.display, labels, report=self._report_drawing, clock=self._clock_ns)
        window.open()
        self._window = window
        return window

    def _run_with(self, window: Window | None) -> int:
        sources = self._open_sources()
        keeper = self._open_record()
        rng = SystemRandom()
        intake = Intake(self._settings.debounce, self._settings.arbiter)
        game_settings = GameSettings(
            rules=self._settings.rules, flow=self._settings.cabinet, robot=self._settings.robot
        )
        self._game = Game(game_settings, sources, intake, rng, keeper.give if keeper is not None else None)
        for number, text in enumerate(self._options.troubles):
            self._game.report(f"start {number}", Trouble("settings", text))
        lamps = Consumer("lamps", self._light, self._report_lamps)
        thread = GameThread(self._game, self._clock_ns, lamps.give)
        try:
            for source in sources:
                source.start(self._game.deliver)
            gc.freeze()
            thread.start()
            self._wait(window, thread)
        finally:
            thread.stop()
            self._game.close()
            lamps.stop()
            for source in sources:
                source.close()
            if keeper is not None:
                keeper.stop()
            self._free_pins()
        return EXIT_FAILED if thread.has_failed else EXIT_OK

    def _wait(self, window: Window | None, thread: GameThread) -> None:
        if window is None:
            while not self._stopping.wait(0.1) and not thread.has_failed:
                pass
            return
        window.run(lambda: self._game.latest, self._pumped, lambda: self._stopping.is_set() or thread.has_failed)

    def _pumped(self, pump: Pump) -> None:
        if self._keyboard is not None:
            self._keyboard.pumped(pump.from_ns, pump.to_ns, pump.changes)

    # Buttons

    def _uses_keyboard(self) -> bool:
        return self._choice() == "keyboard"

    def _choice(self) -> SourceName:
        """Pins where there are any, else the keyboard."""
        if self._options.source != "auto":
            return self._options.source
        try:
            self._factory = self._factory or open_lgpio()
        except SourceError as error:
            log.warning("The keyboard is played on: %s", error)
            self._options = msgspec.structs.replace(self._options, source="keyboard")
            return "keyboard"
        return "gpio-zero"

    def _open_sources(self) -> list[Source]:
        if self._choice() == "keyboard":
            if self._options.headless:
                raise SourceError(
                    "without a window there are no keys; use --source gpio-zero, or leave --headless out"
                )
            self._keyboard = KeyboardSource(self._settings.keyboard)
            return [self._keyboard]
        self._factory = self._factory or open_lgpio()
        self._lamps = GpioLamps(self._settings.gpio, self._factory)
        return [GpioZeroSource(self._settings.gpio, self._factory, self._clock_ns)]

    def _free_pins(self) -> None:
        if self._lamps is not None:
            self._lamps.close()
        if self._factory is not None:
            self._factory.close()

    # Consumers

    def _light(self, snapshot: Snapshot) -> None:
        if self._lamps is not None:
            self._lamps.set(snapshot.lamps)

    def _open_record(self) -> Consumer[record.RecordLine] | None:
        path = self._options.record
        if path is None:
            return None
        try:
            file = path.open("wb")
        except OSError as error:
            raise record.RecordError(f"{path}: cannot be written ({error.strerror}); name another file") from error
        file.write(record.encode(record.Header()))
        file.flush()

        def keep(line: record.RecordLine) -> None:
            file.write(record.encode(line))
            file.flush()

        return Consumer("record", keep, self._report_record)

    def _report_drawing(self, text: str) -> None:
        log.error("Drawing: %s", text)

    def _report_lamps(self, text: str) -> None:
        self._game.report("lamps", Trouble("lamps", f"The button lamps do not work. {text}"))

    def _report_record(self, text: str) -> None:
        self._game.report("record", Trouble("record", f"The match is not being recorded. {text}"))


def key_labels(settings: Settings) -> dict[str, str]:
    """What to print under each button when the keyboard stands for it; short enough to be read from a distance."""
    return {line: key.split()[-1].upper() for line, key in settings.keyboard.keys.items()}


def for_screen(lines: tuple[str, ...]) -> tuple[str, ...]:
    """What an owner must know of bad settings, in one line for the screen; the whole list is on the terminal."""
    if not lines:
        return ()
    mistakes = len(lines) - 1
    return (f"The settings have {mistakes} mistake{'s' if mistakes != 1 else ''}. {lines[0]}",)


def run(settings: Settings, options: RunOptions) -> int:
    """Runs the cabinet until a signal or a closed window ends it; the exit status.

    What keeps it from starting is said in one line on the standard error.
    """
    service = Service(settings, options)

    def stop(_number: int, _frame: Any) -> None:
        service.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        return service.run()
    except NoScreen as error:
        log.error("%s", error)
        return EXIT_NO_SCREEN
    except (SourceError, record.RecordError) as error:
        log.error("%s", error)
        return EXIT_FAILED
