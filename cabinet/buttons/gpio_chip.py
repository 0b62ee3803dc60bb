"""Source: buttons on the kernel's GPIO character device, all lines in one claim. The best source on a Pi.

One thread reads; it only queues. What is lost on the way is found, counted and told: see `sequence`, `levels`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from threading import Event, Thread
from typing import Final

from cabinet.buttons.chip_reader import ChipReader, Tally
from cabinet.buttons.edges import HOST_CLOCK, Deliver, Line, SourceError, SourceStatus
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.kernel_lines import KernelLines, open_lines

OpenLines = Callable[[Mapping[Line, int]], KernelLines]
"""Claims lines by their GPIO numbers, or raises SourceError."""

FIRST_RETRY_NS: Final = 100_000_000
LAST_RETRY_NS: Final = 2_000_000_000
"""Lost lines are claimed again after 0.1 s, then each time twice as late, up to 2 s."""

STOP_WAIT_S: Final = 2.0

_NS_IN_S: Final = 1_000_000_000

log: Final = logging.getLogger(__name__)


class GpioChipSource:
    """Buttons on the chip behind the 40-pin header. `start` and `close` belong to one thread, `status` to any."""

    def __init__(
        self,
        settings: GpioSettings | None = None,
        open_lines: OpenLines = open_lines,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        name: str = "gpio",
        pause: Callable[[float], object] | None = None,
    ) -> None:
        """`clock_ns`: the host's CLOCK_MONOTONIC. `pause` lets so many seconds pass; None: until it is closed."""
        self.name = name
        self.tally = Tally(name)
        """What was delivered, made up, dropped and merged so far; may be read from any thread."""
        self._settings = settings or GpioSettings()
        self._open_lines = open_lines
        self._clock_ns = clock_ns
        self._stopping = Event()
        self._pause = pause or self._stopping.wait
        self._thread: Thread | None = None
        self._lines: KernelLines | None = None
        self._reader: ChipReader | None = None
        self._deliver: Deliver | None = None
        self._retry_ns = FIRST_RETRY_NS
        self._why_lost = ""
        self._trouble: str | None = None

    def start(self, deliver: Deliver) -> None:
        """Claim all lines, then deliver their edges from a thread of its own.

        Raises SourceError with one plain line.
        """
        self.claim(deliver)
        self._stopping.clear()
        self._thread = Thread(target=self._run, name=f"{self.name} reader", daemon=True)
        self._thread.start()

    def claim(self, deliver: Deliver) -> None:
        """Claim all lines and start no thread: somebody calls `round`. Raises SourceError with one plain line."""
        if mistakes := self._settings.mistakes():
            raise SourceError("; ".join(mistakes))
        self._deliver = deliver
        self._claim()

    def round(self) -> None:
        """One round of the reader's thread: reads and delivers, or tries to get lost lines back."""
        reader = self._reader
        if reader is None:
            self._pause(self._retry_ns / _NS_IN_S)
            if not self._stopping.is_set():
                self._claim_again()
            return
        rest_ns = 0
        try:
            rest_ns = reader.round()
        except OSError as error:
            self._lose(reader, error.strerror or str(error))
        except Exception as error:
            log.exception("The GPIO lines' reader failed; the lines are claimed anew")
            self._lose(reader, f"{type(error).__name__}: {error}")
        if rest_ns:
            self._pause(rest_ns / _NS_IN_S)

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything was delivered at the reader's last round. Thread-safe."""
        reader, thread = self._reader, self._thread
        if reader is not None and (thread is None or thread.is_alive()):
            return reader.status
        has_died = thread is not None and not thread.is_alive() and not self._stopping.is_set()
        trouble = (
            "The thread that reads the GPIO lines has ended: restart the game." if has_died else self._trouble
        )
        tally = self.tally
        return SourceStatus(
            source=self.name,
            clock=HOST_CLOCK,
            watermark_ns=now_ns,
            largest_err_ns=self._settings.err_us * 1000,
            is_live=False,
            trouble=trouble,
            losses=tally.dropped + tally.made_up,
            merged=tally.merged,
            left_out=tally.left_out,
        )

    def close(self) -> None:
        """End the thread, then let go of the lines. May be called twice."""
        self._stopping.set()
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join(STOP_WAIT_S)
            if thread.is_alive():
                log.error("The thread that reads the GPIO lines does not end; they stay claimed")
                return
        self._thread = self._reader = None
        self._trouble = None
        self._close_lines()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self.round()
        except Exception:
            log.exception("The thread that reads the GPIO lines has ended")

    def _claim(self) -> None:
        assert self._deliver is not None
        settings = self._settings
        self._lines = self._open_lines(settings.pins)
        try:
            self._reader = ChipReader(self._lines, settings, self._clock_ns, self._deliver, self.tally)
        except OSError as error:
            self._close_lines()
            raise SourceError(f"the GPIO lines were claimed, but cannot be read: {error}") from error

    def _lose(self, reader: ChipReader, why: str) -> None:
        self._why_lost = why
        self._trouble = f"The buttons' GPIO lines were lost ({why}): trying to get them back."
        self._retry_ns = FIRST_RETRY_NS
        self._reader = None
        log.error("%s", self._trouble)
        reader.let_go()
        self._close_lines()

    def _claim_again(self) -> None:
        try:
            self._claim()
        except SourceError as error:
            self._trouble = f"The buttons' GPIO lines were lost ({self._why_lost}) and are not back: {error}"
            self._retry_ns = min(2 * self._retry_ns, LAST_RETRY_NS)
        else:
            self._trouble = None
            log.warning("The buttons' GPIO lines are back")

    def _close_lines(self) -> None:
        lines, self._lines = self._lines, None
        if lines is None:
            return
        try:
            lines.close()
        except OSError as error:
            log.error("The GPIO lines could not be let go: %s", error)
