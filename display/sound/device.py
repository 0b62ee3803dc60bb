"""The sound card, through SDL's mixer: opened, lost, opened again."""

from __future__ import annotations

import ctypes
import logging
import os
from pathlib import Path
from typing import Final, Protocol

import pygame

from display.keys import SOUND_CARD_EVENTS
from display.sound.bank import Sound
from display.sound.mix import FADE_MS, SLOTS
from display.sound.settings import SoundSettings
from display.sound.synthesis import RATE

log: Final = logging.getLogger(__name__)

SIGNED_16_BITS: Final = -16
STEREO: Final = 2
CARDS: Final = Path("/proc/asound")
ALSA: Final = "libasound.so.2"
"""As SDL calls it."""


class NoSound(Exception):  # noqa: N818
    """No sound card can be used; the text says why and what to do, in one line."""


class Device(Protocol):
    """What the player needs of a sound card. Belongs to the thread that plays."""

    def open(self) -> str:
        """Opens it; what it is called. Raises NoSound."""

    def close(self) -> None:
        """Frees it; may be called at any time."""

    def news(self) -> tuple[bool, bool]:
        """Whether the card that plays may be gone, and whether another has come, since the last call."""

    def play(self, slot: int, sound: Sound, gain: float) -> None:
        """Begins with the next buffer."""

    def fade(self, slot: int) -> None:
        """Ends what plays in a slot within `FADE_MS`."""


class MixerDevice:
    """SDL's mixer. Several of these would be one: SDL has one mixer in a process."""

    def __init__(self, settings: SoundSettings) -> None:
        self._settings = settings
        self._channels: list[pygame.mixer.Channel] = []

    def open(self) -> str:
        """Opens the card that the settings name, else the one that ``AUDIODEV`` names, else the default."""
        if self._settings.device:
            os.environ["AUDIODEV"] = self._settings.device
        hush_alsa()
        try:
            pygame.mixer.init(RATE, SIGNED_16_BITS, STEREO, self._settings.buffer_samples, allowedchanges=0)
        except pygame.error as error:
            raise NoSound(f"no sound: {error}; {what_to_do(CARDS)}") from error
        pygame.mixer.set_num_channels(SLOTS)
        self._channels = [pygame.mixer.Channel(slot) for slot in range(SLOTS)]
        return f"{pygame.mixer.get_driver()}, {self._settings.buffer_samples} samples at a time"

    def close(self) -> None:
        """Frees the card."""
        self._channels = []
        pygame.mixer.quit()

    def news(self) -> tuple[bool, bool]:
        """SDL tells it by events, which need a window; without one a card that is gone plays on in silence."""
        if not pygame.display.get_init():
            return False, False
        try:
            events = pygame.event.get(SOUND_CARD_EVENTS, pump=False)
        except pygame.error as error:
            log.debug("No news of sound cards: %s", error)
            return False, False
        kinds = {event.type for event in events if not event.iscapture}
        return pygame.AUDIODEVICEREMOVED in kinds, pygame.AUDIODEVICEADDED in kinds

    def play(self, slot: int, sound: Sound, gain: float) -> None:
        """The gain goes with the samples: a channel's own is set to full when it begins."""
        playable = pygame.mixer.Sound(buffer=sound.samples)
        playable.set_volume(gain)
        self._channels[slot].play(playable)

    def fade(self, slot: int) -> None:
        """Without a click."""
        self._channels[slot].fadeout(FADE_MS)


def what_to_do(cards: Path) -> str:
    """For an owner who hears nothing, from the kernel's list of sound cards."""
    names = [path.read_text(encoding="utf-8", errors="replace").strip() for path in sorted(cards.glob("card*/id"))]
    if not names:
        return "plug in a sound card, or set sound.mute to true"
    return "set sound.device to " + " or ".join(f'"default:CARD={name}"' for name in names)


def hush_alsa() -> None:
    """ALSA writes ten lines on the standard error each time that there is no card; the log has one instead.

    It asks for a function that is to print them, and is given one that pays no heed to what it is given; so no
    thread of SDL's has to wait for Python. That it stays loaded keeps it hushed.
    """
    try:
        alsa, no_heed = ctypes.CDLL(ALSA), ctypes.CDLL(None).getpid
        alsa.snd_lib_error_set_handler(ctypes.cast(no_heed, ctypes.c_void_p))
    except (OSError, AttributeError) as error:
        log.debug("ALSA goes on telling: %s", error)
