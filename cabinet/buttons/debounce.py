"""Debouncing: edges in, presses and releases out, by the times the edges carry and nothing else.

A press is stamped at its first edge (HOUSE.md, Time). Waiting for the contact to rest and stamping then would
name the wrong winner in 41 % of the races won by half a millisecond, because it adds each switch's own bounce to
its player's time. Only the report waits: until the contact was closed long enough not to be a spike.

Everything here is pure and runs on one thread. The result depends only on the edges and their times, never on
how often or in what steps `advance` is called, as long as edges come in time. What follows from one that comes
late is decided as much later: those that belong to it, the rest of its bounce, will be as late.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import Annotated, Final

import msgspec

from cabinet.buttons.edges import Edge, Line, Press, Release
from cabinet.buttons.rest import LineRest

NEVER_NS: Final = 1 << 62
"""Later than any time that can occur."""

_HISTORY_KEPT_NS: Final = 50_000_000
_HISTORY_LENGTH: Final = 256

_IDLE: Final = 0
_CANDIDATE: Final = 1
_PRESSED: Final = 2

_time = itemgetter(0)
_time_then_second = itemgetter(0, 1)


class DebounceSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a contact's bounce is told from a press. The figures are those of HOUSE.md, Time."""

    confirm_us: Annotated[int, msgspec.Meta(ge=0, le=20_000)] = 200
    """Microseconds for which the contact must have been closed, in sum, to count as pressed."""
    confirm_window_us: Annotated[int, msgspec.Meta(ge=1, le=50_000)] = 1_000
    """Microseconds from the first edge within which it must have been."""
    lock_us: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 5_000
    """Microseconds after a press has counted during which no release counts."""
    release_us: Annotated[int, msgspec.Meta(ge=1, le=200_000)] = 10_000
    """Microseconds for which the contact must rest open to count as released."""

    def mistakes(self) -> tuple[str, ...]:
        """What is wrong with the settings taken together, one plain line each."""
        if self.confirm_us <= self.confirm_window_us:
            return ()
        return (
            f"confirm_us is {self.confirm_us}, longer than confirm_window_us, {self.confirm_window_us}: "
            "no press could ever count; make it at most as long",
        )


class LineCounters(msgspec.Struct, frozen=True, gc=False):
    """What one line has done since the start, for the switch test and the record."""

    line: Line
    presses: int = 0
    raw_edges: int = 0
    longest_bounce_ns: int = 0
    """The longest run of edges less than a release's rest apart, from its first to its last closing edge."""
    spikes: int = 0
    """Closings too short to be a press."""
    lost: int = 0
    """Edges of this line that the source knows to be lost. Only the kernel's chip numbers the edges of each line;
    with other sources it is 0, and what they lost shows in `made_up` alone."""
    made_up: int = 0
    """Edges that the source made up because it had lost the real one; their time is a guess."""
    in_doubt: int = 0
    """Edges that may be two that became one, or that follow lost ones; their error allows for that."""
    late: int = 0
    """Edges that came for a time already passed, or behind a newer edge of their line; made-up ones among them."""


class Debouncer:
    """One line. Not thread-safe.

    The level is that of the last edge; several edges of one direction in a row are normal, because a kernel reads
    the direction after it took the stamp. A candidate starts at the edge that closes the line. Should its window
    end with too little closed time it was a spike; if the line is closed at that moment, a new candidate starts
    at the edge that closed it last.
    """

    def __init__(self, line: Line, settings: DebounceSettings | None = None) -> None:
        """Raises ValueError when the settings contradict each other."""
        settings = settings or DebounceSettings()
        if mistakes := settings.mistakes():
            raise ValueError(mistakes[0])
        self.line: Final = line
        self.pressed_since_ns: int | None = None
        """The stamp since which the line counts as pressed; None while it does not."""
        self._confirm_ns = settings.confirm_us * 1000
        self._window_ns = settings.confirm_window_us * 1000
        self._lock_ns = settings.lock_us * 1000
        self._release_ns = settings.release_us * 1000

        self._state = _IDLE
        self._closed = self._base_closed = False
        self._due_ns = NEVER_NS
        self._late_by_ns = 0
        self._at_ns = self._last_ns = self._decided_ns = self._lock_end_ns = self._burst_from_ns = -NEVER_NS
        self._released_ns = -NEVER_NS
        self._released_since_ns: int | None = None
        self._tells_release = True
        self._open_from_ns = self._closed_from_ns = self._window_end_ns = self._closed_sum_ns = 0
        self._first: tuple[int, Edge, int] | None = None
        self._closing: tuple[int, Edge, int] | None = None

        self._waiting: list[tuple[int, int, Edge, int]] = []
        self._is_sorted = True
        self._out: list[tuple[int, Press | Release]] = []
        self._history_ns: list[int] = []
        self._history_closed: list[bool] = []
        self._presses = self._raw_edges = self._spikes = 0
        self._lost = self._made_up = self._in_doubt = self._late = 0
        self._longest_bounce_ns = 0

    def edge(self, edge: Edge, offset_ns: int = 0, map_err_ns: int = 0) -> None:
        """Take an edge; it is looked at when `advance` reaches its time.

        `offset_ns` is host time less its clock's time, `map_err_ns` the bound of that. Edges may come
        in any order.
        """
        t_ns = edge.t_ns + offset_ns
        waiting = self._waiting
        if waiting and t_ns <= waiting[-1][0]:
            self._is_sorted = False
        waiting.append((t_ns, edge.seq, edge, map_err_ns))

    def advance(self, t_ns: int) -> list[tuple[int, Press | Release]]:
        """Everything up to host time `t_ns` is known: report what counted, each with its place in order.

        A press takes its place at its stamp, a release when it counted. `held` is left empty: `Bank` knows it.
        """
        if self._waiting:
            self._take_edges(t_ns)
        while self._due_ns + self._late_by_ns <= t_ns:
            self._settle()
        self._at_ns = max(self._at_ns, t_ns)
        out = self._out
        if out:
            self._out = []
        return out

    def open_since_ns(self) -> int | None:
        """The first edge of a candidate that is not decided yet; None when there is none."""
        return None if self._first is None else self._first[0]

    def was_closed_at(self, t_ns: int) -> bool:
        """Whether the line's last edge at or before `t_ns` closed it; exact for the last 50 ms."""
        index = bisect_right(self._history_ns, t_ns)
        return self._history_closed[index - 1] if index else self._base_closed

    def rest(self, *, by_force: bool = False) -> LineRest | None:
        """The line at rest; None when it has just changed, or something of it is being judged.

        `by_force`: whatever is being judged is left out, and only the level counts.
        """
        if by_force:
            return self._rest_by_force()
        is_judging = self._state == _CANDIDATE or self._due_ns != NEVER_NS or self._waiting or self._out
        if is_judging or self._at_ns < self._last_ns + _HISTORY_KEPT_NS:
            return None
        return LineRest(self.line, self.pressed_since_ns, self._last_ns)

    def _rest_by_force(self) -> LineRest:
        self._waiting.sort(key=_time_then_second)
        last_ns, closed = self._last_ns, self._closed
        for edge_ns, _, edge, _ in self._waiting:
            last_ns, closed = max(last_ns, edge_ns), edge.active
        since_ns = self.pressed_since_ns if self.pressed_since_ns is not None else last_ns
        return LineRest(self.line, since_ns if closed else None, last_ns)

    def resume(self, rest: LineRest, at_ns: int) -> None:
        """Goes on from rest at host time `at_ns`, whatever was before; what was counted stays."""
        closed = rest.pressed_since_ns is not None
        self.pressed_since_ns = rest.pressed_since_ns
        self._state = _PRESSED if closed else _IDLE
        self._closed = self._base_closed = closed
        self._due_ns = NEVER_NS
        self._late_by_ns = 0
        self._at_ns = at_ns
        self._last_ns = self._decided_ns = self._lock_end_ns = rest.last_ns
        self._released_ns = -NEVER_NS
        self._tells_release = True
        self._first = self._closing = None
        self._waiting, self._out = [], []
        self._history_ns, self._history_closed = [], []

    def counters(self) -> LineCounters:
        """What the line has done so far."""
        return LineCounters(
            line=self.line,
            presses=self._presses,
            raw_edges=self._raw_edges,
            longest_bounce_ns=self._longest_bounce_ns,
            spikes=self._spikes,
            lost=self._lost,
            made_up=self._made_up,
            in_doubt=self._in_doubt,
            late=self._late,
        )

    def _take_edges(self, t_ns: int) -> None:
        waiting = self._waiting
        if not self._is_sorted:
            waiting.sort(key=_time_then_second)
            self._is_sorted = True
        if waiting[-1][0] <= t_ns:
            self._waiting = []
        else:
            known = bisect_right(waiting, t_ns, key=_time)
            self._waiting = waiting[known:]
            waiting = waiting[:known]
        self._raw_edges += len(waiting)
        for edge_ns, _, edge, map_err_ns in waiting:
            self._made_up += edge.made_up
            self._in_doubt += edge.may_hide or edge.lost > 0
            self._lost += edge.lost
            is_late = edge_ns < self._at_ns
            if is_late:
                self._late += 1
                if edge_ns < self._last_ns:
                    continue
            self._late_by_ns = t_ns - edge_ns if is_late else 0
            while self._due_ns <= edge_ns:
                self._settle()
            self._last_ns = edge_ns
            if edge.active is not self._closed:
                self._change(edge_ns, edge, map_err_ns)
        if len(self._history_ns) > _HISTORY_LENGTH:
            self._forget_before(t_ns - _HISTORY_KEPT_NS)

    def _change(self, edge_ns: int, edge: Edge, map_err_ns: int) -> None:
        closed = self._closed = edge.active
        self._history_ns.append(edge_ns)
        self._history_closed.append(closed)
        at_ns = max(edge_ns, self._decided_ns)
        if self._state == _IDLE and edge_ns < self._released_ns and not edge.made_up:
            self._take_release_back()
        state = self._state
        if state == _PRESSED:
            if closed:
                self._due_ns = NEVER_NS
            else:
                self._open_from_ns = edge_ns
                self._due_ns = max(edge_ns + self._release_ns, self._lock_end_ns)
        elif closed:
            self._closing = (edge_ns, edge, map_err_ns)
            self._closed_from_ns = at_ns
            if state == _IDLE:
                self._start_candidate()
            else:
                self._due_ns = min(at_ns + self._confirm_ns - self._closed_sum_ns, self._window_end_ns)
        else:
            self._closed_sum_ns += max(0, at_ns - self._closed_from_ns)
            self._due_ns = self._window_end_ns
        self._measure_bounce(edge_ns, closed)

    def _measure_bounce(self, edge_ns: int, closed: bool) -> None:
        previous = self._history_ns[-2] if len(self._history_ns) > 1 else -NEVER_NS
        if edge_ns - previous >= self._release_ns:
            self._burst_from_ns = edge_ns
        elif closed and edge_ns - self._burst_from_ns > self._longest_bounce_ns:
            self._longest_bounce_ns = edge_ns - self._burst_from_ns

    def _start_candidate(self) -> None:
        self._state = _CANDIDATE
        self._first = self._closing
        self._closed_sum_ns = 0
        self._window_end_ns = self._closed_from_ns + self._window_ns
        self._due_ns = self._closed_from_ns + self._confirm_ns

    def _settle(self) -> None:
        """Do what was due at `_due_ns`: a press counts, a candidate is dropped, or a release counts."""
        now_ns = self._decided_ns = self._due_ns
        if self._state == _PRESSED:
            self._count_release(now_ns)
            return
        closed_ns = self._closed_sum_ns + (now_ns - self._closed_from_ns if self._closed else 0)
        if closed_ns >= self._confirm_ns:
            self._count_press(now_ns)
            return
        self._spikes += 1
        if self._closed:
            self._start_candidate()
        else:
            self._state, self._first, self._due_ns = _IDLE, None, NEVER_NS

    def _count_press(self, now_ns: int) -> None:
        assert self._first is not None
        first_ns, edge, map_err_ns = self._first
        self._state, self._first = _PRESSED, None
        self._presses += 1
        self.pressed_since_ns = first_ns
        self._lock_end_ns = now_ns + self._lock_ns
        self._due_ns = NEVER_NS
        press = Press(
            line=self.line,
            t_ns=first_ns,
            err_ns=edge.err_ns,
            clock=edge.clock,
            seq=edge.seq,
            made_up=edge.made_up,
            map_err_ns=map_err_ns,
        )
        self._out.append((first_ns, press))

    def _count_release(self, now_ns: int) -> None:
        self._state, self._due_ns = _IDLE, NEVER_NS
        self._released_ns, self._released_since_ns = now_ns, self.pressed_since_ns
        self.pressed_since_ns = None
        if self._tells_release:
            self._out.append((now_ns, Release(line=self.line, t_ns=self._open_from_ns)))
        self._tells_release = True

    def _take_release_back(self) -> None:
        """A late edge shows that the contact had not come to rest: what bounces on is the same press.

        The release was reported and stays so; it is not reported again.
        """
        self._state = _PRESSED
        self.pressed_since_ns = self._released_since_ns
        self._tells_release = False

    def _forget_before(self, t_ns: int) -> None:
        cut = bisect_right(self._history_ns, t_ns) - 1
        if cut > 0:
            self._base_closed = self._history_closed[cut - 1]
            del self._history_ns[:cut]
            del self._history_closed[:cut]
