"""Plays what snapshots tell: what is to be heard when is decided here, on any clock; the thread only waits."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread
from typing import Final

import msgspec

from cabinet.snapshot import Snapshot
from display.motion import MS, SECOND_NS
from display.sound import levels
from display.sound.bank import Bank
from display.sound.cues import LATEST_NS, Cue, CueReader
from display.sound.device import Device, MixerDevice, NoSound
from display.sound.mix import Mix
from display.sound.settings import MINUTES_IN_HOUR, SoundSettings

log: Final = logging.getLogger(__name__)

AGAIN_NS: Final = 10 * SECOND_NS
"""How long until a card that could not be opened is tried again."""
LOOK_NS: Final = SECOND_NS
"""How often it is asked whether the card is still there."""
REST_NS: Final = 20 * MS
"""Between two sounds that are made ahead: others need the processor more."""
BEGIN_NS: Final = 50 * MS
"""How often it is asked whether the picture stands, before which there is no sound."""
STOP_WAIT_S: Final = 2.0


class Played(msgspec.Struct, frozen=True, gc=False):
    """A sound was given to the sound card."""

    cue: Cue
    given_ns: int
    """When its snapshot was published, or when a count was due."""
    queued_ns: int
    """When the mixer had it; it is heard from the next buffer on."""


class Sounding:
    """All of the player but its thread. Times are host CLOCK_MONOTONIC nanoseconds. Not thread-safe."""

    def __init__(
        self,
        settings: SoundSettings,
        device: Device,
        clock_ns: Callable[[], int],
        minute: Callable[[], int],
        on_played: Callable[[Played], None] = lambda played: None,  # noqa: ARG005
    ) -> None:
        """`minute`: since local midnight."""
        self._settings = settings
        self._device, self._clock_ns, self._minute, self._on_played = device, clock_ns, minute, on_played
        self._reader = CueReader(settings.attract_every_s * SECOND_NS)
        self._bank, self._mix = Bank(settings), Mix()
        self._is_open = False
        self._is_told = False
        """Whether it was said that there is no sound."""
        self._open_ns = 0
        """When a card is tried next, while there is none."""
        self._look_ns = 0
        self._makes = True

    @property
    def is_ready(self) -> bool:
        """A card is open, and every sound is made."""
        return self._is_open and not self._makes

    def take(self, snapshot: Snapshot, given_ns: int) -> None:
        """Plays what is new in a snapshot that was published at `given_ns`."""
        for cue in self._reader.read(snapshot, self._clock_ns()):
            self._play(cue, given_ns)

    def pass_time(self) -> int:
        """Does what is due; when it should be asked again, at the latest."""
        now_ns = self._clock_ns()
        self._watch(now_ns)
        for cue in self._reader.due(now_ns):
            self._play(cue, cue.at_ns)
        if self._is_open and self._makes:
            self._makes = self._bank.make_next()
        wanted_ns = self._reader.next_ns()
        times = [self._look_ns if self._is_open else self._open_ns]
        if self._is_open and self._makes:
            times.append(self._clock_ns() + REST_NS)
        if wanted_ns is not None:
            times.append(wanted_ns)
        return min(times)

    def failed(self) -> None:
        """Something went wrong that nobody foresaw: the card is tried anew, later."""
        self._close()
        self._open_ns = self._clock_ns() + AGAIN_NS

    def close(self) -> None:
        """Frees the card."""
        self._close()

    def _watch(self, now_ns: int) -> None:
        """Opens a card when there is none, and notices when it is gone."""
        if self._is_open and now_ns < self._look_ns:
            return
        is_gone, has_come = self._device.news()
        self._look_ns = now_ns + LOOK_NS
        if self._is_open and is_gone:
            log.warning("The sound card is gone")
            self._close()
            self._open_ns = now_ns
        if not self._is_open and (has_come or now_ns >= self._open_ns):
            self._open()

    def _open(self) -> None:
        try:
            name = self._device.open()
        except NoSound as error:
            self._open_ns = self._clock_ns() + AGAIN_NS
            if not self._is_told:
                log.info("%s. It is tried again every %d s", error, AGAIN_NS // SECOND_NS)
            self._is_told = True
            return
        log.info("Sound: %s", name)
        self._device.news()  # what SDL tells of the cards that it has just found is none
        self._is_open, self._is_told = True, False

    def _close(self) -> None:
        self._mix.clear()
        if self._is_open:
            self._is_open = False
            self._device.close()

    def _play(self, cue: Cue, given_ns: int) -> None:
        gain = levels.gain(self._settings, self._minute(), calls_for_players=cue.calls_for_players)
        if not self._is_open or gain <= 0.0:
            return
        sound = self._bank.sound(cue.voice)
        now_ns = self._clock_ns()
        if now_ns - cue.at_ns > LATEST_NS:
            return
        decision = self._mix.play(sound, gain, now_ns)
        for slot in decision.fade:
            self._device.fade(slot)
        if decision.start is not None:
            self._device.play(decision.start.slot, sound, decision.start.gain)
            self._on_played(Played(cue, given_ns, self._clock_ns()))


class SoundPlayer:
    """A consumer of snapshots with its own queue and thread. `give` and `stop` may be called from any thread."""

    def __init__(
        self,
        settings: SoundSettings,
        *,
        may_begin: Callable[[], bool] = lambda: True,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        device: Device | None = None,
        on_played: Callable[[Played], None] = lambda played: None,  # noqa: ARG005
    ) -> None:
        """`may_begin`: whether the first picture is shown; until then nothing is opened or made.

        `on_played` is called in the player's thread.
        """
        self._may_begin, self._clock_ns = may_begin, clock_ns
        self._sounding = Sounding(settings, device or MixerDevice(settings), clock_ns, local_minute, on_played)
        self._given: deque[tuple[Snapshot, int]] = deque()
        self._changed = Condition()
        self._is_stopping = False
        self._thread = Thread(target=self._run, name="sound", daemon=True)
        self._is_heard = not levels.is_never_heard(settings)
        if self._is_heard:
            self._thread.start()

    def give(self, snapshot: Snapshot) -> None:
        """Lets a snapshot wait for its turn."""
        if not self._is_heard:
            return
        with self._changed:
            self._given.append((snapshot, self._clock_ns()))
            self._changed.notify()

    @property
    def is_ready(self) -> bool:
        """A card is open, and every sound is made; from any thread."""
        return self._sounding.is_ready

    def stop(self) -> bool:
        """Ends the thread, within `STOP_WAIT_S`, and frees the card; whether it has ended. May be repeated."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(STOP_WAIT_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        wake_ns = self._clock_ns()
        try:
            while True:
                given = self._wait(wake_ns)
                if self._is_stopping:
                    return
                wake_ns = self._round(given)
        finally:
            self._sounding.close()

    def _wait(self, wake_ns: int) -> list[tuple[Snapshot, int]]:
        """What was given meanwhile; at `wake_ns` at the latest."""
        with self._changed:
            timeout_s = max(0, wake_ns - self._clock_ns()) / SECOND_NS
            self._changed.wait_for(lambda: self._given or self._is_stopping, timeout_s)
            given = list(self._given)
            self._given.clear()
        return given

    def _round(self, given: list[tuple[Snapshot, int]]) -> int:
        try:
            for snapshot, given_ns in given:
                self._sounding.take(snapshot, given_ns)
            if not self._may_begin():
                return self._clock_ns() + BEGIN_NS
            return self._sounding.pass_time()
        except Exception:
            log.exception("The sound failed and starts anew")
            self._sounding.failed()
            return self._clock_ns() + AGAIN_NS


def local_minute() -> int:
    """Minutes since midnight by this machine's clock and time zone."""
    now = time.localtime()
    return now.tm_hour * MINUTES_IN_HOUR + now.tm_min
