"""Which button and lamp is on which GPIO of the Raspberry Pi's 40-pin header."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from cabinet.buttons.edges import Line
from cabinet.buttons.lines import LAMP_LINES, OPTIONAL_LINES, PANEL_LINES, line_mistakes, shared_mistakes

HEADER_LABELS: Final = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""The chips behind the 40-pin header (Pi 5, Pi 4, older); their numbers change with the kernel."""

RESERVED_PINS: Final = {
    **dict.fromkeys((0, 1), "reads the identity of expansion boards"),
    **dict.fromkeys((14, 15), "is the serial console"),
    **dict.fromkeys((18, 19, 20, 21), "is digital sound"),
}
"""GPIO numbers that stay free, and why."""

_Gpio = Annotated[int, msgspec.Meta(ge=0, le=27)]


def _default_pins() -> dict[Line, int]:
    return {
        "a.1": 4, "b.1": 5, "b.2": 6, "a.2": 7, "a.3": 8, "b.3": 9, "b.4": 10, "a.4": 11, "a.5": 12, "b.5": 13,
        "b.spit": 16, "a.spit": 17, "service": 2, "coin": 3,
    }  # fmt: skip


class GpioSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which button is on which GPIO, and how well its edges are known. Buttons connect their GPIO to ground."""

    pins: dict[Line, _Gpio] = msgspec.field(default_factory=_default_pins)
    """GPIO number of each button. The same button of both seats lies on neighbours, and which seat has the lower
    number alternates, because edges within one interrupt are stamped in order of the number."""
    lamps: dict[Line, _Gpio] = msgspec.field(default_factory=lambda: {"a.spit": 22, "b.spit": 23})
    """GPIO number of each lamp's driver; any button of a seat may have one. 9 to 27 idle low, so that a lamp is
    dark until the game runs."""
    err_us: Annotated[int, msgspec.Meta(ge=0, le=5_000)] = 100
    """Microseconds by which a stamp may be wrong: interrupt latency on a Pi, until measured."""
    merge_us: Annotated[int, msgspec.Meta(ge=0, le=5_000)] = 200
    """Microseconds within which two edges of a line may become one, stamped with the later, because the kernel's
    thread has not taken the first one yet. Where edges are known to be missing, errors grow by as much at most; it
    rises by itself when edges are seen to overtake each other by more."""
    settle_ms: Annotated[int, msgspec.Meta(ge=0, le=5_000)] = 300
    """Milliseconds after the claim in which edges are ignored: lines idle low until they are claimed."""
    slack_us: Annotated[int, msgspec.Meta(ge=0, le=50_000)] = 0
    """Microseconds for an edge to be delivered, to start with; 0: by the kind of pins (gpio-chip 2000, lgpio
    3000, mock 2000)."""
    slack_limit_us: Annotated[int, msgspec.Meta(ge=1_000, le=100_000)] = 15_000
    """Microseconds that the slack may grow to when edges are delivered late."""

    def mistakes(self) -> tuple[str, ...]:
        """What is wrong with the tables, one plain line each."""
        found = line_mistakes("pins", self.pins, PANEL_LINES + OPTIONAL_LINES)
        found += line_mistakes("lamps", self.lamps, LAMP_LINES)
        used = {**self.pins, **{f"the lamp of {line}": pin for line, pin in self.lamps.items()}}
        found += shared_mistakes("pins", used, "GPIO")
        found += [
            f"pins: {line} is on GPIO {pin}, which {RESERVED_PINS[pin]}; use one of 2-13, 16, 17, 22-27"
            for line, pin in used.items()
            if pin in RESERVED_PINS
        ]
        return tuple(found)
