"""Two robots play whole matches through the cabinet's own input path: contacts on mock pins or a simulated bridge,
bounce and all.

Everything runs on one virtual clock, so a seed repeats the demo exactly, at any speed.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from cabinet import record
from cabinet.buttons.bounce import FAMILIES, draw_trace
from cabinet.engine.table import SEATS
from cabinet.game import FRAME_NS, GameSettings
from cabinet.kept_edges.values import Tap
from cabinet.panel import line_of
from cabinet.players.robot import SKILLS, Contact
from cabinet.players.visitor import Visitor
from cabinet.snapshot import Snapshot
from cabinet.virtual import VirtualCabinet

MICROSECOND_NS: Final = 1_000
HOLD_US: Final = 60_000
"""Where a drawn trace turns from closing to opening."""


class Demo:
    """A virtual cabinet with a visitor at each seat. Not thread-safe."""

    def __init__(
        self,
        settings: GameSettings,
        seed: int,
        keep: Callable[[record.RecordLine], None] | None = None,
        tap: Tap | None = None,
        cabinet: type[VirtualCabinet] = VirtualCabinet,
    ) -> None:
        """`seed` decides everything; `keep` is told the lines of the matches' record, `tap` what led to them.

        `cabinet` is what the robots play on: pins, or a bridge.
        """
        rng = Random(seed)
        self._count = _EndCounter(keep)
        self.cabinet = cabinet(settings, Random(rng.getrandbits(32)), keep=self._count, tap=tap)
        skill = SKILLS[settings.robot.show]
        self._visitors = [Visitor(seat, skill, Random(rng.getrandbits(32)), settings.layout) for seat in SEATS]
        self._bounce = Random(rng.getrandbits(32))
        self._releases: dict[str, list[list[int]]] = {}
        self._on_snapshot: Callable[[Snapshot], None] = lambda _: None
        self.cabinet.on_snapshot = self._see

    @property
    def matches_over(self) -> int:
        """Matches played to their end."""
        return self._count.matches

    @property
    def now_ns(self) -> int:
        """Virtual time."""
        return self.cabinet.clock.now_ns

    @property
    def latest(self) -> Snapshot:
        """The newest snapshot."""
        return self.cabinet.game.latest

    def watch(self, on_snapshot: Callable[[Snapshot], None]) -> None:
        """Calls back with each new snapshot."""
        self._on_snapshot = on_snapshot

    def run_until(self, until_ns: int) -> None:
        """Lets virtual time pass; the visitors press what they want to."""
        while self.now_ns < until_ns:
            for visitor in self._visitors:
                for contact in visitor.contacts_until(self.now_ns):
                    self._move_contact(line_of(visitor.seat, contact.button), contact)
            self.cabinet.run_until(until_ns, self._next_ns)

    def close(self) -> None:
        """Switches the cabinet off: a match in play ends without a result."""
        self.cabinet.game.close()
        self.cabinet.close()

    def _see(self, snapshot: Snapshot) -> None:
        for visitor in self._visitors:
            seen = self.cabinet.game.latest_for(visitor.seat)
            visitor.see(seen, self.now_ns + FRAME_NS)
        self._on_snapshot(snapshot)

    def _next_ns(self) -> int | None:
        times = [visitor.next_ns() for visitor in self._visitors]
        return min((time_ns for time_ns in times if time_ns is not None), default=None)

    def _move_contact(self, line: str, contact: Contact) -> None:
        """The contact bounces as drawn: the first part of a trace when it closes, the rest when it opens."""
        if contact.closed:
            trace = draw_trace(self._bounce, self._bounce.choice(FAMILIES), HOLD_US)
            changes = [change for change in trace if change[0] < HOLD_US]
            self._releases[line] = [[at - HOLD_US, closed] for at, closed in trace if at >= HOLD_US]
        else:
            changes = self._releases.pop(line, [[0, 0]])
        for at_us, closed in changes:
            self.cabinet.contacts.change(line, bool(closed), contact.at_ns + at_us * MICROSECOND_NS)


class _EndCounter:
    """Passes record lines on and counts the matches that ended."""

    def __init__(self, keep: Callable[[record.RecordLine], None] | None) -> None:
        self._keep = keep
        self.matches = 0

    def __call__(self, line: record.RecordLine) -> None:
        self.matches += isinstance(line, record.Ended)
        if self._keep is not None:
            self._keep(line)
