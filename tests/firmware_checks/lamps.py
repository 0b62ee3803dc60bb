"""Lamps and pins: every check runs under CPython and under MicroPython."""

from firmware_bridge.firmware.lamps import DARK, FlashLimit, Lamps, brightness, duty_of
from firmware_bridge.firmware.pins import MOST_TEXT, PinsError, read_pins
from firmware_bridge.protocol import LAMP_BLINK, LAMP_BREATHE, LAMP_FADE, LAMP_ON, Lamp
from tests.firmware_desk import PINS

MS = 1000
SECOND = 1000 * MS


class Board:
    def __init__(self, numbers: "list[int]") -> None:
        self.duties = [-1] * len(numbers)
        self.lamps = Lamps(numbers, self._set)
        self.lamps.take_up()

    def _set(self, place: int, duty: int) -> None:
        self.duties[place] = duty

    def shown(self, button: int, now_us: int) -> int:
        self.lamps.update(now_us)
        return self.lamps.shown(button)


def check_the_eye_s_brightness_becomes_a_duty_cycle() -> None:
    assert duty_of(0) == 0
    assert duty_of(255) == 65535
    assert 16000 < duty_of(128) < 17000
    assert all(duty_of(value) < duty_of(value + 1) for value in range(255))


def check_a_lamp_burns_as_bright_as_told() -> None:
    board = Board([3, 5])
    board.lamps.tell(5, Lamp(LAMP_ON, 0, 200, 0), 0)
    assert board.shown(5, 0) == 200
    assert board.shown(3, 0) == 0
    assert board.duties[1] == duty_of(200)


def check_a_button_without_a_lamp_is_passed_over() -> None:
    board = Board([3])
    board.lamps.tell(4, Lamp(LAMP_ON, 0, 200, 0), 0)
    assert board.shown(3, 0) == 0


def check_a_blinking_lamp_is_lit_for_the_first_half_of_its_period() -> None:
    lamp = Lamp(LAMP_BLINK, 0, 255, 20)
    assert [brightness(lamp, 0, at * MS, 0) for at in (0, 199, 200, 399, 400, 599, 600)] == [
        255, 255, 0, 0, 255, 255, 0,
    ]  # fmt: skip


def check_lamps_of_one_period_keep_step_whenever_they_were_told() -> None:
    lamp = Lamp(LAMP_BLINK, 0, 255, 20)
    for now_us in range(0, SECOND, 7 * MS):
        assert brightness(lamp, 0, now_us, 0) == brightness(lamp, 0, now_us, 123456)


def check_phases_make_a_chase() -> None:
    chase = [Lamp(LAMP_BLINK, phase, 255, 40) for phase in (0, 4, 8, 12)]
    lit = []
    for quarter in range(4):
        now_us = (quarter * 200 + 100) * MS
        lit.append([brightness(lamp, 0, now_us, 0) > 0 for lamp in chase])
    assert lit == [
        [True, False, False, True],
        [True, True, False, False],
        [False, True, True, False],
        [False, False, True, True],
    ]


def check_a_breathing_lamp_goes_up_and_down() -> None:
    lamp = Lamp(LAMP_BREATHE, 0, 200, 50)
    curve = [brightness(lamp, 0, at * MS, 0) for at in range(0, 1001, 125)]
    assert curve == [0, 50, 100, 150, 200, 150, 100, 50, 0]


def check_a_fade_goes_from_what_is_shown_to_what_is_told() -> None:
    board = Board([0])
    board.lamps.tell(0, Lamp(LAMP_ON, 0, 200, 0), 0)
    board.shown(0, 0)
    board.lamps.tell(0, Lamp(LAMP_FADE, 0, 100, 50), 5 * SECOND)
    curve = [board.shown(0, 5 * SECOND + at * MS) for at in (0, 250, 500, 750, 1000, 5000)]
    assert curve == [200, 175, 150, 125, 100, 100]


def check_a_fade_without_a_period_is_done_at_once() -> None:
    assert brightness(Lamp(LAMP_FADE, 0, 100, 0), 0, 77, 77) == 100


def check_a_lamp_told_what_it_does_goes_on() -> None:
    board = Board([0])
    fade = Lamp(LAMP_FADE, 0, 200, 50)
    board.lamps.tell(0, fade, 0)
    board.shown(0, 500 * MS)
    board.lamps.tell(0, Lamp(LAMP_FADE, 0, 200, 50), 500 * MS)
    assert board.shown(0, 750 * MS) == 150


def check_lamps_that_are_out_stay_dark_and_are_taken_up_again() -> None:
    board = Board([0])
    board.lamps.tell(0, Lamp(LAMP_ON, 0, 255, 0), 0)
    board.shown(0, 0)
    board.lamps.put_out()
    assert board.duties == [0]
    assert board.shown(0, SECOND) == 0
    board.lamps.take_up()
    assert board.shown(0, 2 * SECOND) == 255
    board.lamps.forget()
    assert board.shown(0, 3 * SECOND) == 0


def flashes(shown: "list[int]") -> "list[int]":
    """Where in the list a lamp begins to rise."""
    begins = []
    has_fallen = True
    for place in range(1, len(shown)):
        if shown[place] < shown[place - 1]:
            has_fallen = True
        elif shown[place] > shown[place - 1] and has_fallen:
            begins.append(place)
            has_fallen = False
    return begins


def check_no_lamp_flashes_more_than_three_times_a_second_whatever_it_is_told() -> None:
    board = Board([0])
    shown = [0]
    for turn in range(500):
        told = Lamp(LAMP_ON, 0, 40 + 100 * (turn % 2), 0) if turn % 3 else DARK
        board.lamps.tell(0, told, turn * 20 * MS)
        shown.append(board.shown(0, turn * 20 * MS))
    begins = flashes(shown)
    assert len(begins) >= 25
    assert all(begins[index + 3] - begins[index] >= 50 for index in range(len(begins) - 3))


def check_the_fastest_blink_of_the_protocol_is_not_held_back() -> None:
    board = Board([0])
    board.lamps.tell(0, Lamp(LAMP_BLINK, 0, 255, 17), 0)
    shown = [0] + [board.shown(0, at * 20 * MS) for at in range(500)]
    assert len(flashes(shown)) == 30


def check_the_limit_lets_one_rise_go_on_and_three_begin() -> None:
    limit = FlashLimit()
    assert limit.allows(0, 10, 0)
    assert limit.allows(10, 20, 20)
    for now_ms in (100, 200):
        assert limit.allows(20, 0, now_ms)
        assert limit.allows(0, 20, now_ms + 20)
    assert limit.allows(20, 0, 300)
    assert not limit.allows(0, 20, 320)
    assert not limit.allows(0, 20, 999)
    assert limit.allows(0, 20, 1000)


def check_a_file_of_pins_names_buttons_in_the_order_of_their_lines() -> None:
    pins = read_pins(PINS)
    assert pins.names == ["a.1", "a.2", "b.1", "b.2"]
    assert pins.gpios == [0, 1, 7, 28]
    assert pins.lamp_buttons == [0, 2]
    assert pins.lamp_gpios == [16, 17]


WRONG_PINS = (
    ("", "pins.json: there is none on the device"),
    ("buttons = 3", 'pins.json: it is not JSON like {"buttons": {...}}'),
    ("[1]", 'pins.json: it is not JSON like {"buttons": {...}}'),
    ("{}", "pins.json: there is no button in it"),
    ('{"button": {"a.1": 0}}', 'pins.json: unknown "button"; buttons, lamps are known'),
    ('{"buttons": [0]}', 'pins.json: "buttons" must be {"a.1": 0, ...}'),
    ('{"buttons": {"a 1": 0}}', 'pins.json: "a 1" is no name, "a.1" is one'),
    ('{"buttons": {"": 0}}', 'pins.json: "" is no name, "a.1" is one'),
    ('{"buttons": {"a.1": 23}}', "pins.json: a.1: GPIO 23; allowed: 0-22, 26-28"),
    ('{"buttons": {"a.1": true}}', "pins.json: a.1: GPIO True; allowed: 0-22, 26-28"),
    ('{"buttons": {"a.1": "GP0"}}', "pins.json: a.1: GPIO GP0; allowed: 0-22, 26-28"),
    ('{"buttons": {"a.1": 2.0}}', "pins.json: a.1: GPIO 2.0; allowed: 0-22, 26-28"),
    ('{"buttons": {"a.1": 4, "b.1": 4}}', "pins.json: GPIO 4: a.1 and b.1"),
    ('{"buttons": {"a.1": 4}, "lamps": {"a.1": 4}}', "pins.json: GPIO 4: a.1 and a.1"),
    ('{"buttons": {"a.1": 4}, "lamps": {"b.1": 5}}', "pins.json: lamp of b.1, which is no button"),
    (
        '{"buttons": {"a.1": 4, "b.1": 6}, "lamps": {"a.1": 0, "b.1": 16}}',
        "pins.json: lamps on GPIO 0 and 16 share a PWM",
    ),
)


def error_of(text: str) -> str:
    try:
        read_pins(text)
    except PinsError as error:
        return error.text
    return "none"


def check_a_wrong_file_of_pins_is_refused_in_words() -> None:
    for text, words in WRONG_PINS:
        assert error_of(text) == words, error_of(text)


def check_whatever_is_in_the_file_its_refusal_fits_on_the_wire() -> None:
    for text in (
        '{"buttons": {"' + "x" * 99 + '": 0}}',
        '{"' + "y" * 99 + '": 0}',
        '{"buttons": {"abcdefghijklmnop": 4}, "lamps": {"abcdefghijklmnoq": 5}}',
        '{"buttons": {"abcdefghijklmnop": 4, "abcdefghijklmnoq": 4}}',
        '{"buttons": {"\\u00e4\\u0000": 1}}',
        '{"buttons": {"abcdefghijklmnop": 123456789012}}',
    ):
        words = error_of(text)
        assert words != "none"
        assert len(words) <= MOST_TEXT
        assert all(" " <= letter <= "~" for letter in words)
