"""From the flow and the match to the lamps, thought out anew only when something has changed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from cabinet import flow as flow_rules
from cabinet.buttons.lamp_state import Lamps
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import Seat
from cabinet.flow import Flow, FlowSettings
from cabinet.lamps import LampSettings, Situation, lamps_of
from cabinet.session import Session
from cabinet.snapshot import SeatStatus, Trouble

TIME_STEP_NS: Final = 20 * MILLISECOND_NS
"""How finely lamps follow what changes by time alone, such as a lock's end; all else they follow at once."""


class Lighting:
    """The lamps of one game. Not thread-safe."""

    def __init__(self, settings: LampSettings, flow: FlowSettings) -> None:
        self._settings = settings
        self._flow_settings = flow
        self._known: tuple[object, ...] | None = None
        self._lamps: Lamps = ()

    def lamps(
        self,
        flow: Flow,
        session: Session | None,
        seats: Mapping[Seat, SeatStatus],
        troubles: Iterable[Trouble],
        now_ns: int,
    ) -> Lamps:
        """What every lamp does that is not dark, at host time `now_ns`, up to which everything is decided."""
        version = session.version if session is not None else 0
        known = (session, version, flow, *seats.values(), troubles, now_ns // TIME_STEP_NS)
        if known != self._known:
            self._known = known
            now = self._situation(flow, seats, troubles, now_ns)
            self._lamps = lamps_of(now if session is None else _at_table(now, session), self._settings)
        return self._lamps

    def _situation(
        self, flow: Flow, seats: Mapping[Seat, SeatStatus], troubles: Iterable[Trouble], now_ns: int
    ) -> Situation:
        settings = self._flow_settings
        return Situation(
            scene=flow.scene,
            seats_a=seats["a"],
            seats_b=seats["b"],
            view=None,
            is_lesson=flow.lesson_until_ns is not None,
            may_page=flow.games > 1,
            may_go_again=flow.scene == "result" and now_ns >= flow_rules.again_from_ns(flow, settings),
            is_anybody_asked=flow_rules.still_there_until_ns(flow, settings, now_ns) is not None,
            is_paused=flow.paused_since_ns is not None,
            is_missing=any(trouble.pauses_game for trouble in troubles),
        )


def _at_table(now: Situation, session: Session) -> Situation:
    """With the match that is played or shown."""
    calm_ns = session.match.now_ns - session.match.progress_ns
    return replace(now, view=session.view, panel=session.panel, layout=session.layout, calm_ns=calm_ns)
