"""Source and lamps through gpiozero pins: lgpio on a Raspberry Pi, gpiozero's mock anywhere.

At Pin level, because gpiozero's `Button` gives no time stamp: only `Pin.when_changed(ticks, state)` carries the
kernel's. gpiozero's own bounce time stays off; it means another thing on every backend, and nothing on the mock.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import RLock
from typing import Any, Final, Protocol

import gpiozero

from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Deliver, Edge, Line, SourceError, SourceStatus
from cabinet.buttons.gpio_pins import HEADER_LABELS, GpioSettings
from cabinet.buttons.settling import LEVEL_CHECK_NS, PassingTrouble, Settling, Slack, held_since_start

__all__ = ["GpioLamps", "GpioSettings", "GpioZeroSource", "open_lgpio", "open_pins"]

FACTORY_VARIABLE: Final = "GPIOZERO_PIN_FACTORY"
"""gpiozero's own way to ask for other pins: an environment variable."""

log: Final = logging.getLogger(__name__)

_USER_SPACE_ERR_NS: Final = WIDE_ERROR_NS
_KINDS: Final = {
    "gpiozero.pins.lgpio": (3_000_000, 0),
    "gpiozero.pins.mock": (2_000_000, 0),
    "gpiozero.pins.native": (3_000_000, _USER_SPACE_ERR_NS),
    "gpiozero.pins.rpigpio": (3_000_000, _USER_SPACE_ERR_NS),
}
"""By module of the pin factory: the slack to start with, and the least error its stamps have (ns)."""


class Pin(Protocol):
    """What is used of a gpiozero pin."""

    function: str
    pull: str
    bounce: float | None
    edges: str
    when_changed: Callable[[float, int], None] | None
    state: float


class PinFactory(Protocol):
    """What is used of a gpiozero pin factory."""

    def pin(self, name: int) -> Pin:
        """The pin with that GPIO number."""

    def close(self) -> None:
        """Free all pins."""


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
        self._settling = Settling(0)
        self._slack = Slack(0, 0)
        self._err_ns = self._settings.err_us * 1000
        self._seq = 0
        self._losses = 0
        self._trouble = PassingTrouble()
        self._logged: set[tuple[Line, type[Exception]]] = set()
        self._checked_ns = 0
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
        self._slack = Slack(self._settings.slack_us * 1000 or slack_ns, self._settings.slack_limit_us * 1000)
        self._deliver = deliver
        self._trouble = PassingTrouble()
        try:
            self._claim(self._factory)
        except SourceError:
            self.close()
            raise
        self._is_started = True

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything is delivered at host time `now_ns`. Thread-safe.

        It also reads the levels from time to time; where one disagrees twice, an edge is made up. `largest_err_ns`
        does not cover those: they are never part of a dead heat.
        """
        with self._lock:
            self._check_levels(now_ns)
            is_alive = self._is_started and _pin_thread_is_alive(self._factory)
            return SourceStatus(
                source=self.name,
                clock=HOST_CLOCK,
                watermark_ns=now_ns - self._slack.slack_ns(now_ns),
                largest_err_ns=self._err_ns,
                is_live=is_alive,
                trouble=self._trouble_now(now_ns, is_alive),
                losses=self._losses,
            )

    def close(self) -> None:
        """Stop listening, and free the pins if the factory was opened here. May be called twice."""
        with self._lock:
            self._is_started = False
            listeners, self._listeners = self._listeners, {}
            factory = self._factory if self._owns_factory else None
            if self._owns_factory:
                self._factory = None
        with ExitStack() as closing:
            if factory is not None:
                closing.callback(factory.close)
            for listener in listeners.values():
                closing.callback(listener.stop)

    def _claim(self, factory: PinFactory) -> None:
        for line, number in self._settings.pins.items():
            try:
                self._listeners[line] = _Listener(self, line, number, _claimed_input(factory, number))
            except _pin_errors() as error:
                raise SourceError(
                    f"GPIO {number} ({line}) cannot be used: {error}; stop the program that uses it, "
                    "or give the button another GPIO"
                ) from error
        closed = [line for line, listener in self._listeners.items() if listener.reads_closed()]
        self._checked_ns = self._clock_ns()
        self._settling = Settling(self._checked_ns + self._settings.settle_ms * 1_000_000, closed)
        # Listening starts only when every line is claimed: with lgpio, claiming anew frees a line, and freeing
        # one while others are listened to can silence those.
        for line, listener in self._listeners.items():
            listener.is_closed = line in closed
            listener.pin.when_changed = listener.changed

    def take(self, listener: _Listener, ticks: float, state: int) -> None:
        """A pin changed: `ticks` in seconds of CLOCK_MONOTONIC, `state` its level. Called by the pin's thread."""
        try:
            t_ns = round(ticks * 1_000_000_000)
            self._pass_on(listener, closed=not state, t_ns=t_ns, err_ns=self._err_ns, made_up=False)
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

    def _pass_on(self, listener: _Listener, *, closed: bool, t_ns: int, err_ns: int, made_up: bool) -> None:
        now_ns = self._clock_ns()
        with self._lock:
            if not made_up:
                self._slack.seen(now_ns - t_ns, now_ns)
            listener.is_closed = closed
            listener.disagrees = False
            if not self._settling.admits(listener.line, closed, t_ns):
                return
            self._losses += made_up
            self._seq += 1
            self._deliver(Edge(HOST_CLOCK, listener.line, closed, t_ns, err_ns, self._seq, made_up))

    def _check_levels(self, now_ns: int) -> None:
        if not self._is_started or now_ns - self._checked_ns < LEVEL_CHECK_NS:
            return
        unseen_ns = now_ns - self._checked_ns + LEVEL_CHECK_NS
        self._checked_ns = now_ns
        for listener in self._listeners.values():
            try:
                closed = listener.reads_closed()
            except _pin_errors() as error:
                self._tell(listener, f"{listener} cannot be read: {error}", error)
                continue
            if closed == listener.is_closed:
                listener.disagrees = False
            elif not listener.disagrees:
                listener.disagrees = True
            else:
                err_ns = max(unseen_ns, WIDE_ERROR_NS + 1)
                self._pass_on(listener, closed=closed, t_ns=now_ns, err_ns=err_ns, made_up=True)

    def _trouble_now(self, now_ns: int, is_alive: bool) -> str | None:
        if self._is_started and not is_alive:
            return "The thread that reads the GPIO pins has ended: restart the game."
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
        self.is_closed = False
        self.disagrees = False

    def __str__(self) -> str:
        return f"GPIO {self.number} ({self.line})"

    def changed(self, ticks: float, state: int) -> None:
        self._source.take(self, ticks, state)

    def reads_closed(self) -> bool:
        return not self.pin.state

    def stop(self) -> None:
        self.pin.when_changed = None


class GpioLamps:
    """The lamps of the START buttons on gpiozero pins, high for lit. Not thread-safe."""

    def __init__(self, settings: GpioSettings, factory: PinFactory) -> None:
        """Claims the pins, all dark. Raises SourceError with one plain line."""
        self._pins: dict[Line, Pin] = {}
        self._lit: frozenset[Line] = frozenset()
        for line, number in settings.lamps.items():
            try:
                pin = factory.pin(number)
                pin.function = "output"
                pin.state = 0
            except _pin_errors() as error:
                raise SourceError(f"GPIO {number} (the lamp of {line}) cannot be used: {error}") from error
            self._pins[line] = pin

    def set(self, lit: frozenset[Line]) -> None:
        """Light these buttons and no others; a button without a lamp is passed over.

        Raises the first pin's error after all were tried; a lamp that failed is tried again with the next call.
        """
        errors = []
        for line, pin in self._pins.items():
            if (line in lit) == (line in self._lit):
                continue
            try:
                pin.state = int(line in lit)
            except _pin_errors() as error:
                errors.append(error)
            else:
                self._lit ^= {line}
        if errors:
            raise errors[0]

    def close(self) -> None:
        """All dark. May be called twice."""
        self.set(frozenset())


def open_pins() -> PinFactory:
    """The pins of the factory that `GPIOZERO_PIN_FACTORY` names, as in all of gpiozero; without it lgpio's.

    Raises SourceError with one plain line when that factory cannot be opened.
    """
    name = os.environ.get(FACTORY_VARIABLE, "lgpio")
    if name.lower() == "lgpio":
        return open_lgpio()
    try:
        gpiozero.Device.ensure_pin_factory()
    except (gpiozero.GPIOZeroError, ImportError, OSError) as error:
        raise SourceError(
            f"the pins of {FACTORY_VARIABLE}={name} cannot be used: {error}; set it to lgpio, or unset it"
        ) from error
    factory: PinFactory = gpiozero.Device.pin_factory
    return factory


def open_lgpio() -> PinFactory:
    """gpiozero's lgpio pins on the chip behind the 40-pin header.

    Raises SourceError with one plain line when lgpio is missing, an empty package, or finds no such chip.
    """
    lgpio = _import_lgpio()
    numbers = sorted(int(path.name.removeprefix("gpiochip")) for path in Path("/dev").glob("gpiochip*"))
    for number in numbers:
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error:
            continue
        label = lgpio.gpio_get_chip_info(handle)[3]
        lgpio.gpiochip_close(handle)
        if label in HEADER_LABELS:
            from gpiozero.pins.lgpio import LGPIOFactory  # noqa: PLC0415 - needs lgpio, which is not everywhere

            factory: PinFactory = LGPIOFactory(chip=number)
            return factory
    found = ", ".join(f"/dev/gpiochip{number}" for number in numbers) or "no /dev/gpiochip*"
    raise SourceError(
        f"no GPIO header of a Raspberry Pi was found (looked at {found}); on a Pi add the user to the group gpio, "
        "elsewhere use the keyboard or the mock"
    )


def _import_lgpio() -> Any:
    """lgpio makes a FIFO in `LG_WD`, and makes that the working directory: it gets one of its own while we run."""
    try:
        if "LG_WD" not in os.environ:
            os.environ["LG_WD"] = tempfile.mkdtemp(prefix="spit-cabinet-lgpio-")
            atexit.register(shutil.rmtree, os.environ["LG_WD"], ignore_errors=True)
        working_directory = Path.cwd()
    except OSError as error:
        raise SourceError(f"lgpio needs a directory that is there and can be written: {error}") from error
    try:
        import lgpio  # noqa: PLC0415 - starts a thread, and is not everywhere
    except ImportError as error:
        raise SourceError(f"lgpio is not installed ({error}); {_GET_LGPIO}") from error
    finally:
        os.chdir(working_directory)
    if not hasattr(lgpio, "gpiochip_open"):
        raise SourceError(f"the lgpio found is an empty package; {_GET_LGPIO}")
    return lgpio


_GET_LGPIO: Final = "run: sudo apt install python3-lgpio, and make the venv with --system-site-packages"


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


def _pin_thread_is_alive(factory: PinFactory | None) -> bool:
    """lgpio calls back from one thread for all pins; the others do not let us look."""
    if not any(base.__module__ == "gpiozero.pins.lgpio" for base in type(factory).__mro__):
        return True
    thread = getattr(sys.modules.get("lgpio"), "_notify_thread", None)
    return thread is None or bool(thread.is_alive())


def _pin_errors() -> tuple[type[Exception], ...]:
    lgpio_error = getattr(sys.modules.get("lgpio"), "error", None)
    known: tuple[type[Exception], ...] = (gpiozero.GPIOZeroError, OSError)
    return known if lgpio_error is None else (*known, lgpio_error)


def _drop(edge: Edge) -> None:
    """Where edges go before the start."""
    del edge
