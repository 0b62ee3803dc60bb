"""Races, storms, losses and disappearances on a real kernel's lines, seen by the cabinet's input path; as JSON.

The program that moves the wires and the one that hears them are two: the latter can be stopped.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from cabinet.buttons.edges import Line
from cabinet.buttons.gpio_pins import GpioSettings
from tests.virtual_pi.in_guest.header import SIMULATOR, plug_in, wait_for
from tests.virtual_pi.in_guest.wires import Moved, Wires

PINS = GpioSettings().pins
MORE_PINS = {**PINS, "a.left": 24, "a.right": 25, "b.left": 26, "b.right": 27}
QUIET = ("b.1", "b.2")
"""Of the eighteen lines, those that do not chatter."""

ROUNDS = 12
RACES = 60
STORM_S = 6.0
STORM_EVERY_S = 0.004
"""Each of the sixteen lines changes so often: this machine is some 20 times slower than a PC."""
STOPPED_TOGGLES = 3_000


class Hearing:
    """The other process."""

    def __init__(self, source: str, pins: Mapping[Line, int], settle_ms: int = 300) -> None:
        gpio = json.dumps({"pins": dict(pins), "settle_ms": settle_ms})
        words = [sys.executable, "-m", "tests.virtual_pi.in_guest.receiver", source, gpio]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.wait_until("claimed")

    def settled(self) -> Hearing:
        """Its source takes every edge from now on."""
        self.wait_until("settled")
        return self

    def wait_until(self, word: str) -> None:
        assert self._process.stdout is not None
        if (line := self._process.stdout.readline()) != f"{word}\n":
            raise SystemExit(f"the receiver said {line!r}, not {word!r}")

    def stop(self) -> None:
        """SIGSTOP, and until it stands still."""
        self._process.send_signal(signal.SIGSTOP)
        stat = Path(f"/proc/{self._process.pid}/stat")
        wait_for("the receiver stands still", lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def end(self) -> dict[str, Any]:
        """What it saw."""
        out, _ = self._process.communicate("\n")
        result: dict[str, Any] = json.loads(out)
        return result


def order(source: str, wires: Wires, chance: Random) -> dict[str, Any]:
    """All lines close one after the other, as fast as one program can, in an order of chance; then open again."""
    hearing = Hearing(source, PINS).settled()
    for _ in range(ROUNDS):
        lines = list(PINS)
        chance.shuffle(lines)
        for line in lines:
            wires.move(line, True)
        time.sleep(0.15)
        for line in lines:
            wires.move(line, False)
        time.sleep(0.15)
    return hearing.end()


def delay(source: str, wires: Wires, chance: Random) -> dict[str, Any]:
    """Single presses in peace: how exact the stamps are, and how long a decision takes."""
    hearing = Hearing(source, PINS).settled()
    for count in range(RACES):
        line = f"{'ab'[count % 2]}.{1 + count % 5}"
        wires.move(line, True)
        time.sleep(0.05)
        wires.move(line, False)
        time.sleep(0.03 + chance.random() * 0.02)
    return hearing.end()


def stopped(source: str, wires: Wires) -> dict[str, Any]:
    """The program stands still for a second, and two races are run meanwhile."""
    hearing = Hearing(source, PINS).settled()
    hearing.stop()
    time.sleep(0.3)
    for first, second in (("b.3", "a.3"), ("a.4", "b.4")):
        for line in (first, second):
            wires.move(line, True)
            time.sleep(0.001)
        time.sleep(0.2)
    time.sleep(0.3)
    hearing.go_on()
    time.sleep(0.5)
    for line in ("b.3", "a.3", "a.4", "b.4"):
        wires.move(line, False)
    time.sleep(0.3)
    return hearing.end()


def overflow(source: str, wires: Wires) -> dict[str, Any]:
    """The program stands still while more happens than the kernel's buffer holds."""
    hearing = Hearing(source, PINS).settled()
    hearing.stop()
    for count in range(STOPPED_TOGGLES):
        wires.move(("a.1", "b.1")[count % 2], count % 4 < 2)
    hearing.go_on()
    time.sleep(0.5)
    wires.move("a.2", True)
    time.sleep(0.2)
    wires.move("a.2", False)
    time.sleep(0.3)
    return hearing.end()


def storm(source: str, folder: Path, wires: Wires) -> dict[str, Any]:
    """Sixteen lines chatter from two programs at once, while two others are pressed in turn."""
    hearing = Hearing(source, MORE_PINS).settled()
    noisy = [line for line in MORE_PINS if line not in QUIET]
    context = get_context("spawn")
    queue = context.SimpleQueue()
    writers = [
        context.Process(target=chatter, args=(folder, {line: MORE_PINS[line] for line in noisy[n::2]}, queue))
        for n in range(2)
    ]
    for writer in writers:
        writer.start()
    for _ in writers:
        assert queue.get() == "begins"
    until = time.monotonic() + STORM_S
    count = 0
    while time.monotonic() < until:
        wires.move(QUIET[count % 4 // 2], count % 2 == 0)
        time.sleep(0.06)
        count += 1
    for line in QUIET:
        wires.move(line, False)
    noise = sum(queue.get() for _ in writers)
    for writer in writers:
        writer.join()
    time.sleep(1.0)
    return {**hearing.end(), "noise": noise}


def chatter(folder: Path, pins: dict[Line, int], queue: Any) -> None:
    """Toggle these lines for a while; how many changes there were."""
    wires = Wires(folder, pins)
    queue.put("begins")
    begun = time.monotonic()
    closed = False
    while (passed := time.monotonic() - begun) < STORM_S or closed:
        closed = not closed
        for line in pins:
            wires.move(line, closed)
        time.sleep(STORM_EVERY_S - passed % STORM_EVERY_S)
    queue.put(len(wires.moved))


def stuck(source: str, wires: Wires) -> dict[str, Any]:
    """One button is down since the first moments after the claim; another is pressed."""
    hearing = Hearing(source, PINS, settle_ms=2_000)
    wires.move("a.5", True)
    hearing.settled()
    wires.move("b.5", True)
    time.sleep(0.1)
    wires.move("b.5", False)
    time.sleep(0.3)
    result = hearing.end()
    wires.move("a.5", False)
    return result


def disappearing(source: str) -> dict[str, Any]:
    """The chip goes away while a button is down, and comes back; a button is pressed before and after."""
    folder = wires_of_header()
    wires = Wires(folder, PINS)
    hearing = Hearing(source, PINS).settled()
    wires.move("a.1", True)
    time.sleep(0.3)
    wires.close()
    switch_header(on=False)
    gone_ns = time.monotonic_ns()
    time.sleep(1.5)
    switch_header(on=True)
    back_ns = time.monotonic_ns()
    wires = Wires(wires_of_header(), PINS)
    for line in PINS:
        wires.move(line, False)
    time.sleep(4)
    wires.moved.clear()
    wires.move("b.1", True)
    time.sleep(0.2)
    wires.move("b.1", False)
    time.sleep(0.3)
    moved = list(wires.moved)
    wires.close()
    return {**hearing.end(), "gone_ns": gone_ns, "back_ns": back_ns, "moved": moved}


def switch_header(*, on: bool) -> None:
    (SIMULATOR / "header" / "live").write_text(str(int(on)))


def wires_of_header() -> Path:
    device = (SIMULATOR / "header" / "dev_name").read_text().strip()
    chip = (SIMULATOR / "header" / "bank0" / "chip_name").read_text().strip()
    return Path("/sys/devices/platform") / device / chip


def moved_in(wires: Wires) -> list[Moved]:
    moved = list(wires.moved)
    wires.moved.clear()
    return moved


def main(source: str, *names: str) -> None:
    folder = plug_in()
    wires = Wires(folder, MORE_PINS)
    for line in MORE_PINS:
        wires.move(line, False)
    wires.moved.clear()
    chance = Random(1)
    scenarios = {
        "order": lambda: order(source, wires, chance),
        "delay": lambda: delay(source, wires, chance),
        "stopped": lambda: stopped(source, wires),
        "overflow": lambda: overflow(source, wires),
        "storm": lambda: storm(source, folder, wires),
        "stuck": lambda: stuck(source, wires),
        "disappearing": lambda: disappearing(source),
    }
    results = {}
    for name in names or scenarios:
        result = scenarios[name]()
        results[name] = {"moved": moved_in(wires), **result}
    sys.stdout.write(json.dumps(results) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
