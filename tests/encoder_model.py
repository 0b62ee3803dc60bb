"""A model of the kernel's input devices, in virtual time: who is plugged in, what waits to be read or is lost.

As in drivers/input/evdev.c: events are read by whole reports; a full buffer throws away all that was not read, and
leaves SYN_DROPPED and the newest event; asking for the keys takes the key events out of the buffer. An encoder on
USB is asked at fixed times, and what has moved since is told with the stamp of the answer.
Nothing here sleeps: waiting moves the clock.
"""

from __future__ import annotations

import errno
import heapq
import itertools
import os
from collections.abc import Iterable, Mapping

from cabinet.buttons.edges import Edge
from cabinet.buttons.encoder import EncoderSource
from cabinet.buttons.encoder_contacts import (
    EV_ABS,
    EV_KEY,
    EV_SYN,
    SYN_DROPPED,
    SYN_REPORT,
    DeviceState,
    InputEvent,
)
from cabinet.buttons.encoder_device import MOST_EVENTS, InputDevice
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.encoder_timing import Timing
from cabinet.buttons.intake import Intake, Taken

MS = 1_000_000
US = 1_000
START_NS = 1_000_000 * MS

LEFT = "/dev/input/by-path/platform-xhci-hcd.0-usb-0:1.1:1.0-event-joystick"
RIGHT = "/dev/input/by-path/platform-xhci-hcd.0-usb-0:1.2:1.0-event-joystick"

BUTTONS = ("BTN_TRIGGER", "BTN_THUMB", "BTN_THUMB2", "BTN_TOP", "BTN_TOP2", "BTN_PINKIE")
CODES = dict(zip(("1", "2", "3", "4", "5", "spit"), range(0x120, 0x126), strict=True))
TWO_ENCODERS = EncoderSettings(
    devices={
        path: {name: f"{seat}.{button}" for name, button in zip(BUTTONS, CODES, strict=True)}
        for path, seat in ((LEFT, "a"), (RIGHT, "b"))
    }
)
EIGHT_MS = Timing(0, 9 * MS, "USB, asked every 8 ms, as it asks for")

Report = Iterable[tuple[int, int, int]]
"""Type, code and value of each event in it."""


class ModelDevice:
    """One encoder: its switches, and what of it waits to be read."""

    def __init__(self, name: str, timing: Timing, poll_ns: int, phase_ns: int, buffer: int) -> None:
        self.name = name
        self.keys = frozenset(CODES.values())
        self.axes: dict[int, tuple[int, int]] = {}
        self.timing = timing
        self.poll_ns, self.phase_ns = poll_ns, phase_ns
        self.down: set[int] = set()
        self.values: dict[int, int] = {}
        self.is_plugged = True
        self.answers_after_ns = 0
        """So long it takes to ask for its state, which is that of a quarter of the time; the world goes on."""
        self.refusal: Exception | None = None
        self.is_open = self.is_ours = False
        self.opened = 0
        self._size = buffer
        self._queue: list[InputEvent] = []
        self._readable = 0

    def report(self, t_ns: int, events: Report) -> None:
        """The kernel hears a report."""
        for kind, code, value in events:
            if kind == EV_KEY and value != 2:
                (self.down.add if value else self.down.discard)(code)
            elif kind == EV_ABS:
                self.values[code] = value
            self._pass((t_ns, kind, code, value))
        self._pass((t_ns, EV_SYN, SYN_REPORT, 0))

    def _pass(self, event: InputEvent) -> None:
        if not self.is_open:
            return
        self._queue.append(event)
        if len(self._queue) == self._size:
            self._queue = [(event[0], EV_SYN, SYN_DROPPED, 0), event]
            self._readable = 0
        if event[1:3] == (EV_SYN, SYN_REPORT):
            self._readable = len(self._queue)

    @property
    def can_be_read(self) -> bool:
        return self.is_open and (self._readable > 0 or not self.is_plugged)

    def read(self) -> list[InputEvent]:
        self._must_be_there()
        count = min(self._readable, MOST_EVENTS)
        events, self._queue = self._queue[:count], self._queue[count:]
        self._readable -= count
        return events

    def state(self) -> DeviceState:
        self._must_be_there()
        readable = [event for event in self._queue[: self._readable] if event[1] == EV_ABS]
        self._queue = readable + self._queue[self._readable :]
        self._readable = len(readable)
        return DeviceState(frozenset(self.down), {axis: self.values.get(axis, 0) for axis in self.axes})

    def _must_be_there(self) -> None:
        if not self.is_plugged:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    def forget(self) -> None:
        """As when it is opened or closed."""
        self._queue, self._readable = [], 0


class _Handle:
    """An open device."""

    def __init__(self, path: str, device: ModelDevice, inputs: ModelInputs) -> None:
        self.path, self.device, self.inputs = path, device, inputs
        self.name, self.keys, self.axes, self.timing = device.name, device.keys, device.axes, device.timing

    def read(self) -> list[InputEvent]:
        return self.device.read()

    def state(self) -> DeviceState:
        wait_ns = self.device.answers_after_ns
        self.inputs.pass_time(self.inputs.now_ns + wait_ns // 4)
        state = self.device.state()
        self.inputs.pass_time(self.inputs.now_ns + wait_ns - wait_ns // 4)
        return state

    def close(self) -> None:
        self.device.is_open = False
        self.device.forget()


class ModelInputs:
    """The kernel, the plugs below it and the clock above it; stands in for `Inputs`."""

    def __init__(self, paths: Iterable[str] = (LEFT, RIGHT)) -> None:
        self.now_ns = START_NS
        self.devices: dict[str, ModelDevice] = {}
        self.tries: list[int] = []
        """When somebody looked for a device that was not there, or that could not be opened."""
        self._plan: list[tuple[int, int, str, tuple[tuple[int, int, int], ...] | None]] = []
        self._count = itertools.count()
        for path in paths:
            self.plug_in(path)

    def clock_ns(self) -> int:
        return self.now_ns

    # The world

    def plug_in(
        self,
        path: str,
        timing: Timing = EIGHT_MS,
        poll_ns: int = 8 * MS,
        phase_ns: int = 0,
        buffer: int = MOST_EVENTS,
    ) -> ModelDevice:
        device = ModelDevice("Generic USB Joystick", timing, poll_ns, phase_ns, buffer)
        self.devices[path] = device
        return device

    def pull_out(self, path: str, t_ns: int | None = None) -> None:
        """Now, or at `t_ns`."""
        if t_ns is None:
            self.devices[path].is_plugged = False
        else:
            heapq.heappush(self._plan, (t_ns, next(self._count), path, None))

    def report(self, path: str, t_ns: int, *events: tuple[int, int, int]) -> None:
        """The kernel will hear a report and stamp it with `t_ns`."""
        heapq.heappush(self._plan, (t_ns, next(self._count), path, events))

    def key(self, path: str, button: str, value: int, t_ns: int) -> None:
        """A report with one key."""
        self.report(path, t_ns, (EV_KEY, CODES[button], value))

    def contact(self, path: str, button: str, closed: bool, t_ns: int) -> int:
        """A contact moves at `t_ns`; its report comes with the next question of the host. When that is."""
        device = self.devices[path]
        rounds = -((device.phase_ns - t_ns) // device.poll_ns)
        asked_ns = device.phase_ns + rounds * device.poll_ns
        self.key(path, button, int(closed), asked_ns)
        return asked_ns

    def pass_time(self, until_ns: int) -> None:
        while self._plan and self._plan[0][0] <= until_ns:
            t_ns, _, path, events = heapq.heappop(self._plan)
            self.now_ns = max(self.now_ns, t_ns)
            if events is None:
                self.pull_out(path)
            elif self.devices[path].is_plugged:
                self.devices[path].report(t_ns, events)
        self.now_ns = max(self.now_ns, until_ns)

    # What the source sees

    def open(self, path: str, settings: EncoderSettings, *, for_us_alone: bool = True) -> InputDevice:
        del settings
        device = self.devices.get(path)
        if device is None or not device.is_plugged:
            self.tries.append(self.now_ns)
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if device.refusal is not None:
            self.tries.append(self.now_ns)
            raise device.refusal
        device.forget()
        device.is_open, device.is_ours = True, for_us_alone
        device.opened += 1
        return _Handle(path, device, self)

    def is_there(self, path: str) -> bool:
        return path in self.devices and self.devices[path].is_plugged

    def places(self) -> list[str]:
        return [path for path, device in self.devices.items() if device.is_plugged]

    def wait(self, timeout_ms: int) -> frozenset[str]:
        until_ns = self.now_ns + timeout_ms * MS
        while not (ready := self._ready()) and self._plan and self._plan[0][0] <= until_ns:
            self.pass_time(self._plan[0][0])
        if not ready:
            self.pass_time(until_ns)
        return self._ready()

    def _ready(self) -> frozenset[str]:
        return frozenset(path for path, device in self.devices.items() if device.can_be_read)


class EncoderBench:
    """The source on the model, read round by round, with all that is delivered and decided."""

    def __init__(self, settings: EncoderSettings = TWO_ENCODERS, inputs: ModelInputs | None = None) -> None:
        self.inputs = inputs or ModelInputs(settings.devices)
        self.source = EncoderSource(settings, self.inputs, self.inputs.clock_ns)
        self.edges: list[Edge] = []
        self.intake = Intake()
        self.presses: list[tuple[str, int]] = []
        self.taken: Taken | None = None
        self._given = 0
        self.watermarks: list[tuple[int, int]] = []
        """After each round: the watermark, and how many edges had been delivered."""

    def start(self) -> EncoderBench:
        self.source.claim(self.edges.append)
        return self

    def run_until(self, until_ns: int) -> None:
        """Rounds of the reader's thread, with those of the game beside it."""
        while self.inputs.now_ns < until_ns:
            self.source.round()
            status = self.source.status(self.inputs.now_ns)
            self.watermarks.append((status.watermark_ns, len(self.edges)))
            self.taken = self.intake.take(self.edges[self._given :], [status], self.inputs.now_ns)
            self._given = len(self.edges)
            for cluster in self.taken.clusters:
                self.presses += [(press.line, press.t_ns) for press in cluster]

    @property
    def trouble(self) -> str | None:
        return self.source.status(self.inputs.now_ns).trouble


def levels(edges: Iterable[Edge]) -> Mapping[str, bool]:
    """The level of each line by its last edge."""
    return {edge.line: edge.active for edge in edges}
