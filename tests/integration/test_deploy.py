"""The two commands tell what is missing and what to do, from any directory and in a path with spaces."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "dirname", "readlink", "cat", "cksum", "rm", "grep", "sleep")
FAKE_CABINET = """#!/bin/sh
[ "$2" = pip ] && exit 0
printf '<%s>' "$@" >>"$0.log"
case "$*" in *" run "*) exit "${RUN_STATUS:-0}" ;; esac
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the scripts, in a directory whose name has spaces."""
    copy = tmp_path / "my spit cabinet"
    shutil.copytree(ROOT / "deploy", copy / "deploy")
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


@pytest.fixture
def bin_dir(tmp_path: Path) -> Path:
    """All the commands that there are: the tools, and no Python."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for tool in TOOLS:
        (directory / tool).symlink_to(str(shutil.which(tool)))
    return directory


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def run(house: Path, name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(house / "deploy" / name), *arguments]
    return subprocess.run(
        command, cwd="/", env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def installed_venv(house: Path) -> Path:
    """A .venv that the scripts take for whole; its Python writes down what it is asked to run."""
    python = house / ".venv" / "bin" / "python"
    script(python, FAKE_CABINET)
    (house / ".venv" / "made-in").write_text(f"{house}\n")
    stamp = ". deploy/venv.sh; stamp_of '' >.venv/installed"
    subprocess.run(["sh", "-c", stamp], cwd=house, check=True)
    return python.with_name("python.log")


def test_a_machine_without_python_is_told_which_one_it_needs(house: Path, bin_dir: Path) -> None:
    done = run(house, "play.sh", PATH=str(bin_dir))
    assert done.returncode == 1
    assert "Python 3.11 to 3.14 is needed; found: no python3." in done.stderr
    assert "sudo apt install python3" in done.stderr


def test_an_old_python_is_named(house: Path, bin_dir: Path) -> None:
    script(bin_dir / "python3", '#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 && exit 0\nexit 1\n')
    done = run(house, "test.sh", PATH=str(bin_dir))
    assert done.returncode == 1
    assert "found: Python 3.9.2." in done.stderr


def test_a_python_without_venv_is_told_the_command_that_brings_it(house: Path, bin_dir: Path) -> None:
    script(bin_dir / "python3", f'#!/bin/sh\n[ "$1" = -m ] && exit 1\nexec "{sys.executable}" "$@"\n')
    done = run(house, "play.sh", PATH=str(bin_dir))
    assert done.returncode == 1
    assert "sudo apt install python3-venv" in done.stderr
    assert not (house / ".venv").exists()


def test_a_32_bit_system_is_told_that_it_needs_64(house: Path, bin_dir: Path) -> None:
    fake = f'#!/bin/sh\ncase "$2" in *calcsize*) echo 32 ;; *) exec "{sys.executable}" "$@" ;; esac\n'
    script(bin_dir / "python3", fake)
    done = run(house, "play.sh", PATH=str(bin_dir))
    assert done.returncode == 1
    assert "install the 64-bit Raspberry Pi OS" in done.stderr


def test_a_second_start_plays_at_once_and_hands_on_the_arguments(house: Path, bin_dir: Path) -> None:
    log = installed_venv(house)
    done = run(house, "play.sh", "--seed", "a b", PATH=str(bin_dir))
    assert (done.returncode, done.stderr) == (0, "")
    assert log.read_text() == "<-m><cabinet><run><--seed><a b>"


def test_without_a_screen_robots_play_and_leave_a_picture(house: Path, bin_dir: Path) -> None:
    log = installed_venv(house)
    done = run(house, "play.sh", "--seed", PATH=str(bin_dir), RUN_STATUS="3")
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert "Two robots play" in done.stderr
    assert log.read_text().endswith("<-m><cabinet><demo><--headless><--picture><table.png>")


def test_another_failure_of_the_cabinet_is_not_taken_for_a_missing_screen(house: Path, bin_dir: Path) -> None:
    log = installed_venv(house)
    assert run(house, "play.sh", "--seed", PATH=str(bin_dir), RUN_STATUS="1").returncode == 1
    assert "demo" not in log.read_text()


def test_a_changed_pyproject_installs_again(house: Path, bin_dir: Path) -> None:
    installed_venv(house)
    with (house / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    assert "Installing what the cabinet needs" in run(house, "play.sh", PATH=str(bin_dir)).stderr
    assert run(house, "play.sh", PATH=str(bin_dir)).stderr == ""


def test_a_venv_that_was_moved_is_made_anew(house: Path, bin_dir: Path) -> None:
    installed_venv(house)
    (house / ".venv" / "made-in").write_text("/elsewhere\n")
    done = run(house, "play.sh", PATH=str(bin_dir))
    assert "Python 3.11 to 3.14 is needed" in done.stderr
    assert not (house / ".venv").exists()


def test_a_failed_check_is_named_and_the_rest_is_not_run(house: Path, bin_dir: Path) -> None:
    installed_venv(house)
    stamp = ". deploy/venv.sh; stamp_of '[dev]' >'.venv/installed[dev]'"
    subprocess.run(["sh", "-c", stamp], cwd=house, check=True)
    script(house / ".venv" / "bin" / "ruff", "#!/bin/sh\nexit 0\n")
    script(house / ".venv" / "bin" / "mypy", "#!/bin/sh\nexit 1\n")
    done = run(house, "test.sh", PATH=str(bin_dir))
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["== lint", "== format", "== types", "FAILED: types (mypy)"]


ENDLESS_CABINET = """#!/bin/sh
case "$*" in *" run"*) ;; *) exit 0 ;; esac
trap 'printf ended >>"$0.log"; exit 0' TERM
printf begun >"$0.log"
while true; do sleep 0.05; done
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_goes_on_to_the_cabinet(house: Path, bin_dir: Path, number: int) -> None:
    log = installed_venv(house)
    script(house / ".venv" / "bin" / "python", ENDLESS_CABINET)
    playing = subprocess.Popen([house / "deploy" / "play.sh"], env={"PATH": str(bin_dir)})
    deadline = time.monotonic() + 30
    while not (log.exists() and log.read_text() == "begun"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    playing.send_signal(number)
    assert playing.wait(timeout=30) == 0
    assert log.read_text() == "begunended"


def test_play_may_be_started_through_a_link(house: Path, bin_dir: Path, tmp_path: Path) -> None:
    log = installed_venv(house)
    link = tmp_path / "play"
    link.symlink_to(house / "deploy" / "play.sh")
    done = subprocess.run([link], env={"PATH": str(bin_dir)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "<run>" in log.read_text()
