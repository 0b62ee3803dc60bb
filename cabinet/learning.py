"""Learning the buttons by pressing them, one after the other. Pure: what is asked, what is taken, what is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from cabinet.buttons.edges import Line
from cabinet.buttons.encoder_codes import name_of
from cabinet.buttons.encoder_contacts import Contact
from cabinet.buttons.lines import OPTIONAL_LINES, PANEL_LINES
from cabinet.line_names import line_name
from cabinet.settings_edit import Devices

ASKED: Final[tuple[Line, ...]] = (*PANEL_LINES, *OPTIONAL_LINES)

DEAF_NS: Final = 300_000_000
"""After a press nothing is taken for so long: it bounces, and some encoders report one button as two."""


class Switch(msgspec.Struct, frozen=True):
    """A contact of one device."""

    device: str
    """The path by which it is found again."""
    contact: Contact


class Learner:
    """Asks for each button in turn. Not thread-safe."""

    def __init__(self, known: Devices | None = None, lines: tuple[Line, ...] = ASKED) -> None:
        """`known`: what the settings say already; it stays for the buttons that are skipped."""
        self._lines = lines
        self._known = known or {}
        self._at = 0
        self._learned: dict[Line, Switch] = {}
        self._deaf_until_ns: int | None = None

    @property
    def asked(self) -> Line | None:
        """The button that is asked for; None at the end."""
        return self._lines[self._at] if self._at < len(self._lines) else None

    @property
    def learned(self) -> int:
        """How many buttons were taken."""
        return len(self._learned)

    def question(self) -> str:
        """What to ask now; empty at the end."""
        if self.asked is None:
            return ""
        place = f"{self._at + 1} of {len(self._lines)}"
        return f"{line_name(self.asked)}: press it now ({place})"

    def press(self, switch: Switch, device_name: str, t_ns: int) -> str | None:
        """A switch was closed at `t_ns`: what to say, or None when it was not taken for a press."""
        if self.asked is None or (self._deaf_until_ns is not None and t_ns < self._deaf_until_ns):
            return None
        self._deaf_until_ns = t_ns + DEAF_NS
        name = name_of(switch.contact)
        for line, taken in self._learned.items():
            if taken == switch and line != self.asked:
                return (
                    f"{name} is {line_name(line)} already: press another for {line_name(self.asked)}, or go back"
                )
        said = f"{line_name(self.asked)} is {name} of {device_name}"
        self._learned[self.asked] = switch
        self._at += 1
        return said

    def skip(self) -> str:
        """Goes on to the next button; what to say."""
        line = self.asked
        if line is None:
            return ""
        self._at += 1
        if (code := self._known_code(line)) is not None:
            return f"{line_name(line)} stays {code}, as in the settings"
        return f"{line_name(line)} is left out"

    def back(self) -> str:
        """Goes back to the button before, and forgets what was taken for it; what to say."""
        if self._at == 0:
            return "This is the first button"
        self._at -= 1
        self._learned.pop(self._lines[self._at], None)
        self._deaf_until_ns = None
        return f"Back to {line_name(self._lines[self._at])}"

    def devices(self) -> dict[str, dict[str, Line]]:
        """What belongs into the settings: what was learned, and all of the known that does not contradict it."""
        codes = {line: (switch.device, name_of(switch.contact)) for line, switch in self._learned.items()}
        taken = set(codes.values())
        found: dict[str, dict[str, Line]] = {}
        for device, table in self._known.items():
            for code, line in table.items():
                if line not in codes and (device, code) not in taken:
                    found.setdefault(device, {})[code] = line
        for line, (device, code) in codes.items():
            found.setdefault(device, {})[code] = line
        return {device: dict(sorted(table.items(), key=_in_order)) for device, table in sorted(found.items())}

    def _known_code(self, line: Line) -> str | None:
        taken = {(switch.device, name_of(switch.contact)) for switch in self._learned.values()}
        for device, table in self._known.items():
            for code, known in table.items():
                if known == line and (device, code) not in taken:
                    return code
        return None


def _in_order(entry: tuple[str, Line]) -> tuple[int, Line]:
    line = entry[1]
    return (ASKED.index(line) if line in ASKED else len(ASKED), line)


def summary(devices: Mapping[str, Mapping[str, Line]]) -> str:
    """``12 buttons on 2 encoders``."""
    buttons = sum(len(table) for table in devices.values())
    encoders = len(devices)
    return f"{buttons} button{'s' * (buttons != 1)} on {encoders} encoder{'s' * (encoders != 1)}"
