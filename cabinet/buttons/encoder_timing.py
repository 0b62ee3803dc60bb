"""How long it takes from a contact's closing to the kernel's stamp: that is how well the stamp is known.

USB: the host asks the encoder at fixed times, and the kernel stamps the answer. The encoder asks for an interval
(bInterval), which the kernel rounds down to a power of two: what asks for 10 ms is asked every 8 ms. So a contact
closed at any time in the interval before its stamp, or earlier still by as long as the encoder itself takes.

gpio-keys: the kernel stamps when the contact has been at rest for the debounce time, counted in jiffies of 4 ms:
up to one less than the whole ones that the time takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from cabinet.buttons.encoder_settings import EncoderSettings

SYSFS_INPUT: Final = Path("/sys/class/input")

UNKNOWN_POLL_US: Final = 8_000
"""Where nothing tells the interval: that of the slow encoders, most of the cheap ones."""

JIFFY_US: Final = 4_000
"""A tick of the kernel's timers at the 250 Hz of Raspberry Pi OS."""

KERNEL_DEBOUNCE_US: Final = 5_000
"""What gpio-keys waits for when the device tree does not say (debounce-interval)."""

_US: Final = 1_000
_STAMP_STEP_NS: Final = 1_000
"""Events have their stamps in whole microseconds."""
_MS_IN_US: Final = 1_000
_INTERVAL: Final = re.compile(r"(\d+)([mu])s")
_HUB_LEVELS: Final = 4
"""The interface is at most so many folders above the input device."""


class Timing(msgspec.Struct, frozen=True):
    """From a contact's movement to its stamp."""

    shortest_ns: int
    longest_ns: int
    way: str
    """What was found, for the log: ``USB, asked every 8 ms``."""

    @property
    def before_stamp_ns(self) -> int:
        """How long before its stamp a contact moved, most likely: the middle."""
        return (self.shortest_ns + self.longest_ns) // 2

    @property
    def err_ns(self) -> int:
        """The true instant is within plus or minus this of the middle."""
        return (self.longest_ns - self.shortest_ns + 1) // 2 + _STAMP_STEP_NS


def timing_of(node: str, settings: EncoderSettings, sysfs: Path = SYSFS_INPUT) -> Timing:
    """How well the stamps of an input device are known. `node`: its name in /dev/input, such as ``event3``.

    Never raises: what cannot be read is taken to be as bad as it usually is.
    """
    device = sysfs / node / "device" / "device"
    if _read_link(device / "driver") == "gpio-keys":
        debounce_us = _debounce_us(device)
        rest_us = -(-debounce_us // JIFFY_US) * JIFFY_US
        way = f"gpio-keys, at rest for {debounce_us / _MS_IN_US:g} ms"
        return Timing(max(0, rest_us - JIFFY_US) * _US, (rest_us + settings.bounce_us) * _US, way)
    found_us = _asked_for_us(device)
    poll_us = settings.poll_us or found_us or UNKNOWN_POLL_US
    way = "USB" if found_us else "of unknown kind"
    how = "as set by poll_us" if settings.poll_us else "as it asks for" if found_us else "taken for slow"
    way = f"{way}, asked every {poll_us / _MS_IN_US:g} ms, {how}"
    return Timing(0, (poll_us + settings.device_us) * _US, way)


def _asked_for_us(device: Path) -> int | None:
    """The interval in which the USB host asks, from the interface that the device hangs on."""
    try:
        folder = device.resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    for interface in (folder, *list(folder.parents)[:_HUB_LEVELS]):
        if intervals := list(_interrupt_intervals(interface)):
            return max(intervals)
    return None


def _interrupt_intervals(interface: Path) -> Iterable[int]:
    for endpoint in sorted(interface.glob("ep_*")):
        if _read(endpoint / "type") != "Interrupt" or _read(endpoint / "direction") != "in":
            continue
        if found := _INTERVAL.fullmatch(_read(endpoint / "interval")):
            interval_us = int(found[1]) * (_MS_IN_US if found[2] == "m" else 1)
            yield _power_of_two_ms(interval_us) if interval_us >= _MS_IN_US else interval_us


def _power_of_two_ms(interval_us: int) -> int:
    return (1 << ((interval_us // _MS_IN_US).bit_length() - 1)) * _MS_IN_US


def _debounce_us(device: Path) -> int:
    """The longest of the device's keys, from the device tree."""
    found = []
    for path in sorted((device / "of_node").glob("*/debounce-interval")):
        try:
            found.append(int.from_bytes(path.read_bytes(), "big") * _MS_IN_US)
        except OSError:
            continue
    return max(found, default=KERNEL_DEBOUNCE_US)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _read_link(path: Path) -> str:
    try:
        return path.readlink().name
    except OSError:
        return ""
