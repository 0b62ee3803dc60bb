"""Whatever is played, its record comes out equal when it is played again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet import record
from cabinet.engine.games import CATALOGUE, game_named
from cabinet.record import Pressed, RecordLine, State
from cabinet.replay.rematch import Rematch
from cabinet.replay.steps import Start, steps_of
from tests.drawn_matches import drawn_rules
from tests.recorded import played_by_lot

SEEDS: Final = st.integers(0, 1 << 32)


def states_replayed(lines: list[RecordLine]) -> int:
    """How many states come out as recorded, from a file. Raises DifferenceError where one does not."""
    with NamedTemporaryFile() as file:
        file.write(record.as_bytes(lines))
        file.flush()
        return states_in(Path(file.name))


def states_in(path: Path) -> int:
    states = 0
    rematch = None
    for item in steps_of(path):
        if isinstance(item, Start):
            rematch = Rematch(item)
        else:
            assert rematch is not None
            rematch.play(item)
            states += 1
    return states


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_a_match_by_any_rules_comes_out_equal(seed: int) -> None:
    rng = Random(seed)
    playing = played_by_lot(drawn_rules(rng), seed, layout=rng.choice(("side_by_side", "face_to_face")))
    assert states_replayed(playing.lines) == sum(isinstance(line, State) for line in playing.lines) > 2


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_game_of_the_catalogue_is_replayed_to_its_end(name: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(6):
        playing = played_by_lot(game_named(name).rules, seed, turns=3_000)
        assert states_replayed(playing.lines) > 100
        for line in playing.lines:
            if isinstance(line, Pressed):
                seen["tied"] += line.tied
                seen["token"] += line.token_decided
                seen["late"] += line.is_late
                seen["lost"] += line.refusal == "NOT_ADJACENT"
                seen["void"] += line.refusal == "VOID"
                seen["pico"] += line.clock == "pico"
        seen["paused"] += playing.pauses_ns > 0
        seen["over"] += playing.session.match.is_over
    wanted = {"tied", "token", "late", "lost", "pico", "paused", "over"}
    assert wanted <= {word for word, count in seen.items() if count}, seen
