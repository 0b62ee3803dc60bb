"""The whole cabinet on mock pins or a simulated bridge, and a virtual clock: for the demo, benchmarks and tests.

Only hardware and time are made up; contacts go through the real source, intake, game and panel.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from cabinet import pace, record
from cabinet.buttons.edges import Line, Source
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.intake import Intake
from cabinet.buttons.mock_board import MockBoard
from cabinet.buttons.settling import BUSY_AFTER_EDGE_NS
from cabinet.game import Game, GameSettings
from cabinet.kept_edges.values import Tap
from cabinet.snapshot import Snapshot
from firmware_bridge.bridge import BridgeSource, Host
from firmware_bridge.host_clocks import HostClocks
from firmware_bridge.simulator import VirtualBridge

SOURCES: Final = ("gpio",)
BRIDGE_SOURCES: Final = ("bridge",)
"""The names of the sources: of a virtual cabinet on pins, and on a bridge."""


class VirtualClock:
    """A clock that stands still until it is set."""

    def __init__(self, now_ns: int = 0) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        return self.now_ns


class Contacts(Protocol):
    """Buttons in software whose contacts are planned."""

    def change(self, line: Line, closed: bool, at_ns: int) -> None:
        """Plan a change of a contact at host time `at_ns`. Raises ValueError for a line that it does not have."""

    def next_ns(self) -> int | None:
        """When the next planned change is due; None when nothing is planned."""

    def run_until(self, now_ns: int) -> int:
        """Let happen what was planned up to host time `now_ns`; how many changes there were."""


class VirtualCabinet:
    """A cabinet whose contacts are planned on `board`, and whose time passes in `run_until`."""

    def __init__(
        self,
        settings: GameSettings,
        rng: Random,
        *,
        gpio: GpioSettings | None = None,
        keep: Callable[[record.RecordLine], None] | None = None,
        tap: Tap | None = None,
    ) -> None:
        """`rng` draws the matches, and how the contacts bounce; `keep` is told the record's lines.

        `tap` is told what the game is given.
        """
        self.clock = VirtualClock()
        self._gpio = gpio
        self.contacts, self.source = self._wire(Random(rng.getrandbits(32)))
        self.intake = Intake()
        self.game = Game(settings, [self.source], self.intake, rng, keep)
        self.on_snapshot: Callable[[Snapshot], None] = lambda _: None
        """Called with each new snapshot, at its time."""
        self._busy_until_ns = 0
        if tap is not None:
            self.game.let_tap(tap)
        self._begin()
        self.game.start(0)

    def run_until(self, until_ns: int, wanted_ns: Callable[[], int | None] = lambda: None) -> None:
        """Lets virtual time pass to `until_ns`, or to when the caller wants to act, asked at each step."""
        while self.clock.now_ns < until_ns:
            wanted = wanted_ns()
            if wanted is not None and wanted <= self.clock.now_ns:
                return
            self.step(min(until_ns, self._next_ns(wanted)))

    def step(self, now_ns: int) -> None:
        """One round of the game at `now_ns`."""
        self.clock.now_ns = now_ns
        if self.contacts.run_until(now_ns):
            self._busy_until_ns = now_ns + BUSY_AFTER_EDGE_NS
        self._read()
        snapshot = self.game.step(now_ns)
        if snapshot is not None:
            self.on_snapshot(snapshot)

    def _next_ns(self, wanted_ns: int | None) -> int:
        now_ns = self.clock.now_ns
        times = [now_ns + pace.step_ns(now_ns, self._busy_until_ns), self.contacts.next_ns(), wanted_ns]
        return max(now_ns + 1, min(time_ns for time_ns in times if time_ns is not None))

    def close(self) -> None:
        """Frees the pins."""
        self.source.close()

    def _wire(self, chance: Random) -> tuple[Contacts, Source]:
        self.board = MockBoard(self._gpio, chance)
        return self.board, GpioZeroSource(self.board.settings, self.board.factory, self.clock, SOURCES[0])

    def _begin(self) -> None:
        self.source.start(self.game.deliver)

    def _read(self) -> None:
        """Mock pins call their source themselves."""


class BridgeCabinet(VirtualCabinet):
    """The same on a bridge in software: the firmware's own code, a clock that drifts, a line that takes time."""

    def _wire(self, chance: Random) -> tuple[Contacts, Source]:
        self.device = VirtualBridge(self.clock, chance)
        host = Host(
            ports=self.device,
            clocks=HostClocks(self.clock, self.clock),
            draw=lambda: chance.getrandbits(32),
            pause=lambda _seconds: None,
        )
        self._bridge = BridgeSource(self.device.place, BRIDGE_SOURCES[0], host)
        return self.device, self._bridge

    def _begin(self) -> None:
        self._bridge.claim(self.game.deliver)

    def _read(self) -> None:
        self._bridge.round()
