"""What happened, in plain words for a terminal, a record's listing or a referee's result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cabinet.engine.actions import (
    Action,
    BeatStarted,
    BecameStuck,
    Called,
    CardsTurned,
    Choose,
    Dealt,
    Draw,
    Drew,
    Event,
    Hinted,
    MatchOver,
    Move,
    Moved,
    PilesTaken,
    Play,
    Played,
    Ready,
    Redrawn,
    Refilled,
    Refused,
    RoundEnded,
    SaidReady,
    Scored,
    Slap,
    SlapOpened,
    Spit,
    TokenPassed,
    Turn,
    TurnedUp,
)

NANOSECONDS_IN_MILLISECOND: Final = 1_000_000


def action_in_words(action: Action) -> str:
    """An action as a player would name it, such as ``stock 3 to left``."""
    words: dict[type[Any], str] = {
        Play: "stock {0.stock} to {0.pile}" if getattr(action, "pile", None) else "stock {0.stock}",
        Turn: "turn of stock {0.stock}",
        Move: "move from {0.source} to {0.target}",
        Draw: "draw",
        Spit: "call on {0.pile}" if getattr(action, "pile", None) else "call",
        Slap: "slap of {0.pile}",
        Choose: "choice of {0.pile}",
        Ready: "ready",
    }
    return words[type(action)].format(action)


def event_in_words(event: Event) -> str:
    """An event in one short sentence. It may name any card: not for a screen that players see."""
    return _SENTENCES[type(event)](event)


def _played(event: Played) -> str:
    return f"{event.seat} plays {event.card} from {event.stock} on {event.pile}{_afterwards(event)}"


def _moved(event: Moved) -> str:
    return f"{event.seat} moves {event.card} from {event.source} to {event.target}{_afterwards(event)}"


def _afterwards(event: Played | Moved) -> str:
    uncovered = f" and uncovers {event.uncovered}" if event.uncovered is not None else ""
    return uncovered + (" (made by the machine)" if event.by_machine else "")


def _drew(event: Drew) -> str:
    card = event.card if event.card is not None else "a card"
    return f"{event.seat} draws {card} into {event.slot}" + (" (made by the machine)" if event.by_machine else "")


def _turned(event: CardsTurned) -> str:
    cards = ", ".join(f"{card.card} of {card.seat} on {card.pile}" for card in event.cards)
    return f"turned: {cards}"


def _called(event: Called) -> str:
    where = f" on {event.pile}" if event.pile else ""
    return f"{event.seat} calls{where}" + (" (made by the machine)" if event.by_machine else "")


def _stuck(event: BecameStuck) -> str:
    return "stuck" + (f": {event.lone_spitter} spits alone" if event.lone_spitter else "")


def _round_ended(event: RoundEnded) -> str:
    return f"{event.end.player} is out" if event.end.player else "deadlock"


def _piles_taken(event: PilesTaken) -> str:
    taken = [
        f"{seat} takes {pile} ({size})" if pile else f"{seat} takes nothing"
        for seat, pile, size in (("a", event.a, event.a_size), ("b", event.b, event.b_size))
    ]
    return ", ".join(taken)


def _match_over(event: MatchOver) -> str:
    if event.points is not None:
        return f"{event.winner} wins, {event.points[0]} to {event.points[1]} points"
    return f"{event.winner} wins, {event.a_owned} to {event.b_owned} cards"


def _refused(event: Refused) -> str:
    behind = ""
    if event.behind_ns is not None:
        behind = f", {event.behind_ns / NANOSECONDS_IN_MILLISECOND:.1f} ms behind"
    return f"{event.seat}: {action_in_words(event.action)} refused, {event.reason}{behind}"


_SENTENCES: dict[type[Any], Callable[[Any], str]] = {
    Dealt: lambda event: f"round {event.round} is dealt" + (", one pile" if event.is_single else ""),
    SaidReady: lambda event: f"{event.seat} is ready",
    BeatStarted: lambda event: f"beat before the {event.kind}",
    CardsTurned: _turned,
    Played: _played,
    Moved: _moved,
    TurnedUp: lambda event: f"{event.seat} turns {event.card} on {event.stock}",
    Drew: _drew,
    Redrawn: lambda _: "dead hands: both redraw",
    Refilled: lambda _: "the side piles are made anew",
    Scored: lambda event: f"points: {event.a} for a, {event.b} for b",
    BecameStuck: _stuck,
    Called: _called,
    Hinted: lambda event: f"hint for {event.seat}" + (f": {action_in_words(event.hint)}" if event.hint else ""),
    RoundEnded: _round_ended,
    SlapOpened: lambda _: "the piles are open",
    PilesTaken: _piles_taken,
    TokenPassed: lambda event: f"the token passes to {event.to}",
    MatchOver: _match_over,
    Refused: _refused,
}
