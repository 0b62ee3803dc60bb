"""The gpiozero source, on the board in software; no time passes but what the tests say."""

from __future__ import annotations

import gc
import sys
import types
from collections.abc import Iterator
from random import Random

import msgspec
import pytest
from gpiozero.pins.mock import MockFactory

from cabinet.buttons.bounce import FAMILIES, BounceFamily, draw_trace
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Edge, Release, SourceError
from cabinet.buttons.gpio_pins import RESERVED_PINS, GpioSettings
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.intake import Intake
from cabinet.buttons.lines import PANEL_LINES
from cabinet.buttons.mock_board import MockBoard, MockBouncingPin
from cabinet.buttons.settling import LEVEL_CHECK_NS, QUIET_NS, Slack
from tests.gpio_bench import MS, READY_NS, START_NS, Bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.source.close()


def test_an_edge_has_the_pins_own_stamp_and_closing_to_ground_is_active(bench: Bench) -> None:
    bench.start()
    at_ns = READY_NS + 123_456_789
    bench.board.press("a.3", at_ns, [[0, 1], [7, 0], [12, 1]])
    bench.run_until(at_ns + MS)
    assert bench.edges == [
        Edge(HOST_CLOCK, "a.3", True, at_ns, 100_000, 1),
        Edge(HOST_CLOCK, "a.3", False, at_ns + 7_000, 100_000, 2),
        Edge(HOST_CLOCK, "a.3", True, at_ns + 12_000, 100_000, 3),
    ]


def test_stamps_stay_exact_after_twenty_days_of_running(bench: Bench) -> None:
    bench.start()
    far_ns = 20 * 24 * 3600 * 1000 * MS + 1
    stamps = [far_ns + step for step in range(0, 100_000, 997)]
    for count, t_ns in enumerate(stamps):
        bench.board.change("a.1", count % 2 == 0, t_ns)
    bench.run_until(far_ns + MS)
    assert [edge.t_ns for edge in bench.edges] == stamps


def test_pins_are_inputs_pulled_up_for_both_edges_without_gpiozeros_bounce_time(bench: Bench) -> None:
    bench.start()
    for number in bench.board.settings.pins.values():
        pin = bench.board.factory.pin(number)
        assert (pin.function, pin.pull, pin.edges, pin.bounce) == ("input", "up", "both", None)


def test_it_goes_on_hearing_after_a_garbage_collection(bench: Bench) -> None:
    bench.start()
    gc.collect()
    bench.board.change("b.spit", True, READY_NS + MS)
    bench.run_until(READY_NS + MS)
    assert [edge.line for edge in bench.edges] == ["b.spit"]


def test_the_first_300_ms_after_the_claim_are_ignored(bench: Bench) -> None:
    bench.start()
    bench.board.press("a.1", READY_NS - 2 * MS, [[0, 1], [1_999, 0]])
    bench.board.press("b.1", READY_NS, [[0, 1]])
    bench.run_until(READY_NS + MS)
    assert [(edge.line, edge.t_ns) for edge in bench.edges] == [("b.1", READY_NS)]


def test_a_line_closed_at_the_start_never_presses_before_it_has_been_let_go(bench: Bench) -> None:
    bench.board.change("a.2", True, START_NS - MS)
    bench.run_until(START_NS)
    bench.start()
    bench.now_ns = READY_NS
    assert bench.source.status(READY_NS).trouble == (
        "Held since the start: a.2; let go, or check the switch and its wires."
    )
    bench.board.press("a.2", READY_NS + 500 * MS, [[0, 0], [150, 1], [900, 0], [5_000, 1], [5_500, 0]])
    pressed_ns = READY_NS + 505_500_000 + QUIET_NS
    bench.board.press("a.2", pressed_ns, [[0, 1]])
    bench.run_until(pressed_ns + MS)
    assert [(edge.t_ns, edge.active) for edge in bench.edges] == [(pressed_ns, True)]
    assert bench.source.status(bench.now_ns).trouble is None


def test_a_line_pressed_while_settling_counts_as_closed_at_the_start(bench: Bench) -> None:
    bench.start()
    bench.board.change("a.2", True, START_NS + 100 * MS)
    bench.board.change("a.2", False, READY_NS + 100 * MS)
    bench.run_until(READY_NS + 200 * MS)
    assert bench.edges == []


def asked_until(bench: Bench, until_ns: int) -> int:
    """As the game asks: every millisecond. How far the watermark stays behind at the end."""
    while bench.now_ns < until_ns:
        bench.now_ns += MS
        bench.source.status(bench.now_ns)
    return bench.now_ns - bench.source.status(bench.now_ns).watermark_ns


def test_the_watermark_stays_two_milliseconds_behind_and_further_as_edges_come_later(bench: Bench) -> None:
    bench.start()
    assert asked_until(bench, READY_NS) == 2 * MS
    for closed, late_ns, slack_ns in ((True, 4 * MS, 5 * MS), (False, 100 * MS, 15 * MS)):
        bench.board.change("a.1", closed, bench.now_ns)
        asked_until(bench, bench.now_ns + late_ns)
        bench.board.run_until(bench.now_ns)
        assert asked_until(bench, bench.now_ns) == slack_ns


def test_a_program_that_stood_still_claims_nothing_of_that_time_until_edges_could_come(bench: Bench) -> None:
    bench.start()
    asked_until(bench, READY_NS)
    bench.board.change("b.1", True, READY_NS + 400 * MS)
    bench.now_ns = READY_NS + 1_000 * MS
    assert bench.source.status(bench.now_ns).watermark_ns == READY_NS - 2 * MS
    bench.board.run_until(bench.now_ns)
    asked_until(bench, bench.now_ns + 14 * MS)
    assert bench.source.status(bench.now_ns).watermark_ns <= READY_NS - 2 * MS
    assert asked_until(bench, bench.now_ns + 1 * MS) == 2 * MS, "and that was no lateness of the pins"


def test_a_press_while_the_program_stood_still_is_judged_at_its_stamp(bench: Bench) -> None:
    bench.start()
    intake = Intake()
    for line, at_ns in (("b.1", READY_NS + 400 * MS), ("a.1", READY_NS + 401 * MS)):
        bench.board.change(line, True, at_ns)
    order = []
    late_presses = 0
    for now_ns in (*range(READY_NS, READY_NS + 5 * MS, MS), *range(READY_NS + 800 * MS, READY_NS + 850 * MS, MS)):
        bench.now_ns = now_ns
        statuses = [bench.source.status(now_ns)]
        if now_ns >= READY_NS + 803 * MS:
            bench.board.run_until(now_ns)
        edges, bench.edges[:] = list(bench.edges), []
        taken = intake.take(edges, statuses, now_ns)
        order += [press.line for cluster in taken.clusters for press in cluster]
        late_presses = taken.late_presses
    assert (order, late_presses) == (["b.1", "a.1"], 0)


def test_an_edge_to_the_level_that_it_had_is_a_pulse_that_was_over_before_it_was_read(bench: Bench) -> None:
    bench.start()
    bench.board.press("a.1", READY_NS, [[0, 0], [190, 1]])
    bench.run_until(READY_NS + 1 * MS)
    assert [(edge.active, edge.t_ns - READY_NS) for edge in bench.edges] == [
        (True, 0),
        (False, 0),
        (True, 190_000),
    ]


def test_the_slack_falls_again_when_nothing_came_late_for_twenty_seconds() -> None:
    slack = Slack(2 * MS, 15 * MS)
    slack.seen(8 * MS, 0)
    assert slack.slack_ns(9_000 * MS) == 10 * MS
    assert slack.slack_ns(19_000 * MS) == 10 * MS
    assert slack.slack_ns(30_000 * MS) == 2 * MS


def test_a_lost_edge_is_made_up_with_a_wide_error_when_the_level_disagrees_twice(bench: Bench) -> None:
    bench.start()
    bench.now_ns = READY_NS
    pin = bench.board.factory.pin(bench.board.settings.pins["b.4"])
    pin._state = False
    first_ns = READY_NS + LEVEL_CHECK_NS
    assert bench.source.status(first_ns).losses == 0
    assert bench.edges == []
    second_ns = first_ns + LEVEL_CHECK_NS
    assert bench.source.status(second_ns).losses == 1
    (edge,) = bench.edges
    assert (edge.line, edge.active, edge.t_ns, edge.made_up) == ("b.4", True, first_ns, True)
    assert edge.err_ns > WIDE_ERROR_NS
    assert edge.t_ns - edge.err_ns <= READY_NS
    bench.source.status(second_ns + LEVEL_CHECK_NS)
    assert len(bench.edges) == 1


def test_a_dead_pin_thread_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    class Thread:
        def is_alive(self) -> bool:
            return False

    class LgpioFactory(MockFactory):  # type: ignore[misc]
        __module__ = "gpiozero.pins.lgpio"

    monkeypatch.setitem(sys.modules, "lgpio", types.SimpleNamespace(_notify_thread=Thread(), error=OSError))
    source = GpioZeroSource(bench.board.settings, LgpioFactory(), lambda: START_NS)
    source.start(bench.edges.append)
    status = source.status(READY_NS)
    assert not status.is_live
    assert status.trouble == "The thread that reads the GPIO pins has ended: restart the game."
    source.close()


def test_it_is_live_between_start_and_close_and_close_may_be_called_twice(bench: Bench) -> None:
    assert not bench.source.status(START_NS).is_live
    bench.start()
    assert bench.source.status(START_NS).is_live
    bench.source.close()
    bench.source.close()
    assert not bench.source.status(START_NS).is_live
    bench.board.change("a.1", True, READY_NS)
    bench.run_until(READY_NS)
    assert bench.edges == []


def test_when_no_pin_can_be_read_the_source_is_not_live(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.start()
    bench.board.change("a.1", True, READY_NS)
    bench.run_until(READY_NS)

    class GonePin:
        @property
        def state(self) -> int:
            raise OSError("the chip is gone")

    with monkeypatch.context() as patch:
        for listener in bench.source._listeners.values():
            patch.setattr(listener, "pin", GonePin())
        status = bench.source.status(READY_NS + LEVEL_CHECK_NS)
    assert not status.is_live
    assert status.trouble == "No GPIO pin can be read any more: restart the game."
    assert [(edge.line, edge.active, edge.made_up) for edge in bench.edges] == [
        ("a.1", True, False),
        ("a.1", False, True),
    ], "no button stays pressed"
    assert bench.source.status(READY_NS + 2 * LEVEL_CHECK_NS).is_live


def test_pins_stamped_outside_the_kernel_have_an_error_of_five_milliseconds() -> None:
    class NativeFactory(MockFactory):  # type: ignore[misc]
        __module__ = "gpiozero.pins.native"

    source = GpioZeroSource(factory=NativeFactory(), clock_ns=lambda: START_NS)
    source.start(lambda _edge: None)
    assert source.status(START_NS).largest_err_ns == 5 * MS
    source.close()


def test_a_pin_that_cannot_be_used_is_named_in_one_line() -> None:
    settings = GpioSettings(pins={"a.1": 2})
    source = GpioZeroSource(settings, _Busy(), lambda: START_NS)
    with pytest.raises(SourceError, match=r"^GPIO 2 \(a\.1\) cannot be used: busy; stop the program") as error:
        source.start(lambda _edge: None)
    assert "\n" not in str(error.value)


class _Busy(MockFactory):  # type: ignore[misc]
    def pin(self, _name: int) -> MockBouncingPin:
        raise OSError("busy")


def test_pins_of_a_foreign_clock_are_refused() -> None:
    class Remote:
        def pin(self, name: int) -> MockBouncingPin:
            raise AssertionError(f"GPIO {name} must not be claimed")

        def close(self) -> None:
            """Nothing to free."""

    with pytest.raises(SourceError, match="pins of Remote carry no times of this computer's clock"):
        GpioZeroSource(factory=Remote()).start(lambda _edge: None)


def test_the_default_table_has_every_line_once_and_keeps_the_reserved_pins_free() -> None:
    settings = GpioSettings()
    assert settings.mistakes() == ()
    assert sorted(settings.pins) == sorted(PANEL_LINES)
    used = [*settings.pins.values(), *settings.lamps.values()]
    assert len(set(used)) == len(used) == 16
    assert not set(used) & set(RESERVED_PINS)
    assert (settings.pins["service"], settings.pins["coin"]) == (2, 3)
    assert all(number >= 9 for number in settings.lamps.values())


def test_neither_seat_has_the_lower_pin_more_often() -> None:
    pins = GpioSettings().pins
    buttons = ("1", "2", "3", "4", "5", "spit")
    assert sum(pins[f"a.{button}"] < pins[f"b.{button}"] for button in buttons) == 3
    assert all(abs(pins[f"a.{button}"] - pins[f"b.{button}"]) == 1 for button in buttons)


def test_every_mistake_in_the_pin_table_gets_a_line() -> None:
    settings = GpioSettings(pins={"a.1": 4, "b.1": 4, "c.9": 5, "a.2": 18}, lamps={"a.spit": 14, "coin": 6})
    assert settings.mistakes() == (
        "pins: 'c.9' is no button of the panel; known are a.1, a.2, a.3, a.4, a.5, a.spit, "
        "b.1, b.2, b.3, b.4, b.5, b.spit, service, coin, a.left, a.right, b.left, b.right",
        "lamps: 'coin' is no button of the panel; known are a.1, a.2, a.3, a.4, a.5, a.spit, "
        "b.1, b.2, b.3, b.4, b.5, b.spit, a.left, a.right, b.left, b.right",
        "pins: a.1 and b.1 share GPIO 4; give each a GPIO of its own",
        "pins: a.2 is on GPIO 18, which is digital sound; use one of 2-13, 16, 17, 22-27",
        "pins: the lamp of a.spit is on GPIO 14, which is the serial console; use one of 2-13, 16, 17, 22-27",
    )
    with pytest.raises(SourceError, match=r"'c\.9' is no button"):
        GpioZeroSource(settings, MockBoard().factory).start(lambda _edge: None)
    with pytest.raises(msgspec.ValidationError, match=r"<= 27 - at `\$\.pins"):
        msgspec.convert({"pins": {"a.1": 28}}, GpioSettings)


def test_a_line_without_a_pin_is_refused_by_the_board(bench: Bench) -> None:
    with pytest.raises(ValueError, match=r"'a\.left' has no pin on this board; it has a\.1, a\.2"):
        bench.board.change("a.left", True, 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_drawn_press_is_one_press_from_its_first_closing_to_its_last_opening(family: BounceFamily) -> None:
    chance = Random(5)
    for _ in range(200):
        trace = draw_trace(chance, family)
        assert [us for us, _ in trace] == sorted(us for us, _ in trace)
        bench = Bench().start()
        bench.board.press("a.1", READY_NS + MS, trace)
        bench.run_until(READY_NS + 500 * MS)
        taken = Intake(DebounceSettings()).take(bench.edges, [bench.source.status(bench.now_ns)], bench.now_ns)
        assert [[p.t_ns for p in cluster] for cluster in taken.clusters] == [[READY_NS + MS]]
        assert taken.releases == (Release("a.1", READY_NS + MS + trace[-1][0] * 1000),)
        bench.source.close()


def test_a_race_through_pins_source_and_intake_is_won_by_the_first_contact(bench: Bench) -> None:
    """The later switch is clean and the earlier one bounces for half a millisecond: the earlier still wins."""
    bench.start()
    bench.board.press("b.1", READY_NS + MS, [[0, 1], [40, 0], [60, 1], [300, 0], [500, 1]])
    bench.board.press("a.1", READY_NS + MS + 250_000, [[0, 1]])
    intake = Intake()
    order = []
    for step in range(20):
        now_ns = READY_NS + step * 500_000
        statuses = [bench.source.status(now_ns)]
        bench.run_until(now_ns)
        edges, bench.edges[:] = list(bench.edges), []
        order += [[p.line for p in c] for c in intake.take(edges, statuses, now_ns).clusters]
    assert order == [["b.1"], ["a.1"]]
