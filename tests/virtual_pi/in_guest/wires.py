"""The wires of the virtual Pi's header, moved quickly: each change with the times just before and after it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from cabinet.buttons.edges import Line

Moved = tuple[Line, bool, int, int]
"""Line, whether it closed, and the times around the change; the interrupt lies between them."""


class Wires:
    """Pull-ups and pull-downs of the simulator, whose files stay open: a change takes tens of microseconds."""

    def __init__(self, folder: Path, pins: Mapping[Line, int]) -> None:
        self._files = {
            line: os.open(folder / f"sim_gpio{gpio}" / "pull", os.O_WRONLY) for line, gpio in pins.items()
        }
        self.moved: list[Moved] = []

    def move(self, line: Line, closed: bool) -> Moved:
        """Close or open a contact."""
        text = b"pull-down" if closed else b"pull-up"
        file = self._files[line]
        before_ns = time.monotonic_ns()
        os.pwrite(file, text, 0)
        moved = (line, closed, before_ns, time.monotonic_ns())
        self.moved.append(moved)
        return moved

    def close(self) -> None:
        for file in self._files.values():
            os.close(file)
