"""Refused presses: which are misses and lock the stock buttons, and which were lost races (RULES.md 53)."""

from __future__ import annotations

from typing import Final

from cabinet.engine import slap
from cabinet.engine.actions import Action, Choose, Event, Play, Refusal, Refused, Slap, Spit, StockAction
from cabinet.engine.fitting import judged_pile
from cabinet.engine.match import Covered, Hand, Match, with_hand
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import OTHER_SEAT, PileName, Seat

MISSES: Final[frozenset[Refusal]] = frozenset(
    {"EMPTY", "FACE_DOWN", "FACE_UP", "NO_PILE", "NOT_ADJACENT", "COLOUR", "TARGET_NOT_EMPTY"}
)
"""The reasons for which a stock press is a miss (CLARIFICATIONS.md C20)."""


def refuse(match: Match, seat: Seat, action: Action, refusal: Refusal, events: list[Event]) -> Match:
    """The match after a refused action: a false start, a miss, a lost race, or nothing."""
    behind_ns = None
    locked_until_ns = None
    pile = _meant_pile(match, seat, action)
    if refusal == "FALSE_START":
        match = slap.note_false_start(match, seat)
    elif isinstance(action, StockAction) and refusal in MISSES:
        beaten = _covered_lately(match, seat, action, refusal)
        if beaten is None:
            match = _note_miss(match, seat)
            locked_until_ns = match.hand(seat).locked_until_ns if match.rules.miss_lockout_ms else None
        else:
            pile = beaten.pile
            behind_ns = match.now_ns - beaten.at_ns if beaten.by == OTHER_SEAT[seat] else None
    events.append(
        Refused(
            at_ns=match.now_ns,
            seat=seat,
            action=action,
            reason=refusal,
            pile=pile,
            behind_ns=behind_ns,
            locked_until_ns=locked_until_ns,
        )
    )
    return match


def _meant_pile(match: Match, seat: Seat, action: Action) -> PileName | None:
    """The pile that an action names, or that a play would be judged on (CLARIFICATIONS.md C35)."""
    if not isinstance(action, Play | Spit | Slap | Choose):
        return None
    if action.pile is not None or not isinstance(action, Play):
        return action.pile
    return judged_pile(match.table, seat)


def _covered_lately(match: Match, seat: Seat, action: StockAction, refusal: Refusal) -> Covered | None:
    """The card, covered within the grace, that a refused play was meant for (RULES.md 53, C21).

    The latest one; of two covered at one instant the one that the other player covered.
    """
    if not isinstance(action, Play) or refusal not in ("NOT_ADJACENT", "COLOUR"):
        return None
    card = match.table.side(seat).top(action.stock)
    if card is None:
        return None
    since_ns = match.now_ns - match.rules.grace_ms * MILLISECOND_NS
    meant = [
        covered
        for covered in match.covered
        if covered.at_ns > since_ns
        and action.pile in (None, covered.pile)
        and card in match.rules.fits[covered.card]
    ]
    return max(meant, key=lambda covered: (covered.at_ns, covered.by == OTHER_SEAT[seat]), default=None)


def _note_miss(match: Match, seat: Seat) -> Match:
    """The stock buttons lock, longer with each further miss (RULES.md 53, CLARIFICATIONS.md C36).

    With the lock off nothing is counted either, so that a refused press leaves the state as it was.
    """
    rules = match.rules
    first_ms = rules.miss_lockout_ms
    if not first_ms:
        return match
    hand = match.hand(seat)
    lock_ms = max(first_ms, min(first_ms << min(hand.misses, 32), rules.miss_lockout_max_ms))
    locked_until_ns = match.now_ns + lock_ms * MILLISECOND_NS
    return with_hand(match, seat, Hand(hand.acted_ns, hand.misses + 1, locked_until_ns))


def with_covered(match: Match, *newly: Covered) -> tuple[Covered, ...]:
    """With those too old to excuse a press left out; cards covered at one time in an order of their own."""
    since_ns = match.now_ns - match.rules.grace_ms * MILLISECOND_NS
    kept = [*(covered for covered in match.covered if covered.at_ns > since_ns), *newly]
    return tuple(sorted(kept, key=lambda covered: (covered.at_ns, covered.pile, covered.card)))
