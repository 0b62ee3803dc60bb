"""A simulated device on a pseudo terminal, and the source over pyserial: real bytes, real time, real threads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest

from cabinet.bridges import simulated_bridge
from cabinet.buttons.edges import Press, SourceStatus
from cabinet.buttons.lamp_state import LampState
from cabinet.config import Settings
from cabinet.hearing import Hearing
from firmware_bridge.bridge import BridgeSource
from firmware_bridge.port import SerialPort
from firmware_bridge.simulated_line import Faults
from firmware_bridge.simulator import PtyBridge

PATIENCE_S = 20
MS = 1_000_000


class Cabinet:
    """Hears the buttons of one device."""

    def __init__(self, faults: Faults | None = None) -> None:
        self.device = PtyBridge(faults=faults)
        self.source = BridgeSource(self.device.place)
        self.hearing = Hearing(Settings(), [self.source])
        self.presses: list[Press] = []
        self.source.start(self.hearing.deliver)

    @property
    def status(self) -> SourceStatus:
        return self.hearing.statuses[0]

    def run_until(self, is_enough: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            taken = self.hearing.round(time.monotonic_ns())
            self.presses += [press for cluster in taken.clusters for press in cluster]
            if is_enough():
                return
            assert time.monotonic() < deadline, (self.status, self.presses)
            time.sleep(0.005)

    def run(self, for_s: float) -> None:
        end = time.monotonic() + for_s
        self.run_until(lambda: time.monotonic() >= end)

    def settle(self) -> None:
        self.run_until(lambda: self.status.is_live)

    def close(self) -> None:
        self.source.close()
        self.device.close()


@pytest.fixture
def cabinet() -> Iterator[Cabinet]:
    cabinet = Cabinet()
    yield cabinet
    cabinet.close()


def test_presses_come_with_stamps_that_are_true_within_their_bounds(cabinet: Cabinet) -> None:
    cabinet.settle()
    for number in range(10):
        before_ns = time.monotonic_ns()
        cabinet.device.contact("a.1", True)
        after_ns = time.monotonic_ns()
        cabinet.run_until(lambda number=number: len(cabinet.presses) == number + 1)  # type: ignore[misc]
        press = cabinet.presses[-1]
        bound_ns = press.err_ns + press.map_err_ns
        assert before_ns - bound_ns <= press.t_ns <= after_ns + bound_ns
        cabinet.device.contact("a.1", False)
        cabinet.run(0.05)
    assert cabinet.status.losses == 0


def test_an_unplugged_bridge_is_told_and_found_again(cabinet: Cabinet) -> None:
    cabinet.settle()
    cabinet.device.contact("b.2", True)
    cabinet.run_until(lambda: "b.2" in cabinet.hearing.intake.pressed())
    cabinet.device.unplug()
    cabinet.run_until(lambda: not cabinet.status.is_live and not cabinet.hearing.intake.pressed())
    assert cabinet.status.trouble == f"The bridge at {cabinet.device.place.path} is not there: plug it in."
    cabinet.device.plug_in()
    cabinet.settle()
    cabinet.device.contact("b.2", False)
    cabinet.device.contact("b.3", True)
    cabinet.run_until(lambda: len(cabinet.presses) == 2)
    assert [press.line for press in cabinet.presses] == ["b.2", "b.3"]
    assert cabinet.presses[0].clock != cabinet.presses[1].clock


def test_a_reset_and_a_stall_are_gone_through(cabinet: Cabinet) -> None:
    cabinet.settle()
    cabinet.device.reset()
    cabinet.run_until(lambda: not cabinet.status.is_live)
    cabinet.settle()
    cabinet.device.stall(0.3)
    cabinet.device.contact("a.spit", True)
    cabinet.run_until(lambda: bool(cabinet.presses))
    assert cabinet.status.is_live


def test_lamps_are_lit(cabinet: Cabinet) -> None:
    cabinet.source.set({"a.spit": LampState("on")})
    cabinet.run_until(lambda: cabinet.device.lit() == {"a.spit"})


def test_a_bad_line_loses_no_press() -> None:
    cabinet = Cabinet(Faults(garbled=0.03, cut=0.01))
    try:
        cabinet.settle()
        for number in range(30):
            cabinet.device.contact("a.3", number % 2 == 0)
            cabinet.run(0.03)
        cabinet.run_until(lambda: len(cabinet.presses) >= 15)
        cabinet.run(0.1)
        assert len(cabinet.presses) == 15
        assert cabinet.status.losses == 0
    finally:
        cabinet.close()


def test_a_port_is_ours_alone(cabinet: Cabinet) -> None:
    cabinet.settle()
    with pytest.raises(OSError, match="exclusively lock"):
        SerialPort(cabinet.device.place.path or "")


def test_the_program_s_own_simulated_bridge_ends_with_it() -> None:
    bridges = simulated_bridge()
    [source] = bridges.sources(time.monotonic_ns)
    hearing = Hearing(Settings(), [source])
    source.start(hearing.deliver)
    deadline = time.monotonic() + PATIENCE_S
    while not source.status(0).is_live and time.monotonic() < deadline:
        time.sleep(0.01)
    assert source.status(0).is_live
    source.close()
    bridges.close()
    assert isinstance(bridges.simulated, PtyBridge)
    assert not os.path.exists(bridges.simulated.place.path or "")
