"""Serial ports: found by what is plugged in, opened for ourselves alone, read and written without waiting.

The only file that plays over pyserial; what it raises is an OSError, whatever happened to the plug.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import termios
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec
import serial
from serial.tools import list_ports

PICO_USB_ID: Final = (0x2E8A, 0x0005)
"""Vendor and product of boards with RP2040 or RP2350 under MicroPython."""

BAUD: Final = 115_200
"""For lines that are no USB."""

MOST_READ: Final = 4_096
"""Bytes taken at once: what the kernel holds of a line."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a bridge is looked for."""

    path: str | None = None
    """A serial port, or a link to one."""
    chip: str | None = None
    """The chip's number, as USB tells it, in small letters."""

    def __str__(self) -> str:
        return self.path or f"with the number {self.chip}"


class Port(Protocol):
    """An open serial port."""

    chip: str | None
    """The number of the chip behind it, where USB tells it."""

    def read(self, wait_s: float) -> bytes:
        """What has come; waits so long for the first byte. Raises OSError when the port is gone."""

    def write(self, data: bytes) -> int:
        """How many of the first bytes were taken; never waits. Raises OSError when the port is gone."""

    def close(self) -> None:
        """Lets go of it. May be called twice."""


class Ports(Protocol):
    """The computer's serial ports."""

    def find(self, place: Place) -> list[str]:
        """The paths at which the bridge of that place may be now, the likeliest first."""

    def open(self, path: str) -> Port:
        """Opens it for ourselves alone and throws away what lies there. Raises OSError."""


class SerialPorts:
    """The computer's serial ports, through pyserial."""

    def find(self, place: Place) -> list[str]:
        """As the protocol says: where its path leads, and wherever its chip is."""
        found = [place.path] if place.path is not None and os.path.exists(place.path) else []
        if place.chip is not None:
            found += [port.device for port in list_ports.comports() if _chip_of(port.serial_number) == place.chip]
        return found

    def open(self, path: str) -> Port:
        """As the protocol says."""
        return SerialPort(path)


class SerialPort:
    """One open port. pyserial's lock keeps out who asks for it, the kernel everybody else but root."""

    def __init__(self, path: str) -> None:
        """Raises OSError when it cannot be opened, or somebody else has it."""
        try:
            self._serial = serial.Serial(path, BAUD, exclusive=True, timeout=0)
            fcntl.ioctl(self._serial.fileno(), termios.TIOCEXCL)
            self._serial.reset_input_buffer()
        except termios.error as error:
            raise OSError(*error.args) from error
        self.chip = _chip_behind(path)

    def read(self, wait_s: float) -> bytes:
        """What has come. pyserial raises when a port is ready and has nothing: it is gone."""
        ready, _, _ = select.select([self._serial.fileno()], [], [], wait_s)
        return bytes(self._serial.read(MOST_READ)) if ready else b""

    def write(self, data: bytes) -> int:
        """What the kernel takes at once; pyserial's own `write` would wait for it."""
        _, writable, _ = select.select([], [self._serial.fileno()], [], 0)
        if not writable:
            return 0
        try:
            return os.write(self._serial.fileno(), data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        """Lets go of it, also for the kernel, which remembers as long as another end of the line is open.

        A line that is gone is nobody's.
        """
        if self._serial.is_open:
            with contextlib.suppress(OSError):
                fcntl.ioctl(self._serial.fileno(), termios.TIOCNXCL)
        self._serial.close()


def picos() -> list[Place]:
    """Where boards with a Pico's USB id under MicroPython are plugged in."""
    ports = sorted(list_ports.comports(), key=lambda port: str(port.device))
    return [
        Place(chip=chip) if (chip := _chip_of(port.serial_number)) else Place(path=port.device)
        for port in ports
        if (port.vid, port.pid) == PICO_USB_ID
    ]


def named(devices: Sequence[str]) -> list[Place]:
    """The places that the settings name."""
    return [Place(path=one) if one.startswith("/") else Place(chip=one.lower()) for one in devices]


def _chip_behind(path: str) -> str | None:
    real = os.path.realpath(path)
    return next((_chip_of(port.serial_number) for port in list_ports.comports() if port.device == real), None)


def _chip_of(serial_number: str | None) -> str | None:
    return serial_number.lower() if serial_number else None
