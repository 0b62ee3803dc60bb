"""The firmware: everything put together on a board, turn after turn."""

from firmware_bridge.firmware.capture import Capture, NoCapture
from firmware_bridge.firmware.clock import Clock
from firmware_bridge.firmware.edge_ring import EdgeRing
from firmware_bridge.firmware.lamps import Lamps
from firmware_bridge.firmware.link import Identity, Link
from firmware_bridge.firmware.pins import PinsError, read_pins
from firmware_bridge.protocol import ERROR_PINS, ERROR_RESET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_bridge.firmware.hardware import Board, Samples

RING_EDGES = 1024
WATCHDOG_MS = 3000
TIDY_EVERY_US = 200000
LED_BLINK_US = 200000
"""Half a period of the board's light while the pins are wrong."""


class Firmware:
    """The device at work."""

    def __init__(self, board: "Board") -> None:
        self._board = board
        self._clock = Clock(board.ticks_us)
        self._samples: Samples | None = None
        self._capture: Capture | NoCapture = NoCapture(self._clock)
        lamps = Lamps([], None)
        self._trouble = ""
        self._tidied_us = 0
        self._led = False
        identity = Identity(board.name, board.unique_id, board.draw_id())
        try:
            pins = read_pins(board.pins_text())
        except PinsError as error:
            self._trouble = error.text
        else:
            board.start_lamps(pins.lamp_gpios)
            self._samples = board.start_samples(pins.gpios)
            self._capture = Capture(self._samples, pins.gpios, EdgeRing(RING_EDGES), self._clock)
            lamps = Lamps(pins.lamp_buttons, board.set_lamp)
            identity.names = pins.names
            identity.lamp_buttons = pins.lamp_buttons
        self.link = Link(identity, self._clock, self._capture, lamps, board.port)
        if self._trouble:
            self.link.report(ERROR_PINS, self._trouble)
        if board.was_reset:
            self.link.report(ERROR_RESET, board.crash or "The watchdog started it anew: the loop stood still.")

    def turn(self) -> bool:
        """One turn; False when somebody wants MicroPython's prompt."""
        self.link.step()
        now_us = self._clock.now_us()
        if self._capture.is_alive:
            self._board.feed_watchdog()
        self._light(now_us)
        if now_us - self._tidied_us >= TIDY_EVERY_US:
            self._tidied_us = now_us
            self._board.tidy()
        return not self.link.is_interrupted

    def stop(self) -> None:
        """The hardware is at rest, and nothing writes to memory any more."""
        if self._samples is not None:
            self._samples.stop()
        self._board.set_led(False)

    def _light(self, now_us: int) -> None:
        """The board's own light: blinks fast while the pins are wrong, burns while a host is there."""
        is_lit = now_us // LED_BLINK_US % 2 == 0 if self._trouble else self.link.is_greeted
        if is_lit != self._led:
            self._led = is_lit
            self._board.set_led(is_lit)


def run(board: "Board") -> None:
    """Until somebody wants MicroPython's prompt, or something goes wrong, which is raised."""
    firmware = Firmware(board)
    board.start_watchdog(WATCHDOG_MS)
    try:
        while firmware.turn():
            pass
        board.stop_watchdog()
    finally:
        firmware.stop()
