"""The gpiozero source when pins fail: told, logged once, taken back, and nothing else stops."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from threading import Event, Thread

import pytest
from gpiozero.pins.mock import MockFactory

from cabinet.buttons import gpio_zero
from cabinet.buttons.edges import Edge
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.settling import LEVEL_CHECK_NS, TROUBLE_SHOWN_NS
from tests.gpio_bench import MS, READY_NS, START_NS, Bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.source.close()


def test_an_exception_behind_the_callback_is_told_and_does_not_reach_the_pins_thread(bench: Bench) -> None:
    def fail(edge: Edge) -> None:
        raise RuntimeError(f"no room for {edge.line}")

    bench.source.start(fail)
    bench.board.change("a.1", True, READY_NS)
    bench.run_until(READY_NS)
    assert bench.source.status(READY_NS).trouble == "GPIO 4 (a.1): RuntimeError: no room for a.1"
    assert bench.source.status(READY_NS).is_live


def test_one_kind_of_exception_is_logged_once_with_its_trace_however_often_it_comes(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(edge: Edge) -> None:
        raise (RuntimeError if edge.t_ns < READY_NS + 50 * MS else ValueError)(f"no room for edge {edge.seq}")

    bench.source.start(fail)
    for count in range(100):
        bench.board.change("a.1", count % 2 == 0, READY_NS + count * MS)
    bench.run_until(READY_NS + 100 * MS)
    assert [(one.levelno, one.getMessage()) for one in caplog.records] == [
        (logging.ERROR, "GPIO 4 (a.1): RuntimeError: no room for edge 1"),
        (logging.ERROR, "GPIO 4 (a.1): ValueError: no room for edge 51"),
    ]
    assert all(one.exc_info for one in caplog.records)


def test_the_text_of_an_exception_goes_ten_seconds_after_the_last_one(bench: Bench) -> None:
    edges: list[Edge] = []

    def fail_twice(edge: Edge) -> None:
        edges.append(edge)
        if edge.seq <= 2:
            raise RuntimeError(f"no room for edge {edge.seq}")

    bench.source.start(fail_twice)
    text = "GPIO 4 (a.1): RuntimeError: no room for edge"
    bench.board.change("a.1", True, READY_NS)
    bench.run_until(READY_NS)
    assert bench.source.status(READY_NS).trouble == f"{text} 1"
    second_ns = READY_NS + 9_000 * MS
    bench.board.change("a.1", False, second_ns)
    bench.run_until(second_ns)
    assert bench.source.status(second_ns).trouble == f"{text} 2"
    assert bench.source.status(second_ns + TROUBLE_SHOWN_NS - 1).trouble == f"{text} 2"
    assert bench.source.status(second_ns + TROUBLE_SHOWN_NS).trouble is None


def test_a_clock_that_fails_does_not_end_the_pins_thread(bench: Bench) -> None:
    bench.start()

    def fail() -> int:
        raise OSError("no clock")

    bench.source._clock_ns = fail
    bench.board.change("a.1", True, READY_NS)
    bench.run_until(READY_NS)
    assert bench.source.status(READY_NS).trouble == "GPIO 4 (a.1): OSError: no clock"


class UnreadablePin:
    """A pin whose level cannot be read while it is broken."""

    is_broken = True

    @property
    def state(self) -> int:
        if self.is_broken:
            raise OSError("the chip is gone")
        return 1


def test_a_level_that_cannot_be_read_is_told_until_it_can_be_read_again_and_logged_once(
    bench: Bench, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.start()
    pin = UnreadablePin()
    monkeypatch.setattr(bench.source._listeners["b.4"], "pin", pin)
    now_ns = READY_NS
    for _ in range(500):
        now_ns += LEVEL_CHECK_NS
        assert bench.source.status(now_ns).trouble == "GPIO 10 (b.4) cannot be read: the chip is gone"
    assert len(caplog.records) == 1
    pin.is_broken = False
    assert bench.source.status(now_ns + TROUBLE_SHOWN_NS).trouble is None
    monkeypatch.undo()


def test_levels_are_looked_at_by_one_thread_at_a_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one thread reads a pin, another that asks must wait: two looks at once would be a made-up press."""
    bench.start()
    is_reading, may_go = Event(), Event()
    readings = []

    class SlowPin:
        @property
        def state(self) -> int:
            readings.append(1)
            is_reading.set()
            may_go.wait(10)
            return 0

    monkeypatch.setattr(bench.source._listeners["b.4"], "pin", SlowPin())
    first = Thread(target=bench.source.status, args=(READY_NS + LEVEL_CHECK_NS,))
    second = Thread(target=bench.source.status, args=(READY_NS + 2 * LEVEL_CHECK_NS,))
    first.start()
    assert is_reading.wait(10)
    second.start()
    second.join(0.05)
    assert second.is_alive()
    assert len(readings) == 1
    may_go.set()
    first.join(10)
    second.join(10)
    assert [(edge.line, edge.made_up, edge.seq) for edge in bench.edges] == [("b.4", True, 1)]
    monkeypatch.undo()


def test_edges_of_two_threads_are_delivered_in_the_order_of_their_numbers(bench: Bench) -> None:
    """An edge that was made up late would else undo the true one that follows it."""
    is_delivering, may_go = Event(), Event()

    def deliver(edge: Edge) -> None:
        if edge.made_up:
            is_delivering.set()
            may_go.wait(10)
        bench.edges.append(edge)

    bench.source.start(deliver)
    bench.now_ns = READY_NS + 2 * LEVEL_CHECK_NS
    bench.board.factory.pin(bench.board.settings.pins["b.4"])._state = False
    bench.source.status(READY_NS + LEVEL_CHECK_NS)
    asking = Thread(target=bench.source.status, args=(bench.now_ns,))
    asking.start()
    assert is_delivering.wait(10)
    pin_thread = Thread(target=bench.source._listeners["b.4"].changed, args=(bench.now_ns / 1e9, 1))
    pin_thread.start()
    pin_thread.join(0.05)
    may_go.set()
    asking.join(10)
    pin_thread.join(10)
    assert [(edge.seq, edge.active, edge.made_up) for edge in bench.edges] == [(1, True, True), (2, False, False)]


def test_a_pin_that_cannot_be_let_go_keeps_no_other_pin_and_not_the_factory(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    closed = []

    class Factory(MockFactory):  # type: ignore[misc]
        __module__ = "gpiozero.pins.mock"

        def close(self) -> None:
            closed.append("factory")
            super().close()

    class StubbornPin:
        when_changed = property(lambda _: None, lambda _pin, _value: _fail())

    monkeypatch.setattr(gpio_zero, "open_pins", Factory)
    source = GpioZeroSource(clock_ns=lambda: START_NS)
    source.start(lambda _edge: None)
    monkeypatch.setattr(source._listeners["a.1"], "pin", StubbornPin())
    source.close()
    assert closed == ["factory"]
    assert "GPIO 4 (a.1) could not be let go: the chip is gone" in caplog.text


def _fail() -> None:
    raise OSError("the chip is gone")
