"""A desk for the real program: a screen of its own, a keyboard, and the record that the program writes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final

from cabinet import record
from cabinet.buttons.edges import Line
from cabinet.buttons.keyboard import KeyboardSettings
from cabinet.engine import judge
from cabinet.engine.actions import Event, Ready, Refused, SaidReady
from cabinet.engine.match import new_match
from cabinet.engine.table import Seat
from cabinet.panel import START, Tap, line_of, place_of
from display import text

ROOT: Final = Path(__file__).parents[1]
LIMIT_S: Final = 30.0
"""For anything that takes a moment on a machine with nothing else to do."""
LOOKS_EVERY_S: Final = 0.02
BETWEEN_KEYS_S: Final = 0.05

X_KEYS: Final = {"left shift": "50", "right shift": "62"} | dict(
    zip("asdfghjkl;", map(str, range(38, 48)), strict=True)
)
"""The number that an X server gives to each key's place. By its name xdotool would press left shift with right."""


def wait_until(is_so: Callable[[], bool], what: str, limit_s: float = LIMIT_S) -> None:
    """Looks again and again; fails, saying what was waited for, when the time is up."""
    until_s = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < until_s, f"{what}: not within {limit_s:g} s"
        time.sleep(LOOKS_EVERY_S)


@contextmanager
def screen() -> Iterator[str]:
    """An X server without a monitor; gives its DISPLAY. It does not start anew when its last window closes."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x720x24", "-noreset", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        try:
            assert select.select([reader], [], [], LIMIT_S)[0], "Xvfb does not start"
            number = os.read(reader, 16).decode().strip()
            assert number, "Xvfb ended at its start"
            yield f":{number}"
        finally:
            os.close(reader)
            server.terminate()


def without_screen() -> dict[str, str]:
    """The environment, with nothing in it that leads to a screen."""
    named = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    return {name: value for name, value in os.environ.items() if name not in named}


class Program:
    """`python -m cabinet run` in a window of a screen, played on by its keys."""

    def __init__(self, display: str, directory: Path, settings: str) -> None:
        self._display = display
        self.record = directory / "record.jsonl"
        self._errors = directory / "errors.txt"
        path = directory / "settings.toml"
        path.write_text(settings, encoding="utf-8")
        options = ["--window", "--source", "keyboard", "--record", str(self.record), "--settings", str(path)]
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "cabinet", "run", *options],
                cwd=ROOT,
                env={**without_screen(), "DISPLAY": display},
                stderr=errors,
            )

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process.poll() is not None

    @property
    def errors(self) -> str:
        """All that it said."""
        return self._errors.read_text(encoding="utf-8")

    def wait_for_window(self) -> None:
        """Until its window has the keyboard. Without a window manager SDL takes it."""
        wait_until(self._has_keyboard, "the window has the keyboard")

    def _has_keyboard(self) -> bool:
        assert not self.has_ended, f"the program has ended: {self.errors}"
        return self._xdotool("getwindowfocus", "getwindowname").strip() == text.TITLE

    def tap(self, seat: Seat, taps: Sequence[Tap]) -> None:
        """Presses the keys of buttons, one after another, by events of the X server's keyboard."""
        script: list[str] = []
        for tap in taps:
            spit = key_of(line_of(seat, START))
            keys = ["key", key_of(line_of(seat, tap.button)), "sleep", str(BETWEEN_KEYS_S)]
            if tap.with_spit:
                keys = ["keydown", spit, "sleep", str(BETWEEN_KEYS_S), *keys, "keyup", spit]
            script += keys
        self._xdotool(*script)

    def press_together(self, keys: str) -> None:
        """Presses several keys at once, such as ``ctrl+q``."""
        self._xdotool("key", keys)

    def _xdotool(self, *script: str) -> str:
        environment = {**os.environ, "DISPLAY": self._display}
        done = subprocess.run(
            ["xdotool", *script], env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S
        )
        return done.stdout

    def lines(self) -> list[record.RecordLine]:
        """The record as far as it is written; empty while there is nothing whole."""
        try:
            return list(record.read(self.record))
        except record.RecordError:
            return []

    def end(self) -> int:
        """Asks it to end, as systemd does; its exit status."""
        self._process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> int:
        """Until it has ended; its exit status."""
        return self._process.wait(LIMIT_S)

    def kill(self) -> None:
        """Ends it whatever it does. May be called when it has ended."""
        self._process.kill()
        self._process.wait(LIMIT_S)


def key_of(line: Line) -> str:
    """X's number of the key that stands for a button."""
    return X_KEYS[KeyboardSettings().keys[line]]


class Referee:
    """Plays a record's presses again in the engine, and fails where the record tells of something else."""

    def __init__(self, began: record.Began) -> None:
        self.match = new_match(began.game.rules, Random(began.seed))
        assert (self.match.table, self.match.token) == (began.table, began.token)
        self._expected: deque[Event] = deque()
        self.presses = 0

    def follow(self, line: record.RecordLine) -> None:
        """The next line of the record."""
        if isinstance(line, record.Pressed):
            self.presses += 1
            self._follow_press(line)
        elif isinstance(line, record.Happened):
            self._follow_event(line.event)
        elif isinstance(line, record.Ended):
            assert (line.winner, line.a_owned, line.b_owned) == (
                self.match.winner,
                self.match.owned("a"),
                self.match.owned("b"),
            )

    def _follow_press(self, line: record.Pressed) -> None:
        place = place_of(line.button)
        assert place is not None
        assert not line.tied, "only one key was pressed at a time"
        if line.action is None:
            self._take(judge.advance(self.match, line.at_ns))
            return
        outcome = judge.press(self.match, place[0], line.action, line.at_ns)
        assert outcome.refusal == line.refusal
        self._take(outcome)

    def _follow_event(self, event: Event) -> None:
        if not self._expected and isinstance(event, SaidReady):
            self._take(judge.press(self.match, event.seat, Ready(), event.at_ns))
        elif not self._expected:
            self._take(judge.advance(self.match, event.at_ns))
        assert self._expected.popleft() == event

    def _take(self, outcome: judge.Outcome) -> None:
        self.match = outcome.match
        self._expected += [event for event in outcome.events if not isinstance(event, Refused)]
