"""Where the hardware lies in the memory of RP2040 and RP2350, as their datasheets name it."""

PIO0 = 0x50200000
PIO_CTRL = PIO0 + 0x000
PIO_FDEBUG = PIO0 + 0x008
PIO_RXF0 = PIO0 + 0x020
PIO_INSTR_MEM0 = PIO0 + 0x048
SM0_CLKDIV = PIO0 + 0x0C8
SM0_EXECCTRL = PIO0 + 0x0CC
SM0_SHIFTCTRL = PIO0 + 0x0D0
SM0_ADDR = PIO0 + 0x0D4
SM0_INSTR = PIO0 + 0x0D8
SM0_PINCTRL = PIO0 + 0x0DC
"""The first state machine of the first PIO block lies at the same place in both chips."""

CTRL_ENABLE = 1 << 0
CTRL_RESTART = 1 << 4
CTRL_CLKDIV_RESTART = 1 << 8
FDEBUG_SM0 = 1 << 24 | 1 << 16 | 1 << 8 | 1 << 0
FDEBUG_RXSTALL = 1 << 0
"""Set when a push found the queue full: a sample was lost."""
SHIFTCTRL_JOIN_RX = 1 << 31
DREQ_PIO0_RX0 = 4

SIO_GPIO_IN = 0xD0000004

INPUT_OVERRIDE = 3 << 16
INPUT_LOW = 2 << 16
"""In GPIOn_CTRL: what the chip sees of a line."""

WATCHDOG_ENABLE = 1 << 30
CLEAR_BITS = 0x3000
"""Writing to a register's address plus this clears bits."""


class Addresses:
    """What lies elsewhere in the two chips."""

    def __init__(self, is_rp2350: bool) -> None:
        self.timer_low = 0x400B0028 if is_rp2350 else 0x40054028
        self.io_bank = 0x40028000 if is_rp2350 else 0x40014000
        self.watchdog = 0x400D8000 if is_rp2350 else 0x40058000

    def gpio_ctrl(self, gpio: int) -> int:
        """The register that says what a line is for."""
        return self.io_bank + 8 * gpio + 4

    @property
    def scratch(self) -> int:
        """A word that outlives the watchdog's reset."""
        return self.watchdog + 0x0C
