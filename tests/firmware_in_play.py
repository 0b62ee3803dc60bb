"""The firmware under MicroPython's Unix port, with the wiring of a cabinet, whose contacts bounce on time.

Run by `micropython`, with three paths: the file of pins, a pipe for its contacts, and a pipe for its lamps. Four
bytes on the first pipe are a change: GPIO, 1 for closed or 0 for open, and how many microseconds after the change
before, as two bytes (0: now). It happens when its time has come, so that its stamp is that of the contact. Two
bytes on the second are a lamp: its place, and the upper half of its duty cycle.
"""

import sys
import time

from firmware_bridge.firmware.loop import run
from tests.firmware_on_wires import WiredBoard, WiredSamples

BYTES = 4
TURN_US = 100
"""What a turn of the loop costs, as on a board: a computer's core is not there for this alone."""


class PlannedSamples(WiredSamples):
    def __init__(self, path: str) -> None:
        self._planned: list[tuple[int, int, int]] = []
        super().__init__(path)

    def written(self) -> int:
        while self._poll.poll(0):
            self._plan(self._pipe.read(BYTES))
        while self._planned and self._planned[0][0] <= self.ticks.now_us:
            self._change(self._planned[0][0])
        return self.count

    def _plan(self, change: bytes) -> None:
        gpio, is_closed, low, high = change
        after_us = low + 256 * high
        due_us = self._told_us + after_us if after_us else max(self.ticks.now_us, self._last_us + 1)
        self._told_us = due_us
        self._planned.append((due_us, gpio, is_closed))
        self._planned.sort()

    _told_us = 0

    def _change(self, at_us: int) -> None:
        """All that changes in one microsecond is one sample."""
        while self._planned and self._planned[0][0] == at_us:
            _, gpio, is_closed = self._planned.pop(0)
            bit = 1 << gpio
            self.lines = self.lines & ~bit if is_closed else self.lines | bit
        self._last_us = at_us
        self._push(at_us)


class PlayedBoard(WiredBoard):
    name = "MicroPython in play"

    def __init__(self, pins: str, contacts: str, lamps: str) -> None:
        super().__init__(contacts)
        with open(pins) as file:
            self._pins = file.read()
        self._lamps = open(lamps, "wb")  # noqa: SIM115 (open as long as the board lives)

    def pins_text(self) -> str:
        return self._pins

    def start_samples(self, gpios: "list[int]") -> WiredSamples:  # noqa: ARG002 (a board's interface)
        return PlannedSamples(self._path)

    def set_lamp(self, index: int, duty: int) -> None:
        self._lamps.write(bytes((index, duty >> 8)))

    def feed_watchdog(self) -> None:
        time.sleep_us(TURN_US)  # type: ignore[attr-defined]


if __name__ == "__main__":
    run(PlayedBoard(sys.argv[1], sys.argv[2], sys.argv[3]))
