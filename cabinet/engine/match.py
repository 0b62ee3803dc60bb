"""The whole match as one value: table, rounds, score, token, chance, and match time.

A `Match` is never changed; `judge.py` makes a new one from a press or from time passing. Two equal matches
that are given the same actions at the same times stay equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Literal

import msgspec

from cabinet.engine.cards import PACK, Card
from cabinet.engine.rules import Rules
from cabinet.engine.table import SEATS, BeatKind, Phase, PileName, RoundEnd, Seat, SpitTable, Table
from cabinet.engine.table_rules import table_rules


class Chance(msgspec.Struct, frozen=True):
    """The state of the match's one `random.Random`, as a value (SCENARIOS.md, "Repeatable shuffles")."""

    state: tuple[Any, ...]

    @classmethod
    def of(cls, rng: Random) -> Chance:
        """The state in which `rng` is now."""
        return cls(rng.getstate())

    def rng(self) -> Random:
        """A Random in this state; what is drawn from it does not change this value."""
        rng = Random()
        rng.setstate(self.state)
        return rng


class Hand(msgspec.Struct, frozen=True, gc=False):
    """What the machine remembers of one player's presses."""

    acted_ns: int | None = None
    """When the last press was accepted (RULES.md 14)."""
    misses: int = 0
    """Misses since the last accepted play, turn or move in this layout (RULES.md 53)."""
    locked_until_ns: int = 0
    """The stock buttons count again from here on (RULES.md 53)."""


class Covered(msgspec.Struct, frozen=True, gc=False):
    """A card that lay on top of a centre pile until `at_ns`."""

    pile: PileName
    card: Card
    at_ns: int
    by: Seat | None
    """The player whose play covered it; None when a spit card did."""


class Stuck(msgspec.Struct, frozen=True, gc=False):
    """Neither player can go on (RULES.md 15, 16)."""

    since_ns: int
    lone_spitter: Seat | None
    """The only player with spit cards (RULES.md 18)."""
    callers: frozenset[Seat] = frozenset()
    first_call_ns: int | None = None


class Beat(msgspec.Struct, frozen=True, gc=False):
    """The count before cards turn; what turns is fixed when it starts (CLARIFICATIONS.md C34)."""

    kind: BeatKind
    starts_ns: int
    ends_ns: int
    seats: tuple[Seat, ...]
    """Whose cards turn."""
    pile: PileName | None
    """Where a lone spit goes; None: each on the own side."""


class Settling(msgspec.Struct, frozen=True, gc=False):
    """The time between the end of a round and the sharing out of its piles (RULES.md 22-28)."""

    ended_ns: int
    opens_ns: int
    is_open: bool = False
    false_starts: frozenset[Seat] = frozenset()
    chooser: Seat | None = None
    """Who chooses; None in a race."""
    by_token: bool = False
    """The token named the chooser, and passes when the piles are settled (CLARIFICATIONS.md C13)."""


class Match(msgspec.Struct, frozen=True):
    """A match at one moment of match time."""

    rules: Rules
    table: Table
    chance: Chance
    token: Seat
    phase: Phase = "ready"
    now_ns: int = 0
    """Match time up to which every time-out is done."""
    round: int = 1
    score_a: int = 0
    score_b: int = 0
    hand_a: Hand = Hand()
    hand_b: Hand = Hand()
    ready: frozenset[Seat] = frozenset()
    beat: Beat | None = None
    stuck: Stuck | None = None
    tied_to_a: PileName | None = None
    """The only pile on which a may spit until the next layout (RULES.md 18)."""
    tied_to_b: PileName | None = None
    progress_ns: int = 0
    """When the last progress was made: the start of RULES.md 20's clock."""
    is_hinted: bool = False
    covered: tuple[Covered, ...] = ()
    """Cards covered lately, oldest first; older than `grace_ms` they mean nothing (RULES.md 53)."""
    settling: Settling | None = None
    round_end: RoundEnd | None = None
    """The latest round's, also after the next deal."""
    winner: Seat | None = None
    final_owned: tuple[int, int] | None = None
    """What a and b own after the last piles are taken; None until the match is over (C8)."""

    def hand(self, seat: Seat) -> Hand:
        """What is remembered of one player's presses."""
        return self.hand_a if seat == "a" else self.hand_b

    def tied_to(self, seat: Seat) -> PileName | None:
        """The only pile on which this player may spit (RULES.md 18)."""
        return self.tied_to_a if seat == "a" else self.tied_to_b

    def owned(self, seat: Seat) -> int:
        """Cards in stock and spit cards, or hand and draw pile; after the match, all the player ended with."""
        if self.final_owned is not None:
            return self.final_owned[SEATS.index(seat)]
        return len(self.table.side(seat).cards)

    @property
    def is_over(self) -> bool:
        """Whether somebody has won."""
        return self.phase == "over"


def with_hand(match: Match, seat: Seat, hand: Hand) -> Match:
    """The match with one player's hand replaced."""
    if seat == "a":
        return msgspec.structs.replace(match, hand_a=hand)
    return msgspec.structs.replace(match, hand_b=hand)


def shuffled_pack(rng: Random) -> list[Card]:
    """The pack in its fixed order, shuffled (SCENARIOS.md, "Repeatable shuffles")."""
    pack = list(PACK)
    rng.shuffle(pack)
    return pack


def new_match(rules: Rules, rng: Random) -> Match:
    """A match just dealt, waiting for both to be ready (RULES.md 1, 2, 43).

    Draws the token, then the pack, from `rng`.
    """
    return match_from_pack(rules, rng, lambda pack: table_rules(rules).fresh_table(pack, rules))


def match_from_pack(rules: Rules, rng: Random, deal: Callable[[Sequence[Card]], Table]) -> Match:
    """As `new_match`, with the shuffled pack dealt by `deal` (CLARIFICATIONS.md C10)."""
    token: Literal["a", "b"] = rng.choice(SEATS)
    table = deal(shuffled_pack(rng))
    return Match(rules=rules, table=table, chance=Chance.of(rng), token=token)


def spit_table(match: Match) -> SpitTable:
    """The table of a match of Spit; raises TypeError in a match of Speed."""
    if not isinstance(match.table, SpitTable):
        raise TypeError("Speed has no stock piles")
    return match.table


def with_new_layout(match: Match, table: Table) -> Match:
    """The match with the next round dealt; locks, ties and what was covered end with the old layout."""
    return msgspec.structs.replace(
        match,
        table=table,
        phase="ready",
        round=match.round + 1,
        hand_a=Hand(acted_ns=match.hand_a.acted_ns),
        hand_b=Hand(acted_ns=match.hand_b.acted_ns),
        ready=frozenset(),
        tied_to_a=None,
        tied_to_b=None,
        covered=(),
        settling=None,
    )
