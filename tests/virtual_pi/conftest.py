"""The virtual Pi for the tests of this folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.virtual_pi.guest import Guest

QEMU: Final = "qemu-system-x86_64"

_TOLD: list[str] = []


def told_at_the_end(figure: str) -> None:
    """Have a figure printed when all tests have run."""
    _TOLD.append(figure)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was measured in the machine."""
    if _TOLD:
        terminalreporter.section("measured in the virtual Pi (median / 99th percentile / worst)")
        for figure in _TOLD:
            terminalreporter.write_line(figure)


@pytest.fixture(scope="session", autouse=True)
def _qemu() -> None:
    """The tests of this folder need QEMU, and say so where it is not installed."""
    if shutil.which(QEMU) is None:
        pytest.skip(
            f"{QEMU} is not installed; sudo tests/virtual_pi/rig/build.sh installs it and builds the machine"
        )


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    """A virtual Pi with a copy of the program; what it leaves under /host is in `guest.share`."""
    return Guest(tmp_path)
