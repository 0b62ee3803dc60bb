"""Pure: which sound tells of what happened at the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cabinet.engine.actions import (
    BecameStuck,
    Called,
    CardsTurned,
    Dealt,
    Drew,
    MatchOver,
    Moved,
    PilesTaken,
    Played,
    Redrawn,
    Refilled,
    Refused,
    RoundEnded,
    SaidReady,
    SlapOpened,
    TurnedUp,
)
from cabinet.engine.table import Seat
from cabinet.snapshot import Happening, Snapshot
from display.motion import STREAK_NS, STREAK_PLAYS
from display.sound.sounds import STREAKS, CentreSound, SeatSound, Voice

_CENTRE: Final[dict[type, CentreSound]] = {
    Dealt: "shuffle",
    Redrawn: "shuffle",
    Refilled: "shuffle",
    CardsTurned: "turned",
    BecameStuck: "stuck",
    SlapOpened: "slap_cue",
}
_BY_SEAT: Final[dict[type, SeatSound]] = {Moved: "move", TurnedUp: "turn", Drew: "turn", Called: "call"}


def voice_of(snapshot: Snapshot, happening: Happening, new: Sequence[Happening]) -> Voice | None:
    """The sound of one happening; None when it is told without one. `new`: all that are told of at once."""
    event = happening.event
    if type(event) in _CENTRE:
        return Voice(_CENTRE[type(event)])
    if isinstance(event, (Moved, TurnedUp, Drew, Called)):
        return Voice(_BY_SEAT[type(event)], event.seat)
    if isinstance(event, Played):
        return Voice(_play(snapshot, happening, event.seat), event.seat)
    if isinstance(event, Refused):
        return Voice(_refusal(event), event.seat)
    if isinstance(event, PilesTaken):
        return Voice("slap", event.settled_by) if event.settled_by is not None else Voice("shuffle")
    if isinstance(event, MatchOver):
        return Voice("match_won", event.winner)
    return _round(snapshot, happening, new)


def _round(snapshot: Snapshot, happening: Happening, new: Sequence[Happening]) -> Voice | None:
    event = happening.event
    if isinstance(event, RoundEnded):
        if any(isinstance(one.event, MatchOver) for one in new):
            return None
        return Voice("round_won", event.end.player) if event.end.player is not None else Voice("deadlock")
    if isinstance(event, SaidReady):
        is_first = snapshot.view is None or snapshot.view.round == 1
        return None if event.by_machine or is_first else Voice("ready", event.seat)
    return None


def _play(snapshot: Snapshot, happening: Happening, seat: Seat) -> SeatSound:
    """A streak, as the lamps tell it, climbs from play to play."""
    since_ns = happening.at_ns - STREAK_NS
    plays = [
        one
        for one in snapshot.happenings
        if isinstance(one.event, Played)
        and one.event.seat == seat
        and not one.event.by_machine
        and one.at_ns > since_ns
        and one.number <= happening.number
    ]
    beyond = len(plays) - STREAK_PLAYS
    return "play" if beyond < 0 else STREAKS[min(beyond, len(STREAKS) - 1)]


def _refusal(event: Refused) -> SeatSound:
    if event.behind_ns is not None:
        return "lost_race"
    return "locked" if event.reason == "LOCKED_OUT" else "refused"
