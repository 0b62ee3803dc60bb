"""A command whose reader goes away, whose disk is full, or that is interrupted: it ends without a trace."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "tests/scenarios/spit.jsonl"
SCENARIO = SCENARIOS.read_bytes().splitlines()[0] + b"\n"
DEMO = ("demo", "--headless", "--seed", "3")
LONGEST_S = 60


def start(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "cabinet", *words],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_take_interrupts,  # noqa: PLW1509 - no thread is running yet that could hold a lock
    )


def _take_interrupts() -> None:
    """Also where the tests themselves were started in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


@pytest.mark.parametrize(
    "words", [(*DEMO, "--matches", "3"), ("referee", str(SCENARIOS))], ids=lambda words: str(words[0])
)
def test_a_reader_that_goes_away_is_no_trouble(words: tuple[str, ...]) -> None:
    """As with ``| head -1``."""
    process = start(*words)
    with process:
        assert pipe(process.stdout).readline()
        pipe(process.stdout).close()
        assert pipe(process.stderr).read() == b""
        assert process.wait(LONGEST_S) == 1


@pytest.mark.parametrize(
    ("words", "told_by"),
    [((*DEMO, "--speed", "30"), "stdout"), (("referee",), "stdout"), (("bench",), "stderr")],
    ids=["demo", "referee", "bench"],
)
def test_an_interrupt_ends_a_command_in_a_word(words: tuple[str, ...], told_by: str) -> None:
    """As with Ctrl-C."""
    process = start(*words)
    with process:
        if words[0] == "referee":
            pipe(process.stdin).write(SCENARIO)
            pipe(process.stdin).flush()
        told = pipe(getattr(process, told_by)).readline()
        assert told
        process.send_signal(signal.SIGINT)
        rest = pipe(process.stderr).read()
        assert process.wait(LONGEST_S) == 1
    assert rest.strip() == b"Aborted!"


@pytest.mark.parametrize("option", ["--record", "--picture"])
def test_a_full_disk_is_one_line_before_the_match(option: str, tmp_path: Path) -> None:
    """A limit to the size of files stands for the disk."""

    def leave_no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))

    path = tmp_path / "x.png"
    done = subprocess.run(
        [sys.executable, "-m", "cabinet", *DEMO, option, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
        timeout=LONGEST_S,
        check=False,
        preexec_fn=leave_no_room,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"{path}: cannot be written (File too large); make room",
        "The log cannot be written (File too large); make room.",
    ]
