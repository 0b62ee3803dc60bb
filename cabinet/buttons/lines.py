"""The lines of the panel by name (HOUSE.md, The panel)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from cabinet.buttons.edges import Line

PANEL_LINES: Final[tuple[Line, ...]] = (
    *(f"{seat}.{button}" for seat in "ab" for button in ("1", "2", "3", "4", "5", "spit")),
    "service",
    "coin",
)
"""What every cabinet may wire: six buttons a seat, the owner's button and the coin switch."""

OPTIONAL_LINES: Final[tuple[Line, ...]] = ("a.left", "a.right", "b.left", "b.right")
"""The pile buttons, which a cabinet may have in addition."""

LAMP_LINES: Final[tuple[Line, ...]] = (*PANEL_LINES[:-2], *OPTIONAL_LINES)
"""The buttons that may have a lamp: those of the seats."""


def line_mistakes(table: str, lines: Iterable[Line], known: tuple[Line, ...]) -> list[str]:
    """One plain line for each name in a settings table that is no line of the panel."""
    return [
        f"{table}: {line!r} is no button of the panel; known are {', '.join(known)}"
        for line in lines
        if line not in known
    ]


def shared_mistakes(table: str, places: Mapping[Line, object], what: str) -> list[str]:
    """One plain line for each pin or key that a settings table gives to several buttons."""
    users: dict[object, list[Line]] = {}
    for line, place in places.items():
        users.setdefault(place, []).append(line)
    return [
        f"{table}: {' and '.join(lines)} share {what} {place}; give each a {what} of its own"
        for place, lines in users.items()
        if len(lines) > 1
    ]
