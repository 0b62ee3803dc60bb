"""Lamps on gpiozero pins, that can dim and that cannot; the clock is the test's."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from cabinet.buttons.edges import Line, SourceError
from cabinet.buttons.gpio_lamps import PWM_HZ, GpioLamps
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.lamp_state import BRIGHTEST, SHORTEST_PERIOD_MS, LampState
from cabinet.buttons.mock_board import MockBoard
from cabinet.virtual import VirtualClock

MS = 1_000_000
ON = LampState("on")
PINS = {"a.spit": 22, "b.spit": 23, "a.1": 24, "b.5": 25}


class Panel:
    """Some lamps, driven as the cabinet's consumer does: again after each rest."""

    def __init__(self, pin_class: type[MockPin] = MockPWMPin, now_ns: int = 0) -> None:
        self.clock = VirtualClock(now_ns)
        self.factory = MockFactory(pin_class=pin_class)
        self.lamps = GpioLamps(GpioSettings(lamps=PINS), self.factory, self.clock)
        self.changes: dict[Line, list[tuple[int, float]]] = {line: [(now_ns, 0.0)] for line in PINS}

    def level(self, line: Line) -> float:
        return float(self.factory.pin(PINS[line]).state)

    def show(self, states: Mapping[Line, LampState], for_ns: int = 0) -> None:
        until_ns = self.clock.now_ns + for_ns
        while True:
            self.lamps.set(states)
            self._look()
            rest_s = self.lamps.rest_s()
            due_ns = until_ns + 1 if rest_s is None else self.clock.now_ns + max(1, round(rest_s * 1e9))
            if due_ns > until_ns:
                self.clock.now_ns = until_ns
                return
            self.clock.now_ns = due_ns

    def _look(self) -> None:
        for line, seen in self.changes.items():
            if self.level(line) != seen[-1][1]:
                seen.append((self.clock.now_ns, self.level(line)))

    def rises_ns(self, line: Line) -> list[int]:
        """When the lamp began to rise after it had fallen."""
        rises, has_fallen = [], True
        for (_, before), (at_ns, level) in zip(self.changes[line], self.changes[line][1:], strict=False):
            if level > before and has_fallen:
                rises.append(at_ns)
            has_fallen = level < before
        return rises


def most_within_a_second(times_ns: list[int]) -> int:
    return max((sum(at <= other < at + 1_000 * MS for other in times_ns) for at in times_ns), default=0)


@pytest.mark.parametrize("pin_class", [MockPin, MockPWMPin])
def test_lamps_light_what_they_are_told_and_nothing_else(pin_class: type[MockPin]) -> None:
    panel = Panel(pin_class)
    panel.show({"a.spit": ON, "b.3": ON})
    assert [panel.level(line) for line in PINS] == [1, 0, 0, 0]
    panel.show({"b.5": ON})
    assert [panel.level(line) for line in PINS] == [0, 0, 0, 1]
    panel.lamps.close()
    panel.lamps.close()
    assert [panel.level(line) for line in PINS] == [0, 0, 0, 0]


@pytest.mark.parametrize("pin_class", [MockPin, MockPWMPin])
def test_blinking_is_exact_and_in_step(pin_class: type[MockPin]) -> None:
    panel = Panel(pin_class, now_ns=5_000_000 * MS)
    blinks = LampState("blink", period_ms=1_000, phase=4)
    panel.show({"a.spit": blinks}, 620 * MS)
    panel.show({"a.spit": blinks, "b.spit": blinks}, 3_000 * MS)
    a, b = panel.changes["a.spit"], panel.changes["b.spit"]
    halves = [(5_000_250 + 500 * number) * MS for number in range(7)]
    assert a[1:] == [(at_ns, (number + 1) % 2) for number, at_ns in enumerate(halves)]
    assert b[2:] == a[2:], "the second joins in the first one's step"


@pytest.mark.parametrize("pin_class", [MockPin, MockPWMPin])
def test_steady_lamps_need_nobody(pin_class: type[MockPin]) -> None:
    panel = Panel(pin_class)
    panel.show({"a.spit": ON, "a.1": LampState("on", 120)})
    assert panel.lamps.rest_s() is None


def test_pins_that_can_dim_breathe_smoothly_as_the_eye_sees_it() -> None:
    panel = Panel()
    panel.show({"a.1": LampState("breathe", period_ms=2_000)}, 1_000 * MS)
    levels = [level for _, level in panel.changes["a.1"]]
    assert levels == sorted(levels)
    assert levels[-1] == 1.0
    assert len(levels) > 40
    half_way = dict(panel.changes["a.1"])[500 * MS]
    assert half_way == pytest.approx(0.25, abs=0.01)


def test_dimmed_light_is_pulsed_and_full_light_is_not() -> None:
    panel = Panel()
    pin = panel.factory.pin(PINS["a.1"])
    panel.show({"a.1": LampState("on", 128)})
    assert (pin.frequency, pin.state) == (PWM_HZ, 0.25)
    panel.show({"a.1": ON})
    assert (pin.frequency, pin.state) == (None, 1)
    panel.show({"a.1": LampState("on", 1)})
    assert (pin.frequency, pin.state) == (PWM_HZ, 0.01), "what is lit can be seen"
    panel.lamps.close()
    assert (pin.frequency, pin.state) == (None, 0)


def test_a_lamp_fades_from_what_it_showed() -> None:
    panel = Panel()
    panel.show({"a.1": LampState("on", 128)})
    panel.show({"a.1": LampState("fade", BRIGHTEST, 400)}, 500 * MS)
    levels = [level for _, level in panel.changes["a.1"][1:]]
    assert levels[0] == 0.25
    assert levels == sorted(levels)
    assert panel.changes["a.1"][-1] == (400 * MS, 1.0)
    assert panel.lamps.rest_s() is None


def test_pins_that_cannot_dim_show_dim_light_only_where_it_moves() -> None:
    panel = Panel(MockPin)
    panel.show({"a.1": LampState("on", 48), "b.5": LampState("on", 64)})
    assert (panel.level("a.1"), panel.level("b.5")) == (0, 1)
    panel.show({"a.1": LampState("breathe", 48, 2_000), "b.5": LampState("blink", 48, 2_000)}, 4_000 * MS)
    assert [at_ns // MS for at_ns, _ in panel.changes["a.1"][1:]] == [500, 1_520, 2_500, 3_520]
    assert [at_ns // MS for at_ns, _ in panel.changes["b.5"][2:]] == [1_000, 2_000, 3_000, 4_000]


@pytest.mark.parametrize("pin_class", [MockPin, MockPWMPin])
@pytest.mark.parametrize("every_ms", [10, 50, 120, 160])
def test_whatever_it_is_told_a_lamp_flashes_at_most_three_times_a_second(
    pin_class: type[MockPin], every_ms: int
) -> None:
    panel = Panel(pin_class)
    fastest = LampState("blink", period_ms=SHORTEST_PERIOD_MS)
    for number in range(6_000 // every_ms):
        states = (ON, LampState(), fastest, LampState("breathe", period_ms=SHORTEST_PERIOD_MS))
        panel.show({"a.spit": states[number % 2], "a.1": states[number % 4]}, every_ms * MS)
    assert len(panel.rises_ns("a.spit")) > 8
    assert most_within_a_second(panel.rises_ns("a.spit")) == 3
    assert most_within_a_second(panel.rises_ns("a.1")) <= 3


def test_neither_seats_lamp_is_always_lit_first() -> None:
    panel = Panel(MockPin)
    order: list[int] = []

    class Noted(MockPin):  # type: ignore[misc]  # gpiozero has no types
        def _set_state(self, value: float) -> None:
            order.append(self.info.names and int(str(self).removeprefix("GPIO")))
            super()._set_state(value)

    panel.factory.reset()
    panel.factory.pin_class = Noted
    panel.lamps = GpioLamps(GpioSettings(lamps={"a.1": 24, "b.1": 25}), panel.factory, panel.clock)
    order.clear()
    for number in range(4):
        panel.lamps.set(dict.fromkeys(("a.1", "b.1"), ON if number % 2 == 0 else LampState()))
        panel.clock.now_ns += 500 * MS
    assert order[0::2] == [25, 24, 25, 24]


class BrokenPin:
    """A lamp's pin that refuses, as long as it is broken."""

    def __init__(self) -> None:
        self.function = "input"
        self.frequency: float | None = None
        self.level = 0.0
        self.is_broken = False

    @property
    def state(self) -> float:
        return self.level

    @state.setter
    def state(self, level: float) -> None:
        if self.is_broken:
            raise OSError("the chip is gone")
        self.level = level


class BrokenPins:
    """Pins by number."""

    def __init__(self) -> None:
        self.pins = {22: BrokenPin(), 23: BrokenPin()}

    def pin(self, name: int) -> BrokenPin:
        return self.pins[name]

    def close(self) -> None:
        """Nothing is open."""


def test_a_lamp_that_fails_does_not_keep_the_others_dark_and_is_tried_again() -> None:
    factory, clock = BrokenPins(), VirtualClock()
    lamps = GpioLamps(GpioSettings(), factory, clock)  # type: ignore[arg-type]
    broken, good = factory.pins[22], factory.pins[23]
    broken.is_broken = True
    both = {"a.spit": ON, "b.spit": ON}
    for _ in range(2):
        with pytest.raises(OSError, match="the chip is gone"):
            lamps.set(both)
    assert (broken.level, good.level) == (0, 1)
    assert lamps.rest_s() == 1.0, "it is tried again though nothing new is told"
    broken.is_broken = False
    lamps.set(both)
    assert (broken.level, good.level) == (1, 1)
    assert lamps.rest_s() is None
    broken.is_broken = True
    with pytest.raises(OSError, match="the chip is gone"):
        lamps.close()
    broken.is_broken = False
    lamps.close()
    assert (broken.level, good.level) == (0, 0)


def test_a_pin_that_cannot_be_claimed_is_told_with_its_button() -> None:
    factory = BrokenPins()
    factory.pins[23].is_broken = True
    with pytest.raises(SourceError, match=r"GPIO 23 \(the lamp of b\.spit\) cannot be used: the chip is gone"):
        GpioLamps(GpioSettings(), factory, VirtualClock())  # type: ignore[arg-type]


def test_the_board_in_software_tells_which_lamps_are_lit() -> None:
    board = MockBoard(GpioSettings(lamps={"a.spit": 22, "b.3": 24}))
    lamps = GpioLamps(board.settings, board.factory, VirtualClock())
    lamps.set({"b.3": ON})
    assert board.lit() == {"b.3"}
