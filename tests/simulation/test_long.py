"""What takes minutes: run with ``pytest -m long``."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from cabinet import record
from cabinet.demo import Demo
from cabinet.engine.games import Game
from cabinet.engine.rules import GameKind, rules_from_options
from cabinet.flow import FlowSettings
from cabinet.game import GameSettings
from cabinet.panel import BUTTONS, line_of
from cabinet.virtual import VirtualCabinet

pytestmark = pytest.mark.long

MS = 1_000_000
S = 1_000 * MS
LINES = [line_of(seat, button) for seat in ("a", "b") for button in BUTTONS[:6]]


def test_twenty_matches_of_robots_at_real_contacts_all_end() -> None:
    ends: list[record.Ended] = []

    def keep(line: record.RecordLine) -> None:
        if isinstance(line, record.Ended):
            ends.append(line)

    for seed in range(10):
        demo = Demo(GameSettings(), seed, keep)
        while demo.matches_over < 2:
            demo.run_until(demo.now_ns + 10 * S)
            assert demo.now_ns < 3 * 3_600 * S
    assert len(ends) == 20
    assert {end.winner for end in ends} == {"a", "b"}
    assert all(end.a_owned + end.b_owned == 52 for end in ends)


PLAYED: list[tuple[GameKind, dict[str, Any]]] = [
    ("spit", {}),
    ("spit", {"stock": 4}),
    ("spit", {"colours": "alternate"}),
    ("spit", {"turn": "manual"}),
    ("spit", {"pairs": True, "stack_equal": True}),
    ("spit", {"slap": "winner"}),
    ("spit", {"score": "points"}),
    ("spit", {"cap_rounds": 0, "cap_minutes": 0}),
    ("spit", {"force_ms": 0, "hint_ms": 0, "spit_auto_ms": 0, "spit_wait_ms": 0, "slap_timeout_ms": 0}),
    ("speed", {}),
    ("speed", {"deal": 20, "draw": "manual"}),
    ("speed", {"hands": "hidden", "colours": "alternate"}),
    ("speed", {"force_ms": 0, "hint_ms": 0, "spit_auto_ms": 0, "spit_wait_ms": 0}),
]


@pytest.mark.parametrize(("kind", "options"), PLAYED, ids=str)
def test_ten_minutes_of_hands_that_press_anything(kind: GameKind, options: dict[str, Any]) -> None:
    """Nothing fails, nothing stands still, and every press of a person gets one sign."""
    rng = Random(3)
    game = Game("any", rules_from_options(kind, "arcade", options))
    settings = GameSettings(games=(game,), flow=FlowSettings(away_s=3_600))
    cabinet = VirtualCabinet(settings, Random(4))
    signs: set[int] = set()
    cabinet.on_snapshot = lambda snapshot: signs.update(sign.number for sign in snapshot.signs)
    cabinet.run_until(1 * S)
    presses = 0
    while cabinet.clock.now_ns < 600 * S:
        line = rng.choice(LINES)
        cabinet.board.press(line, cabinet.clock.now_ns + MS, hold_us=rng.choice([30_000, 80_000, 400_000]))
        presses += 1
        before_ns = cabinet.game.latest.at_ns
        cabinet.run_until(cabinet.clock.now_ns + rng.choice([20, 120, 500, 2_500]) * MS)
        assert cabinet.game.latest.at_ns >= before_ns
    counted = sum(
        counter.presses for counter in cabinet.intake.counters() if not counter.line.startswith("robot.")
    )
    assert counted > presses // 2
    assert len(signs) >= counted
