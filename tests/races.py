"""Races written by hand, for the paths that decide them."""

from __future__ import annotations

from typing import Final

from cabinet.bench.fairness.delivery import Stall
from cabinet.bench.fairness.races import Contact, Race
from cabinet.engine.table import Seat

US: Final = 1_000
MS: Final = 1_000_000
BEGINS_NS: Final = 100 * MS
HOLD_NS: Final = 60 * MS
RESTS_AFTER_NS: Final = 200 * MS


def contact(
    seat: Seat,
    closes_ns: int,
    *,
    bounce_us: tuple[int, ...] = (),
    delay_ns: int = 0,
    off_ns: int = 0,
    err_ns: int = 0,
) -> Contact:
    """A press that begins `closes_ns` into the race and lasts 60 ms.

    `bounce_us`: when it opens and closes again, since it began. `delay_ns`: how late every edge is delivered.
    `off_ns`: by how much every stamp is wrong.
    """
    began_ns = BEGINS_NS + closes_ns
    changes_ns = (began_ns, *(began_ns + us * US for us in bounce_us), began_ns + HOLD_NS)
    stamps_ns = tuple(change_ns + off_ns for change_ns in changes_ns)
    arrivals_ns = tuple(stamp_ns + delay_ns for stamp_ns in stamps_ns)
    return Contact(seat, "1", changes_ns, stamps_ns, arrivals_ns, err_ns)


def race(a: Contact, b: Contact, stall: Stall | None = None) -> Race:
    """A race of two presses, with time to rest before and after."""
    return Race(a, b, BEGINS_NS - MS, BEGINS_NS + RESTS_AFTER_NS, stall)
