"""The board's file: what it writes where, on MicroPython's modules in software."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from firmware_bridge.firmware.registers import CLEAR_BITS, WATCHDOG_ENABLE, Addresses

BOARD = "firmware_bridge.firmware.board"
PICO = "Raspberry Pi Pico with RP2040"
PICO_2 = "Raspberry Pi Pico2 with RP2350"
POWER_ON, WATCHDOG = 1, 3


class Machine(ModuleType):
    """`machine`, and what was done with it."""

    WDT_RESET = WATCHDOG

    def __init__(self) -> None:
        super().__init__("machine")
        self.mem32: dict[int, int] = {Addresses(False).scratch: 0, Addresses(True).scratch: 0}
        self.cause = POWER_ON
        self.duties: dict[int, int] = {}
        self.led: list[int] = []
        self.fed = 0
        self.timeouts: list[int] = []
        self.has_led = True
        self.resets = 0
        outer = self

        class Pin:
            OUT = 1

            def __init__(self, gpio: int | str, *_: int, value: int = 0) -> None:
                if gpio == "LED" and not outer.has_led:
                    raise ValueError("unknown named pin")
                self.gpio = gpio
                self.value = outer.led.append
                assert value == 0

        class PWM:
            def __init__(self, pin: Pin, *, freq: int, duty_u16: int) -> None:
                assert freq >= 200
                self._gpio = int(pin.gpio)
                outer.duties[self._gpio] = duty_u16

            def duty_u16(self, duty: int) -> None:
                outer.duties[self._gpio] = duty

        class WDT:
            def __init__(self, *, timeout: int) -> None:
                outer.timeouts.append(timeout)

            def feed(self) -> None:
                outer.fed += 1

        vars(self).update(Pin=Pin, PWM=PWM, WDT=WDT)

    def reset_cause(self) -> int:
        return self.cause

    def unique_id(self) -> bytes:
        return bytes((8, 7, 6, 5, 4, 3, 2, 1))

    def reset(self) -> None:
        self.resets += 1


class Bench:
    """A board that may boot again and again on the same flash and registers."""

    def __init__(self, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self.machine = Machine()
        self.interrupts: list[int] = []
        self._patch = patch
        patch.chdir(folder)
        samples: Any = ModuleType("samples")
        samples.PioSamples = lambda *arguments: arguments
        micropython: Any = ModuleType("micropython")
        micropython.kbd_intr = self.interrupts.append
        patch.setitem(sys.modules, "machine", self.machine)
        patch.setitem(sys.modules, "micropython", micropython)
        patch.setitem(sys.modules, "firmware_bridge.firmware.samples", samples)

    def boot(self, name: str = PICO) -> Any:
        """A PicoBoard."""
        for module in (BOARD, "firmware_bridge.firmware.main"):
            self._patch.delitem(sys.modules, module, raising=False)
        board: Any = importlib.import_module(BOARD)
        line = SimpleNamespace(fileno=lambda: 0)
        board.sys = SimpleNamespace(implementation=SimpleNamespace(_machine=name), stdin=line, stdout=line)
        return board.PicoBoard()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bench:
    return Bench(monkeypatch, tmp_path)


def test_it_tells_who_it_is(bench: Bench) -> None:
    board = bench.boot()
    assert board.name == PICO
    assert board.unique_id == 0x0102030405060708
    assert 0 <= board.draw_id() < 1 << 32
    assert bench.interrupts == [-1]


def test_the_pins_are_those_of_the_file_on_the_device(bench: Bench) -> None:
    assert bench.boot().pins_text() == ""
    Path("pins.json").write_text("{}", encoding="utf-8")
    assert bench.boot().pins_text() == "{}"


def test_lines_that_are_not_buttons_are_told_to_the_capture(bench: Bench) -> None:
    buttons, others, _ = bench.boot().start_samples([0, 5, 28])
    assert buttons == [0, 5, 28]
    assert sorted(buttons + others) == [*range(23), 26, 27, 28]


def test_lamps_begin_dark_and_take_a_duty_cycle(bench: Bench) -> None:
    board = bench.boot()
    board.start_lamps([14, 22])
    assert bench.machine.duties == {14: 0, 22: 0}
    board.set_lamp(1, 40000)
    assert bench.machine.duties == {14: 0, 22: 40000}


def test_a_board_without_a_light_does_without(bench: Bench) -> None:
    bench.boot().set_led(True)
    assert bench.machine.led == [True]
    bench.machine.has_led = False
    bench.boot().set_led(True)
    assert bench.machine.led == [True]


@pytest.mark.parametrize(("name", "is_rp2350"), [(PICO, False), (PICO_2, True)])
def test_the_watchdog_is_stopped_in_the_chip_s_own_register(bench: Bench, name: str, is_rp2350: bool) -> None:
    addresses = Addresses(is_rp2350)
    board = bench.boot(name)
    board.feed_watchdog()
    assert bench.machine.fed == 0
    board.start_watchdog(3000)
    board.feed_watchdog()
    assert (bench.machine.timeouts, bench.machine.fed) == ([3000], 1)
    assert bench.machine.mem32[addresses.scratch] != 0
    board.stop_watchdog()
    board.feed_watchdog()
    assert bench.machine.fed == 1
    assert bench.machine.mem32[addresses.watchdog + CLEAR_BITS] == WATCHDOG_ENABLE
    assert bench.machine.mem32[addresses.scratch] == 0
    assert bench.interrupts == [-1, 3]


def test_only_a_boot_by_the_watchdog_while_at_work_counts_as_a_reset(bench: Bench) -> None:
    bench.machine.cause = WATCHDOG
    board = bench.boot()
    assert not board.was_reset
    board.start_watchdog(3000)
    board = bench.boot()
    assert (board.was_reset, board.crash) == (True, "")
    bench.machine.cause = POWER_ON
    assert not bench.boot().was_reset


def test_a_crash_is_kept_over_the_reset_and_told_once(bench: Bench) -> None:
    board = bench.boot()
    board.start_watchdog(3000)
    board.keep_crash("TypeError: x")
    bench.machine.cause = WATCHDOG
    board = bench.boot()
    assert (board.was_reset, board.crash) == (True, "TypeError: x")
    board.start_watchdog(3000)
    assert bench.boot().crash == ""


def test_the_same_crash_is_not_written_twice(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    board = bench.boot()
    board.keep_crash("TypeError: x")
    opened: list[tuple[Any, ...]] = []
    plain: Callable[..., Any] = open

    def spy(*arguments: Any) -> Any:
        opened.append(arguments)
        return plain(*arguments)

    monkeypatch.setattr("builtins.open", spy)
    board.keep_crash("TypeError: x")
    assert opened == [("crash.txt",)]


def test_after_a_crash_somebody_has_time_for_ctrl_c_before_it_boots_anew(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = bench.boot()
    main = importlib.import_module("firmware_bridge.firmware.main")
    waited: list[tuple[float, list[int]]] = []

    def wait(seconds: float) -> None:
        waited.append((seconds, list(bench.interrupts)))

    def fail(_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(main, "PicoBoard", lambda: board)
    monkeypatch.setattr(main, "run", fail)
    monkeypatch.setattr(main, "time", SimpleNamespace(sleep=wait))
    main.main()
    assert waited == [(2, [-1, 3])]
    assert bench.machine.resets == 1
    assert Path("crash.txt").read_text(encoding="utf-8") == "RuntimeError: no"


def test_the_chips_differ_where_their_datasheets_do() -> None:
    rp2040, rp2350 = Addresses(False), Addresses(True)
    assert (rp2040.timer_low, rp2350.timer_low) == (0x40054028, 0x400B0028)
    assert (rp2040.gpio_ctrl(3), rp2350.gpio_ctrl(3)) == (0x4001401C, 0x4002801C)
    assert (rp2040.scratch, rp2350.scratch) == (0x4005800C, 0x400D800C)
