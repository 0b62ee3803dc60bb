"""The device's clock: microseconds as 64 bits, from counters that wrap."""

TICKS_MASK = 0x3FFFFFFF
"""MicroPython's ticks_us wraps at 2**30: after 17.9 minutes."""

WORD = 0x100000000


class Clock:
    """Stamps that never go back. It must be read at least every 17 minutes; the loop reads it in every turn."""

    def __init__(self, ticks_us) -> None:  # type: ignore[no-untyped-def]  # MicroPython has no Callable
        self._ticks_us = ticks_us
        self._last = ticks_us() & TICKS_MASK
        self._now_us = self._last

    def now_us(self) -> int:
        """Microseconds since boot."""
        ticks = self._ticks_us() & TICKS_MASK
        self._now_us += (ticks - self._last) & TICKS_MASK
        self._last = ticks
        return int(self._now_us)

    def stamp_of(self, ticks: int) -> int:
        """The stamp of ticks that were read at most 17 minutes ago."""
        now_us = self.now_us()
        return int(now_us - ((self._last - ticks) & TICKS_MASK))


def nearest(low_word: int, about: int) -> int:
    """The number whose low 32 bits these are and that is nearest to `about`."""
    return about + ((low_word - about + WORD // 2) % WORD) - WORD // 2
