"""The buttons' lamps on gpiozero pins: dimmed where the pins can, else on and off."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

from cabinet.buttons.edges import Line, SourceError
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.lamp_state import (
    BRIGHTEST,
    DARK,
    MILLISECOND_NS,
    FlashLimit,
    LampState,
    brightness_at,
    next_change_ns,
)
from cabinet.buttons.pin_factory import Pin, PinFactory, pin_errors

PWM_HZ: Final = 200
"""Fast enough that the eye sees no flicker, slow enough that a pulse of one percent is told apart."""
DUTY_STEPS: Final = 100
"""lgpio takes whole percents."""
DIMMEST_LIT: Final = 64
"""What burns steadily, but less brightly, is dark on pins that cannot dim."""
RETRY_NS: Final = 1_000 * MILLISECOND_NS
"""After how long a lamp whose pin failed is tried again, if it is told nothing new."""

_NS_IN_S: Final = 1_000_000_000


class GpioLamps:
    """Lamps on gpiozero pins, high for lit. Not thread-safe."""

    def __init__(
        self, settings: GpioSettings, factory: PinFactory, clock_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        """Claims the pins, all dark. Raises SourceError with one plain line."""
        self._clock_ns = clock_ns
        self._lamps: dict[Line, _Lamp] = {}
        self._is_b_first = False
        for line, number in settings.lamps.items():
            try:
                self._lamps[line] = _Lamp(factory.pin(number))
            except pin_errors() as error:
                raise SourceError(f"GPIO {number} (the lamp of {line}) cannot be used: {error}") from error

    def set(self, states: Mapping[Line, LampState]) -> None:
        """What the lamps do from now on; one that is not named goes dark. What a lamp does already goes on.

        To be called again with the same states after `rest_s`. Raises the first pin's error after all were tried;
        a lamp that failed is tried again with the next call.
        """
        now_ns = self._clock_ns()
        errors = []
        self._is_b_first = not self._is_b_first
        for line, lamp in sorted(self._lamps.items(), reverse=self._is_b_first):
            lamp.tell(states.get(line, DARK), now_ns)
            try:
                lamp.show(now_ns)
            except pin_errors() as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def rest_s(self) -> float | None:
        """After how many seconds a lamp is to be set anew; None: they stay as they are."""
        now_ns = self._clock_ns()
        times_ns = [due_ns for lamp in self._lamps.values() if (due_ns := lamp.next_ns()) is not None]
        return max(0, min(times_ns) - now_ns) / _NS_IN_S if times_ns else None

    def close(self) -> None:
        """All dark. May be called twice."""
        self.set({})


class _Lamp:
    """One lamp: what it does, and what its pin was last set to."""

    def __init__(self, pin: Pin) -> None:
        self.pin = pin
        pin.function = "output"
        pin.state = 0
        self._can_dim = _can_dim(pin)
        self._is_dimmed = False
        self._told = DARK
        self._told_ns = 0
        self._before = 0
        self._shown = 0
        self._shown_ns = 0
        self._duty = 0
        self._flashes = FlashLimit()
        self._is_held_back = False
        self._has_failed = False

    def tell(self, state: LampState, now_ns: int) -> None:
        """It does this from now on."""
        if state != self._told:
            self._told, self._told_ns, self._before = state, now_ns, self._shown

    def show(self, now_ns: int) -> None:
        """Sets the pin to what the lamp does now. Raises what the pin raises."""
        self._shown_ns, self._has_failed = now_ns, False
        wanted = self._wanted(now_ns)
        self._is_held_back = not self._flashes.allows(self._shown, wanted, now_ns)
        if wanted == self._shown or self._is_held_back:
            return
        duty = _duty_of(wanted)
        self._has_failed = True
        if duty != self._duty:
            self._drive(duty)
        self._has_failed = False
        self._shown, self._duty = wanted, duty

    def next_ns(self) -> int | None:
        """When it is to be set anew if it is told nothing new; None: it stays as it is."""
        if self._has_failed:
            return self._shown_ns + RETRY_NS
        if self._is_held_back:
            return self._flashes.allowed_from_ns()
        return next_change_ns(self._told, self._shown_ns, self._told_ns)

    def _wanted(self, now_ns: int) -> int:
        wanted = brightness_at(self._told, now_ns, self._before, self._told_ns)
        return wanted if self._can_dim else BRIGHTEST * self._is_lit(wanted)

    def _is_lit(self, brightness: int) -> bool:
        """Whether a lamp that cannot dim is lit; one that moves is, however dim, for about half its period."""
        if self._told.mode in ("blink", "breathe"):
            return 0 < brightness >= self._told.brightness / 2
        return brightness >= DIMMEST_LIT

    def _drive(self, duty: int) -> None:
        """Steady light and darkness need no pulses."""
        is_dimmed = 0 < duty < DUTY_STEPS
        if is_dimmed != self._is_dimmed:
            self.pin.frequency = PWM_HZ if is_dimmed else None
            self._is_dimmed = is_dimmed
        self.pin.state = duty / DUTY_STEPS if is_dimmed else duty // DUTY_STEPS


def _can_dim(pin: Pin) -> bool:
    try:
        pin.frequency = PWM_HZ
        pin.frequency = None
    except pin_errors():
        return False
    pin.state = 0
    return True


def _duty_of(brightness: int) -> int:
    """The duty cycle in percent that the eye sees as this brightness: its square, near enough to the eye's law."""
    if brightness in (0, BRIGHTEST):
        return brightness * DUTY_STEPS // BRIGHTEST
    return min(DUTY_STEPS - 1, max(1, round(brightness**2 * DUTY_STEPS / BRIGHTEST**2)))
