"""Hears every switch of every input device: for learning which button is which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from cabinet.buttons.edges import SourceError
from cabinet.buttons.encoder_codes import has_name
from cabinet.buttons.encoder_contacts import EV_ABS, EV_KEY, Contact, Contacts
from cabinet.buttons.encoder_device import InputDevice, Inputs
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.learning import Switch

ENTER_KEYS: Final = frozenset((28, 96))
"""KEY_ENTER and KEY_KPENTER."""

_TOUCH_KEYS: Final = frozenset((0x14A, 0x145, 0x140))
"""BTN_TOUCH, BTN_TOOL_FINGER, BTN_TOOL_PEN: the axes of such a device are places on a pad, no stick."""

_ENDS: Final[tuple[Literal[-1, 1], ...]] = (-1, 1)


class Heard(msgspec.Struct, frozen=True):
    """A switch was closed."""

    switch: Switch
    device_name: str
    """As the device calls itself."""
    t_ns: int


class Listener:
    """All input devices at once. Not thread-safe."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._settings = EncoderSettings()
        self._open: dict[str, tuple[InputDevice, Contacts]] = {}
        self.troubles: list[str] = []
        """Why some could not be opened, one plain line each."""

    @property
    def names(self) -> dict[str, str]:
        """The devices that are heard: path, and what they call themselves."""
        return {path: device.name for path, (device, _) in self._open.items()}

    def open(self, now_ns: int, paths: Iterable[str] | None = None, *, for_us_alone: bool = False) -> None:
        """Opens these devices, or all that there are; those without a switch that could be a button are left.

        What could not be opened is among the troubles.
        """
        for path in self._inputs.places() if paths is None else paths:
            try:
                device = self._inputs.open(path, self._settings, for_us_alone=for_us_alone)
            except SourceError as error:
                self.troubles.append(str(error))
            except OSError as error:
                self.troubles.append(f"{path} cannot be used: {error.strerror or error}")
            else:
                self._take_in(device, now_ns)

    def take_alone(self, now_ns: int, but: frozenset[str]) -> None:
        """From now on what all devices send, but for these, goes nowhere else; these are not heard any more."""
        paths = list(self._open)
        self.close()
        self.open(now_ns, [path for path in paths if path not in but], for_us_alone=True)

    def wait(self, timeout_ms: int, now_ns: int) -> list[Heard]:
        """What was pressed, waiting at most so long. A device that is unplugged is heard no more, and told."""
        heard = []
        for path in sorted(self._inputs.wait(timeout_ms)):
            device, contacts = self._open[path]
            try:
                changes = contacts.take(device.read())
                if contacts.must_read_state:
                    changes += contacts.compare(device.state(), now_ns, now_ns)
            except OSError:
                self._let_go(path)
                self.troubles.append(f"{path} was unplugged; plug it in and start again")
                continue
            heard += [
                Heard(Switch(path, change.contact), device.name, change.to_ns)
                for change in changes
                if change.closed
            ]
        return sorted(heard, key=lambda one: one.t_ns)

    def close(self) -> None:
        """Lets go of all devices. May be called twice."""
        for path in list(self._open):
            self._let_go(path)

    def _take_in(self, device: InputDevice, now_ns: int) -> None:
        switches = _switches_of(device)
        if not switches:
            device.close()
            return
        try:
            contacts = Contacts(switches, device.axes, device.state(), now_ns)
        except OSError as error:
            device.close()
            self.troubles.append(f"{device.path} cannot be used: {error.strerror or error}")
            return
        self._open[device.path] = (device, contacts)

    def _let_go(self, path: str) -> None:
        device, _ = self._open.pop(path)
        device.close()


def _switches_of(device: InputDevice) -> list[Contact]:
    switches = [Contact(EV_KEY, key) for key in device.keys]
    if not device.keys & _TOUCH_KEYS:
        switches += [Contact(EV_ABS, axis, side) for axis in device.axes for side in _ENDS]
    return [switch for switch in switches if has_name(switch)]
