"""Presses every button through the kernel, and tells as JSON when, and which presses came out of the intake."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random

from cabinet.buttons.edges import Edge
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.intake import Intake
from cabinet.buttons.pin_factory import open_lgpio
from tests.virtual_pi.in_guest.header import SETTINGS, plug_in, press_by_command, pull

ROUNDS = 20
GAP_S = 0.002


class Bench:
    """The source on the kernel's pins, and an intake that is stepped as the game thread does."""

    def __init__(self) -> None:
        self.edges: SimpleQueue[Edge] = SimpleQueue()
        self.source = GpioZeroSource(SETTINGS, open_lgpio())
        self.intake = Intake()
        self.presses: list[tuple[str, int]] = []
        self.edge_count = 0
        self.late = self.losses = 0
        self.source.start(self.edges.put)

    def step_for(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.step()
            time.sleep(0.001)

    def step(self) -> None:
        now_ns = time.monotonic_ns()
        status = self.source.status(now_ns)
        edges = []
        while True:
            try:
                edges.append(self.edges.get_nowait())
            except Empty:
                break
        self.edge_count += len(edges)
        taken = self.intake.take(edges, [status], now_ns)
        self.presses += [(press.line, press.t_ns) for cluster in taken.clusters for press in cluster]
        self.late, self.losses = taken.late_presses, taken.losses


def press_all(wires: Path, rng: Random) -> list[tuple[str, int, int]]:
    """Closes every contact in an order of chance, then opens them; line, and the times around each closing."""
    lines = list(SETTINGS.pins)
    rng.shuffle(lines)
    closed = []
    for line in lines:
        before_ns = time.monotonic_ns()
        pull(wires, SETTINGS.pins[line], closed=True)
        closed.append((line, before_ns, time.monotonic_ns()))
        time.sleep(GAP_S)
    return closed


def open_all(wires: Path) -> None:
    for gpio in SETTINGS.pins.values():
        pull(wires, gpio, closed=False)


def main() -> None:
    wires = plug_in()
    bench = Bench()
    bench.step_for(0.5)
    rng = Random(1)
    closed = []
    for _ in range(ROUNDS):
        closed += press_all(wires, rng)
        bench.step_for(0.2)
        open_all(wires)
        bench.step_for(0.2)
    by_sysfs = len(bench.presses)
    for line in ("b.3", "a.3"):
        press_by_command(line)
        bench.step_for(0.3)
    bench.source.close()
    result = {
        "closed": closed,
        "presses": bench.presses[:by_sysfs],
        "by_command": [line for line, _ in bench.presses[by_sysfs:]],
        "edges": bench.edge_count,
        "late": bench.late,
        "losses": bench.losses,
    }
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
