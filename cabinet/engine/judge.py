"""What follows from a press and from time passing: phases, calls, beats, time-outs, misses (RULES.md 4-38, 53-55).

Every function here is pure. Times are match time in nanoseconds, and presses must come in order of time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from cabinet.engine import slap, spit
from cabinet.engine.actions import (
    Action,
    BeatStarted,
    BecameStuck,
    Called,
    CardsTurned,
    Choose,
    Event,
    Hinted,
    Move,
    Moved,
    Play,
    Played,
    Ready,
    Refusal,
    Refused,
    SaidReady,
    Slap,
    Spit,
    Turn,
    TurnedUp,
)
from cabinet.engine.match import Beat, Covered, Hand, Match, Stuck, with_hand
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, OWN_SIDE, SEATS, BeatKind, PileName, RoundEnd, Seat

MISSES: Final[frozenset[Refusal]] = frozenset(
    {"EMPTY", "FACE_DOWN", "FACE_UP", "NO_PILE", "NOT_ADJACENT", "COLOUR", "TARGET_NOT_EMPTY"}
)
"""The reasons for which a stock press is a miss (CLARIFICATIONS.md C20)."""


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What became of a press, or of time passing."""

    match: Match
    refusal: Refusal | None = None
    """None: accepted."""
    events: tuple[Event, ...] = ()
    """What happened, in order, the time-outs before the press included."""


def press(match: Match, seat: Seat, action: Action, at_ns: int) -> Outcome:
    """The match after one player's action at `at_ns`; what is due by then happens first (CLARIFICATIONS.md C4).

    Raises ValueError when `at_ns` lies before what is decided already.
    """
    events: list[Event] = []
    match = _run_time_outs(match, at_ns, events)
    refusal = action_refusal(match, seat, action)
    if refusal is None:
        match = _run_time_outs(_accept(match, seat, action, events), at_ns, events)
    else:
        match = _refuse(match, seat, action, refusal, events)
    return Outcome(match, refusal, tuple(events))


def advance(match: Match, to_ns: int) -> Outcome:
    """The match after time has passed to `to_ns` and nobody pressed."""
    events: list[Event] = []
    match = _run_time_outs(match, to_ns, events)
    return Outcome(match, None, tuple(events))


def make_ready(match: Match, seat: Seat, *, by_machine: bool) -> Outcome:
    """Ready is said for a player, now: by the machine, or before the match began. It is no press (C22)."""
    if match.phase != "ready" or match.beat is not None or seat in match.ready:
        return Outcome(match)
    events: list[Event] = []
    match = _run_time_outs(_say_ready(match, seat, events, by_machine=by_machine), match.now_ns, events)
    return Outcome(match, None, tuple(events))


def next_time_out_ns(match: Match) -> int | None:
    """When something will happen by itself if nobody presses; None: never."""
    due = _next_time_out(match)
    return None if due is None else due[0]


# Refusals, in the order of CLARIFICATIONS.md C5


def action_refusal(match: Match, seat: Seat, action: Action) -> Refusal | None:
    """Why an action would be refused now, at `match.now_ns`; None: it would count."""
    refusal = _phase_refusal(match, seat, action)
    if refusal is not None:
        return refusal
    hand = match.hand(seat)
    is_stock_action = isinstance(action, spit.StockAction)
    if is_stock_action and match.now_ns < hand.locked_until_ns:
        return "LOCKED_OUT"
    if hand.acted_ns is not None and match.now_ns < hand.acted_ns + match.rules.min_action_ms * MILLISECOND_NS:
        return "BUSY"
    if isinstance(action, spit.StockAction):
        return spit.refusal(match.table, match.rules, seat, action)
    if isinstance(action, Spit):
        return _call_refusal(match, seat, action)
    return None


def _phase_refusal(match: Match, seat: Seat, action: Action) -> Refusal | None:
    """CLARIFICATIONS.md C6, C34."""
    if match.phase == "over":
        return "ROUND_OVER"
    if match.beat is not None:
        return "WRONG_PHASE"
    if isinstance(action, Slap):
        return slap.slap_refusal(match, seat)
    if isinstance(action, Choose):
        return slap.choose_refusal(match, seat)
    if match.phase in ("slap", "choose") and not isinstance(action, Ready):
        return "ROUND_OVER"
    wanted = "ready" if isinstance(action, Ready) else "play"
    return None if match.phase == wanted else "WRONG_PHASE"


def _call_refusal(match: Match, seat: Seat, action: Spit) -> Refusal | None:
    """RULES.md 16, 18; CLARIFICATIONS.md C12."""
    if match.stuck is None:
        return "NOT_STUCK"
    if not match.table.side(seat).spit:
        return "NO_SPIT_CARDS"
    if action.pile is None or match.stuck.lone_spitter is None:
        return None
    if match.table.pile(action.pile) is None:
        return "NO_PILE"
    return "LOCKED" if match.tied_to(seat) not in (None, action.pile) else None


# A refused action


def _refuse(match: Match, seat: Seat, action: Action, refusal: Refusal, events: list[Event]) -> Match:
    behind_ns = None
    locked_until_ns = None
    pile = _meant_pile(match, seat, action)
    if refusal == "FALSE_START":
        match = slap.note_false_start(match, seat)
    elif isinstance(action, spit.StockAction) and refusal in MISSES:
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
    if isinstance(action, Turn | Move | Ready):
        return None
    if action.pile is not None or not isinstance(action, Play):
        return action.pile
    own = OWN_SIDE[seat]
    return own if match.table.pile(own) is not None else OTHER_PILE[own]


def _covered_lately(match: Match, seat: Seat, action: spit.StockAction, refusal: Refusal) -> Covered | None:
    """The card, covered within the grace, that a refused play was meant for (RULES.md 53, C21).

    The latest one; of two covered at one instant the one that the other player covered.
    """
    if not isinstance(action, Play) or refusal not in ("NOT_ADJACENT", "COLOUR"):
        return None
    card = match.table.side(seat).stock[action.stock - 1].cards[-1]
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
    """The stock buttons lock, longer with each further miss (RULES.md 53, CLARIFICATIONS.md C36)."""
    rules = match.rules
    hand = match.hand(seat)
    first_ms = rules.miss_lockout_ms
    lock_ms = max(first_ms, min(first_ms << min(hand.misses, 32), rules.miss_lockout_max_ms))
    locked_until_ns = match.now_ns + lock_ms * MILLISECOND_NS if first_ms else hand.locked_until_ns
    return with_hand(match, seat, Hand(hand.acted_ns, hand.misses + 1, locked_until_ns))


# An accepted action


def _accept(match: Match, seat: Seat, action: Action, events: list[Event]) -> Match:
    if isinstance(action, spit.StockAction):
        match = with_hand(match, seat, Hand(acted_ns=match.now_ns))
        return _do_stock_action(match, seat, action, events, by_machine=False)
    hand = match.hand(seat)
    match = with_hand(match, seat, Hand(match.now_ns, hand.misses, hand.locked_until_ns))
    if isinstance(action, Spit):
        return _call(match, seat, action.pile, events, by_machine=False)
    if isinstance(action, Ready):
        return _say_ready(match, seat, events, by_machine=False)
    return slap.take(match, seat, action.pile, events)


def _do_stock_action(
    match: Match, seat: Seat, action: spit.StockAction, events: list[Event], *, by_machine: bool
) -> Match:
    change = spit.apply(match.table, match.rules, seat, action)
    events.append(_stock_event(match.now_ns, seat, action, change, by_machine))
    covered = match.covered
    if change.pile is not None and change.covered is not None:
        covered = _with_covered(match, Covered(change.pile, change.covered, match.now_ns, seat))
    match = replace(
        match,
        table=change.table,
        covered=covered,
        progress_ns=match.now_ns if change.is_progress else match.progress_ns,
        is_hinted=match.is_hinted and not change.is_progress,
    )
    if not match.table.side(seat).stock_size:
        return slap.end_round(match, RoundEnd("out", seat), events)
    return _test_stuck(match, events)


def _stock_event(at_ns: int, seat: Seat, action: spit.StockAction, change: spit.Change, by_machine: bool) -> Event:
    if isinstance(action, Move):
        return Moved(
            at_ns=at_ns,
            seat=seat,
            source=action.source,
            target=action.target,
            card=change.card,
            uncovered=change.uncovered,
            by_machine=by_machine,
        )
    if isinstance(action, Turn) or change.pile is None:
        return TurnedUp(at_ns=at_ns, seat=seat, stock=action.stock, card=change.card, by_machine=by_machine)
    return Played(
        at_ns=at_ns,
        seat=seat,
        stock=action.stock,
        pile=change.pile,
        card=change.card,
        uncovered=change.uncovered,
        by_machine=by_machine,
    )


def _with_covered(match: Match, *newly: Covered) -> tuple[Covered, ...]:
    """With those too old to excuse a press left out; cards covered at one time in an order of their own."""
    since_ns = match.now_ns - match.rules.grace_ms * MILLISECOND_NS
    kept = [*(covered for covered in match.covered if covered.at_ns > since_ns), *newly]
    return tuple(sorted(kept, key=lambda covered: (covered.at_ns, covered.pile, covered.card)))


def _test_stuck(match: Match, events: list[Event]) -> Match:
    """RULES.md 15, 21: tested after every accepted action, after every spit, and after the deal."""
    if match.stuck is not None or not spit.is_stuck(match.table, match.rules):
        return match
    spitters = [seat for seat in SEATS if match.table.side(seat).spit]
    if not spitters:
        return slap.end_round(match, RoundEnd("deadlock"), events)
    lone = spitters[0] if len(spitters) == 1 else None
    events.append(BecameStuck(at_ns=match.now_ns, lone_spitter=lone))
    return replace(match, stuck=Stuck(match.now_ns, lone))


# Ready, calls and beats


def _say_ready(match: Match, seat: Seat, events: list[Event], *, by_machine: bool) -> Match:
    if seat not in match.ready:
        events.append(SaidReady(at_ns=match.now_ns, seat=seat, by_machine=by_machine))
        match = replace(match, ready=match.ready | {seat})
    if len(match.ready) < len(SEATS):
        return match
    table = match.table
    starters = tuple(seat for seat in SEATS if table.pile(OWN_SIDE[seat]) is not None)
    return _start_beat(match, "deal", starters, None, events)


def _call(match: Match, seat: Seat, pile: PileName | None, events: list[Event], *, by_machine: bool) -> Match:
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


def _end_beat(match: Match, events: list[Event]) -> Match:
    """The cards turn, all in one step (RULES.md 4, 16-18)."""
    beat = match.beat
    if beat is None:
        raise ValueError("no beat is running")
    before = match.table
    table, turned = spit.turn_spit_cards(before, beat.seats, beat.pile)
    newly = [
        Covered(card.pile, pile[-1], match.now_ns, None) for card in turned if (pile := before.pile(card.pile))
    ]
    events.append(CardsTurned(at_ns=match.now_ns, kind=beat.kind, cards=turned))
    is_tied = beat.pile is not None and not table.is_single
    match = replace(
        match,
        table=table,
        phase="play",
        beat=None,
        stuck=None,
        tied_to_a=beat.pile if is_tied and "a" in beat.seats else match.tied_to_a,
        tied_to_b=beat.pile if is_tied and "b" in beat.seats else match.tied_to_b,
        covered=_with_covered(match, *newly),
        progress_ns=match.now_ns,
        is_hinted=False,
    )
    return _test_stuck(match, events)


# Time-outs

_Step = Callable[[Match, list[Event]], Match]


def _run_time_outs(match: Match, to_ns: int, events: list[Event]) -> Match:
    """All that happens by itself up to and including `to_ns`, each at its own time."""
    if to_ns < match.now_ns:
        raise ValueError(f"match time {to_ns} lies before what is decided, {match.now_ns}")
    while (due := _next_time_out(match)) is not None and due[0] <= to_ns:
        match = due[1](replace(match, now_ns=due[0]), events)
    return match if match.now_ns == to_ns else replace(match, now_ns=to_ns)


def _next_time_out(match: Match) -> tuple[int, _Step] | None:
    if match.beat is not None:
        return match.beat.ends_ns, _end_beat
    if match.phase == "play":
        return _next_without_progress(match) if match.stuck is None else _next_call(match, match.stuck)
    settling = match.settling
    if settling is None:
        return None
    if not settling.is_open:
        return settling.opens_ns, slap.open_settling
    timeout_ms = match.rules.slap_timeout_ms
    return (settling.opens_ns + timeout_ms * MILLISECOND_NS, slap.time_out) if timeout_ms else None


def _next_without_progress(match: Match) -> tuple[int, _Step] | None:
    """RULES.md 20."""
    rules = match.rules
    force_ns = match.progress_ns + rules.force_ms * MILLISECOND_NS
    hint_ns = match.progress_ns + rules.hint_ms * MILLISECOND_NS
    if rules.hint_ms and not match.is_hinted and not (rules.force_ms and force_ns < hint_ns):
        return hint_ns, _hint
    return (force_ns, _force) if rules.force_ms else None


def _next_call(match: Match, stuck: Stuck) -> tuple[int, _Step] | None:
    """RULES.md 16, 18; CLARIFICATIONS.md C12."""
    wait_ms, auto_ms = match.rules.spit_wait_ms, match.rules.spit_auto_ms
    times = []
    if wait_ms and stuck.first_call_ns is not None:
        times.append(stuck.first_call_ns + wait_ms * MILLISECOND_NS)
    if auto_ms and (stuck.lone_spitter is None or stuck.first_call_ns is None):
        times.append(stuck.since_ns + auto_ms * MILLISECOND_NS)
    return (min(times), _call_for_players) if times else None


def _call_for_players(match: Match, events: list[Event]) -> Match:
    stuck = match.stuck
    if stuck is None:
        raise ValueError("nobody is stuck")
    if stuck.lone_spitter is not None:
        return _call(match, stuck.lone_spitter, OWN_SIDE[stuck.lone_spitter], events, by_machine=True)
    for seat in SEATS:
        if seat not in stuck.callers:
            match = _call(match, seat, None, events, by_machine=True)
    return match


def machine_move(match: Match) -> tuple[Seat, spit.StockAction] | None:
    """What the machine would do for a player: plays first, the token holder's first (RULES.md 20, C17)."""
    seats = (match.token, OTHER_SEAT[match.token])
    actions = {seat: list(spit.useful_actions(match.table, match.rules, seat)) for seat in seats}
    for seat in seats:
        if actions[seat] and isinstance(actions[seat][0], Play):
            return seat, actions[seat][0]
    for seat in seats:
        if actions[seat]:
            return seat, actions[seat][0]
    return None


def _hint(match: Match, events: list[Event]) -> Match:
    move = machine_move(match)
    if move is not None:
        events.append(Hinted(at_ns=match.now_ns, seat=move[0], hint=move[1]))
    return replace(match, is_hinted=True)


def _force(match: Match, events: list[Event]) -> Match:
    move = machine_move(match)
    if move is None:
        raise ValueError("not stuck, yet nothing can be done")
    return _do_stock_action(match, *move, events, by_machine=True)


def found_on_table(match: Match) -> Outcome:
    """A position that was set up rather than played to: tested for stuck at once (CLARIFICATIONS.md C30)."""
    events: list[Event] = []
    if match.phase == "play" and match.beat is None:
        match = _test_stuck(match, events)
    match = _run_time_outs(match, match.now_ns, events)
    return Outcome(match, None, tuple(events))
