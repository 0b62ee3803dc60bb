"""A lesson for any game that an owner may make: all options in combination, and any times."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from cabinet.engine.games import Game
from cabinet.engine.rules import GameKind, Options, rules_of
from cabinet.lesson import lesson_in
from cabinet.panel import Layout
from tests.lesson_promises import check

BOTH: dict[str, tuple[Any, ...]] = {"colours": ("any", "alternate"), "pairs": (False, True)}
SPIT: dict[str, tuple[Any, ...]] = {
    **BOTH,
    "stock": (5, 4),
    "stack_equal": (False, True),
    "turn": ("auto", "manual"),
    "slap": ("race", "winner"),
    "score": ("cards", "points"),
}
SPEED: dict[str, tuple[Any, ...]] = {
    **BOTH,
    "deal": (15, 20),
    "draw": ("auto", "manual"),
    "speed_score": ("all", "stock"),
    "hands": ("open", "hidden"),
}
MILLISECONDS = st.one_of(st.sampled_from([0, 1, 500, 3_600_000]), st.integers(0, 3_600_000))
TIMES = st.fixed_dictionaries(
    {},
    optional={
        **{name: MILLISECONDS for name in Options.__struct_fields__ if name.endswith("_ms")},
        "slap_delay_ms": st.one_of(MILLISECONDS, st.tuples(st.just(0), MILLISECONDS)),
        "cap_rounds": st.one_of(st.sampled_from([0, 1]), st.integers(0, 1_000)),
        "cap_minutes": st.integers(0, 1_440),
        "points_target": st.integers(1, 1_000),
        "speed_target": st.integers(1, 1_000),
    },
)


def game(kind: GameKind, options: dict[str, Any]) -> Game:
    return Game("own", rules_of(kind, Options(**options)))


@pytest.mark.parametrize(("kind", "choices"), [("spit", SPIT), ("speed", SPEED)])
def test_every_combination_of_options_is_taught(kind: GameKind, choices: dict[str, tuple[Any, ...]]) -> None:
    for values in product(*choices.values()):
        check(lesson_in(game(kind, dict(zip(choices, values, strict=True)))))


@pytest.mark.parametrize("kind", ["spit", "speed"])
def test_a_match_is_won_at_any_target(kind: GameKind) -> None:
    for target in (*range(1, 110), 999, 1_000):
        check(lesson_in(game(kind, {"score": "points", "points_target": target, "speed_target": target})))


@settings(max_examples=60, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink])
@given(
    kind=st.sampled_from(["spit", "speed"]),
    options=st.fixed_dictionaries({name: st.sampled_from(values) for name, values in {**SPIT, **SPEED}.items()}),
    times=TIMES,
    layout=st.sampled_from(["side_by_side", "face_to_face"]),
)
def test_whatever_the_times_and_targets_a_lesson_keeps_its_promises(
    kind: GameKind, options: dict[str, Any], times: dict[str, Any], layout: Layout
) -> None:
    chosen = game(kind, {**options, **times})
    assert lesson_in(chosen) == lesson_in(chosen)
    check(lesson_in(chosen), layout)
