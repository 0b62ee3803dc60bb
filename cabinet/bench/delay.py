"""From a pin's change to the published snapshot, in real time, while the main thread draws the busiest picture.

Contacts close on mock pins at random instants that are planned beforehand. The thread that changes the pins, and
stamps the changes, stands where lgpio's has its place; how late it comes to that is told apart. From there on all
is the cabinet's own: source, game thread and window. Contacts do not bounce here: a bounce whose edges are held up
by other threads is another bounce.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Final

import msgspec

from cabinet.bench.figures import Spread, in_ms, spread_ms
from cabinet.bench.running import BEFORE_PRESSES_NS, LINES, MS, NS_IN_S, Signs, running, start_presses
from cabinet.buttons.edges import Line
from cabinet.buttons.mock_board import MockBoard

APART_NS: Final = (8 * MS, 16 * MS)
"""Between two presses. Twelve lines in turn: each has opened and rested long before it closes again."""
HOLD_NS: Final = 60 * MS


class Change(msgspec.Struct, frozen=True, order=True):
    """A contact that is to change."""

    at_ns: int
    """Host time."""
    line: Line
    closes: bool
    is_measured: bool = False
    """Whether it is a press whose answer is waited for."""


class DecisionDelay(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of the way from a contact to the snapshot with its sign."""

    delay: Spread
    """Since the contact closed."""
    beyond_slack: Spread
    """The same less the source's slack at that time."""
    slack_ms: float
    """How far the source's watermark stayed behind the present; the median over the presses."""
    presses: int
    presses_unanswered: int
    """Presses whose sign was in no snapshot."""
    frames_per_s: float
    """Drawn meanwhile."""
    processor_wait_ms: float | None
    """For how long in all the window's and the game's threads were ready to run but had no processor: the work of
    other programs, which the delays contain. None where the kernel does not tell."""
    reader_late: Spread
    """How much later than planned the thread that stands for lgpio's had its turn; on a Pi the kernel stamps the
    edge before that, and the source's slack follows it."""


def measure(*, presses: int = 1_100, rng: Random | None = None) -> DecisionDelay:
    """Makes so many presses, twelve milliseconds apart; to be called from the main thread.

    Takes three seconds more than the presses do.
    """
    rng = rng or Random(1)
    board = MockBoard()
    with running(board, rng) as cabinet:
        first_ns = time.monotonic_ns() + BEFORE_PRESSES_NS
        pins = ContactThread(_on(board), plan(first_ns, presses, rng))
        pins.start()
        waits_ns = processor_waits_ns()
        try:
            frames_per_s = cabinet.draw(first_ns, lambda: not pins.is_at_work)
            wait_ns = added_ns(waits_ns, processor_waits_ns())
        finally:
            pins.stop()
    return _sum_up(presses, pins, cabinet.signs, frames_per_s, wait_ns)


def plan(first_ns: int, presses: int, rng: Random) -> list[Change]:
    """The STARTs, then the presses from host time `first_ns` on; all changes in order of time."""
    changes = []
    for line, at_ns in start_presses(first_ns):
        changes += _press(line, at_ns, is_measured=False)
    at_ns = first_ns
    for number in range(presses):
        changes += _press(LINES[number % len(LINES)], at_ns, is_measured=True)
        at_ns += rng.randrange(*APART_NS)
    return sorted(changes)


def _press(line: Line, at_ns: int, *, is_measured: bool) -> list[Change]:
    closing = Change(at_ns, line, closes=True, is_measured=is_measured)
    return [closing, Change(at_ns + HOLD_NS, line, closes=False)]


def _sum_up(
    presses: int, pins: ContactThread, signs: Signs, frames_per_s: float, wait_ns: int | None
) -> DecisionDelay:
    answered = [stamp for stamp in pins.stamps if stamp in signs.published_ns]
    delays_ns = [signs.published_ns[stamp] - stamp[1] for stamp in answered]
    slacks_ns = [signs.slack_ns[stamp] for stamp in answered]
    beyond_ns = [delay_ns - slack_ns for delay_ns, slack_ns in zip(delays_ns, slacks_ns, strict=True)]
    return DecisionDelay(
        delay=spread_ms(delays_ns),
        beyond_slack=spread_ms(beyond_ns),
        slack_ms=spread_ms(slacks_ns).median,
        presses=presses,
        presses_unanswered=presses - len(answered),
        frames_per_s=frames_per_s,
        processor_wait_ms=None if wait_ns is None else in_ms(wait_ns),
        reader_late=spread_ms(pins.late_ns),
    )


def processor_waits_ns() -> dict[str, int]:
    """For how long each thread of this process was ready to run but had no processor; empty if nobody tells."""
    waits = {}
    for path in Path("/proc/self/task").glob("*/schedstat"):
        try:
            waits[path.parent.name] = int(path.read_text(encoding="ascii").split()[1])
        except OSError:  # this thread has just ended
            continue
    return waits


def added_ns(before: dict[str, int], after: dict[str, int]) -> int | None:
    """What the threads that lived all the time have waited in between; None when there is none."""
    lived = before.keys() & after.keys()
    return sum(after[thread] - before[thread] for thread in lived) if lived else None


def _on(board: MockBoard) -> Callable[[Line, bool, int], None]:
    def move(line: Line, closes: bool, now_ns: int) -> None:
        board.change(line, closes, now_ns)
        board.run_until(now_ns)

    return move


class ContactThread:
    """Changes contacts when their time has come, and stamps each change as it makes it.

    When it had its turn late, all that is to come is put off, so that no press gets shorter than it was planned.
    """

    def __init__(self, move: Callable[[Line, bool, int], None], changes: list[Change]) -> None:
        """`move` changes a contact at a host time, which is now; it is called from the thread."""
        self._move = move
        self._changes = changes
        self._put_off_ns = 0
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="pins", daemon=True)
        self.stamps: list[tuple[Line, int]] = []
        """Line and stamp of each press that is measured."""
        self.late_ns: list[int] = []

        """How much later than planned it had its turn, of each of them."""

    @property
    def is_at_work(self) -> bool:
        """Whether a change is still to come."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Ends, whatever is still to come."""
        self._stopping.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        for change in self._changes:
            due_ns = change.at_ns + self._put_off_ns
            left_ns = due_ns - time.monotonic_ns()
            if left_ns > 0:
                time.sleep(left_ns / NS_IN_S)
            if self._stopping.is_set():
                return
            self._make(change, due_ns)

    def _make(self, change: Change, due_ns: int) -> None:
        now_ns = time.monotonic_ns()
        self._move(change.line, change.closes, now_ns)
        self._put_off_ns += now_ns - due_ns
        if change.is_measured:
            self.stamps.append((change.line, now_ns))
            self.late_ns.append(now_ns - due_ns)
