"""The START buttons' lamps on gpiozero pins."""

from __future__ import annotations

from cabinet.buttons.edges import Line, SourceError
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.pin_factory import Pin, PinFactory, pin_errors


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
            except pin_errors() as error:
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
            except pin_errors() as error:
                errors.append(error)
            else:
                self._lit ^= {line}
        if errors:
            raise errors[0]

    def close(self) -> None:
        """All dark. May be called twice."""
        self.set(frozenset())
