"""What changes at the table: by an accepted action, or by cards that turn."""

from __future__ import annotations

import msgspec

from cabinet.engine.actions import TurnedCard
from cabinet.engine.cards import Card
from cabinet.engine.table import PileName, Table


class Change(msgspec.Struct, frozen=True, gc=False):
    """What an accepted action with the own cards did."""

    table: Table
    card: Card
    """The card that was played, moved, turned or drawn."""
    uncovered: Card | None = None
    """The card that turned face up beneath it, or was drawn into its slot."""
    pile: PileName | None = None
    """The centre pile that was played on."""
    covered: Card | None = None
    """The card that lay on top there before."""
    slot: int | None = None
    """The slot that was drawn into."""
    is_progress: bool = True
    """False for a move that uncovers nothing (RULES.md 10)."""


class Turned(msgspec.Struct, frozen=True, gc=False):
    """What cards that turn in one step, or slide, led to."""

    table: Table
    cards: tuple[TurnedCard, ...]
    is_refilled: bool = False
    """The side piles were dry and were made anew (RULES.md 48)."""
