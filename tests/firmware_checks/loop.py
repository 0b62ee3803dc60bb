"""The whole firmware on a board in software: every check runs under CPython and under MicroPython."""

from firmware_bridge.firmware.loop import Firmware, run
from firmware_bridge.protocol import ERROR_PINS, ERROR_RESET, Decoder, Error, Greeting, Hello, Lines, encode
from tests.firmware_desk import NAMES, PINS, SoftPort, SoftSamples, Ticks, of_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_bridge.protocol import Message


class SoftBoard:
    """A board that writes down what is asked of it."""

    name = "Soft Pico"
    unique_id = 5
    was_reset = False
    crash = ""

    def __init__(self, pins: str = PINS) -> None:
        self.pins = pins
        self.port = SoftPort()
        self.ticks = Ticks(1000)
        self.samples = SoftSamples(self.ticks)
        self.led: list[bool] = []
        self.fed = 0
        self.asked: list[object] = []

    def ticks_us(self) -> int:
        return self.ticks()

    def draw_id(self) -> int:
        return 4711

    def pins_text(self) -> str:
        return self.pins

    def start_samples(self, gpios: "list[int]") -> SoftSamples:
        self.asked.append(("samples", gpios))
        return self.samples

    def start_lamps(self, gpios: "list[int]") -> None:
        self.asked.append(("lamps", gpios))

    def set_lamp(self, index: int, duty: int) -> None:
        self.asked.append((index, duty))

    def set_led(self, is_lit: bool) -> None:
        self.led.append(is_lit)

    def start_watchdog(self, timeout_ms: int) -> None:
        self.asked.append(("watchdog", timeout_ms))

    def feed_watchdog(self) -> None:
        self.fed += 1

    def stop_watchdog(self) -> None:
        self.asked.append("no watchdog")

    def tidy(self) -> None:
        self.asked.append("tidy")


def greet(board: SoftBoard, firmware: Firmware) -> "list[Message]":
    board.port.to_device = encode(Hello(1, 1, 0, 0))
    for _ in range(4):
        firmware.turn()
    return Decoder().feed(board.port.to_host)


def check_lamps_are_set_up_before_the_capture() -> None:
    board = SoftBoard()
    Firmware(board)
    assert board.asked[:2] == [("lamps", [16, 17]), ("samples", [0, 1, 7, 28])]


def check_a_good_board_greets_with_its_buttons() -> None:
    board = SoftBoard()
    heard = greet(board, Firmware(board))
    assert of_kind(Lines, heard) == [Lines(0, " ".join(NAMES))]
    assert of_kind(Error, heard) == []
    assert board.led == [True]


def check_wrong_pins_are_told_and_blinked_and_nothing_is_claimed() -> None:
    board = SoftBoard('{"buttons": {"a.1": 99}}')
    firmware = Firmware(board)
    heard = greet(board, firmware)
    assert of_kind(Error, heard) == [Error(ERROR_PINS, "pins.json: a.1: GPIO 99; allowed: 0-22, 26-28")]
    greeting = of_kind(Greeting, heard)[0]
    assert isinstance(greeting, Greeting)
    assert greeting.buttons == 0
    for _ in range(100):
        board.ticks.now_us += 20000
        firmware.turn()
    assert 9 <= len(board.led) <= 12
    assert [item for item in board.asked if item != "tidy"] == []


def check_a_boot_after_a_crash_says_why() -> None:
    board = SoftBoard()
    board.was_reset = True
    assert of_kind(Error, greet(board, Firmware(board)))
    board = SoftBoard()
    board.was_reset = True
    board.crash = "TypeError: x"
    assert of_kind(Error, greet(board, Firmware(board))) == [Error(ERROR_RESET, "TypeError: x")]


def check_the_watchdog_is_fed_only_while_the_capture_lives() -> None:
    board = SoftBoard()
    firmware = Firmware(board)
    for _ in range(200):
        board.ticks.now_us += 5000
        firmware.turn()
    assert board.fed == 200
    board.samples.runs = False
    for _ in range(200):
        board.ticks.now_us += 5000
        firmware.turn()
    assert board.fed < 240
    board.samples.runs = True
    for _ in range(200):
        board.ticks.now_us += 5000
        firmware.turn()
    assert board.fed > 400


def check_ctrl_c_ends_it_with_the_hardware_at_rest() -> None:
    board = SoftBoard()
    board.port.to_device = b"\r\x03"
    run(board)
    assert board.samples.is_stopped
    assert board.asked[2:] == [("watchdog", 3000), "no watchdog"]
    assert board.led == [False]


def check_what_goes_wrong_is_raised_with_the_hardware_at_rest() -> None:
    board = SoftBoard()

    def broken() -> bytes:
        raise OSError("gone")

    board.port.read = broken  # type: ignore[method-assign]
    raised = ""
    try:
        run(board)
    except OSError as error:
        raised = str(error)
    assert raised == "gone"
    assert board.samples.is_stopped


def check_garbage_is_collected_now_and_then() -> None:
    board = SoftBoard()
    firmware = Firmware(board)
    for _ in range(200):
        board.ticks.now_us += 5000
        firmware.turn()
    assert 4 <= board.asked.count("tidy") <= 6
