"""Which of a device's edges have arrived, which are gone for good, and what the levels say of them.

The rules are those of PROTOCOL.md, "What the host does", 2 to 5. Times are the device's, in nanoseconds. Pure; not
thread-safe.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

import msgspec

from cabinet.buttons.edges import WIDE_ERROR_NS
from firmware_bridge.protocol import MAX_BUTTONS, WINDOW_EDGES, Beat, Edges, RawEdge, Snapshot, seq_distance

GUESSED_ERR_NS: Final = WIDE_ERROR_NS + 1
"""At least the error of what is made up: never known well enough for a dead heat."""

PRESSED_NS: Final = 200_000
REST_NS: Final = 10_000_000
"""A contact closed for so long in one bounce has pressed; open for so long it is released (HOUSE.md, Time)."""

MARKS_KEPT: Final = 64
"""Beats that wait for edges; of more the newest counts."""

_ALL: Final = (1 << MAX_BUTTONS) - 1
_NUMBERS: Final = (1 << 32) - 1


class Happened(msgspec.Struct, frozen=True, gc=False):
    """A button changed, on the device's clock."""

    button: int
    closed: bool
    t_ns: int
    err_ns: int
    made_up: bool = False
    """Nobody saw it: the level says so, or the link was lost."""
    may_hide: bool = False
    """An edge of this button before it may be lost; the error allows for that."""


class _Mark(msgspec.Struct, frozen=True, gc=False):
    """What all levels were at one stamp, once the edges before a number have arrived."""

    next_seq: int
    levels: int
    t_ns: int


class _Bounce:
    """What a button's contact did since it was last at rest."""

    __slots__ = ("_closed_ns", "last_ns")

    def __init__(self) -> None:
        self.last_ns = -REST_NS
        """Its last edge."""
        self._closed_ns = 0

    def edge(self, closed: bool, t_ns: int) -> None:
        passed_ns = t_ns - self.last_ns
        if passed_ns >= REST_NS:
            self._closed_ns = 0 if closed else PRESSED_NS
        elif not closed:
            self._closed_ns += passed_ns
        self.last_ns = t_ns

    @property
    def has_pressed(self) -> bool:
        """Whether the press has counted that it began with; also when it began with letting go."""
        return self._closed_ns >= PRESSED_NS


class _Muted:
    """A button that must have been open for a while before it presses."""

    __slots__ = ("_open_ns",)

    def __init__(self, open_ns: int | None = None) -> None:
        """`open_ns`: since when it is open; None: it is not, or may not be."""
        self._open_ns = open_ns

    def admits(self, closed: bool, t_ns: int) -> bool:
        """Whether it presses with this edge; to be told all of them."""
        if closed and self._open_ns is not None and t_ns - self._open_ns >= REST_NS:
            return True
        self._open_ns = None if closed else t_ns
        return False


class Received:
    """The edges of one device, from boot to boot."""

    def __init__(self) -> None:
        self.needs_next = 0
        """The number of the edge that is needed next."""
        self.watermark_ns = 0
        """All edges up to this stamp have arrived, or are gone."""
        self.gone = 0
        """Since the start, of all boots: edges that will never come."""
        self.made_up = 0
        """Since the start: made-up edges that no gone number explains."""
        self.largest_err_ns = 1_000
        """The largest error of an edge so far."""
        self._marks: deque[_Mark] = deque()
        self._forget_boot()

    def _forget_boot(self) -> None:
        self._levels: int = 0
        self._told: int = 0
        """Which buttons are closed, by what was passed on."""
        self._unknown: int = _ALL
        """Of which buttons nothing was heard since the device booted."""
        self._muted = {button: _Muted() for button in range(MAX_BUTTONS)}
        self._held: set[int] = set()
        """Buttons that are closed ever since the link began."""
        self._bounces = [_Bounce() for _ in range(MAX_BUTTONS)]
        self._doubted: dict[int, int] = {}
        """Buttons of which edges may be gone, and up to when they are known."""
        self._agreed_ns: int = 0
        self._ready_ns: int = REST_NS
        self.watermark_ns = 0

    def begin(self, snapshot: Snapshot, *, is_same_boot: bool) -> list[Happened]:
        """A session's Snapshot has come; what follows from it at once.

        Nothing of another boot counts any more: `lose` must have been told before.
        """
        self._marks.clear()
        if not is_same_boot:
            self._forget_boot()
            self.needs_next = snapshot.first
        elif seq_distance(snapshot.first, self.needs_next) > 0:
            self._is_gone_before(snapshot.first)
        return self._marked(snapshot.next_seq, snapshot.levels, snapshot.stamp_us)

    def edges(self, message: Edges) -> list[Happened]:
        """Edges have come; those that are new. Empty, too, when a frame before them was lost."""
        self._is_gone_before((message.first - message.ahead) & _NUMBERS)
        skipped = seq_distance(self.needs_next, message.first)
        if skipped < 0:
            return []
        fresh = message.edges[skipped:]
        self.needs_next = (self.needs_next + len(fresh)) & _NUMBERS
        happened = [one for edge in fresh for one in self._taken(edge, message.err_us * 1_000)]
        return happened + self._compared()

    def beat(self, beat: Beat) -> list[Happened]:
        """A beat has come; what its levels say, if all its edges are here."""
        self._is_gone_before((beat.next_seq - beat.held) & _NUMBERS)
        return self._marked(beat.next_seq, beat.levels, beat.watermark_us)

    def misses(self, message: Edges | Beat) -> bool:
        """Whether it tells that a frame was lost on the way: edges that were sent before it are not here."""
        if isinstance(message, Edges):
            return seq_distance(self.needs_next, message.first) < 0
        return 0 < seq_distance(message.next_seq, self.needs_next) <= message.held <= WINDOW_EDGES

    def lose(self, unknown_ns: int) -> list[Happened]:
        """The link is gone, and nothing was heard for so long: buttons that were told closed are let go.

        They are let go right after what is known, so that no edge comes behind its time if the device still has
        some; one that has just been pressed a little later, so that the press counts. What is down now presses
        only after it has been let go.
        """
        released = []
        for button in _bits(self._told):
            t_ns = max(self.watermark_ns + 1, self._bounces[button].last_ns + REST_NS)
            released.append(Happened(button, False, t_ns, max(unknown_ns, GUESSED_ERR_NS), made_up=True))
            self._muted[button] = _Muted()
            self._held.add(button)
            self._bounces[button].last_ns = t_ns
        self.interrupt()
        self.made_up += len(released)
        self._told = 0
        return released

    def interrupt(self) -> None:
        """So long nothing was known that others have gone on without it: a bounce that was cut in two is over.

        What comes late of it would else be a press of its own, because the release has counted meanwhile.
        """
        for button in _bits(_ALL & ~self._told):
            bounce = self._bounces[button]
            if bounce.has_pressed:
                self._muted.setdefault(button, _Muted(bounce.last_ns))

    @property
    def is_ready(self) -> bool:
        """Whether every button that is open now presses when it closes."""
        return self.watermark_ns >= self._ready_ns

    def held(self) -> tuple[int, ...]:
        """The buttons that have been closed ever since the link began."""
        return tuple(sorted(self._held))

    def _is_gone_before(self, oldest: int) -> None:
        gone = seq_distance(oldest, self.needs_next)
        if gone <= 0:
            return
        self.gone += gone
        self.needs_next = oldest
        for button in range(MAX_BUTTONS):
            self._doubted.setdefault(button, max(self._agreed_ns, self._bounces[button].last_ns))

    def _taken(self, edge: RawEdge, err_ns: int) -> Iterator[Happened]:
        button, t_ns = edge.button, edge.stamp_us * 1_000
        bit = 1 << button
        self._unknown &= ~bit
        self._levels = self._levels | bit if edge.closed else self._levels & ~bit
        self._bounces[button].edge(edge.closed, max(t_ns, self._bounces[button].last_ns))
        self._held.discard(button)
        known_ns = self._doubted.pop(button, None)
        if known_ns is not None:
            err_ns = max(err_ns, t_ns - known_ns)
        if self._admits(button, edge.closed, t_ns):
            self.largest_err_ns = max(self.largest_err_ns, min(err_ns, WIDE_ERROR_NS))
            yield self._told_of(Happened(button, edge.closed, t_ns, err_ns, may_hide=known_ns is not None))

    def _admits(self, button: int, closed: bool, t_ns: int) -> bool:
        """A button that was or may have been down at the start presses when it was open for a while since.

        So it was let go, and what comes is not the bounce of that.
        """
        muted = self._muted.get(button)
        if muted is None:
            return True
        if muted.admits(closed, t_ns):
            del self._muted[button]
            return True
        return False

    def _marked(self, next_seq: int, levels: int, stamp_us: int) -> list[Happened]:
        if len(self._marks) == MARKS_KEPT:
            self._marks.pop()
        self._marks.append(_Mark(next_seq, levels, stamp_us * 1_000))
        return self._compared()

    def _compared(self) -> list[Happened]:
        """The marks whose edges are all here: their levels are compared, their stamps known."""
        happened: list[Happened] = []
        while self._marks and seq_distance(self._marks[0].next_seq, self.needs_next) <= 0:
            mark = self._marks.popleft()
            if mark.next_seq == self.needs_next:
                happened += self._compare(mark)
            self.watermark_ns = max(self.watermark_ns, mark.t_ns)
        return happened

    def _compare(self, mark: _Mark) -> list[Happened]:
        for button in _bits(self._unknown & ~mark.levels):
            self._muted[button] = _Muted(mark.t_ns)
        if self._unknown:
            self._ready_ns = mark.t_ns + REST_NS
        self._held.update(_bits(self._unknown & mark.levels))
        self._levels |= self._unknown & mark.levels
        self._unknown = 0
        happened = [one for button in _bits(self._levels ^ mark.levels) for one in self._guessed(button, mark)]
        self._levels = mark.levels
        self._doubted.clear()
        self._agreed_ns = max(self._agreed_ns, mark.t_ns)
        return happened

    def _guessed(self, button: int, mark: _Mark) -> Iterator[Happened]:
        """The level is another one than the edges say: one more, in the middle of the time in which it was."""
        closed = bool(mark.levels >> button & 1)
        from_ns = max(self._agreed_ns, self._bounces[button].last_ns)
        to_ns = max(mark.t_ns, from_ns + 1)
        t_ns = (from_ns + to_ns + 1) // 2
        self._bounces[button].edge(closed, t_ns)
        self.made_up += button not in self._doubted
        if self._admits(button, closed, t_ns):
            err_ns = max(to_ns - t_ns, GUESSED_ERR_NS)
            yield self._told_of(Happened(button, closed, t_ns, err_ns, made_up=True))

    def _told_of(self, happened: Happened) -> Happened:
        bit = 1 << happened.button
        self._told = self._told | bit if happened.closed else self._told & ~bit
        return happened


def _bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are 1."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
