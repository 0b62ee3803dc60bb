"""The capture: a program of a PIO state machine that samples all lines once a microsecond, whatever else goes on.

`SOURCE` is for people, in the language of the datasheets of RP2040 and RP2350; `OPCODES` is what it says. OSR
counts samples downward, Y keeps the lines as they were last; a changed sample is pushed as two words: lines and
count.

Both ways through the program take PERIOD_CYCLES cycles, so that the distance from sample to sample never varies.
One instruction looks at the lines, and it sees all of them at the same instant.
"""

SOURCE = """
.wrap_target
    mov isr, pins           ; the sample
    mov x, isr
    jmp x!=y, changed
    nop [4]                 ; as long as the way through `changed`
count:
    mov x, osr [5]
    jmp x--, next [5]
next:
    mov osr, x [4]
.wrap
changed:
    mov y, x
    push noblock
    mov isr, osr
    push noblock
    jmp count
"""

OPCODES = (
    0xA0C0,
    0xA026,
    0x00A7,
    0xA442,
    0xA527,
    0x0546,
    0xA4E1,
    0xA041,
    0x8000,
    0xA0C7,
    0x8000,
    0x0004,
)
WRAP_TARGET = 0
WRAP_TOP = 6

PREPARE = (0xA0EB, 0xA04B, 0x0000)
"""Executed once before: `mov osr, ~null` (the count), `mov y, ~null` (the first sample differs), `jmp 0`."""

PERIOD_CYCLES = 25
PERIOD_US = 1

FIRST_COUNT = 0xFFFFFFFF
"""The count of the first sample."""


def divider(frequency_hz: int) -> int:
    """The state machine's clock divider at this system clock; 0 when that is no multiple of 25 MHz."""
    cycles_hz = PERIOD_CYCLES * 1000000 // PERIOD_US
    return 0 if frequency_hz % cycles_hz else frequency_hz // cycles_hz
