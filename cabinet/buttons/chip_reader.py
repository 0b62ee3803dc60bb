"""Reads one claim of the kernel's lines, round by round: edges in order, losses found, and how far it is certain.

All that a reader needs to know of time comes from its clock; it waits in `KernelLines.wait`, and says how long to
rest. So a test can let it run in virtual time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from cabinet.buttons.chatter import Rush, needless
from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Deliver, Edge, Line, SourceStatus
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.kernel_lines import BUFFER_EVENTS, KernelLines
from cabinet.buttons.levels import Levels
from cabinet.buttons.sequence import OrderedEvent, RawEvent, Sequence
from cabinet.buttons.settling import (
    BUSY_AFTER_EDGE_NS,
    KERNEL_SLACK_NS,
    LEVEL_CHECK_NS,
    LOOKS_EVERY_NS,
    Settling,
    Slack,
    held_since_start,
    lateness_ns,
)

IDLE_WAIT_NS: Final = 5_000_000
"""How long to wait for events when no press is pending (HOUSE.md, Time); else `LOOKS_EVERY_NS` at most."""
LEAST_WAIT_NS: Final = 50_000
BURST_CHECK_NS: Final = 5_000_000
"""How often levels are read while events come."""

_MS: Final = 1_000_000


class Tally(msgspec.Struct):
    """What is counted over all claims of one source."""

    source: str
    """Its name."""
    events: int = 0
    """Taken from the kernel."""
    left_out: int = 0
    """Of these, the middle of a chatter, when events had piled up."""
    edges: int = 0
    """Delivered, and the number of the last one."""
    made_up: int = 0
    """Of these, made up because their level had changed unseen."""
    dropped: int = 0
    """Events that the kernel's full buffer lost."""
    merged: int = 0
    """Edges that became one with the next of their line, because that came before the kernel had queued them."""


class ChipReader:
    """One claim. Belongs to one thread; `status` is replaced as a whole and may be read from any."""

    def __init__(
        self,
        lines: KernelLines,
        settings: GpioSettings,
        clock_ns: Callable[[], int],
        deliver: Deliver,
        tally: Tally,
    ) -> None:
        """`lines` were claimed just now. Raises OSError when they cannot be read."""
        self._lines = lines
        self._clock_ns = clock_ns
        self._deliver = deliver
        self._tally = tally
        self._dropped_before, self._merged_before = tally.dropped, tally.merged
        self._names = {number: line for line, number in settings.pins.items()}
        self._err_ns = settings.err_us * 1000
        now_ns = clock_ns()
        levels = dict(lines.levels())
        self._settling = Settling(now_ns + settings.settle_ms * _MS, [line for line in levels if levels[line]])
        self._levels = Levels(levels, now_ns)
        self._sequence = Sequence(now_ns)
        limit_ns = settings.slack_limit_us * 1000
        self._slack = Slack(settings.slack_us * 1000 or KERNEL_SLACK_NS, limit_ns)
        self._merge = Slack(settings.merge_us * 1000, limit_ns)
        self._rush = Rush()
        self._empty_ns = now_ns
        self._busy_until_ns = now_ns
        self._check_ns = now_ns
        self._undecided_ns: deque[int] = deque(maxlen=64)
        self._pressed: set[Line] = set()
        self.status = self._status(now_ns)
        """As of the last round."""

    def round(self) -> int:
        """Reads what there is, and looks at the levels if it is time to; waits when there was nothing.

        How long to rest before the next round, because events come thick; 0 else.
        Raises OSError when the lines are gone.
        """
        now_ns = self._clock_ns()
        is_empty = not self._lines.wait(0)
        rest_ns = 0
        if is_empty:
            self._empty_ns = now_ns
        else:
            events = self._lines.read()
            rest_ns = self._rush.rest_ns(len(events), now_ns)
            self._take(events, now_ns)
        self._pass_on(now_ns)
        if now_ns >= self._check_ns:
            self._check_levels(now_ns)
        if is_empty:
            self._lines.wait(self._wait_ns(now_ns))
        return rest_ns

    def let_go(self) -> None:
        """The lines are lost: every button that was down is let go, so that none is left pressed."""
        now_ns = self._clock_ns()
        for line in sorted(self._pressed):
            self._make_up(line, False, now_ns, WIDE_ERROR_NS + 1)

    def _take(self, events: list[RawEvent], now_ns: int) -> None:
        """Events read at `now_ns`; the buffer was empty then, unless as many came as it holds."""
        if not events:
            return
        oldest_ns = min(event[0] for event in events)
        self._slack.seen(lateness_ns(oldest_ns, now_ns, self._empty_ns), now_ns)
        left_out = needless(events)
        self._tally.events += len(events)
        self._tally.left_out += len(left_out)
        self._merge.seen(self._sequence.take(events, left_out), now_ns)
        self._busy_until_ns = now_ns + BUSY_AFTER_EDGE_NS
        self._undecided_ns += (oldest_ns, max(event[0] for event in events))
        if len(events) < BUFFER_EVENTS:
            self._empty_ns = now_ns

    def _pass_on(self, now_ns: int) -> None:
        until_ns = self._empty_ns - self._slack.slack_ns(now_ns)
        merge_ns = self._merge.slack_ns(now_ns)
        for event in self._sequence.ready(until_ns, merge_ns):
            self._hear(self._names[event.offset], event)
        self._tally.dropped = self._dropped_before + self._sequence.dropped
        self._tally.merged = self._merged_before + self._sequence.merged
        self.status = self._status(now_ns)

    def _hear(self, line: Line, event: OrderedEvent) -> None:
        """An event is at least one edge. When its level is the one before, the contact moved there and back.

        The kernel reads the level after the stamp. Were the first pulse of a bounce passed over because it had
        ended by then, the press would have the stamp of a later one.
        """
        closed, t_ns, err_ns = event.is_active, event.t_ns, self._err_ns
        if event.doubt_from_ns < t_ns:
            err_ns += self._doubt_ns(line, event)
        lost = event.lost
        if self._levels.edge(line, closed, t_ns):
            self._give(line, not closed, t_ns, err_ns, lost)
            lost = 0
        self._give(line, closed, t_ns, err_ns, lost)

    def _doubt_ns(self, line: Line, event: OrderedEvent) -> int:
        """How much earlier the contact may have moved. After a loss it is too much for a dead heat."""
        if not event.follows_loss:
            return event.t_ns - event.doubt_from_ns
        agreed_ns = self._levels.agreed_ns(line)
        known_ns = max(event.doubt_from_ns, agreed_ns) if agreed_ns <= event.t_ns else event.doubt_from_ns
        return max(event.t_ns - known_ns, WIDE_ERROR_NS + 1)

    def _check_levels(self, now_ns: int) -> None:
        patience_ns = self._slack.slack_ns(now_ns) + LOOKS_EVERY_NS
        for lost in self._levels.compare(self._lines.levels(), now_ns, patience_ns):
            self._make_up(lost.line, lost.closed, lost.t_ns, max(lost.unseen_ns, WIDE_ERROR_NS + 1))
        self._check_ns = now_ns + (BURST_CHECK_NS if self._is_busy(now_ns) else LEVEL_CHECK_NS)

    def _wait_ns(self, now_ns: int) -> int:
        """Until it is time to look again, at the latest when a press at one of the last stamps can be decided."""
        if not self._is_busy(now_ns):
            self._undecided_ns.clear()
            return IDLE_WAIT_NS
        needed_ns = self._slack.slack_ns(now_ns) + 2 * self._err_ns + self._merge.slack_ns(now_ns)
        while self._undecided_ns and self._undecided_ns[0] + needed_ns <= now_ns:
            self._undecided_ns.popleft()
        if not self._undecided_ns:
            return LOOKS_EVERY_NS
        return min(LOOKS_EVERY_NS, max(LEAST_WAIT_NS, self._undecided_ns[0] + needed_ns - now_ns))

    def _is_busy(self, now_ns: int) -> bool:
        return now_ns < self._busy_until_ns or self._levels.has_suspects

    def _give(self, line: Line, closed: bool, t_ns: int, err_ns: int, lost: int) -> None:
        """One that the kernel saw, `lost` others of its line having been dropped before it."""
        may_hide = err_ns > self._err_ns
        seq = self._tally.edges + 1
        self._pass_settled(Edge(HOST_CLOCK, line, closed, t_ns, err_ns, seq, lost=lost, may_hide=may_hide))

    def _make_up(self, line: Line, closed: bool, t_ns: int, err_ns: int) -> None:
        """One that nobody saw."""
        self._pass_settled(Edge(HOST_CLOCK, line, closed, t_ns, err_ns, self._tally.edges + 1, made_up=True))

    def _pass_settled(self, edge: Edge) -> None:
        if not self._settling.admits(edge.line, edge.active, edge.t_ns):
            return
        tally = self._tally
        tally.edges += 1
        tally.made_up += edge.made_up
        (self._pressed.add if edge.active else self._pressed.discard)(edge.line)
        self._deliver(edge)

    def _status(self, now_ns: int) -> SourceStatus:
        return SourceStatus(
            source=self._tally.source,
            clock=HOST_CLOCK,
            watermark_ns=self._empty_ns - self._slack.slack_ns(now_ns),
            largest_err_ns=self._err_ns + self._merge.slack_ns(now_ns),
            trouble=held_since_start(self._settling.closed_from_start(now_ns)),
            losses=self._tally.dropped + self._tally.made_up,
            merged=self._tally.merged,
            left_out=self._tally.left_out,
        )
