"""Two encoders of one name on a real USB, and a keyboard that repeats its keys, read by the cabinet; as JSON."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import evdev

from cabinet.buttons.edges import Edge, SourceError
from cabinet.buttons.encoder import EncoderSource
from cabinet.buttons.encoder_device import KernelInputs, place_of
from cabinet.buttons.encoder_settings import EncoderSettings
from tests.virtual_pi.in_guest.usb_encoder import UsbEncoder, place, start_usb, wait_for

BUTTONS = ("BTN_TRIGGER", "BTN_THUMB", "BTN_THUMB2", "BTN_TOP", "BTN_TOP2", "BTN_PINKIE")
LINES = ("1", "2", "3", "4", "5", "spit")
SETTINGS = Path("/tmp/settings.toml")

Told = list[Any]


class Reading:
    """The source, with what it delivers and when."""

    def __init__(self, settings: EncoderSettings) -> None:
        self.edges: list[Edge] = []
        self.delays_ns: list[int] = []
        self.source = EncoderSource(settings)

    def deliver(self, edge: Edge) -> None:
        self.delays_ns.append(time.monotonic_ns() - edge.t_ns)
        self.edges.append(edge)

    def start(self) -> Reading:
        self.source.start(self.deliver)
        return self

    def wait_for_edges(self, count: int) -> None:
        wait_for(f"{count} edges", lambda: len(self.edges) >= count)

    @property
    def told(self) -> Told:
        return [[edge.line, edge.active, edge.t_ns, edge.err_ns, edge.made_up] for edge in self.edges]

    @property
    def status(self) -> Told:
        status = self.source.status(time.monotonic_ns())
        return [status.is_live, status.trouble]


def node(socket: int) -> str:
    return Path(place(socket)).resolve().name


def both_are_there() -> bool:
    return all(Path(place(socket)).exists() for socket in (0, 1))


def settings() -> EncoderSettings:
    return EncoderSettings(
        devices={
            place(socket): {name: f"{seat}.{line}" for name, line in zip(BUTTONS, LINES, strict=True)}
            | {"ABS_X-": f"{seat}.left", "ABS_X+": f"{seat}.right"}
            for socket, seat in enumerate("ab")
        }
    )


def stamps(encoders: list[UsbEncoder]) -> dict[str, Any]:
    """Every button and stick of both, one after the other; somebody else reads along and must get nothing."""
    reading = Reading(settings()).start()
    others = [os.open(f"/dev/input/{node(socket)}", os.O_RDONLY | os.O_NONBLOCK) for socket in (0, 1)]
    moved: Told = []
    count = 0
    for number, line in enumerate(LINES):
        for seat, encoder in zip("ab", encoders, strict=True):
            for closed in (True, False):
                moved.append([f"{seat}.{line}", closed, *encoder.set(button=number, closed=closed)])
                count += 1
                reading.wait_for_edges(count)
    for x, line, closed in ((0, "left", True), (127, "left", False), (255, "right", True), (127, "right", False)):
        moved.append([f"b.{line}", closed, *encoders[1].set(x=x)])
        count += 1
        reading.wait_for_edges(count)
    overheard = sum(bool(select.select([other], [], [], 0)[0]) for other in others)
    for other in others:
        os.close(other)
    ways = [plug._device.timing.way for plug in reading.source._plugs if plug._device is not None]
    reading.source.close()
    return {
        "moved": moved,
        "edges": reading.told,
        "delays_ns": reading.delays_ns,
        "overheard": overheard,
        "ways": ways,
        "places": [place_of(Path(f"/dev/input/{node(socket)}")) for socket in (0, 1)],
    }


def overflow(encoders: list[UsbEncoder]) -> dict[str, Any]:
    """Nobody reads while one button goes on and off, and two others are moved meanwhile."""
    reading = Reading(settings())
    reading.source.claim(reading.deliver)
    encoders[0].set(button=0)
    while len(reading.edges) < 1:
        reading.source.round()
    before_ns = time.monotonic_ns()
    encoders[0].set(button=0, closed=False)
    encoders[0].set(button=2)
    for count in range(200):
        encoders[0].set(button=1, closed=count % 2 == 0)
        time.sleep(0.002)
    after_ns = time.monotonic_ns()
    for _ in range(20):
        reading.source.round()
    encoders[0].set(button=2, closed=False)
    while reading.edges[-1].line != "a.3" or reading.edges[-1].active:
        reading.source.round()
    losses = reading.source.status(0).losses
    reading.source.close()
    return {"edges": reading.told, "from_ns": before_ns, "to_ns": after_ns, "losses": losses}


def unplugged(encoders: list[UsbEncoder]) -> dict[str, Any]:
    """Both are pulled out, and put back the other way round in time: the kernel numbers them the other way."""
    reading = Reading(settings()).start()
    numbers = [node(0), node(1)]
    encoders[0].set(button=4)
    reading.wait_for_edges(1)
    encoders[0].pull_out()
    wait_for("the loss is told", lambda: not reading.status[0] and not Path(place(0)).exists())
    encoders[1].pull_out()
    wait_for("both are gone", lambda: not Path(place(1)).exists())
    wait_for("both losses are told", lambda: str(reading.status[1]).count("is not there") == 2)
    lost = reading.status
    numbers_after = []
    for socket in ((1, 0), (0, 1))[numbers[0] > numbers[1]]:
        encoders[socket].plug_in()
        wait_for("it is back", Path(place(socket)).exists)
    numbers_after = [node(0), node(1)]
    wait_for("both are read", lambda: reading.status == [True, None])
    count = len(reading.edges)
    for encoder in encoders:
        encoder.release_all()
        encoder.set(button=0)
        count += 1
        reading.wait_for_edges(count)
        encoder.set(button=0, closed=False)
        count += 1
        reading.wait_for_edges(count)
    edges = reading.told
    reading.source.close()
    return {"edges": edges, "lost": lost, "numbers": [numbers, numbers_after]}


def forbidden() -> str:
    """As a user outside the group input; a process of its own changes to it once all is loaded."""
    pipe, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        try:
            Reading(settings()).start()
            said = "it was opened"
        except SourceError as error:
            said = str(error)
        os.write(end, said.encode())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(pipe, 4_096).decode()


def held() -> str:
    """While another program has grabbed it."""
    inputs = KernelInputs()
    device = inputs.open(place(0), EncoderSettings())
    try:
        Reading(settings()).start()
    except SourceError as error:
        return str(error)
    finally:
        device.close()
    return "it was opened"


def repeating() -> dict[str, Any]:
    """A keyboard encoder, made with uinput; its held key is repeated by the kernel. Another reads along."""
    subprocess.run(["modprobe", "uinput"], check=True)
    keyboard = evdev.UInput({evdev.ecodes.EV_KEY: [30]}, name="keyboard encoder")
    wait_for("its device", lambda: keyboard.device is not None)
    path = str(keyboard.device.path)
    reading = Reading(EncoderSettings(devices={path: {"KEY_A": "a.1"}}))
    beside = KernelInputs().open(path, EncoderSettings(), for_us_alone=False)
    seen = []
    for value in (1, 2, 2, 2, 0):
        keyboard.write(evdev.ecodes.EV_KEY, 30, value)
        keyboard.syn()
    seen += [value for _, kind, _, value in beside.read() if kind == evdev.ecodes.EV_KEY]
    reading.start()
    time.sleep(0.1)
    before_ns = time.monotonic_ns()
    for value in (1, 2, 2, 2):
        keyboard.write(evdev.ecodes.EV_KEY, 30, value)
        keyboard.syn()
    after_ns = time.monotonic_ns()
    time.sleep(0.1)
    keyboard.write(evdev.ecodes.EV_KEY, 30, 0)
    keyboard.syn()
    reading.wait_for_edges(2)
    seen += [value for _, kind, _, value in beside.read() if kind == evdev.ecodes.EV_KEY]
    reading.source.close()
    beside.close()
    keyboard.close()
    return {"edges": reading.told, "seen_beside": seen, "from_ns": before_ns, "to_ns": after_ns}


class Command:
    """A command of the cabinet on a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.said = ""
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir("/host")
            os.environ["COLUMNS"] = "300"
            os.execv(sys.executable, [sys.executable, "-m", "cabinet", *words])

    def wait_until(self, text: str) -> None:
        wait_for(f"{text!r} after {self.said!r}", lambda: self._reads() and text in self.said, within_s=60)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def end(self) -> int:
        """Its exit status."""
        wait_for("the end of the command", lambda: not self._reads(), within_s=60)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _reads(self) -> bool:
        """Whether it still runs."""
        if select.select([self._terminal], [], [], 0.1)[0]:
            try:
                block = os.read(self._terminal, 4_096)
            except OSError:
                return False
            self.said += block.decode()
        return True


def learned(encoders: list[UsbEncoder]) -> dict[str, Any]:
    """A whole panel by its owner's finger."""
    SETTINGS.write_text("# mine\n[rules]\nstock = 4\n")
    command = Command("buttons", "--learn", "--settings", str(SETTINGS))
    command.wait_until("to begin")
    command.type("\n")
    for seat, encoder in zip(("AMBER", "CYAN"), encoders, strict=True):
        for number, line in enumerate(LINES):
            command.wait_until(f"{seat} {line.upper()}: press it now")
            time.sleep(0.4)
            encoder.set(button=number)
            encoder.set(button=number, closed=False)
    command.wait_until("SERVICE: press it now")
    command.type("q")
    status = command.end()
    return {"status": status, "said": command.said, "settings": SETTINGS.read_text()}


def fair(encoders: list[UsbEncoder]) -> dict[str, Any]:
    """The owner's test on what was learned, with one contact on both encoders; Ctrl-C ends it."""
    command = Command("buttons", "--fairness", "--settings", str(SETTINGS))
    command.wait_until("AMBER to CYAN")
    for count in range(12):
        for closed in (True, False):
            for encoder in encoders[:: 1 if count % 2 else -1]:
                encoder.set(button=0, closed=closed)
            time.sleep(0.25)
        command.wait_until(f" {count + 1}  1 ")
    os.kill(command.pid, signal.SIGINT)
    status = command.end()
    return {"status": status, "said": command.said}


def main() -> None:
    start_usb()
    encoders = [UsbEncoder(0), UsbEncoder(1)]
    for encoder in encoders:
        encoder.plug_in()
    wait_for("both encoders", both_are_there)
    found = {
        "stamps": stamps(encoders),
        "overflow": overflow(encoders),
        "unplugged": unplugged(encoders),
        "forbidden": forbidden(),
        "held": held(),
        "repeating": repeating(),
        "learned": learned(encoders),
        "fair": fair(encoders),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
