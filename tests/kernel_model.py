"""A model of the kernel's GPIO events, in virtual time: what it does with stamps, numbers, threads and its buffer.

In an interrupt it stamps the edge and numbers it among all lines of the claim; a later interrupt of the same line
overwrites both. A thread of that line wakes later, takes stamp and number, reads the level, numbers the event
within its line and queues it. An interrupt that comes meanwhile makes it do so once more; if it then finds the
stamp taken already, it stamps and numbers the event itself. A full buffer drops its oldest event.
Nothing here sleeps: waiting moves the clock.
"""

from __future__ import annotations

import errno
import heapq
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from random import Random

from cabinet.buttons.edges import Edge, Line, SourceError
from cabinet.buttons.gpio_chip import GpioChipSource
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.intake import Intake, Taken
from cabinet.buttons.kernel_lines import BUFFER_EVENTS
from cabinet.buttons.sequence import RawEvent

MS = 1_000_000
US = 1_000
START_NS = 1_000_000 * MS
READY_NS = START_NS + 300 * MS

WAKES_AFTER_NS = 20 * US
"""From the queueing of an event until a process that waits for it runs."""

RISING, FALLING = 1, 2


class ModelLine:
    """One line: its contact, and what interrupt and thread share."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.closed = False
        self.forget()

    def forget(self) -> None:
        """As when it is claimed."""
        self.stamp_ns = 0
        self.number = 0
        self.line_number = 0
        self.is_woken = self.is_at_work = False


class KernelModel:
    """The kernel, the wires below it and the clock above it; stands in for `open_lines` and `KernelLines`."""

    def __init__(self, settings: GpioSettings | None = None, chance: Random | None = None) -> None:
        self.settings = settings or GpioSettings()
        self.now_ns = START_NS
        self.chance = chance or Random(1)
        self.late_ns: Callable[[], int] = lambda: 30 * US
        """How long after its interrupt a line's thread runs, drawn for each."""
        self.step_ns: Callable[[], int] = lambda: 0
        """How long the thread takes from waking to taking the stamp, and from there to reading the level."""
        self.lines = {line: ModelLine(offset) for line, offset in self.settings.pins.items()}
        self.buffer: deque[RawEvent] = deque(maxlen=BUFFER_EVENTS)
        self.number = 0
        """The last that was given to an interrupt, or to a thread that found no stamp."""
        self.is_there = True
        self.refusal: str | None = None
        """Why the lines cannot be claimed."""
        self.claims = self.closings = 0
        self.waits_ns: list[int] = []
        self.reading_ns = 0
        """How long the process takes to read."""
        self._planned: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    # Wires

    def change(self, line: Line, closed: bool, at_ns: int) -> None:
        """Plan a contact's change."""
        self._plan(at_ns, lambda: self._change(self.lines[line], closed))

    def press(self, line: Line, at_ns: int, trace: Iterable[tuple[int, bool]] = ((0, True),)) -> None:
        """Plan changes at microseconds after `at_ns`."""
        for us, closed in trace:
            self.change(line, closed, at_ns + us * US)

    def lose(self, line: Line, closed: bool, at_ns: int) -> None:
        """Plan a change that raises no interrupt."""

        def happen() -> None:
            self.lines[line].closed = closed

        self._plan(at_ns, happen)

    def _change(self, line: ModelLine, closed: bool) -> None:
        if line.closed != closed:
            line.closed = closed
            self._interrupt(line)

    # Kernel

    def _interrupt(self, line: ModelLine) -> None:
        if not self.is_claimed:
            return
        self._stamp(line)
        if not line.is_woken:
            line.is_woken = True
            if not line.is_at_work:
                self._plan(self.now_ns + self.late_ns(), lambda: self._wake(line))

    def _stamp(self, line: ModelLine) -> None:
        self.number += 1
        line.stamp_ns, line.number = self.now_ns, self.number

    def _wake(self, line: ModelLine) -> None:
        if self.is_claimed:
            line.is_woken, line.is_at_work = False, True
            self._soon(lambda: self._take(line))

    def _take(self, line: ModelLine) -> None:
        if not line.stamp_ns:
            self._stamp(line)
        stamp_ns, number = line.stamp_ns, line.number
        line.stamp_ns = 0
        self._soon(lambda: self._queue(line, stamp_ns, number))

    def _queue(self, line: ModelLine, stamp_ns: int, number: int) -> None:
        if not self.is_claimed:
            return
        line.line_number += 1
        kind = RISING if line.closed else FALLING
        self.buffer.append((stamp_ns, kind, line.offset, number % (1 << 32), line.line_number))
        line.is_at_work = False
        if line.is_woken:
            self._wake(line)

    def _soon(self, happen: Callable[[], None]) -> None:
        wait_ns = self.step_ns()
        if wait_ns:
            self._plan(self.now_ns + wait_ns, happen)
        else:
            happen()

    def _plan(self, at_ns: int, happen: Callable[[], None]) -> None:
        heapq.heappush(self._planned, (at_ns, self._count, happen))
        self._count += 1

    def run_until(self, until_ns: int, *, until_readable: bool = False) -> bool:
        """Lets time pass, at most until something can be read; whether it can."""
        while not (until_readable and self.is_readable):
            if not self._planned or self._planned[0][0] > until_ns:
                self.now_ns = max(self.now_ns, until_ns)
                break
            at_ns, _, happen = heapq.heappop(self._planned)
            self.now_ns = max(self.now_ns, at_ns)
            happen()
        return self.is_readable

    def vanish(self) -> None:
        """The chip is taken away."""
        self.is_there = False
        self.buffer.clear()

    @property
    def is_claimed(self) -> bool:
        return self.claims > self.closings

    @property
    def is_readable(self) -> bool:
        return bool(self.buffer) or not self.is_there

    # What stands in for libgpiod

    def open_lines(self, pins: Mapping[Line, int]) -> KernelModel:
        assert pins == self.settings.pins
        if not self.is_there:
            raise SourceError("no GPIO header of a Raspberry Pi was found")
        if self.refusal is not None:
            raise SourceError(self.refusal)
        self.claims += 1
        self.number = 0
        self.buffer.clear()
        for line in self.lines.values():
            line.forget()
        return self

    def clock_ns(self) -> int:
        return self.now_ns

    def wait(self, timeout_ns: int) -> bool:
        self.waits_ns.append(timeout_ns)
        if timeout_ns == 0 or self.is_readable:
            return self.is_readable
        if self.run_until(self.now_ns + timeout_ns, until_readable=True):
            self.run_until(self.now_ns + WAKES_AFTER_NS)
        return self.is_readable

    def read(self) -> list[RawEvent]:
        self._must_be_there()
        assert self.buffer, "a read would block"
        events = list(self.buffer)
        self.buffer.clear()
        self.run_until(self.now_ns + self.reading_ns)
        return events

    def levels(self) -> dict[Line, bool]:
        self._must_be_there()
        return {line: one.closed for line, one in self.lines.items()}

    def close(self) -> None:
        self.closings = self.claims

    def _must_be_there(self) -> None:
        if not self.is_there:
            raise OSError(errno.ENODEV, "No such device")


class ChipBench:
    """The source on the model, stepped by hand, and an intake that is stepped as the game's thread does."""

    def __init__(self, kernel: KernelModel | None = None) -> None:
        self.kernel = kernel or KernelModel()
        self.source = GpioChipSource(self.kernel.settings, self.kernel.open_lines, self.kernel.clock_ns)
        self.source._pause = self._pause
        self.edges: list[Edge] = []
        self.inbox: list[Edge] = []
        self.intake = Intake()
        self.presses: list[tuple[Line, int]] = []
        self.taken: Taken | None = None

    def start(self) -> ChipBench:
        self.source.claim(self._deliver)
        return self

    def settled(self) -> ChipBench:
        """Started, and the time of settling is over."""
        self.start()
        self.run_until(READY_NS)
        return self

    def run_until(self, until_ns: int) -> None:
        while self.kernel.now_ns < until_ns:
            self.source.round()

    def play_until(self, until_ns: int) -> None:
        """As `run_until`, and after each round the game takes what came."""
        while self.kernel.now_ns < until_ns:
            self.source.round()
            self.take()

    def take(self) -> None:
        now_ns = self.kernel.now_ns
        statuses = [self.source.status(now_ns)]
        came, self.inbox = self.inbox, []
        self.taken = self.intake.take(came, statuses, now_ns)
        self.presses += [(press.line, press.t_ns) for cluster in self.taken.clusters for press in cluster]

    def stop_process(self, for_ns: int) -> None:
        """SIGSTOP and SIGCONT: the kernel goes on, we do not."""
        self.kernel.run_until(self.kernel.now_ns + for_ns)

    def _deliver(self, edge: Edge) -> None:
        self.edges.append(edge)
        self.inbox.append(edge)

    def _pause(self, seconds: float) -> None:
        self.kernel.run_until(self.kernel.now_ns + round(seconds * 1_000_000_000))
