"""gpiozero's pins: which factory is asked for, how it is opened, and what of it is used."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

import gpiozero

from cabinet.buttons.edges import SourceError
from cabinet.buttons.gpio_pins import HEADER_LABELS

FACTORY_VARIABLE: Final = "GPIOZERO_PIN_FACTORY"
"""gpiozero's own way to ask for other pins: an environment variable."""


class Pin(Protocol):
    """What is used of a gpiozero pin."""

    function: str
    pull: str
    bounce: float | None
    edges: str
    when_changed: Callable[[float, int], None] | None
    state: float
    frequency: float | None


class PinFactory(Protocol):
    """What is used of a gpiozero pin factory."""

    def pin(self, name: int) -> Pin:
        """The pin with that GPIO number."""

    def close(self) -> None:
        """Free all pins."""


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


def pin_thread_is_alive(factory: PinFactory | None) -> bool:
    """lgpio calls back from one thread for all pins; the others do not let us look."""
    if not any(base.__module__ == "gpiozero.pins.lgpio" for base in type(factory).__mro__):
        return True
    thread = getattr(sys.modules.get("lgpio"), "_notify_thread", None)
    return thread is None or bool(thread.is_alive())


def pin_errors() -> tuple[type[Exception], ...]:
    """What pins raise when they fail."""
    lgpio_error = getattr(sys.modules.get("lgpio"), "error", None)
    known: tuple[type[Exception], ...] = (gpiozero.GPIOZeroError, OSError)
    return known if lgpio_error is None else (*known, lgpio_error)
