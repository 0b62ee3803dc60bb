"""Edges kept by the real program: replayed through the command line, also where it was killed in the middle."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Final

import pytest

from cabinet import record
from cabinet.engine.table import SEATS
from cabinet.panel import START, Tap
from tests.desk import ROOT, Program, screen, wait_until

LIMIT_S: Final = 120


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "cabinet", *words]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False)


def _take_interrupts() -> None:
    """Also where the tests themselves were started in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def grows_beyond(path: Path, size: int) -> bool:
    return path.exists() and path.stat().st_size > size


def test_the_matches_of_a_demo_come_out_byte_for_byte(tmp_path: Path) -> None:
    path, edges = tmp_path / "matches", tmp_path / "matches.edges"
    demo = run("demo", "--headless", "--game", "speed", "--matches", "3", "--seed", "5", "--record", str(path))
    assert demo.returncode == 0
    checked = run("replay", str(edges), "--check")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.endswith("presses, 3 matches, all equal\n")
    again = run("replay", str(edges), "--record", str(tmp_path / "again"))
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    told = run("replay", str(edges)).stdout
    presses = sum(isinstance(line, record.Pressed) for line in record.read(path))
    assert checked.stdout.startswith(f"{presses} presses, ")
    assert told.count("±100 µs") > presses


def test_a_demo_that_is_killed_anywhere_leaves_edges_that_lead_to_what_it_recorded(tmp_path: Path) -> None:
    """Three times into the same files: each run mends what the one before has left."""
    rng = Random(4)
    path, edges = tmp_path / "matches", tmp_path / "matches.edges"
    for seed in ("1", "2", "3"):
        options = ("--headless", "--speed", "40", "--matches", "9", "--seed", seed, "--record", str(path))
        size = edges.stat().st_size if edges.exists() else 0
        with subprocess.Popen(command("demo", *options), cwd=ROOT, stdout=subprocess.DEVNULL) as demo:
            wait_until(partial(grows_beyond, edges, size + 15_000), "edges are kept")
            time.sleep(rng.random())
            os.kill(demo.pid, signal.SIGKILL)
        checked = run("replay", str(edges), "--check")
        assert (checked.returncode, checked.stderr) == (0, "")
        assert "all equal" in checked.stdout
    assert "; 3 of them, broken off" in checked.stdout


def test_interrupted_it_ends_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "matches"
    assert run("demo", "--headless", "--matches", "3", "--record", str(path)).returncode == 0
    with subprocess.Popen(
        command("replay", f"{path}.edges"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_take_interrupts,  # noqa: PLW1509 - no thread is running yet that could hold a lock
    ) as replay:
        assert replay.stdout is not None
        assert replay.stderr is not None
        assert replay.stdout.readline()
        replay.send_signal(signal.SIGINT)
        replay.stdout.read()
        assert replay.stderr.read().strip() == b"Aborted!"
        assert replay.wait(LIMIT_S) == 1


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    for tool, package in (("Xvfb", "xvfb"), ("xdotool", "xdotool")):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed; run: sudo apt install {package}")
    with screen() as name:
        yield name


@pytest.mark.parametrize("ends", ["killed", "ended"])
def test_a_cabinet_played_on_by_keys_leaves_edges_that_lead_to_its_record(
    ends: str, display: str, tmp_path: Path
) -> None:
    program = Program(display, tmp_path, "[display]\nwidth = 1024\nheight = 720\nfps_cap = 30\n")
    try:
        program.wait_for_window()
        seats = cycle(SEATS)

        def has_pressed() -> bool:
            lines = program.lines()
            program.tap(next(seats), [Tap("1" if lines else START)])
            return sum(isinstance(line, record.Pressed) for line in lines) >= 6

        wait_until(has_pressed, "a match is played")
        if ends == "ended":
            assert program.end() == 0
    finally:
        program.kill()
    checked = run("replay", f"{program.record}.edges", "--check")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert " presses, 1 match, all equal" in checked.stdout
    assert ("broken off" in checked.stdout) == (ends == "killed")
