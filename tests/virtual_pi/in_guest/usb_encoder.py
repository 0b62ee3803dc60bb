"""Joystick encoders on the virtual Pi's USB: real to the kernel from the bus on; what is soldered to them is here.

The kernel's dummy_hcd is a USB host and the devices on it in one; its gadget driver for HID makes each an encoder
with sixteen buttons and a stick, which asks to be asked every 10 ms.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

BY_PATH: Final = Path("/dev/input/by-path")
GADGETS: Final = Path("/sys/kernel/config/usb_gadget")
NAME: Final = "Generic USB Joystick"
DRIVERS: Final = ("usb_f_hid", "usbhid", "hid-generic", "evdev")

REPORT: Final = bytes.fromhex(
    "05 01 09 04 a1 01"  # a joystick
    "05 09 19 01 29 10 15 00 25 01 75 01 95 10 81 02"  # sixteen buttons
    "05 01 09 30 09 31 15 00 26 ff 00 75 08 95 02 81 02"  # X and Y
    "c0"
)
REST: Final = 127


def place(socket: int) -> str:
    """Where the encoder in a socket is found, once it is plugged in."""
    return str(BY_PATH / f"platform-dummy_hcd.{socket}-usb-0:1:1.0-event-joystick")


def start_usb(drivers: tuple[str, ...] = DRIVERS) -> None:
    """Two USB hosts with one socket each, drivers for what is plugged in, and udev, which names it."""
    for words in (
        ("configfs",),
        ("dummy_hcd", "num=2", "is_high_speed=0", "is_super_speed=0"),
        ("libcomposite",),
        *((driver,) for driver in drivers),
    ):
        subprocess.run(["modprobe", *words], check=True)
    if not GADGETS.exists():
        subprocess.run(["mount", "-t", "configfs", "configfs", "/sys/kernel/config"], check=True)
    subprocess.run(["/usr/lib/systemd/systemd-udevd", "--daemon"], check=True)


class UsbEncoder:
    """One encoder, for one of the two sockets. Not plugged in at first."""

    def __init__(self, socket: int) -> None:
        self._socket = socket
        self._gadget = GADGETS / f"encoder{socket}"
        self._down = 0
        self._stick = (REST, REST)
        gadget = self._gadget
        (gadget / "strings" / "0x409").mkdir(parents=True)
        (gadget / "idVendor").write_text("0x1209")
        (gadget / "idProduct").write_text("0x0001")
        (gadget / "strings" / "0x409" / "product").write_text(NAME)
        function = gadget / "functions" / f"hid.usb{socket}"
        function.mkdir()
        (function / "report_length").write_text("4")
        (function / "report_desc").write_bytes(REPORT)
        config = gadget / "configs" / "c.1"
        config.mkdir()
        (config / function.name).symlink_to(function)
        major, minor = (function / "dev").read_text().strip().split(":")
        self._file = Path(f"/dev/encoder{socket}")
        subprocess.run(["mknod", str(self._file), "c", major, minor], check=True)

    def plug_in(self) -> None:
        (self._gadget / "UDC").write_text(f"dummy_udc.{self._socket}")
        self._pipe = self._file.open("wb", buffering=0)

    def pull_out(self) -> None:
        self._pipe.close()
        (self._gadget / "UDC").write_text("\n")

    def set(self, *, button: int | None = None, closed: bool = True, x: int | None = None) -> tuple[int, int]:
        """Moves a contact, counted from 0, or the stick; just before and after the encoder has a report of it."""
        if button is not None:
            self._down = self._down | 1 << button if closed else self._down & ~(1 << button)
        if x is not None:
            self._stick = (x, self._stick[1])
        before_ns = time.monotonic_ns()
        self._pipe.write(self._down.to_bytes(2, "little") + bytes(self._stick))
        return before_ns, time.monotonic_ns()

    def release_all(self) -> None:
        """After it was plugged in: a real one starts with all contacts open, this one with what it had last."""
        self._down = 0
        self._pipe.write(self._down.to_bytes(2, "little") + bytes(self._stick))


def wait_for(what: str, is_so: Callable[[], bool], within_s: float = 30) -> None:
    """Waits for a condition. Raises TimeoutError that names it."""
    until = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.01)
