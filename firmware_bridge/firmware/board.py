"""The microcontroller: a Raspberry Pi Pico, Pico 2, or another board with RP2040 or RP2350 on MicroPython.

The only files that touch hardware are this one and samples.py, with the addresses in registers.py.
"""

import gc
import os
import select
import struct
import sys
import time

import machine
import micropython

from firmware_bridge.firmware.pins import FILE_NAME, USABLE
from firmware_bridge.firmware.registers import CLEAR_BITS, WATCHDOG_ENABLE, Addresses
from firmware_bridge.firmware.samples import PioSamples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_bridge.firmware.hardware import Samples

CRASH_FILE = "crash.txt"
AT_WORK = 0x5B17AB1E
CRASHED = 0x5B17DEAD
"""In the word that outlives a reset: the loop was running; it ended by a mistake of the program."""

LAMP_HZ = 1000
MOST_READ = 256


class UsbPort:
    """The USB serial line that carries MicroPython's prompt, too."""

    def __init__(self) -> None:
        self._in = select.poll()
        self._in.register(sys.stdin, select.POLLIN)
        self._out = select.poll()
        self._out.register(sys.stdout, select.POLLOUT)

    def read(self) -> bytes:
        """The bytes that have come."""
        if not self._in.poll(0):
            return b""
        data = bytearray()
        while len(data) < MOST_READ and self._in.poll(0):
            data += sys.stdin.buffer.read(1)
        return bytes(data)

    def is_ready(self) -> bool:
        """Whether a host has opened the line and there is room."""
        return bool(self._out.poll(0))

    def write(self, data: "bytes | memoryview") -> int:
        """All of it, or nothing when there is no room.

        When there is less than it needs, the line waits for the host, half a second at most; the capture goes on.
        """
        if not self.is_ready():
            return 0
        sys.stdout.buffer.write(data)
        return len(data)


class PicoBoard:
    """See hardware.py for what each name means."""

    def __init__(self) -> None:
        self.name = str(sys.implementation._machine)  # noqa: SLF001
        self._addresses = Addresses("RP2350" in self.name)
        self.unique_id = struct.unpack("<Q", (machine.unique_id() + bytes(8))[:8])[0]
        self.port = UsbPort()
        before = machine.mem32[self._addresses.scratch]
        self.was_reset = before in (AT_WORK, CRASHED) and machine.reset_cause() == machine.WDT_RESET
        self.crash = read_text(CRASH_FILE) if before == CRASHED else ""
        self._watchdog: machine.WDT | None = None
        self._lamps: list[machine.PWM] = []
        self._lamp_gpios: list[int] = []
        try:
            self._led = machine.Pin("LED", machine.Pin.OUT, value=0)
        except (TypeError, ValueError):
            self._led = None
        micropython.kbd_intr(-1)

    def ticks_us(self) -> int:
        """The low 30 bits of the chip's timer."""
        return int(time.ticks_us())  # type: ignore[attr-defined]

    def draw_id(self) -> int:
        """32 bits from the chip's random number generator."""
        return int(struct.unpack("<I", os.urandom(4))[0])

    def pins_text(self) -> str:
        """What pins.json holds."""
        return read_text(FILE_NAME)

    def start_samples(self, gpios: "list[int]") -> "Samples":
        """To be called after `start_lamps`: setting up a line for a lamp would let the capture see it."""
        return PioSamples(gpios, [gpio for gpio in USABLE if gpio not in gpios], self._addresses)

    def start_lamps(self, gpios: "list[int]") -> None:
        """Outputs with a duty cycle, dark."""
        self._lamps = [machine.PWM(machine.Pin(gpio), freq=LAMP_HZ, duty_u16=0) for gpio in gpios]

    def set_lamp(self, index: int, duty: int) -> None:
        """Sets one lamp's duty cycle."""
        self._lamps[index].duty_u16(duty)

    def set_led(self, is_lit: bool) -> None:
        """The light on the board; boards without one stay dark."""
        if self._led is not None:
            self._led.value(is_lit)

    def start_watchdog(self, timeout_ms: int) -> None:
        """The hardware's own."""
        machine.mem32[self._addresses.scratch] = AT_WORK
        self._watchdog = machine.WDT(timeout=timeout_ms)

    def feed_watchdog(self) -> None:
        """A sign of life."""
        if self._watchdog is not None:
            self._watchdog.feed()

    def stop_watchdog(self) -> None:
        """Also takes Ctrl-C for what it means to MicroPython again."""
        machine.mem32[self._addresses.watchdog + CLEAR_BITS] = WATCHDOG_ENABLE
        machine.mem32[self._addresses.scratch] = 0
        self._watchdog = None
        micropython.kbd_intr(3)

    def tidy(self) -> None:
        """Collects garbage."""
        gc.collect()

    def keep_crash(self, text: str) -> None:
        """Writes down why the firmware ended; what is written already is not written again, to spare the flash."""
        machine.mem32[self._addresses.scratch] = CRASHED
        if read_text(CRASH_FILE) != text:
            with open(CRASH_FILE, "w") as file:
                file.write(text)


def read_text(name: str) -> str:
    """What a file holds; empty when there is none."""
    try:
        with open(name) as file:
            return file.read()
    except OSError:
        return ""
