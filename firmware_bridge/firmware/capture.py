"""From the hardware's samples to numbered edges.

The error of a stamp. Samples are 1 µs apart, to the cycle. An edge that a sample is the first to see happened
after the sample before it, so in the microsecond that ends with it: the stamp is that sample's, the error 1 µs,
and two edges whose stamps differ happened in that order. What the wire and the pins' synchroniser take (two system
cycles) is the same for all lines. The first sample lies in one known microsecond of the timer (samples.py), so the
stamps' clock and the timer, which pongs tell, differ by less than CLOCKS_US.
"""

from firmware_bridge.firmware.capture_program import FIRST_COUNT
from firmware_bridge.firmware.clock import WORD, Clock, nearest
from firmware_bridge.firmware.edge_ring import EdgeRing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_bridge.firmware.hardware import Samples

ERR_US = 1
CLOCKS_US = 2

SETTLE_US = 3
"""From a sample's stamp until it is in memory for certain: CLOCKS_US, and less than 1 µs on the way."""

MOST_PAIRS = 64
"""Taken in one turn, so that the link gets its turns while contacts chatter."""

DEAD_AFTER = 3
"""Checks in a row that must fail before the capture counts as dead: one may fall into a bounce."""


class NoCapture:
    """What stands in for the capture when there are no buttons, because the pins are wrong."""

    levels = 0
    is_alive = True

    def __init__(self, clock: Clock) -> None:
        self.ring = EdgeRing(1)
        self.watermark_us = 0
        self._clock = clock

    def drain(self) -> None:
        """Nothing comes."""
        self.watermark_us = self._clock.now_us() - SETTLE_US

    def check(self) -> bool:
        """Nothing can go wrong."""
        return True

    def restart(self) -> None:
        """Nothing begins."""


class Capture:
    """Takes samples from the hardware's ring into the ring of edges."""

    def __init__(self, samples: "Samples", gpios: "list[int]", ring: EdgeRing, clock: Clock) -> None:
        """`gpios`: the line of each button, by the button's number. A button is closed while its line is low."""
        self.ring = ring
        self.watermark_us = 0
        """Every edge up to here is in the ring of edges."""
        self.is_alive = True
        """False from when checks found samples missing until one finds all well."""
        self._samples = samples
        self._clock = clock
        self._failed = 0
        self._buttons = {1 << gpio: button for button, gpio in enumerate(gpios)}
        self._mask = sum(self._buttons)
        self._lines = 0
        self._knows_lines = False
        self._read = 0
        self._first_us = 0
        self._begin()

    @property
    def levels(self) -> int:
        """Bit n is 1 while button n is closed, as of the watermark."""
        levels = 0
        if self._knows_lines:
            for bit, button in self._buttons.items():
                if not self._lines & bit:
                    levels |= 1 << button
        return levels

    def drain(self) -> None:
        """Takes what was sampled until now, at most MOST_PAIRS of it."""
        now_us = self._clock.now_us()
        written = self._samples.written() & ~1
        if written - self._read > self._samples.size:
            self._fall_behind(written)
        last = min(written, self._read + 2 * MOST_PAIRS)
        while self._read < last:
            self._take(last, now_us)
        if self._read == written:
            self.watermark_us = max(self.watermark_us, now_us - SETTLE_US)
            if self._samples.is_worn():
                self._rearm(now_us)

    def check(self) -> bool:
        """False when `restart` is due: the capture does not run, or the lines are not what it saw last.

        To be asked right after `drain`.
        """
        is_good = self._samples.is_running()
        if is_good and self._samples.written() & ~1 == self._read:
            levels = self._samples.levels() & self._mask
            is_good = levels == self._lines or self._samples.written() & ~1 != self._read
        self._failed = 0 if is_good else self._failed + 1
        if is_good:
            self.is_alive = True
        elif self._failed >= DEAD_AFTER:
            self.is_alive = False
        return self._failed < DEAD_AFTER

    def restart(self) -> None:
        """Samples anew. What happened meanwhile is lost, and counted as one edge."""
        self._samples.restart()
        self.ring.lose(1)
        self._begin()

    def _begin(self) -> None:
        self._first_us = self._clock.stamp_of(self._samples.started_us)
        self._read = 0
        self._knows_lines = False
        self._failed = 0

    def _take(self, last: int, now_us: int) -> None:
        """Takes the pairs up to word number `last`, or up to the ring's end.

        They are copied, and only then it is asked whether the hardware has overtaken us meanwhile.
        """
        samples = self._samples
        read = self._read
        place = read & (samples.size - 1)
        count = min(last - read, samples.size - place)
        words = samples.words[samples.base + place : samples.base + place + count]
        if samples.written() - read > samples.size:
            self._fall_behind(samples.written() & ~1)
            return
        self._read = read + count
        about = now_us - self._first_us
        period_us = samples.period_us
        for index in range(0, count, 2):
            elapsed_us = nearest((FIRST_COUNT - words[index + 1]) * period_us % WORD, about)
            self._see(words[index] & self._mask, self._first_us + elapsed_us)

    def _see(self, lines: int, stamp_us: int) -> None:
        changed = lines ^ self._lines if self._knows_lines else 0
        self._lines = lines
        self._knows_lines = True
        self.watermark_us = max(self.watermark_us, stamp_us)
        while changed:
            bit = changed & -changed
            changed ^= bit
            self.ring.add(stamp_us, self._buttons[bit], not lines & bit)

    def _fall_behind(self, written: int) -> None:
        """The hardware has overtaken us: go on with its newest half. What is skipped is counted, one edge a pair.

        The first pair after the gap only tells the lines: what changed in it has no stamp, and the host learns of
        it from the levels.
        """
        first = written - self._samples.size // 2
        self.ring.lose((first - self._read) // 2 + 1)
        self._read = first
        self._knows_lines = False

    def _rearm(self, now_us: int) -> None:
        self._samples.pause()
        written = self._samples.written() & ~1
        while self._read < written:
            self._take(written, now_us)
        self._samples.rearm()
        self._read = 0
