"""What an owner calls the buttons: by the seats' colours, as on the screen."""

from __future__ import annotations

from typing import Final

from cabinet.buttons.edges import Line
from display.text import SEAT_NAMES

_SEATS: Final[dict[str, str]] = dict(SEAT_NAMES.items())


def line_name(line: Line) -> str:
    """``a.1``: AMBER 1; ``b.spit``: CYAN SPIT; ``service``: SERVICE."""
    seat, _, button = line.rpartition(".")
    return f"{_SEATS[seat]} {button.upper()}" if seat else button.upper()
