"""What is played, as a settings file says it: the sections [rules] and [games].

They depend on each other: games of the owner's own start from the options of [rules]. Pure.
"""

from __future__ import annotations

from typing import Any, Final, get_args

from msgspec import inspect
from msgspec.structs import replace

from cabinet.engine.games import CATALOGUE
from cabinet.engine.rules import PROFILES, GameKind, Options, Profile, rules_of
from cabinet.games import GamesSettings, WrongValue, quoted, wrong_allowed, wrong_default, wrong_names
from cabinet.settings_check import Checker, describe, shortened, toml_value
from cabinet.settings_sample import explanation, setting
from cabinet.toml_lines import KeyPath

RULES: Final = "rules"
GAMES: Final = "games"

_PROFILE: KeyPath = (RULES, "profile")
_OLD_DEFAULT: KeyPath = (RULES, "game")
"""How a file of version 0.1.0 says what is played; now it is games.default."""
_DEFAULT: KeyPath = (GAMES, "default")
_ALLOWED: KeyPath = (GAMES, "allowed")
_OWN: KeyPath = (GAMES, "own")

OTHER_KEYS: Final[dict[KeyPath, tuple[str, ...]]] = {(RULES,): (_PROFILE[-1], _OLD_DEFAULT[-1])}
"""Keys of these sections that are no field of their structs."""

_PROFILE_DOC: Final = "The options that hold where this section says nothing else (RULES.md 54)."
_OWN_DOC: Final = (
    "Each is a section with its name, in quotes when that has more than letters a to z, digits, _ and -. "
    'It has any options of [rules], in place of those there, and game = "spit" or "speed"; not set: spit. '
    "The lobby offers it when `allowed` names it:"
)
_OWN_EXAMPLE: Final = ("[games.own.party]", 'game = "spit"', "stock = 4", 'colours = "alternate"')


def profile_options(values: dict[str, Any], checker: Checker) -> Options:
    """What [rules] starts from: the options of its profile."""
    profile = _table(values, RULES).get(_PROFILE[-1], "arcade")
    if isinstance(profile, str) and profile in PROFILES:
        return PROFILES[profile]
    checker.add(_PROFILE, shortened(toml_value(profile)), describe(inspect.type_info(Profile)))
    return PROFILES["arcade"]


def read_games(values: dict[str, Any], options: Options, checker: Checker) -> GamesSettings:
    """The section [games] of a file's values, once [rules] has been read as `options`."""
    checker.new_items[_OWN] = rules_of("spit", options)
    table = _table(values, GAMES)
    games = checker.read((GAMES,), table, GamesSettings())
    for wrong in (*wrong_names(games.own), *wrong_allowed(games)):
        _tell(checker, (GAMES, *wrong.key), wrong)
    games, default_key = _with_default(values, games, checker)
    if not checker.is_wrong(default_key):
        for wrong in wrong_default(games, is_list_right=not checker.is_wrong(_ALLOWED)):
            _tell(checker, default_key, wrong)
    return games


def sample_lines() -> dict[KeyPath, list[str]]:
    """What the sample says at the top of these sections."""
    allowed = describe(inspect.type_info(Profile))
    built_in = "; ".join(_in_words(name) for name in CATALOGUE)
    return {
        (RULES,): [*explanation(f"{_PROFILE_DOC} Allowed: {allowed}."), setting(_PROFILE[-1], "arcade")],
        (GAMES,): explanation(f"Built-in: {built_in}. All else is as in [rules]."),
        _OWN: [*explanation(_OWN_DOC), *(f"##   {line}" for line in _OWN_EXAMPLE)],
    }


def _in_words(name: str) -> str:
    kind, own = CATALOGUE[name]
    options = ", ".join(f"{key} = {toml_value(value)}" for key, value in own.items())
    what = f"{kind.capitalize()}, {options}" if options else kind.capitalize()
    return f"{name} ({what})"


def _with_default(values: dict[str, Any], games: GamesSettings, checker: Checker) -> tuple[GamesSettings, KeyPath]:
    """The games with their default, and the key that says it: today's or that of an old file."""
    is_set = _DEFAULT[-1] in _table(values, GAMES)
    old = _table(values, RULES).get(_OLD_DEFAULT[-1])
    if old is None:
        if not is_set and games.default not in games.allowed:
            games = replace(games, default=games.allowed[0])
        return games, _DEFAULT
    if is_set:
        if old != games.default:
            allowed = f"no such key beside games.default, {quoted(games.default)}"
            checker.add(_OLD_DEFAULT, shortened(toml_value(old)), allowed)
        return games, _DEFAULT
    if old in get_args(GameKind):
        return replace(games, default=old), _OLD_DEFAULT
    allowed = f"{describe(inspect.type_info(GameKind))}; any other game is chosen by default in [games]"
    checker.add(_OLD_DEFAULT, shortened(toml_value(old)), allowed)
    return games, _OLD_DEFAULT


def _table(values: dict[str, Any], name: str) -> dict[str, Any]:
    """A section, as far as it is one: if it is something else the checker tells it."""
    table = values.get(name)
    return table if isinstance(table, dict) else {}


def _tell(checker: Checker, key: KeyPath, wrong: WrongValue) -> None:
    checker.add(key, shortened(wrong.found), wrong.allowed)
