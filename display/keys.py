"""Window keys with the two instants between which they changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
import pygame

SOUND_CARD_EVENTS: Final = (pygame.AUDIODEVICEADDED, pygame.AUDIODEVICEREMOVED)
"""SDL's events that are left to the sound's thread."""


class Pump(msgspec.Struct, frozen=True, gc=False):
    """What SDL had when it was asked."""

    from_ns: int
    """Host time just before it was asked the last time: nothing in `changes` happened earlier."""
    to_ns: int
    """Host time just after it was asked now: nothing happened later."""
    changes: tuple[tuple[str, bool], ...] = ()
    """Names of keys as `pygame.key.name` gives them, and whether each went down; in order."""
    wants_close: bool = False
    """The window was closed, or Ctrl-Q pressed; never in a kiosk."""


class KeyPump:
    """Asks SDL for keys and keeps the times. To be used from the thread that opened the window."""

    def __init__(self, clock: Callable[[], int], *, is_kiosk: bool) -> None:
        self._clock, self._is_kiosk = clock, is_kiosk
        self._asked_ns = clock()
        self.was_resized = False
        """Set when the window changed its size; the window clears it."""

    def pump(self) -> Pump:
        """What changed since the last call. Takes well below a millisecond."""
        before = self._clock()
        events = pygame.event.get(exclude=SOUND_CARD_EVENTS)
        after = self._clock()
        changes: list[tuple[str, bool]] = []
        wants_close = False
        for event in events:
            if event.type == pygame.KEYDOWN and event.key == pygame.K_q and event.mod & pygame.KMOD_CTRL:
                wants_close = True
            elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
                changes.append((pygame.key.name(event.key), event.type == pygame.KEYDOWN))
            elif event.type == pygame.QUIT:
                wants_close = True
            elif event.type == pygame.VIDEORESIZE:
                self.was_resized = True
        pump = Pump(self._asked_ns, after, tuple(changes), wants_close and not self._is_kiosk)
        self._asked_ns = before
        return pump
