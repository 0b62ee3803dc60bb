"""Snapshots: what is published of a game, and when there is something new to publish. Pure."""

from __future__ import annotations

import msgspec

from cabinet import flow as flow_rules
from cabinet.bulletin import Bulletin
from cabinet.buttons.edges import Line
from cabinet.engine.games import Game
from cabinet.engine.table import SEATS, Seat
from cabinet.engine.view import hides_hands
from cabinet.flow import Flow, FlowSettings
from cabinet.lamps import LampSettings
from cabinet.lesson import RunningLesson
from cabinet.lighting import Lighting
from cabinet.session import Session
from cabinet.snapshot import SeatStatus, Snapshot, Trouble


class Moment(msgspec.Struct, frozen=True):
    """What a snapshot is made of, but for what the bulletin says."""

    decided_ns: int
    """Host time up to which everything is decided."""
    flow: Flow
    session: Session | None
    """The match that is played or shown."""
    lesson: RunningLesson | None
    stuck: frozenset[Line]
    """Buttons that have been held too long."""
    troubles: tuple[Trouble, ...]


class Publisher:
    """Makes a snapshot when something has changed; `latest` and `latest_for` may be read from any thread."""

    def __init__(
        self, games: tuple[Game, ...], flow: FlowSettings, lamps: LampSettings, bulletin: Bulletin
    ) -> None:
        """`games`: those that may be chosen in the lobby."""
        self._games = games
        self._flow_settings = flow
        self._bulletin = bulletin
        self._lighting = Lighting(lamps, flow)
        self._published: tuple[object, ...] | None = None
        self._latest_of_seats: dict[Seat, Snapshot] = {}
        self.latest = Snapshot(0, 0, "attract", SeatStatus(), SeatStatus(), None)
        """The newest snapshot, for a screen that both look at."""

    def latest_for(self, seat: Seat) -> Snapshot:
        """The newest snapshot for a screen that only this seat sees.

        It differs from `latest` only while the hands of Speed are hidden (RULES.md 52).
        """
        return self._latest_of_seats.get(seat, self.latest)

    def forget(self) -> None:
        """What was published last counts for nothing: the next moment is published whatever it is."""
        self._published = None

    def publish(self, now: Moment) -> Snapshot | None:
        """The new snapshot, which is then the latest; None when nothing has changed."""
        flow, session, settings = now.flow, now.session, self._flow_settings
        statuses = {seat: _seat_status(seat, now) for seat in SEATS}
        lamps = self._lighting.lamps(flow, session, statuses, now.troubles, now.decided_ns)
        lesson = now.lesson.at(now.decided_ns) if now.lesson is not None else None
        still_there_ns = flow_rules.still_there_until_ns(flow, settings, now.decided_ns)
        state = (
            msgspec.structs.replace(flow, pressed_ns=0),
            session,
            session.version if session is not None else 0,
            self._bulletin.version,
            now.troubles,
            lamps,
            lesson,
            still_there_ns,
            tuple(statuses.values()),
        )
        if state == self._published:
            return None
        self._published = state
        snapshot = Snapshot(
            number=self.latest.number + 1,
            at_ns=now.decided_ns,
            scene=flow.scene,
            seats_a=statuses["a"],
            seats_b=statuses["b"],
            view=session.view if session is not None else None,
            game=self._games[flow.choice],
            games=self._games,
            lesson=lesson,
            match_offset_ns=session.offset_ns if session is not None else 0,
            paused_since_ns=flow.paused_since_ns,
            goes_on_ns=flow.goes_on_ns,
            happenings=self._bulletin.happenings(),
            signs=self._bulletin.signs,
            photo=self._bulletin.photo,
            robot_joins_ns=flow_rules.robot_joins_ns(flow, settings),
            still_there_until_ns=still_there_ns,
            again_from_ns=flow_rules.again_from_ns(flow, settings) if flow.scene == "result" else None,
            troubles=now.troubles,
            lamps=lamps,
        )
        self._latest_of_seats = self._of_seats(snapshot, session)
        self.latest = snapshot
        return snapshot

    def _of_seats(self, snapshot: Snapshot, session: Session | None) -> dict[Seat, Snapshot]:
        if session is None or not hides_hands(session.match):
            return {}
        return {
            seat: msgspec.structs.replace(
                snapshot, view=session.seat_view(seat), happenings=self._bulletin.happenings(seat)
            )
            for seat in SEATS
        }


def _seat_status(seat: Seat, now: Moment) -> SeatStatus:
    seating = now.flow.seat(seat)
    return SeatStatus(
        player=seating.player,
        is_ready=seating.is_ready,
        armed_stock=now.session.armed_stock(seat) if now.session is not None else None,
        stuck_lines=tuple(sorted(line for line in now.stuck if line.startswith(f"{seat}."))),
    )
