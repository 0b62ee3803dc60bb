"""What a source of buttons delivers: edges, its status, and the presses made from them.

Times are integer nanoseconds. An edge's time is that of its own clock; a press's time is the host's
CLOCK_MONOTONIC. Everything here is immutable and may be passed between threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import msgspec

Line = str
"""A wire by its place on the panel: ``a.1`` to ``a.5``, ``a.spit``, ``b.1`` … ``service``, ``coin``."""

HOST_CLOCK: Final = "host"
"""The name of the host's own CLOCK_MONOTONIC."""

WIDE_ERROR_NS: Final = 5_000_000
"""An edge known less well than this is judged at its arrival and is never part of a dead heat."""


class Edge(msgspec.Struct, frozen=True, gc=False):
    """A line changed level."""

    clock: str
    """The clock that stamped it: `HOST_CLOCK`, or a device's own."""
    line: Line
    active: bool
    """True: the contact closed."""
    t_ns: int
    """When, by that clock."""
    err_ns: int
    """A promise within that clock: the true instant is within plus or minus this."""
    seq: int
    """Counts the edges of one source in the order in which they happened."""
    made_up: bool = False
    """Set by a source that found a level changed without having seen the edge."""
    lost: int = 0
    """Edges of this line that the source knows to be lost right before this one."""
    may_hide: bool = False
    """Whether an edge of this line before it may be unseen; its error allows for that. When the kernel has merged
    one, edges of several lines may say so: it is not known whose it was."""


class SourceStatus(msgspec.Struct, frozen=True, gc=False):
    """How far a source can be trusted at one moment."""

    source: str
    clock: str
    watermark_ns: int
    """Host time up to which every edge has been delivered."""
    largest_err_ns: int
    """The largest `err_ns` that an edge of this source can have."""
    map_err_ns: int = 0
    """Bound of this clock's map to the host's time; 0 for the host's own clock."""
    map_offset_ns: int = 0
    """Host time less the clock's time, at this moment."""
    is_live: bool = True
    trouble: str | None = None
    """What is wrong, in one plain line for the owner; None when nothing is."""
    losses: int = 0
    """Edges known to be lost since the start."""
    merged: int = 0
    """Edges since the start that became one with the next of their line: it came too fast for the kernel."""
    left_out: int = 0
    """Edges since the start that were read and not delivered: the middle of a chatter, when they had piled up."""


class Press(msgspec.Struct, frozen=True, gc=False):
    """A contact closed, debounced, stamped at its first edge in host time."""

    line: Line
    t_ns: int
    err_ns: int
    clock: str
    seq: int
    """The first edge's `seq`."""
    held: frozenset[Line] = frozenset()
    """Which other lines were closed at `t_ns` by their last edge."""
    made_up: bool = False
    map_err_ns: int = 0
    """Bound of the clock's map to host time; counts only against presses of another clock."""
    judged_ns: int | None = None
    """Set by the arbiter when it cannot be judged at `t_ns`: it came late, or its error is wide."""

    @property
    def order_ns(self) -> int:
        """The host time at which this press takes its place in order."""
        return self.t_ns if self.judged_ns is None else self.judged_ns

    def ties_with(self, other: Press) -> bool:
        """Whether the two cannot be told apart: a dead heat (CLARIFICATIONS.md C1)."""
        if self.judged_ns is not None or other.judged_ns is not None:
            return False
        bound = self.err_ns + other.err_ns
        if self.clock != other.clock:
            bound += self.map_err_ns + other.map_err_ns
        return abs(self.t_ns - other.t_ns) <= bound


class Release(msgspec.Struct, frozen=True, gc=False):
    """A contact opened for good, debounced, stamped at the first edge of its rest, in its clock's time."""

    line: Line
    t_ns: int


Deliver = Callable[[Edge], None]
"""Takes one edge; may be called from any thread and never blocks."""


class Source(Protocol):
    """Where edges come from. A source only reports; it debounces and decides nothing."""

    name: str

    def start(self, deliver: Deliver) -> None:
        """Begin to deliver edges, from a thread of the source's own or from the caller's.

        Raises SourceError with one plain line when the hardware cannot be used.
        """

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything is delivered at host time `now_ns`. Thread-safe.

        To be asked before taking the delivered edges: what is below the watermark is among them.
        """

    def close(self) -> None:
        """Stop and free the hardware. May be called twice."""


class SourceError(Exception):
    """A source cannot be used; the text says what was found and what to do, in one line."""
