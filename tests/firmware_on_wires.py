"""The firmware under MicroPython's Unix port, in real time: stdin and stdout are its line, a pipe its contacts.

Run by `micropython`, with the pipe's path. Three bytes on the pipe are a change: GPIO, 1 for closed or 0 for open,
and how many microseconds after the change before (0: now, but after it).
"""

import os
import select
import sys
import time

from firmware_bridge.firmware.loop import run
from tests.firmware_desk import PINS, RELEASED, SoftSamples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_READ = 256


class RealTicks:
    """The computer's own microseconds."""

    @property
    def now_us(self) -> int:
        return int(time.ticks_us())  # type: ignore[attr-defined]

    def __call__(self) -> int:
        return self.now_us


class StandardPort:
    def __init__(self) -> None:
        self._in = select.poll()
        self._in.register(sys.stdin, select.POLLIN)
        self._out = select.poll()
        self._out.register(sys.stdout, select.POLLOUT)

    def read(self) -> bytes:
        data = bytearray()
        while len(data) < MOST_READ and self._in.poll(0):
            letter = sys.stdin.buffer.read(1)
            if not letter:
                raise OSError("the other end of the line is gone")
            data += letter
        return bytes(data)

    def is_ready(self) -> bool:
        return bool(self._out.poll(0))

    def write(self, data: "bytes | memoryview") -> int:
        return sys.stdout.buffer.write(data) or 0


class WiredSamples(SoftSamples):
    """Contacts at the end of a pipe. Every look at the ring takes in what has come."""

    def __init__(self, path: str) -> None:
        self._pipe = open(path, "rb")  # noqa: SIM115 (open as long as the board lives)
        self._poll = select.poll()
        self._poll.register(self._pipe, select.POLLIN)
        self._last_us = 0
        super().__init__(RealTicks(), 4096)  # type: ignore[arg-type]

    def written(self) -> int:
        while self._poll.poll(0):
            gpio, is_closed, after_us = self._pipe.read(3)
            bit = 1 << gpio
            self.lines = self.lines & ~bit if is_closed else self.lines | bit
            self._last_us = self._last_us + after_us if after_us else max(self.ticks.now_us, self._last_us + 1)
            self._push(self._last_us)
        return self.count


class WiredBoard:
    name = "MicroPython on wires"
    unique_id = 0xB0A2D
    was_reset = False
    crash = ""

    def __init__(self, path: str) -> None:
        self.port = StandardPort()
        self._path = path
        self.ticks_us: Callable[[], int] = RealTicks()

    def draw_id(self) -> int:
        return int.from_bytes(os.urandom(4), "little")

    def pins_text(self) -> str:
        return PINS

    def start_samples(self, gpios: "list[int]") -> WiredSamples:
        assert all(RELEASED >> gpio & 1 for gpio in gpios)
        return WiredSamples(self._path)

    def start_lamps(self, gpios: "list[int]") -> None:
        pass

    def set_lamp(self, index: int, duty: int) -> None:
        pass

    def set_led(self, is_lit: bool) -> None:
        pass

    def start_watchdog(self, timeout_ms: int) -> None:
        pass

    def feed_watchdog(self) -> None:
        pass

    def stop_watchdog(self) -> None:
        pass

    def tidy(self) -> None:
        pass


if __name__ == "__main__":
    run(WiredBoard(sys.argv[1]))
