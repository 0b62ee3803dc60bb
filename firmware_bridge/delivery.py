"""From a device's edges to the game's: named, numbered, on a clock that can be mapped, never below a watermark.

The reader's thread does everything here but `status`, which any thread may ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from cabinet.buttons.edges import HOST_CLOCK, Deliver, Edge, Line, SourceStatus
from firmware_bridge.clock_sync import Estimate
from firmware_bridge.host_clocks import HostClocks
from firmware_bridge.received import Happened, Received


class _Map(msgspec.Struct, frozen=True, gc=False):
    """The device's clock in the game's time."""

    clock: str
    offset_ns: int
    err_ns: int
    is_settled: bool


class Delivery:
    """The edges and the status of one source."""

    def __init__(self, name: str, clocks: HostClocks) -> None:
        self._name = name
        self._clocks = clocks
        self._deliver: Deliver | None = None
        self._held: list[tuple[str, Line, Happened]] = []
        self._map: _Map | None = None
        self._asked_clock: str | None = None
        self._watermark_ns = 0
        self._seq = 0
        self._dropped = 0
        self._status = SourceStatus(name, HOST_CLOCK, 0, 0, is_live=False)

    @property
    def map_err_ns(self) -> int | None:
        """How well the device's clock is known in the game's time; None as long as it is not settled."""
        return self._map.err_ns if self._map is not None and self._map.is_settled else None

    def begin(self, deliver: Deliver) -> None:
        """Edges go there from now on."""
        self._deliver = deliver
        self._watermark_ns = self._clocks.game_ns()

    def hold(self, happened: Iterable[Happened], names: Mapping[int, Line], estimate: Estimate | None) -> None:
        """Takes what happened; `estimate` is the map of the device's clock as of now, None when there is none."""
        if estimate is not None:
            self._map = self._mapped(estimate)
        if self._map is not None:
            clock = self._map.clock
            self._held += [(clock, names.get(one.button, f"button {one.button}"), one) for one in happened]

    def tell(self, received: Received, trouble: str | None, waiting: str, *, is_linked: bool) -> None:
        """Delivers what may be, then says how far everything is delivered; `waiting`, when it is not known yet.

        Edges wait until their clock is settled, unless the link is gone, and until it was named in a status: who
        takes an edge has its map.
        """
        now = self._map
        is_known = now is not None and now.clock == self._asked_clock
        if self._held and now is not None and (now.is_settled or not is_linked):
            self._deliver_held(now.clock, is_known=is_known)
        is_live = is_linked and received.is_ready and is_known and now is not None and now.is_settled
        if now is not None and is_live:
            self._watermark_ns = max(self._watermark_ns, received.watermark_ns + now.offset_ns)
        self._status = SourceStatus(
            source=self._name,
            clock=HOST_CLOCK if now is None else now.clock,
            watermark_ns=self._watermark_ns,
            largest_err_ns=received.largest_err_ns,
            map_err_ns=0 if now is None else now.err_ns,
            map_offset_ns=0 if now is None else now.offset_ns,
            is_live=is_live,
            trouble=trouble if is_live else trouble or waiting,
            losses=received.gone + received.made_up + self._dropped,
        )

    def status(self) -> SourceStatus:
        """What was said last. Thread-safe."""
        status = self._status
        self._asked_clock = status.clock
        return status

    def _mapped(self, estimate: Estimate) -> _Map:
        difference_ns, err_ns = self._clocks.difference()
        return _Map(
            clock=f"{self._name} {estimate.epoch}",
            offset_ns=estimate.offset_ns + difference_ns,
            err_ns=estimate.err_ns + err_ns,
            is_settled=estimate.is_settled,
        )

    def _deliver_held(self, clock: str, *, is_known: bool) -> None:
        """What is of an older clock that nobody asked for is lost."""
        current = [one for one in self._held if one[0] == clock]
        self._dropped += len(self._held) - len(current)
        self._held = [] if is_known else current
        for _, line, happened in current if is_known else ():
            self._pass_on(clock, line, happened)

    def _pass_on(self, clock: str, line: Line, happened: Happened) -> None:
        assert self._deliver is not None
        self._seq += 1
        self._deliver(
            Edge(
                clock=clock,
                line=line,
                active=happened.closed,
                t_ns=happened.t_ns,
                err_ns=happened.err_ns,
                seq=self._seq,
                made_up=happened.made_up,
                may_hide=happened.may_hide,
            )
        )
