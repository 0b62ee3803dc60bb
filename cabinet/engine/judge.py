"""What follows from a press and from time passing: phases, what is accepted, time-outs (RULES.md 4-55).

Every function here is pure. Times are match time in nanoseconds, and presses must come in order of time.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from cabinet.engine import slap
from cabinet.engine.actions import (
    Action,
    Choose,
    Draw,
    Drew,
    Event,
    Hinted,
    Move,
    Moved,
    Play,
    Played,
    Ready,
    Refusal,
    Slap,
    Spit,
    StockAction,
    TableAction,
    Turn,
    TurnedUp,
)
from cabinet.engine.calls import call, call_for_players, call_refusal, end_beat, say_ready
from cabinet.engine.change import Change
from cabinet.engine.match import Covered, Hand, Match, Stuck, with_hand
from cabinet.engine.misses import refuse, with_covered
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.standing import after_action, test_stuck
from cabinet.engine.table import OTHER_SEAT, Seat
from cabinet.engine.table_rules import table_rules


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
        match = refuse(match, seat, action, refusal, events)
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
    match = _run_time_outs(say_ready(match, seat, events, by_machine=by_machine), match.now_ns, events)
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
    is_stock_action = isinstance(action, StockAction)
    if is_stock_action and match.now_ns < hand.locked_until_ns:
        return "LOCKED_OUT"
    if hand.acted_ns is not None and match.now_ns < hand.acted_ns + match.rules.min_action_ms * MILLISECOND_NS:
        return "BUSY"
    if isinstance(action, TableAction):
        return table_rules(match.rules).refusal(match.table, match.rules, seat, action)
    if isinstance(action, Spit):
        return call_refusal(match, seat, action)
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


# An accepted action


def _accept(match: Match, seat: Seat, action: Action, events: list[Event]) -> Match:
    if isinstance(action, StockAction):
        match = with_hand(match, seat, Hand(acted_ns=match.now_ns))
        return _do_table_action(match, seat, action, events, by_machine=False)
    hand = match.hand(seat)
    match = with_hand(match, seat, Hand(match.now_ns, hand.misses, hand.locked_until_ns))
    if isinstance(action, Draw):
        return _do_table_action(match, seat, action, events, by_machine=False)
    if isinstance(action, Spit):
        return call(match, seat, action.pile, events, by_machine=False)
    if isinstance(action, Ready):
        return say_ready(match, seat, events, by_machine=False)
    return slap.take(match, seat, action.pile, events)


def _do_table_action(
    match: Match, seat: Seat, action: TableAction, events: list[Event], *, by_machine: bool
) -> Match:
    """What the machine does starts its own clock anew, whatever it came to (CLARIFICATIONS.md C17)."""
    change = table_rules(match.rules).apply(match.table, match.rules, seat, action)
    events.append(_event_of(match.now_ns, seat, action, change, by_machine))
    covered = match.covered
    if change.pile is not None and change.covered is not None:
        covered = with_covered(match, Covered(change.pile, change.covered, match.now_ns, seat))
    is_progress = change.is_progress or by_machine
    match = replace(
        match,
        table=change.table,
        covered=covered,
        progress_ns=match.now_ns if is_progress else match.progress_ns,
        is_hinted=match.is_hinted and not is_progress,
    )
    return after_action(match, seat, events)


def _event_of(at_ns: int, seat: Seat, action: TableAction, change: Change, by_machine: bool) -> Event:
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
    if isinstance(action, Turn):
        return TurnedUp(at_ns=at_ns, seat=seat, stock=action.stock, card=change.card, by_machine=by_machine)
    if isinstance(action, Play) and change.pile is not None:
        return Played(
            at_ns=at_ns,
            seat=seat,
            stock=action.stock,
            pile=change.pile,
            card=change.card,
            uncovered=change.uncovered,
            by_machine=by_machine,
        )
    if change.slot is None:
        raise ValueError(f"{action} has no event")
    return Drew(at_ns=at_ns, seat=seat, slot=change.slot, card=change.card, by_machine=by_machine)


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
        return match.beat.ends_ns, end_beat
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
    return (min(times), call_for_players) if times else None


def machine_move(match: Match) -> tuple[Seat, TableAction] | None:
    """What the machine would do for a player: plays first, the token holder's first (RULES.md 20, C17)."""
    seats = (match.token, OTHER_SEAT[match.token])
    actions = {
        seat: list(table_rules(match.rules).useful_actions(match.table, match.rules, seat)) for seat in seats
    }
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
    return _do_table_action(match, *move, events, by_machine=True)


def found_on_table(match: Match) -> Outcome:
    """A position that was set up rather than played to: tested for stuck at once (CLARIFICATIONS.md C30)."""
    events: list[Event] = []
    if match.phase == "play" and match.beat is None:
        match = test_stuck(match, events)
    match = _run_time_outs(match, match.now_ns, events)
    return Outcome(match, None, tuple(events))
