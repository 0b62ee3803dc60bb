"""An RP2040 in an emulator, and MicroPython's modules as far as the firmware's samples.py asks for them.

The registers, the state machine, the DMA, the timer and the lines are the emulator's (rp2040py); what MicroPython
does itself (`rp2.DMA`, `machine.Pin`) is written here from the chip's datasheet. Every access to a register takes
time, as it does in MicroPython, and the lines may change meanwhile.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import pytest
from rp2040py.rp2040 import RP2040

FREQUENCY_HZ: Final = 125_000_000
CYCLES_A_STEP: Final = 5
STEP_NS: Final = 1_000_000_000 * CYCLES_A_STEP // FREQUENCY_HZ
"""The grid on which lines change: 40 ns, one cycle of the state machine."""

ACCESS_STEPS: Final = 13
RAM_FREE: Final = 0x20010004
"""Where the firmware's memory lies: on purpose not at a multiple of the ring's size."""

DMA_BASE: Final = 0x50000000
DMA_COUNT, DMA_CTRL_TRIG, DMA_ABORT = DMA_BASE + 8, DMA_BASE + 12, DMA_BASE + 0x444
DMA_BUSY: Final = 1 << 24
PADS_BANK0: Final = 0x4001C000
PAD_INPUT_PULL_UP: Final = 1 << 6 | 1 << 3 | 1 << 1
IO_BANK0: Final = 0x40014000
FUNCTION_SIO: Final = 5
TIMER_LOW: Final = 0x40054028


class EmulatedPico:
    """The chip, its wires, and true time."""

    def __init__(self) -> None:
        self.chip = RP2040()
        self.chip.simulator = SimpleNamespace()  # type: ignore[assignment]  # somebody else steps the PIO: `step`
        self.now_ns = 0
        self.memory = Memory(self)
        self._planned: dict[int, list[tuple[int, bool]]] = {}

    def plan(self, at_ns: int, gpio: int, level: bool) -> None:
        """The line takes that level then; `at_ns` on the grid of STEP_NS."""
        self._planned.setdefault(at_ns, []).append((gpio, level))

    def step(self, count: int = 1) -> None:
        """Time goes on by so many steps."""
        for _ in range(count):
            self.now_ns += STEP_NS
            for gpio, level in self._planned.pop(self.now_ns, ()):
                self.chip.gpio[gpio].set_input_value(level)
            self.chip.pio[0].advance(CYCLES_A_STEP)
            self.chip.clock.tick(STEP_NS)

    def run_until(self, at_ns: int) -> None:
        """Time goes on until then."""
        self.step((at_ns - self.now_ns) // STEP_NS)

    def ticks_us(self) -> int:
        """MicroPython's `time.ticks_us`."""
        return self.memory[TIMER_LOW] & 0x3FFFFFFF

    def read(self, address: int) -> int:
        """A word, in no time."""
        return int(self.chip.read_uint32(address))

    def write(self, address: int, value: int) -> None:
        """A word, in no time."""
        self.chip.write_uint32(address, value & 0xFFFFFFFF)


class Memory:
    """`machine.mem32`: an access takes time, before and after it."""

    def __init__(self, pico: EmulatedPico, start: int = 0, size: int = 1, steps: int = ACCESS_STEPS) -> None:
        self._pico = pico
        self._start = start
        self._size = size
        self._steps = steps

    def __getitem__(self, place: int) -> int:
        self._pico.step(self._steps)
        value = self._pico.read(self._start + place * self._size)
        self._pico.step(self._steps)
        return value

    def __setitem__(self, place: int, value: int) -> None:
        self._pico.step(self._steps)
        self._pico.write(self._start + place * self._size, value)
        self._pico.step(self._steps)


class Words(Memory):
    """Memory as an array of words, which can be copied in pieces."""

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [super(Words, self).__getitem__(one) for one in range(place.start, place.stop)]
        return super().__getitem__(place)


class Dma:
    """`rp2.DMA`, channel 0."""

    pico: EmulatedPico

    def pack_ctrl(self, **fields: int) -> int:
        return (
            1
            | fields["size"] << 2
            | fields["inc_read"] << 4
            | fields["inc_write"] << 5
            | fields["ring_size"] << 6
            | fields["ring_sel"] << 10
            | fields["treq_sel"] << 15
            | fields["irq_quiet"] << 21
        )

    def config(self, *, read: int, write: int, count: int, ctrl: int, trigger: bool) -> None:
        for place, value in enumerate((read, write, count)):
            self.pico.memory[DMA_BASE + 4 * place] = value
        assert trigger
        self.pico.memory[DMA_CTRL_TRIG] = ctrl

    @property
    def count(self) -> int:
        return self.pico.memory[DMA_COUNT]

    def active(self, value: bool | None = None) -> bool:
        if value is not None:
            assert not value
            self.pico.memory[DMA_ABORT] = 1
        return bool(self.pico.memory[DMA_CTRL_TRIG] & DMA_BUSY)


def _pin_class(pico: EmulatedPico) -> type:
    class Pin:
        IN, PULL_UP = 0, 1

        def __init__(self, gpio: int, mode: int, pull: int) -> None:
            assert (mode, pull) == (self.IN, self.PULL_UP)
            pico.memory[PADS_BANK0 + 4 + 4 * gpio] = PAD_INPUT_PULL_UP
            pico.memory[IO_BANK0 + 8 * gpio + 4] = FUNCTION_SIO

    return Pin


def samples_on(pico: EmulatedPico, patch: pytest.MonkeyPatch) -> Callable[[list[int], list[int]], Any]:
    """What makes the firmware's PioSamples on the emulated chip, given buttons and other lines."""
    for gpio in range(30):
        pico.write(PADS_BANK0 + 4 + 4 * gpio, PAD_INPUT_PULL_UP)
    dma = type("Dma", (Dma,), {"pico": pico})
    modules: dict[str, dict[str, Any]] = {
        "machine": {"mem32": pico.memory, "Pin": _pin_class(pico), "freq": lambda: FREQUENCY_HZ},
        "micropython": {"viper": lambda function: function},
        "rp2": {"DMA": dma},
        "uctypes": {"addressof": lambda _: RAM_FREE},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        vars(module).update(content)
        patch.setitem(sys.modules, name, module)
    patch.delitem(sys.modules, "firmware_bridge.firmware.samples", raising=False)
    samples = importlib.import_module("firmware_bridge.firmware.samples")
    registers = importlib.import_module("firmware_bridge.firmware.registers")
    patch.setattr(samples, "ptr32", lambda address: Memory(pico, address, 4, 1), raising=False)

    def make(buttons: list[int], others: list[int]) -> Any:
        made = samples.PioSamples(buttons, others, registers.Addresses(is_rp2350=False))
        made.words = Words(pico, RAM_FREE, 4, 1)
        return made

    return make
