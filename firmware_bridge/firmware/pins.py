"""Which line is which button, and where the lamps are: pins.json on the device."""

import json

FILE_NAME = "pins.json"

USABLE = tuple(range(23)) + (26, 27, 28)  # noqa: RUF005 (MicroPython knows no star here)
"""The lines on the edge of a Pico; the others serve the board itself."""

MOST_TEXT = 54
"""Letters of an Error on the wire."""

NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789._-"
MOST_NAME = 16


class PinsError(ValueError):
    """The file is wrong; the text says what was found, in at most MOST_TEXT letters."""

    def __init__(self, text: str) -> None:
        self.text = (FILE_NAME + ": " + plain(text))[:MOST_TEXT]
        super().__init__(self.text)


class Pins:
    """Buttons in the order of their lines, and lamps by button."""

    def __init__(self, buttons: "dict[str, int]", lamps: "dict[str, int]") -> None:
        self.names = sorted(buttons, key=lambda name: buttons[name])
        self.gpios = [buttons[name] for name in self.names]
        self.lamp_buttons = [number for number, name in enumerate(self.names) if name in lamps]
        self.lamp_gpios = [lamps[self.names[number]] for number in self.lamp_buttons]


def read_pins(text: str) -> Pins:
    """What the file says. Raises PinsError."""
    if not text.strip():
        raise PinsError("there is none on the device")
    content = _content(text)
    if not isinstance(content, dict):
        raise PinsError('it is not JSON like {"buttons": {...}}')
    for key in content:
        if key not in ("buttons", "lamps"):
            raise PinsError('unknown "' + key + '"; buttons, lamps are known')
    buttons = _table(content, "buttons")
    lamps = _table(content, "lamps")
    if not buttons:
        raise PinsError("there is no button in it")
    _check(buttons, lamps)
    return Pins(buttons, lamps)


def plain(text: str) -> str:
    """The text in printable ASCII, as the wire wants it."""
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text)


def _content(text: str) -> object:
    """What the JSON says; None when it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _table(content: "dict[str, object]", key: str) -> "dict[str, int]":
    table = content.get(key, {})
    if not isinstance(table, dict):
        raise PinsError('"' + key + '" must be {"a.1": 0, ...}')
    for name, gpio in table.items():
        if not name or len(name) > MOST_NAME or any(letter not in NAME_LETTERS for letter in name):
            raise PinsError('"' + name[:MOST_NAME] + '" is no name, "a.1" is one')
        if type(gpio) is not int or gpio not in USABLE:
            raise PinsError(name + ": GPIO " + str(gpio)[:6] + "; allowed: 0-22, 26-28")
    return table


def _check(buttons: "dict[str, int]", lamps: "dict[str, int]") -> None:
    for name in lamps:
        if name not in buttons:
            raise PinsError("lamp of " + name + ", which is no button")
    taken: dict[int, str] = {}
    for table in (buttons, lamps):
        for name in sorted(table):
            gpio = table[name]
            if gpio in taken:
                raise PinsError("GPIO " + str(gpio) + ": " + taken[gpio] + " and " + name)
            taken[gpio] = name
    for gpio in lamps.values():
        if gpio >= 16 and gpio - 16 in lamps.values():
            raise PinsError("lamps on GPIO " + str(gpio - 16) + " and " + str(gpio) + " share a PWM")
