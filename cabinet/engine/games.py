"""The games by name: each is Spit or Speed with options of its own (RULES.md 39-42, 43-52)."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from cabinet.engine.rules import ARCADE, GameKind, Options, Rules, rules_of


class Game(msgspec.Struct, frozen=True):
    """What is played, as one value: settings, lobby, referee and records share it."""

    name: str
    """A name of `CATALOGUE`, or one that the owner gave."""
    rules: Rules


CATALOGUE: Final[dict[str, tuple[GameKind, dict[str, Any]]]] = {
    "spit": ("spit", {}),
    "four_piles": ("spit", {"stock": 4}),
    "two_colours": ("spit", {"colours": "alternate"}),
    "choice": ("spit", {"slap": "winner"}),
    "points": ("spit", {"score": "points"}),
    "pairs": ("spit", {"pairs": True, "stack_equal": True}),
    "speed": ("speed", {}),
    "speed_20": ("speed", {"deal": 20}),
}
"""Every game that has a name of its own: which of the two it is, and the options that make it."""


def game_named(name: str, options: Options = ARCADE) -> Game:
    """A game of the catalogue; `options` hold where the game itself says nothing. Raises KeyError."""
    kind, own = CATALOGUE[name]
    return Game(name, rules_of(kind, msgspec.structs.replace(as_options(options), **own)))


def as_options(options: Options) -> Options:
    """The options alone, whatever game they came with."""
    values = msgspec.structs.asdict(options)
    values.pop("game", None)
    return Options(**values)


SPIT: Final = game_named("spit")
"""Spit as a cabinet plays it."""
