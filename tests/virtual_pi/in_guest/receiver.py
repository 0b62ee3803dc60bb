"""The cabinet's own input path in a process of its own, so that it can be stopped; what it saw, as JSON.

It says "claimed", then "settled", and ends with its result when it is sent a line.
"""

from __future__ import annotations

import json
import select
import sys
import time
from queue import Empty, SimpleQueue
from typing import Any

import msgspec

from cabinet.buttons.edges import Edge, Press, Source, SourceStatus
from cabinet.buttons.gpio_chip import GpioChipSource
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.intake import Intake
from cabinet.buttons.pin_factory import open_lgpio

MS = 1_000_000
STEP_S = 0.001


class Receiver:
    """A source and an intake that is stepped as the game thread does it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.last = source.status(time.monotonic_ns())
        self.intake = Intake()
        self.edges: SimpleQueue[tuple[Edge, int]] = SimpleQueue()
        self.seen: list[tuple[Edge, int]] = []
        self.presses: list[tuple[Press, int]] = []
        self.statuses: list[tuple[int, SourceStatus]] = []
        self.slack_ns: list[int] = []
        self.late_presses = 0

    def deliver(self, edge: Edge) -> None:
        self.edges.put((edge, time.monotonic_ns()))

    def step(self) -> None:
        now_ns = time.monotonic_ns()
        status = self.source.status(now_ns)
        came = []
        while True:
            try:
                came.append(self.edges.get_nowait())
            except Empty:
                break
        self.seen += came
        taken = self.intake.take([edge for edge, _ in came], [status], now_ns)
        self.presses += [(press, now_ns) for cluster in taken.clusters for press in cluster]
        self.late_presses = taken.late_presses
        self._note(now_ns, status)

    def _note(self, now_ns: int, status: SourceStatus) -> None:
        if (self.last.is_live, self.last.trouble) != (status.is_live, status.trouble):
            self.statuses.append((now_ns, status))
        self.last = status
        self.slack_ns.append(now_ns - status.watermark_ns)

    def result(self) -> dict[str, Any]:
        tally = getattr(self.source, "tally", None)
        return {
            "presses": [
                (press.line, press.t_ns, press.err_ns, press.judged_ns is not None, released_ns)
                for press, released_ns in self.presses
            ],
            "edges": [
                (edge.line, edge.active, edge.t_ns, edge.err_ns, edge.made_up, arrived_ns)
                for edge, arrived_ns in self.seen
            ],
            "statuses": [(now_ns, status.is_live, status.trouble) for now_ns, status in self.statuses],
            "pressed": sorted(self.intake.pressed()),
            "late_presses": self.late_presses,
            "losses": self.last.losses,
            "merged": self.last.merged,
            "largest_err_ns": self.last.largest_err_ns,
            "behind_ns": sorted(self.slack_ns)[len(self.slack_ns) // 2],
            "tally": None if tally is None else msgspec.to_builtins(tally),
        }


def source_of(name: str, settings: GpioSettings) -> Source:
    """The source of that name on these pins."""
    if name == "gpio-chip":
        return GpioChipSource(settings)
    return GpioZeroSource(settings, open_lgpio())


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(name: str, gpio: str) -> None:
    settings = msgspec.convert(json.loads(gpio), GpioSettings)
    receiver = Receiver(source_of(name, settings))
    receiver.source.start(receiver.deliver)
    say("claimed")
    settled_ns = time.monotonic_ns() + (settings.settle_ms + 100) * MS
    is_settled = False
    while not select.select([sys.stdin], [], [], STEP_S)[0]:
        receiver.step()
        if not is_settled and time.monotonic_ns() > settled_ns:
            is_settled = True
            say("settled")
    result = receiver.result()
    receiver.source.close()
    say(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
