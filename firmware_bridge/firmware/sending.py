"""Edges on their way to the host: in order, a window of them without acknowledgement, and again until it comes."""

from firmware_bridge.firmware.edge_ring import EdgeRing
from firmware_bridge.protocol import (
    RESEND_MS,
    RESEND_SLOWEST_MS,
    WINDOW_EDGES,
    Ack,
    Edges,
    edges_that_fit,
    seq_distance,
)

MOST_IN_FRAME = 39
ACK_RESEND = 1


class EdgeSender:
    """Which edge goes next. PROTOCOL.md calls it go-back-N."""

    def __init__(self, ring: EdgeRing, err_us: int) -> None:
        self._ring = ring
        self._err_us = err_us
        self._next = 0
        self._waits_since_us = 0
        self._resend_ms = RESEND_MS

    def begin(self) -> None:
        """From the oldest edge on, as in a new session."""
        self._next = self._ring.oldest
        self._resend_ms = RESEND_MS

    def frame(self, now_us: int) -> "Edges | None":
        """The next edges, taken as sent; None when there are none, or as many on their way as may be."""
        ring = self._ring
        if seq_distance(self._next, ring.oldest) < 0:
            self._next = ring.oldest
        ahead = seq_distance(self._next, ring.oldest)
        most = min(MOST_IN_FRAME, ring.held - ahead, WINDOW_EDGES - ahead)
        if most <= 0:
            return None
        edges = ring.edges(self._next, most)
        edges = edges[: edges_that_fit(edges)]
        message = Edges(self._next, ahead, self._err_us, tuple(edges))
        if ahead == 0:
            self._waits_since_us = now_us
        self._next = (self._next + len(edges)) & 0xFFFFFFFF
        return message

    def take(self, ack: Ack, now_us: int) -> None:
        """What the host has is forgotten; what it asks for goes again."""
        if not self._ring.holds(ack.next_seq):
            return
        if self._ring.forget_before(ack.next_seq):
            self._waits_since_us = now_us
            self._resend_ms = RESEND_MS
            if seq_distance(self._next, self._ring.oldest) < 0:
                self._next = self._ring.oldest
        if ack.flags & ACK_RESEND:
            self._next = self._ring.oldest
            self._waits_since_us = now_us

    def resend_when_due(self, now_us: int) -> None:
        """Goes back to the oldest edge when its acknowledgement has not come in time.

        Only to be asked while the line has taken all that was written.
        """
        if seq_distance(self._next, self._ring.oldest) <= 0:
            return
        if now_us - self._waits_since_us >= 1000 * self._resend_ms:
            self._next = self._ring.oldest
            self._waits_since_us = now_us
            self._resend_ms = min(2 * self._resend_ms, RESEND_SLOWEST_MS)
