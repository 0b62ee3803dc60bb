"""The capture set up register by register on an emulated RP2040, and its stamps held against truth."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from firmware_bridge.firmware import registers
from firmware_bridge.firmware.capture import CLOCKS_US, ERR_US, Capture
from firmware_bridge.firmware.clock import Clock
from firmware_bridge.firmware.edge_ring import EdgeRing
from tests.emulated_pico import STEP_NS, EmulatedPico, samples_on

BUTTONS = [0, 3, 14, 22]
OTHERS = [1, 2, 16, 28]
US = 1_000


class Rig:
    """A capture on an emulated chip, with nothing pressed."""

    def __init__(self, patch: pytest.MonkeyPatch, wait_steps: int = 0) -> None:
        self.pico = EmulatedPico()
        self.pico.step(wait_steps)
        self.make = samples_on(self.pico, patch)
        for gpio in (*BUTTONS, *OTHERS):
            self.pico.chip.gpio[gpio].set_input_value(True)
        self.clock = Clock(self.pico.ticks_us)
        self.samples: Any = self.make(BUTTONS, OTHERS)
        self.ring = EdgeRing(2000)
        self.capture = Capture(self.samples, BUTTONS, self.ring, self.clock)
        self.capture.drain()
        self.levels = dict.fromkeys((*BUTTONS, *OTHERS), True)

    def soon(self, after_ns: int = 0) -> int:
        """A time on the grid, that much ahead."""
        return (self.pico.now_ns + after_ns) // STEP_NS * STEP_NS

    def plan(self, at_ns: int, gpio: int) -> None:
        """The line changes then."""
        self.levels[gpio] = not self.levels[gpio]
        self.pico.plan(at_ns, gpio, self.levels[gpio])

    def edges(self) -> list[tuple[int, int, bool]]:
        """What was captured: stamp, line, closed."""
        self.pico.run_until(self.soon(10 * US))
        for _ in range(20):
            self.capture.drain()
        return [
            (edge.stamp_us, BUTTONS[edge.button], edge.closed) for edge in self.ring.edges(self.ring.oldest, 2000)
        ]


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(monkeypatch)


def test_edges_at_every_phase_have_true_stamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Started at every phase of the timer, edges at every phase of the samples.

    Found: -880 to 880 ns. The bound: seen from the timer, ERR_US of the stamp and less than CLOCKS_US between the
    clocks; edges of one device to each other, less than the microsecond from sample to sample.
    """
    every = []
    for wait_steps in range(25):
        rig = Rig(monkeypatch, wait_steps)
        true_ns = [rig.soon(20 * US) + number * (7 * US + STEP_NS) for number in range(50)]
        for number, at_ns in enumerate(true_ns):
            rig.plan(at_ns, BUTTONS[number % 4])
        rig.pico.run_until(true_ns[-1] + 5 * US)
        stamps = [stamp_us for stamp_us, _, _ in rig.edges()]
        assert len(stamps) == len(true_ns)
        errors = [stamp_us * US - at_ns for stamp_us, at_ns in zip(stamps, true_ns, strict=True)]
        assert max(errors) - min(errors) < US
        every += errors
    assert min(every) > -CLOCKS_US * US
    assert max(every) <= ERR_US * US


def test_random_edges_are_all_there_in_their_order(rig: Rig) -> None:
    chance = Random(5)
    planned = []
    at_ns = rig.soon(20 * US)
    for _ in range(400):
        at_ns += chance.randrange(26, 300) * STEP_NS
        gpio = chance.choice(BUTTONS)
        rig.plan(at_ns, gpio)
        planned.append((at_ns, gpio, not rig.levels[gpio]))
    while rig.pico.now_ns < at_ns:
        rig.pico.run_until(rig.soon(200 * US))
        rig.capture.drain()
    found = rig.edges()
    assert [(gpio, closed) for _, gpio, closed in found] == [(gpio, closed) for _, gpio, closed in planned]
    for (stamp_us, _, _), (true_ns, _, _) in zip(found, planned, strict=True):
        assert -CLOCKS_US * US < stamp_us * US - true_ns <= ERR_US * US


def test_the_watermark_is_true(rig: Rig) -> None:
    """At any moment every edge with a stamp up to the watermark has been taken."""
    chance = Random(6)
    planned = []
    at_ns = rig.soon(20 * US)
    for _ in range(300):
        at_ns += chance.randrange(26, 120) * STEP_NS
        rig.plan(at_ns, BUTTONS[0])
        planned.append(at_ns)
    history = []
    while rig.pico.now_ns < at_ns + 50 * US:
        rig.pico.step(chance.randrange(40))
        rig.capture.drain()
        history.append((rig.capture.watermark_us, rig.ring.held))
    stamps = [edge.stamp_us for edge in rig.ring.edges(0, 2000)]
    assert len(stamps) == len(planned)
    for watermark_us, held in history:
        assert sum(stamp_us <= watermark_us for stamp_us in stamps) <= held
        assert all(stamp_us > watermark_us for stamp_us in stamps[held:])


def test_lines_that_change_together_have_one_stamp(rig: Rig) -> None:
    at_ns = rig.soon(20 * US)
    for gpio in BUTTONS:
        rig.plan(at_ns, gpio)
    rig.pico.run_until(at_ns + 5 * US)
    edges = rig.edges()
    assert [gpio for _, gpio, _ in edges] == BUTTONS
    assert len({stamp_us for stamp_us, _, _ in edges}) == 1


def test_lines_that_are_not_buttons_take_no_room(rig: Rig) -> None:
    written = rig.samples.written()
    at_ns = rig.soon(20 * US)
    for number in range(40):
        rig.plan(at_ns + number * 2 * US, OTHERS[number % 4])
    rig.pico.run_until(at_ns + 100 * US)
    assert rig.samples.written() == written
    assert rig.edges() == []


def test_buttons_held_at_the_start_are_levels(rig: Rig) -> None:
    rig.plan(rig.soon(2 * US), BUTTONS[2])
    rig.pico.step(100)
    rig.samples.restart()
    rig.capture.restart()
    assert rig.edges() == []
    assert rig.capture.levels == 0b100
    assert rig.capture.check()


def test_the_ring_wraps_and_keeps_the_newest(rig: Rig) -> None:
    rig.plan(rig.soon(2 * US), BUTTONS[0])
    assert len(rig.edges()) == 1
    at_ns = rig.soon(20 * US)
    true_ns = [at_ns + number * 2 * US for number in range(2500)]
    for at in true_ns:
        rig.plan(at, BUTTONS[1])
    rig.pico.run_until(true_ns[-1] + 5 * US)
    edges = rig.edges()
    assert 900 < len(edges) < 1100
    assert rig.ring.drops + len(edges) == 2501
    for (stamp_us, _, _), at in zip(edges, true_ns[-len(edges) :], strict=True):
        assert -CLOCKS_US * US < stamp_us * US - at <= ERR_US * US


def test_changes_while_the_count_is_begun_anew_are_kept(rig: Rig) -> None:
    at_ns = rig.soon(20 * US)
    rig.plan(at_ns, BUTTONS[0])
    rig.pico.run_until(at_ns + 5 * US)
    rig.samples.pause()
    rig.plan(rig.soon(3 * US), BUTTONS[1])
    rig.plan(rig.soon(6 * US), BUTTONS[1])
    rig.pico.step(300)
    rig.capture._rearm(rig.clock.now_us())
    rig.pico.step(100)
    rig.plan(rig.soon(3 * US), BUTTONS[0])
    assert [gpio for _, gpio, _ in rig.edges()] == [0, 3, 3, 0]
    assert rig.capture.check()


def test_a_state_machine_that_was_stopped_is_found_out_and_started_anew(rig: Rig) -> None:
    assert rig.samples.is_running()
    rig.pico.write(registers.PIO_CTRL, 0)
    assert not rig.samples.is_running()
    rig.capture.restart()
    assert rig.samples.is_running()
    at_ns = rig.soon(20 * US)
    rig.plan(at_ns, BUTTONS[0])
    rig.pico.run_until(at_ns + 5 * US)
    assert len(rig.edges()) == 1


def test_after_the_stop_nothing_writes_to_memory(rig: Rig) -> None:
    rig.samples.stop()
    written = rig.samples.written()
    for number in range(10):
        rig.plan(rig.soon((2 + 2 * number) * US), BUTTONS[0])
    rig.pico.run_until(rig.soon(50 * US))
    assert rig.samples.written() == written
    assert not rig.samples.is_running()
    assert rig.pico.read(registers.PIO_CTRL) & 1 == 0


def test_four_changes_fit_into_the_state_machine_s_queue(rig: Rig) -> None:
    """Joined to eight words, which the emulator does not do: it has room for two changes."""
    assert rig.pico.read(registers.SM0_SHIFTCTRL) & registers.SHIFTCTRL_JOIN_RX
