"""What to do when more events come than switches in order make, so that no button and no frame suffers. Pure.

A switch or a wire may chatter at thousands of edges a second. While all of them can be worked off, all are. When
events have piled up, what lies in the middle of a chatter is left out, but for one event every two milliseconds:
when a press began, that the contact does not rest, and the level in which it comes to rest are still seen.

Before they pile up, they come so thick that there is always one to be read. Then many are read at once, because
going round for every two or three of them takes half a core and the lock that Python's threads share: on a PC, of
80,000 edges a second, so much that one frame in a hundred came late.
"""

from __future__ import annotations

from typing import Final

from cabinet.buttons.sequence import RawEvent
from cabinet.buttons.settling import LOOKS_EVERY_NS

PILED_UP_EVENTS: Final = 256
"""So many events in one read are more than 16 lines of 5,000 edges a second bring in three milliseconds."""

KEPT_EVERY_NS: Final = 2_000_000
"""Much less than the rest that counts as a release."""

CHATTER_EVENTS: Final = 8
CHATTER_NS: Final = 4_000_000
"""A line is chattering when it has had so many events within this time. No switch in order bounces as often."""

RUSH_EVENTS: Final = 64
CALM_EVENTS_A_MS: Final = 2
"""A rush begins when `RUSH_EVENTS` more have come than these: both players' bouncing switches make less."""
RUSH_REST_NS: Final = LOOKS_EVERY_NS
"""From one reading to the next in a rush."""

_MS: Final = 1_000_000


class Rush:
    """Whether events come thick. Not thread-safe."""

    def __init__(self) -> None:
        self._above = 0
        self._seen_ns = 0

    def rest_ns(self, events: int, now_ns: int) -> int:
        """So many events were just read: how long to let others come; 0 when there is no rush."""
        allowed = (now_ns - self._seen_ns) * CALM_EVENTS_A_MS // _MS
        if allowed:
            self._seen_ns = now_ns
        self._above = min(max(0, self._above - allowed) + events, 2 * RUSH_EVENTS)
        return RUSH_REST_NS if self._above > RUSH_EVENTS else 0


def needless(events: list[RawEvent]) -> frozenset[int]:
    """The places in `events` that may be left out, when so many came in one read."""
    if len(events) < PILED_UP_EVENTS:
        return frozenset()
    by_line: dict[int, list[int]] = {}
    for place, event in enumerate(events):
        by_line.setdefault(event[2], []).append(place)
    found: list[int] = []
    for places in by_line.values():
        found += _needless_of_line(events, places)
    return frozenset(found)


def _needless_of_line(events: list[RawEvent], places: list[int]) -> list[int]:
    stamps_ns = [events[place][0] for place in places]
    found = []
    kept_ns = stamps_ns[0]
    for number in range(CHATTER_EVENTS, len(places) - 1):
        t_ns = stamps_ns[number]
        is_chatter = t_ns - stamps_ns[number - CHATTER_EVENTS] < CHATTER_NS
        goes_on = stamps_ns[number + 1] - t_ns < KEPT_EVERY_NS
        if is_chatter and goes_on and t_ns - kept_ns < KEPT_EVERY_NS:
            found.append(places[number])
        else:
            kept_ns = t_ns
    return found
