"""Input devices of the kernel, through evdev: opened for us alone, on CLOCK_MONOTONIC.

Asked and read as linux/input.h says, so that nothing has to be installed. `Inputs` and `InputDevice` are all that
the source needs of them: tests can stand in for the kernel.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
from pathlib import Path
from struct import Struct
from typing import Final, Protocol

from cabinet.buttons.edges import SourceError
from cabinet.buttons.encoder_codes import ABS_MAX, KEY_MAX
from cabinet.buttons.encoder_contacts import EV_ABS, EV_KEY, DeviceState, InputEvent
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.encoder_timing import Timing, timing_of

MOST_EVENTS: Final = 64
"""As many events are read from a device at once."""

DEVICES: Final = Path("/dev/input")
BY_PATH: Final = DEVICES / "by-path"

_EVENT: Final = Struct("@llHHi")
"""``struct input_event`` on a 64-bit kernel: seconds, microseconds, type, code, value."""
_AXIS: Final = Struct("@6i")
"""``struct input_absinfo``: value, least, greatest, fuzz, flat, resolution."""
_INT: Final = Struct("@i")
_NAME_LENGTH: Final = 256

_WRITES, _READS = 1, 2
_GET_NAME, _GET_KEYS, _GET_KINDS, _GET_AXIS, _GRAB, _SET_CLOCK = 0x06, 0x18, 0x20, 0x40, 0x90, 0xA0
"""Numbers of the requests EVIOCGNAME, EVIOCGKEY, EVIOCGBIT, EVIOCGABS, EVIOCGRAB and EVIOCSCLOCKID."""
_CLOCK_MONOTONIC: Final = 1

_NS_IN_S: Final = 1_000_000_000
_NS_IN_US: Final = 1_000


class InputDevice(Protocol):
    """One open input device. Not thread-safe."""

    path: str
    """As it was opened."""
    name: str
    """As it calls itself."""
    keys: frozenset[int]
    """The keys it has."""
    axes: dict[int, tuple[int, int]]
    """The axes it has, with the least and the greatest value of each."""
    timing: Timing

    def read(self) -> list[InputEvent]:
        """The oldest events, all that wait or `MOST_EVENTS`; without waiting. Raises OSError when it is gone."""

    def state(self) -> DeviceState:
        """Its switches as they are now. Raises OSError when it is gone."""

    def close(self) -> None:
        """Let go of it. May be called twice."""


class Inputs(Protocol):
    """The computer's input devices. Not thread-safe."""

    def open(self, path: str, settings: EncoderSettings, *, for_us_alone: bool = True) -> InputDevice:
        """Open a device on CLOCK_MONOTONIC; `for_us_alone`: what it sends goes nowhere else.

        Raises FileNotFoundError or another OSError when it is not there, SourceError with one plain line when it
        cannot be used.
        """

    def is_there(self, path: str) -> bool:
        """Whether such a device is plugged in."""

    def places(self) -> list[str]:
        """The paths of all devices that are plugged in, each by its plug where it has one."""

    def wait(self, timeout_ms: int) -> frozenset[str]:
        """The paths of the open devices that can be read, or are gone; waits at most so long for one."""


class KernelInputs:
    """See `Inputs`."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._paths: dict[int, str] = {}

    def open(self, path: str, settings: EncoderSettings, *, for_us_alone: bool = True) -> InputDevice:
        """See `Inputs`."""
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except PermissionError as error:
            raise SourceError(no_permission(path)) from error
        try:
            _tell(fd, _SET_CLOCK, _CLOCK_MONOTONIC)
            if for_us_alone:
                _grab(fd, path)
            opened = _OpenDevice(self, fd, path, settings)
        except OSError as error:
            os.close(fd)
            if error.errno in (errno.ENOTTY, errno.EINVAL):
                raise SourceError(f"{path} is no input device; those are in {BY_PATH}") from error
            raise
        except SourceError:
            os.close(fd)
            raise
        self._paths[fd] = path
        self._poll.register(fd, select.POLLIN)
        return opened

    def is_there(self, path: str) -> bool:
        """See `Inputs`."""
        return os.path.exists(path)

    def places(self) -> list[str]:
        """See `Inputs`."""
        nodes = sorted(DEVICES.glob("event*"), key=lambda node: (len(node.name), node.name))
        return [place_of(node) or str(node) for node in nodes]

    def wait(self, timeout_ms: int) -> frozenset[str]:
        """See `Inputs`."""
        return frozenset(self._paths[fd] for fd, _ in self._poll.poll(timeout_ms))

    def forget(self, fd: int) -> None:
        """A device is being closed."""
        del self._paths[fd]
        self._poll.unregister(fd)


class _OpenDevice:
    """See `InputDevice`."""

    def __init__(self, inputs: KernelInputs, fd: int, path: str, settings: EncoderSettings) -> None:
        self.path = path
        self.name = _ask(fd, _GET_NAME, _NAME_LENGTH).rstrip(b"\0").decode("utf-8", "replace") or "nameless"
        self.keys = _bits(_ask(fd, _GET_KINDS + EV_KEY, KEY_MAX // 8 + 1))
        self.axes = {
            axis: _ends(fd, axis) for axis in sorted(_bits(_ask(fd, _GET_KINDS + EV_ABS, ABS_MAX // 8 + 1)))
        }
        self.timing = timing_of(Path(path).resolve().name, settings)
        self._inputs = inputs
        self._fd: int | None = fd

    def read(self) -> list[InputEvent]:
        try:
            block = os.read(self._open_fd(), MOST_EVENTS * _EVENT.size)
        except BlockingIOError:
            return []
        return [
            (seconds * _NS_IN_S + micros * _NS_IN_US, kind, code, value)
            for seconds, micros, kind, code, value in _EVENT.iter_unpack(block)
        ]

    def state(self) -> DeviceState:
        fd = self._open_fd()
        keys = _bits(_ask(fd, _GET_KEYS, KEY_MAX // 8 + 1))
        return DeviceState(keys, {axis: _value(fd, axis) for axis in self.axes})

    def close(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            self._inputs.forget(fd)
            os.close(fd)

    def _open_fd(self) -> int:
        if self._fd is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._fd


def place_of(node: Path, by_path: Path = BY_PATH) -> str | None:
    """The name by which a device is found again, whatever number it has then: that of the plug it is in.

    None when it has none. Of several the shortest: newer systems name each USB plug twice.
    """
    try:
        links = [str(link) for link in by_path.iterdir() if link.resolve() == node]
    except OSError:
        return None
    return min(links, key=lambda link: (len(link), link), default=None)


def no_permission(path: str) -> str:
    """What to say, and to do, where a device may not be read."""
    return (
        f"no permission to read {path}; add the user to the group input: "
        "sudo usermod -aG input $USER, then log in anew"
    )


def _grab(fd: int, path: str) -> None:
    try:
        _tell(fd, _GRAB, 1)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        raise SourceError(f"{path} is held by another program; stop that program") from error


def _request(direction: int, number: int, size: int) -> int:
    """As ``_IOC`` of asm-generic/ioctl.h makes it; the requests of evdev are of the type ``E``."""
    return direction << 30 | size << 16 | ord("E") << 8 | number


def _tell(fd: int, number: int, value: int) -> None:
    """EVIOCGRAB takes its value itself, EVIOCSCLOCKID a pointer to it."""
    argument = value if number == _GRAB else _INT.pack(value)
    fcntl.ioctl(fd, _request(_WRITES, number, _INT.size), argument)


def _ask(fd: int, number: int, size: int) -> bytes:
    answer = bytearray(size)
    fcntl.ioctl(fd, _request(_READS, number, size), answer)
    return bytes(answer)


def _value(fd: int, axis: int) -> int:
    value: int = _AXIS.unpack(_ask(fd, _GET_AXIS + axis, _AXIS.size))[0]
    return value


def _ends(fd: int, axis: int) -> tuple[int, int]:
    _, least, greatest, *_ = _AXIS.unpack(_ask(fd, _GET_AXIS + axis, _AXIS.size))
    return least, greatest


def _bits(block: bytes) -> frozenset[int]:
    """The numbers of the bits that are set."""
    return frozenset(8 * place + bit for place, byte in enumerate(block) for bit in range(8) if byte >> bit & 1)
