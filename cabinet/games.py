"""Which games the owner lets people play: those of the engine's catalogue, and games of the owner's own.

Pure. A mistake in the section is told as a value, so that whoever reads the file can give its line.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Final

import msgspec

from cabinet.engine.games import CATALOGUE, Game, game_named
from cabinet.engine.rules import Options, Rules

LONGEST_NAME: Final = 24
"""Characters that a game's name may have, so that it fits on the screen."""


class GamesSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What people may play."""

    default: str = "spit"
    """What is played when nobody chooses. Not set: spit, or where that is not allowed the first of the list."""
    allowed: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)] = (
        "spit",
        "four_piles",
        "two_colours",
        "choice",
        "points",
        "speed",
    )
    """The games that the lobby offers, in this order: of the built-in ones and of your own, each once."""
    own: dict[str, Rules] = msgspec.field(default_factory=dict)
    """Games of your own, by their names."""


class WrongValue(msgspec.Struct, frozen=True):
    """A value of the section that cannot be used."""

    key: tuple[str, ...]
    """Within the section."""
    found: str
    allowed: str


class UnknownGameError(ValueError):
    """No game has this name; the text says so in one line, with the names that there are."""


def all_names(settings: GamesSettings) -> tuple[str, ...]:
    """Every game that can be played here, whether the lobby offers it or not."""
    return tuple(dict.fromkeys([*CATALOGUE, *settings.own]))


def find_game(settings: GamesSettings, options: Options, name: str) -> Game:
    """The game of that name; `options` hold where a game of the catalogue itself says nothing.

    Raises UnknownGameError.
    """
    if name in settings.own:
        return Game(name, settings.own[name])
    if name in CATALOGUE:
        return game_named(name, options)
    names = all_names(settings)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" (the nearest is {quoted(near[0])})" if near else ""
    raise UnknownGameError(f"there is no game {quoted(name)}{hint}; allowed: {listed(names)}")


def playable_games(settings: GamesSettings, options: Options) -> tuple[Game, ...]:
    """The games that the lobby offers, in the owner's order. Raises UnknownGameError."""
    return tuple(find_game(settings, options, name) for name in settings.allowed)


def default_of(settings: GamesSettings) -> int:
    """Which of the allowed games is played when nobody chooses: its index; 0 when that one is not allowed."""
    return settings.allowed.index(settings.default) if settings.default in settings.allowed else 0


def notes(settings: GamesSettings, options: Options) -> Iterator[str]:
    """What is no mistake, and yet not what an owner may expect; one line each."""
    for name in settings.own:
        if name not in settings.allowed:
            yield f"games.allowed does not name {quoted(name)}, so the lobby does not offer it"
    for game in playable_games(settings, options):
        if game.rules.game == "speed" and game.rules.hands == "hidden":
            yield (
                f'{quoted(game.name)} has hands = "hidden", which takes a screen for each player: '
                "one that both look at shows the backs of both hands"
            )


# Mistakes


def wrong_names(own: dict[str, Rules]) -> Iterator[WrongValue]:
    """Own games whose names cannot be shown, or could be taken for another game's."""
    taken = {_as_read(name): name for name in CATALOGUE}
    for name in own:
        key = ("own", name)
        if trouble := _why_not_shown(name):
            allowed = f"a name of 1 to {LONGEST_NAME} letters, digits and signs, with spaces only between them"
            yield WrongValue(key, trouble, allowed)
            continue
        other = taken.setdefault(_as_read(name), name)
        if other != name or name in CATALOGUE:
            yield WrongValue(key, f"a second game with the name {quoted(other)}", "a name that no other game has")


def wrong_allowed(settings: GamesSettings) -> Iterator[WrongValue]:
    """Names of the list that no game has, or that it has twice."""
    for name in dict.fromkeys(settings.allowed):
        if name not in all_names(settings):
            yield _unknown("allowed", name, all_names(settings))
        elif (count := settings.allowed.count(name)) > 1:
            yield WrongValue(("allowed",), f"{quoted(name)} {count} times", "each game once")


def wrong_default(settings: GamesSettings, *, is_list_right: bool) -> Iterator[WrongValue]:
    """A default that is no game or, where the list of allowed games is right, is not in it."""
    if settings.default not in all_names(settings):
        yield _unknown("default", settings.default, all_names(settings))
    elif is_list_right and settings.default not in settings.allowed:
        allowed = f"a game of games.allowed ({listed(settings.allowed)}), or add it there"
        yield WrongValue(("default",), quoted(settings.default), allowed)


def _unknown(key: str, name: str, names: tuple[str, ...]) -> WrongValue:
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    allowed = f"{quoted(near[0])}, the nearest known name" if near else listed(names)
    return WrongValue((key,), f"{quoted(name)}, which is no game", allowed)


def _why_not_shown(name: str) -> str | None:
    """What keeps a name off the screen; None when nothing does."""
    if not 1 <= len(name) <= LONGEST_NAME:
        return f"a name of {len(name)} characters"
    if not name.isprintable():
        return "a name with a character that cannot be shown"
    return "a name with a space at its end" if name != name.strip() else None


def _as_read(name: str) -> str:
    """A name as somebody reads it who does not look closely."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().replace("_", " ").split())


def quoted(name: str) -> str:
    """A name as a settings file writes it, and always one line."""
    text = json.dumps(name, ensure_ascii=False)
    return "".join(one if one.isprintable() else f"\\u{ord(one):04x}" for one in text)


def listed(names: tuple[str, ...]) -> str:
    """Names, one after the other."""
    return ", ".join(quoted(name) for name in names)
