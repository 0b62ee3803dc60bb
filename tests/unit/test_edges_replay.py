"""Kept edges replayed: compared with the record, told in words, and through what goes wrong on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from cabinet import record
from cabinet.buttons.edges import HOST_CLOCK, Edge
from cabinet.cli import commands
from cabinet.engine.games import game_named
from cabinet.flow import FlowSettings
from cabinet.game import GameSettings
from cabinet.keeping import run_of, tap_for
from cabinet.kept_edges.lines import HEADER
from cabinet.kept_edges.thinning import Failed, Item
from cabinet.kept_edges.values import Beginning
from cabinet.players.robot import RobotSettings
from cabinet.record import as_bytes
from cabinet.replay.stretch import Stretch
from cabinet.session import Session
from cabinet.virtual import SOURCES
from tests.edge_world import Replayed, write
from tests.game_desk import CLEAN, MS, Desk, S, lose_source

BOUNCES: Final = [[0, 1], [300, 0], [1_500, 1], [60_000, 0]]


class KeptDesk(Desk):
    """A desk whose edges are kept beside its record."""

    def __init__(self, **flow: Any) -> None:
        super().__init__(**flow)
        settings: GameSettings = self.cabinet.game._settings
        self.run = run_of(settings, SOURCES)
        self.items: list[Item] = []
        self.cabinet.game.let_tap(tap_for(self.run, self.items.append))
        self.cabinet.game.start(self.now_ns)

    def keep(self, directory: Path) -> Path:
        self.cabinet.game.close()
        path = directory / "evening.edges"
        (directory / "evening").write_bytes(as_bytes(self.lines))
        write(path, self.run, self.items)
        return path


def replay(path: Path, *words: str) -> Result:
    return CliRunner().invoke(commands, ["replay", str(path), *words])


@pytest.fixture
def desk() -> KeptDesk:
    desk = KeptDesk()
    desk.wait(2 * S)
    desk.start_match()
    desk.wait(4 * S)
    desk.tap("a.1", 10 * MS, BOUNCES)
    desk.tap("b.1", 11 * MS)
    desk.wait(2 * S)
    return desk


def test_every_match_is_compared_with_the_record_beside_the_edges(desk: KeptDesk, tmp_path: Path) -> None:
    result = replay(desk.keep(tmp_path), "--check")
    assert (result.exit_code, result.output) == (0, "2 presses, 1 match, all equal\n")


def test_what_is_otherwise_in_the_record_is_told_with_its_line_in_one_line(desk: KeptDesk, tmp_path: Path) -> None:
    path = desk.keep(tmp_path)
    lines = (tmp_path / "evening").read_bytes().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if b'"pressed"' in line)
    lines[place] = lines[place].replace(b'"err_ns":100000', b'"err_ns":100001')
    (tmp_path / "evening").write_bytes(b"".join(lines))
    result = replay(path, "--check")
    assert result.exit_code == 1
    (said,) = result.output.splitlines()
    assert said.startswith(f"{path}: match 1 of the edges, of program version ")
    assert f"{tmp_path / 'evening'}:{place + 1}: the record has " in said
    assert "the edges lead to" in said


def test_a_match_of_the_edges_that_is_not_in_the_record_is_told(desk: KeptDesk, tmp_path: Path) -> None:
    path = desk.keep(tmp_path)
    (tmp_path / "evening").write_bytes(as_bytes([]))
    result = replay(path, "--check")
    assert result.exit_code == 1
    assert f"is not in {tmp_path / 'evening'}: " in result.output
    assert result.output.count("\n") == 1


def test_a_record_that_is_longer_or_shorter_than_a_whole_stretch_is_no_equal_one(
    desk: KeptDesk, tmp_path: Path
) -> None:
    path = desk.keep(tmp_path)
    whole = (tmp_path / "evening").read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    for other, found in ((whole[: -len(last)], "the record has nothing"), (whole + last, "lead to nothing")):
        (tmp_path / "evening").write_bytes(other)
        result = replay(path, "--check")
        assert (result.exit_code, found in result.output) == (1, True)


def test_where_the_program_was_killed_the_beginning_must_be_equal(desk: KeptDesk, tmp_path: Path) -> None:
    path = desk.keep(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    result = replay(path, "--check")
    assert result.exit_code == 0
    assert result.output.endswith("1 match, all equal; 1 of them, broken off, as far as they go\n")


def test_a_damaged_line_is_told_and_the_other_stretches_are_compared(desk: KeptDesk, tmp_path: Path) -> None:
    desk.cabinet.game.close()
    desk.cabinet.game.start(desk.now_ns)
    desk.wait(2 * S)
    desk.start_match()
    desk.wait(1 * S)
    path = desk.keep(tmp_path)
    text = path.read_bytes()
    path.write_bytes(text.replace(b"+a.1", b"+a.2", 1))
    result = replay(path, "--check")
    assert result.exit_code == 1
    damage, counts = result.output.splitlines()
    assert damage.startswith(f"{path}:")
    assert "nothing can be played again" in damage
    assert counts.startswith("0 presses, 2 matches, all equal; 1 of them, broken off")


def test_without_the_record_beside_it_or_a_name_that_says_which_it_says_what_to_do(
    desk: KeptDesk, tmp_path: Path
) -> None:
    path = desk.keep(tmp_path)
    (tmp_path / "evening").unlink()
    result = replay(path, "--check")
    assert (result.exit_code, result.output) == (
        1,
        f"{tmp_path / 'evening'}: cannot be read (No such file or directory); lay the record beside its edges\n",
    )
    other = path.rename(tmp_path / "x")
    result = replay(other, "--check")
    assert (result.exit_code, "name it so" in result.output) == (1, True)


def test_the_record_is_written_anew(desk: KeptDesk, tmp_path: Path) -> None:
    path = desk.keep(tmp_path)
    result = replay(path, "--record", str(tmp_path / "again"))
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "evening").read_bytes()
    result = replay(path, "--record", str(tmp_path / "none" / "x"))
    assert (result.exit_code, result.output.count("\n")) == (1, 1)


def test_each_press_is_told_with_stamp_error_bounce_meaning_and_what_came_of_it(
    desk: KeptDesk, tmp_path: Path
) -> None:
    path = desk.keep(tmp_path)
    lines = replay(path).output.splitlines()
    assert lines == replay(path, "--text").output.splitlines()
    assert lines[0].startswith("stretch 1, kept from 2030-03-17 ")
    presses = [line for line in lines if "±" in line and "contest" not in line]
    first = next(line for line in desk.lines if isinstance(line, record.Pressed))
    offset_ns = desk.look().match_offset_ns
    assert presses[0].endswith("s  a.spit ±100 µs, 1 edge: it acts, which leads to lobby")
    assert presses[3].endswith("s  b.spit ±100 µs, 1 edge: it acts, which leads to match")
    assert presses[4].startswith(
        f"{(first.at_ns + offset_ns) / S:16.6f} s  a.1 ±100 µs, 3 edges in 1.50 ms: stock 1"
    )
    assert presses[5].split("s  ")[1].startswith("b.1 ±100 µs, 1 edge: stock 1")
    assert any("match 1: spit, human against human" in line for line in lines)
    assert lines[-1].endswith("the match ends without a result, in round 1")


def told_of_edges(directory: Path, *edges: Edge) -> str:
    """What the replay says of the one press that these edges, counted from now, make."""
    directory.mkdir(exist_ok=True)
    desk = KeptDesk()
    desk.wait(2 * S)
    for edge in edges:
        desk.cabinet.game.deliver(replace(edge, t_ns=desk.now_ns + edge.t_ns))
    desk.wait(1 * S)
    (line,) = [one for one in replay(desk.keep(directory)).output.splitlines() if "±" in one]
    return line


def test_a_made_up_press_says_so_and_that_it_was_judged_as_it_came(tmp_path: Path) -> None:
    line = told_of_edges(tmp_path, Edge(HOST_CLOCK, "a.spit", True, MS, 6 * MS, 1, made_up=True))
    assert "a.spit ±6000 µs, 1 edge, made up after a loss, judged " in line
    assert "ms later: it acts" in line


def test_what_is_missing_among_the_edges_of_a_press_is_told(tmp_path: Path) -> None:
    closed = Edge(HOST_CLOCK, "a.spit", True, MS, 100_000, 1)
    opened = Edge(HOST_CLOCK, "a.spit", False, 2 * MS, 100_000, 4, lost=2)
    again = Edge(HOST_CLOCK, "a.spit", True, 3 * MS, 400_000, 5, may_hide=True)
    assert "a.spit ±100 µs, 1 edge: it acts" in told_of_edges(tmp_path / "1", closed)
    line = told_of_edges(tmp_path / "3", closed, opened, again)
    assert "a.spit ±100 µs, 3 edges in 2.00 ms, 2 lost, 1 may hide one before it: it" in line


def test_a_robot_s_presses_are_its_finger_s(tmp_path: Path) -> None:
    desk = KeptDesk()
    desk.start_against_robot()
    desk.wait(12 * S)
    text = replay(desk.keep(tmp_path)).output
    assert "a robot's finger: stock" in text
    assert replay(tmp_path / "evening.edges", "--check").exit_code == 0


def test_options_of_one_kind_of_file_are_refused_for_the_other(desk: KeptDesk, tmp_path: Path) -> None:
    path = desk.keep(tmp_path)
    for words in (("--match", "1"), ("--speed", "2"), ("--record", "x", "--check"), ("--check", "--text")):
        assert replay(path, *words).exit_code == 2, words
    assert replay(tmp_path / "evening", "--record", "x").exit_code == 2


def test_foreign_and_missing_files_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.edges"
    path.write_bytes(b'{"kind":"spit-cabinet edges","version":1}\n')
    for words in ((), ("--check",), ("--record", str(tmp_path / "y"))):
        (tmp_path / "x").touch()
        result = replay(path, *words)
        assert result.exit_code == 1
        assert result.output == (
            f"{path}:1: found version 1 of spit-cabinet edges, which an older program wrote; "
            f"this one knows version {HEADER.version}; "
            "name a file of edges that this program's --record has written\n"
        )


def test_all_of_a_games_settings_that_decides_is_kept_and_comes_back() -> None:
    """Lamps decide nothing, and only tests deal otherwise. Whatever else a game has must be in a `Run`, too."""
    settings = GameSettings(
        games=(game_named("speed"), game_named("spit")),
        default=1,
        flow=FlowSettings(lobby_s=7),
        robot=RobotSettings(strength="quick"),
        layout="face_to_face",
    )
    run = run_of(settings, SOURCES)
    decides = [name for name in settings.__struct_fields__ if name not in ("lamps", "deal")]
    usual = GameSettings()
    assert [name for name in decides if getattr(settings, name) == getattr(usual, name)] == []
    items: list[Item] = []
    desk = KeptDesk()
    desk.cabinet.game.let_tap(tap_for(run, items.append))
    desk.cabinet.game.start(desk.now_ns)
    (beginning,) = [item for item in items if isinstance(item, Beginning)]
    again: GameSettings = Stretch(run, beginning, desk.lines.append)._game._settings
    assert {name: getattr(again, name) for name in decides} == {name: getattr(settings, name) for name in decides}


# What happens to a game


def check(desk: KeptDesk, directory: Path) -> Replayed:
    path = desk.keep(directory)
    replayed = Replayed(path)
    assert replayed.lines == desk.lines
    assert replayed.damages == []
    return replayed


@pytest.mark.parametrize("words", [(), ("--check",), ("--record", "again")])
def test_a_game_that_fails_only_when_played_again_is_told_in_one_line(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, desk: KeptDesk
) -> None:
    path = desk.keep(tmp_path)
    monkeypatch.chdir(tmp_path)

    def fail(*_: Any) -> Any:
        raise RuntimeError("x")

    monkeypatch.setattr(Session, "judge", fail)
    result = replay(path, *words)
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 1
    error = result.output.splitlines()[-1]
    assert error.startswith(f"{path}: the game fails at ")
    assert error.endswith(
        f" s (RuntimeError: x), which it did not then, in program version {desk.run.program}; "
        "play it again with that version, and tell us of it"
    )


def test_a_game_that_fails_and_starts_anew_is_replayed_with_its_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, desk: KeptDesk
) -> None:
    """The exception comes of what the game was given, so it comes again."""
    judge = Session.judge

    def fail_at_a_2(self: Session, presses: Any) -> Any:
        judgement = judge(self, presses)
        if any(press.line == "a.2" for press in presses):
            raise RuntimeError("a.2")
        return judgement

    monkeypatch.setattr(Session, "judge", fail_at_a_2)
    desk.tap("a.2")
    with pytest.raises(RuntimeError, match=r"a\.2"):
        desk.wait(100 * MS)
    desk.cabinet.game.start(desk.now_ns)
    desk.wait(1 * S)
    desk.start_match()
    desk.wait(1 * S)
    replayed = check(desk, tmp_path)
    assert sum(isinstance(item, Failed) for item in desk.items) == 1
    assert [type(line).__name__ for line in replayed.lines].count("Began") == 2


def test_a_game_that_starts_anew_in_the_middle_of_a_press_begins_a_stretch(tmp_path: Path, desk: KeptDesk) -> None:
    desk.tap("a.1")
    desk.wait(1 * MS)
    desk.cabinet.game.start(desk.now_ns)
    desk.wait(1 * S)
    desk.start_match()
    desk.wait(3 * S)
    assert check(desk, tmp_path).stretches == 2


def test_a_stretch_begins_whenever_attract_shows_the_next_thing_and_no_button_is_in_motion(tmp_path: Path) -> None:
    desk = KeptDesk(show_s=5)
    desk.wait(80 * S)
    beginnings = sum(isinstance(item, Beginning) for item in desk.items)
    assert 3 <= beginnings <= 8
    desk.hold("service")
    desk.wait(80 * S)
    assert sum(isinstance(item, Beginning) for item in desk.items) > beginnings
    assert check(desk, tmp_path).stretches > beginnings


def test_a_button_that_is_stuck_through_a_beginning_is_so_in_the_replay(tmp_path: Path) -> None:
    desk = KeptDesk(show_s=2, lessons=False)
    desk.hold("a.1")
    desk.wait(35 * S)
    desk.cabinet.game.start(desk.now_ns)
    desk.wait(1 * S)
    desk.start_match()
    desk.wait(3 * S)
    desk.tap("b.1")
    desk.wait(1 * S)
    last = [item for item in desk.items if isinstance(item, Beginning)][-1]
    assert [line.line for line in last.rest.lines if line.pressed_since_ns is not None] == ["a.1"]
    assert desk.look().seats_a.stuck_lines == ("a.1",)
    path = desk.keep(tmp_path)
    assert Replayed(path).lines == desk.lines


def test_a_pause_is_replayed(tmp_path: Path, desk: KeptDesk) -> None:
    give_back = lose_source(desk)
    desk.wait(12 * S)
    give_back()
    desk.wait(10 * S)
    desk.tap("b.2")
    desk.wait(1 * S)
    replayed = check(desk, tmp_path)
    assert [line.button for line in replayed.lines if isinstance(line, record.Pressed)][-1] == "b.2"


def test_the_same_is_played_whether_edges_are_kept_or_not(desk: KeptDesk) -> None:
    free = Desk()
    free.cabinet.game.start(free.now_ns)
    free.wait(2 * S)
    free.start_match()
    free.wait(4 * S)
    free.tap("a.1", 10 * MS, BOUNCES)
    free.tap("b.1", 11 * MS, CLEAN)
    free.wait(2 * S)
    assert free.lines == desk.lines
