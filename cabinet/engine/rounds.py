"""From one round to the next: what each goes on with, what is scored, who has won (RULES.md 29-41, 50, 51)."""

from __future__ import annotations

from msgspec.structs import replace

from cabinet.engine.actions import Dealt, Event, MatchOver, PilesTaken, Scored, TokenPassed
from cabinet.engine.cards import Card
from cabinet.engine.match import Chance, Match, shuffled_pack, spit_table, with_new_layout
from cabinet.engine.rules import MINUTE_NS
from cabinet.engine.spit import lay_out
from cabinet.engine.table import OTHER_SEAT, SEATS, PileName, Seat, SpeedTable, Table
from cabinet.engine.table_rules import table_rules

# Spit


def take_piles(match: Match, taken: dict[Seat, PileName], settled_by: Seat | None, events: list[Event]) -> Match:
    """The centre piles are shared out; the match is won, or the next round is dealt (RULES.md 23, 29, 30, 33)."""
    table = spit_table(match)
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
    owned = (len(sets["a"]), len(sets["b"]))
    if match.rules.score == "points":
        match = _score(match, *owned, events)
        winner = _winner_by_points(match)
    else:
        winner = _winner_by_cards(match, *owned)
    if winner is not None:
        return _end_match(match, winner, owned, events)
    return _deal_next(match, sets, events)


def _new_set(match: Match, seat: Seat, pile: PileName | None) -> list[Card]:
    table = spit_table(match)
    taken = (table.pile(pile) or ()) if pile else ()
    return [*taken, *table.side(seat).cards]


def _deal_next(match: Match, sets: dict[Seat, list[Card]], events: list[Event]) -> Match:
    if match.rules.score == "points":
        return deal_afresh(match, events)
    rng = match.chance.rng()
    rng.shuffle(sets["a"])
    rng.shuffle(sets["b"])
    return _with_layout(match, lay_out(sets["a"], sets["b"], match.rules), Chance.of(rng), events)


def _winner_by_points(match: Match) -> Seat | None:
    """At the target or more for either, the lower total; equal: one more round (RULES.md 41)."""
    if max(match.score_a, match.score_b) < match.rules.points_target:
        return None
    return _lower(match.score_a, match.score_b)


def _winner_by_cards(match: Match, a_owned: int, b_owned: int) -> Seat | None:
    """Who has no card left; at a cap, who has fewer (RULES.md 34, 38; CLARIFICATIONS.md C23)."""
    rules = match.rules
    if a_owned == 0 or b_owned == 0:
        return "a" if a_owned == 0 else "b"
    rounds_are_up = 0 < rules.cap_rounds <= match.round
    time_is_up = rules.cap_minutes > 0 and match.now_ns >= rules.cap_minutes * MINUTE_NS
    return _lower(a_owned, b_owned) if rounds_are_up or time_is_up else None


def _lower(a: int, b: int) -> Seat | None:
    if a == b:
        return None
    return "a" if a < b else "b"


# Speed


def score_speed_round(match: Match, winner: Seat, events: list[Event]) -> Match:
    """The round's winner scores what the other has left; the match is won, or dealt anew (RULES.md 51)."""
    table = match.table
    if not isinstance(table, SpeedTable):
        raise TypeError("Spit is not scored this way")
    left = table.side(OTHER_SEAT[winner])
    points = left.stock_size if match.rules.speed_score == "all" else len(left.draw)
    match = _score(match, points if winner == "a" else 0, points if winner == "b" else 0, events)
    total = match.score_a if winner == "a" else match.score_b
    if total >= match.rules.speed_target:
        return _end_match(match, winner, (match.owned("a"), match.owned("b")), events)
    return deal_afresh(match, events)


# Both


def deal_afresh(match: Match, events: list[Event]) -> Match:
    """The next round from the whole pack (RULES.md 41, 43; SCENARIOS.md, "Repeatable shuffles")."""
    rng = match.chance.rng()
    table = table_rules(match.rules).fresh_table(shuffled_pack(rng), match.rules)
    return _with_layout(match, table, Chance.of(rng), events)


def _with_layout(match: Match, table: Table, chance: Chance, events: list[Event]) -> Match:
    match = replace(with_new_layout(match, table), chance=chance)
    events.append(Dealt(at_ns=match.now_ns, round=match.round, is_single=table.is_single))
    return match


def _score(match: Match, a: int, b: int, events: list[Event]) -> Match:
    events.append(Scored(at_ns=match.now_ns, a=a, b=b))
    return replace(match, score_a=match.score_a + a, score_b=match.score_b + b)


def _end_match(match: Match, winner: Seat, owned: tuple[int, int], events: list[Event]) -> Match:
    by_points = match.rules.game == "speed" or match.rules.score == "points"
    points = (match.score_a, match.score_b) if by_points else None
    a_owned, b_owned = owned
    events.append(MatchOver(at_ns=match.now_ns, winner=winner, a_owned=a_owned, b_owned=b_owned, points=points))
    return replace(match, phase="over", winner=winner, final_owned=owned, settling=None)


def pass_token(match: Match, events: list[Event]) -> Match:
    """The token decided something and goes to the other player (RULES.md 13)."""
    to = OTHER_SEAT[match.token]
    events.append(TokenPassed(at_ns=match.now_ns, to=to))
    return replace(match, token=to)
