"""The firmware under MicroPython's Unix port, with the wiring of a cabinet, whose contacts bounce on time.

Run by `micropython`, with three paths: the file of pins, a pipe for its contacts, and a pipe for its lamps. Ten
bytes on the first pipe are a change: GPIO, 1 for closed or 0 for open, and the microsecond of the computer's clock
at which it happens, which has not come yet when they are written. Its stamp is that, as hardware samples whatever
the processor does. Two bytes on the second pipe are a lamp: its place, and the upper half of its duty cycle.
"""

import sys
import time

from firmware_bridge.firmware.loop import run
from tests.firmware_on_wires import WiredBoard, WiredSamples

BYTES = 10
TURN_US = 100
"""What a turn of the loop costs, as on a board: a computer's core is not there for this alone."""


class PlannedSamples(WiredSamples):
    def __init__(self, path: str) -> None:
        self._planned: list[tuple[int, int, int]] = []
        super().__init__(path)

    def written(self) -> int:
        """What is written to the pipe from now on happens later."""
        now_us = self.ticks.now_us
        while self._poll.poll(0):
            change = self._pipe.read(BYTES)
            self._planned.append((int.from_bytes(change[2:], "little"), change[0], change[1]))
        self._planned.sort()
        while self._planned and self._planned[0][0] <= now_us:
            self._change(self._planned[0][0])
        return self.count

    def _change(self, at_us: int) -> None:
        """All that changes in one microsecond is one sample."""
        while self._planned and self._planned[0][0] == at_us:
            _, gpio, is_closed = self._planned.pop(0)
            bit = 1 << gpio
            self.lines = self.lines & ~bit if is_closed else self.lines | bit
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
