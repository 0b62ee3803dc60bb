"""Races in real time: mock pins, the cabinet's real threads, and everything that gets in their way.

The busiest picture is drawn at 1920×1080 meanwhile, the other cores are kept busy by processes, and garbage is
collected by force now and then. Contacts change at planned instants and bounce; their edges carry stamps with
errors, as the kernel would have made them. A thread for each seat hands the edges to the real source when it gets
its turn, as a kernel queues each line in a thread of its own, so that the seats are delivered out of order. A race
is decided by which press the game judges first.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from threading import Event, Thread
from typing import Final

from cabinet.bench.fairness.paths import LATE_COUNTS_NS, Decision, claim_of
from cabinet.bench.fairness.races import Contact, Race
from cabinet.bench.fairness.result import LiveRaces
from cabinet.bench.fairness.tally import Counter
from cabinet.bench.fairness.timed import plan_races
from cabinet.bench.fairness.ways import CABINET
from cabinet.bench.figures import spread_ms
from cabinet.bench.running import BEFORE_PRESSES_NS, MS, NS_IN_S, RunningCabinet, running, start_presses
from cabinet.buttons.edges import Line
from cabinet.buttons.mock_board import MockBoard, MockBouncingPin
from cabinet.engine.table import SEATS, Seat

COLLECT_EVERY_S: Final = 0.2
"""How often garbage is collected by force."""
START_HELD_NS: Final = 60 * MS
LOAD: Final = """
import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
until = time.monotonic() + {seconds}
while time.monotonic() < until and os.getppid() == {parent}:
    pass
"""
"""A program that only computes. Ctrl-C is not for it; it ends with the process that has started it."""
LONGEST_LOAD_S: Final = 300
"""A process that makes load ends by itself, should nobody end it."""


class NoAnswerError(Exception):
    """Not one press was answered in real time; the text says why in one line."""


def measure(races: int, seed: int) -> LiveRaces:
    """Lets so many races be run, about 85 a second; to be called from the main thread.

    Takes three seconds more than the races do. Raises NoAnswerError when the game has failed before the first.
    """
    rng = Random(f"{seed}/live")
    board = MockBoard()
    with ExitStack() as stack:
        cabinet = stack.enter_context(running(board, rng))
        load = stack.enter_context(_other_cores_busy())
        first_ns = time.monotonic_ns() + BEFORE_PRESSES_NS
        planned = plan_races(rng, races, first_ns, board.settings.err_us * 1_000)
        hands = [stack.enter_context(_Hands(board, planned, seat, first_ns)) for seat in SEATS]
        collector = stack.enter_context(_Collector())
        frames_per_s = cabinet.draw(first_ns, lambda: not any(one.is_at_work for one in hands))
    return _sum_up(cabinet, planned, hands, frames_per_s, (collector.collections, load))


def _sum_up(
    cabinet: RunningCabinet, races: list[Race], hands: list[_Hands], frames_per_s: float, against: tuple[int, int]
) -> LiveRaces:
    counter = Counter()
    for race in races:
        counter.add(CABINET.key, race, decision(race, cabinet.signs.number, cabinet.source.late_ns))
    signs = cabinet.signs
    pressed = [(place_in_signs(one), one.closes_ns) for race in races for one in (race.a, race.b)]
    answered = [(place, closes_ns) for place, closes_ns in pressed if place in signs.published_ns]
    if not answered:
        raise NoAnswerError("No press was answered in real time, because the game failed; the log says why.")
    return LiveRaces(
        tally=counter.tally(),
        races=len(races),
        delay=spread_ms([signs.published_ns[place] - closes_ns for place, closes_ns in answered]),
        slack_ms=spread_ms([signs.slack_ns[place] for place, _ in answered]).median,
        handed_over_late=spread_ms([late_ns for one in hands for late_ns in one.late_ns]),
        frames_per_s=frames_per_s,
        collections=against[0],
        busy_processes=against[1],
    )


def place_in_signs(contact: Contact) -> tuple[Line, int]:
    """By what the sign of a press is found: its line and its stamp."""
    return contact.line, contact.stamps_ns[0]


def decision(race: Race, judged: dict[tuple[Line, int], int], late_ns: dict[tuple[Line, int], int]) -> Decision:
    """How a race was decided.

    Between presses whose stamps touch the order says nothing here: mostly nothing depends on it, and then the
    token does not pass on, and who has it is named first every time.

    `judged`: by line and stamp of each press, a number that is smaller for what was judged first. `late_ns`: by
    line and stamp of each edge that came later than promised, how long after its stamp it came.
    """
    late = {one.seat: _late_ns(one, late_ns) for one in (race.a, race.b)}
    claim = claim_of(race, late, tells_apart=race.is_told_apart)
    latest_ns = max(late.values()) if claim == "late" else 0
    a, b = (judged.get(place_in_signs(one)) for one in (race.a, race.b))
    if a is None or b is None:
        return Decision(None, claim, latest_ns)
    return Decision("a" if a < b else "b", claim, latest_ns)


def _late_ns(contact: Contact, late_ns: dict[tuple[Line, int], int]) -> int:
    """By how much the press came later than promised; 0: in time."""
    counting = [stamp_ns for stamp_ns in contact.stamps_ns if stamp_ns < contact.stamps_ns[0] + LATE_COUNTS_NS]
    return max(late_ns.get((contact.line, stamp_ns), 0) for stamp_ns in counting)


class _Hands:
    """Changes one seat's contacts from a thread of its own, each at its time and with its planned stamp."""

    def __init__(self, board: MockBoard, races: list[Race], seat: Seat, first_ns: int) -> None:
        self._pins: dict[Line, MockBouncingPin] = {
            line: board.factory.pin(number) for line, number in board.settings.pins.items()
        }
        self._changes = _starts(seat, first_ns) + _changes(races, seat)
        self._changes.sort()
        self._stopping = Event()
        self._thread = Thread(target=self._run, name=f"hands of {seat}", daemon=True)
        self.late_ns: list[int] = []

    @property
    def is_at_work(self) -> bool:
        return self._thread.is_alive()

    def __enter__(self) -> _Hands:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        for due_ns, number, stamp_ns, line in self._changes:
            left_ns = due_ns - time.monotonic_ns()
            if left_ns > 0 and self._stopping.wait(left_ns / NS_IN_S):
                return
            self._pins[line].change(number % 2 == 0, stamp_ns)
            self.late_ns.append(time.monotonic_ns() - due_ns)


_Change = tuple[int, int, int, Line]
"""When a change is handed over, its number within the press (even: the contact closes), its stamp, its line."""


def _starts(seat: Seat, first_ns: int) -> list[_Change]:
    changes = []
    for line, at_ns in start_presses(first_ns):
        if line.startswith(seat):
            opens_ns = at_ns + START_HELD_NS
            changes += [(at_ns, 0, at_ns, line), (opens_ns, 1, opens_ns, line)]
    return changes


def _changes(races: list[Race], seat: Seat) -> list[_Change]:
    contacts = [race.a if seat == "a" else race.b for race in races]
    return [
        (max(change_ns, stamp_ns), number, stamp_ns, one.line)
        for one in contacts
        for number, (change_ns, stamp_ns) in enumerate(zip(one.changes_ns, one.stamps_ns, strict=True))
    ]


class _Collector:
    """Collects garbage by force, from a thread of its own, so that it hits whatever the others do just then."""

    def __init__(self) -> None:
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="collector", daemon=True)
        self.collections = 0

    def __enter__(self) -> _Collector:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._stopping.wait(COLLECT_EVERY_S):
            gc.collect()
            self.collections += 1


@contextmanager
def _other_cores_busy() -> Iterator[int]:
    """A process that only computes for every core but one, and for one at least; how many there are."""
    count = max(1, (os.cpu_count() or 1) - 1)
    command = [sys.executable, "-c", LOAD.format(seconds=LONGEST_LOAD_S, parent=os.getpid())]
    processes = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield count
    finally:
        for process in processes:
            process.kill()
            process.wait()
