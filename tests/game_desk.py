"""A cabinet on mock pins and a virtual clock, whose buttons are pressed by a test."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec.structs import replace

from cabinet import record
from cabinet.engine.match import Match
from cabinet.engine.rules import Rules
from cabinet.engine.table import View
from cabinet.flow import FlowSettings
from cabinet.game import GameSettings
from cabinet.playing import deal_new_match
from cabinet.snapshot import Sign, Snapshot
from cabinet.virtual import VirtualCabinet
from tests.tables import match_with

MS = 1_000_000
S = 1_000 * MS
CLEAN = [[0, 1], [60_000, 0]]
BOTH_ON_LEFT: dict[str, Any] = {
    "a": {"stock": [["8H"], ["??", "KD"], [], [], []], "spit": ["5*??"]},
    "b": {"stock": [["6D"], ["??", "KC"], [], [], []], "spit": ["5*??"]},
    "left": ["17*??", "7C"],
    "right": ["17*??", "2S"],
    "token": "b",
}
"""Both have a card for left, and only one can go there."""


class Desk:
    """A cabinet whose buttons are pressed by the test."""

    def __init__(self, table: dict[str, Any] | None = None, **flow: Any) -> None:
        self.lines: list[record.RecordLine] = []
        deal: Callable[[Rules, int], Match] = deal_new_match
        if table is not None:
            given = table

            def deal(_rules: Rules, _seed: int) -> Match:
                return match_with(given)

        settings = GameSettings(deal=deal, flow=FlowSettings(**flow))
        self.cabinet = VirtualCabinet(settings, Random(7), keep=self.lines.append)
        self.snapshots: list[Snapshot] = []
        self.cabinet.on_snapshot = self.snapshots.append
        self.wait(1 * S)

    @property
    def now_ns(self) -> int:
        return self.cabinet.clock.now_ns

    def look(self) -> Snapshot:
        return self.cabinet.game.latest

    def view(self) -> View:
        view = self.look().view
        assert view is not None
        return view

    def wait(self, time_ns: int) -> None:
        self.cabinet.run_until(self.now_ns + time_ns)

    def tap(self, line: str, after_ns: int = 0, trace: list[list[int]] | None = None) -> None:
        self.cabinet.board.press(line, self.now_ns + after_ns, trace or CLEAN)

    def hold(self, line: str) -> None:
        self.cabinet.board.change(line, True, self.now_ns)

    def start_match(self) -> None:
        for line in ("a.spit", "b.spit", "a.spit", "b.spit"):
            self.tap(line)
            self.wait(100 * MS)

    def start_against_robot(self) -> None:
        """B is alone and brings a robot for a."""
        self.tap("b.spit")
        self.wait(2_500 * MS)
        self.tap("b.spit")
        self.wait(500 * MS)

    def signs(self, line: str) -> list[Sign]:
        seen = {sign.number: sign for snapshot in self.snapshots for sign in snapshot.signs}
        return [sign for sign in seen.values() if sign.line == line]


def lose_source(desk: Desk) -> Callable[[], None]:
    source = desk.cabinet.source
    status = source.status

    def lost(now_ns: int) -> Any:
        return replace(status(now_ns), is_live=False, trouble="The plug is out: put it back.")

    source.status = lost  # type: ignore[method-assign]

    def give_back() -> None:
        source.status = status  # type: ignore[method-assign]

    return give_back
