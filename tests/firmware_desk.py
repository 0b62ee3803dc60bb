"""A microcontroller in software, in virtual time; for CPython and MicroPython, as the firmware itself."""

from array import array

from firmware_bridge.firmware.capture import Capture
from firmware_bridge.firmware.clock import Clock
from firmware_bridge.firmware.edge_ring import EdgeRing
from firmware_bridge.firmware.lamps import Lamps
from firmware_bridge.firmware.link import Identity, Link
from firmware_bridge.protocol import Decoder, Hello, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_bridge.protocol import Message

RELEASED = 0xFFFFFFFF
MINUTE_US = 60000000
PINS = '{"buttons": {"a.1": 0, "a.2": 1, "b.1": 7, "b.2": 28}, "lamps": {"a.1": 16, "b.1": 17}}'
GPIOS = [0, 1, 7, 28]
NAMES = ["a.1", "a.2", "b.1", "b.2"]


class Ticks:
    """A timer. Every look at it costs a microsecond, as on a very fast board."""

    def __init__(self, now_us: int) -> None:
        self.now_us = now_us

    def __call__(self) -> int:
        self.now_us += 1
        return self.now_us & 0x3FFFFFFF


class SoftSamples:
    """The ring that hardware fills, filled by tests."""

    period_us = 1
    base = 2

    def __init__(self, ticks: Ticks, size: int = 64) -> None:
        self.size = size
        self.words = array("I", bytes(4 * (size + self.base)))
        self.ticks = ticks
        self.lines = RELEASED
        self.runs = True
        self.worn_at = 1000000
        self.restarts = -1
        self.is_stopped = False
        self.restart()

    def restart(self) -> None:
        self.restarts += 1
        self.begun_us = self.ticks.now_us
        self.started_us = self.begun_us & 0x3FFFFFFF
        self.rearm()
        self._push(self.begun_us)

    def rearm(self) -> None:
        self.count = 0

    def pause(self) -> None:
        pass

    def stop(self) -> None:
        self.is_stopped = True

    def written(self) -> int:
        return self.count

    def levels(self) -> int:
        return self.lines

    def is_running(self) -> bool:
        return self.runs

    def is_worn(self) -> bool:
        return self.count >= self.worn_at

    def change(self, lines: int, after_us: int = 10) -> int:
        """All lines are these after a while; the stamp of the sample that saw it."""
        self.ticks.now_us += after_us
        self.lines = lines
        if self.runs:
            self._push(self.ticks.now_us)
        return self.ticks.now_us

    def _push(self, true_us: int) -> None:
        place = self.base + self.count % self.size
        self.words[place] = self.lines
        self.words[place + 1] = (0xFFFFFFFF - (true_us - self.begun_us)) & 0xFFFFFFFF
        self.count += 2


class SoftPort:
    """Both ends of a serial line."""

    def __init__(self) -> None:
        self.to_device = b""
        self.to_host = b""
        self.room = 1000000
        """How many bytes the line still takes."""

    def read(self) -> bytes:
        data = self.to_device
        self.to_device = b""
        return data

    def is_ready(self) -> bool:
        return self.room > 0

    def write(self, data: "bytes | memoryview") -> int:
        taken = min(len(data), self.room)
        self.to_host += bytes(data[:taken])
        self.room -= taken
        return taken


class Desk:
    """Firmware without a board, and a host without a cabinet."""

    def __init__(self, ring: int = 16, samples: int = 64, started_us: int = 5000) -> None:
        self.ticks = Ticks(started_us)
        self.clock = Clock(self.ticks)
        self.samples = SoftSamples(self.ticks, samples)
        self.ring = EdgeRing(ring)
        self.capture = Capture(self.samples, GPIOS, self.ring, self.clock)
        self.duties = [0, 0]
        self.lamps = Lamps([0, 2], self._set_duty)
        self.port = SoftPort()
        identity = Identity("Soft Pico", 0x1122334455667788, 77)
        identity.names = NAMES
        identity.lamp_buttons = [0, 2]
        self.link = Link(identity, self.clock, self.capture, self.lamps, self.port)
        self.decoder = Decoder()

    def _set_duty(self, place: int, duty: int) -> None:
        self.duties[place] = duty

    def close(self, gpio: int, after_us: int = 10) -> int:
        """The contact on that line closes; the stamp."""
        return self.samples.change(self.samples.lines & ~(1 << gpio), after_us)

    def open(self, gpio: int, after_us: int = 10) -> int:
        """The contact on that line opens; the stamp."""
        return self.samples.change(self.samples.lines | 1 << gpio, after_us)

    def tell(self, *messages: "Message") -> "list[Message]":
        """The host says this; what it hears in the next turn."""
        for message in messages:
            self.port.to_device += encode(message)
        return self.turn()

    def turn(self) -> "list[Message]":
        """One turn of the loop; what the host hears."""
        self.link.step()
        data = self.port.to_host
        self.port.to_host = b""
        return self.decoder.feed(data)

    def turns(self, for_ms: int, every_us: int = 500) -> "list[Message]":
        """What the host hears in this time."""
        heard = []
        end_us = self.ticks.now_us + 1000 * for_ms
        while self.ticks.now_us < end_us:
            self.ticks.now_us += every_us
            heard.extend(self.turn())
        return heard

    def greet(self, session: int = 9, resume_boot: int = 0, resume_seq: int = 0) -> "list[Message]":
        """A session begins; what the host hears until its Snapshot."""
        heard = self.tell(Hello(1, session, resume_boot, resume_seq))
        heard.extend(self.turn())
        return heard


def of_kind(kind: type, messages: "list[Message]") -> "list[Message]":
    """Those of one kind."""
    return [message for message in messages if isinstance(message, kind)]
