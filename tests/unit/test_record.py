"""A match as a file: what is written can be read, and a bad file gets one clear line."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cabinet import record
from cabinet.demo import Demo
from cabinet.engine.match import new_match
from cabinet.engine.rules import ARCADE
from cabinet.game import GameSettings

S = 1_000_000_000


def demo_lines(seed: int, time_ns: int) -> list[record.RecordLine]:
    lines: list[record.RecordLine] = []
    Demo(GameSettings(), seed, lines.append).run_until(time_ns)
    return lines


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lines = demo_lines(3, 30 * S)
    assert len(lines) > 20
    path = tmp_path / "match.jsonl"
    path.write_bytes(record.as_bytes(lines))
    assert list(record.read(path)) == lines


def test_a_demo_with_the_same_seed_is_the_same_byte_for_byte() -> None:
    assert record.as_bytes(demo_lines(4, 25 * S)) == record.as_bytes(demo_lines(4, 25 * S))
    assert record.as_bytes(demo_lines(4, 25 * S)) != record.as_bytes(demo_lines(5, 25 * S))


def test_a_record_can_be_dealt_again_from_its_seed() -> None:
    began = next(line for line in demo_lines(3, 10 * S) if isinstance(line, record.Began))
    assert began.seed is not None
    assert new_match(ARCADE, Random(began.seed)).table == began.table
    assert began.players == ("human", "human")


GOOD = record.encode(record.HEADER)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"hello\n", ":1: no line of a record"),
        (b'{"line":"ended","winner":"a","rounds":1,"a_owned":0,"b_owned":52,"at_ns":1}\n', ":1: a record begins"),
        (GOOD + b'{"line":"pressed"}\n', ":2: no line of a record"),
        (GOOD + GOOD, ":2: a record begins"),
        (GOOD + b'{"line":"ended","x":' + b"[" * 100_000, ":2: no line of a record"),
        (GOOD + b'{"line":"happened","event":{"event":"played","card":7}}\n', ":2: no line"),
        (GOOD + b'{"line":"ended","winn', ":2: no line of a record"),
        (b'{"line":"header","kind":"spit-cabinet edges","version":1}\n', "is 'spit-cabinet edges', version 1"),
        (b'{"line":"header","kind":"spit-cabinet matches","version":9}\n', "version 9"),
        (GOOD + b'{"line":"happened","event":{"event":"played","card":"1S"}}\n', ":2: no line"),
    ],
)
def test_a_bad_record_gets_one_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(content)
    with pytest.raises(record.RecordError) as caught:
        list(record.read(path))
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_record_that_is_not_there_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(record.RecordError, match="No such file"):
        list(record.read(tmp_path / "none"))
