"""A whole match on mock pins: every bounce of every contact goes in, and no bounce changes anything.

Two made-up players look at the published views only and press by moving contacts, through the product's own
source, intake, panel, game loop and engine, in virtual time.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final

import msgspec
import pytest

from cabinet import record
from cabinet.buttons.debounce import LineCounters
from cabinet.engine.table import OTHER_SEAT, SEATS, Seat
from cabinet.game import GameSettings
from cabinet.panel import START, STOCK_BUTTONS, Tap, line_of, taps_for
from cabinet.players.tactics import sensible_actions
from cabinet.snapshot import Snapshot
from cabinet.virtual import VirtualCabinet
from tests.contacts import HOLDING, MS, PRESSES, SPIKES, Finger, fingers_for, move

SEED: Final = 7
FIRST_LOOK_NS: Final = 1_000 * MS
LOOKS_EVERY_NS: Final = 10 * MS
LIMIT_NS: Final = 20 * 60_000 * MS
AFTERWARDS_NS: Final = 1_000 * MS
"""Long enough for what was decided on before the end."""


class Player:
    """Somebody at one seat, who sees snapshots only; now and then a finger lands on a wrong button."""

    def __init__(self, seat: Seat, rng: Random) -> None:
        self.seat = seat
        self._rng = rng
        self._free_ns = FIRST_LOOK_NS

    def look(self, snapshot: Snapshot, now_ns: int) -> list[Finger]:
        """What the fingers will do after this look; empty: nothing yet."""
        if now_ns < self._free_ns:
            return []
        taps = self._taps(snapshot)
        if not taps:
            return []
        at_ns = now_ns + self._rng.randrange(100 * MS, 250 * MS)
        fingers = fingers_for(taps, self.seat, at_ns)
        self._free_ns = fingers[-1].at_ns + self._rng.randrange(200 * MS, 500 * MS)
        return fingers

    def _taps(self, snapshot: Snapshot) -> tuple[Tap, ...]:
        if snapshot.scene == "match" and snapshot.view is not None:
            if snapshot.view.phase == "play" and self._rng.random() < 0.05:
                return (Tap(self._rng.choice(STOCK_BUTTONS)),)
            actions = sensible_actions(snapshot.view, self.seat)
            return taps_for(actions[0], self.seat, snapshot.view) if actions else ()
        return (Tap(START),) if self._is_wanted_in_lobby(snapshot) else ()

    def _is_wanted_in_lobby(self, snapshot: Snapshot) -> bool:
        own, other = snapshot.seat(self.seat), snapshot.seat(OTHER_SEAT[self.seat])
        is_outside = snapshot.scene in ("attract", "lobby")
        return is_outside and (own.player == "nobody" or (other.player == "human" and not own.is_ready))


class Told(msgspec.Struct, frozen=True):
    """What a run of the cabinet told, and what was done to it."""

    record: bytes
    scenes: tuple[str, ...]
    """Each scene that was published, in order, repeats left out."""
    counters: tuple[LineCounters, ...]
    fingers: tuple[Finger, ...]
    ended_ns: int


class Run:
    """One cabinet from its start on."""

    def __init__(self) -> None:
        self.cabinet = VirtualCabinet(GameSettings(), Random(SEED), keep=self._keep)
        self.cabinet.on_snapshot = self._see
        self._lines: list[record.RecordLine] = []
        self._scenes: list[str] = []

    def _keep(self, line: record.RecordLine) -> None:
        self._lines.append(line)

    def _see(self, snapshot: Snapshot) -> None:
        if self._scenes[-1:] != [snapshot.scene]:
            self._scenes.append(snapshot.scene)

    def told(self, fingers: list[Finger]) -> Told:
        return Told(
            record=record.as_bytes(self._lines),
            scenes=tuple(self._scenes),
            counters=self.cabinet.intake.counters(),
            fingers=tuple(fingers),
            ended_ns=self.cabinet.clock.now_ns,
        )


class BouncingContacts:
    """Presses take turns with the traces; at every second one another line picks up spikes."""

    def __init__(self, cabinet: VirtualCabinet, rng: Random) -> None:
        self._board = cabinet.board
        self._rng = rng
        self._count = 0

    def touch(self, fingers: list[Finger]) -> None:
        for finger in fingers:
            traces = HOLDING if finger.is_held else PRESSES
            move(self._board, finger.line, finger.at_ns, traces[self._count % len(traces)])
            self._count += 1
            if self._count % 2:
                self._pick_up_spikes(finger, {one.line for one in fingers})

    def _pick_up_spikes(self, finger: Finger, busy: set[str]) -> None:
        seat: Seat = "a" if finger.line.startswith("a.") else "b"
        own = {line_of(seat, button) for button in (*STOCK_BUTTONS, START)}
        idle = [*sorted(own - busy), "coin", "service"]
        at_ns = finger.at_ns + self._rng.randrange(-2 * MS, 2 * MS)
        move(self._board, self._rng.choice(idle), at_ns, self._rng.choice(SPIKES))


def played_with_bounce() -> Told:
    """The players play from attract to the end of a match."""
    run = Run()
    cabinet = run.cabinet
    players = [Player(seat, Random(SEED + number)) for number, seat in enumerate(SEATS)]
    contacts = BouncingContacts(cabinet, Random(SEED))
    pressed: list[Finger] = []
    while cabinet.game.latest.scene != "result":
        now_ns = cabinet.clock.now_ns
        assert now_ns < LIMIT_NS, "the match does not end"
        for player in players:
            fingers = player.look(cabinet.game.latest, now_ns)
            contacts.touch(fingers)
            pressed += fingers
        cabinet.run_until(now_ns + LOOKS_EVERY_NS)
    cabinet.run_until(cabinet.clock.now_ns + AFTERWARDS_NS)
    cabinet.close()
    return run.told(pressed)


def played_again_without_bounce(told: Told) -> Told:
    """The same presses again, by contacts that close once and open once, and no spikes."""
    run = Run()
    for finger in told.fingers:
        move(run.cabinet.board, finger.line, finger.at_ns, "clean")
    run.cabinet.run_until(told.ended_ns)
    run.cabinet.close()
    return run.told(list(told.fingers))


@pytest.fixture(scope="module")
def bouncing() -> Told:
    return played_with_bounce()


@pytest.fixture(scope="module")
def clean(bouncing: Told) -> Told:
    return played_again_without_bounce(bouncing)


def of_fingers(told: Told) -> list[LineCounters]:
    """What the seats' own buttons have done; the robots behind the title have lines of their own."""
    touched = {finger.line for finger in told.fingers}
    return [line for line in told.counters if line.line in touched]


def presses_by_line(told: Told) -> dict[str, int]:
    return dict(Counter(finger.line for finger in told.fingers))


def test_the_cabinet_goes_from_attract_through_the_lobby_and_a_match_to_its_result(bouncing: Told) -> None:
    assert bouncing.scenes == ("attract", "lobby", "match", "result")


def test_contacts_bounce_more_than_they_press(bouncing: Told) -> None:
    edges = sum(line.raw_edges for line in of_fingers(bouncing))
    presses = sum(line.presses for line in of_fingers(bouncing))
    assert presses > 100
    assert edges > 2 * presses
    assert sum(line.spikes for line in bouncing.counters) > presses // 4


def test_every_touch_is_one_press_and_every_spike_is_none(bouncing: Told) -> None:
    assert {line.line: line.presses for line in of_fingers(bouncing)} == presses_by_line(bouncing)
    assert {line.line: line.presses for line in bouncing.counters if line.line in ("coin", "service")} == {
        "coin": 0,
        "service": 0,
    }


def test_the_record_begins_with_two_people_and_ends_with_a_winner(bouncing: Told) -> None:
    lines = bouncing.record.splitlines()
    began = msgspec.json.decode(lines[1])
    (ended,) = [line for text in lines if (line := msgspec.json.decode(text)).get("line") == "ended"]
    assert (began["line"], began["players"]) == ("began", ["human", "human"])
    assert (ended["line"], ended["a_owned"] + ended["b_owned"]) == ("ended", 52)
    assert ended["winner"] == ("a" if ended["a_owned"] < ended["b_owned"] else "b")


def test_the_same_presses_without_bounce_give_the_same_record_byte_for_byte(bouncing: Told, clean: Told) -> None:
    assert sum(line.raw_edges for line in of_fingers(clean)) == 2 * len(clean.fingers)
    assert clean.record.splitlines() == bouncing.record.splitlines()
    assert clean.record == bouncing.record
