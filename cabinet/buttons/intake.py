"""Intake: everything between the sources' queues and the game, as one call of the game thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from cabinet.buttons.arbiter import Arbiter, ArbiterSettings, Cluster, LatePress
from cabinet.buttons.bank import Bank
from cabinet.buttons.debounce import DebounceSettings, LineCounters
from cabinet.buttons.edges import HOST_CLOCK, Edge, Line, Press, Release, SourceStatus
from cabinet.buttons.rest import IntakeRest, MapRest

SILENCE_SHOWN_NS: Final = 1_000_000_000
"""A source silent for so long is named to the owner; keys are silent for every frame of a slow screen."""

MAP_JUMP_NS: Final = 20_000_000
"""A map that moves by more has not been corrected: the device's clock has started anew."""
_MAP_SLEW: Final = 1_000
"""The offset in use moves by at most one part in so many of the time that passes."""


class SourceTrouble(msgspec.Struct, frozen=True, gc=False):
    """What is wrong with one source, for the owner."""

    source: str
    text: str
    """One plain line."""
    is_live: bool


class Taken(msgspec.Struct, frozen=True):
    """What one round brought."""

    clusters: tuple[Cluster, ...]
    """Presses in order, certain now; all that could tie with a press is in its cluster."""
    releases: tuple[Release, ...]
    decided_ns: int
    """Host time up to which everything is decided; never goes back."""
    troubles: tuple[SourceTrouble, ...]
    degraded: tuple[str, ...]
    """Live sources that are silent and not waited for."""
    late_presses: int
    """Since the start: presses that came when their place was decided."""
    wide_presses: int
    """Since the start: presses judged at arrival because their stamps are known too badly."""
    losses: int
    """Since the start: edges known to be lost, in all sources."""
    silent_ns: tuple[int, ...] = ()
    """For how long each source has told nothing new, in the order of the statuses; 0: it keeps up."""


class Intake:
    """Owns the debouncers and the arbiter. Pure: no thread, no clock. Not thread-safe."""

    def __init__(self, debounce: DebounceSettings | None = None, arbiter: ArbiterSettings | None = None) -> None:
        """Raises ValueError when the settings contradict each other."""
        self._bank = Bank(debounce)
        self._arbiter = Arbiter(arbiter)
        self._maps: dict[str, _ClockMap] = {}

    def take(self, edges: Iterable[Edge], statuses: Iterable[SourceStatus], now_ns: int) -> Taken:
        """One round: what was delivered, how far each source had delivered, and the host time.

        The statuses must be asked for BEFORE the queue of edges is drained: a watermark promises that all below
        it is in the queue, so an edge that slips in between is merely early. The other way round it would be lost
        to the order. Call it at least every 5 ms, also without edges: time passing decides things, too.
        """
        statuses = tuple(statuses)
        for status in statuses:
            self._arbiter.watermark(status, now_ns)
            self._map_clock(status)
        self._arbiter.tick(now_ns)
        for edge in edges:
            self._give(edge)

        known_ns = self._arbiter.known_ns(now_ns)
        releases = []
        for result in self._bank.advance(known_ns):
            if isinstance(result, Press):
                self._arbiter.add(result)
            else:
                releases.append(result)
        settled_ns = self._bank.settled_ns()
        clusters = self._arbiter.release(now_ns, settled_ns)
        return Taken(
            clusters=tuple(clusters),
            releases=tuple(releases),
            decided_ns=self._arbiter.decided_ns(now_ns, settled_ns),
            troubles=self._troubles(statuses),
            degraded=self._arbiter.degraded(),
            late_presses=self._arbiter.late_presses,
            wide_presses=self._arbiter.wide_presses,
            losses=sum(status.losses for status in statuses),
            silent_ns=tuple([self._arbiter.silent_ns(status.source) for status in statuses]),
        )

    def pressed(self) -> frozenset[Line]:
        """The lines that count as pressed now."""
        return self._bank.pressed()

    def closed_since(self, line: Line) -> int | None:
        """The stamp in host time since which the line counts as pressed; None when it does not."""
        return self._bank.closed_since(line)

    def counters(self) -> tuple[LineCounters, ...]:
        """What each line has done since the start, by name."""
        return self._bank.counters()

    def late_log(self) -> tuple[LatePress, ...]:
        """The newest late presses, oldest first."""
        return self._arbiter.late_log()

    def rest(
        self, counts: Callable[[Line], bool] = lambda _line: True, *, by_force: bool = False
    ) -> IntakeRest | None:
        """All that must be known to go on, when nothing of the lines that count is being judged; else None.

        Lines that do not count are left out, with what is pending of them. `by_force`: all that is being judged is
        left out, too, and only the levels count.
        """
        lines = self._bank.rest(counts, by_force=by_force)
        arbiter = self._arbiter.rest(counts, by_force=by_force)
        if lines is None or arbiter is None:
            return None
        maps = tuple(clock.rest(name) for name, clock in self._maps.items())
        return IntakeRest(self._bank.known_ns, lines, arbiter, maps)

    def resume(self, rest: IntakeRest) -> None:
        """Goes on from there, whatever was before; what was counted since the start stays."""
        self._bank.resume(rest.lines, rest.known_ns)
        self._arbiter.resume(rest.arbiter)
        self._maps = {one.clock: _ClockMap.of(one) for one in rest.maps}

    def _give(self, edge: Edge) -> None:
        clock = None if edge.clock == HOST_CLOCK else self._maps.get(edge.clock)
        if clock is None:
            self._bank.edge(edge)
        else:
            offset_ns = clock.offset_ns(edge.t_ns)
            self._bank.edge(edge, offset_ns, clock.err_ns(edge.t_ns))

    def _map_clock(self, status: SourceStatus) -> None:
        if status.clock == HOST_CLOCK:
            return
        clock = self._maps.get(status.clock)
        if clock is None:
            self._maps[status.clock] = _ClockMap(status.map_offset_ns, status.map_err_ns)
        else:
            clock.update(status.map_offset_ns, status.map_err_ns)

    def _troubles(self, statuses: tuple[SourceStatus, ...]) -> tuple[SourceTrouble, ...]:
        silent = self._arbiter.degraded(SILENCE_SHOWN_NS)
        troubles = []
        for status in statuses:
            text = status.trouble
            if text is None and not status.is_live:
                text = f"The buttons on {status.source} do not answer: check its plug and cable."
            elif text is None and status.source in silent:
                text = f"The buttons on {status.source} answer late: the game does not wait for them."
            if text is not None:
                troubles.append(SourceTrouble(source=status.source, text=text, is_live=status.is_live))
        return tuple(troubles)


class _ClockMap:
    """A device's clock in host time, without steps.

    Each new estimate of the offset differs a little from the last. Taken as it comes it could put two edges of
    one clock in the wrong order, so the offset in use follows it by at most one part in a thousand of the time
    that passes; what it still lacks is added to the bound. Only a clock that started anew jumps.
    """

    __slots__ = ("_bound_ns", "_from_ns", "_newest_ns", "_offset_ns", "_target_ns")

    def __init__(self, offset_ns: int, bound_ns: int) -> None:
        self._offset_ns = self._target_ns = offset_ns
        self._bound_ns = bound_ns
        self._from_ns = self._newest_ns = -(1 << 62)

    @classmethod
    def of(cls, rest: MapRest) -> _ClockMap:
        """The map as it was kept."""
        clock = cls(rest.offset_ns, rest.bound_ns)
        clock._target_ns, clock._from_ns, clock._newest_ns = rest.target_ns, rest.from_ns, rest.newest_ns
        return clock

    def rest(self, clock: str) -> MapRest:
        """All of it as a value."""
        return MapRest(clock, self._offset_ns, self._target_ns, self._bound_ns, self._from_ns, self._newest_ns)

    def update(self, offset_ns: int, bound_ns: int) -> None:
        """A new estimate of host time less device time, and its bound."""
        self._bound_ns = bound_ns
        if offset_ns == self._target_ns:
            return
        if abs(offset_ns - self._target_ns) > MAP_JUMP_NS:
            self._offset_ns = offset_ns
        else:
            self._offset_ns = self._offset_at(self._newest_ns)
        self._from_ns = self._newest_ns
        self._target_ns = offset_ns

    def offset_ns(self, t_ns: int) -> int:
        """Host time less device time for an edge at device time `t_ns`."""
        self._newest_ns = max(self._newest_ns, t_ns)
        return self._offset_at(t_ns)

    def err_ns(self, t_ns: int) -> int:
        """Bound of the map for an edge at device time `t_ns`."""
        return self._bound_ns + abs(self._target_ns - self._offset_at(t_ns))

    def _offset_at(self, t_ns: int) -> int:
        limit_ns = max(0, t_ns - self._from_ns) // _MAP_SLEW
        missing_ns = self._target_ns - self._offset_ns
        return self._offset_ns + max(-limit_ns, min(limit_ns, missing_ns))
