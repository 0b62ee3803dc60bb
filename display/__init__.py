"""The table on a screen: it reads snapshots and decides nothing (cabinet/HOUSE.md, Rooms)."""

from __future__ import annotations

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
