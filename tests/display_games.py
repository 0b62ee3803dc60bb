"""Snapshots of every game and phase, made by the engine itself: positions, presses, and what they led to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any, Final

import msgspec

from cabinet.engine import judge
from cabinet.engine.actions import Action, Choose, Event, Play, Slap, Spit
from cabinet.engine.games import CATALOGUE, Game, game_named
from cabinet.engine.judge import Outcome
from cabinet.engine.match import Match, new_match
from cabinet.engine.rules import GameKind, Rules, rules_from_options
from cabinet.engine.table import SEATS, Seat
from cabinet.engine.view import seen_event, view_of
from cabinet.referee.position import match_at
from cabinet.referee.scenario import read_game, read_scenario
from cabinet.snapshot import KEPT_NS, Happening, Lesson, SeatStatus, Snapshot
from tests.display_snapshots import HUMAN, MS, NOW
from tests.tables import LONE, SLAP, SPEED, SPEED_STUCK, STUCK, match_with

GAMES: Final = tuple(game_named(name) for name in CATALOGUE)

STACKED: Final[dict[str, Any]] = {
    "a": {"stock": [["??", "8H", "8S", "8D"], ["8C"], ["??", "??", "5D", "5C"], [], ["KD"]], "spit": ["5*??"]},
    "b": {"stock": [["9S"], ["??", "KC"], ["4H"], ["2S"], []], "spit": ["5*??"]},
    "left": ["12*??", "7C"],
    "right": ["13*??", "2H"],
}
"""With stack_equal: three 8s and two 5s lie open on each other."""

FACE_DOWN: Final[dict[str, Any]] = {
    "a": {"stock": [["8H"], ["??", "(3D)"], ["??", "5D"], [], []], "spit": ["4*??"]},
    "b": {"stock": [["9S"], ["??", "KC"], [], [], []], "spit": ["5*??"]},
    "left": ["16*??", "7C"],
    "right": ["17*??", "2S"],
}
"""With turn=manual: a's second top lies face down."""

LAST_OF_SPEED: Final[dict[str, Any]] = {
    "a": {"hand": ["7S", None, None, None, None], "draw": []},
    "b": {"hand": ["7C", "TS", "TC", "3H", "8H"], "draw": ["4*??"]},
    "left": ["18*??", "6D"],
    "right": ["18*??", "KS"],
    "side": {"left": ["2*??"], "right": ["2*??"]},
}
"""a plays the last card on left, and b has nine left."""

LAST_OF_SPIT: Final[dict[str, Any]] = {
    "a": {"stock": [["8H"], [], [], [], []], "spit": ["3*??"]},
    "b": {"stock": [["9S"], ["??", "KC"], [], [], []], "spit": ["5*??"]},
    "left": ["22*??", "7C"],
    "right": ["16*??", "2S"],
}
"""a plays the last card on left."""

DRY: Final[dict[str, Any]] = {
    "a": {"hand": ["8D", "TD", "3C", "TH", "3D"], "draw": ["2*??"]},
    "b": {"hand": ["8C", "TS", "TC", "3H", "8H"], "draw": ["2*??"]},
    "left": ["18*??", "6D"],
    "right": ["18*??", "6S"],
    "side": {"left": [], "right": []},
}
"""Stuck, and the side piles must be made anew."""

DEAD: Final[dict[str, Any]] = {
    "a": {"hand": ["AD", "2S", "KS", "AS", "AH"], "draw": ["3S", "QS", "3H", "QH", "3D"]},
    "b": {"hand": ["2D", "KH", "KD", "AC", "2H"], "draw": ["QD", "3C", "QC", "2C", "KC"]},
    "left": ["4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "4H", "5H", "6H", "JH"],
    "right": ["7H", "8H", "9H", "TH", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "7C"],
    "side": {"left": ["JD", "4C", "5C", "6C"], "right": ["8C", "9C", "TC", "JC"]},
}
"""No hand card fits any other card: both draw anew."""

LEVEL: Final[dict[str, Any]] = {"score": {"a": 20, "b": 24}}
"""Points of Speed before its last round."""

CHOICE: Final[dict[str, Any]] = SLAP | {"phase": "choose"}
"""a is out and chooses a pile."""

ONE_PILE: Final[dict[str, Any]] = {
    "a": {"stock": [["5S"], [], [], [], []], "spit": ["3*??"]},
    "b": {"stock": [["9S"], ["??", "KC"], [], [], []], "spit": []},
    "left": ["44*??", "6C"],
    "right": None,
}
"""A one-pile round that ends when a plays on left."""


class Told:
    """A match that is played on, and what the screen is told of it."""

    def __init__(self, match: Match, name: str = "a game") -> None:
        self.match, self.game = match, Game(name, match.rules)
        self._events: list[Event] = []

    @classmethod
    def at(cls, table: dict[str, Any], game: GameKind = "spit", **rules: Any) -> Told:
        """At a position written as in SCENARIOS.md, tested for stuck."""
        return cls(match_with(table, "arcade", game, **rules))

    @classmethod
    def found(cls, table: dict[str, Any], game: GameKind) -> Told:
        """At a position, with what its finding led to."""
        scenario = read_scenario({"game": game, "table": table})
        told = cls(match_at(scenario.table, read_game(scenario).rules))
        return told._after(judge.found_on_table(told.match))

    @classmethod
    def dealt(cls, rules: Rules, seed: int = 3) -> Told:
        """A new match."""
        return cls(new_match(rules, Random(seed)))

    def ready(self) -> Told:
        """Both are ready."""
        for seat in SEATS:
            self._after(judge.make_ready(self.match, seat, by_machine=False))
        return self

    def wait(self, ms: int) -> Told:
        """Time passes."""
        return self._after(judge.advance(self.match, self.match.now_ns + ms * MS))

    def press(self, seat: Seat, action: Action, after_ms: int = 100) -> Told:
        """One press."""
        return self._after(judge.press(self.match, seat, action, self.match.now_ns + after_ms * MS))

    def both(self, action: Action) -> Told:
        """Both press, one after the other."""
        return self.press("a", action).press("b", action)

    def shown(self, age_ms: int = 0, **changes: Any) -> Snapshot:
        """What the screen is told `age_ms` after the last that happened, all at `NOW`."""
        offset = NOW - self.match.now_ns - age_ms * MS
        happenings = tuple(
            Happening(number, event.at_ns + offset, seen_event(self.match, event))
            for number, event in enumerate(self._events)
            if event.at_ns + offset > NOW - KEPT_NS
        )
        fields: dict[str, Any] = {
            "number": 1,
            "at_ns": NOW,
            "scene": "result" if self.match.phase == "over" else "match",
            "seats_a": HUMAN,
            "seats_b": HUMAN,
            "view": view_of(self.match),
            "game": self.game,
            "games": GAMES,
            "match_offset_ns": offset,
            "happenings": happenings,
        }
        return Snapshot(**(fields | changes))

    def _after(self, outcome: Outcome) -> Told:
        self.match = outcome.match
        self._events += outcome.events
        return self


def lobby_of(game: Game, a: SeatStatus = HUMAN, b: SeatStatus = HUMAN, **changes: Any) -> Snapshot:
    """Before a match of that game."""
    fields = {"scene": "lobby", "view": None, "seats_a": a, "seats_b": b, "game": game, "games": GAMES}
    return Snapshot(number=1, at_ns=NOW, **(fields | changes))


def as_lesson(snapshot: Snapshot, lesson: Lesson, scene: str = "attract") -> Snapshot:
    """The same table as a lesson."""
    return msgspec.structs.replace(
        snapshot, scene=scene, lesson=lesson, seats_a=SeatStatus(), seats_b=SeatStatus()
    )


def armed(snapshot: Snapshot, stock: int) -> Snapshot:
    """Seat a has armed a space or card."""
    return msgspec.structs.replace(snapshot, seats_a=msgspec.structs.replace(HUMAN, armed_stock=stock))


PHASES: Final[dict[str, Callable[[], Snapshot]]] = {
    "speed ready": lambda: Told.dealt(game_named("speed").rules).shown(),
    "speed count": lambda: Told.dealt(game_named("speed").rules).ready().wait(700).shown(),
    "speed play": lambda: Told.at(SPEED, "speed").shown(300),
    "speed draws": lambda: Told.at(SPEED, "speed").press("a", Play(1)).shown(50),
    "speed draw by hand": lambda: Told.at(SPEED, "speed", draw="manual").press("a", Play(1)).shown(400),
    "speed hidden": lambda: Told.at(SPEED, "speed", hands="hidden").shown(300),
    "speed stuck": lambda: Told.at(SPEED_STUCK, "speed").shown(400),
    "speed called": lambda: Told.at(SPEED_STUCK, "speed").press("a", Spit()).shown(400),
    "speed slides": lambda: Told.at(SPEED_STUCK, "speed").both(Spit()).wait(600).shown(40),
    "speed side piles anew": lambda: Told.at(DRY, "speed").both(Spit()).wait(600).shown(900),
    "speed hands anew": lambda: Told.found(DEAD, "speed").shown(900),
    "speed round": lambda: Told.at(LAST_OF_SPEED, "speed").press("a", Play(1)).shown(900),
    "speed next round": lambda: Told.at(LAST_OF_SPEED, "speed").press("a", Play(1)).shown(2_900),
    "speed won": lambda: (
        Told.at(LAST_OF_SPEED | {"score": {"a": 20, "b": 24}}, "speed").press("a", Play(1)).shown()
    ),
    "four piles": lambda: Told.dealt(game_named("four_piles").rules).ready().wait(3_000).shown(),
    "two colours": lambda: Told.dealt(game_named("two_colours").rules).ready().wait(3_000).shown(),
    "four suits": lambda: Told.dealt(game_named("spit").rules).ready().wait(3_000).shown(),
    "face down": lambda: Told.at(FACE_DOWN, turn="manual").shown(300),
    "stacked": lambda: Told.at(STACKED, stack_equal=True).shown(300),
    "stacked, a card waits": lambda: armed(Told.at(STACKED, stack_equal=True).shown(300), 2),
    "stacked, a space waits": lambda: armed(Told.at(STACKED, stack_equal=True).shown(300), 4),
    "stuck": lambda: Told.at(STUCK).shown(300),
    "lone": lambda: Told.at(LONE).shown(300),
    "choice waits": lambda: Told.at(LAST_OF_SPIT, slap="winner").press("a", Play(1)).shown(300),
    "choice": lambda: Told.at(CHOICE, slap="winner").wait(600).shown(300),
    "chosen": lambda: Told.at(CHOICE, slap="winner").wait(600).press("a", Choose("left")).shown(900),
    "points slap": lambda: Told.at(SLAP, score="points").wait(1_700).shown(300),
    "points round": lambda: Told.at(SLAP, score="points").wait(1_700).press("a", Slap("left")).shown(900),
    "points next round": lambda: Told.at(SLAP, score="points").wait(1_700).press("a", Slap("left")).shown(2_900),
    "points won": lambda: (
        Told.at(SLAP | {"score": {"a": 60, "b": 90}}, score="points").wait(1_700).press("a", Slap("left")).shown()
    ),
    "capped": lambda: Told.at(SLAP | {"round": 7}).wait(1_700).press("a", Slap("left")).shown(),
    "one pile": lambda: Told.at(ONE_PILE).shown(300),
    "one-pile round": lambda: Told.at(ONE_PILE).press("a", Play(1)).shown(900),
}
"""One snapshot for each thing that a game can show."""


def all_rules() -> Iterator[Rules]:
    """Every combination of the options that a line or a picture of the rules tells."""
    fits = list(product(("any", "alternate"), (False, True)))
    for (colours, pairs), stock, stacks, turn, slap, score in product(
        fits, (5, 4), (False, True), ("auto", "manual"), ("race", "winner"), ("cards", "points")
    ):
        options = {"colours": colours, "pairs": pairs, "stock": stock, "stack_equal": stacks, "turn": turn}
        yield rules_from_options("spit", "arcade", options | {"slap": slap, "score": score})
    for (colours, pairs), deal, draw, hands, counts in product(
        fits, (15, 20), ("auto", "manual"), ("open", "hidden"), ("all", "stock")
    ):
        options = {"colours": colours, "pairs": pairs, "deal": deal, "draw": draw, "hands": hands}
        yield rules_from_options("speed", "arcade", options | {"speed_score": counts})
