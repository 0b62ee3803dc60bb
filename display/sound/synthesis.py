"""Pure: from a few figures to samples. No recording is used, so there is no licence to look after."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat
from operator import add, mul
from random import Random
from typing import Final, TypeAlias

import msgspec

RATE: Final = 48_000
"""Samples a second: what HDMI and USB sound cards play without conversion."""
FULL_SCALE: Final = 32_767
IN_MS: Final = RATE // 1_000
LAST_RAMP_MS: Final = 12
"""Every sound ends in a ramp of this length, so that it ends without a click."""
LEAST_ATTACK_MS: Final = 1.5
"""A shorter beginning is heard as a click."""
SILENCE: Final = 1e-3
"""-60 dB: where a decay ends."""

Samples: TypeAlias = "array[float]"
"""One channel, from -1 to 1. Floats in a list would take four times the memory, and the longest sound 8 MB."""


class Note(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A struck tone: partials over a pitch that may glide, a short attack, and a decay."""

    hz: float
    """Pitch at its beginning."""
    ms: int
    """How long, its last ramp included."""
    at_ms: int = 0
    """When it begins within its sound."""
    to_hz: float | None = None
    """Pitch at its end; None: the same."""
    level: float = 1.0
    """Against the other notes of its sound."""
    partials: tuple[tuple[float, float, float], ...] = ((1.0, 1.0, 1.0),)
    """Ratio to the pitch, level, and how fast it decays against the note."""
    attack_ms: float = 2.0
    decay: float = 0.6
    """1: it has faded to -60 dB at its end; less: its last ramp ends it before; 0: it does not fade."""


class Noise(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A burst of noise between two pitches: paper, a hand on wood."""

    ms: int
    below_hz: float
    """What is above is filtered away, gently."""
    above_hz: float = 150.0
    """What is below is filtered away, gently."""
    at_ms: int = 0
    level: float = 1.0
    attack_ms: float = 2.0
    decay: float = 0.8


Part = Note | Noise


def rendered(parts: Sequence[Part], peak: float) -> Samples:
    """All parts together, ended by a ramp, without a mean, and as loud as `peak` (0 to 1) at the loudest."""
    total = _silence(max((part.at_ms + part.ms) * IN_MS for part in parts))
    for number, part in enumerate(parts):
        first = part.at_ms * IN_MS
        sound = _note(part) if isinstance(part, Note) else _noise(part, Random(number))
        total[first : first + len(sound)] = _samples(map(add, total[first : first + len(sound)], sound))
    total = _without_mean(total)
    return _samples(map(mul, total, repeat(peak / loudest(total))))


def stereo(sound: Samples, left: float, right: float) -> array[int]:
    """Both channels in turn, as the sound card takes them."""
    both = chain.from_iterable(
        zip(map(mul, sound, repeat(left * FULL_SCALE)), map(mul, sound, repeat(right * FULL_SCALE)), strict=True)
    )
    return array("h", map(int, both))


def loudest(samples: Samples) -> float:
    """The sample that is farthest from nought."""
    return max(map(abs, samples))


def _samples(values: Iterable[float]) -> Samples:
    return array("d", values)


def _silence(count: int) -> Samples:
    return array("d", bytes(8 * count))


def _note(note: Note) -> Samples:
    count = note.ms * IN_MS
    phases = _samples(islice(accumulate(_steps(note, count), initial=0.0), count))
    total = _silence(count)
    for ratio, level, faster in note.partials:
        wave = map(math.sin, map(mul, phases, repeat(ratio)))
        fade = _fade(count, note.decay * faster, level)
        total = _samples(map(add, total, map(mul, wave, fade)))
    return _samples(map(mul, total, _ramps(count, note.attack_ms, note.level)))


def _steps(note: Note, count: int) -> Iterable[float]:
    """By how much the phase goes on with each sample."""
    first = math.tau * note.hz / RATE
    if note.to_hz is None:
        return repeat(first, count)
    return accumulate(repeat((note.to_hz / note.hz) ** (1 / count), count - 1), mul, initial=first)


def _noise(noise: Noise, rng: Random) -> Samples:
    """The same burst each time: a sound is known by being the same."""
    count = noise.ms * IN_MS
    white = _samples(rng.uniform(-1.0, 1.0) for _ in range(count))
    low = _low_pass(_low_pass(white, noise.below_hz), noise.below_hz)
    rumble = _low_pass(low, noise.above_hz)
    band = _samples(map(add, low, map(mul, rumble, repeat(-1.0))))
    level = noise.level / loudest(band)
    faded = map(mul, band, _fade(count, noise.decay, level))
    return _samples(map(mul, faded, _ramps(count, noise.attack_ms, 1.0)))


def _low_pass(samples: Iterable[float], hz: float) -> Samples:
    """One pole."""
    kept = math.exp(-math.tau * hz / RATE)
    new = 1.0 - kept
    return _samples(accumulate(samples, lambda before, sample: before * kept + sample * new, initial=0.0))[1:]


def _fade(count: int, decay: float, level: float) -> Iterator[float]:
    return accumulate(repeat(SILENCE ** (decay / count), count - 1), mul, initial=level)


def _ramps(count: int, attack_ms: float, level: float) -> Iterator[float]:
    """Up at the beginning, even, down at the end."""
    up = min(count // 2, max(1, round(max(attack_ms, LEAST_ATTACK_MS) * IN_MS)))
    down = min(count - up, LAST_RAMP_MS * IN_MS)
    rising = [level * (0.5 - 0.5 * math.cos(math.pi * step / up)) for step in range(up)]
    falling = [level * (0.5 + 0.5 * math.cos(math.pi * (step + 1) / down)) for step in range(down)]
    return chain(rising, repeat(level, count - up - down), falling)


def _without_mean(sound: Samples) -> Samples:
    """Takes the mean away by a hump that is nought at both ends, so that there is no step."""
    count = len(sound)
    hump = _samples(1.0 - math.cos(math.tau * step / (count - 1)) for step in range(count))
    share = -sum(sound) / sum(hump)
    return _samples(map(add, sound, map(mul, hump, repeat(share))))
