"""What a player can do, what happened at the table, and why an action was refused."""

from __future__ import annotations

from typing import Literal

import msgspec

from cabinet.engine.cards import Card
from cabinet.engine.table import BeatKind, PileName, RoundEnd, Seat

Refusal = Literal[
    "NOT_ADJACENT",
    "COLOUR",
    "FACE_DOWN",
    "EMPTY",
    "TARGET_NOT_EMPTY",
    "NO_PILE",
    "NOT_STUCK",
    "LOCKED",
    "FACE_UP",
    "HAND_FULL",
    "BUSY",
    "WRONG_PHASE",
    "ROUND_OVER",
    "NO_SPIT_CARDS",
    "FALSE_START",
    "LOCKED_OUT",
    "VOID",
]
"""Why an action was refused; CLARIFICATIONS.md C5 says which one when several apply."""


class _Action(msgspec.Struct, frozen=True, gc=False, tag_field="action"):
    pass


class Play(_Action, frozen=True, tag="play"):
    """Play the top of a stock pile onto a centre pile (RULES.md 5)."""

    stock: int
    """Stock pile, from 1."""
    pile: PileName | None = None
    """None: the only pile where the card fits, or the own side."""


class Turn(_Action, frozen=True, tag="turn"):
    """Turn a face-down top face up (RULES.md 8)."""

    stock: int


class Move(_Action, frozen=True, tag="move"):
    """Move a face-up top into an empty space (RULES.md 9)."""

    source: int
    target: int


class Draw(_Action, frozen=True, tag="draw"):
    """Draw a card into the lowest empty slot of the hand (RULES.md 45)."""


class Spit(_Action, frozen=True, tag="spit"):
    """Call spit (RULES.md 16, 18)."""

    pile: PileName | None = None
    """Names the pile for a player who spits alone."""


class Slap(_Action, frozen=True, tag="slap"):
    """Slap a pile at the end of a round (RULES.md 22)."""

    pile: PileName


class Choose(_Action, frozen=True, tag="choose"):
    """Choose a pile without a race (RULES.md 28)."""

    pile: PileName


class Ready(_Action, frozen=True, tag="ready"):
    """Say that the deal may start (RULES.md 4)."""


StockAction = Play | Turn | Move
"""What a miss locks (CLARIFICATIONS.md C20)."""
TableAction = StockAction | Draw
"""What a player does with the own cards."""
Action = TableAction | Spit | Slap | Choose | Ready


class _Event(msgspec.Struct, frozen=True, gc=False, tag_field="event", kw_only=True):
    at_ns: int
    """Match time at which it happened."""


class Dealt(_Event, frozen=True, tag="dealt"):
    """A layout was dealt and waits for both to be ready (RULES.md 30)."""

    round: int
    is_single: bool


class SaidReady(_Event, frozen=True, tag="ready"):
    """A player is ready for the deal to be turned (RULES.md 4)."""

    seat: Seat
    by_machine: bool = False


class BeatStarted(_Event, frozen=True, tag="beat"):
    """The count before cards turn has started (RULES.md 4, 16)."""

    kind: BeatKind
    ends_ns: int


class TurnedCard(msgspec.Struct, frozen=True, gc=False):
    """One card that went from a player's spit cards to a centre pile."""

    seat: Seat
    pile: PileName
    card: Card


class CardsTurned(_Event, frozen=True, tag="turned"):
    """Spit cards turned onto the centre piles, all in one step (RULES.md 4, 16, 18)."""

    kind: BeatKind
    cards: tuple[TurnedCard, ...]


class Played(_Event, frozen=True, tag="played"):
    """A card went from a stock pile, or the hand, to a centre pile."""

    seat: Seat
    stock: int
    """Stock pile or slot of the hand, from 1."""
    pile: PileName
    card: Card
    uncovered: Card | None
    """The card that turned face up beneath, or was drawn into the slot, if one was and the reader may see it."""
    by_machine: bool = False
    """Played by the machine after `force_ms` (RULES.md 20)."""


class Moved(_Event, frozen=True, tag="moved"):
    """A card went into an empty space."""

    seat: Seat
    source: int
    target: int
    card: Card
    uncovered: Card | None
    by_machine: bool = False


class TurnedUp(_Event, frozen=True, tag="turned_up"):
    """A face-down top was turned by hand (RULES.md 8)."""

    seat: Seat
    stock: int
    card: Card
    by_machine: bool = False


class Drew(_Event, frozen=True, tag="drew"):
    """A player drew a card into the hand (RULES.md 45)."""

    seat: Seat
    slot: int
    card: Card | None
    """None: the reader may not see it (RULES.md 52)."""
    by_machine: bool = False


class Redrawn(_Event, frozen=True, tag="redrawn"):
    """No hand card could ever fit: both shuffled the hand into the draw pile and drew anew (RULES.md 49)."""


class Refilled(_Event, frozen=True, tag="refilled"):
    """The side piles were dry and were made anew from the cards under the two tops (RULES.md 48)."""


class BecameStuck(_Event, frozen=True, tag="stuck"):
    """Neither can go on; the announcement (RULES.md 15, 16)."""

    lone_spitter: Seat | None


class Called(_Event, frozen=True, tag="called"):
    """A player called spit, or the machine for them."""

    seat: Seat
    pile: PileName | None
    by_machine: bool = False


class Hinted(_Event, frozen=True, tag="hint"):
    """Nobody made progress for `hint_ms`; this could be done (RULES.md 20)."""

    seat: Seat
    hint: TableAction | None
    """None: the reader may not see it, for it tells of a hidden hand (RULES.md 52)."""


class RoundEnded(_Event, frozen=True, tag="round_end"):
    """A player is out, or neither can go on (RULES.md 21)."""

    end: RoundEnd


class SlapOpened(_Event, frozen=True, tag="slap_opened"):
    """From now on slaps, or the choice, count (RULES.md 24, 28)."""


class PilesTaken(_Event, frozen=True, tag="piles_taken"):
    """The centre piles were shared out (RULES.md 23, 27, 28, 33)."""

    a: PileName | None
    """The pile a took; None: nothing (RULES.md 33)."""
    b: PileName | None
    a_size: int
    b_size: int
    settled_by: Seat | None
    """The player whose slap or choice settled it; None: the machine or the rules."""


class Scored(_Event, frozen=True, tag="scored"):
    """Points of the round that ended (RULES.md 41, 51)."""

    a: int
    b: int


class TokenPassed(_Event, frozen=True, tag="token"):
    """The priority token decided something and passed on (RULES.md 13)."""

    to: Seat


class MatchOver(_Event, frozen=True, tag="match_over"):
    """The match is won; what each player has after the last piles are taken (CLARIFICATIONS.md C8)."""

    winner: Seat
    a_owned: int
    b_owned: int
    points: tuple[int, int] | None = None
    """The totals of a and b where points decide (RULES.md 41, 51)."""


class Refused(_Event, frozen=True, tag="refused"):
    """An action changed nothing on the table."""

    seat: Seat
    action: Action
    reason: Refusal
    pile: PileName | None = None
    """The pile it was meant for: the one named, the one whose card was covered, else the own side."""
    behind_ns: int | None = None
    """How much earlier the other player covered the card this one was meant for; None: no lost race."""
    locked_until_ns: int | None = None
    """Set when the refusal was a miss that locks the stock buttons (RULES.md 53)."""


Event = (
    Dealt
    | SaidReady
    | BeatStarted
    | CardsTurned
    | Played
    | Moved
    | TurnedUp
    | Drew
    | Redrawn
    | Refilled
    | BecameStuck
    | Called
    | Hinted
    | RoundEnded
    | SlapOpened
    | PilesTaken
    | Scored
    | TokenPassed
    | MatchOver
    | Refused
)
