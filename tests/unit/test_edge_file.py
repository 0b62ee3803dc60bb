"""Kept edges on the disk: what is written is read back, every damage is found, and the newest are there."""

from __future__ import annotations

import errno
import logging
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from cabinet import append_file
from cabinet.append_file import older
from cabinet.buttons.edges import HOST_CLOCK, Edge, SourceStatus
from cabinet.buttons.rest import ArbiterRest, IntakeRest, LineRest, MapRest, SourceRest
from cabinet.engine.games import SPIT
from cabinet.flow import Flow
from cabinet.game import GameSettings
from cabinet.keeping import run_of
from cabinet.kept_edges import edge_file
from cabinet.kept_edges.edge_file import EdgeFile, EdgesError, beside, record_of
from cabinet.kept_edges.lines import HEADER, Began, LineEncoder
from cabinet.kept_edges.reading import Damage, is_of_edges, read
from cabinet.kept_edges.thinning import Closed, Failed, Item, Steps
from cabinet.kept_edges.values import Beginning, Given
from cabinet.snapshot import Trouble

MS: Final = 1_000_000
WALL_NS: Final = 1_900_000_000_123_456_789
RUN: Final = run_of(GameSettings(games=(SPIT,)), ["gpio", "pico"])
GPIO: Final = SourceStatus("gpio", HOST_CLOCK, 98 * MS, 100_000)
PICO: Final = SourceStatus("pico", "pico", 97 * MS, 5_000, map_err_ns=900, map_offset_ns=-(1 << 60))
BEGINNING: Final = Beginning(
    now_ns=90 * MS,
    seed=(1 << 62) - 1,
    flow=Flow(since_ns=3),
    show_ns=80 * MS,
    rest=IntakeRest(
        88 * MS,
        (LineRest("a.1", None, -(1 << 62)), LineRest("b.spit", 7, 8)),
        ArbiterRest((SourceRest(GPIO, 88 * MS, 5),), 87 * MS, 90 * MS),
        (MapRest("pico", 1, 2, 3, 4, 5),),
    ),
    is_start=False,
    troubles=(Trouble("source pico", "The plug is out.", pauses_game=True),),
    reported={"x": Trouble("x", "Something.")},
)
FIRST: Final = (
    Edge(HOST_CLOCK, "a.1", True, 99 * MS, 100_000, 17),
    Edge(HOST_CLOCK, "a.1", False, 99 * MS + 1, 100_000, 18),
    Edge("pico", "b.1", True, 1 << 61, 5_000, 3, made_up=True),
    Edge(HOST_CLOCK, "a.1", True, 105 * MS, 0, 19),
    Edge(HOST_CLOCK, "a.1", False, 106 * MS, 0, 22, lost=2),
    Edge(HOST_CLOCK, "a.2", True, 106 * MS, 0, 23, may_hide=True),
    Edge(HOST_CLOCK, "a.2", False, 107 * MS, 0, 24, may_hide=True),
    Edge("pico", "b.1", False, 1 << 61, 0, 25, lost=1, may_hide=True),
)


def given(
    now_ns: int, statuses: Sequence[SourceStatus] = (GPIO, PICO), edges: Sequence[Edge] = (), **reported: Trouble
) -> Given:
    return Given(now_ns, list(statuses), list(edges), reported)


LATER: Final = msgspec.structs.replace(GPIO, watermark_ns=103 * MS)
LOST: Final = msgspec.structs.replace(PICO, is_live=False, trouble="x", losses=2)
ITEMS: Final[tuple[Item, ...]] = (
    BEGINNING,
    Steps((given(100 * MS, edges=FIRST, x=Trouble("x", "Something.")), given(105 * MS, (LATER, PICO)))),
    Steps((given(105 * MS, (LATER, LOST), y=Trouble("y", "Else.")),)),
    Failed(),
    Closed(),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.edges"


def write(path: Path, *items: Item) -> None:
    with EdgeFile(path, RUN, lambda: WALL_NS) as file:
        for item in items:
            file.append(item)


def comparable(items: Sequence[object]) -> list[Any]:
    return [msgspec.to_builtins(item) for item in items]


def test_what_was_written_is_read_back(path: Path) -> None:
    write(path, *ITEMS)
    wanted = [RUN, Began(WALL_NS, BEGINNING), *ITEMS[1:]]
    assert comparable(list(read(path))) == comparable(wanted)
    assert [type(item) for item in read(path)] == [type(item) for item in wanted]


@pytest.mark.parametrize("field", [field.name for field in msgspec.structs.fields(Edge)])
def test_all_that_a_source_says_of_an_edge_is_kept(path: Path, field: str) -> None:
    """Also what a field says that edges have only since later: this test fails until it is written, too."""
    usual = Edge(HOST_CLOCK, "a.1", False, 99 * MS, 100, 17)
    others = {str: "b.2", bool: True, int: 98 * MS}
    other = msgspec.structs.replace(usual, **{field: others[type(getattr(usual, field))]})
    assert other != usual
    written = (usual, other, usual, usual)
    write(path, BEGINNING, Steps((given(100 * MS, edges=written),)))
    [steps] = [item for item in read(path) if isinstance(item, Steps)]
    assert tuple(steps.steps[0].edges) == written


def test_every_line_is_one_value_of_json_and_the_first_says_what_the_file_is(path: Path) -> None:
    write(path, *ITEMS)
    first, *lines = path.read_bytes().splitlines()
    HEADER.check(first)
    assert [msgspec.json.decode(line)[1] for line in lines] == [
        "run",
        "began",
        "steps",
        "steps",
        "failed",
        "closed",
    ]


def test_a_step_of_one_edge_takes_some_twenty_bytes() -> None:
    encoder = LineEncoder(RUN)
    encoder.encode(BEGINNING, 0)
    steps = []
    for number in range(101):
        now_ns = 100 * MS + number * 5_012_345
        status = msgspec.structs.replace(GPIO, watermark_ns=now_ns - 2 * MS)
        edge = Edge(HOST_CLOCK, "a.1", number % 2 == 0, now_ns - 45_678, 100_000, number)
        steps.append(given(now_ns, [status], [edge]))
    one, all_of_them = (len(encoder.encode(Steps(tuple(some)), 0)) for some in (steps[:1], steps))
    assert (all_of_them - one) / 100 < 36


def test_run_after_run_goes_on_in_the_same_file(path: Path) -> None:
    write(path, *ITEMS)
    write(path, BEGINNING)
    assert [type(item).__name__ for item in read(path)].count("Run") == 2
    assert not [item for item in read(path) if isinstance(item, Damage)]


# Damage


def test_every_changed_byte_is_found_with_its_line(path: Path) -> None:
    write(path, *ITEMS)
    whole = path.read_bytes()
    for place in range(len(HEADER.line()), len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 0x01 if changed[place] != 0x0B else 0x02
        path.write_bytes(changed)
        line = whole[:place].count(b"\n") + 1
        damages = [item for item in read(path) if isinstance(item, Damage)]
        assert damages, place
        assert damages[0].text.startswith(f"{path}:{line}: ") or changed[place - 1 : place] == b"\n", place
        assert "\n" not in damages[0].text


def test_a_line_that_is_missing_or_out_of_its_place_is_found(path: Path) -> None:
    write(path, *ITEMS)
    lines = path.read_bytes().splitlines(keepends=True)
    for changed in (lines[:3] + lines[4:], [*lines[:3], lines[4], lines[3], *lines[5:]], [*lines[:4], *lines[3:]]):
        path.write_bytes(b"".join(changed))
        assert [item.is_torn for item in read(path) if isinstance(item, Damage)] == [False]


def test_what_follows_a_damaged_line_is_read_from_the_next_beginning_on(path: Path) -> None:
    write(path, *ITEMS, *ITEMS)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b"+a.1", b"+a.2", 1)
    path.write_bytes(b"".join(lines))
    items = [type(item).__name__ for item in read(path)]
    assert items == ["Run", "Began", "Damage", "Began", "Steps", "Steps", "Failed", "Closed"]


def test_the_lines_of_a_damaged_run_are_told_once(path: Path) -> None:
    write(path, *ITEMS, *ITEMS)
    write(path, BEGINNING)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"default":0', b'"default":1')
    path.write_bytes(b"".join(lines))
    assert [type(item).__name__ for item in read(path)] == ["Damage", "Run", "Began"]


def test_a_line_with_a_true_sum_that_says_nonsense_is_damage_too(path: Path) -> None:
    class Nonsense(LineEncoder):
        def line(self, kind: str, *rest: object) -> bytes:
            return self._line(kind, *rest)

    for kind, rest in (
        ("steps", [[1]]),
        ("steps", [["x", 1, 2]]),
        ("steps", [[1, {"source": 5}, 2]]),
        ("steps", [3]),
        ("began", [{}]),
        ("other", []),
        ("steps", [[1, msgspec.to_builtins(GPIO), msgspec.to_builtins(PICO), ["a.1", 5]]]),
        ("steps", [[1, msgspec.to_builtins(GPIO), msgspec.to_builtins(PICO), ["+a.1", 5, "x"]]]),
    ):
        encoder = Nonsense(RUN)
        text = HEADER.line() + encoder.run() + encoder.encode(BEGINNING, 0) + encoder.line(kind, *rest)
        path.write_bytes(text)
        *_, last = read(path)
        assert isinstance(last, Damage), rest
        assert last.text.startswith(f"{path}:4: found a line"), rest


def test_a_last_line_torn_by_a_power_cut_is_told_and_the_rest_is_read(path: Path) -> None:
    write(path, *ITEMS)
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    path.write_bytes(whole[: -last + 5])
    items = list(read(path))
    assert items[-1] == Damage(
        f"{path}:7: its last line was cut off, by a power cut perhaps; it is left out", True
    )
    assert len(items) == 6


def test_the_next_run_takes_a_torn_line_away(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(path, *ITEMS)
    path.write_bytes(path.read_bytes()[:-7])
    write(path, BEGINNING)
    assert not [item for item in read(path) if isinstance(item, Damage)]
    (said,) = caplog.records
    assert said.levelno == logging.WARNING
    assert "its last line was cut off" in said.getMessage()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", ":1: found an empty line; a file of spit-cabinet edges begins with"),
        (b"hello\n", ":1: found 'hello'"),
        (b'{"kind":"spit-cabinet matches","version":3}\n', ":1: found a file of 'spit-cabinet matches', and no"),
        (
            b'{"kind":"spit-cabinet edges","version":1}\n',
            ":1: found version 1 of spit-cabinet edges, which an older",
        ),
        (
            b'{"kind":"spit-cabinet edges","version":%d}\n' % (HEADER.version + 1),
            f":1: found version {HEADER.version + 1} of spit-cabinet edges, which a newer",
        ),
        (b"\xff\xfe" * 5_000, ":1: found "),
    ],
)
def test_a_foreign_file_gets_one_line_and_is_not_written_on(path: Path, content: bytes, says: str) -> None:
    path.write_bytes(content)
    with pytest.raises(EdgesError) as error:
        list(read(path))
    assert str(error.value).startswith(f"{path}{says}")
    assert "\n" not in str(error.value)
    if content:
        with pytest.raises(EdgesError, match=r"is left as it is: .*; name another file"):
            EdgeFile(path, RUN, lambda: 0)
        assert path.read_bytes() == content


def test_its_kind_is_known_by_its_first_line(path: Path, tmp_path: Path) -> None:
    write(path, BEGINNING)
    assert is_of_edges(path)
    assert not is_of_edges(tmp_path / "none")
    path.write_bytes(b'{"kind":"spit-cabinet matches","version":3}\n')
    assert not is_of_edges(path)
    with pytest.raises(EdgesError, match=r"none: cannot be read \(No such file or directory\)"):
        list(read(tmp_path / "none"))


# Limits


def test_a_full_file_becomes_the_older_one_where_a_stretch_begins(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_file, "FILE_LIMIT_BYTES", 10_000)
    with EdgeFile(path, RUN, lambda: WALL_NS) as file:
        for _ in range(100):
            for item in ITEMS:
                file.append(item)
    stretch = sum(len(line) for line in path.read_bytes().splitlines(keepends=True)[2:7])
    for one in (path, older(path)):
        assert 0 < one.stat().st_size < 10_000 + stretch + len(LineEncoder(RUN).run())
        kinds = [type(item).__name__ for item in read(one)]
        assert kinds[:2] == ["Run", "Began"]
        assert kinds[-1] == "Closed"
        assert "Damage" not in kinds


def test_a_file_that_was_full_already_is_turned_over_at_the_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, *ITEMS)
    monkeypatch.setattr(edge_file, "FILE_LIMIT_BYTES", 100)
    write(path, BEGINNING)
    assert len(list(read(older(path)))) == len(ITEMS) + 2
    assert [type(item).__name__ for item in read(path)] == ["Run", "Began"]


def test_a_stretch_without_an_end_is_given_up_and_said_until_the_next(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_file, "FILE_LIMIT_BYTES", 5_000)
    monkeypatch.setattr(edge_file, "STRETCH_LIMIT_BYTES", 10_000)
    with EdgeFile(path, RUN, lambda: WALL_NS) as file:
        file.append(BEGINNING)
        while path.stat().st_size <= 10_000:
            file.append(ITEMS[1])
        for _ in range(3):
            with pytest.raises(EdgesError, match=r"without a pause; .*whether a button chatters"):
                file.append(ITEMS[1])
        assert path.stat().st_size < 11_000
        file.append(BEGINNING)
    assert older(path).stat().st_size > 10_000
    assert [type(item).__name__ for item in read(path)] == ["Run", "Began"]


class Disk:
    """Stands for the opened file: there is no room until there is again."""

    def __init__(self, file: FileIO) -> None:
        self.file = file
        self.is_full = True

    def write(self, data: bytes) -> int:
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.file.write(data)

    def fileno(self) -> int:
        return self.file.fileno()

    def close(self) -> None:
        self.file.close()


def test_on_a_full_disk_what_waits_is_written_later_or_left_out_as_whole_stretches(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append_file, "UNWRITTEN_LIMIT_BYTES", 2_000)
    with EdgeFile(path, RUN, lambda: WALL_NS) as file:
        assert file._file is not None
        disk = Disk(file._file._file)
        monkeypatch.setattr(file._file, "_file", disk)
        for _ in range(3):
            for item in ITEMS:
                with pytest.raises(EdgesError, match=r"cannot be written \(No space left on device\); make room"):
                    file.append(item)
        disk.is_full = False
        with pytest.raises(EdgesError, match="what is pressed is left out, because there was no room"):
            file.append(ITEMS[1])
        for item in ITEMS:
            file.append(item)
    kinds = [type(item).__name__ for item in read(path)]
    assert "Damage" not in kinds
    assert 2 <= kinds.count("Began") < 4


def test_an_older_file_that_cannot_be_made_is_told_and_tried_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_file, "FILE_LIMIT_BYTES", 100)
    older(path).mkdir()
    with EdgeFile(path, RUN, lambda: WALL_NS) as file:
        with pytest.raises(EdgesError, match=r"matches.edges.1: cannot be written"):
            file.append(BEGINNING)
        with pytest.raises(EdgesError, match="could not be begun anew; that is tried again when nobody plays"):
            file.append(ITEMS[1])
        older(path).rmdir()
        file.append(BEGINNING)
        file.append(ITEMS[1])
    assert [type(item).__name__ for item in read(path)][-2:] == ["Began", "Steps"]


@pytest.mark.parametrize("place", ["none/x", "."])
def test_a_place_that_cannot_be_written_is_told_in_one_line(tmp_path: Path, place: str) -> None:
    with pytest.raises(EdgesError, match=r"cannot be written \(.*\); name another file"):
        EdgeFile(tmp_path / place, RUN, lambda: 0)


def test_edges_lie_beside_the_record_unless_that_is_no_file(tmp_path: Path) -> None:
    record = tmp_path / "evening.matches"
    assert beside(record) == tmp_path / "evening.matches.edges"
    record.touch()
    edges = beside(record)
    assert edges == tmp_path / "evening.matches.edges"
    assert record_of(edges) == record_of(older(edges)) == record
    assert record_of(tmp_path / "evening") is None
    assert beside(Path("/dev/null")) is None
