"""The real program in a real window: nothing but key events goes in, and what came of them is in its record."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Final

import pytest

from cabinet import record
from cabinet.engine.actions import Move, PilesTaken, Played, RoundEnded
from cabinet.engine.table import OTHER_SEAT, SEATS, Seat
from cabinet.engine.view import view_of
from cabinet.panel import START, Tap, taps_for
from cabinet.players.tactics import sensible_actions
from tests.desk import LIMIT_S, ROOT, Program, Referee, screen, wait_until, without_screen

ONE_ROUND: Final = "[rules]\ncap_rounds = 1\n[display]\nwidth = 1024\nheight = 720\nfps_cap = 30\n"
"""One round is a match, unless both own as many cards; a small picture, so that a busy machine keeps up."""
ROUND_LIMIT_S: Final = 90.0
SPACE_RESTS_S: Final = 0.35
"""A space is no button before it has been there for 0.3 s (HOUSE.md, "The panel")."""
NO_SCREEN: Final = 3


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    for tool, package in (("Xvfb", "xvfb"), ("xdotool", "xdotool")):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed; run: sudo apt install {package}")
    with screen() as name:
        yield name


@pytest.fixture
def program(display: str, tmp_path: Path) -> Iterator[Program]:
    """The program, just started."""
    started = Program(display, tmp_path, ONE_ROUND)
    try:
        started.wait_for_window()
        yield started
    finally:
        started.kill()


def begin(program: Program) -> record.Began:
    """Both players press START until a match has begun."""
    seats = cycle(SEATS)

    def has_begun() -> bool:
        lines = program.lines()
        if not lines:
            program.tap(next(seats), [Tap(START)])
        return bool(lines)

    wait_until(has_begun, "a match has begun")
    began = program.lines()[0]
    assert isinstance(began, record.Began)
    return began


class Players:
    """Two people at the keys. They know the table from the record, which tells all that happens."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.referee = Referee(begin(program))
        self._read = 1
        self._turn: Seat = "a"

    def look(self) -> None:
        """Reads on in the record."""
        lines = self._program.lines()
        for line in lines[self._read :]:
            self.referee.follow(line)
        self._read = max(self._read, len(lines))

    def act(self) -> None:
        """Lets one of them do something, if there is anything to do, and waits until the record tells of it."""
        view = view_of(self.referee.match)
        for seat in (self._turn, OTHER_SEAT[self._turn]):
            for action in sensible_actions(view, seat)[:1]:
                if isinstance(action, Move):
                    time.sleep(SPACE_RESTS_S)
                taps = taps_for(action, seat, view)
                wanted = self.referee.presses + sum(2 if tap.with_spit else 1 for tap in taps)
                self._program.tap(seat, taps)
                wait_until(partial(self._have_pressed, wanted), f"the record tells of {action} by {seat}")
                self._turn = OTHER_SEAT[seat]
                return

    def _have_pressed(self, presses: int) -> bool:
        self.look()
        return self.referee.presses >= presses

    def play_until(self, is_so: Callable[[], bool], what: str) -> None:
        """They go on until it is so."""

        def look_and_act() -> bool:
            self.look()
            if is_so():
                return True
            self.act()
            return False

        wait_until(look_and_act, what, ROUND_LIMIT_S)


def events(lines: list[record.RecordLine]) -> list[object]:
    return [line.event for line in lines if isinstance(line, record.Happened)]


def is_settled(lines: list[record.RecordLine]) -> bool:
    return any(isinstance(event, PilesTaken) for event in events(lines))


def test_a_round_is_played_by_keys_alone(program: Program) -> None:
    Players(program).play_until(lambda: is_settled(program.lines()), "a round is played to its end")

    assert program.end() == 0
    assert program.errors == ""
    lines = list(record.read(program.record))
    began = lines[0]
    assert isinstance(began, record.Began)
    assert began.players == ("human", "human")
    referee = Referee(began)
    for line in lines[1:]:
        referee.follow(line)
    happened = events(lines)
    assert sum(isinstance(event, RoundEnded) for event in happened) == 1
    assert {event.seat for event in happened if isinstance(event, Played) and not event.by_machine} == set(SEATS)
    (end,) = [line for line in lines if isinstance(line, record.Ended)]
    if end.a_owned == end.b_owned:  # one more round (RULES.md 38), in which the program was asked to end
        assert (end.winner, end.rounds) == (None, 2)
    else:
        assert (end.winner, end.rounds) == ("a" if end.a_owned < end.b_owned else "b", 1)


def test_a_request_to_end_amid_a_match_leaves_a_whole_record(program: Program) -> None:
    players = Players(program)
    players.play_until(lambda: players.referee.presses > 0, "somebody has pressed")

    assert program.end() == 0
    assert program.errors == ""
    assert program.record.read_bytes().endswith(b"\n")
    lines = list(record.read(program.record))
    assert sum(isinstance(line, record.Pressed) for line in lines) == players.referee.presses


def test_control_q_closes_the_window_and_ends_the_program(program: Program) -> None:
    def has_closed() -> bool:
        program.press_together("ctrl+q")
        return program.has_ended

    wait_until(has_closed, "the program has ended")
    assert program.wait() == 0
    assert program.errors == ""


def test_without_a_screen_one_line_says_so(tmp_path: Path) -> None:
    has_card = any(Path("/dev/dri").glob("card*"))
    settings = tmp_path / "settings.toml"
    settings.write_text('[display]\ndriver = "x11"\n' if has_card else "", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "cabinet", "run", "--source", "keyboard", "--settings", str(settings)],
        cwd=ROOT,
        env=without_screen(),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == NO_SCREEN
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "no screen" in done.stderr
    assert "Traceback" not in done.stderr
