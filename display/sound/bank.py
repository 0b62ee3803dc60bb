"""Pure: every sound as samples, made once, in the order in which a cabinet needs them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final

import msgspec

from cabinet.engine.table import Seat
from display.sound import sounds
from display.sound.settings import SoundSettings
from display.sound.sounds import ALL_VOICES, SoundName, Voice
from display.sound.synthesis import RATE, loudest, rendered, stereo

BLOCK_MS: Final = 10
"""The limiter knows how loud a sound is for each of these."""
_BLOCK: Final = RATE * BLOCK_MS // 1_000

_NEAR: Final = 1.0
_FAR: Final = 0.35
"""Nine decibels: the side is plain, and with one loudspeaker broken nobody plays in silence."""
_MIDDLE: Final = 0.71
"""As loud on both sides together as another sound on its own."""

_FIRST: Final[tuple[SoundName, ...]] = ("joined", "ready", "page", "count", "shuffle", "turned", "play")
"""What is needed first, when somebody comes at once."""


class Sound(msgspec.Struct, frozen=True, eq=False):
    """One sound, ready to be played."""

    voice: Voice
    samples: array[int]
    """Left and right in turn, 16 bits each, `RATE` a second."""
    loudness: tuple[float, ...]
    """The loudest sample, from 0 to 1, on the louder side, of each `BLOCK_MS` and its neighbours."""

    @property
    def length_ms(self) -> int:
        """How long it is, to the next block."""
        return len(self.loudness) * BLOCK_MS


def sides_of(settings: SoundSettings, seat: Seat | None) -> tuple[float, float]:
    """How loud a seat is on the left and on the right."""
    if seat is None or settings.sides == "middle":
        return _MIDDLE, _MIDDLE
    is_left = (seat == "a") == (settings.sides == "left_right")
    return (_NEAR, _FAR) if is_left else (_FAR, _NEAR)


def made(voice: Voice, settings: SoundSettings) -> Sound:
    """Makes a sound: some milliseconds of work."""
    left, right = sides_of(settings, voice.seat)
    mono = rendered(sounds.recipe(voice), sounds.peak(voice.name))
    louder = max(left, right)
    blocks = (mono[first : first + _BLOCK] for first in range(0, len(mono), _BLOCK))
    each = [loudest(block) * louder for block in blocks]
    loudness = tuple(max(each[max(0, number - 1) : number + 2]) for number in range(len(each)))
    return Sound(voice, stereo(mono, left, right), loudness)


class Bank:
    """Keeps what was made. Not thread-safe; owned by the thread that plays."""

    def __init__(self, settings: SoundSettings) -> None:
        self._settings = settings
        self._sounds: dict[Voice, Sound] = {}
        self._missing: Iterator[Voice] = iter(sorted(ALL_VOICES, key=_when_needed))

    def sound(self, voice: Voice) -> Sound:
        """A sound, made now if it was not."""
        if voice not in self._sounds:
            self._sounds[voice] = made(voice, self._settings)
        return self._sounds[voice]

    def make_next(self) -> bool:
        """Makes the next sound that is missing; False when there is none."""
        voice = next((voice for voice in self._missing if voice not in self._sounds), None)
        if voice is None:
            return False
        self.sound(voice)
        return True


def _when_needed(voice: Voice) -> tuple[int, int]:
    """First what comes first, then the short ones: they are needed more often than those that end something."""
    if voice.name in _FIRST:
        return 0, _FIRST.index(voice.name)
    return 1, max(part.at_ms + part.ms for part in sounds.recipe(voice))
