"""Runs when the board gets power, as /main.py on the device. Ctrl-C, while no cabinet is there, ends it."""

import time

import machine
import micropython

from firmware_bridge.firmware.board import PicoBoard
from firmware_bridge.firmware.loop import run

WAIT_S = 2
"""After a crash, for somebody's Ctrl-C; less than the watchdog's time."""


def main() -> None:
    """Until Ctrl-C; what goes wrong is written down, and the board begins anew."""
    board = PicoBoard()
    try:
        run(board)
    except Exception as error:  # noqa: BLE001 - the top of the program
        board.keep_crash(type(error).__name__ + ": " + str(error))
        micropython.kbd_intr(3)
        time.sleep(WAIT_S)
        machine.reset()


if __name__ == "__main__":
    main()
