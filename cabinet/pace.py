"""How often the game is stepped: the same for the game thread and for virtual time (HOUSE.md, Time)."""

from __future__ import annotations

from typing import Final

BUSY_STEP_NS: Final = 500_000
"""From one step to the next while a press may be pending, if no edge comes sooner."""
IDLE_STEP_NS: Final = 5_000_000
"""From one step to the next when none is, if no edge comes sooner."""


def step_ns(now_ns: int, busy_until_ns: int) -> int:
    """How long at most to wait for an edge at `now_ns`, when the last one keeps the game busy until then."""
    return BUSY_STEP_NS if now_ns < busy_until_ns else IDLE_STEP_NS
