"""A bridge as a source of races: the host's own side of the protocol, its map of the clock and its delivery.

Only the device, the line and the time are made up (`bridge_link.py`). Pure: the clocks of the host are given.
"""

from __future__ import annotations

from bisect import bisect_right
from random import Random
from typing import Final

from cabinet.bench.fairness.bridge_link import ERR_US, MS, US, BridgeDevice
from cabinet.bench.fairness.delivery import Stall
from cabinet.bench.fairness.races import Race
from cabinet.bench.fairness.source_models import Delivery
from cabinet.buttons.edges import Edge, SourceStatus
from cabinet.buttons.settling import KERNEL_SLACK_NS
from firmware_bridge.delivery import Delivery as BridgeDelivery
from firmware_bridge.host_clocks import HostClocks
from firmware_bridge.session import Session

BEFORE_NS: Final = 2_500 * MS
"""It is found so long before the first race: then its clock's map is as good as it gets."""
WAIT_NS: Final = 20 * MS
"""How long the reader waits for bytes, before it looks whether something is to be said; beats come sooner."""
SILENT_NS: Final = 18 * MS
"""With beats every 5 ms, the watermark stands still for 25 ms if nothing comes for so long."""


class BridgeModel:
    """Buttons of both seats on one microcontroller. Device, reader and game have rounds of their own."""

    least_slack_ns = KERNEL_SLACK_NS

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._now_ns = 0
        self._device: BridgeDevice | None = None
        self._session = Session(lambda: chance.getrandbits(32))
        self._held = BridgeDelivery("bridge", HostClocks(self._clock_ns, self._clock_ns))
        self._deliveries: list[Delivery] = []
        self._told: list[SourceStatus] = []
        self._told_ns: list[int] = []
        self._stall: Stall | None = None
        self._read_ns = 0
        self._longest_silence_ns = 0
        self._apart_ns = 0

    def begin(self, race: Race) -> list[Delivery]:
        """Everything that it will deliver of the race, in order of arrival."""
        self._deliveries = []
        del self._told[:-1], self._told_ns[:-1]
        self._stall = race.stall if race.stall is not None and race.stall.whose == "reader" else None
        device = self._device or self._plug_in(race.begins_ns - BEFORE_NS)
        self._run(device, race.begins_ns)
        self._longest_silence_ns = 0
        stamps_ns = device.plan(race.a, race.b)
        self._apart_ns = abs(stamps_ns[race.a.line] - stamps_ns[race.b.line])
        self._run(device, race.rests_ns)
        return self._deliveries

    def tells_apart(self, race: Race) -> bool:  # noqa: ARG002 (the race that has just begun)
        """Whether the stamps with their errors do not touch: one clock for both, so its map does not count."""
        return self._apart_ns > 2 * ERR_US * US

    def delivered(self, delivery: Delivery) -> None:
        """Nothing follows: what it promises follows from what the device says."""

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything is delivered at host time `now_ns`."""
        return self._told[bisect_right(self._told_ns, now_ns) - 1]

    def has_been_silent(self, race: Race) -> bool:  # noqa: ARG002 (the race that has just begun)
        """Whether nothing was read for so long that the game need not wait."""
        return self._longest_silence_ns >= SILENT_NS

    def _plug_in(self, now_ns: int) -> BridgeDevice:
        self._device = BridgeDevice(self._chance, now_ns)
        self._now_ns = self._read_ns = now_ns
        self._held.begin(self._deliver)
        self._session.opened(now_ns)
        self._read()
        return self._device

    def _run(self, device: BridgeDevice, until_ns: int) -> None:
        """The device and the reader, each at its time."""
        while True:
            next_read_ns = self._next_read_ns(device)
            next_turn_ns = device.next_ns()
            if min(next_read_ns, next_turn_ns) > until_ns:
                return
            if next_turn_ns <= next_read_ns:
                device.turn(next_turn_ns)
            else:
                self._now_ns = next_read_ns
                self._read()

    def _next_read_ns(self, device: BridgeDevice) -> int:
        """When bytes have come, or it has waited long enough, unless it stands still."""
        next_ns = self._now_ns + WAIT_NS
        if device.to_host.coming:
            next_ns = min(next_ns, max(self._now_ns + 1, device.to_host.coming[0].arrives_ns))
        stall = self._stall
        return stall.until_ns if stall is not None and stall.from_ns <= next_ns < stall.until_ns else next_ns

    def _read(self) -> None:
        """One round of the reader: hears, delivers, says."""
        assert self._device is not None
        now_ns, session = self._now_ns, self._session
        messages = self._device.to_host.get(now_ns)
        if messages:
            self._longest_silence_ns = max(self._longest_silence_ns, now_ns - self._read_ns)
            self._read_ns = now_ns
            self._held.hold(session.take(messages, now_ns), session.names, session.estimate())
        for message in session.due(now_ns):
            self._device.to_device.put(message, now_ns)
        ping = session.due_ping(now_ns)
        if ping is not None:
            session.pinged(ping, now_ns)
            self._device.to_device.put(ping, now_ns)
        self._held.tell(session.received, None, "", is_linked=session.is_linked)
        self._told.append(self._held.status())
        self._told_ns.append(now_ns)

    def _deliver(self, edge: Edge) -> None:
        offset_ns = self._held.status().map_offset_ns
        self._deliveries.append(Delivery(self._now_ns, edge.t_ns + offset_ns, edge))

    def _clock_ns(self) -> int:
        return self._now_ns
