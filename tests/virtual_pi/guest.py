"""Runs a command in the virtual Pi: a machine in QEMU with the kernel's GPIO device and a screen of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
RIG: Final = Path(__file__).parent / "rig"
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
"""Read on import: tests have a home of their own, and the machine is not in there."""
MACHINE: Final = CACHE / "virtual-pi" / "amd64"

FOLDERS: Final = ("cabinet", "display", "firmware_bridge", "tests/virtual_pi/in_guest")
PACKAGES: Final = ("tests/__init__.py", "tests/virtual_pi/__init__.py")
PYTHON: Final = "/opt/rig/venv/bin/python"


class Guest:
    """A machine that is started for each command. Its /host is the folder `share`, with a copy of the program."""

    def __init__(self, share: Path) -> None:
        self.share = share
        for folder in FOLDERS:
            shutil.copytree(ROOT / folder, share / folder, ignore=shutil.ignore_patterns("__pycache__"))
        for package in PACKAGES:
            shutil.copy(ROOT / package, share / package)

    def run(self, *words: str, options: tuple[str, ...] = (), within_s: int) -> subprocess.CompletedProcess[str]:
        """The finished command with its output; status 124 when it took longer than `within_s`, boot included."""
        if not (MACHINE / "root.ext4").exists():
            raise RuntimeError(f"there is no virtual Pi in {MACHINE}; build it: sudo {RIG / 'build.sh'}")
        rig = [sys.executable, str(RIG / "run.py"), "--build", str(MACHINE), "--share", str(self.share)]
        timing = ["--timeout", str(within_s), "--verbose"]
        return subprocess.run(
            [*rig, *timing, *options, "--", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=within_s + 60,
        )


def told(done: subprocess.CompletedProcess[str]) -> str:
    """All that a command said, for a failed assertion."""
    return f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
