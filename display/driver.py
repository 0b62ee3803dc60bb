"""Which SDL video driver to use, and whether it is the one that answered."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pygame

WITHOUT_DESKTOP: Final = ("kmsdrm",)
"""Drivers that have the whole screen to themselves."""
HEADLESS: Final = ("dummy", "offscreen")
"""Drivers without a screen, for tests and pictures."""

HINTS: Final = {
    "SDL_VIDEO_DOUBLE_BUFFER": "1",
    "SDL_RENDER_SCALE_QUALITY": "linear",
    "SDL_NO_SIGNAL_HANDLERS": "1",
}
"""One frame less of lag with kmsdrm; smooth scaling; SIGTERM stays with the service."""


class NoScreen(Exception):  # noqa: N818
    """No screen can be used; the text says what was tried and what to do, in one line."""


def candidates(asked: str, environment: Mapping[str, str], platform: str, *, has_card: bool) -> tuple[str, ...]:
    """The drivers to try, in order and in small letters; only those that were asked for, if any were."""
    named = asked or environment.get("SDL_VIDEODRIVER", "")
    if named:
        return tuple(name.strip().lower() for name in named.split(","))
    if platform == "darwin":
        return ("cocoa",)
    if platform == "win32":
        return ("windows",)
    found = []
    if environment.get("WAYLAND_DISPLAY"):
        found.append("wayland")
    if environment.get("DISPLAY"):
        found.append("x11")
    if has_card and not found:
        found.append("kmsdrm")
    return tuple(found)


def connected_card(drm: Path) -> int | None:
    """The number of the first graphics card with a monitor, from the kernel's list; None when there is none.

    SDL takes the first card in the order of the directory, which on a Pi 5 may be one without any connector.
    """
    numbers = []
    for status in drm.glob("card*-*/status"):
        number = status.parent.name.removeprefix("card").partition("-")[0]
        if number.isdigit() and status.read_text(encoding="ascii", errors="replace").strip() == "connected":
            numbers.append(int(number))
    return min(numbers, default=None)


def start(asked: str) -> str:
    """Start SDL's video with a driver that shows something; its name, in small letters.

    Raises NoScreen. Without a screen SDL would take its driver `offscreen` in silence, so the name is checked;
    SDL itself calls one of them KMSDRM.
    """
    for name, value in HINTS.items():
        os.environ.setdefault(name, value)
    names = candidates(asked, os.environ, sys.platform, has_card=any(Path("/dev/dri").glob("card*")))
    problems = []
    for name in names:
        os.environ["SDL_VIDEODRIVER"] = name
        if name == "kmsdrm":
            card = connected_card(Path("/sys/class/drm"))
            if card is None:
                problems.append("kmsdrm: no monitor is connected")
                continue
            os.environ.setdefault("SDL_KMSDRM_DEVICE_INDEX", str(card))
        try:
            pygame.display.init()
        except pygame.error as error:
            problems.append(f"{name}: {error}")
            continue
        answered = pygame.display.get_driver().lower()
        if answered == name:
            return name
        problems.append(f"{name}: SDL took {answered} instead")
        pygame.display.quit()
    tried = "; ".join(problems) or "no desktop and no graphics card was found"
    raise NoScreen(f"no screen: {tried}; switch the monitor on, or set display.driver to x11, wayland or kmsdrm")
