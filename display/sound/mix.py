"""Pure: which sounds are played together, and how loud, so that their sum never clips.

Sounds are known before they are played, so the limiter looks ahead: a new one is turned down, once and before it
begins, to what the others leave free at each of its moments. Nothing pumps, and nothing can be too loud.
"""

from __future__ import annotations

from typing import Final

import msgspec

from display.motion import MS
from display.sound import sounds
from display.sound.bank import BLOCK_MS, Sound
from display.sound.sounds import Importance

VOICES: Final = 8
"""So many sounds at once can still be told apart, and the more go on, the less each says."""
SLOTS: Final = 3 * VOICES
"""Channels of the sound card: those that are fading away still have theirs."""
FADE_MS: Final = 15
"""A sound that makes room fades for so long; cut off, it would click."""
CEILINGS: Final[dict[Importance, float]] = {0: 0.55, 1: 0.55, 2: 0.7, 3: 0.95}
"""What the sum may reach with a new sound, of full scale: for what both act upon there is always room."""
LEAST_SHARE: Final = 0.5
"""When a sound would have to be turned down further than this, lesser ones make room."""
HEARD_SHARE: Final = 0.1
"""Turned down further than this (20 dB) it is left out."""
START_DOUBT_MS: Final = 25
"""A sound begins with the next buffer (11 ms at most), and the thread may be held up on the way."""


class Start(msgspec.Struct, frozen=True, eq=False):
    """A sound is to be played."""

    slot: int
    sound: Sound
    gain: float


class Decision(msgspec.Struct, frozen=True, eq=False):
    """What is to be done for a new sound."""

    fade: tuple[int, ...] = ()
    """Slots whose sound fades within `FADE_MS`."""
    start: Start | None = None
    """None: there is no room for it."""


class _Playing(msgspec.Struct):
    slot: int
    sound: Sound
    gain: float
    importance: Importance
    began_ns: int
    ends_ns: int
    is_fading: bool = False

    def loudest(self, from_ns: int) -> float:
        """The loudest that it may be in the block that begins then, wherever its true beginning was."""
        if from_ns >= self.ends_ns:
            return 0.0
        block = (from_ns - self.began_ns) // (BLOCK_MS * MS)
        return self.gain * max(self.sound.loudness[max(0, block - 2) : block + 3], default=0.0)


class Mix:
    """What is being played. Not thread-safe; owned by the thread that plays."""

    def __init__(self) -> None:
        self._playing: list[_Playing] = []

    def play(self, sound: Sound, gain: float, now_ns: int) -> Decision:
        """Decides on a new sound that would be played at `gain`, from 0 to 1."""
        self._playing = [one for one in self._playing if one.ends_ns > now_ns]
        new, slot = sounds.importance(sound.voice.name), self._free_slot()
        if slot is None:
            return Decision()
        fading: list[_Playing] = []
        while len(self._loud()) >= VOICES:
            if not self._make_room(new, now_ns, fading):
                return Decision()
        allowed = self._allowed(sound, gain, CEILINGS[new], now_ns)
        while allowed < gain * LEAST_SHARE and self._make_room(new, now_ns, fading):
            allowed = self._allowed(sound, gain, CEILINGS[new], now_ns)
        fade = tuple(one.slot for one in fading)
        if allowed <= gain * HEARD_SHARE:
            return Decision(fade)
        ends_ns = now_ns + (sound.length_ms + START_DOUBT_MS) * MS
        self._playing.append(_Playing(slot, sound, allowed, new, now_ns, ends_ns))
        return Decision(fade, Start(slot, sound, allowed))

    def clear(self) -> None:
        """Nothing is being played: the sound card is gone."""
        self._playing = []

    @property
    def voices(self) -> int:
        """How many sounds are played or have just ended, without those that fade."""
        return len(self._loud())

    def _loud(self) -> list[_Playing]:
        return [one for one in self._playing if not one.is_fading]

    def _allowed(self, sound: Sound, gain: float, ceiling: float, now_ns: int) -> float:
        for block, own in enumerate(sound.loudness):
            if own > 0.0:
                others = sum(one.loudest(now_ns + block * BLOCK_MS * MS) for one in self._playing)
                gain = min(gain, max(0.0, ceiling - others) / own)
        return gain

    def _make_room(self, importance: Importance, now_ns: int, fading: list[_Playing]) -> bool:
        """Lets the least important sound fade, among these the oldest; False when none is as unimportant."""
        lesser = [one for one in self._loud() if one.importance <= min(importance, 2)]
        if not lesser:
            return False
        one = min(lesser, key=lambda one: (one.importance, one.began_ns))
        one.is_fading = True
        one.ends_ns = min(one.ends_ns, now_ns + (FADE_MS + START_DOUBT_MS) * MS)
        fading.append(one)
        return True

    def _free_slot(self) -> int | None:
        taken = {one.slot for one in self._playing}
        return next((slot for slot in range(SLOTS) if slot not in taken), None)
