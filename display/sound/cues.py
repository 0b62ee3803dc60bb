"""Pure: which sounds a row of snapshots gives, each once, and none that comes too late.

A cue says nothing that the screen does not show at the same time: it is made from the snapshot for a screen that
both look at, never from a card, and from nothing that is yet to come but what the screen counts, too.
"""

from __future__ import annotations

from typing import Final

import msgspec

from cabinet.engine.table import SEATS, BeatKind, Seat
from cabinet.snapshot import Sign, Snapshot
from display.motion import MS, SECOND_NS
from display.sound import happened
from display.sound.sounds import Voice

LATEST_NS: Final = 150 * MS
"""A sound that comes later than this after what it tells of is left out: it would tell of something else."""
PULSES: Final[dict[BeatKind, int]] = {"deal": 3, "spit": 1}
"""Into how many pulses of light the screen divides a beat."""
COUNTED_S: Final = (3, 2, 1)
"""The last seconds of a pause, which are counted."""


class Cue(msgspec.Struct, frozen=True, gc=False):
    """A sound that is to be heard now."""

    voice: Voice
    at_ns: int
    """Host time of what it tells of."""
    calls_for_players: bool = False
    """It is part of the attract loop, which has a volume of its own."""


class CueReader:
    """Reads snapshots in their order. Not thread-safe; owned by the thread that plays.

    Times are host CLOCK_MONOTONIC nanoseconds.
    """

    def __init__(self, attract_every_ns: int) -> None:
        """`attract_every_ns`: between two calls for players."""
        self._attract_every_ns = attract_every_ns
        self._before: Snapshot | None = None
        self._heard = 0
        """The highest number of a happening or sign that was read."""
        self._counts: tuple[Cue, ...] = ()
        self._counted_ns = -1
        """Up to when counts were given."""
        self._call_ns: int | None = None
        """When players are called for next."""

    def read(self, snapshot: Snapshot, now_ns: int) -> tuple[Cue, ...]:
        """What is new in a snapshot, in the order in which it happened."""
        cues = [*self._of_numbered(snapshot), *self._of_changes(snapshot)]
        self._plan(snapshot)
        self._before = snapshot
        return tuple(cue for cue in cues if now_ns - cue.at_ns <= LATEST_NS)

    def due(self, now_ns: int) -> tuple[Cue, ...]:
        """Counts and calls for players whose time has come."""
        cues = [cue for cue in self._counts if self._counted_ns < cue.at_ns <= now_ns]
        if cues:
            self._counted_ns = cues[-1].at_ns
        if self._call_ns is not None and self._call_ns <= now_ns:
            cues.append(Cue(Voice("attract"), self._call_ns, calls_for_players=True))
            self._call_ns += (1 + (now_ns - self._call_ns) // self._attract_every_ns) * self._attract_every_ns
        return tuple(cue for cue in cues if now_ns - cue.at_ns <= LATEST_NS)

    def next_ns(self) -> int | None:
        """When `due` should be asked next, if no snapshot comes; None: not at all."""
        times = [cue.at_ns for cue in self._counts if cue.at_ns > self._counted_ns]
        if self._call_ns is not None:
            times.append(self._call_ns)
        return min(times, default=None)

    def _of_numbered(self, snapshot: Snapshot) -> list[Cue]:
        last, self._heard = self._heard, max(self._heard, _newest_number(snapshot))
        if not _table_is_heard(snapshot):
            return []
        new = [one for one in snapshot.happenings if one.number > last]
        heard = [(one.number, one.at_ns, happened.voice_of(snapshot, one, new)) for one in new]
        heard += [(one.number, one.at_ns, _voice_of_sign(one)) for one in snapshot.signs if one.number > last]
        return [
            Cue(voice, at_ns) for _, at_ns, voice in sorted(heard, key=lambda one: one[0]) if voice is not None
        ]

    def _of_changes(self, snapshot: Snapshot) -> list[Cue]:
        before = self._before
        if before is None:
            return []
        voices = [*_lobby(before, snapshot), *_held(before, snapshot)]
        return [Cue(voice, snapshot.at_ns) for voice in voices]

    def _plan(self, snapshot: Snapshot) -> None:
        self._counts = (*_beat(snapshot), *_count_down(snapshot))
        if snapshot.scene != "attract":
            self._call_ns = None
        elif self._call_ns is None:
            self._call_ns = snapshot.at_ns + self._attract_every_ns


def _newest_number(snapshot: Snapshot) -> int:
    rows = (snapshot.happenings, snapshot.signs)
    return max((row[-1].number for row in rows if row), default=0)


def _table_is_heard(snapshot: Snapshot) -> bool:
    """Robots behind the title play without a sound, and so do lessons that nobody asked for."""
    return snapshot.scene in ("match", "result") or (snapshot.scene == "lobby" and snapshot.lesson is not None)


def _voice_of_sign(sign: Sign) -> Voice | None:
    """Most signs are heard by what happened; a press that waits for a second button changes nothing yet."""
    seat = _seat_of(sign)
    return Voice("armed", seat) if seat is not None and sign.kind == "waiting" else None


def _seat_of(sign: Sign) -> Seat | None:
    name = sign.line.partition(".")[0]
    return next((seat for seat in SEATS if seat == name), None)


def _lobby(before: Snapshot, now: Snapshot) -> list[Voice]:
    if now.scene != "lobby":
        return [
            Voice("ready", seat) for seat in SEATS if before.scene == "lobby" and _has_begun(before, now, seat)
        ]
    voices = []
    for seat in SEATS:
        was, sits = before.seat(seat), now.seat(seat)
        if sits.is_ready and not was.is_ready:
            voices.append(Voice("ready", seat))
        elif sits.player != "nobody" and (was.player == "nobody" or before.scene != "lobby"):
            voices.append(Voice("joined", seat))
    if before.scene == "lobby" and before.game != now.game:
        voices.append(Voice("page"))
    return voices


def _has_begun(before: Snapshot, now: Snapshot, seat: Seat) -> bool:
    """Whoever is ready last begins the match, so that the lobby never shows it."""
    return now.scene == "match" and not before.seat(seat).is_ready


def _held(before: Snapshot, now: Snapshot) -> list[Voice]:
    """A match that stands still, and one that goes on."""
    if now.scene != "match":
        return []
    voices = []
    if now.paused_since_ns is not None and before.paused_since_ns is None:
        voices.append(Voice("paused"))
    if now.paused_since_ns is None and before.goes_on_ns is not None:
        voices.append(Voice("go"))
    if now.still_there_until_ns is not None and before.still_there_until_ns is None:
        voices.append(Voice("still_there"))
    return voices


def _beat(snapshot: Snapshot) -> list[Cue]:
    """The pulses before cards turn (RULES.md 4, 16)."""
    view = snapshot.view
    if view is None or view.beat is None or snapshot.paused_since_ns is not None or not _table_is_heard(snapshot):
        return []
    beat, pulses = view.beat, PULSES[view.beat.kind]
    first_ns, length_ns = beat.starts_ns + snapshot.match_offset_ns, beat.ends_ns - beat.starts_ns
    return [
        Cue(Voice("count"), first_ns + length_ns * pulse // pulses) for pulse in range(pulses if length_ns else 0)
    ]


def _count_down(snapshot: Snapshot) -> list[Cue]:
    goes_on_ns = snapshot.goes_on_ns
    if goes_on_ns is None or snapshot.scene != "match":
        return []
    return [Cue(Voice("count"), goes_on_ns - seconds * SECOND_NS) for seconds in COUNTED_S]
