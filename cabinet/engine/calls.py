"""Ready, calls, and the beats that end with cards turning (RULES.md 4, 16-18, 44, 47)."""

from __future__ import annotations

from msgspec.structs import replace

from cabinet.engine.actions import BeatStarted, Called, CardsTurned, Event, Refilled, Refusal, SaidReady, Spit
from cabinet.engine.match import Beat, Chance, Covered, Match, Stuck
from cabinet.engine.misses import with_covered
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.standing import test_stuck
from cabinet.engine.table import OWN_SIDE, SEATS, BeatKind, PileName, Seat
from cabinet.engine.table_rules import table_rules


def call_refusal(match: Match, seat: Seat, action: Spit) -> Refusal | None:
    """Why a call does not count (RULES.md 16, 18, 47; CLARIFICATIONS.md C5, C12)."""
    if match.stuck is None:
        return "NOT_STUCK"
    if not table_rules(match.rules).can_spit(match.table, seat):
        return "NO_SPIT_CARDS"
    if action.pile is None or match.stuck.lone_spitter is None:
        return None
    if match.table.pile(action.pile) is None:
        return "NO_PILE"
    return "LOCKED" if match.tied_to(seat) not in (None, action.pile) else None


def say_ready(match: Match, seat: Seat, events: list[Event], *, by_machine: bool) -> Match:
    """A player is ready, or the machine for them; with the second the beat starts (RULES.md 4, 44)."""
    if seat not in match.ready:
        events.append(SaidReady(at_ns=match.now_ns, seat=seat, by_machine=by_machine))
        match = replace(match, ready=match.ready | {seat})
    if len(match.ready) < len(SEATS):
        return match
    starters = table_rules(match.rules).starters(match.table)
    return _start_beat(match, "deal", starters, None, events)


def call(match: Match, seat: Seat, pile: PileName | None, events: list[Event], *, by_machine: bool) -> Match:
    """A player calls, or the machine for them (RULES.md 16, 18, 47; CLARIFICATIONS.md C11, C12)."""
    stuck = match.stuck
    if stuck is None:
        raise ValueError("nobody is stuck")
    named = lone_pile(match, seat, pile) if stuck.lone_spitter is not None else None
    if seat not in stuck.callers or named is not None:
        events.append(Called(at_ns=match.now_ns, seat=seat, pile=named, by_machine=by_machine))
    first_ns = match.now_ns if stuck.first_call_ns is None else stuck.first_call_ns
    callers = stuck.callers | {seat}
    match = replace(match, stuck=Stuck(stuck.since_ns, stuck.lone_spitter, callers, first_ns))
    if stuck.lone_spitter is not None:
        return match if named is None else _start_beat(match, "spit", (seat,), named, events)
    if len(callers) < len(SEATS):
        return match
    return _start_beat(match, "spit", SEATS, None, events)


def lone_pile(match: Match, seat: Seat, named: PileName | None = None) -> PileName | None:
    """Where a player who spits alone spits; None while the pile has yet to be chosen (RULES.md 18, 36)."""
    if match.table.left is None:
        return "right"
    if match.table.right is None:
        return "left"
    return match.tied_to(seat) or named


def _start_beat(
    match: Match,
    kind: BeatKind,
    seats: tuple[Seat, ...],
    pile: PileName | None,
    events: list[Event],
) -> Match:
    beat_ms = match.rules.deal_beat_ms if kind == "deal" else match.rules.spit_beat_ms
    ends_ns = match.now_ns + beat_ms * MILLISECOND_NS
    events.append(BeatStarted(at_ns=match.now_ns, kind=kind, ends_ns=ends_ns))
    return replace(match, beat=Beat(kind, match.now_ns, ends_ns, seats, pile))


def end_beat(match: Match, events: list[Event]) -> Match:
    """The cards turn, all in one step (RULES.md 4, 16-18)."""
    beat = match.beat
    if beat is None:
        raise ValueError("no beat is running")
    before = match.table
    rng = match.chance.rng()
    turned = table_rules(match.rules).turn_cards(before, beat.kind, beat.seats, beat.pile, rng)
    if turned.is_refilled:
        events.append(Refilled(at_ns=match.now_ns))
        match = replace(match, chance=Chance.of(rng))
    newly = [
        Covered(card.pile, pile[-1], match.now_ns, None)
        for card in turned.cards
        if beat.kind == "spit" and (pile := before.pile(card.pile))
    ]
    events.append(CardsTurned(at_ns=match.now_ns, kind=beat.kind, cards=turned.cards))
    is_tied = beat.pile is not None and not turned.table.is_single
    match = replace(
        match,
        table=turned.table,
        phase="play",
        beat=None,
        stuck=None,
        tied_to_a=beat.pile if is_tied and "a" in beat.seats else match.tied_to_a,
        tied_to_b=beat.pile if is_tied and "b" in beat.seats else match.tied_to_b,
        covered=with_covered(match, *newly),
        progress_ns=match.now_ns,
        is_hinted=False,
    )
    return test_stuck(match, events)


def call_for_players(match: Match, events: list[Event]) -> Match:
    """The machine calls for who has not (RULES.md 16, 18)."""
    stuck = match.stuck
    if stuck is None:
        raise ValueError("nobody is stuck")
    if stuck.lone_spitter is not None:
        return call(match, stuck.lone_spitter, OWN_SIDE[stuck.lone_spitter], events, by_machine=True)
    for seat in SEATS:
        if seat not in stuck.callers:
            match = call(match, seat, None, events, by_machine=True)
    return match
