"""A bridge on a real USB serial line, played on by the cabinet: found, raced, stalled, pulled out; as JSON."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from typing import Any

from serial.tools import list_ports

from cabinet.bridges import find_bridges
from cabinet.buttons.edges import Edge
from cabinet.buttons.intake import Intake
from cabinet.lamps import LIT
from firmware_bridge.bridge import BridgeSource
from firmware_bridge.host_clocks import HostClocks, raw_ns
from firmware_bridge.port import PICO_USB_ID, Place
from firmware_bridge.settings import BridgeSettings
from tests.virtual_pi.in_guest.bridge_device import CHIP, DeviceLine
from tests.virtual_pi.in_guest.usb_encoder import wait_for
from tests.virtual_pi.in_guest.usb_serial import UsbSerial, start_usb_serial

MS = 1_000_000
LINES = tuple(f"{seat}.{button}" for seat in "ab" for button in ("1", "2", "3", "4", "5", "spit"))
PRESSES = 200
FIRST, SECOND = Path("/dev/ttyACM0"), Path("/dev/ttyACM1")
NOBODY, PI = 65534, 1000

Contact = tuple[str, bool, int]
"""Line, whether it closes, and when by CLOCK_MONOTONIC_RAW."""
Told = dict[str, Any]


class Device:
    """The process at the other end of the line."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.virtual_pi.in_guest.bridge_device", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lit()

    def _order(self, **order: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def move(self, contacts: list[Contact]) -> list[int]:
        """Contacts will move; when, on the device's own clock, to the nanosecond."""
        stamps: list[int] = self._order(do="move", contacts=contacts)
        return stamps

    def boot(self) -> None:
        self._order(do="boot")

    def lit(self) -> list[str]:
        """The buttons whose lamps are lit."""
        lines: list[str] = self._order(do="lit")
        return lines


class Bench:
    """The source that the cabinet takes for bridges on USB, and an intake, stepped as the game thread does."""

    def __init__(self) -> None:
        bridges = find_bridges(BridgeSettings())
        self.places = bridges._places
        (source,) = bridges.sources(time.monotonic_ns)
        assert isinstance(source, BridgeSource)
        self.source = source
        self.edges: list[Told] = []
        self.presses: list[Told] = []
        self.statuses: list[Told] = []
        self.longest_step_ns = 0
        self._clocks = HostClocks()
        self._queue: SimpleQueue[tuple[Edge, int]] = SimpleQueue()
        self._intake = Intake()
        self._stepped_ns = time.monotonic_ns()
        self.source.start(lambda edge: self._queue.put((edge, raw_ns())))
        self.step()

    def until(self, what: str, is_so: Callable[[], bool], within_s: float = 30) -> None:
        """Steps until then. Raises TimeoutError that names it."""
        until = time.monotonic() + within_s
        while not is_so():
            if time.monotonic() > until:
                raise TimeoutError(f"{what}; {self.status}, {len(self.edges)} edges")
            self.step()
            time.sleep(0.001)

    def knows(self, at_ns: int) -> bool:
        """Whether everything until then is delivered."""
        return self.status.is_live and self.status.watermark_ns > at_ns + self._clocks.difference()[0] + MS

    def rest(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        self.until("the end of a rest", lambda: time.monotonic() >= until, seconds + 30)

    def step(self) -> None:
        now_ns = time.monotonic_ns()
        self.longest_step_ns = max(self.longest_step_ns, now_ns - self._stepped_ns)
        self._stepped_ns = now_ns
        self.status = status = self.source.status(now_ns)
        edges = list(self._waiting())
        difference = self._clocks.difference()
        self.edges += [
            {
                "line": edge.line,
                "closed": edge.active,
                "t_ns": edge.t_ns,
                "err_ns": edge.err_ns,
                "made_up": edge.made_up,
                "clock": edge.clock,
                "delivered_ns": delivered_ns,
                "map_offset_ns": status.map_offset_ns,
                "map_err_ns": status.map_err_ns,
                "difference": difference,
            }
            for edge, delivered_ns in edges
        ]
        taken = self._intake.take([edge for edge, _ in edges], [status], now_ns)
        self.late = taken.late_presses
        self.presses += [
            {"line": press.line, "edge": press.seq - 1, "is_late": press.judged_ns is not None, "taken_ns": now_ns}
            for cluster in taken.clusters
            for press in cluster
        ]
        told = {"is_live": status.is_live, "trouble": status.trouble}
        if not self.statuses or {**self.statuses[-1], "told_ns": 0} != {**told, "told_ns": 0}:
            self.statuses.append({**told, "told_ns": now_ns})

    def _waiting(self) -> Iterator[tuple[Edge, int]]:
        while True:
            try:
                yield self._queue.get_nowait()
            except Empty:
                return


class Desk:
    """Device, plug and cabinet."""

    def __init__(self, plug: UsbSerial, device: Device, bench: Bench) -> None:
        self.plug, self.device, self.bench = plug, device, bench

    def heard(self, contacts: list[Contact], during: Callable[[], None] = lambda: None) -> Told:
        """The contacts move while that happens; what the cabinet makes of them, once all is decided."""
        bench = self.bench
        edges, presses, statuses, late = len(bench.edges), len(bench.presses), len(bench.statuses), bench.late
        losses = bench.status.losses
        stamps = self.device.move(contacts)
        during()
        bench.until("all has happened", lambda: raw_ns() > contacts[-1][2], 60)
        bench.until("all is known", lambda: bench.knows(contacts[-1][2]))
        bench.rest(0.3)
        return {
            "moved": [[*contact, stamp_ns] for contact, stamp_ns in zip(contacts, stamps, strict=True)],
            "edges": bench.edges[edges:],
            "first_edge": edges,
            "presses": bench.presses[presses:],
            "statuses": bench.statuses[statuses:],
            "late": bench.late - late,
            "losses": bench.status.losses - losses,
            "ports": ports(),
        }

    def plug_in_and_wait(self) -> float:
        """Until it is played on; how many seconds that took."""
        before = time.monotonic()
        self.plug.plug_in()
        self.bench.until("the bridge is played on again", lambda: self.bench.status.is_live)
        return time.monotonic() - before


def ports() -> list[str]:
    """Where the computer has bridges."""
    return [port.device for port in list_ports.comports() if (port.vid, port.pid) == PICO_USB_ID]


def in_ms(milliseconds: float) -> int:
    """When that is, a little after now."""
    return raw_ns() + round((600 + milliseconds) * MS)


def press(line: str, at_ns: int, hold_ms: float, chance: Random) -> list[Contact]:
    """A contact that bounces for less than a millisecond, closing and opening."""
    return bouncing(line, True, at_ns, chance) + bouncing(line, False, at_ns + round(hold_ms * MS), chance)


def bouncing(line: str, closes: bool, at_ns: int, chance: Random) -> list[Contact]:
    """There, and up to four times back and there again."""
    contacts = [(line, closes, at_ns)]
    for _ in range(chance.randrange(5)):
        back_ns = at_ns + chance.randint(30_000, 100_000)
        at_ns = back_ns + chance.randint(60_000, 100_000)
        contacts += [(line, not closes, back_ns), (line, closes, at_ns)]
    return contacts


def presses(count: int, chance: Random) -> list[Contact]:
    """Both seats at once, one press in five close behind another."""
    contacts: list[Contact] = []
    free_ns = dict.fromkeys(LINES, 0)
    at_ns = in_ms(400)
    for _ in range(count):
        line = chance.choice([line for line in LINES if free_ns[line] <= at_ns])
        hold_ms = chance.uniform(40, 90)
        contacts += press(line, at_ns, hold_ms, chance)
        free_ns[line] = at_ns + round((hold_ms + 70) * MS)
        at_ns += round(MS * (chance.uniform(0.05, 1) if chance.random() < 0.2 else chance.uniform(40, 130)))
    return sorted(contacts, key=lambda contact: contact[2])


def trouble_as(user: int, groups: list[int], path: Path) -> str | None:
    """What the cabinet of another user says of that port; a process of its own, before there are threads."""
    pipe, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups(groups)
        os.setgid(user)
        os.setuid(user)
        source = BridgeSource(Place(path=str(path)))
        source.claim(lambda _edge: None)
        source.round()
        os.write(end, str(source.status(0).trouble).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(pipe, 4_096).decode()


def troubles_of_others() -> Told:
    """Nobody's port yet, then one that another program has, by a lock or by the kernel's word."""
    dialout = os.stat(FIRST).st_gid
    troubles: Told = {"forbidden": trouble_as(NOBODY, [], FIRST)}
    file = os.open(FIRST, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    fcntl.flock(file, fcntl.LOCK_EX)
    troubles["locked"] = trouble_as(PI, [dialout], FIRST)
    fcntl.flock(file, fcntl.LOCK_UN)
    fcntl.ioctl(file, termios.TIOCEXCL)
    troubles["exclusive"] = trouble_as(PI, [dialout], FIRST)
    fcntl.ioctl(file, termios.TIOCNXCL)
    os.close(file)
    return troubles


def second_program(desk: Desk) -> Told:
    """Another cabinet, and a program that asks nobody, while ours plays."""
    other = BridgeSource(desk.bench.places[0], "other")
    other.start(lambda _edge: None)
    desk.bench.until("it is told", lambda: "in use" in str(other.status(0).trouble))
    trouble = other.status(0).trouble
    other.close()
    words = ["setpriv", f"--reuid={PI}", "--regid=dialout", "--clear-groups", "sh", "-c", f"exec 3<>{FIRST}"]
    intruder = subprocess.run(words, capture_output=True, text=True, check=False)
    return {"trouble": trouble, "intruder": [intruder.returncode, intruder.stderr]}


def stalled(desk: Desk, chance: Random) -> Told:
    """The whole program stands still for a second while buttons are pressed."""
    bench = desk.bench
    bench.longest_step_ns = 0

    def stop() -> None:
        bench.rest(1.2)
        words = f"kill -STOP {os.getpid()}; sleep 1; kill -CONT {os.getpid()}"
        subprocess.run(["sh", "-c", words], check=True)

    told = desk.heard(presses(30, chance), stop)
    return {**told, "stood_ns": bench.longest_step_ns}


def pulled_out(desk: Desk, other: UsbSerial) -> Told:
    """While a button is held; more are pressed, another program's device takes its number, and it is back."""
    bench = desk.bench
    held = desk.heard([("a.3", True, in_ms(0))])
    edges, statuses, losses = len(bench.edges), len(bench.statuses), bench.status.losses
    before_ns = time.monotonic_ns()
    desk.plug.pull_out()
    bench.until("the loss is told", lambda: not bench.status.is_live and bench.status.trouble is not None)
    lost = {
        "before_ns": before_ns,
        "edges": bench.edges[edges:],
        "statuses": bench.statuses[statuses:],
        "losses": bench.status.losses - losses,
        "ports": ports(),
    }
    lines = ("b.1", "a.1", "b.spit", "a.5", "b.1")
    contacts: list[Contact] = [("a.3", False, in_ms(100))]
    for number, line in enumerate(lines):
        contacts += [(line, closed, in_ms(300 + 200 * number + 60 * (not closed))) for closed in (True, False)]
    back_s = 0.0

    def come_back() -> None:
        nonlocal back_s
        bench.until("the line is free", lambda: not FIRST.exists())
        other.plug_in()
        bench.until("the other is there", FIRST.exists)
        bench.until("all were pressed", lambda: raw_ns() > contacts[-1][2])
        back_s = desk.plug_in_and_wait()

    resumed = desk.heard(contacts, come_back)
    again = desk.heard([("a.3", True, in_ms(0)), ("a.3", False, in_ms(80))])
    return {"held": held, "lost": lost, "resumed": resumed, "back_s": back_s, "again": again}


def without_power(desk: Desk) -> Told:
    """Pulled out and booted: another clock, another map. Lamps are lit before, and dark until it is told anew."""
    bench = desk.bench
    bench.source.set({"a.1": LIT, "b.spit": LIT})
    bench.until("lamps", lambda: desk.device.lit() == ["a.1", "b.spit"])
    desk.plug.pull_out()
    bench.until("lamps are out", lambda: desk.device.lit() == [])
    desk.device.boot()
    back_s = desk.plug_in_and_wait()
    told = desk.heard([("b.2", True, in_ms(0)), ("b.2", False, in_ms(80))])
    return {**told, "back_s": back_s, "lit": desk.device.lit()}


def main() -> None:
    chance = Random(1)
    start_usb_serial()
    plug = UsbSerial(0, "Board in FS mode", PICO_USB_ID, CHIP)
    other = UsbSerial(1, "USB Serial", (0x1A86, 0x7523), "000000000001")
    beside = DeviceLine(str(other.path))
    device = Device(plug.path)
    plug.plug_in()
    wait_for("the port, and who may open it", lambda: FIRST.exists() and os.stat(FIRST).st_gid != 0)
    found: Told = {"troubles_of_others": troubles_of_others()}
    bench = Bench()
    bench.until("it is played on", lambda: bench.status.is_live)
    desk = Desk(plug, device, bench)
    found["match"] = desk.heard(presses(PRESSES, chance))
    found["places"] = [place.chip for place in bench.places]
    found["second_program"] = second_program(desk)
    found["stalled"] = stalled(desk, chance)
    found["pulled_out"] = pulled_out(desk, other)
    found["without_power"] = without_power(desk)
    found["heard_beside"] = len(beside.read())
    bench.source.close()
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
