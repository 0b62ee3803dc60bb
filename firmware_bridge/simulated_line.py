"""Serial lines to a device in software: in virtual time, or a pseudo terminal; and what goes wrong on lines."""

from __future__ import annotations

import errno
import os
import pty
import select
import tty
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Annotated, Final

import msgspec

ROOM: Final = 512
"""Bytes that a line takes before anybody reads them."""

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """How bad a line is."""

    garbled: Share = 0.0
    """Share of frames with a wrong byte."""
    cut: Share = 0.0
    """Share of frames that lack a byte."""
    shortest_us: int = 100
    longest_us: int = 1_000
    """How long a frame takes, in virtual time: it waits for the next poll of the bus."""
    stalled: Share = 0.0
    """Share of frames, in virtual time, that wait for 1 to 20 ms more, and all behind them."""

    def spoilt(self, data: bytes, chance: Random) -> bytes:
        """What arrives of a frame."""
        if data and self.garbled and chance.random() < self.garbled:
            place = chance.randrange(len(data))
            data = data[:place] + bytes([data[place] ^ chance.randrange(1, 256)]) + data[place + 1 :]
        if data and self.cut and chance.random() < self.cut:
            place = chance.randrange(len(data))
            data = data[:place] + data[place + 1 :]
        return data


class _Way:
    """One direction of a line in virtual time."""

    def __init__(self, chance: Random, faults: Faults) -> None:
        self.stalled_until_ns = 0
        self._chance = chance
        self._faults = faults
        self._coming: deque[tuple[int, bytes]] = deque()
        self._last_ns = 0

    @property
    def size(self) -> int:
        """Bytes on their way."""
        return sum(len(data) for _, data in self._coming)

    def put(self, data: bytes, now_ns: int) -> None:
        faults = self._faults
        delay_ns = 1_000 * self._chance.randint(faults.shortest_us, faults.longest_us)
        if self._chance.random() < faults.stalled:
            delay_ns += self._chance.randint(1_000_000, 20_000_000)
        self._last_ns = max(self._last_ns, now_ns + delay_ns, self.stalled_until_ns)
        self._coming.append((self._last_ns, faults.spoilt(data, self._chance)))

    def get(self, now_ns: int) -> bytes:
        found = b""
        while self._coming and max(self._coming[0][0], self.stalled_until_ns) <= now_ns:
            found += self._coming.popleft()[1]
        return found


class VirtualLine:
    """A line in virtual time, as the device has it; `host` is its other end."""

    def __init__(self, device_ns: Callable[[], int], host_ns: Callable[[], int], chance: Random, faults: Faults):
        """The two clocks give host time, where the device is and where the host is."""
        self.is_cut = False
        """The plug was pulled."""
        self._device_ns = device_ns
        self._host_ns = host_ns
        self._to_device = _Way(chance, faults)
        self._to_host = _Way(chance, faults)

    def stall(self, until_ns: int) -> None:
        """Nothing arrives before that, in either direction; the device's writes are soon not taken."""
        self._to_device.stalled_until_ns = self._to_host.stalled_until_ns = until_ns

    def read(self) -> bytes:
        """What the device hears."""
        return b"" if self.is_cut else self._to_device.get(self._device_ns())

    def is_ready(self) -> bool:
        """Whether the device's bytes are taken."""
        return not self.is_cut and self._to_host.size < ROOM

    def write(self, data: bytes | memoryview) -> int:
        """The device says this."""
        if not self.is_ready():
            return 0
        self._to_host.put(bytes(data), self._device_ns())
        return len(data)

    def host_read(self) -> bytes:
        """What the host hears. Raises OSError when the plug was pulled."""
        self._check()
        return self._to_host.get(self._host_ns())

    def host_write(self, data: bytes) -> int:
        """The host says this. Raises OSError when the plug was pulled."""
        self._check()
        if self._to_device.size >= ROOM:
            return 0
        self._to_device.put(data, self._host_ns())
        return len(data)

    def _check(self) -> None:
        if self.is_cut:
            raise OSError(errno.EIO, "the plug was pulled")


class PtyLine:
    """A pseudo terminal, as the device has it; a host opens `path`. Used by the device's thread alone."""

    def __init__(self, chance: Random, faults: Faults) -> None:
        self._chance = chance
        self._faults = faults
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)

    def wait(self, for_s: float) -> None:
        """Waits for bytes."""
        select.select([self._master], [], [], for_s)

    def read(self) -> bytes:
        """What the device hears."""
        try:
            return self._faults.spoilt(os.read(self._master, 4_096), self._chance)
        except BlockingIOError:
            return b""

    def is_ready(self) -> bool:
        """Whether the device's bytes are taken."""
        return bool(select.select([], [self._master], [], 0)[1])

    def write(self, data: bytes | memoryview) -> int:
        """The device says this."""
        try:
            os.write(self._master, self._faults.spoilt(bytes(data), self._chance))
        except BlockingIOError:
            return 0
        return len(data)

    def close(self) -> None:
        """The plug is pulled."""
        os.close(self._master)
        os.close(self._slave)
