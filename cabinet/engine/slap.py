"""The end of a round of Spit: the race for the piles, or the choice (RULES.md 22-28, 33, 36)."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from cabinet.engine.actions import Event, Refusal, SlapOpened
from cabinet.engine.match import Chance, Match, Settling, spit_table
from cabinet.engine.rounds import take_piles
from cabinet.engine.rules import MICROSECOND_NS, MILLISECOND_NS, Rules
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, OWN_SIDE, PileName, RoundEnd, Seat


def settle(match: Match, end: RoundEnd, events: list[Event]) -> Match:
    """A round is over: a race, a choice, or the piles at once (RULES.md 22, 28, 33)."""
    if end.player is not None and match.table.is_single:
        other = OTHER_SEAT[end.player]
        return take_piles(match, {other: _only_pile(match)}, None, events)
    if match.rules.slap == "winner":
        return _open_choice(match, end)
    rng = match.chance.rng()
    opens_ns = match.now_ns + _slap_delay_ns(match.rules, rng)
    return replace(match, phase="slap", chance=Chance.of(rng), settling=Settling(match.now_ns, opens_ns))


def _only_pile(match: Match) -> PileName:
    return "right" if spit_table(match).left is None else "left"


def _slap_delay_ns(rules: Rules, rng: Random) -> int:
    low, high = rules.slap_delay_range_ms
    if high == 0:
        return 0
    return round(rng.uniform(low, high) * (MILLISECOND_NS // MICROSECOND_NS)) * MICROSECOND_NS


def _open_choice(match: Match, end: RoundEnd) -> Match:
    chooser, by_token = chooser_after(match, end)
    opens_ns = match.now_ns + match.rules.slap_grace_ms * MILLISECOND_NS
    return replace(
        match, phase="choose", settling=Settling(match.now_ns, opens_ns, chooser=chooser, by_token=by_token)
    )


def chooser_after(match: Match, end: RoundEnd) -> tuple[Seat, bool]:
    """Who chooses a pile, and whether the token named them (RULES.md 28)."""
    if end.player is not None:
        return end.player, False
    table = spit_table(match)
    a, b = table.a.stock_size, table.b.stock_size
    if a == b:
        return match.token, True
    return ("a" if a < b else "b"), False


def open_settling(match: Match, events: list[Event]) -> Match:
    """From now on slaps, or the choice, count."""
    if match.settling is None:
        raise ValueError("no round has ended")
    events.append(SlapOpened(at_ns=match.now_ns))
    return replace(match, settling=replace(match.settling, is_open=True))


def slap_refusal(match: Match, seat: Seat) -> Refusal | None:
    """Why a slap does not count (RULES.md 24, CLARIFICATIONS.md C15, C41)."""
    settling = match.settling
    if match.phase != "slap" or settling is None:
        return "WRONG_PHASE"
    if not settling.is_open:
        grace_ns = match.rules.slap_grace_ms * MILLISECOND_NS
        return "WRONG_PHASE" if match.now_ns <= settling.ended_ns + grace_ns else "FALSE_START"
    lockout_ns = match.rules.slap_lockout_ms * MILLISECOND_NS
    if seat in settling.false_starts and match.now_ns < settling.opens_ns + lockout_ns:
        return "LOCKED_OUT"
    return None


def note_false_start(match: Match, seat: Seat) -> Match:
    """The player may not slap for a while after the opening (RULES.md 24)."""
    if match.settling is None:
        raise ValueError("no round has ended")
    starts = match.settling.false_starts | {seat}
    return replace(match, settling=replace(match.settling, false_starts=starts))


def choose_refusal(match: Match, seat: Seat) -> Refusal | None:
    """Why a choice does not count (RULES.md 28, CLARIFICATIONS.md C37)."""
    settling = match.settling
    if match.phase != "choose" or settling is None or not settling.is_open or seat != settling.chooser:
        return "WRONG_PHASE"
    return None


def take(match: Match, seat: Seat, pile: PileName, events: list[Event]) -> Match:
    """One slap or choice settles both piles (RULES.md 23, 28)."""
    return take_piles(match, {seat: pile, OTHER_SEAT[seat]: OTHER_PILE[pile]}, seat, events)


def take_each(match: Match, a: PileName, events: list[Event]) -> Match:
    """Both have slapped, each another pile, in one instant: each has the own slap (CLARIFICATIONS.md C16)."""
    return take_piles(match, {"a": a, "b": OTHER_PILE[a]}, None, events)


def time_out(match: Match, events: list[Event]) -> Match:
    """Nobody slapped or chose (RULES.md 27, 28)."""
    settling, end = match.settling, match.round_end
    if settling is None or end is None:
        raise ValueError("no round has ended")
    favoured = settling.chooser or end.player
    if favoured is None:
        return take_piles(match, dict(OWN_SIDE), None, events)
    own = OWN_SIDE[favoured]
    other = OTHER_PILE[own]
    smaller = other if match.table.pile_size(other) < match.table.pile_size(own) else own
    taken = {favoured: smaller, OTHER_SEAT[favoured]: OTHER_PILE[smaller]}
    return take_piles(match, taken, None, events)
