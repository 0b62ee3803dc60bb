"""Which button is which key of which input device, and how well its stamps are known."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from cabinet.buttons.edges import Line
from cabinet.buttons.encoder_codes import code_mistake
from cabinet.buttons.lines import OPTIONAL_LINES, PANEL_LINES, line_mistakes

EXAMPLE: Final = (
    '[encoder.devices."/dev/input/by-path/platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.1:1.0-event-joystick"]',
    'BTN_TRIGGER = "a.1"',
    '"ABS_X-" = "a.left"',
)
"""How a settings file names an encoder."""


class EncoderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Buttons on USB encoders, on keyboard encoders and on the kernel's gpio-keys."""

    devices: dict[str, dict[str, Line]] = msgspec.field(default_factory=dict)
    """For each encoder, by its place in /dev/input/by-path, which of its keys and axes is which button;
    `spit-cabinet buttons --learn` writes it. Two encoders of one kind have one name, but each its own place."""
    poll_us: Annotated[int, msgspec.Meta(ge=0, le=50_000)] = 0
    """Microseconds from one question of the USB host to the next; 0: as the encoder asks for it (its bInterval),
    or 8000 where that cannot be read. With usbhid.jspoll=1 on the kernel's command line it is 1000, whatever a
    joystick asks for."""
    device_us: Annotated[int, msgspec.Meta(ge=0, le=50_000)] = 1_000
    """Microseconds that an encoder itself may take to notice a contact; what all encoders in use take in any case
    need not be counted."""
    bounce_us: Annotated[int, msgspec.Meta(ge=0, le=50_000)] = 5_000
    """Microseconds for which a switch may bounce. Only for gpio-keys: the kernel stamps when a contact has been at
    rest for its debounce time."""

    def mistakes(self) -> tuple[str, ...]:
        """What is wrong with the tables, one plain line each."""
        found = [
            f"devices: {path} is no path of an input device; it begins with /dev/input/"
            for path in self.devices
            if not path.startswith("/")
        ]
        used: dict[Line, object] = {}
        for path, table in self.devices.items():
            found += [f"devices: {path}: {text}" for text in map(code_mistake, table) if text]
            found += line_mistakes(f"devices: {path}", table.values(), PANEL_LINES + OPTIONAL_LINES)
            for code, line in table.items():
                if line in used:
                    found.append(
                        f"devices: {path}: {code} and {used[line]} are both {line}; take one of them away"
                    )
                used[line] = f"{code} of {path}"
        return tuple(found)
