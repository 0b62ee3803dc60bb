"""Nothing in a record can be changed unseen, and whatever is wrong with it is told in one line."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Final

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cabinet import cli, record
from cabinet.engine.games import game_named
from cabinet.engine.rules import Options
from cabinet.record import Ended, Pressed, RecordLine, State
from tests.recorded import played_by_lot

FEW_ROUNDS: Final = Options(cap_rounds=1, points_target=1, speed_target=1)
LINES: Final[tuple[RecordLine, ...]] = tuple(
    line
    for seed, name in enumerate(("spit", "speed", "pairs"), 1)
    for line in played_by_lot(game_named(name, FEW_ROUNDS).rules, seed, turns=40).lines
)
WHOLE: Final = record.as_bytes(LINES)
STATES: Final = sum(isinstance(line, State) for line in LINES)
PLACES: Final = st.integers(0, len(WHOLE) - 1)
FEW: Final = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.jsonl"


def check(path: Path, content: bytes) -> tuple[int, str]:
    """The exit status, and the one line that was said."""
    path.write_bytes(content)
    result = CliRunner().invoke(cli.commands, ["replay", "--check", str(path)])
    assert isinstance(result.exception, SystemExit | None), result.exception
    (line,) = result.output.splitlines()
    return result.exit_code, line


def test_what_nobody_has_changed_is_equal(path: Path) -> None:
    assert STATES > 100
    assert check(path, WHOLE) == (0, f"3 matches, {STATES} states, all equal")


@FEW
@given(place=PLACES, bit=st.integers(0, 7))
def test_a_bit_that_is_turned_over_is_found(path: Path, place: int, bit: int) -> None:
    changed = bytearray(WHOLE)
    changed[place] ^= 1 << bit
    status, line = check(path, bytes(changed))
    assert status == 1
    assert line.startswith(f"{path}:")


@FEW
@given(data=st.data())
def test_lines_that_change_places_are_found(path: Path, data: st.DataObject) -> None:
    lines = WHOLE.splitlines(keepends=True)
    first, second = data.draw(st.lists(st.integers(1, len(lines) - 1), min_size=2, max_size=2, unique=True))
    assume(lines[first] != lines[second])
    lines[first], lines[second] = lines[second], lines[first]
    assert check(path, b"".join(lines))[0] == 1


@FEW
@given(number=st.integers(1, WHOLE.count(b"\n") - 2))
def test_a_line_that_is_missing_or_there_twice_is_found(path: Path, number: int) -> None:
    lines = WHOLE.splitlines(keepends=True)
    is_last_of_match = lines[number].startswith(b'{"line":"state"') and lines[number + 1].startswith(
        b'{"line":"began"'
    )
    status, line = check(path, b"".join([*lines[:number], *lines[number + 1 :]]))
    assert status == 1 or (is_last_of_match and "breaks off" in line)
    status, line = check(path, b"".join([*lines[:number], lines[number], *lines[number:]]))
    assert status == 1 or ("breaks off" in line and lines[number].startswith(b'{"line":"began"'))


@FEW
@given(length=PLACES)
def test_a_file_that_is_cut_off_anywhere_says_so_and_loses_nothing_before(path: Path, length: int) -> None:
    assume(WHOLE[length : length + 1] != b"\n")  # what lacks only its line feed is whole
    status, line = check(path, WHOLE[:length])
    whole_lines = WHOLE[:length].count(b"\n")
    read = LINES[: max(0, whole_lines - 1)]
    states = sum(isinstance(one, State) for one in read)
    if status == 0:
        assert line.partition(", all equal")[0].endswith(f"{states} states")
    elif whole_lines > 1:
        assert line.startswith(f"{path}:{whole_lines + 1}: the last line is cut off, found ")
        assert line.endswith(f"{states} states") or states <= 1


@FEW
@given(garbage=st.binary(max_size=300), place=PLACES)
def test_whatever_stands_in_the_file_is_one_line(path: Path, garbage: bytes, place: int) -> None:
    assert check(path, garbage)[0] == 1
    if garbage:
        assert check(path, WHOLE[:place] + garbage + WHOLE[place:])[0] == 1


# Changed by somebody who knows the form and makes the sums anew


def forged(*changes: tuple[int, RecordLine]) -> bytes:
    lines = list(LINES)
    for number, line in changes:
        lines[number] = line
    return record.as_bytes(lines)


def presses() -> list[tuple[int, Pressed]]:
    return [(number, line) for number, line in enumerate(LINES) if isinstance(line, Pressed)]


def accepted() -> list[tuple[int, Pressed]]:
    """Those that counted at their own time."""
    return [(number, line) for number, line in presses() if line.action and not (line.refusal or line.tied)]


def replaced(line: Pressed, **changes: object) -> Pressed:
    return Pressed(**{name: getattr(line, name) for name in line.__struct_fields__} | changes)


def difference(path: Path, content: bytes) -> str:
    status, line = check(path, content)
    assert status == 1
    assert line.startswith(f"{path}: match ")
    return line.removeprefix(f"{path}: ")


def test_a_press_at_another_time_is_found(path: Path) -> None:
    for number, line in accepted()[::7]:
        said = difference(path, forged((number, replaced(line, at_ns=line.at_ns + 1))))
        step_ends = next(place for place in range(number, len(LINES)) if isinstance(LINES[place], State))
        assert any(f", line {place + 2}: " in said for place in range(number, step_ends + 1))


def test_a_press_of_another_button_is_found(path: Path) -> None:
    for number, line in accepted()[::7]:
        button = line.button[:2] + {"1": "2", "spit": "1"}.get(line.button[2:], "1")
        assert f", line {number + 2}: pressed " in difference(
            path, forged((number, replaced(line, button=button)))
        )


def test_a_press_of_no_button_is_found(path: Path) -> None:
    number, line = presses()[5]
    said = difference(path, forged((number, replaced(line, button="c.9"))))
    assert said == f"match 1, line {number + 2}: found 'c.9', which is no button of a seat"


def test_another_refusal_is_found(path: Path) -> None:
    number, line = accepted()[3]
    said = difference(path, forged((number, replaced(line, refusal="BUSY"))))
    assert said == f'match 1, line {number + 2}: pressed refusal: the record has "BUSY", the replay nothing'


def test_another_hash_is_found(path: Path) -> None:
    for number, line in list(enumerate(LINES))[::11]:
        if isinstance(line, State):
            said = difference(path, forged((number, State(line.at_ns, "0123456789abcdef"))))
            assert said.endswith(f'state hash: the record has "0123456789abcdef", the replay "{line.hash}"')


def test_another_end_is_found(path: Path) -> None:
    number, line = next((number, line) for number, line in enumerate(LINES) if isinstance(line, Ended))
    changed = Ended(line.winner, line.rounds + 1, line.a_owned, line.b_owned, line.at_ns)
    assert "ended rounds: the record has" in difference(path, forged((number, changed)))


def test_a_press_before_what_is_decided_is_found(path: Path) -> None:
    number, line = presses()[20]
    said = difference(path, forged((number, replaced(line, at_ns=0))))
    assert ": it cannot be played from here: match time 0 lies before what is decided, " in said


def test_another_deal_is_found_or_no_deal_at_all(path: Path) -> None:
    began = LINES[0]
    assert isinstance(began, record.Began)
    whole = record.as_bytes(LINES).splitlines(keepends=True)
    other_seed = record.Began(began.game, began.seed + 1, began.layout, began.token, began.table, began.players)
    assert "state hash" in difference(path, forged((0, other_seed)))
    for cards in (b'"cards":["AS"],"face_up":1', b'"cards":[],"face_up":1'):
        first = whole[1].index(b'"cards":[')
        stock = whole[1].index(b"}", first)
        changed = whole[1][:first] + cards + whole[1][stock:]
        says = "match 1, line 2: found a table that cannot be dealt in this game"
        assert difference_of_lines(path, [whole[0], changed, *whole[2:]]) == says


def difference_of_lines(path: Path, lines: list[bytes]) -> str:
    return difference(path, b"".join(lines))


def test_pairs_of_neighbours_that_change_places_are_found_whatever_their_sums(path: Path) -> None:
    rng = Random(5)
    for first, second in rng.sample(list(pairwise(range(1, len(LINES)))), 100):
        if LINES[first] != LINES[second]:
            assert check(path, forged((first, LINES[second]), (second, LINES[first])))[0] == 1
