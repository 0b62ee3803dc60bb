"""Movement drawn from time: pure functions of how long ago something happened, in nanoseconds.

Nothing here holds anything up: an effect is shown from the View at once, a movement only decorates it.
"""

from __future__ import annotations

import math
from typing import Final

MS: Final = 1_000_000
SECOND_NS: Final = 1_000 * MS

SHORTEST_FLIGHT_NS: Final = 90 * MS
LONGEST_FLIGHT_NS: Final = 120 * MS
FADE_NS: Final = 80 * MS
"""In place of a flight, with reduced motion."""
TURN_NS: Final = 80 * MS
SHAKE_NS: Final = 90 * MS
SHAKE_PX: Final = 6
"""How far a refused card shakes, in pixels at 1920×1080."""
GHOST_NS: Final = 260 * MS
"""How long the loser's ghost takes to the pile and back."""
COMET_NS: Final = 130 * MS
"""How long light takes from a button to where it acts."""
FLARE_NS: Final = 160 * MS
"""How long a button or pile burns brighter after a press."""
WORDS_NS: Final = 900 * MS
"""How long the reason for a refusal stays."""
HINT_PULSE_NS: Final = 1_000 * MS
STREAK_NS: Final = 3 * SECOND_NS
STREAK_PLAYS: Final = 4
"""So many plays within `STREAK_NS` are a streak: the lamp burns brighter, and the sound rises."""


def eased_out(share: float) -> float:
    """Fast at first, then slower: 0 at 0, 1 at 1."""
    left = 1.0 - min(1.0, max(0.0, share))
    return 1.0 - left * left * left


def share(age_ns: int, length_ns: int) -> float:
    """How much of a movement is done, from 0 to 1."""
    return min(1.0, max(0.0, age_ns / length_ns))


def flight_ns(distance: float, longest: float) -> int:
    """How long a card flies: 90 ms for no way at all, 120 ms for the longest."""
    extra = LONGEST_FLIGHT_NS - SHORTEST_FLIGHT_NS
    return SHORTEST_FLIGHT_NS + round(extra * min(1.0, distance / longest if longest else 0.0))


def between(start: tuple[int, int], end: tuple[int, int], done: float) -> tuple[int, int]:
    """A place on the straight way from start to end, in whole pixels."""
    return (round(start[0] + (end[0] - start[0]) * done), round(start[1] + (end[1] - start[1]) * done))


def turn_width(age_ns: int) -> float:
    """The width of a turning card against a still one; below 0 its back is seen. From -1 to 1 in 80 ms."""
    return -math.cos(math.pi * share(age_ns, TURN_NS))


def shake(age_ns: int) -> float:
    """How far a refused card is from its place, from -1 to 1: three swings that die away."""
    done = share(age_ns, SHAKE_NS)
    return math.sin(done * math.tau * 1.5) * (1.0 - done * 0.6) if 0.0 < done < 1.0 else 0.0


def ghost(age_ns: int) -> float:
    """How far towards the pile the loser's ghost is, from 0 to 1 and back to 0: out fast, back like a spring."""
    done = share(age_ns, GHOST_NS)
    if done < 0.35:
        return eased_out(done / 0.35)
    back = (done - 0.35) / 0.65
    return max(0.0, (1.0 - back) ** 2 * math.cos(back * 2.2)) if back < 1.0 else 0.0


def pulse_strength(age_ns: int, length_ns: int, pulses: int) -> float:
    """Light of the count before cards turn: `pulses` equal flares, each from 1 down to 0."""
    if not 0 <= age_ns < length_ns:
        return 0.0
    return 1.0 - (age_ns * pulses / length_ns) % 1.0


def pulse_number(age_ns: int, length_ns: int, pulses: int) -> int:
    """What the count says: `pulses` first, then down to 1."""
    done = min(max(age_ns, 0), length_ns - 1) * pulses // length_ns
    return pulses - done


def hint_strength(age_ns: int) -> float:
    """Light around a hinted card: one slow pulse a second, from 0 to 1."""
    return 0.5 - 0.5 * math.cos(math.tau * (age_ns % HINT_PULSE_NS) / HINT_PULSE_NS)


def swing(now_ns: int, period_ns: int, phase: float = 0.0) -> float:
    """A slow pendulum, from -1 to 1."""
    return math.sin(math.tau * ((now_ns % period_ns) / period_ns + phase))


def drift(now_ns: int, reach: int) -> tuple[int, int]:
    """How far the attract picture has wandered, at most `reach` pixels each way, a pixel every few seconds."""
    return (round(reach * swing(now_ns, 97 * SECOND_NS)), round(reach * swing(now_ns, 71 * SECOND_NS, 0.25)))


def steps(strength: float, count: int) -> float:
    """A strength in `count` even steps, so that few pictures serve and still frames stay still."""
    return round(strength * count) / count
