"""The lines of all buttons on the kernel's GPIO character device, through libgpiod.

The chip is found by its label: its number is another one with every model and kernel. Chip, claim and levels are
libgpiod's; the events are read from the claim's file as the kernel writes them, because libgpiod's own objects
take too long to make for chattering switches: 2.1 µs an event, measured on a PC, where this takes 0.09.
"""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Mapping
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, Protocol

from cabinet.buttons.edges import Line, SourceError
from cabinet.buttons.gpio_pins import HEADER_LABELS
from cabinet.buttons.sequence import RawEvent

if TYPE_CHECKING:
    import gpiod

BUFFER_EVENTS: Final = 1_024
"""The most that kernel and libgpiod keep for one claim."""

CONSUMER: Final = "spit-cabinet"

DEVICES: Final = Path("/dev")

_EVENT: Final = Struct("=QIIII24x")
"""``struct gpio_v2_line_event`` of linux/gpio.h: stamp, kind, offset, number in the claim, number in the line."""

_NAMED: Final = 3


class KernelLines(Protocol):
    """All lines of the cabinet in one claim. Not thread-safe."""

    def wait(self, timeout_ns: int) -> bool:
        """Whether there is something to read, waiting for it at most so long; also when the lines are gone.

        May as well raise OSError then.
        """

    def read(self) -> list[RawEvent]:
        """The oldest events, as queued: all of them, or `BUFFER_EVENTS`. To be called only when `wait` says so.

        Raises OSError when the lines are gone.
        """

    def levels(self) -> Mapping[Line, bool]:
        """Which contacts are closed now. Raises OSError when the lines are gone."""

    def close(self) -> None:
        """Let go of the lines. May be called twice."""


class NoChipError(SourceError):
    """There is no chip that could be used at all, or nothing to use it with."""


def open_lines(pins: Mapping[Line, int]) -> KernelLines:
    """Claims the lines as inputs with pull-ups, closed to ground, both edges, no debounce, CLOCK_MONOTONIC.

    `pins`: GPIO number by line. Raises SourceError with one plain line.
    """
    gpiod = _import_gpiod()
    path = find_chip()
    try:
        with gpiod.Chip(str(path)) as chip:
            return _ClaimedLines(_claim(gpiod, chip, pins), pins)
    except (OSError, ValueError) as error:
        raise SourceError(f"the GPIO chip {path} cannot be used: {error}") from error


def find_chip() -> Path:
    """The device of the chip behind the 40-pin header.

    Raises NoChipError when there is none, or it may not be opened; SourceError when there are several.
    """
    gpiod = _import_gpiod()
    found, looked_at, forbidden = [], [], []
    for path in sorted({path.resolve() for path in DEVICES.glob("gpiochip*")}):
        looked_at.append(path)
        try:
            if _label(gpiod, path) in HEADER_LABELS:
                found.append(path)
        except PermissionError:
            forbidden.append(path)
        except OSError:
            continue
    if len(found) == 1:
        return found[0]
    if found:
        raise SourceError(
            f"{len(found)} GPIO chips look like the header of a Raspberry Pi ({_listed(found)}); "
            "take away what adds the other one"
        )
    if forbidden:
        raise NoChipError(
            f"no permission to use {_listed(forbidden)}; add the user to the group gpio: "
            "sudo usermod -aG gpio $USER, then log in anew"
        )
    raise NoChipError(
        f"no GPIO header of a Raspberry Pi was found (looked at {_listed(looked_at) or 'no /dev/gpiochip*'}); "
        "on a Pi add the user to the group gpio, elsewhere use the keyboard or the mock"
    )


class _ClaimedLines:
    """See `KernelLines`."""

    def __init__(self, request: gpiod.LineRequest, pins: Mapping[Line, int]) -> None:
        self._request = request
        self._pins = dict(pins)

    def wait(self, timeout_ns: int) -> bool:
        return bool(select.select([self._request.fd], (), (), timeout_ns / 1_000_000_000)[0])

    def read(self) -> list[RawEvent]:
        return list(_EVENT.iter_unpack(os.read(self._request.fd, BUFFER_EVENTS * _EVENT.size)))

    def levels(self) -> dict[Line, bool]:
        values = self._request.get_values(list(self._pins.values()))
        return {line: bool(value.value) for line, value in zip(self._pins, values, strict=True)}

    def close(self) -> None:
        self._request.release()


def _claim(gpiod: Any, chip: gpiod.Chip, pins: Mapping[Line, int]) -> gpiod.LineRequest:
    line = gpiod.line
    settings = gpiod.LineSettings(
        direction=line.Direction.INPUT,
        edge_detection=line.Edge.BOTH,
        bias=line.Bias.PULL_UP,
        active_low=True,
        event_clock=line.Clock.MONOTONIC,
    )
    try:
        return chip.request_lines(
            config={tuple(pins.values()): settings}, consumer=CONSUMER, event_buffer_size=BUFFER_EVENTS
        )
    except OSError as error:
        if error.errno == errno.EBUSY and (holders := _holders(chip, pins)):
            raise SourceError(
                f"{holders}; stop the program that uses it, or give the button another GPIO"
            ) from error
        raise


def _holders(chip: gpiod.Chip, pins: Mapping[Line, int]) -> str:
    """Which lines are taken, and by whom, as far as the kernel tells."""
    taken = []
    for line, number in pins.items():
        info = chip.get_line_info(number)
        if info.used:
            taken.append(f"GPIO {number} ({line}) is held by {info.consumer!r}")
    more = len(taken) - _NAMED
    return ", ".join(taken[:_NAMED]) + (f", and {more} more" if more > 0 else "")


def _label(gpiod: Any, path: Path) -> str:
    if not gpiod.is_gpiochip_device(str(path)):
        return ""
    with gpiod.Chip(str(path)) as chip:
        label: str = chip.get_info().label
        return label


def _listed(paths: list[Path]) -> str:
    return ", ".join(map(str, paths))


def _import_gpiod() -> Any:
    try:
        import gpiod  # noqa: PLC0415 - is not everywhere
    except ImportError as error:
        raise NoChipError(f"gpiod is not installed ({error}); start deploy/play.sh, which installs it") from error
    return gpiod
