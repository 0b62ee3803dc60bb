"""Which buttons are played on: bridges, encoders, the kernel's chip, gpiozero's pins, or keys; and the lamps."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from cabinet.bridges import Bridges, find_bridges, simulated_bridge
from cabinet.buttons.edges import Source, SourceError
from cabinet.buttons.encoder import EncoderSource, are_there
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.gpio_chip import GpioChipSource
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.kernel_lines import NoChipError, find_chip
from cabinet.buttons.pin_factory import FACTORY_VARIABLE, PinFactory, open_pins
from firmware_bridge.settings import BridgeSettings

SourceName = Literal["auto", "gpio-chip", "gpio-zero", "encoder", "bridge", "simulated-bridge", "keyboard"]

PI_MODEL: Final = Path("/proc/device-tree/model")


NO_ENCODER: Final = "None of the encoders that the settings name is plugged in"


class Wired:
    """Buttons on GPIO lines, on encoders or on bridges. Not thread-safe."""

    def __init__(
        self,
        *,
        on_chip: bool,
        factory: PinFactory | None,
        why_no_pins: str | None = None,
        encoder: EncoderSettings | None = None,
        bridges: Bridges | None = None,
    ) -> None:
        self.encoder = encoder
        """The encoders that are read; None: GPIO lines are."""
        self.bridges = bridges
        """The bridges that are played on, if any."""
        self.on_chip = on_chip
        """Whether the kernel's chip is read; else gpiozero's pins are."""
        self.factory = factory
        """gpiozero's pins, for lamps and, unless the chip is read, for buttons; None when there are none."""
        self.why_no_pins = why_no_pins
        """Why there are none, in one plain line."""
        self.instead_of: str | None = None
        """What the settings name and is not there, in one plain line."""

    @property
    def has_keys(self) -> bool:
        """Whether keys press its buttons."""
        return self.bridges is not None and self.bridges.simulated is not None

    def sources(
        self, settings: GpioSettings, clock_ns: Callable[[], int] = time.monotonic_ns
    ) -> tuple[Source, ...]:
        """The sources that read them, not started: one, or one a bridge."""
        if self.bridges is not None:
            return self.bridges.sources(clock_ns)
        return (self._source(settings, clock_ns),)

    def _source(self, settings: GpioSettings, clock_ns: Callable[[], int]) -> Source:
        if self.encoder is not None:
            return EncoderSource(self.encoder, clock_ns=clock_ns)
        if self.on_chip:
            return GpioChipSource(settings, clock_ns=clock_ns)
        return GpioZeroSource(settings, self.factory, clock_ns)

    def close(self) -> None:
        """Free gpiozero's pins, and switch a simulated bridge off."""
        if self.bridges is not None:
            self.bridges.close()
        if self.factory is not None:
            self.factory.close()


def find(
    name: SourceName,
    tell: Callable[[str], None],
    *,
    wants_lamps: bool,
    encoder: EncoderSettings | None = None,
    bridge: BridgeSettings | None = None,
) -> Wired | None:
    """What to play on; None: the keyboard, and `tell` is told why if it was not asked for.

    ``auto`` takes the bridges that the settings name, else the encoders that they name if any of them is there,
    else the kernel's chip where there is one, else gpiozero's pins, else the keyboard. Bridges that they do not
    name are not looked for: what is sent to find one might stop another program on another microcontroller. Other
    pins that gpiozero is asked for by its environment variable come first. Raises SourceError with one plain line
    when what was named cannot be used, and when it cannot be told which of several chips to take.
    """
    encoder = encoder or EncoderSettings()
    bridge = bridge or BridgeSettings()
    if name == "keyboard":
        return None
    if name == "simulated-bridge":
        return Wired(on_chip=False, factory=None, bridges=simulated_bridge())
    if name == "bridge" or (name == "auto" and bridge.devices):
        return Wired(on_chip=False, factory=None, bridges=find_bridges(bridge))
    if name == "gpio-zero" or (name == "auto" and _asks_for_other_pins()):
        return Wired(on_chip=False, factory=open_pins())
    if name == "encoder" or (name == "auto" and are_there(encoder)):
        return _on_encoders(encoder, wants_lamps=wants_lamps)
    if name == "auto" and any(encoder.devices.values()):
        return _instead_of_encoders(tell, wants_lamps=wants_lamps)
    return _on_lines(name, tell, wants_lamps=wants_lamps)


def _on_lines(name: SourceName, tell: Callable[[str], None], *, wants_lamps: bool) -> Wired | None:
    try:
        find_chip()
    except NoChipError:
        if name == "gpio-chip":
            raise
        return _pins_or_none(tell)
    return _on_chip(wants_lamps=wants_lamps)


def is_raspberry_pi() -> bool:
    """Whether this computer says that it is a Raspberry Pi."""
    try:
        return "Raspberry Pi" in PI_MODEL.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _asks_for_other_pins() -> bool:
    return os.environ.get(FACTORY_VARIABLE, "lgpio").lower() != "lgpio"


def _on_encoders(encoder: EncoderSettings, *, wants_lamps: bool) -> Wired:
    """Lamps are on the Pi's header, if they are anywhere: a computer without one has none, and none is missed."""
    on_encoders = Wired(on_chip=False, factory=None, encoder=encoder)
    try:
        find_chip()
    except SourceError:
        return on_encoders
    lines = _on_chip(wants_lamps=wants_lamps)
    on_encoders.factory, on_encoders.why_no_pins = lines.factory, lines.why_no_pins
    return on_encoders


def _instead_of_encoders(tell: Callable[[str], None], *, wants_lamps: bool) -> Wired | None:
    wired = _on_lines("auto", lambda why: tell(f"{NO_ENCODER}; {why}"), wants_lamps=wants_lamps)
    if wired is not None:
        wired.instead_of = (
            f"{NO_ENCODER}: the game is played on the GPIO lines. Plug one in and start the game again."
        )
    return wired


def _pins_or_none(tell: Callable[[str], None]) -> Wired | None:
    try:
        return Wired(on_chip=False, factory=open_pins())
    except SourceError as error:
        tell(str(error))
        return None


def _on_chip(*, wants_lamps: bool) -> Wired:
    """Buttons do without gpiozero's pins; the lamps do not, and are then dark."""
    if not wants_lamps:
        return Wired(on_chip=True, factory=None)
    try:
        return Wired(on_chip=True, factory=open_pins())
    except SourceError as error:
        return Wired(on_chip=True, factory=None, why_no_pins=str(error))
