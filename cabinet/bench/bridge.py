"""From a contact of a bridge to the published snapshot, in real time, while the busiest picture is drawn.

The bridge is the one in software, on a pseudo terminal: the firmware's own code, with a thread of this process
where a microcontroller has a processor of its own. From pyserial on all is the cabinet's own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import closing
from random import Random
from typing import Final

import msgspec

from cabinet.bench.delay import ContactThread, plan
from cabinet.bench.figures import Spread, in_ms, spread_ms
from cabinet.bench.running import BEFORE_PRESSES_NS, MS, running_on
from cabinet.buttons.edges import Line
from firmware_bridge.bridge import BridgeSource
from firmware_bridge.simulator import PtyBridge

NEAR_NS: Final = 30 * MS
"""A line's presses lie more than 90 ms apart, and no map of a clock is wrong by so much."""

Stamp = tuple[Line, int]


class BridgeDelay(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of the way through the bridge."""

    delay: Spread
    """Since the contact closed."""
    presses: int
    presses_unanswered: int
    """Presses whose sign was in no snapshot."""
    stamps_wrong_ms: float
    """How far at most a press was stamped from its contact, in host time: what the map of the clock leaves."""
    frames_per_s: float
    """Drawn meanwhile."""


class NoBridgeAnswerError(Exception):
    """Not one press was answered; the text says why in one line."""


def measure(*, presses: int = 1_100, rng: Random | None = None) -> BridgeDelay:
    """Makes so many presses, twelve milliseconds apart; to be called from the main thread.

    Takes three seconds more than the presses do. Raises NoBridgeAnswerError when game or bridge has failed.
    """
    rng = rng or Random(1)
    with closing(PtyBridge(chance=Random(rng.getrandbits(32)))) as device:
        source = BridgeSource(device.place)
        with running_on(source, rng) as cabinet:
            first_ns = time.monotonic_ns() + BEFORE_PRESSES_NS

            def move(line: Line, closes: bool, _now_ns: int) -> None:
                device.contact(line, closes)

            contacts = ContactThread(move, plan(first_ns, presses, rng))
            contacts.start()
            try:
                frames_per_s = cabinet.draw(first_ns, lambda: not contacts.is_at_work)
            finally:
                contacts.stop()
        return summed_up(contacts.stamps, cabinet.signs.published_ns, frames_per_s)


def summed_up(made: list[Stamp], published_ns: dict[Stamp, int], frames_per_s: float) -> BridgeDelay:
    """When contacts closed, and when the sign of each stamp was published. Raises NoBridgeAnswerError."""
    answered = [(one, stamp) for one in made if (stamp := nearest(one, published_ns)) is not None]
    if not answered:
        raise NoBridgeAnswerError("No press on the bridge was answered in real time; the log says why.")
    return BridgeDelay(
        delay=spread_ms([published_ns[stamp] - one[1] for one, stamp in answered]),
        presses=len(made),
        presses_unanswered=len(made) - len(answered),
        stamps_wrong_ms=in_ms(max(abs(stamp[1] - one[1]) for one, stamp in answered)),
        frames_per_s=frames_per_s,
    )


def nearest(made: Stamp, stamps: Iterable[Stamp]) -> Stamp | None:
    """The stamp of that line that is nearest to when the contact closed; None when none is near."""
    own = [stamp for stamp in stamps if stamp[0] == made[0] and abs(stamp[1] - made[1]) <= NEAR_NS]
    return min(own, key=lambda stamp: abs(stamp[1] - made[1]), default=None)
