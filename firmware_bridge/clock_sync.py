"""A microcontroller's clock in host time, with a bound that holds whatever the link does.

Nothing is estimated, only fenced in. A ping was sent before the device received it, a pong was sent before the
host received it, and so was every beat. So each frame puts one fence, below or above, to the offset (host time
less device time) at one device time. Away from there a fence recedes by the drift limit, because the two clocks
may run apart by that much; the innermost fence on each side is kept, and between the two lies the offset.
Nothing is assumed of the link: no symmetry, no usual delay; a busy host only widens the gap. The one assumption
is the drift limit. The bound is half of the shortest way there and the shortest way back of late, and some 60 µs
for the drift since them: 400 µs as long as the two ways together are at times below 0.6 ms.

The host's clock has to be one whose rate nobody adjusts: CLOCK_MONOTONIC_RAW. What sets a computer's clock by the
network (NTP) makes CLOCK_MONOTONIC run off by far more than the limit for seconds. A caller that needs that clock
reads both at once when it asks, and adds their difference to the offset.

Pure, integer nanoseconds. Not thread-safe.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

DRIFT_LIMIT_PPM: Final = 100
"""How far the clocks may run apart. Crystals of computers and of microcontrollers are within ± 50 each."""

STAMP_ERR_NS: Final = 1_000
"""A device's stamp is cut off to microseconds."""

SETTLED_TRIPS: Final = 8
"""Round trips until a map counts as settled: with one frame in ten stalled, all eight are in 1 of 10^8 maps."""

SLEW_PPM: Final = 500
"""How fast a settled offset follows the middle between the fences: half of what the intake follows at once."""


class Wild(StrEnum):
    """What is wrong with a round trip, or with the clocks, in words for the log."""

    NEGATIVE = "A reply came earlier than it can have: the round trip is ignored."
    ROSE = "The device's clock went back or stood still: its map begins anew."
    FELL = (
        "The host's clock stood still (was the computer suspended?), or the device's leapt: the map begins anew."
    )


class Estimate(msgspec.Struct, frozen=True, gc=False):
    """Host time less device time at one device time."""

    offset_ns: int
    err_ns: int
    """A promise: the true offset is within plus or minus this."""
    is_settled: bool
    """False while so few round trips were made that the offset may still move by leaps."""
    epoch: int
    """Counts the maps: times of different epochs do not belong to one clock."""


class _Fence:
    """The offset is on one side of `value_ns` at device time `at_ns`, and further out away from there."""

    __slots__ = ("at_ns", "value_ns")

    def __init__(self, at_ns: int, value_ns: int) -> None:
        self.at_ns = at_ns
        self.value_ns = value_ns


class ClockSync:
    """The map of one device's clock. A new boot id, or a clock that leapt, begins it anew."""

    def __init__(self, *, drift_limit_ppm: int = DRIFT_LIMIT_PPM, stamp_err_ns: int = STAMP_ERR_NS) -> None:
        self._drift_limit_ppm = drift_limit_ppm
        self._stamp_err_ns = stamp_err_ns
        self._boot_id: int | None = None
        self._lower: _Fence | None = None
        self._upper: _Fence | None = None
        self._offset_ns = self._goal_ns = 0
        self._moved_at_ns = 0
        self._trips = 0
        self.epoch = 0
        """Counts the maps, the first is 1; 0 before the first round trip."""
        self.needs_ping = True
        """Whether a ping should be sent at once: there is no map, or a beat did not fit into it."""
        self.ignored_beats = 0
        """Since the start: beats that did not fit into the map."""
        self.wild: dict[Wild, int] = dict.fromkeys(Wild, 0)
        """Since the start: how often each went wrong."""

    def greeted(self, boot_id: int) -> None:
        """The device told its boot id: another one than the last begins a new map."""
        if boot_id != self._boot_id:
            self._boot_id = boot_id
            self._lower = self._upper = None
            self.needs_ping = True

    def round_trip(self, sent_ns: int, received_ns: int, replied_ns: int, heard_ns: int) -> Wild | None:
        """A ping and its pong: host time before sending, device times of receipt and reply, host time after.

        Both are of the device's last greeting. Returns what was wrong, if anything; the log is the caller's work.
        """
        if self._is_impossible(heard_ns - sent_ns, replied_ns - received_ns):
            self.wild[Wild.NEGATIVE] += 1
            return Wild.NEGATIVE
        lower = _Fence(received_ns, sent_ns - received_ns - self._stamp_err_ns)
        upper = _Fence(replied_ns, heard_ns - replied_ns + self._stamp_err_ns)
        self.needs_ping = False
        if self._lower is None or self._upper is None:
            self._begin(lower, upper)
            return None
        if lower.value_ns > self._upper_at(self._upper, received_ns):
            return self._leap(Wild.ROSE, lower, upper)
        if upper.value_ns < self._lower_at(self._lower, replied_ns):
            return self._leap(Wild.FELL, lower, upper)
        self._trips += 1
        self._lower = self._inner_lower(self._lower, lower)
        self._upper = self._inner_upper(self._upper, upper)
        self._follow(replied_ns)
        return None

    def beat(self, device_ns: int, heard_ns: int) -> None:
        """A frame told a device time that had passed when it was sent; the host read it before `heard_ns`.

        It narrows the map from above only. One that does not fit is ignored and asks for a ping, which will tell.
        """
        if self._lower is None or self._upper is None:
            return
        upper = _Fence(device_ns, heard_ns - device_ns + self._stamp_err_ns)
        if upper.value_ns < self._lower_at(self._lower, device_ns):
            self.ignored_beats += 1
            self.needs_ping = True
            return
        self._upper = self._inner_upper(self._upper, upper)
        self._follow(device_ns)

    def estimate(self, device_ns: int) -> Estimate | None:
        """The offset at a device time, best near the newest frames; None before the first round trip."""
        if self._lower is None or self._upper is None:
            return None
        offset_ns = self._offset_at(device_ns)
        above_ns = self._upper_at(self._upper, device_ns) - offset_ns
        below_ns = offset_ns - self._lower_at(self._lower, device_ns)
        return Estimate(
            offset_ns=offset_ns,
            err_ns=max(above_ns, below_ns),
            is_settled=self._trips >= SETTLED_TRIPS,
            epoch=self.epoch,
        )

    def _is_impossible(self, outside_ns: int, inside_ns: int) -> bool:
        """Whether the device held a ping longer than the host waited for the pong."""
        return inside_ns < 0 or outside_ns < inside_ns - self._drift_ns(inside_ns) - 2 * self._stamp_err_ns

    def _begin(self, lower: _Fence, upper: _Fence) -> None:
        self._lower = lower
        self._upper = upper
        self._trips = 1
        self._moved_at_ns = upper.at_ns
        self.epoch += 1
        self._follow(upper.at_ns)

    def _leap(self, wild: Wild, lower: _Fence, upper: _Fence) -> Wild:
        self.wild[wild] += 1
        self._begin(lower, upper)
        return wild

    def _follow(self, device_ns: int) -> None:
        """Makes the middle between the fences the offset's goal; before the map is settled, the offset itself."""
        assert self._lower is not None
        assert self._upper is not None
        self._offset_ns = self._offset_at(device_ns)
        self._moved_at_ns = max(self._moved_at_ns, device_ns)
        self._goal_ns = (self._lower_at(self._lower, device_ns) + self._upper_at(self._upper, device_ns)) // 2
        if self._trips < SETTLED_TRIPS:
            self._offset_ns = self._goal_ns

    def _offset_at(self, device_ns: int) -> int:
        """The offset on its way to the goal, no faster than SLEW_PPM."""
        limit_ns = max(0, device_ns - self._moved_at_ns) * SLEW_PPM // 1_000_000
        return self._offset_ns + max(-limit_ns, min(limit_ns, self._goal_ns - self._offset_ns))

    def _inner_lower(self, old: _Fence, new: _Fence) -> _Fence:
        newest_ns = max(old.at_ns, new.at_ns)
        return new if self._lower_at(new, newest_ns) >= self._lower_at(old, newest_ns) else old

    def _inner_upper(self, old: _Fence, new: _Fence) -> _Fence:
        newest_ns = max(old.at_ns, new.at_ns)
        return new if self._upper_at(new, newest_ns) <= self._upper_at(old, newest_ns) else old

    def _lower_at(self, fence: _Fence, device_ns: int) -> int:
        return fence.value_ns - self._drift_ns(device_ns - fence.at_ns)

    def _upper_at(self, fence: _Fence, device_ns: int) -> int:
        return fence.value_ns + self._drift_ns(device_ns - fence.at_ns)

    def _drift_ns(self, span_ns: int) -> int:
        """How far the clocks may have run apart within this span between two stamps, rounded up."""
        longest_ns = abs(span_ns) + self._stamp_err_ns
        return -(-longest_ns * self._drift_limit_ppm // 1_000_000)
