"""The command line: each command's output and exit status, and one plain line when something is wrong."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from cabinet import cli, config, logs, record, show
from cabinet.engine.games import game_named
from cabinet.engine.match import new_match
from cabinet.engine.rules import ARCADE, MINUTE_NS, Options
from cabinet.engine.view import view_of
from cabinet.game import GameSettings
from cabinet.players.robot import RobotSettings
from cabinet.record_file import RecordFile
from cabinet.snapshot import SeatStatus, Snapshot
from cabinet.virtual import BridgeCabinet, VirtualCabinet

SCENARIOS = Path(__file__).parents[1] / "scenarios"


@pytest.fixture(autouse=True)
def _own_log_handlers() -> Iterator[None]:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    yield
    root.setLevel(level)
    for handler in [handler for handler in root.handlers if handler not in before]:
        root.removeHandler(handler)
        handler.close()


def call(*words: str, text: str | None = None) -> Result:
    return CliRunner().invoke(cli.commands, list(words), input=text)


def test_referee_checks_a_file_and_counts() -> None:
    result = call("referee", "--check", str(SCENARIOS / "spit.jsonl"))
    assert (result.exit_code, result.output) == (0, "108 passed, 0 failed\n")


def test_referee_names_a_scenario_that_fails_and_exits_1(tmp_path: Path) -> None:
    line = (SCENARIOS / "spit.jsonl").read_text().splitlines()[0].replace('"round": 1', '"round": 2')
    (tmp_path / "wrong.jsonl").write_text(line + "\n")
    result = call("referee", "--check", str(tmp_path / "wrong.jsonl"))
    assert result.exit_code == 1
    first, last = result.output.splitlines()
    assert first.startswith("SP-01 (a new match")
    assert "state.round: expected 2, got 1" in first
    assert last == "0 passed, 1 failed"


def test_referee_answers_every_line_of_its_input_and_exits_0() -> None:
    line = (SCENARIOS / "spit.jsonl").read_text().splitlines()[3]
    result = call("referee", text=f"{line}\nrubbish\n\n{line}\n")
    answers = [json.loads(answer) for answer in result.output.splitlines()]
    assert result.exit_code == 0
    assert [answer["id"] for answer in answers] == ["SP-02", None, "SP-02"]
    assert "error" in answers[1]
    assert answers[0]["steps"] == ["ok"]


def test_referee_reads_on_after_any_line_and_answers_in_plain_ascii() -> None:
    line = (SCENARIOS / "spit.jsonl").read_bytes().splitlines()[3]
    bad = [b"[" * 100_000, b'{"id": "\\ud800"}', b'{"id": ' + b"9" * 5_000 + b"}", b'{"id": NaN}', b"\xff\xfe"]
    result = CliRunner().invoke(cli.commands, ["referee"], input=b"\n".join([*bad, line]))
    answers = result.output.encode("ascii").splitlines()
    assert result.exit_code == 0
    assert [json.loads(answer)["id"] for answer in answers] == [None, "\ud800", None, None, None, "SP-02"]
    assert all("error" in json.loads(answer) for answer in answers[:-1])


def test_referee_checks_on_after_any_line(tmp_path: Path) -> None:
    line = (SCENARIOS / "spit.jsonl").read_bytes().splitlines()[3]
    bad = [b"[" * 100_000, b'{"id": "\\ud800", "title": "\\ud801", "expect": {"steps": []}}', b"\xff"]
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join([*bad, line]))
    result = call("referee", "--check", str(tmp_path / "bad.jsonl"))
    assert result.exit_code == 1
    assert len(result.output.splitlines()) == 4
    assert result.output.endswith("1 passed, 3 failed\n")


def test_settings_sample_loads_as_settings(tmp_path: Path) -> None:
    sample = call("settings", "sample")
    assert sample.exit_code == 0
    path = tmp_path / "settings.toml"
    path.write_text(sample.output)
    checked = call("settings", "check", str(path))
    assert (checked.exit_code, checked.output) == (0, f"{path}: good\n")


def test_settings_check_names_every_mistake_and_exits_1(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[debounce]\nlock_us = -3\n[robot]\nstrength = 'strong'\n")
    result = call("settings", "check", str(path))
    assert result.exit_code == 1
    assert f"{path}:2: debounce.lock_us: found -3" in result.output
    assert f"{path}:4: robot.strength: found" in result.output
    assert "Traceback" not in result.output


def test_settings_check_notes_what_may_surprise_and_exits_0(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[games.own.party]\nstock = 4\n")
    result = call("settings", "check", str(path))
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        f"{path}: good",
        'games.allowed does not name "party", so the lobby does not offer it',
    ]


def test_buttons_with_bad_settings_says_so_and_exits_1(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[debounce]\nlock_us = -3\n")
    result = call("buttons", "--settings", str(path))
    assert result.exit_code == 1
    assert f"{path}:2: debounce.lock_us: found -3" in result.output


class ShortDemo:
    """A demo whose match is over as it begins."""

    ENDED = record.Ended(winner="a", rounds=1, a_owned=0, b_owned=52, at_ns=1)
    matches_over = 1
    latest = Snapshot(0, 0, "attract", SeatStatus(), SeatStatus(), None)

    def __init__(
        self, _settings: object, _seed: int, keep: Callable[[record.RecordLine], None] | None, *_: object
    ) -> None:
        if keep is not None:
            keep(self.ENDED)

    def watch(self, on_snapshot: object) -> None:
        """Nothing is to be seen."""

    def close(self) -> None:
        """Nothing is open."""


def never_play(*_: object) -> None:
    raise AssertionError("a match is played")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--record none/x", "cannot be written (No such file or directory); name another file"),
        (
            "--record notes.txt",
            "is left as it is: found 'my notes'; a file of spit-cabinet matches begins with "
            '{"kind":"spit-cabinet matches","version":3}; name another file',
        ),
        ("--record /dev/full", "cannot be written (No space left on device); make room"),
        ("--picture none/x.png", "cannot be written (No such file or directory); name another file"),
        ("--picture notes.txt", "is no picture; let the name end in .png, .jpg, .bmp or .tga"),
        ("--picture notes.txt/x.png", "cannot be written (Not a directory); name another file"),
    ],
)
def test_what_the_demo_cannot_write_is_said_before_it_plays(
    words: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    option, place = words.split()
    monkeypatch.setattr("cabinet.show.Demo", never_play)
    (tmp_path / "notes.txt").write_text("my notes\n")
    result = call("demo", "--headless", option, str(tmp_path / place))
    assert result.exit_code == 1
    assert [one.getMessage() for one in caplog.records] == [f"{tmp_path / place}: {says}"]
    assert (tmp_path / "notes.txt").read_text() == "my notes\n"


@pytest.mark.parametrize("option", ["--record", "--picture"])
def test_a_directory_is_no_file_to_write_to(option: str, tmp_path: Path) -> None:
    (tmp_path / "x.png").mkdir()
    result = call("demo", "--headless", option, str(tmp_path / "x.png"))
    assert result.exit_code == 2
    assert "is a directory" in result.output


def test_looking_whether_a_picture_can_be_written_changes_nothing(tmp_path: Path) -> None:
    show.check_picture(tmp_path / "new.png")
    (tmp_path / "old.PNG").write_text("a picture")
    show.check_picture(tmp_path / "old.PNG")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old.PNG", "a picture")]


def test_a_picture_that_cannot_be_written_in_the_end_is_one_line_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(show, "Demo", ShortDemo)
    monkeypatch.setattr(show, "check_picture", lambda _: None)
    assert show.run(show.ShowOptions(headless=True, picture=tmp_path / "none" / "x.png")) == 1
    (said,) = [one.getMessage() for one in caplog.records]
    assert said.startswith(f"{tmp_path}/none/x.png: the picture could not be written (")


def test_a_disk_that_is_full_in_the_middle_of_the_demo_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: RecordFile, line: record.RecordLine) -> None:
        raise record.RecordError(f"{type(self).__name__} has no room for {type(line).__name__}")

    monkeypatch.setattr(show, "Demo", ShortDemo)
    monkeypatch.setattr(RecordFile, "append", fail)
    assert show.run(show.ShowOptions(headless=True, record_path=tmp_path / "x")) == 1
    assert [one.getMessage() for one in caplog.records] == ["RecordFile has no room for Ended"]


def test_a_second_demo_keeps_the_matches_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "Demo", ShortDemo)
    path = tmp_path / "record"
    for _ in range(2):
        assert show.run(show.ShowOptions(headless=True, record_path=path)) == 0
    assert list(record.read(path)) == [ShortDemo.ENDED, ShortDemo.ENDED]


def test_demo_repeats_exactly_and_leaves_a_record_and_a_picture(tmp_path: Path) -> None:
    outputs = []
    for name in ("one", "two"):
        words = ("demo", "--headless", "--seed", "3", "--record", str(tmp_path / name))
        result = call(*words, "--picture", str(tmp_path / "table.png"))
        assert result.exit_code == 0, result.output
        outputs.append(result.output)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert "wins" in outputs[0]
    assert (tmp_path / "table.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[show.ShowOptions]:
    """What the demos are told to play, which they do not play."""
    played: list[show.ShowOptions] = []

    def note(options: show.ShowOptions) -> int:
        played.append(options)
        return 0

    monkeypatch.setattr(show, "run", note)
    return played


def test_demo_plays_the_default_of_the_settings_or_any_game_by_its_name(
    played: list[show.ShowOptions], tmp_path: Path
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(
        '[rules]\nhint_ms = 7\n[robot]\nshow = "quick"\n[games]\nallowed = ["points"]\n'
        '[games.own."my own"]\nstock = 4\n'
    )
    words = ("demo", "--settings", str(path))
    results = [call(*words), call(*words, "--game", "speed_20"), call(*words, "--game", "my own")]
    assert [result.exit_code for result in results] == [0, 0, 0]
    assert [options.game.name for options in played] == ["points", "speed_20", "my own"]
    assert [options.game.rules.hint_ms for options in played] == [7, 7, 7]
    assert {options.robot.show for options in played} == {"quick"}


def test_demo_names_the_games_there_are_when_it_is_asked_for_another(played: list[show.ShowOptions]) -> None:
    result = call("demo", "--game", "sped")
    assert (result.exit_code, played) == (1, [])
    (line,) = result.output.splitlines()
    assert line.startswith(
        '--game: there is no game "sped" (the nearest is "speed"); allowed: "spit", "four_piles", '
    )


def test_demo_tells_the_mistakes_of_the_settings_and_plays_on_the_last_good_ones(
    played: list[show.ShowOptions], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "state_dir", lambda: tmp_path / "state")
    path = tmp_path / "settings.toml"
    path.write_text('[games]\ndefault = "points"\n')
    call("demo", "--settings", str(path))
    path.write_text('[games]\ndefault = "point"\n')
    result = call("demo", "--settings", str(path))
    assert f'{path}:2: games.default: found "point", which is no game; allowed: "points"' in result.output
    assert [options.game.name for options in played] == ["points", "points"]


def test_the_demo_s_robots_are_as_strong_as_the_owner_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[GameSettings] = []

    def note(settings: GameSettings, seed: int, keep: None, *_: object) -> ShortDemo:
        told.append(settings)
        return ShortDemo(settings, seed, keep)

    monkeypatch.setattr(show, "Demo", note)
    assert show.run(show.ShowOptions(headless=True, robot=RobotSettings(show="quick"))) == 0
    assert [settings.robot.show for settings in told] == ["quick"]


@pytest.mark.parametrize("source", cli.DEMO_SOURCES)
def test_the_demo_is_played_on_what_is_named(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    wired: list[object] = []

    def note(settings: GameSettings, seed: int, keep: None, _tap: None, cabinet: object) -> ShortDemo:
        wired.append(cabinet)
        return ShortDemo(settings, seed, keep)

    monkeypatch.setattr(show, "Demo", note)
    assert CliRunner().invoke(cli.commands, ["demo", "--headless", "--source", source]).exit_code == 0
    assert wired == [BridgeCabinet if source == "simulated-bridge" else VirtualCabinet]


class LongDemo(ShortDemo):
    """A demo of four rounds whose second takes `second_ns`, and each other one 20 minutes."""

    second_ns = 0
    now_ns = 0
    matches_over = 0

    def run_until(self, _until_ns: int) -> None:
        self.now_ns += MINUTE_NS
        ends = [20 * MINUTE_NS, 20 * MINUTE_NS + self.second_ns, 40 * MINUTE_NS + self.second_ns]
        view = view_of(new_match(ARCADE, Random(1)))
        view = msgspec.structs.replace(view, round=1 + sum(self.now_ns >= end_ns for end_ns in ends))
        self.latest = Snapshot(1, self.now_ns, "match", SeatStatus(), SeatStatus(), view)
        self.matches_over = int(self.now_ns >= ends[-1] + 20 * MINUTE_NS)


def test_a_demo_may_take_as_long_as_its_game_but_a_round_without_end_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(show, "Demo", LongDemo)
    monkeypatch.setattr(LongDemo, "second_ns", 29 * MINUTE_NS)
    assert show.run(show.ShowOptions(headless=True)) == 0
    monkeypatch.setattr(LongDemo, "second_ns", 32 * MINUTE_NS)
    with pytest.raises(RuntimeError, match="do not come to an end"):
        show.run(show.ShowOptions(headless=True))


@pytest.mark.parametrize("name", ["four_piles", "speed"])
def test_the_robots_of_the_demo_play_what_they_are_told(name: str, tmp_path: Path) -> None:
    path = tmp_path / "record"
    options = show.ShowOptions(game=game_named(name, Options(speed_target=1, cap_rounds=1)), headless=True)
    assert show.run(msgspec.structs.replace(options, record_path=path)) == 0
    began, *_, ended, _ = record.read(path)
    assert isinstance(began, record.Began)
    assert isinstance(ended, record.Ended)
    assert began.game == options.game


@pytest.mark.parametrize(
    ("name", "header", "cells"), [("spit", "spit cards", "AS×1"), ("speed", "draw pile", "AS×1")]
)
def test_the_terminal_shows_the_table_of_each_game(name: str, header: str, cells: str) -> None:
    """Whatever lies there: the ace of spades is card 0, and yet a card."""
    seed = next(seed for seed in range(999) if cells in terminal_table(name, seed))
    assert header in terminal_table(name, seed)


def terminal_table(name: str, seed: int) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(show.table_in_words(view_of(new_match(game_named(name).rules, Random(seed)))))
    return console.export_text()


def test_what_nobody_foresaw_is_one_line_and_a_trace_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("the table fell over")

    log_file = logs.set_up(tmp_path)
    monkeypatch.setattr(cli.commands, "main", fail)
    monkeypatch.setattr(logs, "set_up", lambda _: log_file)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr().err
    assert ended.value.code == 1
    assert "the table fell over" in shown
    assert str(log_file) in shown
    assert "Traceback" not in shown
    assert log_file is not None
    assert "Traceback" in log_file.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_log_that_finds_no_room_is_said_once_and_without_a_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "spit-cabinet.log").symlink_to("/dev/full")
    assert logs.set_up(tmp_path) is not None
    for _ in range(3):
        logging.getLogger("test").warning("a button is stuck")
    assert capsys.readouterr().err.splitlines() == [
        "a button is stuck",
        "The log cannot be written (No space left on device); make room.",
        "a button is stuck",
        "a button is stuck",
    ]


def test_no_log_can_be_kept_is_said_and_nothing_else_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert logs.set_up(tmp_path / "file") is None
    assert "No log can be kept" in capsys.readouterr().err
