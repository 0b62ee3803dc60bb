"""Edges with their numbers, kept until the host has them; when it is full, the oldest go."""

from array import array

from firmware_bridge.protocol import RawEdge, seq_distance

NUMBERS = 0xFFFFFFFF
CLOSED = 32


class EdgeRing:
    """The newest edges, numbered one by one."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.oldest = 0
        """The number of the oldest edge that is held."""
        self.held = 0
        self.drops = 0
        """Edges dropped since boot, modulo 2**32."""
        self._stamps = array("Q", bytes(8 * capacity))
        self._what = bytearray(capacity)
        self._start = 0

    @property
    def next_seq(self) -> int:
        """The number of the next edge."""
        return (self.oldest + self.held) & NUMBERS

    def add(self, stamp_us: int, button: int, closed: bool) -> None:
        """Takes an edge."""
        if self.held == self.capacity:
            self._drop_oldest(1)
            self.drops = (self.drops + 1) & NUMBERS
        place = (self._start + self.held) % self.capacity
        self._stamps[place] = stamp_us
        self._what[place] = button | (CLOSED if closed else 0)
        self.held += 1

    def edges(self, first: int, most: int) -> "list[RawEdge]":
        """Up to `most` edges from the held number `first` on."""
        start = seq_distance(first, self.oldest)
        edges = []
        for index in range(start, min(start + most, self.held)):
            place = (self._start + index) % self.capacity
            what = self._what[place]
            edges.append(RawEdge(self._stamps[place], what & 31, bool(what & CLOSED)))
        return edges

    def holds(self, seq: int) -> bool:
        """Whether the edge of that number is held, or is the next."""
        return 0 <= seq_distance(seq, self.oldest) <= self.held

    def forget_before(self, seq: int) -> int:
        """Forgets the edges before a number that it `holds`; how many."""
        count = seq_distance(seq, self.oldest)
        self._drop_oldest(count)
        return count

    def lose(self, count: int) -> None:
        """Edges were captured that cannot be kept: they have had numbers; what is held before them goes, too."""
        self.drops = (self.drops + self.held + count) & NUMBERS
        self._drop_oldest(self.held)
        self.oldest = (self.oldest + count) & NUMBERS

    def _drop_oldest(self, count: int) -> None:
        self._start = (self._start + count) % self.capacity
        self.oldest = (self.oldest + count) & NUMBERS
        self.held -= count
