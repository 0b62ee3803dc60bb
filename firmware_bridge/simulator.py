"""A device in software: the firmware's own code on a board whose clock, contacts and serial line are made up.

`VirtualBridge` runs in virtual time, for the demo and for tests; `PtyBridge` in real time on a pseudo terminal,
for the game and the switch test without a microcontroller. Both can be reset, unplugged, and have bad lines.
"""

from __future__ import annotations

import errno
import logging
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from threading import Event, Thread
from typing import Final

from cabinet.buttons.edges import Line
from firmware_bridge.firmware.loop import Firmware
from firmware_bridge.firmware.pins import FILE_NAME
from firmware_bridge.host_clocks import raw_ns
from firmware_bridge.port import Place, Port
from firmware_bridge.simulated_board import SimulatedBoard
from firmware_bridge.simulated_line import Faults, PtyLine, VirtualLine

TURN_NS: Final = 500_000
"""From one turn of the firmware's loop to the next, in virtual time."""
LOOK_NS: Final = 1_000
"""What one look at the clock costs, in virtual time: nothing else does."""
TURN_S: Final = 0.000_5
STOP_WAIT_S: Final = 2.0

log: Final = logging.getLogger(__name__)


def usual_pins() -> str:
    """The usual wiring, as it is installed on a device."""
    return (Path(__file__).parent / "firmware" / FILE_NAME).read_text(encoding="utf-8")


class Present:
    """The device's present in virtual time: it goes on with every look."""

    def __init__(self, now_ns: int) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        """The host time where the device is."""
        self.now_ns += LOOK_NS
        return self.now_ns


class Plug:
    """The board's socket: a line is in it, or none."""

    def __init__(self) -> None:
        self.line: VirtualLine | PtyLine | None = None

    def read(self) -> bytes:
        """What the device hears."""
        return b"" if self.line is None else self.line.read()

    def is_ready(self) -> bool:
        """Whether the device's bytes are taken."""
        return self.line is not None and self.line.is_ready()

    def write(self, data: bytes | memoryview) -> int:
        """The device says this."""
        return 0 if self.line is None else self.line.write(data)


class VirtualBridge:
    """One device in virtual time, plugged into a computer whose ports it is. Not thread-safe."""

    def __init__(
        self,
        now_ns: Callable[[], int],
        chance: Random,
        *,
        faults: Faults | None = None,
        ppm: float = 20.0,
        pins: str | None = None,
    ) -> None:
        """`now_ns`: where the host is. The device's clock gains `ppm` on the host's."""
        self.place = Place(path="/dev/serial/by-id/usb-simulated")
        self.faults = faults or Faults()
        """Of the lines that are plugged in from now on."""
        self._now_ns = now_ns
        self._chance = chance
        self._present = Present(now_ns())
        self._turn_ns = now_ns()
        self._path = ""
        self._plugs = 0
        self._plug = Plug()
        self._board = SimulatedBoard(pins or usual_pins(), self._plug, self._present, chance, ppm=ppm)
        self._firmware: Firmware | None = None
        self.plug_in()

    # Contacts and lamps

    def change(self, line: Line, closed: bool, at_ns: int) -> None:
        """A contact moves at host time `at_ns`. Raises ValueError for a line without a pin."""
        self._board.plan(line, closed, at_ns)

    def next_ns(self) -> int | None:
        """When the device sees the next contact move; None when none is planned."""
        planned_ns = self._board.next_ns()
        return None if planned_ns is None else max(planned_ns, self._turn_ns)

    def run_until(self, now_ns: int) -> int:
        """The device's time passes to host time `now_ns`; how many contacts moved."""
        moved = 0
        while self._turn_ns <= now_ns:
            self._present.now_ns = max(self._present.now_ns, self._turn_ns)
            moved += self._board.move_contacts(self._present.now_ns)
            if self._firmware is not None:
                self._firmware.turn()
            self._turn_ns += TURN_NS
        return moved

    def lit(self) -> frozenset[Line]:
        """The buttons whose lamps are lit."""
        return frozenset(line for line, duty in self._board.lamps.items() if duty)

    # The plug

    def plug_in(self) -> None:
        """The computer sees it, under another number; without power until now it boots."""
        self._plugs += 1
        self._path = f"/dev/ttyACM{self._plugs}"
        self._line = VirtualLine(lambda: self._present.now_ns, self._now_ns, self._chance, self.faults)
        self._plug.line = self._line
        if self._firmware is None:
            self.reset()

    def unplug(self, *, keeps_power: bool = False) -> None:
        """The computer sees it no more."""
        self._line.is_cut = True
        if not keeps_power:
            self._firmware = None

    def reset(self) -> None:
        """It boots; the line stays open, as with a board behind a USB serial chip."""
        self._board.boot()
        self._firmware = Firmware(self._board)

    def stall(self, for_ns: int) -> None:
        """Nothing arrives on either side for so long."""
        self._line.stall(self._now_ns() + for_ns)

    # The computer's ports

    def find(self, place: Place) -> list[str]:
        """Where it is."""
        return [self._path] if not self._line.is_cut and place == self.place else []

    def open(self, path: str) -> Port:
        """Opens it. Raises OSError when it is not there."""
        if path != self._path or self._line.is_cut:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        return _HostEnd(self._line)


class _HostEnd:
    """The host's end of a line in virtual time."""

    def __init__(self, line: VirtualLine) -> None:
        self.chip: str | None = None
        self._line = line
        self._line.host_read()

    def read(self, wait_s: float) -> bytes:  # noqa: ARG002 (virtual time does not pass by waiting)
        return self._line.host_read()

    def write(self, data: bytes) -> int:
        return self._line.host_write(data)

    def close(self) -> None:
        pass


class PtyBridge:
    """One device in real time, on a pseudo terminal. All methods may be called from any thread."""

    def __init__(self, *, faults: Faults | None = None, ppm: float = 20.0, chance: Random | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="spit-bridge-")
        self._link = Path(self._folder.name) / "bridge"
        self.place = Place(path=str(self._link))
        """Where it is plugged in: a link to the pseudo terminal, as those of /dev/serial/by-id."""
        self._faults = faults or Faults()
        self._chance = chance or Random()
        self._plug = Plug()
        self._board = SimulatedBoard(usual_pins(), self._plug, raw_ns, self._chance, ppm=ppm)
        self._orders: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._stopping = Event()
        self._firmware: Firmware | None = None
        self._plug_in()
        self._thread = Thread(target=self._run, name="simulated bridge", daemon=True)
        self._thread.start()

    @property
    def lines(self) -> tuple[Line, ...]:
        """The buttons that it has."""
        return tuple(self._board.pins.names)

    def contact(self, line: Line, closed: bool) -> None:
        """A contact moves now. Raises ValueError for a line without a pin."""
        if line not in self.lines:
            raise ValueError(f"{line!r} has no pin on this board; it has {', '.join(self.lines)}")
        at_ns = raw_ns()
        self._orders.put(lambda: self._board.plan(line, closed, at_ns))

    def unplug(self, *, keeps_power: bool = False) -> None:
        """The computer sees it no more."""
        self._orders.put(lambda: self._unplug(keeps_power=keeps_power))

    def plug_in(self) -> None:
        """The computer sees it again, under another number; without power until now it boots."""
        self._orders.put(self._plug_in)

    def reset(self) -> None:
        """It boots; the line stays open."""
        self._orders.put(self._boot)

    def stall(self, for_s: float) -> None:
        """The device stands still for so long."""
        self._orders.put(lambda: time.sleep(for_s))

    def lit(self) -> frozenset[Line]:
        """The buttons whose lamps are lit."""
        return frozenset(line for line, duty in dict(self._board.lamps).items() if duty)

    def close(self) -> None:
        """Switches it off. May be called twice."""
        self._stopping.set()
        self._thread.join(STOP_WAIT_S)
        self._unplug(keeps_power=False)
        self._folder.cleanup()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._turn()
        except Exception:
            log.exception("The simulated bridge has ended")

    def _turn(self) -> None:
        while True:
            try:
                self._orders.get_nowait()()
            except Empty:
                break
        self._board.move_contacts(raw_ns())
        if self._firmware is not None:
            self._firmware.turn()
        line = self._plug.line
        if isinstance(line, PtyLine):
            line.wait(TURN_S)
        else:
            self._stopping.wait(TURN_S)

    def _plug_in(self) -> None:
        line = PtyLine(self._chance, self._faults)
        self._plug.line = line
        self._link.symlink_to(line.path)
        if self._firmware is None:
            self._boot()

    def _unplug(self, *, keeps_power: bool) -> None:
        line, self._plug.line = self._plug.line, None
        if isinstance(line, PtyLine):
            self._link.unlink(missing_ok=True)
            line.close()
        if not keeps_power:
            self._firmware = None

    def _boot(self) -> None:
        self._board.boot()
        self._firmware = Firmware(self._board)
