"""How to play, as a short match that the engine itself plays: for each game a position, presses and captions."""

from __future__ import annotations

from random import Random

import msgspec

from cabinet.engine.games import Game
from cabinet.engine.match import Match, new_match
from cabinet.players.robot import Contact
from cabinet.snapshot import Caption


class Cue(msgspec.Struct, frozen=True):
    """From when a caption is shown."""

    at_ns: int
    """From the lesson's start."""
    caption: Caption


class LessonPlan(msgspec.Struct, frozen=True):
    """A whole lesson."""

    match: Match
    cues: tuple[Cue, ...]
    contacts_a: tuple[Contact, ...]
    """Times count from the lesson's start."""
    contacts_b: tuple[Contact, ...]
    length_ns: int
    """At most 20 s."""


def lesson_in(game: Game) -> LessonPlan:
    """The lesson for a game."""
    match = new_match(game.rules, Random(1))
    return LessonPlan(match, (Cue(0, "neighbours"),), (), (), 2_000_000_000)
