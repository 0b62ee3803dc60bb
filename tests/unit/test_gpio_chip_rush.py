"""What the source on the kernel's GPIO chip does when events come thick."""

from __future__ import annotations

import pytest

from cabinet.buttons.chatter import RUSH_REST_NS, Rush
from cabinet.buttons.gpio_pins import GpioSettings
from tests.kernel_model import MS, US, ChipBench, KernelModel

PINS = {**GpioSettings().pins, "a.left": 24, "a.right": 25, "b.left": 26, "b.right": 27}
QUIET = ("b.1", "b.2")
STORM_MS = 500


class Storm:
    """Sixteen lines chatter for half a second, and b.1 is pressed in it."""

    def __init__(self) -> None:
        self.bench = ChipBench(KernelModel(GpioSettings(pins=PINS))).settled()
        self.rounds = 0
        began_ns = self.bench.kernel.now_ns + 10 * MS
        for place, line in enumerate(line for line in PINS if line not in QUIET):
            for count in range(STORM_MS * 5):
                self.bench.kernel.change(line, count % 2 == 0, began_ns + count * 200 * US + place * 11 * US)
        self.pressed_ns = began_ns + STORM_MS * MS // 2 + 3 * US
        self.bench.kernel.press("b.1", self.pressed_ns, [(0, True), (60_000, False)])
        self.until_ns = began_ns + STORM_MS * MS

    def play(self) -> None:
        kernel = self.bench.kernel
        while kernel.now_ns < self.until_ns + 50 * MS:
            self.rounds += kernel.now_ns < self.until_ns
            self.bench.source.round()
            self.bench.take()


def test_in_a_rush_many_events_are_read_at_once() -> None:
    storm = Storm()
    storm.play()
    assert storm.rounds < 1.5 * STORM_MS * MS / RUSH_REST_NS
    assert storm.bench.source.tally.dropped == 0


def test_a_press_in_a_rush_has_the_stamp_of_its_contact() -> None:
    storm = Storm()
    storm.play()
    assert [press for press in storm.bench.presses if press[0] in QUIET] == [("b.1", storm.pressed_ns)]


def test_after_a_rush_events_are_read_as_they_come() -> None:
    storm = Storm()
    storm.play()
    bench = storm.bench
    rested: list[float] = []
    bench.source._pause = rested.append
    bench.kernel.press("b.2", bench.kernel.now_ns + 5 * MS, [(0, True), (30_000, False)])
    bench.play_until(bench.kernel.now_ns + 100 * MS)
    assert rested == []


def test_without_the_rest_it_would_go_round_for_every_few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rush, "rest_ns", lambda *_: 0)
    storm = Storm()
    storm.play()
    assert storm.rounds > 5 * STORM_MS * MS / RUSH_REST_NS
