"""Records on the disk: several runs in one file, nothing of the owner's lost, and a full disk caught up with."""

from __future__ import annotations

import errno
import logging
import os
import re
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from random import Random

import pytest

from cabinet import append_file, record
from cabinet.engine.games import SPIT
from cabinet.engine.match import new_match
from cabinet.record_file import RecordFile

BEGAN = record.began(new_match(SPIT.rules, Random(1)), SPIT, 1, ("human", "robot"), "side_by_side")
ENDED = record.ended(new_match(SPIT.rules, Random(1)), 5)
STATE = record.state(new_match(SPIT.rules, Random(1)))
HEADER = record.HEADER.line()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.jsonl"


def write(path: Path, *lines: record.RecordLine) -> None:
    with RecordFile(path) as file:
        for line in lines:
            file.append(line)


def test_a_new_file_is_a_record_from_the_start(path: Path) -> None:
    write(path)
    assert list(record.read(path)) == []
    assert path.read_bytes() == HEADER


def test_a_later_run_goes_on_in_the_same_record_under_its_one_header(path: Path) -> None:
    write(path, BEGAN, ENDED)
    write(path, BEGAN)
    assert list(record.read(path)) == [BEGAN, ENDED, BEGAN]


def test_a_file_has_the_sum_of_each_match_that_it_goes_on_with(path: Path) -> None:
    write(path, BEGAN, STATE)
    write(path, BEGAN, ENDED, STATE, STATE)
    assert list(record.read(path)) == [BEGAN, STATE, BEGAN, ENDED, STATE, STATE]
    sums = [line.rpartition(b'"sum":')[2] for line in path.read_bytes().splitlines() if b'"sum":' in line]
    assert len(set(sums)) == 3


def test_two_programs_do_not_write_into_one_record(path: Path) -> None:
    """Their lines would mix, and none of their matches could be played again."""
    with RecordFile(path) as first:
        first.append(BEGAN)
        with pytest.raises(record.RecordError, match="another program is writing it; name another file"):
            RecordFile(path)
        first.append(ENDED)
    write(path, BEGAN)
    assert list(record.read(path)) == [BEGAN, ENDED, BEGAN]


def test_a_pipe_that_nobody_reads_is_said_at_once(path: Path) -> None:
    """Else the pipe would be full after some minutes, and what is written would wait for ever."""
    os.mkfifo(path)
    with pytest.raises(record.RecordError, match="cannot be written"):
        RecordFile(path)


def test_a_record_may_go_into_a_pipe_until_its_reader_leaves(path: Path) -> None:
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    file = RecordFile(path)
    file.append(BEGAN)
    assert os.read(reader, 65_536) == HEADER + record.encode(BEGAN)
    os.close(reader)
    with pytest.raises(record.RecordError, match="cannot be written"):
        file.append(ENDED)
    with pytest.raises(record.RecordError):
        file.close()


def test_an_empty_file_becomes_a_record(path: Path) -> None:
    path.touch()
    write(path, BEGAN)
    assert list(record.read(path)) == [BEGAN]


@pytest.mark.parametrize(
    "content",
    [
        b"# my notes\n",
        b"no line feed",
        b"\n",
        b"\xff\xfe\x00",
        b"x" * 100_000,
        HEADER.replace(b"spit-cabinet matches", b"traces"),
        HEADER.replace(b'"version":3', b'"version":4'),
        HEADER.replace(b'"version":3', b'"version":2'),
        record.encode(ENDED),
    ],
)
def test_what_is_no_record_of_ours_is_refused_in_one_line_and_stays_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(record.RecordError) as refused:
        RecordFile(path)
    assert re.fullmatch(
        rf"{re.escape(str(path))}: is left as it is: found .*spit-cabinet matches.*; name another file",
        str(refused.value),
    )
    assert path.read_bytes() == content


def test_a_last_line_torn_by_a_power_cut_is_taken_away_and_the_rest_stays(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(path, BEGAN, ENDED)
    whole = path.read_bytes()
    path.write_bytes(whole + record.encode(BEGAN)[:-20] + b"\0\0\0")
    write(path, BEGAN)
    assert list(record.read(path)) == [BEGAN, ENDED, BEGAN]
    torn = len(record.encode(BEGAN)) - 20 + 3
    assert [(one.levelno, one.getMessage()) for one in caplog.records] == [
        (
            logging.WARNING,
            f"{path}: its last line was cut off, by a power cut perhaps; its {torn} bytes are left out",
        )
    ]


def test_a_last_line_that_lacks_only_its_line_feed_is_kept(path: Path) -> None:
    write(path, BEGAN, ENDED)
    path.write_bytes(path.read_bytes()[:-1])
    write(path, BEGAN)
    assert list(record.read(path)) == [BEGAN, ENDED, BEGAN]


@pytest.mark.parametrize("length", [1, 20, len(HEADER) - 1])
def test_a_torn_header_is_written_anew(path: Path, length: int) -> None:
    path.write_bytes(HEADER[:length])
    write(path, BEGAN)
    assert path.read_bytes() == HEADER + record.encode(BEGAN)


def test_a_torn_line_longer_than_what_is_read_at_once_is_found_to_its_beginning(path: Path) -> None:
    path.write_bytes(HEADER + record.encode(ENDED) + b"\0" * 200_000)
    write(path, BEGAN)
    assert list(record.read(path)) == [ENDED, BEGAN]


def test_a_place_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    for place, reason in ((tmp_path / "none" / "x", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(record.RecordError) as refused:
            RecordFile(place)
        assert str(refused.value) == f"{place}: cannot be written ({reason}); name another file"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_full_disk_is_told_before_the_first_match() -> None:
    with pytest.raises(record.RecordError, match=r"^/dev/full: cannot be written \(No space left on device\)"):
        RecordFile(Path("/dev/full"))


class Disk:
    """Stands for the opened file: takes so many bytes, then there is no room, until there is again."""

    def __init__(self, file: FileIO) -> None:
        self.file = file
        self.room: int | None = None

    def write(self, data: bytes) -> int:
        if self.room is None:
            return self.file.write(data)
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self.file.write(data[: self.room])
        self.room -= written
        return written

    def close(self) -> None:
        self.file.close()


@pytest.fixture
def file(path: Path) -> Iterator[RecordFile]:
    with RecordFile(path) as file:
        yield file


@pytest.fixture
def disk(file: RecordFile, monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk(file._file._file)
    monkeypatch.setattr(file._file, "_file", disk)
    return disk


def test_lines_that_found_no_room_are_written_with_the_next_one(path: Path, file: RecordFile, disk: Disk) -> None:
    disk.room = 10
    for line in (BEGAN, ENDED):
        with pytest.raises(record.RecordError, match=r"cannot be written \(No space left on device\)"):
            file.append(line)
    disk.room = None
    file.append(BEGAN)
    assert list(record.read(path)) == [BEGAN, ENDED, BEGAN]


def test_lines_that_found_no_room_are_tried_once_more_at_the_end(path: Path, file: RecordFile, disk: Disk) -> None:
    disk.room = 10
    with pytest.raises(record.RecordError):
        file.append(BEGAN)
    disk.room = None
    file.close()
    file.close()
    assert list(record.read(path)) == [BEGAN]


def test_a_disk_that_stays_full_is_said_at_the_end_and_the_torn_line_goes_with_the_next_run(
    path: Path, file: RecordFile, disk: Disk
) -> None:
    disk.room = 10
    with pytest.raises(record.RecordError):
        file.append(BEGAN)
    with pytest.raises(record.RecordError, match=r"cannot be written \(No space left on device\)"):
        file.close()
    file.close()
    write(path, ENDED)
    assert list(record.read(path)) == [ENDED]


def test_while_the_disk_stays_full_whole_matches_are_left_out_so_that_memory_stays_small(
    path: Path, file: RecordFile, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append_file, "UNWRITTEN_LIMIT_BYTES", len(record.encode(BEGAN)))
    disk.room = 0
    for line in (BEGAN, ENDED, BEGAN):
        with pytest.raises(record.RecordError, match="No space left"):
            file.append(line)
    disk.room = None
    with pytest.raises(record.RecordError, match="the match in play is left out, because there was no room"):
        file.append(ENDED)
    file.append(BEGAN)
    assert list(record.read(path)) == [BEGAN, ENDED, BEGAN]


def test_a_file_of_other_json_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    for content in (b'{"a":1}\n', b'{"id":"SP-1"}\n{"id":"half'):
        path.write_bytes(content)
        with pytest.raises(record.RecordError, match="is left as it is"):
            RecordFile(path)
        assert path.read_bytes() == content
