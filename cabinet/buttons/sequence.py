"""The order of a kernel's edge events, what is missing among them, and how much that leaves in doubt. Pure.

The kernel takes an event's stamp and its number within the claim in the interrupt; later a thread of that line
counts its number within the line and queues it. So events arrive out of order. A number of the claim that never
arrives is an edge that nobody will see: either a second interrupt of the same line came before the thread ran, and
the two became one event with the later stamp; or the buffer was full, and its oldest event was dropped. Only the
latter leaves a hole in the numbers of the line, too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable
from typing import Final

import msgspec

RawEvent = tuple[int, int, int, int, int]
"""As the kernel has it: stamp in ns, kind, offset of the line, number in the claim, number in the line."""

BECAME_ACTIVE: Final = 1
"""The kind of an event whose line was found active when the event was queued."""

_PlacedEvent = tuple[int, int, bool, int, int, bool]
"""Number in the claim without wrapping, stamp, whether active, offset, number in the line, whether needed."""

_NUMBERS: Final = 1 << 32
_HALF: Final = _NUMBERS // 2
_HOLES_KEPT: Final = 4_096


class OrderedEvent(msgspec.Struct, frozen=True, gc=False):
    """An event in its place."""

    offset: int
    is_active: bool
    t_ns: int
    doubt_from_ns: int
    """Since when an edge of this line may have gone unseen before this one; `t_ns` when none has."""
    lost: int
    """Edges of this line that were dropped since the one before."""

    @property
    def follows_loss(self) -> bool:
        """Whether earlier edges of this line were dropped."""
        return self.lost > 0


class Sequence:
    """Puts the events of one claim in order and counts what is missing. Not thread-safe."""

    def __init__(self, from_ns: int) -> None:
        """`from_ns`: when the lines were claimed, on the clock of the stamps."""
        self.dropped = 0
        """Events that the full buffer lost, as far as a later event of their line has shown it."""
        self._from_ns = from_ns
        self._next = 1
        self._missing = 0
        self._waiting: list[_PlacedEvent] = []
        self._newest_ns = self._last_ns = from_ns
        self._lines: dict[int, tuple[int, int, int]] = {}
        self._hole_numbers: list[int] = []
        self._hole_from_ns: list[int] = []
        self._hole_to_ns: list[int] = []

    @property
    def merged(self) -> int:
        """Edges that never became an event of their own: they came too fast after each other."""
        return max(0, self._missing - self.dropped)

    def take(self, events: Iterable[RawEvent], needless: Container[int] = ()) -> int:
        """Take events in the order in which they were queued; by how many ns the worst of them was overtaken.

        `needless`: the places of those that need not come out of `ready`; their numbers count.
        """
        newest_ns = self._newest_ns
        disorder_ns = 0
        expected = self._next
        for index, (t_ns, kind, offset, number, line_number) in enumerate(events):
            if t_ns >= newest_ns:
                newest_ns = t_ns
            elif newest_ns - t_ns > disorder_ns:
                disorder_ns = newest_ns - t_ns
            place = expected + (number - expected + _HALF) % _NUMBERS - _HALF
            is_needed = index not in needless
            self._waiting.append((place, t_ns, kind == BECAME_ACTIVE, offset, line_number, is_needed))
        self._newest_ns = newest_ns
        return disorder_ns

    def ready(self, until_ns: int, merge_ns: int) -> list[OrderedEvent]:
        """The events whose place is certain, in order.

        An event behind a missing one waits for it until `until_ns` has passed its stamp. `merge_ns`: the longest
        time in which two edges of a line may have become one.
        """
        waiting = self._waiting
        if not waiting:
            return []
        waiting.sort()
        found: list[OrderedEvent] = []
        due = -1
        taken = 0
        for event in waiting:
            place = event[0]
            if place > self._next:
                if due < 0:
                    due = _due(waiting, until_ns)
                if taken >= due:
                    break
                self._note_hole(place, event[1])
            if place < self._next:
                self._missing -= 1
            else:
                self._next = place + 1
            taken += 1
            if event[5] or self._follows_loss(event):
                found.append(self._ordered(event, merge_ns))
            else:
                self._lines[event[3]] = (event[4], place, event[1])
        del waiting[:taken]
        return found

    def _note_hole(self, place: int, t_ns: int) -> None:
        self._missing += place - self._next
        self._hole_numbers.append(self._next)
        self._hole_from_ns.append(self._last_ns)
        self._hole_to_ns.append(t_ns)
        if len(self._hole_numbers) > _HOLES_KEPT:
            half = _HOLES_KEPT // 2
            del self._hole_numbers[:half], self._hole_from_ns[:half], self._hole_to_ns[:half]

    def _follows_loss(self, event: _PlacedEvent) -> bool:
        last = self._lines.get(event[3])
        return last is None or (event[4] - last[0]) % _NUMBERS != 1

    def _ordered(self, event: _PlacedEvent, merge_ns: int) -> OrderedEvent:
        place, t_ns, is_active, offset, line_number, _ = event
        last_number, last_place, last_ns = self._lines.get(offset, (0, 0, self._from_ns))
        dropped = (line_number - last_number - 1) % _NUMBERS
        doubt_from_ns = t_ns
        if dropped:
            self.dropped += dropped
            doubt_from_ns = min(t_ns, last_ns)
        elif self._hole_numbers:
            doubt_from_ns = self._merged_since(last_place, t_ns, merge_ns)
        self._lines[offset] = (line_number, place, t_ns)
        self._last_ns = max(self._last_ns, t_ns)
        return OrderedEvent(offset, is_active, t_ns, doubt_from_ns, dropped)

    def _merged_since(self, last_place: int, t_ns: int, merge_ns: int) -> int:
        """From when on a missing edge may have been one of this line that became one with the edge at `t_ns`."""
        first = max(bisect_right(self._hole_numbers, last_place), bisect_left(self._hole_to_ns, t_ns - merge_ns))
        if first == len(self._hole_numbers):
            return t_ns
        return min(t_ns, max(self._hole_from_ns[first], t_ns - merge_ns))


def _due(waiting: list[_PlacedEvent], until_ns: int) -> int:
    """How many must go, whatever is missing before them: up to the last whose stamp has passed."""
    for index in range(len(waiting) - 1, -1, -1):
        if waiting[index][1] <= until_ns:
            return index + 1
    return 0
