"""A microcontroller at the buttons of a race, and the serial line to it, in virtual time.

Its stamps are off by up to a microsecond, its crystal drifts, and each frame on the line waits for the next poll
of USB; some stand still for up to 20 ms, and all behind them. No frame is lost here: what comes of lost ones is no
question of who was first. Pure.
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Final

import msgspec

from cabinet.bench.fairness.races import BUTTONS, Contact
from cabinet.buttons.edges import Line
from cabinet.engine.table import SEATS
from firmware_bridge.protocol import (
    BEAT_PLAY_MS,
    CAPTURE_SIMULATED,
    VERSION,
    Beat,
    Edges,
    Greeting,
    Hello,
    Lines,
    Message,
    Ping,
    Pong,
    RawEdge,
    Snapshot,
)

US: Final = 1_000
MS: Final = 1_000_000
ERR_US: Final = 1
"""What the firmware promises of its stamps."""
DRIFT_PPM: Final = 50
"""Crystals of computers and of microcontrollers are within plus or minus this."""
TURN_NS: Final = (50 * US, 500 * US)
"""Until the firmware's loop has come to an edge."""
HELD_NS: Final = (20 * US, 200 * US)
"""How long it holds a ping."""
POLL_NS: Final = (100 * US, MS)
"""A frame waits so long for the next poll of the bus."""
STALLED: Final = 0.03
STALLS_NS: Final = (MS, 20 * MS)
"""Share of frames that stand still more, and for how long."""
MOST_IN_FRAME: Final = 8
RACED_NS: Final = 60 * MS
"""So long after the last contact has closed both presses are judged, if nothing stands still for long."""
RESTING_BEAT_NS: Final = 15 * MS
"""Beats come so seldom between races, where nothing depends on them, to save time."""
NAMES: Final[tuple[Line, ...]] = tuple(f"{seat}.{button}" for seat in SEATS for button in BUTTONS)
STARTED_US: Final = (1_000_000, 1_000_000_000)
"""How long it has had power when the host finds it."""


class Sent(msgspec.Struct, frozen=True, gc=False):
    """A message on the line."""

    arrives_ns: int
    message: Message


class Way:
    """One direction of the line: first in, first out."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._last_ns = -(1 << 62)
        self.coming: deque[Sent] = deque()

    def put(self, message: Message, now_ns: int) -> None:
        """Sent at host time `now_ns`."""
        arrives_ns = now_ns + self._chance.randrange(*POLL_NS)
        if self._chance.random() < STALLED:
            arrives_ns += self._chance.randrange(*STALLS_NS)
        self._last_ns = max(self._last_ns, arrives_ns)
        self.coming.append(Sent(self._last_ns, message))

    def get(self, now_ns: int) -> list[Message]:
        """What has come until `now_ns`."""
        come = []
        while self.coming and self.coming[0].arrives_ns <= now_ns:
            come.append(self.coming.popleft().message)
        return come


class BridgeDevice:
    """The firmware's side: stamps, sends, beats and answers. All its times are the host's, but for the stamps."""

    def __init__(self, chance: Random, started_ns: int) -> None:
        """It is plugged in at host time `started_ns`."""
        self._chance = chance
        self._started_ns = started_ns
        self._began_ns = chance.randrange(*STARTED_US) * US
        self._parts_per_billion = chance.randint(-1_000 * DRIFT_PPM, 1_000 * DRIFT_PPM)
        self.to_host = Way(chance)
        self.to_device = Way(chance)
        self._changes: deque[tuple[int, RawEdge]] = deque()
        """What is to happen, and has not been sent: the instant of each change, and its edge."""
        self._levels = 0
        self._sent = 0
        self._last_us = 0
        self._beat_ns = started_ns
        self._raced_ns = started_ns
        self._turn_ns: int | None = None
        self._is_greeted = False

    def plan(self, *contacts: Contact) -> dict[Line, int]:
        """These contacts move from now on; the stamp of each one's first edge, in nanoseconds of the device."""
        self._raced_ns = max(one.closes_ns for one in contacts) + RACED_NS
        self._beat_ns = min(
            self._beat_ns, min(one.closes_ns for one in contacts) + self._chance.randrange(BEAT_PLAY_MS * MS)
        )
        moved = sorted(
            (change_ns, NAMES.index(one.line), number % 2 == 0)
            for one in contacts
            for number, change_ns in enumerate(one.changes_ns)
        )
        stamps_ns: dict[Line, int] = {}
        for change_ns, button, closed in moved:
            stamp_us = self._stamp_us(change_ns)
            stamps_ns.setdefault(NAMES[button], stamp_us * US)
            self._changes.append((change_ns, RawEdge(stamp_us, button, closed)))
        if self._turn_ns is None:
            self._next_turn()
        return stamps_ns

    def next_ns(self) -> int:
        """When it does something next."""
        times_ns = [self._beat_ns]
        if self._turn_ns is not None:
            times_ns.append(self._turn_ns)
        if self.to_device.coming:
            times_ns.append(self.to_device.coming[0].arrives_ns)
        return min(times_ns)

    def turn(self, now_ns: int) -> None:
        """Does what is due at host time `now_ns`."""
        for message in self.to_device.get(now_ns):
            self._hear(message, now_ns)
        if self._turn_ns is not None and now_ns >= self._turn_ns:
            self._send_edges(now_ns)
            self._next_turn()
        if now_ns >= self._beat_ns:
            self._beat_ns = now_ns + (BEAT_PLAY_MS * MS if now_ns < self._raced_ns else RESTING_BEAT_NS)
            self._send_edges(now_ns)
            if self._is_greeted:
                watermark_us = self._device_ns(now_ns) // US - 2 * ERR_US
                self.to_host.put(Beat(watermark_us, self._levels, self._sent, 0, 0, 100, 0), now_ns)

    def _hear(self, message: Message, now_ns: int) -> None:
        if isinstance(message, Ping):
            held_us = self._chance.randrange(*HELD_NS) // US
            pong = Pong(message.number, self._device_ns(now_ns) // US, held_us)
            self.to_host.put(pong, now_ns + held_us * US)
        elif isinstance(message, Hello):
            self._greet(message, now_ns)

    def _greet(self, hello: Hello, now_ns: int) -> None:
        self._is_greeted = True
        size = len(NAMES)
        boot_id, chip = 1, 2
        greeting = (VERSION, hello.session, boot_id, chip, 0, 1, 0, size, 0, CAPTURE_SIMULATED, ERR_US, 1_024)
        self.to_host.put(Greeting(*greeting, "Raced"), now_ns)
        self.to_host.put(Lines(0, " ".join(NAMES)), now_ns)
        stamp_us = self._device_ns(now_ns) // US - 2 * ERR_US
        self.to_host.put(Snapshot(stamp_us, self._levels, self._sent, self._sent), now_ns)

    def _send_edges(self, now_ns: int) -> None:
        """All that has happened until now."""
        while True:
            edges: list[RawEdge] = []
            while self._changes and self._changes[0][0] <= now_ns and len(edges) < MOST_IN_FRAME:
                edges.append(self._changes.popleft()[1])
            if not edges:
                return
            for edge in edges:
                bit = 1 << edge.button
                self._levels = self._levels | bit if edge.closed else self._levels & ~bit
            self.to_host.put(Edges(self._sent, 0, ERR_US, tuple(edges)), now_ns)
            self._sent += len(edges)

    def _next_turn(self) -> None:
        """When the loop comes to the next edge."""
        coming = self._changes
        self._turn_ns = coming[0][0] + self._chance.randrange(*TURN_NS) if coming else None

    def _stamp_us(self, change_ns: int) -> int:
        """One of the two whole microseconds beside the change; never one before the last."""
        exact_ns = self._device_ns(change_ns)
        self._last_us = max(self._last_us, exact_ns // US + self._chance.randrange(2))
        return self._last_us

    def _device_ns(self, host_ns: int) -> int:
        passed_ns = host_ns - self._started_ns
        return self._began_ns + passed_ns + passed_ns * self._parts_per_billion // 1_000_000_000
