"""From a published snapshot to the sound card, in real time, while the main thread draws the busiest picture.

SDL's dummy driver stands for the card: it takes a buffer whenever a card would. So what is measured is all of the
cabinet's own way; the buffers that the card holds are added as figures.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Event, Thread
from typing import Final

import msgspec
from msgspec.structs import replace

from cabinet.bench import busy
from cabinet.bench.figures import Spread, spread_ms
from cabinet.engine.actions import Event as TableEvent
from cabinet.engine.actions import Played
from cabinet.engine.cards import Card
from cabinet.engine.table import Seat
from cabinet.service import THREAD_SWITCH_S
from cabinet.snapshot import Happening, Snapshot
from display.settings import DisplaySettings
from display.sound.player import Played as Queued
from display.sound.player import SoundPlayer
from display.sound.settings import SoundSettings
from display.sound.synthesis import RATE
from display.window import Pump, Window

MS: Final = 1_000_000
DRIVER: Final = "SDL_AUDIODRIVER"
APART_MS: Final = (15, 45)
"""Between two sounds: faster than two people play."""
READY_WITHIN_S: Final = 30.0
BUFFERS: Final = 2
"""A card holds the buffer that it plays and the next; a sound is in the one after these at the latest."""
AFTERWARDS_S: Final = 0.3


class SoundDelay(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of the way from a decision to the ear."""

    delay: Spread
    """From the published snapshot until the mixer has the sound."""
    buffer_ms: float
    """Length of one buffer; see `BUFFERS`."""
    heard_p99_ms: float
    """From the published snapshot to the card's first sample, of 99 in 100 sounds, with all buffers."""
    sounds: int
    unheard: int
    """Sounds that were left out: late, or no room for them."""
    made_ms: float
    """For how long the sounds were made, after the start; the cabinet plays meanwhile."""


def measure(*, sounds: int = 500, rng: Random | None = None) -> SoundDelay:
    """Lets so many sounds be heard, thirty milliseconds apart; to be called from the main thread."""
    settings, queued = SoundSettings(), list[Queued]()
    window = Window(DisplaySettings(driver="dummy", width=1_920, height=1_080))
    with _without_a_card():
        window.open()
        began_ns = time.monotonic_ns()
        player = SoundPlayer(settings, on_played=queued.append)
        publisher = _Publisher(player, sounds, rng or Random(1))
        try:
            until_ns = began_ns + round(READY_WITHIN_S * busy.SECOND_NS)
            window.run(_latest, _no_keys, lambda: player.is_ready or time.monotonic_ns() > until_ns)
            made_ms = (time.monotonic_ns() - began_ns) / MS
            publisher.start()
            window.run(_latest, _no_keys, lambda: publisher.has_ended)
        finally:
            publisher.stop()
            player.stop()
            window.close()
    buffer_ms = settings.buffer_samples * 1_000 / RATE
    delay = spread_ms([one.queued_ns - one.given_ns for one in queued])
    return SoundDelay(
        delay=delay,
        buffer_ms=round(buffer_ms, 3),
        heard_p99_ms=round(delay.p99 + BUFFERS * buffer_ms, 3),
        sounds=sounds,
        unheard=sounds - len(queued),
        made_ms=round(made_ms),
    )


class _Publisher:
    """Publishes snapshots as the game thread does, each with a card that was just played."""

    def __init__(self, player: SoundPlayer, sounds: int, rng: Random) -> None:
        self._player, self._sounds, self._rng = player, sounds, rng
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="publisher", daemon=True)
        self.has_ended = False

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        for number in range(1, self._sounds + 1):
            if self._stopping.wait(self._rng.uniform(*APART_MS) / 1_000):
                return
            self._player.give(_played(number, time.monotonic_ns(), "a" if number % 2 else "b"))
        self._stopping.wait(AFTERWARDS_S)
        self.has_ended = True


def _played(number: int, now_ns: int, seat: Seat) -> Snapshot:
    event: TableEvent = Played(
        at_ns=now_ns, seat=seat, stock=1, pile="left", card=Card.parse("8D"), uncovered=None
    )
    shown = busy.snapshots(now_ns)[0][1]
    return replace(shown, at_ns=now_ns, happenings=(Happening(number, now_ns, event),), signs=())


def _latest() -> Snapshot:
    now_ns = time.monotonic_ns()
    return busy.latest(busy.snapshots(now_ns - now_ns % busy.SECOND_NS), now_ns)


def _no_keys(_pump: Pump) -> None:
    pass


@contextmanager
def _without_a_card() -> Iterator[None]:
    """Nobody hears it, and threads take turns as while the service runs."""
    interval_s, driver = sys.getswitchinterval(), os.environ.get(DRIVER)
    sys.setswitchinterval(THREAD_SWITCH_S)
    os.environ[DRIVER] = "dummy"
    try:
        yield
    finally:
        sys.setswitchinterval(interval_s)
        if driver is None:
            del os.environ[DRIVER]
        else:
            os.environ[DRIVER] = driver
