"""A bridge's device at its end of a USB line: the firmware's own code on a board in software.

A process of its own: orders come on stdin, one JSON object a line, and are answered on stdout, one JSON value a
line.
"""

from __future__ import annotations

import json
import os
import select
import sys
import tty
from random import Random
from typing import Any, Final

from firmware_bridge.firmware.loop import Firmware
from firmware_bridge.host_clocks import raw_ns
from firmware_bridge.simulated_board import SimulatedBoard
from firmware_bridge.simulator import usual_pins

CHIP: Final = "e66164084373532b"
PPM: Final = 30.0
"""How much the device's clock gains on the Pi's."""
TURN_S: Final = 0.000_5


class DeviceLine:
    """The line as the device has it. While it is unplugged, nothing comes; the device goes on."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._open()

    def _open(self) -> None:
        self._file = os.open(self._path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        tty.setraw(self._file)

    def wait(self, other: int, for_s: float) -> bool:
        """Waits for bytes; whether some are on the other file."""
        return other in select.select([self._file, other], [], [], for_s)[0]

    def read(self) -> bytes:
        try:
            data = os.read(self._file, 4_096)
        except BlockingIOError:
            return b""
        if not data:
            os.close(self._file)
            self._open()
        return data

    def is_ready(self) -> bool:
        return bool(select.select([], [self._file], [], 0)[1])

    def write(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self._file, data)
        except OSError:
            return 0


class Device:
    """Contacts move when they are due, whatever the loop does, and every look at the clock takes in which have."""

    def __init__(self, path: str) -> None:
        self._line = DeviceLine(path)
        self._wired: SimulatedBoard | None = None
        self._board = SimulatedBoard(usual_pins(), self._line, self._look, Random(1), ppm=PPM)
        self._board.unique_id = int.from_bytes(bytes.fromhex(CHIP), "little")
        self._wired = self._board
        self._firmware = Firmware(self._board)

    def turn(self) -> None:
        self._firmware.turn()
        if self._line.wait(sys.stdin.fileno(), TURN_S):
            line = sys.stdin.readline()
            if not line:
                sys.exit()
            sys.stdout.write(json.dumps(self._obey(json.loads(line))) + "\n")
            sys.stdout.flush()

    def _look(self) -> int:
        now_ns = raw_ns()
        if self._wired is not None:
            self._wired.move_contacts(now_ns)
        return now_ns

    def _obey(self, order: dict[str, Any]) -> Any:
        if order["do"] == "move":
            for line, closed, at_ns in order["contacts"]:
                self._board.plan(line, closed, at_ns)
            return [self._board._clock.exact_ns(at_ns) for _, _, at_ns in order["contacts"]]
        if order["do"] == "boot":
            self._board.boot()
            self._firmware = Firmware(self._board)
        return sorted(line for line, duty in self._board.lamps.items() if duty)


def main() -> None:
    device = Device(sys.argv[1])
    while True:
        device.turn()


if __name__ == "__main__":
    main()
