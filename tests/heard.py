"""A sound card in software: what is played on it is mixed as SDL does, and can be listened to."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from operator import add

import msgspec

from display.sound.bank import Sound
from display.sound.device import NoSound
from display.sound.mix import FADE_MS
from display.sound.synthesis import RATE

MS = 1_000_000
SECOND_NS = 1_000 * MS
FULL_SCALE = 32_767
LONGEST_NS = 2 * SECOND_NS
"""No sound is as long as this."""
SDL_VOLUMES = 128
"""SDL knows so many steps of loudness."""


class Strip(msgspec.Struct):
    """One sound on the tape."""

    slot: int
    sound: Sound
    gain: float
    at_ns: int
    faded_ns: int | None = None


class Tape:
    """Stands for the sound card, on a clock of the test's own; it may be pulled out."""

    def __init__(self, clock_ns: Callable[[], int], buffer_samples: int = 256) -> None:
        self._clock_ns, self._buffer = clock_ns, buffer_samples
        self.strips: list[Strip] = []
        self.why_not: str | None = None
        """Set: it cannot be opened."""
        self.is_open = False
        self.openings = 0
        self.tries = 0
        self.told: tuple[bool, bool] = (False, False)

    def open(self) -> str:
        self.tries += 1
        if self.why_not is not None:
            raise NoSound(self.why_not)
        self.is_open = True
        self.openings += 1
        return "tape"

    def close(self) -> None:
        self.is_open = False

    def news(self) -> tuple[bool, bool]:
        told, self.told = self.told, (False, False)
        return told

    def play(self, slot: int, sound: Sound, gain: float) -> None:
        assert self.is_open
        self.strips.append(Strip(slot, sound, gain, self._clock_ns()))

    def fade(self, slot: int) -> None:
        next(strip for strip in reversed(self.strips) if strip.slot == slot).faded_ns = self._clock_ns()

    @property
    def names(self) -> list[str]:
        """What was played, in order, each with its seat."""
        return [named(strip) for strip in self.strips]

    def mixed(self, from_ns: int, to_ns: int) -> tuple[list[int], list[int]]:
        """The left and the right side of a stretch, neither clipped."""
        length = (to_ns - from_ns) * RATE // SECOND_NS
        left, right = [0] * length, [0] * length
        for strip in self.strips:
            if not from_ns - LONGEST_NS < strip.at_ns < to_ns:
                continue
            first = self._sample(strip.at_ns, from_ns)
            for side, channel in ((0, left), (1, right)):
                _add(channel, first, self._as_played(strip, first, side, from_ns))
        return left, right

    def _sample(self, at_ns: int, from_ns: int) -> int:
        """The beginning of the next buffer; buffers begin at the clock's nought."""
        at, begins = (time_ns * RATE // SECOND_NS for time_ns in (at_ns, from_ns))
        return -(-at // self._buffer) * self._buffer - begins

    def _as_played(self, strip: Strip, first: int, side: int, from_ns: int) -> Sequence[int]:
        step = int(strip.gain * SDL_VOLUMES)
        played = [sample * step // SDL_VOLUMES for sample in strip.sound.samples[side::2]]
        if strip.faded_ns is None:
            return played
        fade, begins = FADE_MS * RATE // 1_000, self._sample(strip.faded_ns, from_ns) - first
        return [
            sample if number < begins else sample * max(0, begins + fade - number) // fade
            for number, sample in enumerate(played)
        ]


def _add(channel: list[int], first: int, played: Sequence[int]) -> None:
    begins, ends = max(0, first), min(len(channel), first + len(played))
    if begins < ends:
        channel[begins:ends] = map(add, channel[begins:ends], played[begins - first : ends - first])


def named(strip: Strip) -> str:
    """Such as ``play a``, or ``turned``."""
    voice = strip.sound.voice
    return voice.name if voice.seat is None else f"{voice.name} {voice.seat}"


def loudest(*channels: Sequence[int]) -> float:
    """Against full scale: above 1 it would clip."""
    return max(max(map(abs, channel), default=0) for channel in channels) / FULL_SCALE


def sides(samples: array[int]) -> tuple[list[float], list[float]]:
    """Left and right, from -1 to 1."""
    return (
        [sample / FULL_SCALE for sample in samples[0::2]],
        [sample / FULL_SCALE for sample in samples[1::2]],
    )
