"""A match as a file: what is written can be read, and a bad file gets one clear line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from cabinet import record
from cabinet.demo import Demo
from cabinet.engine import judge
from cabinet.engine.games import CATALOGUE, game_named
from cabinet.engine.match import Chance, new_match
from cabinet.game import GameSettings
from cabinet.match_hash import hash_of
from cabinet.record import LONGEST_LINE, Ended

ROOT = Path(__file__).parents[2]
S = 1_000_000_000
MATCH = new_match(game_named("spit").rules, Random(1))
BEGAN = record.began(MATCH, game_named("spit"), 1, ("human", "robot"), "side_by_side")
STATE = record.state(MATCH)
HEADER = record.HEADER.line()
NAME_ANOTHER = "; name a file that this program's --record has written"
GO_ROUND = "; cut the file before this line, or choose another match with --match"


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
    assert new_match(began.game.rules, Random(began.seed)).table == began.table
    assert began.players == ("human", "human")


def test_one_match_is_read_whatever_stands_in_the_others(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    whole = record.as_bytes([BEGAN, STATE, BEGAN, STATE, STATE, BEGAN])
    path.write_bytes(whole.replace(record.encode(STATE)[:-2], b"rubbish", 1) + b"rubbish\n")
    assert list(record.read_numbered(path, 2)) == [(4, BEGAN), (5, STATE), (6, STATE)]
    with pytest.raises(record.RecordError, match=r":3: found no line"):
        list(record.read_numbered(path, 1))
    with pytest.raises(record.RecordError, match=r":8: found no line"):
        list(record.read_numbered(path, 3))
    with pytest.raises(record.RecordError, match=r"jsonl: has 3 matches, and no match 4; choose another"):
        list(record.read_numbered(path, 4))


def test_what_stands_before_a_damage_is_read(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record.as_bytes([BEGAN, STATE]) + b"rubbish\n")
    lines = record.read(path)
    assert [next(lines), next(lines)] == [BEGAN, STATE]
    with pytest.raises(record.RecordError):
        next(lines)


LAST_LINE_OFF = "a later --record into this file takes it away"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", f": is empty{NAME_ANOTHER}"),
        (b"hello\n", f""":1: found 'hello'; a file of spit-cabinet matches begins with {{.*}}{NAME_ANOTHER}"""),
        (b"\x00\xff\xfe\x80", ":1: found .*; a file of spit-cabinet matches begins with "),
        (b"[" * 60_000, ":1: found .*; a file of spit-cabinet matches begins with "),
        (b"x" * LONGEST_LINE * 2, f":1: found a line of more than {LONGEST_LINE} bytes{NAME_ANOTHER}"),
        (
            b'{"kind":"spit-cabinet edges","version":1}\n',
            f":1: found a file of 'spit-cabinet edges', and no file of spit-cabinet matches{NAME_ANOTHER}",
        ),
        (
            b'{"line":"header","kind":"spit-cabinet matches","version":1}\n',
            ":1: found version 1 of spit-cabinet matches, which an older program wrote; "
            f"this one knows version 3{NAME_ANOTHER}",
        ),
        (
            b'{"kind":"spit-cabinet matches","version":9}\n',
            ":1: found version 9 .*, which a newer program wrote; ",
        ),
        (
            HEADER + b'{"line":"pressed"}\n',
            f""":2: found no line of a record but '{{"line":"pressed"}}' (.*){GO_ROUND}""",
        ),
        (HEADER + b"\n", f":2: found no line of a record but an empty line (.*){GO_ROUND}"),
        (HEADER + b"\xff\xfe\n", f":2: found no line of a record but .*{GO_ROUND}"),
        (HEADER + HEADER, ":2: found no line of a record but "),
        (HEADER + b"\0" * 500, f":2: the last line is cut off, found .*; {LAST_LINE_OFF}"),
        (HEADER + record.encode(BEGAN) + b"y" * (LONGEST_LINE + 1), f":3: found a line of more than .*{GO_ROUND}"),
        (HEADER + b'{"line":"ended","x":' + b"[" * 60_000 + b"\n", ":2: found no line of a record but "),
        (HEADER + b'{"line":"happened","event":{"event":"played","card":7}}\n', ":2: found no line"),
        (HEADER + b'{"line":"happened","event":{"event":"played","card":"1S"}}\n', ":2: found no line"),
        (HEADER + record.encode(STATE).replace(b'"at_ns":0', b'"at_ns":-1'), ":2: found no line"),
        (HEADER + record.encode(STATE).replace(b'"at_ns":0', b'"at_ns":1' + b"0" * 99), ":2: found no line"),
        (HEADER + record.encode(STATE).replace(b"at_ns", b"at_ms"), ":2: found no line"),
        (HEADER + b'{"line":"ended","winn', f":2: the last line is cut off, found .*; {LAST_LINE_OFF}"),
    ],
)
def test_a_bad_record_gets_one_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(content)
    with pytest.raises(record.RecordError, match=f"^{path}{_literal(says)}") as caught:
        list(record.read(path))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def _literal(says: str) -> str:
    """A pattern in which only ``.*`` is none."""
    return says.replace("(", r"\(").replace(")", r"\)").replace("{", r"\{")


def test_what_cannot_be_opened_gets_one_line(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(record.RecordError) as caught:
            list(record.read(path))
        assert str(caught.value) == f"{path}: cannot be read ({reason}){NAME_ANOTHER}"


def test_a_line_that_says_the_same_in_other_words_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record.as_bytes([BEGAN, STATE]).replace(b'"at_ns":0', b'"at_ns": 0'))
    with pytest.raises(record.RecordError, match=r":3: found .*, which is not as this program writes it; cut"):
        list(record.read(path))


def test_a_line_that_was_changed_into_another_good_one_is_found_at_the_next_state(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    ended = Ended(winner=None, rounds=1, a_owned=26, b_owned=26, at_ns=1)
    whole = record.as_bytes([BEGAN, STATE, ended, STATE, BEGAN, STATE])
    path.write_bytes(whole.replace(b'"a_owned":26', b'"a_owned":27'))
    lines = record.read(path)
    assert next(lines) == BEGAN
    with pytest.raises(record.RecordError, match=r":5: found the sum '\w{8}', .* have '\w{8}': one was changed"):
        list(lines)


def test_a_last_line_that_lacks_only_its_line_feed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record.as_bytes([BEGAN, STATE])[:-1])
    assert list(record.read(path)) == [BEGAN, STATE]


@pytest.mark.parametrize("name", CATALOGUE)
def test_equal_matches_have_equal_hashes_and_no_others_do(name: str) -> None:
    rules = game_named(name).rules
    matches = [new_match(rules, Random(seed)) for seed in range(50)]
    assert len({hash_of(match) for match in matches}) == len(matches)
    assert hash_of(new_match(rules, Random(7))) == hash_of(matches[7])
    assert all(hash_of(judge.advance(match, 1).match) != hash_of(match) for match in matches)


def test_what_is_still_to_come_is_in_the_hash() -> None:
    """The next shuffle, which no screen and no player knows."""
    rng = MATCH.chance.rng()
    rng.random()
    assert hash_of(replace(MATCH, chance=Chance.of(rng))) != hash_of(MATCH)


def test_the_hash_is_the_same_in_every_run() -> None:
    """It does not hang on the order in a set, which differs from one start of Python to the next."""
    ready = replace(MATCH, ready=frozenset({"a", "b"}))
    code = (
        "from random import Random; from msgspec.structs import replace; from cabinet import match_hash as m;"
        "from cabinet.engine.games import SPIT; from cabinet.engine.match import new_match;"
        "print(m.hash_of(replace(new_match(SPIT.rules, Random(1)), ready=frozenset({'a', 'b'}))))"
    )
    for seed in ("1", "2", "3", "4"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == hash_of(ready)
