"""The 40-pin header of the virtual Pi, seen from its wires: what buttons do to them, and what lamps get."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from cabinet.buttons.edges import Line
from cabinet.buttons.gpio_pins import GpioSettings

SETTINGS = GpioSettings()

SIMULATOR = Path("/sys/kernel/config/gpio-sim")

T = TypeVar("T")


def gpio_header(*words: str) -> str:
    """What the rig's command says."""
    return subprocess.run(["gpio-header", *words], capture_output=True, text=True, check=True).stdout


def plug_in() -> Path:
    """Makes the header appear as the second chip, all buttons open; the folder with its wires."""
    add_another_chip()
    told = subprocess.run(
        ["gpio-header", "up", "--pi", "c03111"], capture_output=True, text=True, check=True
    ).stdout
    wires = Path(dict(line.split("=", 1) for line in told.split())["SYSFS"])
    for gpio in SETTINGS.pins.values():
        pull(wires, gpio, closed=False)
    return wires


def add_another_chip() -> None:
    """A chip that is no header and takes number 0, as there are on a Pi 5."""
    for module in ("configfs", "gpio-sim"):
        subprocess.run(["modprobe", module], check=True)
    if not SIMULATOR.exists():
        subprocess.run(["mount", "-t", "configfs", "configfs", "/sys/kernel/config"], check=True)
    (SIMULATOR / "other" / "bank0").mkdir(parents=True)
    (SIMULATOR / "other" / "bank0" / "num_lines").write_text("28")
    (SIMULATOR / "other" / "bank0" / "label").write_text("gpio-brcmstb")
    (SIMULATOR / "other" / "live").write_text("1")


def pull(wires: Path, gpio: int, *, closed: bool) -> None:
    """What ``gpio-header set`` does, without the time that a command takes to start."""
    (wires / f"sim_gpio{gpio}" / "pull").write_text("pull-down" if closed else "pull-up")


def press_by_command(line: Line) -> None:
    """Press and let go with ``gpio-header set``."""
    for level in ("0", "1"):
        gpio_header("set", str(SETTINGS.pins[line]), level)


def tap(wires: Path, line: Line, *, for_s: float = 0.06) -> None:
    """Press and let go."""
    pull(wires, SETTINGS.pins[line], closed=True)
    time.sleep(for_s)
    pull(wires, SETTINGS.pins[line], closed=False)
    time.sleep(for_s)


def lamp(line: Line) -> int:
    """The level that the lamp's pin drives."""
    return int(gpio_header("get", str(SETTINGS.lamps[line])))


def wait_for(what: str, found: Callable[[], T], within_s: float = 60) -> T:
    """What `found` gives when it gives something; ends the program with one line when it never does."""
    until = time.monotonic() + within_s
    while not (result := found()):
        if time.monotonic() > until:
            raise SystemExit(f"waited {within_s} s in vain for: {what}")
        time.sleep(0.05)
    return result
