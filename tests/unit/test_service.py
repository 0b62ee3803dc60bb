"""The service: what was opened is freed whatever goes wrong, and the owner's records are never lost."""

from __future__ import annotations

import errno
import logging
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from gpiozero.pins.mock import MockFactory

from cabinet import record, service, sources
from cabinet.buttons.edges import SourceError
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.gpio_lamps import GpioLamps
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.config import Settings
from cabinet.engine.rules import Options
from cabinet.game import Game
from cabinet.games import GamesSettings
from cabinet.kept_edges.reading import read
from cabinet.players.robot import RobotSettings
from cabinet.record_file import RecordFile
from cabinet.service import EXIT_FAILED, EXIT_NO_SCREEN, EXIT_OK, RunOptions, Service
from cabinet.workers import Consumer, GameThread
from display.window import NoScreen

HEADLESS = RunOptions(source="gpio-zero", headless=True)


class Pins(MockFactory):  # type: ignore[misc]
    """Mock pins that tell when they are freed."""

    __module__ = "gpiozero.pins.mock"

    def __init__(self) -> None:
        super().__init__()
        self.closings = 0

    def close(self) -> None:
        self.closings += 1
        super().close()


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> Pins:
    pins = Pins()
    monkeypatch.setattr(sources, "open_pins", lambda: pins)
    return pins


class Screen:
    """Stands for the window."""

    frames_shown = 1

    def __init__(self, *_: object, **__: object) -> None:
        self.closings = 0

    def open(self) -> None:
        """There is one."""

    def run(self, *callbacks: Callable[[], bool]) -> None:
        should_stop = callbacks[2]
        assert should_stop()

    def close(self) -> None:
        self.closings += 1


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    screen = Screen()
    monkeypatch.setattr(service, "Window", lambda *_, **__: screen)
    return screen


def play(options: RunOptions = HEADLESS, settings: Settings | None = None) -> int:
    """A service that is stopped as soon as it has started."""
    one = Service(settings or Settings(), options)
    one.stop()
    return one.run()


def test_it_starts_stops_and_frees_the_pins(pins: Pins) -> None:
    assert play() == EXIT_OK
    assert pins.closings == 1


def test_it_plays_the_games_of_the_settings_and_their_default(pins: Pins) -> None:
    games = GamesSettings(default="points", allowed=("speed", "points"))
    settings = Settings(rules=Options(hint_ms=7), games=games, robot=RobotSettings(show="quick"))
    one = Service(settings, HEADLESS)
    one.stop()
    assert one.run() == EXIT_OK
    told = one._game._settings
    assert [(game.name, game.rules.game, game.rules.hint_ms) for game in told.games] == [
        ("speed", "speed", 7),
        ("points", "spit", 7),
    ]
    assert (told.default, told.robot) == (1, settings.robot)
    assert pins.closings == 1


def test_a_record_that_cannot_be_kept_is_told_and_the_game_is_played(
    pins: Pins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []
    monkeypatch.setattr(Game, "report", lambda _, __, trouble: told.append(trouble.text))
    assert play(msgspec.structs.replace(HEADLESS, record=tmp_path / "none" / "record")) == EXIT_OK
    assert [text.startswith("The match is not being recorded.") for text in told] == [True]
    assert "cannot be written" in caplog.text
    assert pins.closings == 1


def test_pins_are_freed_when_the_lamps_cannot_be_claimed(pins: Pins) -> None:
    def busy(number: int) -> Any:
        raise OSError(errno.EBUSY, f"GPIO {number} is busy")

    pins.pin = busy
    with pytest.raises(SourceError, match=r"the lamp of a\.spit"):
        play()
    assert pins.closings == 1


def test_pins_are_freed_when_there_is_no_screen(pins: Pins, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoWindow(Screen):
        def open(self) -> None:
            raise NoScreen("no screen: nothing is plugged in")

    monkeypatch.setattr(service, "Window", NoWindow)
    with pytest.raises(NoScreen):
        play(RunOptions())
    assert pins.closings == 1


def test_the_window_is_closed_when_pins_are_busy(
    pins: Pins, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise SourceError("GPIO 4 (a.1) cannot be used: busy")

    monkeypatch.setattr(GpioZeroSource, "start", fail)
    with pytest.raises(SourceError):
        play(RunOptions())
    assert (pins.closings, screen.closings) == (1, 1)


CLOSE: dict[type[Any], str] = {
    GameThread: "stop",
    Game: "close",
    Consumer: "stop",
    GpioZeroSource: "close",
    GpioLamps: "close",
    RecordFile: "close",
}
OWNED: dict[type[Any], type[Any]] = {GameThread: Game, Consumer: RecordFile}
"""What belongs to a thread, and is left alone when that has not ended."""


@pytest.mark.parametrize("part", CLOSE, ids=lambda part: str(part.__name__))
def test_one_part_that_cannot_be_closed_does_not_keep_the_others_open(
    part: type[Any], pins: Pins, screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: set[type[Any]] = set()
    for each, name in CLOSE.items():
        monkeypatch.setattr(each, name, _told(closed, each, getattr(each, name), fails=each is part))
    with pytest.raises(RuntimeError, match="cannot be closed"):
        play(RunOptions(record=tmp_path / "record"))
    assert closed >= set(CLOSE) - {OWNED.get(part)}
    assert (pins.closings, screen.closings) == (1, 1)


def _told(
    closed: set[type[Any]], part: type[Any], close: Callable[..., object], *, fails: bool
) -> Callable[..., object]:
    def told(*arguments: object) -> object:
        closed.add(part)
        result = close(*arguments)
        if fails:
            raise RuntimeError(f"{part.__name__} cannot be closed")
        return result

    return told


def test_a_game_whose_thread_still_runs_is_left_alone(
    pins: Pins, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    closed: list[str] = []
    stop = GameThread.stop

    def hangs(thread: GameThread) -> bool:
        stop(thread)
        monkeypatch.setattr(Game, "close", lambda _: closed.append("game"))
        return False

    monkeypatch.setattr(GameThread, "stop", hangs)
    assert play() == EXIT_FAILED
    assert closed == []
    assert pins.closings == 1
    assert "The game thread does not end" in caplog.text


def test_a_game_thread_that_has_given_up_ends_the_service_with_a_failure(
    pins: Pins, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a card is missing")

    monkeypatch.setattr(Game, "step", fail)
    assert Service(Settings(), HEADLESS).run() == EXIT_FAILED
    assert pins.closings == 1


def test_a_later_run_keeps_the_matches_of_the_earlier_ones(pins: Pins, tmp_path: Path) -> None:
    path = tmp_path / "record"
    ended = record.Ended(winner=None, rounds=1, a_owned=26, b_owned=26, at_ns=1)
    with RecordFile(path) as file:
        file.append(ended)
    assert play(msgspec.structs.replace(HEADLESS, record=path)) == EXIT_OK
    assert list(record.read(path)) == [ended]
    assert pins.closings == 1


def test_the_record_is_closed_at_the_end(pins: Pins, tmp_path: Path) -> None:
    path = tmp_path / "record"
    assert play(msgspec.structs.replace(HEADLESS, record=path)) == EXIT_OK
    opened = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    assert str(path) not in opened
    assert pins.closings == 1


def test_a_trouble_goes_from_the_screen_when_the_part_works_again() -> None:
    told: list[tuple[str, str | None]] = []

    class Told:
        def report(self, key: str, trouble: Any) -> None:
            told.append((key, None if trouble is None else trouble.text))

    one = Service(Settings(), HEADLESS)
    one._game = Told()  # type: ignore[assignment]
    one._report_lamps("no current")
    one._report_lamps(None)
    assert told == [("lamps", "The button lamps do not work. no current"), ("lamps", None)]


def test_lamps_show_the_newest_snapshot_and_skip_older_ones(pins: Pins, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, bool]] = []

    class Noted(Consumer[Any]):
        def __init__(self, name: str, *arguments: Any, newest_only: bool = False, **others: Any) -> None:
            made.append((name, newest_only))
            super().__init__(name, *arguments, newest_only=newest_only, **others)

    monkeypatch.setattr(service, "Consumer", Noted)
    play()
    assert ("lamps", True) in made
    assert pins.closings == 1


def test_without_lamps_there_is_nothing_to_light(pins: Pins) -> None:
    settings = Settings(gpio=GpioSettings(lamps={}))
    assert play(settings=settings) == EXIT_OK
    assert pins.closings == 1


# As a command


@pytest.fixture
def _signals() -> Iterator[None]:
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class SignalledService(Service):
    """Gets a signal while it runs; its exit status is whether it was stopped."""

    number = signal.SIGTERM

    def run(self) -> int:
        os.kill(os.getpid(), self.number)
        return EXIT_OK if self._stopping.is_set() else EXIT_FAILED


@pytest.mark.usefixtures("_signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_run(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(number, signal.default_int_handler)
    monkeypatch.setattr(SignalledService, "number", number)
    monkeypatch.setattr(service, "Service", SignalledService)
    assert service.run(Settings(), HEADLESS) == EXIT_OK


@pytest.mark.usefixtures("_signals")
def test_a_run_started_with_nohup_outlives_its_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    monkeypatch.setattr(SignalledService, "number", signal.SIGHUP)
    monkeypatch.setattr(service, "Service", SignalledService)
    assert service.run(Settings(), HEADLESS) == EXIT_FAILED


@pytest.mark.usefixtures("_signals")
@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NoScreen("no screen: none"), EXIT_NO_SCREEN),
        (SourceError("no GPIO header"), EXIT_FAILED),
    ],
)
def test_what_keeps_it_from_starting_is_one_line_and_an_exit_status(
    error: Exception, status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Service) -> int:
        raise error

    monkeypatch.setattr(Service, "run", fail)
    assert service.run(Settings(), HEADLESS) == status
    assert [one.getMessage() for one in caplog.records] == [str(error)]


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)


def test_the_screen_says_in_one_line_what_is_played_on_when_the_settings_are_bad() -> None:
    mistakes = ("settings.toml:3: robot.strength: found 'x'", "settings.toml:9: rules.stock: found 7")
    used = "settings.toml is not used: the cabinet starts on the last good settings, x.toml"
    (line,) = service.for_screen((*mistakes, used))
    assert line == f"The settings have 2 mistakes: playing on the last good ones. {mistakes[0]}"
    defaults = (
        "settings.toml is not used: the cabinet starts on the defaults, because no good settings were seen before"
    )
    assert "1 mistake: playing on the defaults. " in service.for_screen((mistakes[0], defaults))[0]
    assert service.for_screen(()) == ()


# On the kernel's chip


class ChipSource(GpioZeroSource):
    """Stands for the source on the kernel's chip: there is none here."""

    def __init__(self, settings: GpioSettings, **_: object) -> None:
        super().__init__(settings, MockFactory())


@pytest.fixture
def _chip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY")
    monkeypatch.setattr(sources, "find_chip", lambda: Path("/dev/gpiochip0"))
    monkeypatch.setattr(sources, "GpioChipSource", ChipSource)


@pytest.mark.usefixtures("_chip")
def test_lamps_are_gpiozeros_also_when_the_buttons_are_the_kernels(pins: Pins) -> None:
    one = Service(Settings(), RunOptions(headless=True))
    one.stop()
    assert one.run() == EXIT_OK
    assert one._lamps is not None
    assert pins.closings == 1


@pytest.mark.usefixtures("_chip")
def test_without_lgpio_the_lamps_stay_dark_and_the_game_is_played(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise SourceError("lgpio is not installed; run: sudo apt install python3-lgpio")

    told: list[str] = []
    monkeypatch.setattr(sources, "open_pins", fail)
    monkeypatch.setattr(Game, "report", lambda _, __, trouble: told.append(trouble.text))
    assert play(RunOptions(headless=True)) == EXIT_OK
    assert told == ["The button lamps stay dark: lgpio is not installed; run: sudo apt install python3-lgpio"]
    assert told[0] in caplog.text


NOWHERE = EncoderSettings(devices={"/dev/input/by-path/nowhere-event-joystick": {"BTN_TRIGGER": "a.1"}})


@pytest.mark.usefixtures("_chip")
def test_encoders_that_are_named_and_not_there_are_told_and_the_game_is_played_on_the_lines(
    pins: Pins, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(Game, "report", lambda _, __, trouble: told.append(trouble.text))
    assert play(RunOptions(headless=True), Settings(encoder=NOWHERE)) == EXIT_OK
    assert told == [
        "None of the encoders that the settings name is plugged in: the game is played on the GPIO lines. "
        "Plug one in and start the game again."
    ]
    assert pins.closings == 1


def test_encoders_that_are_asked_for_and_not_there_are_an_error_in_one_line() -> None:
    with pytest.raises(
        SourceError, match=r"^The encoder at /dev/input/by-path/nowhere-event-joystick is not there "
    ):
        play(RunOptions(source="encoder", headless=True), Settings(encoder=NOWHERE))


@pytest.mark.parametrize(("is_pi", "level"), [(True, "WARNING"), (False, "INFO")])
def test_a_desk_without_pins_is_no_trouble_but_a_pi_without_pins_is(
    is_pi: bool, level: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(sources, "is_raspberry_pi", lambda: is_pi)
    monkeypatch.setattr(sources, "find", lambda _name, tell, **_: tell("there are no pins"))
    with pytest.raises(SourceError, match="without a window there are no keys"):
        play(RunOptions(headless=True))
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        (level, "The keyboard plays: there are no pins")
    ]


def test_what_is_pressed_is_kept_beside_the_record(pins: Pins, tmp_path: Path) -> None:
    path = tmp_path / "record"
    assert play(msgspec.structs.replace(HEADLESS, record=path)) == EXIT_OK
    kinds = [type(line).__name__ for line in read(tmp_path / "record.edges")]
    assert kinds[:2] == ["Run", "Began"]
    assert kinds[-1] == "Closed"
    assert pins.closings == 1


def test_edges_that_cannot_be_kept_are_told_and_the_game_is_played_and_recorded(
    pins: Pins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(Game, "report", lambda _, __, trouble: told.append(trouble.text))
    (tmp_path / "record.edges").write_text("my notes\n")
    assert play(msgspec.structs.replace(HEADLESS, record=tmp_path / "record")) == EXIT_OK
    (text,) = told
    assert text.startswith("What is pressed is not being kept. ")
    assert text.endswith("; name another file")
    assert list(record.read(tmp_path / "record")) == []
    assert (tmp_path / "record.edges").read_text() == "my notes\n"
    assert pins.closings == 1
