"""What one lamp does, told once: whoever drives it runs blinking, breathing and fading by a clock. Pure."""

from __future__ import annotations

from collections import deque
from typing import Final, Literal

import msgspec

from cabinet.buttons.edges import Line

LampMode = Literal["off", "on", "blink", "breathe", "fade"]
"""Dark; steady; on for the first half of each period; up in the first half and down in the second; from the
brightness it has to its new one within one period."""

MODES: Final[tuple[LampMode, ...]] = ("off", "on", "blink", "breathe", "fade")
"""In the order of their numbers in the bridge's protocol."""

BRIGHTEST: Final = 255
PHASES: Final = 16
PERIOD_STEP_MS: Final = 20
LONGEST_PERIOD_MS: Final = 255 * PERIOD_STEP_MS
SHORTEST_PERIOD_MS: Final = 340
"""Of blinking and breathing: never more than three flashes a second, which can cause seizures."""

FLASHES: Final = 3
FLASH_WINDOW_NS: Final = 1_000_000_000
"""No lamp begins to rise more than `FLASHES` times in any such window, whatever its driver is told."""

MILLISECOND_NS: Final = 1_000_000
STEP_NS: Final = PERIOD_STEP_MS * MILLISECOND_NS
"""How often a lamp that breathes or fades is set anew."""


class LampState(msgspec.Struct, frozen=True, gc=False):
    """What one lamp does. Raises ValueError for what no driver could do."""

    mode: LampMode = "off"
    brightness: int = BRIGHTEST
    """As the eye sees it, 0 to 255; the driver makes a duty cycle of it."""
    period_ms: int = 0
    """A multiple of 20, up to 5100; of blinking and breathing at least 340."""
    phase: int = 0
    """By how many sixteenths of its period it is behind a lamp with 0: lamps of one period keep step."""

    def __post_init__(self) -> None:
        shortest_ms = SHORTEST_PERIOD_MS if self.mode in ("blink", "breathe") else 0
        if not shortest_ms <= self.period_ms <= LONGEST_PERIOD_MS or self.period_ms % PERIOD_STEP_MS:
            raise ValueError(
                f"a lamp's period of {self.period_ms} ms; allowed for {self.mode}: a multiple of {PERIOD_STEP_MS} "
                f"from {shortest_ms} to {LONGEST_PERIOD_MS}"
            )
        if not (0 <= self.brightness <= BRIGHTEST and 0 <= self.phase < PHASES):
            raise ValueError(
                f"a lamp's brightness of {self.brightness} and phase of {self.phase}; "
                f"allowed: 0 to {BRIGHTEST}, and 0 to {PHASES - 1}"
            )

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """Mode, phase, brightness and period as the bridge's protocol counts them: ``Lamp(*state.numbers)``."""
        return MODES.index(self.mode), self.phase, self.brightness, self.period_ms // PERIOD_STEP_MS


DARK: Final = LampState()

Lamps = tuple[tuple[Line, LampState], ...]
"""What every lamp does that is not dark, in order of the lines."""


def brightness_at(state: LampState, now_ns: int, before: int = 0, told_ns: int = 0) -> int:
    """How bright a lamp is, 0 to 255, that was told this at `told_ns`, when it was as bright as `before`.

    Times are those of the clock by which all lamps keep step.
    """
    if state.mode == "off":
        return 0
    period_ns = state.period_ms * MILLISECOND_NS
    if state.mode == "fade":
        since_ns = now_ns - told_ns
        if since_ns >= period_ns:
            return state.brightness
        return before + (state.brightness - before) * since_ns // period_ns
    if state.mode == "on":
        return state.brightness
    place_ns, half_ns = _place_ns(state, now_ns), period_ns // 2
    if state.mode == "blink":
        return state.brightness if place_ns < half_ns else 0
    return state.brightness * min(place_ns, period_ns - place_ns) // half_ns


def next_change_ns(state: LampState, now_ns: int, told_ns: int = 0) -> int | None:
    """When a lamp is to be set anew though it is told nothing; None: never."""
    period_ns = state.period_ms * MILLISECOND_NS
    if state.mode == "blink":
        half_ns = period_ns // 2
        return now_ns + half_ns - _place_ns(state, now_ns) % half_ns
    if state.mode == "breathe" or (state.mode == "fade" and now_ns < told_ns + period_ns):
        return (now_ns // STEP_NS + 1) * STEP_NS
    return None


def _place_ns(state: LampState, now_ns: int) -> int:
    """How far a lamp is in its period."""
    period_ns = state.period_ms * MILLISECOND_NS
    return (now_ns - state.phase * period_ns // PHASES) % period_ns


class FlashLimit:
    """When one lamp began to rise lately. Not thread-safe."""

    def __init__(self) -> None:
        self._began_ns: deque[int] = deque(maxlen=FLASHES)
        self._has_fallen = True

    def allowed_from_ns(self) -> int:
        """From when the lamp may begin to rise again."""
        return self._began_ns[0] + FLASH_WINDOW_NS if len(self._began_ns) == FLASHES else 0

    def allows(self, shown: int, wanted: int, now_ns: int) -> bool:
        """Whether the lamp may go from one brightness to the other; a rise after a fall is counted as a flash."""
        if wanted < shown:
            self._has_fallen = True
        elif wanted > shown and self._has_fallen:
            if now_ns < self.allowed_from_ns():
                return False
            self._began_ns.append(now_ns)
            self._has_fallen = False
        return True
