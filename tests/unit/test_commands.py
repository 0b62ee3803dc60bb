"""The command line: each command's output and exit status, and one plain line when something is wrong."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cabinet import cli, logs

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


def test_no_log_can_be_kept_is_said_and_nothing_else_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert logs.set_up(tmp_path / "file") is None
    assert "No log can be kept" in capsys.readouterr().err
