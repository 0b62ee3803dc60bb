"""From a scenario's table to a match at that position; positions that cannot occur are refused (C29)."""

from __future__ import annotations

from random import Random

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from cabinet.engine.cards import PACK, Card
from cabinet.engine.match import Chance, Match, Settling, match_from_pack, new_match, spit_table
from cabinet.engine.rules import Rules
from cabinet.engine.slap import chooser_after
from cabinet.engine.spit import can_spit, lay_out
from cabinet.engine.table import EMPTY_STOCK, SEATS, Centre, Phase, RoundEnd, SpitSide, SpitTable, StockPile
from cabinet.referee.scenario import ScenarioError, SetsInput, SpeedTableInput, SpitSideInput, SpitTableInput
from cabinet.referee.speed_position import speed_match_at
from cabinet.referee.written import WrittenCard, fill, read_cards, refuse_parentheses


def match_at(table: SpitTableInput | SpeedTableInput, rules: Rules) -> Match:
    """The match at the position that `table` gives.

    Raises ScenarioError, naming the field, for a position that cannot occur.
    """
    if table.new_match is not UNSET or (isinstance(table, SpitTableInput) and table.sets is not UNSET):
        return _dealt(table, rules)
    if isinstance(table, SpeedTableInput):
        return speed_match_at(table, rules)
    if table.a is UNSET or table.b is UNSET:
        raise ScenarioError("table: needs new_match, sets, or the zones of a and b")
    position = _Position(table, table.a, table.b, rules)
    return position.match()


def _dealt(table: SpitTableInput | SpeedTableInput, rules: Rules) -> Match:
    names = ("a", "b", "left", "right", "single", "side", "phase")
    zones = [name for name in names if getattr(table, name, UNSET) is not UNSET]
    if zones:
        raise ScenarioError(f"table.{zones[0]}: is dealt, and cannot be given with new_match or sets")
    rng = Random(table.seed)
    if isinstance(table, SpitTableInput) and table.sets is not UNSET:
        if table.new_match is not UNSET:
            raise ScenarioError("table.sets: cannot be given with new_match")
        size = _size_a(table.sets)
        match = match_from_pack(rules, rng, lambda pack: lay_out(pack[:size], pack[size:], rules))
    elif not table.new_match:
        raise ScenarioError("table.new_match: false says nothing; leave it out and give the zones")
    else:
        match = new_match(rules, rng)
    return replace(
        match,
        token=match.token if table.token is UNSET else table.token,
        score_a=table.score.a,
        score_b=table.score.b,
        round=table.round,
    )


def _size_a(sets: SetsInput) -> int:
    """Cards in a's set (CLARIFICATIONS.md C10)."""
    a, b = sets.a, sets.b
    size_a = a if a is not None else len(PACK) - (b if b is not None else 26)
    if b is not None and size_a + b != len(PACK):
        raise ScenarioError(f"table.sets: {size_a} and {b} cards do not make {len(PACK)}")
    return size_a


class _Position:
    """Builds a match of Spit from zones, and refuses what cannot occur."""

    def __init__(self, table: SpitTableInput, a: SpitSideInput, b: SpitSideInput, rules: Rules) -> None:
        self.given = table
        self.rules = rules
        self.phase: Phase = "play" if table.phase is UNSET else table.phase
        self.a = a
        self.b = b

    def match(self) -> Match:
        """The match; raises ScenarioError."""
        table = self._table()
        self._check_single(table)
        end = self.given.round_end.value() if self.given.round_end else None
        match = Match(
            rules=self.rules,
            table=table,
            chance=Chance.of(Random(self.given.seed)),
            token="a" if self.given.token is UNSET else self.given.token,
            phase=self.phase,
            round=self.given.round,
            score_a=self.given.score.a,
            score_b=self.given.score.b,
            tied_to_a=self.given.lock.a,
            tied_to_b=self.given.lock.b,
            round_end=end,
        )
        if self.phase in ("slap", "choose"):
            return self._settling(match, end)
        for name, side in (("a", table.a), ("b", table.b)):
            if not side.stock_size:
                raise ScenarioError(
                    f"table.{name}.stock: a player without cards in the layout has ended the round"
                )
        return match

    def _table(self) -> SpitTable:
        written = {
            "a": [self._read(f"a.stock[{i}]", pile) for i, pile in enumerate(self._stock("a", self.a))],
            "a.spit": [self._read("a.spit", self.a.spit)],
            "b": [self._read(f"b.stock[{i}]", pile) for i, pile in enumerate(self._stock("b", self.b))],
            "b.spit": [self._read("b.spit", self.b.spit)],
            "left": self._read_centre("left", self.given.left),
            "right": self._read_centre("right", self.given.right),
        }
        zones = [zone for name in written for zone in written[name]]
        filled = fill(zones)
        sizes = {name: len(written[name]) for name in written}
        parts: dict[str, list[tuple[Card, ...]]] = {}
        for name, size in sizes.items():
            parts[name], filled = filled[:size], filled[size:]
        return SpitTable(
            a=self._side("a", written["a"], parts["a"], parts["a.spit"][0]),
            b=self._side("b", written["b"], parts["b"], parts["b.spit"][0]),
            left=self._centre("left", parts["left"], has_spit=bool(parts["a.spit"][0])),
            right=self._centre("right", parts["right"], has_spit=bool(parts["b.spit"][0])),
        )

    def _stock(self, name: str, side: SpitSideInput) -> list[list[str]]:
        if len(side.stock) != self.rules.stock:
            raise ScenarioError(f"table.{name}.stock: {len(side.stock)} piles; allowed: {self.rules.stock}")
        return side.stock

    def _read(self, name: str, cards: list[str]) -> list[WrittenCard]:
        written = read_cards(f"table.{name}", cards)
        if "stock" not in name:
            refuse_parentheses(f"table.{name}", written)
        return written

    def _read_centre(self, name: str, cards: list[str] | UnsetType | None) -> list[list[WrittenCard]]:
        return [] if cards is UNSET or cards is None else [self._read(name, cards)]

    def _side(
        self, name: str, written: list[list[WrittenCard]], stock: list[tuple[Card, ...]], spit: tuple[Card, ...]
    ) -> SpitSide:
        piles = []
        for number, (pile, cards) in enumerate(zip(written, stock, strict=True)):
            field = f"table.{name}.stock[{number}]"
            piles.append(self._pile(field, pile, cards))
        return SpitSide(tuple(piles), spit)

    def _pile(self, field: str, written: list[WrittenCard], cards: tuple[Card, ...]) -> StockPile:
        if not written:
            return EMPTY_STOCK
        face_down = [card.face_down for card in written]
        face_up = face_down[::-1].index(True) if True in face_down else len(written)
        if not all(face_down[: len(written) - face_up]) or (face_up > 1 and not self.rules.stack_equal):
            raise ScenarioError(f"{field}: an open card lies below the top")
        if face_up == 0 and self.rules.turn == "auto":
            raise ScenarioError(f"{field}: the top lies face down, and turn=auto turns it")
        if len({card.rank for card in cards[len(cards) - face_up :]}) > 1:
            raise ScenarioError(f"{field}: open cards on each other are of equal rank")
        return StockPile(cards, face_up)

    def _centre(self, name: str, cards: list[tuple[Card, ...]], *, has_spit: bool) -> Centre | None:
        given = self.given.left if name == "left" else self.given.right
        if self.phase == "ready":
            if cards and cards[0]:
                raise ScenarioError(f"table.{name}: has cards before the start")
            if (given is None) == has_spit:
                raise ScenarioError(
                    f"table.{name}: null is the pile of a player without spit cards, and only that"
                )
            return () if has_spit else None
        if given is UNSET:
            raise ScenarioError(f"table.{name}: is missing; null is the pile that a one-pile round does not have")
        if cards and not cards[0]:
            raise ScenarioError(f"table.{name}: is empty, though play has begun")
        return cards[0] if cards else None

    def _check_single(self, table: SpitTable) -> None:
        if table.left is None and table.right is None:
            raise ScenarioError("table.left: both piles are missing")
        if self.given.single is not UNSET and self.given.single != table.is_single:
            raise ScenarioError("table.single: contradicts the piles")
        if table.is_single and (self.given.lock.a or self.given.lock.b):
            raise ScenarioError("table.lock: a one-pile round has no lock")
        if table.is_single and table.a.spit and table.b.spit:
            raise ScenarioError("table.single: both have spit cards, so there are two piles")

    def _settling(self, match: Match, end: RoundEnd | None) -> Match:
        if end is None:
            raise ScenarioError(f"table.round_end: is needed in the phase {self.phase!r}")
        if (self.phase == "slap") != (self.rules.slap == "race"):
            raise ScenarioError(f"table.phase: {self.phase!r} does not go with slap={self.rules.slap}")
        table = match.table
        for seat in ("a", "b"):
            is_out = end.player == seat
            if (table.side(seat).stock_size == 0) != is_out:
                raise ScenarioError(f"table.round_end: contradicts the stock of {seat}")
        if end.cause == "out" and table.is_single:
            raise ScenarioError("table.round_end: going out in a one-pile round leaves nothing to slap")
        if end.cause == "deadlock" and any(can_spit(spit_table(match), seat) for seat in SEATS):
            raise ScenarioError("table.round_end: no deadlock while there are spit cards")
        chooser, by_token = chooser_after(match, end) if self.phase == "choose" else (None, False)
        return replace(match, settling=Settling(0, 0, is_open=True, chooser=chooser, by_token=by_token))
