"""After every change: whether a round is over, and whether anybody can go on (RULES.md 15, 21, 47-50)."""

from __future__ import annotations

from msgspec.structs import replace

from cabinet.engine import slap
from cabinet.engine.actions import BecameStuck, Event, Redrawn, RoundEnded
from cabinet.engine.match import Chance, Match, Stuck
from cabinet.engine.rounds import score_speed_round
from cabinet.engine.table import SEATS, RoundEnd, Seat
from cabinet.engine.table_rules import table_rules


def after_action(match: Match, seat: Seat, events: list[Event]) -> Match:
    """The player who acted may be out; else it may be stuck."""
    if table_rules(match.rules).is_out(match.table, seat):
        return _end_round(match, RoundEnd("out", seat), events)
    return test_stuck(match, events)


def test_stuck(match: Match, events: list[Event]) -> Match:
    """Tested after every accepted action, after cards turned, and at a given table (RULES.md 15, 47; C30).

    Who cannot go on spits or slides; a dead hand of Speed is redrawn first; without spit cards it is a deadlock.
    """
    game = table_rules(match.rules)
    if match.stuck is not None or not game.is_stuck(match.table, match.rules):
        return match
    match = _revived(match, events)
    if not game.is_stuck(match.table, match.rules):
        return match
    spitters = [seat for seat in SEATS if game.can_spit(match.table, seat)]
    if not spitters:
        return _end_round(match, RoundEnd("deadlock"), events)
    lone = spitters[0] if len(spitters) == 1 else None
    events.append(BecameStuck(at_ns=match.now_ns, lone_spitter=lone))
    return replace(match, stuck=Stuck(match.now_ns, lone))


def _revived(match: Match, events: list[Event]) -> Match:
    """A dead position is redrawn at once, before the announcement (RULES.md 49, CLARIFICATIONS.md C25)."""
    if match.rules.game != "speed":
        return match
    rng = match.chance.rng()
    table = table_rules(match.rules).revived(match.table, match.rules, rng)
    if table is None:
        return match
    events.append(Redrawn(at_ns=match.now_ns))
    return replace(match, table=table, chance=Chance.of(rng))


def _end_round(match: Match, end: RoundEnd, events: list[Event]) -> Match:
    """One cause ends a round (RULES.md 21, 50)."""
    events.append(RoundEnded(at_ns=match.now_ns, end=end))
    match = replace(match, round_end=end, stuck=None, beat=None)
    if match.rules.game == "speed" and end.player is not None:
        return score_speed_round(match, end.player, events)
    return slap.settle(match, end, events)
