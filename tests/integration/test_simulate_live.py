"""`spit-cabinet simulate` as a program of its own: what ends it, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE_S = 30.0


@pytest.fixture
def simulation() -> Iterator[subprocess.Popen[str]]:
    """Far more matches than anybody waits for, in two processes."""
    words = [sys.executable, "-m", "cabinet", "simulate", "--matches", "100000", "--workers", "2"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        yield process
        process.kill()


def at_work(group: int) -> list[int]:
    """The processes of a group, without those that have ended and wait for somebody to notice."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def wait_for_processes(group: int, fewest: int, most: int) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not fewest <= len(at_work(group)) <= most:
        assert time.monotonic() < until_s, at_work(group)
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the processes are looked up in /proc")
def test_ctrl_c_ends_all_of_it_with_one_line(simulation: subprocess.Popen[str]) -> None:
    wait_for_processes(simulation.pid, 3, 9)
    os.killpg(simulation.pid, signal.SIGINT)
    output, errors = simulation.communicate(timeout=PATIENCE_S)
    assert (simulation.returncode, output) == (130, "")
    assert errors.startswith("Stopped after ")
    assert errors.endswith(" of 100000 matches.\n")
    assert len(errors.splitlines()) == 1
    wait_for_processes(simulation.pid, 0, 0)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the processes are looked up in /proc")
def test_no_process_outlives_the_first_one(simulation: subprocess.Popen[str]) -> None:
    wait_for_processes(simulation.pid, 3, 9)
    simulation.kill()
    simulation.wait(PATIENCE_S)
    wait_for_processes(simulation.pid, 0, 0)
