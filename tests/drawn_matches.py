"""Rules and matches drawn by lot: both games, every option, dealt or in the middle of a round."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.cards import Card
from cabinet.engine.match import Chance, Match, match_from_pack, new_match, shuffled_pack
from cabinet.engine.rules import GameKind, Rules, rules_from_options
from cabinet.engine.spit import lay_out
from cabinet.engine.table import (
    EMPTY_STOCK,
    SEATS,
    Seat,
    SpeedSide,
    SpeedTable,
    SpitSide,
    SpitTable,
    StockPile,
    Table,
)

CHOICES: Final[dict[str, tuple[Any, ...]]] = {
    "stock": (5, 4),
    "colours": ("any", "alternate"),
    "pairs": (False, True),
    "stack_equal": (False, True),
    "turn": ("auto", "manual"),
    "slap": ("race", "winner"),
    "score": ("cards", "points"),
    "points_target": (1, 52, 100),
    "cap_rounds": (0, 1, 3),
    "cap_minutes": (0, 1),
    "deal": (15, 20),
    "draw": ("auto", "manual"),
    "speed_score": ("all", "stock"),
    "speed_target": (1, 25),
    "hands": ("open", "hidden"),
    "min_action_ms": (0, 1, 50),
    "deal_beat_ms": (0, 10, 1_800),
    "spit_beat_ms": (0, 10, 600),
    "spit_wait_ms": (0, 20, 3_000),
    "spit_auto_ms": (0, 20, 4_000),
    "hint_ms": (0, 10, 5_000),
    "force_ms": (0, 200, 12_000),
    "slap_delay_ms": (0, 5, (0, 10), (900, 1_500)),
    "slap_grace_ms": (0, 10, 500),
    "slap_lockout_ms": (0, 10, 400),
    "slap_timeout_ms": (0, 20, 5_000),
    "miss_lockout_ms": (0, 10, 500),
    "miss_lockout_max_ms": (0, 15, 4_000),
    "grace_ms": (0, 10, 400),
}
"""Every option with values that tests draw from; times are off, short, or as in the arcade."""


def drawn_rules(rng: Random, **fixed: Any) -> Rules:
    """One of the games; each option stays as the profile has it, or is drawn."""
    game: GameKind = rng.choice(("spit", "speed"))
    profile = rng.choice(("arcade", "table"))
    options = {name: rng.choice(values) for name, values in CHOICES.items() if rng.random() < 0.5}
    return rules_from_options(fixed.pop("game", game), profile, {**options, **fixed})


def drawn_match(rng: Random, rules: Rules) -> Match:
    """A match just dealt, dealt from sets of any size, or somewhere in a round."""
    kind = rng.choice(("new", "sets", "position", "position"))
    if kind == "position":
        return match_in_play(rng, rules)
    if kind == "sets" and rules.game == "spit":
        size_a = rng.choice((*range(1, 20), 26, *range(33, 52)))
        return match_from_pack(rules, rng, lambda pack: lay_out(pack[:size_a], pack[size_a:], rules))
    if kind == "sets" and rng.random() < 0.2:
        return match_from_pack(rules, rng, lambda pack: _dead_table(rng, list(pack), is_turned=False))
    return new_match(rules, rng)


def match_in_play(rng: Random, rules: Rules) -> Match:
    """A table that could have been played to, tested for stuck as a table found is."""
    table = drawn_table(rng, rules)
    match = Match(rules=rules, table=table, chance=Chance.of(rng), token=rng.choice(SEATS), phase="play")
    scores = (rng.choice((0, 20, 51, 99)), rng.choice((0, 20, 51, 99)))
    limit = rules.points_target if rules.game == "spit" else rules.speed_target
    if max(scores) < limit:
        match = replace(match, score_a=scores[0], score_b=scores[1])
    return judge.found_on_table(match).match


def drawn_table(rng: Random, rules: Rules) -> Table:
    """In the middle of a round; it may be stuck, or dead."""
    return _spit_table(rng, rules) if rules.game == "spit" else _speed_table(rng, rules)


def _spit_table(rng: Random, rules: Rules) -> Table:
    pack = shuffled_pack(rng)
    sizes_to_draw = rng.choice(((0, 0, 1, 1, 2, 3), (0, 1, 1, 1)))
    piles = {seat: [rng.choice(sizes_to_draw) for _ in range(rules.stock)] for seat in SEATS}
    for sizes in piles.values():
        if not any(sizes):
            sizes[rng.randrange(rules.stock)] = 1
    spit = {seat: rng.choice((0, 0, 1, 2, 7)) for seat in SEATS}
    sides = {seat: _spit_side(rng, rules, pack, piles[seat], spit[seat]) for seat in SEATS}
    cut = rng.randint(1, len(pack) - 1)
    left, right = tuple(pack[:cut]), tuple(pack[cut:])
    if min(spit.values()) == 0 and rng.random() < 0.4:
        whole = (*left, *right)
        return SpitTable(sides["a"], sides["b"], *rng.choice(((whole, None), (None, whole))))
    return SpitTable(sides["a"], sides["b"], left, right)


def _spit_side(rng: Random, rules: Rules, pack: list[Card], sizes: list[int], spit: int) -> SpitSide:
    """Takes the cards out of `pack`."""
    stock = []
    for size in sizes:
        cards = [pack.pop() for _ in range(size)]
        face_up = min(size, 1)
        if rules.turn == "manual" and rng.random() < 0.2:
            face_up = 0
        elif rules.stack_equal and cards and rng.random() < 0.4:
            equal = next((card for card in pack if card.rank == cards[-1].rank), None)
            if equal is not None:
                pack.remove(equal)
                cards.append(equal)
                face_up = 2
        stock.append(StockPile(tuple(cards), face_up) if cards else EMPTY_STOCK)
    return SpitSide(tuple(stock), tuple(pack.pop() for _ in range(spit)))


def _speed_table(rng: Random, rules: Rules) -> Table:
    pack = shuffled_pack(rng)
    if rng.random() < 0.1:
        return _dead_table(rng, pack, is_turned=True)
    sides: dict[Seat, SpeedSide] = {seat: _speed_side(rng, rules, pack) for seat in SEATS}
    side_size = rng.randint(0, min(10, (len(pack) - 4) // 2))
    side_left = tuple(pack.pop() for _ in range(side_size))
    side_right = tuple(pack.pop() for _ in range(side_size))
    cut = rng.randint(1, len(pack) - 1)
    return SpeedTable(
        sides["a"], sides["b"], tuple(pack[:cut]), tuple(pack[cut:]), side_left, side_right, is_turned=True
    )


def _dead_table(rng: Random, pack: list[Card], *, is_turned: bool) -> SpeedTable:
    """Five ranks in a row lie with the players, the outer two in the draw piles: nothing fits (RULES.md 49)."""
    lowest = rng.randrange(13)
    inner = [card for card in pack if (card - lowest) % 13 in (1, 2, 3)]
    own = [card for card in pack if (card - lowest) % 13 <= 4]
    hands, rest = inner[:10], [card for card in own if card not in inner[:10]]
    a, b = (SpeedSide(tuple(hands[first : first + 5]), tuple(rest[first : first + 5])) for first in (0, 5))
    middle = iter([card for card in pack if card not in own])
    side_size = rng.randint(0, 14) if is_turned else 15
    side_left, side_right = (tuple(next(middle) for _ in range(side_size)) for _ in SEATS)
    return SpeedTable(a, b, (next(middle),), tuple(middle), side_left, side_right, is_turned=is_turned)


def _speed_side(rng: Random, rules: Rules, pack: list[Card]) -> SpeedSide:
    """Takes the cards out of `pack`."""
    draw = tuple(pack.pop() for _ in range(rng.choice((0, 0, 1, 3, 10, 15))))
    hand: list[Card | None] = [pack.pop() for _ in range(5)]
    if not draw or rules.draw == "manual":
        for slot in rng.sample(range(5), rng.randint(0, 4)):
            card = hand[slot]
            if card is not None:
                pack.append(card)
            hand[slot] = None
    return SpeedSide(tuple(hand), draw)
