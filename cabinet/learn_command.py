"""`spit-cabinet buttons --learn`: asks for each button on the terminal, and writes the settings."""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import click

from cabinet.atomic_file import write_atomically
from cabinet.buttons.encoder_device import Inputs, KernelInputs
from cabinet.learning import Learner, summary
from cabinet.listening import ENTER_KEYS, Heard, Listener
from cabinet.settings_edit import CannotEditError, Devices, encoders_as_toml, encoders_in, with_encoders

WAIT_MS: Final = 20

HOW: Final = (
    "Press each button when it is asked for. On the keyboard: ENTER goes on without it, BACKSPACE goes back, "
    "q stops here and writes what was learned, Ctrl-C leaves all as it was."
)
NO_DEVICE: Final = "no input device is plugged in (looked at /dev/input/event*)"
BEGIN: Final = "Press ENTER on the keyboard to begin."

_ENTER, _BACK, _STOP = "\r\n", "\x7f\b", "qQ"


class Keyboard(Protocol):
    """What the owner types at the terminal."""

    def typed(self) -> str:
        """All that was typed since the last time; without waiting."""


Say = Callable[[str], None]


def learn(
    listener: Listener,
    keyboard: Keyboard,
    learner: Learner,
    say: Say,
    clock_ns: Callable[[], int] = time.monotonic_ns,
) -> bool:
    """Asks until all is asked or the owner stops; whether anything was learned.

    The device on which the first ENTER is pressed is the owner's keyboard: its keys are commands, and it still
    types. All others are then heard by nobody else. From afar no device sends that ENTER, and none is left out.
    """
    say(BEGIN)
    own = _owners_keyboard(listener, keyboard, clock_ns)
    listener.take_alone(clock_ns(), but=own)
    if not listener.names:
        say("No input device is left to listen to.")
        _tell_troubles(listener, say)
        return False
    say(HOW)
    while learner.asked is not None:
        say(learner.question())
        if not _answer(listener, keyboard, learner, say, clock_ns):
            break
    return learner.learned > 0


def run(path: Path) -> int:
    """Learns the buttons and writes them into the settings file `path`; the exit status."""
    if not sys.stdin.isatty():
        click.echo("--learn asks questions: start it on a terminal", err=True)
        return 1
    inputs: Inputs = KernelInputs()
    listener = Listener(inputs)
    try:
        listener.open(time.monotonic_ns())
        if not listener.names:
            click.echo(listener.troubles[0] if listener.troubles else NO_DEVICE, err=True)
            return 1
        for device, name in listener.names.items():
            click.echo(f"{name}: {device}")
        _tell_troubles(listener, click.echo)
        learner = Learner(encoders_in(_text_of(path) or ""))
        with _terminal() as keyboard:
            has_learned = learn(listener, keyboard, learner, click.echo)
    except KeyboardInterrupt:
        click.echo("\nAll is as it was.")
        return 0
    finally:
        listener.close()
    if not has_learned:
        click.echo("Nothing was learned: all is as it was.")
        return 0
    return write(path, learner.devices(), click.echo)


def write(path: Path, devices: Devices, say: Say) -> int:
    """Puts the encoders into the settings file, or says what is to be put there; the exit status."""
    unstable = [device for device in devices if "/by-" not in device]
    for device in unstable:
        say(f"{device} has no name by its plug: if it has another number next time, its buttons are not found.")
    try:
        _write(path, devices)
    except (OSError, CannotEditError, UnicodeDecodeError) as error:
        say(f"{path} could not be changed: {_reason(error)}. Put this into it, in place of its [encoder.devices]:")
        say("")
        for line in encoders_as_toml(devices):
            say(line)
        return 1
    say(f"{path}: {summary(devices)}. Try them: spit-cabinet buttons --source encoder")
    return 0


def _answer(
    listener: Listener, keyboard: Keyboard, learner: Learner, say: Say, clock_ns: Callable[[], int]
) -> bool:
    """Waits for a press or a command; False to stop."""
    while True:
        for heard in listener.wait(WAIT_MS, clock_ns()):
            said = learner.press(heard.switch, _where(heard, listener), heard.t_ns)
            if said is not None:
                say(f"  {said}")
                return True
        _tell_troubles(listener, say)
        for key in keyboard.typed():
            if key in _STOP:
                return False
            if key in _ENTER:
                say(f"  {learner.skip()}")
                return True
            if key in _BACK:
                say(f"  {learner.back()}")
                return True


def _owners_keyboard(listener: Listener, keyboard: Keyboard, clock_ns: Callable[[], int]) -> frozenset[str]:
    pressed: set[str] = set()
    while True:
        pressed |= _with_enter(listener.wait(WAIT_MS, clock_ns()))
        if any(key in _ENTER for key in keyboard.typed()):
            pressed |= _with_enter(listener.wait(WAIT_MS, clock_ns()))
            return frozenset(pressed)


def _with_enter(heard: list[Heard]) -> set[str]:
    return {one.switch.device for one in heard if one.switch.contact.code in ENTER_KEYS}


def _where(heard: Heard, listener: Listener) -> str:
    """A name that only this device has."""
    is_one_of_several = list(listener.names.values()).count(heard.device_name) > 1
    return f"{heard.device_name} at {heard.switch.device}" if is_one_of_several else heard.device_name


def _tell_troubles(listener: Listener, say: Say) -> None:
    for trouble in listener.troubles:
        say(trouble)
    listener.troubles.clear()


def _text_of(path: Path) -> str | None:
    """None: there is no such file, or nobody can read it."""
    try:
        return path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError:
        return None


def _write(path: Path, devices: Devices) -> None:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raw = b""
    mark = "\ufeff" if raw.startswith(b"\xef\xbb\xbf") else ""
    edited = with_encoders(raw.decode("utf-8-sig"), devices)
    write_atomically(path, f"{mark}{edited}".encode())


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not saved as UTF-8"
    return getattr(error, "strerror", None) or str(error)


class _Terminal:
    """See `Keyboard`."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def typed(self) -> str:
        keys = b""
        while select.select([self._handle], [], [], 0)[0]:
            block = os.read(self._handle, 64)
            if not block:
                raise KeyboardInterrupt
            keys += block
        return keys.decode("utf-8", errors="replace")


@contextmanager
def _terminal() -> Iterator[_Terminal]:
    """The terminal, key by key and without showing them, until the end."""
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        yield _Terminal(handle)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
