"""A cabinet with bridges in virtual time: sources, intake, and what comes of them."""

from __future__ import annotations

from random import Random

from cabinet.buttons.edges import Edge, Press, SourceStatus
from cabinet.buttons.intake import Intake, Taken
from firmware_bridge.bridge import BridgeSource, Host
from firmware_bridge.host_clocks import HostClocks
from firmware_bridge.simulated_line import Faults
from firmware_bridge.simulator import VirtualBridge

MS = 1_000_000
START_NS = 1_000 * MS


class VirtualClock:
    """A clock that stands still until it is set."""

    def __init__(self, now_ns: int) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        return self.now_ns


class Seat:
    """One device and its source."""

    def __init__(self, clock: VirtualClock, chance: Random, name: str, faults: Faults, ppm: float) -> None:
        self.device = VirtualBridge(clock, chance, faults=faults, ppm=ppm)
        host = Host(
            ports=self.device,
            clocks=HostClocks(clock, clock),
            draw=lambda: chance.getrandbits(32),
            pause=lambda _seconds: None,
        )
        self.source = BridgeSource(self.device.place, name, host)
        self.edges: list[Edge] = []
        self.fresh: list[Edge] = []
        self.source.claim(self.fresh.append)


class BridgeDesk:
    """Time passes in steps of a millisecond, as the reader and the game would run."""

    def __init__(
        self,
        seed: int = 1,
        *,
        faults: Faults | None = None,
        ppm: float = 20.0,
        names: tuple[str, ...] = ("bridge",),
    ) -> None:
        self.clock = VirtualClock(START_NS)
        self.chance = Random(seed)
        self.seats = [Seat(self.clock, self.chance, name, faults or Faults(), ppm) for name in names]
        self.intake = Intake()
        self.presses: list[Press] = []
        self.was_live = False
        self.taken: Taken | None = None

    @property
    def device(self) -> VirtualBridge:
        return self.seats[0].device

    @property
    def source(self) -> BridgeSource:
        return self.seats[0].source

    @property
    def edges(self) -> list[Edge]:
        return self.seats[0].edges

    @property
    def now_ns(self) -> int:
        return self.clock.now_ns

    @property
    def status(self) -> SourceStatus:
        return self.source.status(self.now_ns)

    def settle(self) -> BridgeDesk:
        """Until all are live."""
        for _ in range(3_000):
            self.step()
            if all(seat.source.status(self.now_ns).is_live for seat in self.seats):
                return self
        raise AssertionError(f"the bridge does not become live: {self.status}")

    def run(self, for_ms: int) -> BridgeDesk:
        for _ in range(for_ms):
            self.step()
        return self

    def step(self, for_ns: int = MS) -> None:
        self.clock.now_ns += for_ns
        edges: list[Edge] = []
        statuses = []
        for seat in self.seats:
            seat.device.run_until(self.now_ns)
            seat.source.round()
            statuses.append(seat.source.status(self.now_ns))
            edges += seat.fresh
            seat.edges += seat.fresh
            seat.fresh.clear()
        self.taken = self.intake.take(edges, statuses, self.now_ns)
        self.presses += [press for cluster in self.taken.clusters for press in cluster]

    def press(self, line: str, after_ms: float = 1, hold_ms: float = 60) -> int:
        """One clean press; when it closes."""
        at_ns = self.now_ns + round(after_ms * MS)
        self.device.change(line, True, at_ns)
        self.device.change(line, False, at_ns + round(hold_ms * MS))
        return at_ns

    def lines_pressed(self) -> list[str]:
        return [press.line for press in self.presses]
