"""The source on the kernel's GPIO chip when something goes wrong: told in one line, and taken back."""

from __future__ import annotations

import logging
from itertools import pairwise
from threading import Event, current_thread

import pytest

from cabinet.buttons.edges import WIDE_ERROR_NS, Edge, SourceError
from cabinet.buttons.gpio_chip import FIRST_RETRY_NS, LAST_RETRY_NS, GpioChipSource
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.sequence import RawEvent
from cabinet.buttons.settling import QUIET_NS
from tests.kernel_model import MS, READY_NS, ChipBench

AT_NS = READY_NS + 50 * MS


def lost_at(bench: ChipBench, at_ns: int) -> None:
    """The chip is taken away, and the source finds out."""
    bench.run_until(at_ns)
    bench.kernel.vanish()
    bench.source.round()


# Lost and found


def test_a_chip_that_is_taken_away_is_told_and_not_live() -> None:
    bench = ChipBench().settled()
    assert bench.source.status(bench.kernel.now_ns).is_live
    lost_at(bench, AT_NS)
    status = bench.source.status(bench.kernel.now_ns)
    assert not status.is_live
    assert status.trouble == "The buttons' GPIO lines were lost (No such device): trying to get them back."
    assert not bench.kernel.is_claimed


def test_lines_that_are_back_are_claimed_settle_and_press_again() -> None:
    bench = ChipBench().settled()
    bench.kernel.change("a.1", True, AT_NS)
    bench.kernel.change("a.1", False, AT_NS + 60 * MS)
    lost_at(bench, AT_NS + 100 * MS)
    bench.kernel.is_there = True
    bench.source.round()
    back_ns = bench.kernel.now_ns
    status = bench.source.status(back_ns)
    assert (status.is_live, status.trouble) == (True, None)
    bench.kernel.change("a.1", True, back_ns + 100 * MS)
    bench.kernel.change("a.1", False, back_ns + 200 * MS)
    bench.kernel.change("a.1", True, back_ns + 400 * MS)
    bench.run_until(back_ns + 500 * MS)
    assert [(edge.t_ns, edge.active, edge.seq) for edge in bench.edges] == [
        (AT_NS, True, 1),
        (AT_NS + 60 * MS, False, 2),
        (back_ns + 400 * MS, True, 3),
    ]


def test_no_button_stays_pressed_when_the_lines_are_lost() -> None:
    bench = ChipBench().settled()
    bench.kernel.change("a.1", True, AT_NS)
    bench.kernel.change("b.spit", True, AT_NS + 1 * MS)
    bench.play_until(AT_NS + 20 * MS)
    assert bench.intake.pressed() == {"a.1", "b.spit"}
    lost_at(bench, AT_NS + 30 * MS)
    made_up = [(edge.line, edge.active, edge.made_up) for edge in bench.edges[2:]]
    assert made_up == [("a.1", False, True), ("b.spit", False, True)]
    assert all(edge.err_ns > WIDE_ERROR_NS for edge in bench.edges[2:])
    bench.play_until(bench.kernel.now_ns + 50 * MS)
    assert bench.intake.pressed() == frozenset()


def test_a_button_held_over_the_loss_presses_only_after_it_was_let_go() -> None:
    bench = ChipBench().settled()
    bench.kernel.change("a.1", True, AT_NS)
    lost_at(bench, AT_NS + 30 * MS)
    bench.kernel.is_there = True
    bench.source.round()
    back_ns = bench.kernel.now_ns
    bench.run_until(back_ns + 400 * MS)
    trouble = bench.source.status(bench.kernel.now_ns).trouble
    assert trouble is not None
    assert trouble.startswith("Held since the start: a.1;")
    bench.kernel.change("a.1", False, back_ns + 500 * MS)
    again_ns = back_ns + 501 * MS + QUIET_NS
    bench.kernel.change("a.1", True, again_ns)
    bench.play_until(again_ns + 30 * MS)
    assert bench.presses[-1] == ("a.1", again_ns)
    assert len(bench.presses) == 2


def test_what_keeps_the_lines_away_is_told_and_tried_again_ever_more_rarely() -> None:
    bench = ChipBench().settled()
    lost_at(bench, AT_NS)
    bench.kernel.is_there = True
    bench.kernel.refusal = "GPIO 4 (a.1) is held by 'blink'"
    tries_ns = [bench.kernel.now_ns]
    for _ in range(8):
        bench.source.round()
        tries_ns.append(bench.kernel.now_ns)
    pauses_ns = [after - before for before, after in pairwise(tries_ns)]
    assert pauses_ns == [min(FIRST_RETRY_NS << count, LAST_RETRY_NS) for count in range(8)]
    assert bench.source.status(bench.kernel.now_ns).trouble == (
        "The buttons' GPIO lines were lost (No such device) and are not back: GPIO 4 (a.1) is held by 'blink'"
    )
    bench.kernel.refusal = None
    bench.source.round()
    assert bench.source.status(bench.kernel.now_ns).is_live


def test_what_was_counted_before_a_loss_still_counts() -> None:
    bench = ChipBench().settled()
    bench.kernel.lose("a.1", True, AT_NS)
    bench.kernel.press("b.1", AT_NS, [(0, True), (5, False)])
    lost_at(bench, AT_NS + 100 * MS)
    losses = bench.source.status(bench.kernel.now_ns).losses
    assert losses == 2, "one was lost, and one had to be made up to let the button go"
    bench.kernel.is_there = True
    bench.kernel.lines["a.1"].closed = False
    bench.source.round()
    bench.kernel.lose("a.1", True, bench.kernel.now_ns + 400 * MS)
    bench.run_until(bench.kernel.now_ns + 500 * MS)
    status = bench.source.status(bench.kernel.now_ns)
    assert (status.losses, status.merged) == (3, 1)


def test_an_exception_behind_the_delivery_is_told_logged_and_the_lines_claimed_anew(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = ChipBench()
    failures: list[Edge] = []

    def fail_once(edge: Edge) -> None:
        if not failures:
            failures.append(edge)
            raise RuntimeError("no room")
        bench.edges.append(edge)

    bench.source.claim(fail_once)
    bench.run_until(READY_NS)
    bench.kernel.change("a.1", True, AT_NS)
    bench.kernel.change("a.1", False, AT_NS + 100 * MS)
    bench.run_until(AT_NS + 20 * MS)
    assert "RuntimeError: no room" in caplog.text
    assert bench.source.status(bench.kernel.now_ns).trouble is None
    assert bench.kernel.claims == 2
    bench.kernel.change("b.1", True, bench.kernel.now_ns + 500 * MS)
    bench.run_until(bench.kernel.now_ns + 510 * MS)
    assert [edge.line for edge in bench.edges if edge.active] == ["b.1"]


def test_lines_that_cannot_be_let_go_are_logged_and_claimed_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = ChipBench().settled()

    def fail() -> None:
        raise OSError("Bad file descriptor")

    monkeypatch.setattr(bench.kernel, "close", fail)
    lost_at(bench, AT_NS)
    bench.kernel.is_there = True
    bench.source.round()
    assert "could not be let go: Bad file descriptor" in caplog.text
    assert bench.source.status(bench.kernel.now_ns).is_live


# At the start


def test_lines_that_cannot_be_claimed_are_the_starters_trouble() -> None:
    bench = ChipBench()
    bench.kernel.refusal = "GPIO 4 (a.1) is held by 'blink'"
    with pytest.raises(SourceError, match=r"^GPIO 4 \(a\.1\) is held by 'blink'$"):
        bench.source.start(lambda _edge: None)
    assert not bench.source.status(0).is_live
    bench.source.close()


def test_lines_that_cannot_be_read_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = ChipBench()

    def fail() -> dict[str, bool]:
        raise OSError("Input/output error")

    monkeypatch.setattr(bench.kernel, "levels", fail)
    with pytest.raises(SourceError, match="claimed, but cannot be read: Input/output error"):
        bench.source.start(lambda _edge: None)
    assert bench.kernel.claims == bench.kernel.closings == 1


def test_mistakes_in_the_settings_claim_nothing() -> None:
    bench = ChipBench()
    source = GpioChipSource(GpioSettings(pins={"a.1": 4, "b.1": 4}), bench.kernel.open_lines)
    with pytest.raises(SourceError, match="share GPIO 4"):
        source.start(lambda _edge: None)
    assert bench.kernel.claims == 0


# The thread


class QuietLines:
    """Lines on which nothing happens but what a test hands over; it waits in real time, a moment at most."""

    def __init__(self) -> None:
        self.events: list[RawEvent] = []
        self.has_events = Event()
        self.closings = 0

    def open_lines(self, _pins: object) -> QuietLines:
        return self

    def wait(self, timeout_ns: int) -> bool:
        return self.has_events.wait(timeout_ns / 1_000_000_000)

    def read(self) -> list[RawEvent]:
        self.has_events.clear()
        events, self.events = self.events, []
        return events

    def levels(self) -> dict[str, bool]:
        return dict.fromkeys(GpioSettings().pins, False)

    def close(self) -> None:
        self.closings += 1

    def hand_over(self, event: RawEvent) -> None:
        self.events.append(event)
        self.has_events.set()


def test_a_thread_of_its_own_delivers_and_ends_with_close_which_may_come_twice() -> None:
    lines = QuietLines()
    source = GpioChipSource(GpioSettings(settle_ms=0), lines.open_lines)
    came: list[tuple[str, Edge]] = []
    has_come = Event()

    def deliver(edge: Edge) -> None:
        came.append((current_thread().name, edge))
        has_come.set()

    assert not source.status(0).is_live
    source.start(deliver)
    thread = source._thread
    assert thread is not None
    assert source.status(0).is_live
    far_ns = 1 << 62
    lines.hand_over((far_ns, 1, 4, 1, 1))
    assert has_come.wait(10)
    source.close()
    source.close()
    assert [(name, edge.line, edge.t_ns) for name, edge in came] == [("gpio reader", "a.1", far_ns)]
    assert not thread.is_alive()
    assert lines.closings == 1
    status = source.status(0)
    assert (status.is_live, status.trouble) == (False, None)


def test_it_can_be_started_again() -> None:
    lines = QuietLines()
    source = GpioChipSource(GpioSettings(settle_ms=0), lines.open_lines)
    for _ in range(2):
        source.start(lambda _edge: None)
        assert source.status(0).is_live
        source.close()
    assert lines.closings == 2


def test_a_thread_that_dies_is_noticed(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    lines = QuietLines()
    source = GpioChipSource(GpioSettings(settle_ms=0), lines.open_lines)

    def fail() -> None:
        raise RuntimeError("no such round")

    monkeypatch.setattr(source, "round", fail)
    source.start(lambda _edge: None)
    assert source._thread is not None
    source._thread.join(10)
    status = source.status(0)
    assert not status.is_live
    assert status.trouble == "The thread that reads the GPIO lines has ended: restart the game."
    assert "no such round" in caplog.text
    source.close()
    assert lines.closings == 1


def test_a_thread_that_does_not_end_keeps_its_lines(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lines = QuietLines()
    may_end = Event()
    source = GpioChipSource(GpioSettings(settle_ms=0), lines.open_lines)
    monkeypatch.setattr(source, "round", lambda: may_end.wait(10))
    monkeypatch.setattr("cabinet.buttons.gpio_chip.STOP_WAIT_S", 0.01)
    source.start(lambda _edge: None)
    source.close()
    assert lines.closings == 0
    assert "does not end" in caplog.text
    may_end.set()
    assert source._thread is not None
    source._thread.join(10)
    source.close()
    assert lines.closings == 1


@pytest.fixture(autouse=True)
def _log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
