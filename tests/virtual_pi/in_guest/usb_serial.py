"""Serial lines on the virtual Pi's USB, real to the kernel from the bus on: full speed, as a Pico's."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.virtual_pi.in_guest.usb_encoder import GADGETS, start_usb

DRIVERS: Final = ("usb_f_acm", "cdc-acm")


def start_usb_serial() -> None:
    """Two USB hosts with one socket each."""
    start_usb(DRIVERS)


class UsbSerial:
    """What has a serial line, for one of the two sockets. Not plugged in at first."""

    def __init__(self, socket: int, product: str, usb_id: tuple[int, int], number: str) -> None:
        self._socket = socket
        self._gadget = GADGETS / f"serial{socket}"
        gadget, strings = self._gadget, self._gadget / "strings" / "0x409"
        strings.mkdir(parents=True)
        (gadget / "idVendor").write_text(f"{usb_id[0]:#06x}")
        (gadget / "idProduct").write_text(f"{usb_id[1]:#06x}")
        (strings / "product").write_text(product)
        (strings / "serialnumber").write_text(number)
        function = gadget / "functions" / f"acm.usb{socket}"
        function.mkdir()
        config = gadget / "configs" / "c.1"
        config.mkdir()
        (config / function.name).symlink_to(function)
        self.path: Final = Path(f"/dev/ttyGS{(function / 'port_num').read_text().strip()}")
        """The line as the device has it; it stays there when the plug is pulled."""

    def plug_in(self) -> None:
        (self._gadget / "UDC").write_text(f"dummy_udc.{self._socket}")

    def pull_out(self) -> None:
        (self._gadget / "UDC").write_text("\n")
