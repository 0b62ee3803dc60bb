"""`spit-cabinet bridge install`: the firmware onto a microcontroller, with MicroPython's own tool, mpremote."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from serial.tools import list_ports

from firmware_bridge.firmware.pins import FILE_NAME, PinsError, read_pins

FIRMWARE: Final = Path(__file__).parent / "firmware"
PROTOCOL: Final = Path(__file__).parent / "protocol.py"
MAIN: Final = "main.py"
ONLY_FOR_READERS: Final = ("hardware.py",)

RASPBERRY_PI: Final = 0x2E8A
"""The USB vendor of boards with RP2040 or RP2350 under MicroPython; others are named with --port."""

OLDEST_MICROPYTHON: Final = (1, 22)
"""The first with rp2.DMA."""

CHIPS: Final = ("RP2040", "RP2350")
TIMEOUT_S: Final = 120

ASK: Final = (
    "import os, sys; print(sys.implementation.version[0], sys.implementation.version[1], "
    f"'{FILE_NAME}' in os.listdir(), sys.implementation._machine)"
)
MAKE_FOLDERS: Final = (
    "import os\n"
    "for name in ('firmware_bridge', 'firmware_bridge/firmware'):\n"
    "    try:\n        os.mkdir(name)\n    except OSError:\n        pass"
)

NO_BOARD: Final = (
    "No board with MicroPython was found on USB: plug it in with a cable that carries data, or name it with "
    "--port. A new board first needs MicroPython (hold BOOTSEL while plugging it in, copy the .uf2 file onto its "
    "drive)."
)
NO_MPREMOTE: Final = "mpremote is missing, which copies files to the board: .venv/bin/pip install mpremote"


class InstallError(Exception):
    """The firmware cannot be installed; the text says in one line what was found and what to do."""


class SerialPort(Protocol):
    """What pyserial knows of a port."""

    device: str
    description: str
    vid: int | None


Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]
"""Runs a command and keeps what it says."""


def install(port: str | None, pins: Path | None, say: Callable[[str], None], run: Run | None = None) -> None:
    """Copies the firmware to the board at `port`, or to the only one there is, and starts it.

    `pins`: the file that says which GPIO is which button; None keeps that of the board, or gives it ours if it has
    none. Raises InstallError.
    """
    if run is None:
        if importlib.util.find_spec("mpremote") is None:
            raise InstallError(NO_MPREMOTE)
        run = _run
    if pins is not None:
        _check_pins(pins)
    board = _Board(port or the_only_board(list_ports.comports()), run)
    has_pins = board.greet(say)
    board.copy_all(pins or (None if has_pins else FIRMWARE / FILE_NAME))
    say(f"The firmware is on the board at {board.port} and runs." + _about_pins(pins, has_pins))


def the_only_board(ports: Sequence[SerialPort]) -> str:
    """The port of the only board on USB. Raises InstallError when there is none, or more than one."""
    boards = [port for port in ports if port.vid == RASPBERRY_PI]
    if not boards:
        raise InstallError(NO_BOARD)
    if len(boards) > 1:
        found = ", ".join(f"{board.device} ({board.description})" for board in boards)
        raise InstallError(f"Several boards were found: {found}; name one with --port.")
    return boards[0].device


def firmware_files() -> list[Path]:
    """What goes into firmware_bridge/firmware on the board."""
    return sorted(
        path for path in FIRMWARE.glob("*.py") if path.name != MAIN and path.name not in ONLY_FOR_READERS
    )


class _Board:
    def __init__(self, port: str, run: Run) -> None:
        self.port = port
        self._run = run

    def greet(self, say: Callable[[str], None]) -> bool:
        """Whether the board has a file of pins. Raises InstallError when it is none of ours."""
        answer = self._mpremote("exec", ASK).split(maxsplit=3)
        if len(answer) != 4:
            raise InstallError(f"What is at {self.port} did not answer as MicroPython does: is it the right port?")
        version = int(answer[0]), int(answer[1])
        if not any(chip in answer[3] for chip in CHIPS):
            raise InstallError(f"At {self.port} is {answer[3].strip()}; the board must have RP2040 or RP2350.")
        if version < OLDEST_MICROPYTHON:
            raise InstallError(
                f"The board at {self.port} has MicroPython {version[0]}.{version[1]}; it must be 1.22 or later: "
                "copy a newer .uf2 file onto it (BOOTSEL)."
            )
        say(f"{answer[3].strip()}, MicroPython {version[0]}.{version[1]}, at {self.port}")
        return answer[2] == "True"

    def copy_all(self, pins: Path | None) -> None:
        """All files; the one that starts the firmware comes last."""
        files = [str(path) for path in firmware_files()]
        package = [str(PROTOCOL.with_name("__init__.py")), str(PROTOCOL)]
        settings = [] if pins is None else ["+", "fs", "cp", str(pins), f":{FILE_NAME}"]
        self._mpremote(
            *("exec", MAKE_FOLDERS),
            *("+", "fs", "cp", *package, ":firmware_bridge/"),
            *("+", "fs", "cp", *files, ":firmware_bridge/firmware/"),
            *settings,
            *("+", "fs", "cp", str(FIRMWARE / MAIN), f":{MAIN}"),
            *("+", "reset"),
        )

    def _mpremote(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "mpremote", "connect", self.port, *arguments]
        try:
            result = self._run(command)
        except subprocess.TimeoutExpired as error:
            raise InstallError(f"The board at {self.port} stopped answering: unplug it and try again.") from error
        if result.returncode != 0:
            said = (result.stderr.strip() or result.stdout.strip() or "nothing").splitlines()[-1]
            raise InstallError(
                f"mpremote could not talk to the board at {self.port} ({said}): stop the cabinet if it runs, "
                "else unplug the board and try again."
            )
        return result.stdout


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


def _check_pins(path: Path) -> None:
    try:
        read_pins(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InstallError(f"{path} cannot be read: {error}") from error
    except PinsError as error:
        raise InstallError(f"{path}: {error.text.removeprefix(FILE_NAME + ': ')}") from error


def _about_pins(pins: Path | None, has_pins: bool) -> str:
    if pins is not None:
        return ""
    return f" Its {FILE_NAME} was kept." if has_pins else " It has the usual pins."
