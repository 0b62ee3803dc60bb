"""Where the bridges are plugged in."""

from __future__ import annotations

import re
from typing import Final

import msgspec

_CHIP_ID: Final = re.compile(r"[0-9A-Fa-f]{16}")


class BridgeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Buttons and lamps on microcontrollers with the cabinet's firmware (firmware_bridge/PROTOCOL.md)."""

    devices: tuple[str, ...] = ()
    """Each bridge by its chip's number, 16 hexadecimal digits as in the names of /dev/serial/by-id, or by its
    serial port: `["e66164084373532b"]` or `["/dev/serial/by-id/usb-…-if00"]`. What is named here is played on
    without `--source bridge`. Empty: with `--source bridge`, every board on USB that has a Pico's USB id under
    MicroPython, 2e8a:0005."""

    def mistakes(self) -> tuple[str, ...]:
        """What is wrong with the list, one plain line each."""
        found = [
            f"devices: {device!r} is no bridge; name a serial port (/dev/serial/by-id/…) or a chip's 16 digits"
            for device in self.devices
            if not device.startswith("/") and not _CHIP_ID.fullmatch(device)
        ]
        known = [device.lower() for device in self.devices]
        found += [
            f"devices: {device!r} is named twice; take one of them away"
            for index, device in enumerate(known)
            if device in known[:index]
        ]
        return tuple(found)
