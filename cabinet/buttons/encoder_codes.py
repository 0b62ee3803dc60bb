"""The kernel's names of keys and axes: ``BTN_TRIGGER``, ``KEY_A``, ``ABS_X-`` for the low end of an axis.

Names and numbers are those of linux/input-event-codes.h, as far as encoders and keyboards use them; every other
key goes by its number.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from cabinet.buttons.edges import SourceError
from cabinet.buttons.encoder_contacts import EV_ABS, EV_KEY, Contact

KEY_MAX: Final = 0x2FF
ABS_MAX: Final = 0x3F

_RUNS: Final = (
    (0x001, "KEY", "ESC 1 2 3 4 5 6 7 8 9 0 MINUS EQUAL BACKSPACE TAB Q W E R T Y U I O P LEFTBRACE RIGHTBRACE"),
    (0x01C, "KEY", "ENTER LEFTCTRL A S D F G H J K L SEMICOLON APOSTROPHE GRAVE LEFTSHIFT BACKSLASH Z X C V B N"),
    (
        0x032,
        "KEY",
        "M COMMA DOT SLASH RIGHTSHIFT KPASTERISK LEFTALT SPACE CAPSLOCK F1 F2 F3 F4 F5 F6 F7 F8 F9 F10",
    ),
    (0x045, "KEY", "NUMLOCK SCROLLLOCK KP7 KP8 KP9 KPMINUS KP4 KP5 KP6 KPPLUS KP1 KP2 KP3 KP0 KPDOT"),
    (0x056, "KEY", "102ND F11 F12"),
    (
        0x060,
        "KEY",
        "KPENTER RIGHTCTRL KPSLASH SYSRQ RIGHTALT LINEFEED HOME UP PAGEUP LEFT RIGHT END DOWN PAGEDOWN",
    ),
    (0x06E, "KEY", "INSERT DELETE MACRO MUTE VOLUMEDOWN VOLUMEUP POWER KPEQUAL KPPLUSMINUS PAUSE"),
    (0x07D, "KEY", "LEFTMETA RIGHTMETA COMPOSE"),
    (0x0B7, "KEY", "F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24"),
    (0x100, "BTN", "0 1 2 3 4 5 6 7 8 9"),
    (0x110, "BTN", "LEFT RIGHT MIDDLE SIDE EXTRA FORWARD BACK TASK"),
    (0x120, "BTN", "TRIGGER THUMB THUMB2 TOP TOP2 PINKIE BASE BASE2 BASE3 BASE4 BASE5 BASE6"),
    (0x12F, "BTN", "DEAD A B C X Y Z TL TR TL2 TR2 SELECT START MODE THUMBL THUMBR"),
    (0x220, "BTN", "DPAD_UP DPAD_DOWN DPAD_LEFT DPAD_RIGHT"),
    (0x2C0, "BTN", " ".join(f"TRIGGER_HAPPY{number}" for number in range(1, 41))),
    (0x000, "ABS", "X Y Z RX RY RZ THROTTLE RUDDER WHEEL GAS BRAKE"),
    (0x010, "ABS", "HAT0X HAT0Y HAT1X HAT1Y HAT2X HAT2Y HAT3X HAT3Y"),
)
"""The first number, the kind, and the names from there on."""

_ALSO: Final = {"BTN_SOUTH": 0x130, "BTN_EAST": 0x131, "BTN_NORTH": 0x133, "BTN_WEST": 0x134}

_NUMBERS: Final = {
    f"{kind}_{name}": first + number for first, kind, names in _RUNS for number, name in enumerate(names.split())
} | _ALSO
_KEYS: Final = {
    number: name for name, number in _NUMBERS.items() if not name.startswith("ABS_") and name not in _ALSO
}
_AXES: Final = {number: name for name, number in _NUMBERS.items() if name.startswith("ABS_")}

_NUMBER: Final = re.compile(r"\d{1,4}")
_END: Final = re.compile(r"(ABS_\w+)([+-])")
_FORM: Final = "BTN_TRIGGER, KEY_A, a key's number, or an end of an axis such as ABS_X- or ABS_X+"


def code_mistake(name: str) -> str | None:
    """What is wrong with a name in the settings, in plain words; None when nothing is."""
    if _NUMBER.fullmatch(name):
        return None if int(name) <= KEY_MAX else f"{name} is no key; their numbers end at {KEY_MAX}"
    end = _END.fullmatch(name)
    bare = end[1] if end else name
    if bare in _NUMBERS and bare.startswith("ABS_") == bool(end):
        return None
    known = [*_KEYS.values(), *_ALSO, *(f"{axis}{sign}" for axis in _AXES.values() for sign in "-+")]
    near = get_close_matches(name, known, n=1)
    return f"{name!r} is no key and no end of an axis; " + (
        f"the nearest is {near[0]}" if near else f"use {_FORM}"
    )


def contact_of(name: str) -> Contact:
    """The switch that a name in the settings means. Raises SourceError with one plain line when it means none."""
    if mistake := code_mistake(name):
        raise SourceError(mistake)
    if _NUMBER.fullmatch(name):
        return Contact(EV_KEY, int(name))
    if end := _END.fullmatch(name):
        return Contact(EV_ABS, _NUMBERS[end[1]], -1 if end[2] == "-" else 1)
    return Contact(EV_KEY, _NUMBERS[name])


def name_of(contact: Contact) -> str:
    """The name of a switch for the settings. Raises KeyError for an axis without one: see `has_name`."""
    if contact.kind == EV_KEY:
        return _KEYS.get(contact.code, str(contact.code))
    return f"{_AXES[contact.code]}{'-' if contact.side < 0 else '+'}"


def has_name(contact: Contact) -> bool:
    """Whether the settings can name it: every key, and the axes of sticks and hats."""
    return contact.kind == EV_KEY or contact.code in _AXES
