"""The capture on the chip: a PIO state machine samples, and DMA writes what changed into a ring of memory.

Neither the processor nor MicroPython takes part, so nothing that they do can move a stamp. It needs MicroPython
1.22 or later, for rp2.DMA.
"""

from array import array

import machine
import micropython
import rp2
import uctypes

from firmware_bridge.firmware import registers
from firmware_bridge.firmware.capture_program import (
    OPCODES,
    PERIOD_US,
    PREPARE,
    WRAP_TARGET,
    WRAP_TOP,
    divider,
)

RING_BITS = 14
RING_WORDS = 1 << RING_BITS - 2
"""2048 changes: what 16 lines that each change 5,000 times a second do in 25 ms."""

MOST_WORDS = 0x0FFFFFFE
"""RP2350 counts transfers in 28 bits."""
WORN_WORDS = MOST_WORDS // 2

TRIES = 100
LOOKS = 16
DEFAULT_FREQUENCY_HZ = 150000000


class PioSamples:
    """Samples of all lines; see hardware.py for what each name means."""

    size = RING_WORDS
    period_us = PERIOD_US

    def __init__(self, gpios: "list[int]", others: "list[int]", addresses: registers.Addresses) -> None:
        """`others`: lines that are not buttons; what happens on them is not seen."""
        self.words = array("I", bytes(2 << RING_BITS))
        start = uctypes.addressof(self.words)
        self._ring_address = (start + (1 << RING_BITS) - 1) & ~((1 << RING_BITS) - 1)
        self.base = (self._ring_address - start) // 4
        self.started_us = 0
        self._addresses = addresses
        self._dma = rp2.DMA()
        self._control = self._dma.pack_ctrl(
            size=2,
            inc_read=False,
            inc_write=True,
            ring_sel=True,
            ring_size=RING_BITS,
            treq_sel=registers.DREQ_PIO0_RX0,
            irq_quiet=True,
        )
        for gpio in gpios:
            machine.Pin(gpio, machine.Pin.IN, machine.Pin.PULL_UP)
        for gpio in others:
            control = machine.mem32[addresses.gpio_ctrl(gpio)] & ~registers.INPUT_OVERRIDE
            machine.mem32[addresses.gpio_ctrl(gpio)] = control | registers.INPUT_LOW
        self.restart()

    def written(self) -> int:
        """Words written since the start or the last rearm."""
        return MOST_WORDS - int(self._dma.count)

    def levels(self) -> int:
        """All lines read now, past the ring."""
        return int(machine.mem32[registers.SIO_GPIO_IN])

    def is_running(self) -> bool:
        """Whether the state machine moves, and no sample was lost."""
        memory = machine.mem32
        if memory[registers.PIO_FDEBUG] & registers.FDEBUG_RXSTALL or not self._dma.active():
            return False
        place = memory[registers.SM0_ADDR]
        return any(memory[registers.SM0_ADDR] != place for _ in range(LOOKS))

    def is_worn(self) -> bool:
        """Whether the count of words nears its end."""
        return self.written() > WORN_WORDS

    def pause(self) -> None:
        """Nothing is written until `rearm`; four changes wait in the state machine's queue."""
        self._dma.active(False)

    def rearm(self) -> None:
        """Goes on at the ring's begin."""
        self._dma.config(
            read=registers.PIO_RXF0,
            write=self._ring_address,
            count=MOST_WORDS,
            ctrl=self._control,
            trigger=True,
        )

    def restart(self) -> None:
        """Begins anew. Raises RuntimeError when the first sample's microsecond cannot be had."""
        frequency_hz = machine.freq()
        if divider(frequency_hz) == 0:
            machine.freq(DEFAULT_FREQUENCY_HZ)
        for _ in range(TRIES):
            self.stop()
            self._prepare(divider(machine.freq()))
            self.rearm()
            started_us = _start(registers.PIO_CTRL, self._addresses.timer_low)
            if started_us >= 0:
                self.started_us = started_us
                return
        self.stop()
        raise RuntimeError("the capture's first microsecond was not found")

    def stop(self) -> None:
        """No sampling, and nothing writes to memory any more."""
        machine.mem32[registers.PIO_CTRL] = 0
        self._dma.active(False)

    def _prepare(self, clock_divider: int) -> None:
        memory = machine.mem32
        for index, opcode in enumerate(OPCODES):
            memory[registers.PIO_INSTR_MEM0 + 4 * index] = opcode
        memory[registers.SM0_CLKDIV] = clock_divider << 16
        memory[registers.SM0_EXECCTRL] = WRAP_TOP << 12 | WRAP_TARGET << 7
        memory[registers.SM0_SHIFTCTRL] = 0
        memory[registers.SM0_SHIFTCTRL] = registers.SHIFTCTRL_JOIN_RX
        memory[registers.SM0_PINCTRL] = 0
        memory[registers.PIO_CTRL] = registers.CTRL_RESTART | registers.CTRL_CLKDIV_RESTART
        for opcode in PREPARE:
            memory[registers.SM0_INSTR] = opcode
        memory[registers.PIO_FDEBUG] = registers.FDEBUG_SM0


@micropython.viper  # type: ignore[untyped-decorator]
def _start(control: int, timer: int) -> int:
    """Starts the state machine; the ticks of that microsecond, or -1 when the timer went on meanwhile."""
    ticks = ptr32(timer)  # type: ignore[name-defined]  # noqa: F821 (viper's own)
    register = ptr32(control)  # type: ignore[name-defined]  # noqa: F821
    before = int(ticks[0])
    register[0] = 1
    after = int(ticks[0])
    if before != after:
        return -1
    return before & 0x3FFFFFFF
