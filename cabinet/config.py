"""One TOML file → the settings that each room declares for itself.

`Settings` is the register: a room's settings become a section of the file by one line there. Names, ranges,
defaults and explanations are those of the declared structs. Every mistake is found at once, with its line.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import platformdirs

from cabinet import games as game_choice
from cabinet.atomic_file import write_atomically
from cabinet.buttons.arbiter import ArbiterSettings
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.encoder_settings import EXAMPLE, EncoderSettings
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.keyboard import KeyboardSettings
from cabinet.engine.games import Game
from cabinet.engine.rules import PROFILES, Options
from cabinet.flow import FlowSettings
from cabinet.games import GamesSettings
from cabinet.lamps import LampSettings
from cabinet.players.robot import RobotSettings
from cabinet.settings_check import Checker, Mistake
from cabinet.settings_games import GAMES, OTHER_KEYS, profile_options, read_games, sample_lines
from cabinet.settings_sample import explanation, sample_of
from cabinet.toml_lines import KeyPath, read_toml
from display.settings import DisplaySettings
from display.sound.settings import SoundSettings
from firmware_bridge.settings import BridgeSettings

PROGRAM: Final = "spit-cabinet"
SYSTEM_PATH: Final = Path("/etc/spit-cabinet/settings.toml")
"""The cabinet's own settings, before those of a user."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All that an owner can set. Each field is a section of the file."""

    rules: Options = PROFILES["arcade"]
    """The options that hold in every game where the game itself says nothing else."""
    games: GamesSettings = GamesSettings()
    """What people may play."""
    cabinet: FlowSettings = FlowSettings()
    """How long the cabinet waits for people."""
    robot: RobotSettings = RobotSettings()
    """The computer player."""
    display: DisplaySettings = DisplaySettings()
    """The screen."""
    lamps: LampSettings = LampSettings()
    """The lamps in the buttons."""
    sound: SoundSettings = SoundSettings()
    """The sounds."""
    gpio: GpioSettings = GpioSettings()
    """The buttons and lamps on the Raspberry Pi's pins."""
    encoder: EncoderSettings = EncoderSettings()
    """The buttons on USB encoders, keyboard encoders and gpio-keys, where there are any; see `spit-cabinet buttons
    --learn`."""
    bridge: BridgeSettings = BridgeSettings()
    """The buttons and lamps on microcontrollers such as a Raspberry Pi Pico, where there are any; see
    `spit-cabinet bridge install`."""
    keyboard: KeyboardSettings = KeyboardSettings()
    """Keys for a desk without buttons."""
    debounce: DebounceSettings = DebounceSettings()
    """How a button's bounce is told from a press."""
    arbiter: ArbiterSettings = ArbiterSettings()
    """How long the cabinet waits for a source of buttons that is silent."""

    def playable(self) -> tuple[Game, ...]:
        """The games that the lobby offers, in the owner's order."""
        return game_choice.playable_games(self.games, self.rules)

    @property
    def default_game(self) -> int:
        """Which of `playable` is played when nobody chooses: its index."""
        return game_choice.default_of(self.games)

    def notes(self) -> tuple[str, ...]:
        """What is no mistake, and yet not what an owner may expect; one line each."""
        return tuple(game_choice.notes(self.games, self.rules))


class SettingsError(Exception):
    """A settings file has mistakes; the text has one line for each."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        super().__init__("\n".join(str(mistake) for mistake in mistakes))
        self.mistakes = mistakes


def game_by_name(settings: Settings, name: str) -> Game:
    """Any game, built in or the owner's own, whether the lobby offers it or not.

    Raises UnknownGameError, whose text is one line with the names that there are.
    """
    return game_choice.find_game(settings.games, settings.rules, name)


def default_path() -> Path:
    """`SYSTEM_PATH` if it is there, else the user's own settings file, which need not be there."""
    if _exists(SYSTEM_PATH):
        return SYSTEM_PATH
    return _user_place(platformdirs.user_config_path) / "settings.toml"


def state_dir() -> Path:
    """Where the log and the last good settings are kept; it need not be there."""
    return _user_place(platformdirs.user_state_path)


def _user_place(find: Callable[[str], Path]) -> Path:
    """A user without a home, as a service may be, has its places in the directory for temporary files."""
    try:
        return find(PROGRAM)
    except RuntimeError:
        return Path(tempfile.gettempdir()) / PROGRAM


def _exists(path: Path) -> bool:
    """Whether there is such a file for us: what may not be looked at is not."""
    try:
        return path.exists()
    except OSError:
        return False


def load(path: Path | None = None) -> Settings:
    """The settings in a file; without a path those in `default_path`, or the defaults if there is no such file.

    Raises SettingsError with every mistake.
    """
    if path is None and not _exists(default_path()):
        return Settings()
    path = path or default_path()
    return _parse(str(path), _read_text(path))


def load_or_last_good(path: Path | None, state_dir: Path) -> tuple[Settings, tuple[str, ...]]:
    """As `load`, but on mistakes the last good settings of that file, kept in `state_dir`, or the defaults.

    The lines are for the owner: none when all is well, else every mistake and then which settings are used.
    """
    chosen = path or default_path()
    kept = state_dir / f"last-good-{hashlib.sha256(os.fsencode(chosen.absolute())).hexdigest()[:12]}.toml"
    try:
        settings = load(path)
    except SettingsError as error:
        settings, used = _last_good(kept)
        return settings, (*map(str, error.mistakes), f"{chosen} is not used: the cabinet starts on {used}")
    if not _exists(chosen):
        return settings, ()
    try:
        content = chosen.read_bytes()
        if not kept.exists() or kept.read_bytes() != content:
            write_atomically(kept, content)
    except OSError as error:
        return settings, (f"{kept.parent}: no copy of the good settings could be kept ({error.strerror})",)
    return settings, ()


def sample() -> str:
    """A settings file with every key commented out, its default, what it means and what is allowed."""
    head = (
        "Settings of the Spit cabinet. Lines with ## explain; take the # from a line with a single # to set it. "
        "What is shown is the default."
    )
    encoders: dict[KeyPath, list[str]] = {("encoder", "devices"): [f"##   {line}" for line in EXAMPLE]}
    return sample_of(Settings(), {(): explanation(head), **sample_lines(), **encoders})


def _read_text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        allowed = "a readable file; check its path and who may read it, or leave it out to play with the defaults"
        mistake = Mistake(str(path), None, "", f"no readable file ({error.strerror})", allowed)
        raise SettingsError((mistake,)) from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        mistake = Mistake(str(path), line, "", f"the byte 0x{raw[error.start]:02x}", "text saved as UTF-8")
        raise SettingsError((mistake,)) from error


def _parse(file: str, text: str) -> Settings:
    document = read_toml(text)
    checker = Checker(file, document, OTHER_KEYS)
    values = document.values
    others = {key: value for key, value in values.items() if key != GAMES or not isinstance(value, dict)}
    settings = checker.read((), others, Settings(rules=profile_options(values, checker)))
    settings = msgspec.structs.replace(settings, games=read_games(values, settings.rules, checker))
    if checker.mistakes:
        raise SettingsError(checker.in_order())
    return settings


def _last_good(kept: Path) -> tuple[Settings, str]:
    if not _exists(kept):
        return Settings(), "the defaults, because no good settings were seen before"
    try:
        return load(kept), f"the last good settings, {kept}"
    except SettingsError as error:
        return (
            Settings(),
            f"the defaults, because the last good settings do not fit this version ({error.mistakes[0]})",
        )
