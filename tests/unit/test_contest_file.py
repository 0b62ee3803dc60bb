"""Contests kept for the owner: written through at once, bounded, read again, and said in one line each."""

from __future__ import annotations

import json
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from cabinet import config, keeping
from cabinet.append_file import older
from cabinet.cli import commands
from cabinet.contest_file import FILE_LIMIT_BYTES, FILE_NAME, HEADER, ContestError, ContestFile, read
from cabinet.contests_command import in_words
from cabinet.record import Contended, RecordLine
from tests.game_desk import BOTH_ON_LEFT, MS, Desk

AT = datetime(2031, 5, 1, 21, 30, 5, tzinfo=UTC)
US = 1_000
RACE = Contended("b.1", "a.1", 5_000 * MS, 5_000 * MS + 420 * US, 100 * US, 120 * US, 420 * US, "stamps")


def raced() -> list[RecordLine]:
    desk = Desk(BOTH_ON_LEFT)
    desk.start_match()
    desk.tap("b.1", 10 * MS)
    desk.tap("a.1", 10 * MS + 420 * US)
    desk.wait(200 * MS)
    return desk.lines


def test_of_a_match_its_contests_are_kept_with_the_game_and_the_time_of_day(tmp_path: Path) -> None:
    file = ContestFile(tmp_path / "new" / FILE_NAME, lambda: AT)
    lines = raced()
    for line in lines:
        file.append(line)
    contests, troubles = read(tmp_path / "new" / FILE_NAME)
    assert [(one.at, one.game) for one in contests] == [(AT, "spit")]
    assert [one.contended for one in contests] == [line for line in lines if isinstance(line, Contended)]
    assert (contests[0].contended.first, contests[0].contended.margin_ns) == ("b.1", 420 * US)
    assert troubles == []


def test_a_second_run_goes_on_behind_a_line_that_a_power_cut_has_torn(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    for _ in range(2):
        ContestFile(path, lambda: AT).append(RACE)
    path.write_bytes(path.read_bytes()[:-30])
    ContestFile(path, lambda: AT).append(RACE)
    contests, troubles = read(path)
    assert [one.contended for one in contests] == [RACE, RACE]
    assert len(troubles) == 1
    assert troubles[0].startswith(f"{path}:3: found no contest but ")


@pytest.mark.parametrize("left", [0, 1, 20, -1])
def test_a_file_whose_first_line_a_power_cut_has_torn_is_begun_anew(left: int, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(HEADER.line()[:left])
    ContestFile(path, lambda: AT).append(RACE)
    contests, troubles = read(path)
    assert ([one.contended for one in contests], troubles) == ([RACE], [])


def test_only_the_newest_are_kept_and_the_oldest_go(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    file = ContestFile(path, lambda: AT)
    size = 0
    for number in range(8_000):
        file.append(Contended("a.1", "b.1", number, number + US, 0, 0, US, "stamps"))
        size = max(size, path.stat().st_size if path.exists() else 0)
    assert size <= FILE_LIMIT_BYTES
    assert older(path).stat().st_size <= FILE_LIMIT_BYTES + 400
    contests, _ = read(path)
    numbers = [one.contended.first_ns for one in contests]
    assert numbers == list(range(numbers[0], 8_000))
    assert len(numbers) >= 2_000


def test_a_foreign_file_is_left_as_it_is_and_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text("a letter\n")
    with pytest.raises(ContestError) as written:
        ContestFile(path, lambda: AT).append(RACE)
    assert path.read_text() == "a letter\n"
    assert str(written.value).startswith(f"{path}:1: found 'a letter'")
    with pytest.raises(ContestError, match=r"contests\.jsonl:1: found 'a letter'.*move the file away"):
        read(path)


@pytest.mark.parametrize(
    ("decided_by", "margin_us", "words"),
    [
        ("stamps", 420, "b.1 before a.1 by 0.42 ms (±0.10 and ±0.12 ms)"),
        (
            "token",
            -90,
            "dead heat, b.1 and a.1 0.09 ms apart (±0.10 and ±0.12 ms): the token decided, b.1 went first",
        ),
        (
            "nobody",
            0,
            "dead heat, b.1 and a.1 0.00 ms apart (±0.10 and ±0.12 ms): the rules decided, b.1 went first",
        ),
        (
            "arrival",
            -7_000,
            "b.1 before a.1 as they arrived: a stamp came too late, or is known too badly (±0.10 and ±0.12 ms)",
        ),
    ],
)
def test_each_way_of_deciding_has_its_words(decided_by: str, margin_us: int, words: str, tmp_path: Path) -> None:
    line = Contended("b.1", "a.1", 0, margin_us * US, 100 * US, 120 * US, margin_us * US, decided_by)  # type: ignore[arg-type]
    ContestFile(tmp_path / FILE_NAME, lambda: AT).append(line)
    (kept,), _ = read(tmp_path / FILE_NAME)
    named = words.replace("b.1", "CYAN 1").replace("a.1", "AMBER 1")
    assert in_words(kept).endswith(f": {named}")


def test_the_command_says_the_last_ones_or_that_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "state_dir", lambda: tmp_path)
    none = CliRunner().invoke(commands, ["contests"])
    assert (none.exit_code, none.output.startswith("No contests are kept yet")) == (0, True)
    file = ContestFile(tmp_path / FILE_NAME, lambda: AT)
    for _ in range(3):
        file.append(RACE)
    said = CliRunner().invoke(commands, ["contests", "--last", "2"])
    assert (said.exit_code, len(said.output.splitlines())) == (0, 2)
    assert "CYAN 1 before AMBER 1 by 0.42 ms" in said.output
    as_json = CliRunner().invoke(commands, ["contests", "--json"])
    assert [one["contended"]["margin_ns"] for one in json.loads(as_json.output)] == [420 * US] * 3


def test_a_foreign_file_ends_the_command_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "state_dir", lambda: tmp_path)
    (tmp_path / FILE_NAME).write_text("a letter\n")
    said = CliRunner().invoke(commands, ["contests"])
    assert said.exit_code == 1
    assert "contests.jsonl:1: found 'a letter'" in said.output
    assert len(said.output.splitlines()) == 1


def test_what_keeps_them_says_when_it_cannot_and_when_it_can_again(tmp_path: Path) -> None:
    told: list[tuple[str, str | None]] = []
    folder = tmp_path / "state"
    folder.write_text("in the way")
    with ExitStack() as closing:
        keep = keeping.keep_contests(folder / FILE_NAME, closing, lambda key, text: told.append((key, text)))
        keep(RACE)
    assert [key for key, _ in told] == ["contests"]
    assert str(told[0][1]).startswith(keeping.NOT_KEPT)
    folder.unlink()
    with ExitStack() as closing:
        keep = keeping.keep_contests(folder / FILE_NAME, closing, lambda key, text: told.append((key, text)))
        keep(RACE)
    assert len(told) == 1
    assert len(read(folder / FILE_NAME)[0]) == 1


@pytest.mark.parametrize(
    ("what", "instead"),
    [('"a.1"', '"c.1"'), ('"a.1"', '"a.9"'), ('"at":"2031', '"at":"0001'), ('"at":"2031', '"at":"9999')],
)
def test_a_contest_that_cannot_have_been_is_left_out_and_told(
    what: str, instead: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed byte leaves a line that reads well and says what no button and no clock can say."""
    monkeypatch.setattr(config, "state_dir", lambda: tmp_path)
    path = tmp_path / FILE_NAME
    for _ in range(2):
        ContestFile(path, lambda: AT).append(RACE)
    header, first, second = path.read_text().splitlines()
    assert what in first
    path.write_text("\n".join((header, first.replace(what, instead), second, "")))
    said = CliRunner().invoke(commands, ["contests"])
    assert said.exit_code == 0
    assert f"{path}:2: found no contest but" in said.output
    assert len(said.output.splitlines()) == 2


def test_every_keeper_is_told_every_line() -> None:
    first: list[RecordLine] = []
    second: list[RecordLine] = []
    keep = keeping.together([first.append, second.append])
    assert keep is not None
    keep(RACE)
    assert first == second == [RACE]
    assert keeping.together([]) is None
