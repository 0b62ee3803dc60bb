"""A microcontroller's hardware in software: a clock that drifts, contacts, lamps. The firmware runs on it."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Callable, Mapping
from random import Random
from typing import TYPE_CHECKING, Final

from cabinet.buttons.edges import Line
from firmware_bridge.firmware.capture_program import FIRST_COUNT, PERIOD_US
from firmware_bridge.firmware.pins import read_pins

if TYPE_CHECKING:
    from firmware_bridge.firmware.hardware import Port

RELEASED: Final = 0xFFFFFFFF
"""All lines high: every contact is open."""

RING_WORDS: Final = 4_096
WORN_WORDS: Final = 1 << 27
TICKS_MASK: Final = 0x3FFFFFFF
FULL_DUTY: Final = 65_535
MICROSECOND_NS: Final = 1_000


class SimulatedClock:
    """A microcontroller's crystal: from host time to microseconds since it got power."""

    def __init__(self, started_ns: int, ppm: float, began_us: int) -> None:
        """It gains `ppm` on the host's, and shows `began_us` at host time `started_ns`."""
        self._started_ns = started_ns
        self._parts_per_billion = round(1_000 * ppm)
        self._began_us = began_us

    def exact_ns(self, host_ns: int) -> int:
        """Nanoseconds of the device at a host time."""
        passed_ns = host_ns - self._started_ns
        gained_ns = passed_ns * self._parts_per_billion // 1_000_000_000
        return self._began_us * MICROSECOND_NS + passed_ns + gained_ns


class SimulatedSamples:
    """The ring of samples, written when a contact moves; see firmware/hardware.py for what each name means."""

    period_us = PERIOD_US
    base = 0
    size = RING_WORDS

    def __init__(self, now_us: Callable[[], int], lines: int) -> None:
        """`lines`: the levels of all lines now."""
        self.words = array("I", bytes(4 * RING_WORDS))
        self._now_us = now_us
        self._lines = lines
        self._begun_us = 0
        self._count = 0
        self.started_us = 0
        self.restart()

    def restart(self) -> None:
        """Begins anew."""
        self._begun_us = self._now_us()
        self.started_us = self._begun_us & TICKS_MASK
        self._count = 0
        self.change(self._lines, self._begun_us)

    def change(self, lines: int, sample_us: int) -> None:
        """The sample of that microsecond is the first to see these levels."""
        self._lines = lines
        place = self._count % self.size
        self.words[place] = lines
        self.words[place + 1] = (FIRST_COUNT - (sample_us - self._begun_us) // PERIOD_US) & 0xFFFFFFFF
        self._count += 2

    def written(self) -> int:
        """Words written."""
        return self._count

    def levels(self) -> int:
        """All lines now."""
        return self._lines

    def is_running(self) -> bool:
        """Always."""
        return True

    def is_worn(self) -> bool:
        """Whether the count is high."""
        return self._count > WORN_WORDS

    def pause(self) -> None:
        """Nothing writes meanwhile."""

    def rearm(self) -> None:
        """Goes on at the ring's begin."""
        self._count = 0

    def stop(self) -> None:
        """Nothing writes by itself."""


class SimulatedBoard:
    """The board from one boot to the next; see firmware/hardware.py for what each name means.

    `look` gives the host time of the board's present; what the board does takes time only by that.
    """

    name = "A bridge in software"
    was_reset = False
    crash = ""

    def __init__(
        self, pins_text: str, port: Port, look: Callable[[], int], chance: Random, *, ppm: float = 0.0
    ) -> None:
        self.unique_id = chance.getrandbits(64)
        self.port = port
        self.lamps: dict[Line, int] = {}
        """How bright each lamp is, from 0 to 65535."""
        self.pins = read_pins(pins_text)
        """Which line is which button."""
        self._pins_text = pins_text
        self._gpios = dict(zip(self.pins.names, self.pins.gpios, strict=True))
        self._look = look
        self._chance = chance
        self._ppm = ppm
        self._lines = RELEASED
        self._samples: SimulatedSamples | None = None
        self._planned: list[tuple[int, int, Line, bool]] = []
        self._planned_count = 0
        self._moved_ns = 0
        self.boot()

    def boot(self) -> None:
        """Power comes: the clock begins anew."""
        self._clock = SimulatedClock(self._look(), self._ppm, self._chance.randrange(1_000, 100_000))
        self._samples = None
        self.lamps = {}

    # Contacts

    def plan(self, line: Line, closed: bool, at_ns: int) -> None:
        """A contact moves at host time `at_ns`, or at once if that is past.

        Raises ValueError for a line without a pin.
        """
        if line not in self._gpios:
            raise ValueError(f"{line!r} has no pin on this board; it has {', '.join(sorted(self._gpios))}")
        heapq.heappush(self._planned, (at_ns, self._planned_count, line, closed))
        self._planned_count += 1

    def next_ns(self) -> int | None:
        """When the next contact moves; None when none is planned."""
        return self._planned[0][0] if self._planned else None

    def move_contacts(self, until_ns: int) -> int:
        """What was planned up to host time `until_ns` happens; how many contacts moved."""
        moved = 0
        while self._planned and self._planned[0][0] <= until_ns:
            at_ns, _, line, closed = heapq.heappop(self._planned)
            self._moved_ns = max(self._moved_ns, at_ns)
            bit = 1 << self._gpios[line]
            lines = self._lines & ~bit if closed else self._lines | bit
            if lines != self._lines and self._samples is not None:
                self._samples.change(lines, -(-self._clock.exact_ns(self._moved_ns) // MICROSECOND_NS))
            self._lines = lines
            moved += 1
        self._moved_ns = max(self._moved_ns, until_ns)
        return moved

    # What the firmware asks of a board

    def ticks_us(self) -> int:
        """The counter of microseconds."""
        return self._now_us() & TICKS_MASK

    def draw_id(self) -> int:
        """32 bits by chance."""
        return self._chance.getrandbits(32)

    def pins_text(self) -> str:
        """The file of pins."""
        return self._pins_text

    def start_samples(self, gpios: list[int]) -> SimulatedSamples:  # noqa: ARG002 (a board's interface)
        """Samples from now on."""
        self._samples = SimulatedSamples(self._now_us, self._lines)
        return self._samples

    def start_lamps(self, gpios: list[int]) -> None:
        """Outputs, dark."""
        names: Mapping[int, Line] = dict(enumerate(self.pins.names))
        self._lamp_lines = [names[button] for button in self.pins.lamp_buttons]
        assert len(gpios) == len(self._lamp_lines)
        self.lamps = dict.fromkeys(self._lamp_lines, 0)

    def set_lamp(self, index: int, duty: int) -> None:
        """One lamp's duty cycle."""
        self.lamps[self._lamp_lines[index]] = duty

    def set_led(self, is_lit: bool) -> None:
        """It has none."""

    def start_watchdog(self, timeout_ms: int) -> None:
        """It has none."""

    def feed_watchdog(self) -> None:
        """It has none."""

    def stop_watchdog(self) -> None:
        """It has none."""

    def tidy(self) -> None:
        """Nothing to tidy."""

    def _now_us(self) -> int:
        return self._clock.exact_ns(self._look()) // MICROSECOND_NS
