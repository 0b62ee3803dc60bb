"""What the owner can set for the screen."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Line = str
"""A button by its place on the panel, such as ``a.1`` or ``b.spit``."""


class DisplaySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the table is shown."""

    fullscreen: bool = False
    """Whether to fill the screen. Without a desktop (kmsdrm) the screen is always filled."""
    kiosk: bool = False
    """Whether players stand before it: then no key ends the program."""
    driver: Literal["", "x11", "wayland", "kmsdrm", "dummy", "offscreen"] = ""
    """SDL video driver to ask for; empty: the first that works. The last two show nothing."""
    width: Annotated[int, msgspec.Meta(ge=1_024, le=7_680)] = 1_280
    """Width of the picture in pixels."""
    height: Annotated[int, msgspec.Meta(ge=720, le=4_320)] = 720
    """Height of the picture in pixels."""
    fps_cap: Annotated[int, msgspec.Meta(ge=20, le=240)] = 60
    """Most frames a second that are drawn, where the screen itself does not set the pace."""
    theme: Literal["lamps"] = "lamps"
    """The colours."""
    reduced_motion: bool = False
    """Whether cards fade to their place in 80 ms rather than fly."""
    drift: bool = True
    """Whether the attract picture wanders a few pixels, so that nothing burns in."""
