"""The end of a round: the race for the piles, the choice, and what each player goes on with (RULES.md 21-38)."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from cabinet.engine.actions import (
    Dealt,
    Event,
    MatchOver,
    PilesTaken,
    Refusal,
    RoundEnded,
    SlapOpened,
    TokenPassed,
)
from cabinet.engine.cards import Card
from cabinet.engine.match import Chance, Match, Settling, shuffled_pack, with_new_layout
from cabinet.engine.rules import MICROSECOND_NS, MILLISECOND_NS, MINUTE_NS, Rules
from cabinet.engine.spit import lay_out
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, OWN_SIDE, SEATS, PileName, RoundEnd, Seat


def end_round(match: Match, end: RoundEnd, events: list[Event]) -> Match:
    """The round is over: a race, a choice, or the piles at once (RULES.md 21, 22, 28, 33)."""
    events.append(RoundEnded(at_ns=match.now_ns, end=end))
    match = replace(match, round_end=end, stuck=None, beat=None)
    if end.player is not None and match.table.is_single:
        other = OTHER_SEAT[end.player]
        return _take_piles(match, {other: _only_pile(match)}, None, events)
    if match.rules.slap == "winner":
        return _open_choice(match, end)
    rng = match.chance.rng()
    opens_ns = match.now_ns + _slap_delay_ns(match.rules, rng)
    return replace(match, phase="slap", chance=Chance.of(rng), settling=Settling(match.now_ns, opens_ns))


def _only_pile(match: Match) -> PileName:
    return "right" if match.table.left is None else "left"


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
    a, b = match.table.a.stock_size, match.table.b.stock_size
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
    return _take_piles(match, {seat: pile, OTHER_SEAT[seat]: OTHER_PILE[pile]}, seat, events)


def take_each(match: Match, a: PileName, events: list[Event]) -> Match:
    """Both have slapped, each another pile, in one instant: each has the own slap (CLARIFICATIONS.md C16)."""
    return _take_piles(match, {"a": a, "b": OTHER_PILE[a]}, None, events)


def time_out(match: Match, events: list[Event]) -> Match:
    """Nobody slapped or chose (RULES.md 27, 28)."""
    settling, end = match.settling, match.round_end
    if settling is None or end is None:
        raise ValueError("no round has ended")
    favoured = settling.chooser or end.player
    if favoured is None:
        return _take_piles(match, dict(OWN_SIDE), None, events)
    own = OWN_SIDE[favoured]
    other = OTHER_PILE[own]
    smaller = other if match.table.pile_size(other) < match.table.pile_size(own) else own
    taken = {favoured: smaller, OTHER_SEAT[favoured]: OTHER_PILE[smaller]}
    return _take_piles(match, taken, None, events)


def _take_piles(match: Match, taken: dict[Seat, PileName], settled_by: Seat | None, events: list[Event]) -> Match:
    table = match.table
    sets = {seat: _new_set(match, seat, taken.get(seat)) for seat in SEATS}
    sizes = {seat: table.pile_size(taken[seat]) if seat in taken else 0 for seat in SEATS}
    events.append(
        PilesTaken(
            at_ns=match.now_ns,
            a=taken.get("a"),
            b=taken.get("b"),
            a_size=sizes["a"],
            b_size=sizes["b"],
            settled_by=settled_by,
        )
    )
    if match.settling is not None and match.settling.by_token:
        match = pass_token(match, events)
    if match.rules.score == "points":
        match = replace(match, score_a=match.score_a + len(sets["a"]), score_b=match.score_b + len(sets["b"]))
    winner = _winner(match, len(sets["a"]), len(sets["b"]))
    if winner is not None:
        owned = (len(sets["a"]), len(sets["b"]))
        events.append(MatchOver(at_ns=match.now_ns, winner=winner, a_owned=owned[0], b_owned=owned[1]))
        return replace(match, phase="over", winner=winner, final_owned=owned, settling=None)
    return _deal_next(match, sets, events)


def _new_set(match: Match, seat: Seat, pile: PileName | None) -> list[Card]:
    taken = (match.table.pile(pile) or ()) if pile else ()
    return [*taken, *match.table.side(seat).cards]


def _deal_next(match: Match, sets: dict[Seat, list[Card]], events: list[Event]) -> Match:
    rng = match.chance.rng()
    if match.rules.score == "points":
        pack = shuffled_pack(rng)
        half = len(pack) // 2
        sets = {"a": pack[:half], "b": pack[half:]}
    else:
        rng.shuffle(sets["a"])
        rng.shuffle(sets["b"])
    table = lay_out(sets["a"], sets["b"], match.rules)
    match = replace(with_new_layout(match, table), chance=Chance.of(rng))
    events.append(Dealt(at_ns=match.now_ns, round=match.round, is_single=table.is_single))
    return match


def _winner(match: Match, a_owned: int, b_owned: int) -> Seat | None:
    """Who has won the match now that the piles are taken (RULES.md 34, 38, 41; CLARIFICATIONS.md C23, C24)."""
    rules = match.rules
    if rules.score == "points":
        if max(match.score_a, match.score_b) < rules.points_target:
            return None
        return _lower(match.score_a, match.score_b)
    if a_owned == 0 or b_owned == 0:
        return "a" if a_owned == 0 else "b"
    rounds_are_up = 0 < rules.cap_rounds <= match.round
    time_is_up = rules.cap_minutes > 0 and match.now_ns >= rules.cap_minutes * MINUTE_NS
    return _lower(a_owned, b_owned) if rounds_are_up or time_is_up else None


def _lower(a: int, b: int) -> Seat | None:
    if a == b:
        return None
    return "a" if a < b else "b"


def pass_token(match: Match, events: list[Event]) -> Match:
    """The token decided something and goes to the other player (RULES.md 13)."""
    to = OTHER_SEAT[match.token]
    events.append(TokenPassed(at_ns=match.now_ns, to=to))
    return replace(match, token=to)
