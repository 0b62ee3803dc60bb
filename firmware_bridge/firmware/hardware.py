"""What the firmware asks of its hardware; board.py gives it on a microcontroller, tests give it in software.

For readers and type checkers: nothing imports this file at run time.
"""

from array import array
from typing import Protocol


class Samples(Protocol):
    """A ring of samples that hardware fills: pairs of words, all lines at one instant and the count left then."""

    words: "array[int]"
    """The memory; a pair lies at `base` plus its number times two, modulo `size`.

    The count is 0xFFFFFFFF at the first sample and one less with each; lines are levels, bit n for GPIO n.
    """
    base: int
    size: int
    """In words, a power of two."""
    started_us: int
    """The ticks at the first sample."""
    period_us: int
    """Microseconds from sample to sample."""

    def written(self) -> int:
        """How many words the hardware has written since the start or the last rearm."""

    def levels(self) -> int:
        """All lines read now, past the ring."""

    def is_running(self) -> bool:
        """Whether the hardware samples, and nothing it sampled was lost on the way to memory."""

    def is_worn(self) -> bool:
        """Whether `rearm` is due: the count of words nears its end."""

    def pause(self) -> None:
        """Nothing is written until `rearm`; sampling goes on, and a few changes wait in the hardware."""

    def rearm(self) -> None:
        """Goes on at `base`, with nothing written."""

    def restart(self) -> None:
        """Begins anew: first sample, `started_us`, nothing written."""

    def stop(self) -> None:
        """No sampling, and nothing writes to memory any more."""


class Port(Protocol):
    """The serial line. It never waits."""

    def read(self) -> bytes:
        """The bytes that have come, none when there are none."""

    def is_ready(self) -> bool:
        """Whether at least a byte would be taken now."""

    def write(self, data: "bytes | memoryview") -> int:
        """How many of the first bytes were taken; 0 when it is not ready."""


class Board(Protocol):
    """A microcontroller."""

    name: str
    unique_id: int
    was_reset: bool
    """Whether the last boot was the watchdog's or a crash's doing."""
    crash: str
    """What that crash left written; empty when nothing."""

    @property
    def port(self) -> Port:
        """The line to the host."""

    def ticks_us(self) -> int:
        """A counter of microseconds that wraps at 2**30 or a higher power of two."""

    def draw_id(self) -> int:
        """Any number of 32 bits."""

    def pins_text(self) -> str:
        """The file of pins, empty when there is none."""

    def start_samples(self, gpios: "list[int]") -> Samples:
        """Inputs with pull-ups, sampled from now on."""

    def start_lamps(self, gpios: "list[int]") -> None:
        """Outputs, dark."""

    def set_lamp(self, index: int, duty: int) -> None:
        """The lamp of that place in `start_lamps`: duty cycle from 0 to 65535."""

    def set_led(self, is_lit: bool) -> None:
        """The light on the board itself."""

    def start_watchdog(self, timeout_ms: int) -> None:
        """From now on `feed_watchdog` must come in time, or the board boots anew."""

    def feed_watchdog(self) -> None:
        """A sign of life."""

    def stop_watchdog(self) -> None:
        """No sign of life is asked for any more."""

    def tidy(self) -> None:
        """Collect garbage: this is a good moment."""
