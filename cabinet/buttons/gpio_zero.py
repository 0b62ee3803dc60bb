"""Source through gpiozero pins: lgpio on a Raspberry Pi, gpiozero's mock anywhere.

At Pin level, because gpiozero's `Button` gives no time stamp: only `Pin.when_changed(ticks, state)` carries the
kernel's. gpiozero's own bounce time stays off; it means another thing on every backend, and nothing on the mock.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import RLock
from typing import Final

from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Deliver, Edge, Line, SourceError, SourceStatus
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.levels import Levels
from cabinet.buttons.pin_factory import Pin, PinFactory, open_pins, pin_errors, pin_thread_is_alive
from cabinet.buttons.settling import (
    LEVEL_CHECK_NS,
    HeldUp,
    PassingTrouble,
    Settling,
    Slack,
    held_since_start,
    lateness_ns,
)

log: Final = logging.getLogger(__name__)

_USER_SPACE_ERR_NS: Final = WIDE_ERROR_NS
_KINDS: Final = {
    "gpiozero.pins.lgpio": (3_000_000, 0),
    "gpiozero.pins.mock": (2_000_000, 0),
    "gpiozero.pins.native": (3_000_000, _USER_SPACE_ERR_NS),
    "gpiozero.pins.rpigpio": (3_000_000, _USER_SPACE_ERR_NS),
}
"""By module of the pin factory: the slack to start with, and the least error its stamps have (ns)."""


class GpioZeroSource:
    """Buttons on gpiozero pins. `start` and `close` belong to one thread; `status` may be asked from any.

    One thread at a time takes edges, looks at levels and delivers, so that edges come in the order of their `seq`.
    """

    def __init__(
        self,
        settings: GpioSettings | None = None,
        factory: PinFactory | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        name: str = "gpio",
    ) -> None:
        """`factory`: None opens lgpio at `start`. `clock_ns`: the host's CLOCK_MONOTONIC."""
        self.name = name
        self._settings = settings or GpioSettings()
        self._factory = factory
        self._owns_factory = factory is None
        self._clock_ns = clock_ns
        self._lock = RLock()
        self._listeners: dict[Line, _Listener] = {}
        self._deliver: Deliver = _drop
        self._levels = Levels({}, 0)
        self._settling = Settling(0)
        self._slack = Slack(0, 0)
        self._held_up = HeldUp(0)
        self._err_ns = self._settings.err_us * 1000
        self._pressed: set[Line] = set()
        self._seq = 0
        self._losses = 0
        self._trouble = PassingTrouble()
        self._logged: set[tuple[Line, type[Exception]]] = set()
        self._checked_ns = 0
        self._is_readable = True
        self._is_started = False

    def start(self, deliver: Deliver) -> None:
        """Claim all pins, then listen to all of them.

        Edges are delivered from the thread of the pin factory, and from the caller of `status` when one was lost.
        Raises SourceError with one plain line.
        """
        if mistakes := self._settings.mistakes():
            raise SourceError("; ".join(mistakes))
        if self._factory is None:
            self._factory = open_pins()
        slack_ns, least_err_ns = _kind_of(self._factory)
        self._err_ns = max(self._err_ns, least_err_ns)
        limit_ns = self._settings.slack_limit_us * 1000
        self._slack = Slack(self._settings.slack_us * 1000 or slack_ns, limit_ns)
        self._held_up = HeldUp(limit_ns)
        self._deliver = deliver
        self._trouble = PassingTrouble()
        self._is_readable = True
        try:
            self._claim(self._factory)
        except SourceError:
            self.close()
            raise
        self._is_started = True

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything is delivered at host time `now_ns`. Thread-safe.

        To be asked every few milliseconds. It also reads the levels from time to time; where one disagrees twice,
        an edge is made up. `largest_err_ns` does not cover those: they are never part of a dead heat.
        """
        with self._lock:
            self._check_levels(now_ns)
            has_thread = pin_thread_is_alive(self._factory)
            return SourceStatus(
                source=self.name,
                clock=HOST_CLOCK,
                watermark_ns=self._held_up.known_ns(now_ns) - self._slack.slack_ns(now_ns),
                largest_err_ns=self._err_ns,
                is_live=self._is_started and has_thread and self._is_readable,
                trouble=self._trouble_now(now_ns, has_thread=has_thread),
                losses=self._losses,
            )

    def close(self) -> None:
        """Stop listening, and free the pins if the factory was opened here. May be called twice.

        A pin that cannot be let go is logged: a chip that is gone must not keep the others claimed.
        """
        with self._lock:
            self._is_started = False
            listeners, self._listeners = self._listeners, {}
            factory = self._factory if self._owns_factory else None
            if self._owns_factory:
                self._factory = None
        for listener in listeners.values():
            _let_go(str(listener), listener.stop)
        if factory is not None:
            _let_go("the GPIO pins", factory.close)

    def _claim(self, factory: PinFactory) -> None:
        for line, number in self._settings.pins.items():
            try:
                self._listeners[line] = _Listener(self, line, number, _claimed_input(factory, number))
            except pin_errors() as error:
                raise SourceError(
                    f"GPIO {number} ({line}) cannot be used: {error}; stop the program that uses it, "
                    "or give the button another GPIO"
                ) from error
        levels = {line: listener.reads_closed() for line, listener in self._listeners.items()}
        self._checked_ns = self._clock_ns()
        closed = [line for line in levels if levels[line]]
        self._settling = Settling(self._checked_ns + self._settings.settle_ms * 1_000_000, closed)
        self._levels = Levels(levels, self._checked_ns)
        # Listening starts only when every line is claimed: with lgpio, claiming anew frees a line, and freeing
        # one while others are listened to can silence those.
        for listener in self._listeners.values():
            listener.pin.when_changed = listener.changed

    def take(self, listener: _Listener, ticks: float, state: int) -> None:
        """A pin changed: `ticks` in seconds of CLOCK_MONOTONIC, `state` its level. Called by the pin's thread."""
        try:
            self._hear(listener.line, not state, round(ticks * 1_000_000_000))
        except Exception as error:  # noqa: BLE001 - the top of a foreign thread, which any exception would end
            self._tell(listener, f"{listener}: {type(error).__name__}: {error}", error)

    def _tell(self, listener: _Listener, text: str, error: Exception) -> None:
        """Shows a trouble for a while, and logs the first of its kind: a chattering line would fill the log."""
        with self._lock:
            self._trouble.came(text)
            is_known = (listener.line, type(error)) in self._logged
            self._logged.add((listener.line, type(error)))
        if not is_known:
            log.error("%s", text, exc_info=error)

    def _hear(self, line: Line, closed: bool, t_ns: int) -> None:
        """An edge. When its level is the one before, the contact moved there and back before it was read."""
        now_ns = self._clock_ns()
        with self._lock:
            self._slack.seen(lateness_ns(t_ns, now_ns, self._held_up.said_ns), now_ns)
            if self._levels.edge(line, closed, t_ns):
                self._give(line, not closed, t_ns, self._err_ns)
            self._give(line, closed, t_ns, self._err_ns)

    def _give(self, line: Line, closed: bool, t_ns: int, err_ns: int, *, made_up: bool = False) -> None:
        if not self._settling.admits(line, closed, t_ns):
            return
        (self._pressed.add if closed else self._pressed.discard)(line)
        self._losses += made_up
        self._seq += 1
        self._deliver(Edge(HOST_CLOCK, line, closed, t_ns, err_ns, self._seq, made_up))

    def _check_levels(self, now_ns: int) -> None:
        if not self._is_started or now_ns - self._checked_ns < LEVEL_CHECK_NS:
            return
        self._checked_ns = now_ns
        levels = {}
        for line, listener in self._listeners.items():
            try:
                levels[line] = listener.reads_closed()
            except pin_errors() as error:
                self._tell(listener, f"{listener} cannot be read: {error}", error)
        was_readable, self._is_readable = self._is_readable, bool(levels) or not self._listeners
        if was_readable and not self._is_readable:
            self._let_all_buttons_go(now_ns)
        for lost in self._levels.compare(levels, now_ns, self._slack.slack_ns(now_ns)):
            self._give(lost.line, lost.closed, lost.t_ns, max(lost.unseen_ns, WIDE_ERROR_NS + 1), made_up=True)

    def _let_all_buttons_go(self, now_ns: int) -> None:
        """The pins are lost: none is left pressed."""
        for line in sorted(self._pressed):
            self._levels.edge(line, False, now_ns)
            self._give(line, False, now_ns, WIDE_ERROR_NS + 1, made_up=True)

    def _trouble_now(self, now_ns: int, *, has_thread: bool) -> str | None:
        if self._is_started and not has_thread:
            return "The thread that reads the GPIO pins has ended: restart the game."
        if self._is_started and not self._is_readable:
            return "No GPIO pin can be read any more: restart the game."
        if (trouble := self._trouble.text(now_ns)) is not None:
            return trouble
        return held_since_start(self._settling.closed_from_start(now_ns))


class _Listener:
    """One pin. Its bound method is what the pin calls; pins keep only weak references, so it is kept here."""

    def __init__(self, source: GpioZeroSource, line: Line, number: int, pin: Pin) -> None:
        self._source = source
        self.line = line
        self.number = number
        self.pin = pin

    def __str__(self) -> str:
        return f"GPIO {self.number} ({self.line})"

    def changed(self, ticks: float, state: int) -> None:
        self._source.take(self, ticks, state)

    def reads_closed(self) -> bool:
        return not self.pin.state

    def stop(self) -> None:
        self.pin.when_changed = None


def _claimed_input(factory: PinFactory, number: int) -> Pin:
    pin = factory.pin(number)
    pin.function = "input"
    pin.pull = "up"
    pin.bounce = None
    pin.edges = "both"
    return pin


def _kind_of(factory: PinFactory) -> tuple[int, int]:
    for base in type(factory).__mro__:
        if base.__module__ in _KINDS:
            return _KINDS[base.__module__]
    raise SourceError(
        f"pins of {type(factory).__name__} carry no times of this computer's clock; set GPIOZERO_PIN_FACTORY=lgpio"
    )


def _let_go(what: str, let_go: Callable[[], None]) -> None:
    try:
        let_go()
    except pin_errors() as error:
        log.error("%s could not be let go: %s", what, error)


def _drop(edge: Edge) -> None:
    """Where edges go before the start."""
    del edge
