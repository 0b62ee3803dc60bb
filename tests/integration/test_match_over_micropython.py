"""A whole match, in real time, over the firmware's own code: a real `micropython` on a pseudo terminal.

Two players see snapshots and move contacts of the device, bounce and all. What it stamps goes through pyserial,
the bridge's thread and the cabinet's game thread, and what its lamps are told goes the other way.
"""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from random import Random

import msgspec
import pytest

from cabinet import keeping, record
from cabinet.buttons.bounce import FAMILIES, draw_trace
from cabinet.buttons.edges import Edge, Line, Press, SourceStatus
from cabinet.buttons.intake import Intake, Taken
from cabinet.buttons.lamp_state import DARK, LampState
from cabinet.engine.games import Game as RulesOfGame
from cabinet.engine.rules import rules_from_options
from cabinet.engine.table import SEATS
from cabinet.game import FRAME_NS, Game, GameSettings
from cabinet.panel import line_of
from cabinet.players.hands import is_robot_line
from cabinet.players.robot import Contact, Skill
from cabinet.players.visitor import Visitor
from cabinet.snapshot import Snapshot
from cabinet.workers import GameThread
from firmware_bridge.bridge import BridgeSource
from firmware_bridge.firmware.lamps import duty_of
from firmware_bridge.firmware.pins import read_pins
from firmware_bridge.port import Place
from firmware_bridge.simulator import usual_pins
from tests.micropython import ROOT, micropython

MS = 1_000_000
S = 1_000 * MS
LIMIT_NS = 90 * S
AFTERWARDS_NS = 2 * S
"""Long enough for the last release, and for the lamps of the result."""
AHEAD_NS = 5 * MS
"""How long before it happens the device is told of a contact."""
LOOKS_EVERY_S = 0.002
HOLD_US = 60_000
"""Where a drawn trace turns from closing to opening."""
SEEN_NS = 1_000 * MS
"""What a lamp was told for so long it has done: a link that is silent for so long is lost."""
TRIES = 3
"""On a computer so busy that the link is lost the match is played again."""
NIMBLE = Skill(reaction_ms=320, spread=0.3, form=0.3, slap_ms=300, misreads=0.03, miscounts=0.1)
GAME = RulesOfGame("one round", rules_from_options("spit", "arcade", {"cap_rounds": 1}))
SETTINGS = GameSettings(games=(GAME,))
PINS = read_pins(usual_pins())
GPIOS = dict(zip(PINS.names, PINS.gpios, strict=True))
LAMPS = [PINS.names[button] for button in PINS.lamp_buttons]


class Moved(msgspec.Struct, frozen=True):
    """One movement of a contact, with its bounce."""

    line: Line
    changes: tuple[tuple[int, bool], ...]
    """Each change: the microsecond of the host's clock, and whether it closes."""

    @property
    def is_press(self) -> bool:
        """Whether it is closed in the end; the first change is when."""
        return self.changes[-1][1]


class Device:
    """The firmware in a process of its own, its contacts and its lamps."""

    def __init__(self, folder: Path) -> None:
        pins, contacts, lamps = folder / "pins.json", folder / "contacts", folder / "lamps"
        pins.write_text(usual_pins(), encoding="utf-8")
        os.mkfifo(contacts)
        os.mkfifo(lamps)
        self._contacts = os.open(contacts, os.O_RDWR)
        self._lamps = os.open(lamps, os.O_RDWR | os.O_NONBLOCK)
        line, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        script = str(ROOT / "tests/firmware_in_play.py")
        self.process = subprocess.Popen(
            [micropython(), script, str(pins), str(contacts), str(lamps)],
            stdin=line,
            stdout=line,
            env={**os.environ, "MICROPYPATH": str(ROOT)},
        )
        os.close(line)
        self._releases: dict[Line, list[tuple[int, bool]]] = {}
        self.moved: list[Moved] = []
        self.lit: list[tuple[int, Line, int]] = []
        """When the host heard it, lamp, and the upper half of its duty cycle."""

    def move(self, line: Line, contact: Contact, chance: Random) -> None:
        """In a moment, with its bounce."""
        if contact.closed:
            trace = [(us, bool(closed)) for us, closed in draw_trace(chance, chance.choice(FAMILIES), HOLD_US)]
            self._releases[line] = [(us - HOLD_US, closed) for us, closed in trace if us >= HOLD_US]
            changes = [change for change in trace if change[0] < HOLD_US]
        else:
            changes = self._releases.pop(line)
        begins_us = (time.monotonic_ns() + AHEAD_NS) // 1_000
        moved = Moved(line, tuple((begins_us + us, closed) for us, closed in changes))
        self.moved.append(moved)
        told = [bytes((GPIOS[line], closed)) + at_us.to_bytes(8, "little") for at_us, closed in moved.changes]
        os.write(self._contacts, b"".join(told))

    def is_down(self, line: Line) -> bool:
        return line in self._releases

    def look_at_lamps(self) -> None:
        while select.select([self._lamps], [], [], 0)[0]:
            place, duty = os.read(self._lamps, 2)
            self.lit.append((time.monotonic_ns(), LAMPS[place], duty))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for end in (self._contacts, self._lamps, self._slave):
            os.close(end)


class HeardIntake(Intake):
    """Notes what buttons have pressed, in the order in which it is decided."""

    def __init__(self) -> None:
        super().__init__()
        self.presses: list[Press] = []

    def take(self, edges: Iterable[Edge], statuses: Iterable[SourceStatus], now_ns: int) -> Taken:
        taken = super().take(edges, statuses, now_ns)
        self.presses += [press for one in taken.clusters for press in one if not is_robot_line(press.line)]
        return taken


class Played(msgspec.Struct, frozen=True):
    """What came of it all."""

    record: Path
    edges: list[Edge]
    """As the bridge has delivered them."""
    presses: list[Press]
    moved: list[Moved]
    lit: list[tuple[int, Line, int]]
    shown: list[tuple[int, dict[Line, LampState]]]
    """What the lamps were told, and from when on."""
    scenes: list[str]
    losses: int
    ended_ns: int


class Match:
    """A cabinet with the device, and two visitors. The bridge and the game have their threads."""

    def __init__(self, device: Device, record_path: Path, closing: ExitStack) -> None:
        self._device = device
        self._source = BridgeSource(Place(path=device.path))
        self._chance = Random(5)
        self.intake = HeardIntake()
        self.edges: list[Edge] = []
        self.shown: list[tuple[int, dict[Line, LampState]]] = []
        self.scenes: list[str] = []
        self.was_lost = False
        self._visitors = [Visitor(seat, NIMBLE, Random(seat)) for seat in SEATS]
        keep = keeping.keep_matches(record_path, closing, _no_trouble)
        self._game = Game(SETTINGS, [self._source], self.intake, Random(7), keep)
        run = keeping.run_of(SETTINGS, [self._source.name])
        kept = record_path.with_name(f"{record_path.name}.edges")
        self._game.let_tap(keeping.keep_edges(kept, run, closing, _no_trouble))
        self._thread = GameThread(self._game, time.monotonic_ns, self._see)

    def play(self) -> None:
        self._source.start(self._deliver)
        self._thread.start()
        try:
            self._until(lambda: self._source.status(0).is_live, "the bridge is live", plays=False)
            self._until(lambda: self._game.latest.scene == "result", "the match is over", plays=True)
            over_ns = time.monotonic_ns()
            self._until(lambda: time.monotonic_ns() > over_ns + AFTERWARDS_NS, "all is at rest", plays=False)
            self.losses = self._source.status(0).losses
        finally:
            assert self._thread.stop()
            self._game.close()
            self._source.close()

    def _until(self, is_enough: Callable[[], bool], what: str, *, plays: bool) -> None:
        deadline_ns = time.monotonic_ns() + LIMIT_NS
        while not is_enough():
            assert time.monotonic_ns() < deadline_ns, f"not in time: {what}; {self._source.status(0)}"
            assert not self._thread.has_failed
            for visitor in self._visitors:
                if plays:
                    visitor.see(self._game.latest_for(visitor.seat), time.monotonic_ns() + FRAME_NS)
                for contact in visitor.contacts_until(time.monotonic_ns()):
                    line = line_of(visitor.seat, contact.button)
                    if plays or self._device.is_down(line):
                        self._device.move(line, contact, self._chance)
            self.was_lost |= plays and not self._source.status(0).is_live
            self._device.look_at_lamps()
            time.sleep(LOOKS_EVERY_S)

    def _deliver(self, edge: Edge) -> None:
        self.edges.append(edge)
        self._game.deliver(edge)

    def _see(self, snapshot: Snapshot) -> None:
        lamps = dict(snapshot.lamps)
        if self.scenes[-1:] != [snapshot.scene]:
            self.scenes.append(snapshot.scene)
        if not self.shown or self.shown[-1][1] != lamps:
            self.shown.append((time.monotonic_ns(), lamps))
            self._source.set(lamps)


def _no_trouble(key: str, text: str | None) -> None:
    assert text is None, f"{key}: {text}"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    for _ in range(TRIES):
        folder = tmp_path_factory.mktemp("match")
        device = Device(folder)
        try:
            with ExitStack() as closing:
                match = Match(device, folder / "matches", closing)
                match.play()
            assert device.process.poll() is None
        finally:
            device.close()
        if not match.was_lost:
            break
    return Played(
        record=folder / "matches",
        edges=match.edges,
        presses=match.intake.presses,
        moved=device.moved,
        lit=device.lit,
        shown=match.shown,
        scenes=match.scenes,
        losses=match.losses,
        ended_ns=time.monotonic_ns(),
    )


def test_it_is_played_to_its_end(played: Played) -> None:
    assert played.scenes == ["attract", "lobby", "match", "result"]
    began, *_, ended = [
        line for line in record.read(played.record) if isinstance(line, record.Began | record.Ended)
    ]
    assert isinstance(began, record.Began)
    assert isinstance(ended, record.Ended)
    assert (began.players, ended.winner in SEATS) == (("human", "human"), True)


def test_every_contact_that_closed_is_one_press_and_there_is_no_other(played: Played) -> None:
    made = in_order(played)
    assert [press.line for press in played.presses] == [one.line for one in made]
    assert len(made) > 25
    assert {one.line[0] for one in made} == set(SEATS)
    assert played.losses == 0


def test_presses_are_decided_in_the_order_of_their_stamps_which_are_those_of_the_contacts(played: Played) -> None:
    stamps_ns = [press.t_ns for press in played.presses]
    assert stamps_ns == sorted(stamps_ns)
    for one, press in zip(in_order(played), played.presses, strict=True):
        assert abs(press.t_ns - 1_000 * one.changes[0][0]) <= press.err_ns + press.map_err_ns


def test_every_edge_has_the_microsecond_of_its_contact_whatever_the_link_and_the_computer_do(
    played: Played,
) -> None:
    """Of a bounce that a silence of the link has cut in two the rest is left out; that is rare."""
    assert {(edge.clock, edge.err_ns, edge.made_up) for edge in played.edges} == {("bridge 1", 1_000, False)}
    assert len(played.edges) > 2 * len(played.moved), "contacts bounce"
    begins_us = played.edges[0].t_ns // 1_000 - min(one.changes[0][0] for one in played.moved)
    happened = {(one.line, at_us, closed) for one in played.moved for at_us, closed in one.changes}
    told = [(edge.line, edge.t_ns // 1_000 - begins_us, edge.active) for edge in played.edges]
    assert len(told) == len(set(told))
    assert set(told) <= happened
    assert {(one.line, *one.changes[0]) for one in played.moved if one.is_press} <= set(told)


def in_order(played: Played) -> list[Moved]:
    """The presses as they were made."""
    return sorted((one for one in played.moved if one.is_press), key=lambda one: one.changes[0])


def test_record_and_edges_come_out_the_same_when_they_are_played_again(played: Played) -> None:
    for path in (played.record, f"{played.record}.edges"):
        command = [sys.executable, "-m", "cabinet", "replay", str(path), "--check"]
        checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")
        assert "1 match" in checked.stdout
        assert "equal" in checked.stdout


def test_the_lamps_are_as_the_game_has_told(played: Played) -> None:
    """The device did what it was told for a second; nothing was lit that nobody had told."""
    told_lit = {line for _, lamps in played.shown for line, state in lamps.items() if state.mode != "off"}
    assert {line for _, line, duty in played.lit if duty} == told_lit & set(LAMPS) == set(LAMPS)
    checked = 0
    for line in LAMPS:
        for from_ns, to_ns, state in _steady(played, line):
            if to_ns - from_ns >= SEEN_NS and state.mode in ("off", "on"):
                duty = duty_of(state.brightness) >> 8 if state.mode == "on" else 0
                assert _duty_at(played, line, to_ns) == duty, f"{line}: {state}"
                checked += 1
    assert checked > 12


def _steady(played: Played, line: Line) -> Iterator[tuple[int, int, LampState]]:
    """From when to when a lamp was told the same."""
    told = [(at_ns, lamps.get(line, DARK)) for at_ns, lamps in played.shown]
    changed = [told[0], *(now for before, now in pairwise(told) if now[1] != before[1])]
    ends_ns = [*(at_ns for at_ns, _ in changed[1:]), played.ended_ns]
    yield from ((at_ns, end_ns, state) for (at_ns, state), end_ns in zip(changed, ends_ns, strict=True))


def _duty_at(played: Played, line: Line, at_ns: int) -> int:
    return next((duty for lit_ns, lit, duty in reversed(played.lit) if lit == line and lit_ns < at_ns), 0)
