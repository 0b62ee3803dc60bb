"""Serial links and two clocks in virtual time: what a clock map is told, and what is true."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from math import pi, sin
from random import Random

import msgspec

from firmware_bridge.clock_sync import ClockSync
from firmware_bridge.protocol import BEAT_PLAY_MS, PING_EVERY_MS, PING_FIRST_MS

MS = 1_000_000
SECOND = 1_000 * MS
RATE_STEP_NS = 100 * MS
FAST_PINGS_NS = 2 * SECOND

Delay = Callable[[Random], int]
"""How long one frame takes, from the sender's stamp to the receiver's."""


class DeviceClock:
    """A clock that gains `ppm(t)` on the host's, changed every 100 ms; nanoseconds, starts anywhere."""

    def __init__(self, started_ns: int, ppm: Callable[[int], float], until_ns: int) -> None:
        self._rates = [ppm(step * RATE_STEP_NS) * 1e-6 for step in range(until_ns // RATE_STEP_NS + 100)]
        self._gained_ns = [0.0]
        for rate in self._rates:
            self._gained_ns.append(self._gained_ns[-1] + rate * RATE_STEP_NS)
        self._started_ns = started_ns
        self._begins = [self.true_ns(step * RATE_STEP_NS) for step in range(len(self._rates))]

    def true_ns(self, host_ns: int) -> int:
        """What the clock shows at a host time."""
        step, rest_ns = divmod(host_ns, RATE_STEP_NS)
        return host_ns + self._started_ns + round(self._gained_ns[step] + self._rates[step] * rest_ns)

    def stamp_ns(self, host_ns: int) -> int:
        """What the device would tell: whole microseconds, cut off."""
        return self.true_ns(host_ns) // 1_000 * 1_000

    def host_ns(self, device_ns: int) -> int:
        """The host time at which the clock shows this, to a nanosecond."""
        step = bisect_right(self._begins, device_ns) - 1
        inside_ns = device_ns - self._begins[step]
        return step * RATE_STEP_NS + round(inside_ns / (1 + self._rates[step]))


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """What a link does to frames, and the clocks to each other."""

    name: str
    there: Delay
    back: Delay
    stalled: float = 0.0
    """Share of frames that wait 1 to 20 ms more, on either side."""
    ppm: Callable[[int], float] = lambda _: 20.0
    beats: bool = True
    pauses: bool = False
    """Once in 20 s the host stands still for a second: what came meanwhile is read after it."""


class Held(msgspec.Struct, frozen=True):
    """How the map's promise fared."""

    link: str
    samples: int
    within: int
    median_err_ns: int
    """Of the promised bound, from 2 s on."""
    p99_err_ns: int
    median_wrong_ns: int
    """Of the offset's true error, from 2 s on."""
    settling_ns: int
    """Host time from the first ping until the map was settled."""


def usb(shortest_us: int = 100, longest_us: int = 1_000) -> Delay:
    """A frame waits for the next poll of the bus."""
    return lambda random: random.randint(shortest_us * 1_000, longest_us * 1_000)


def steady(ppm: float) -> Callable[[int], float]:
    """A clock that gains the same all the time."""
    return lambda _: ppm


def warming(host_ns: int) -> float:
    """From -40 to +40 ppm and back within two minutes: far quicker than any cabinet warms up."""
    return 40 * sin(2 * pi * host_ns / (120 * SECOND))


LINKS = (
    Link(name="usb, idle host", there=usb(), back=usb()),
    Link(name="usb, 3 % stalled", there=usb(), back=usb(), stalled=0.03),
    Link(name="usb, 10 % stalled", there=usb(), back=usb(), stalled=0.10),
    Link(name="drift +50 ppm, 10 % stalled", there=usb(), back=usb(), stalled=0.10, ppm=steady(50)),
    Link(name="drift -50 ppm, 10 % stalled", there=usb(), back=usb(), stalled=0.10, ppm=steady(-50)),
    Link(name="temperature ramp, 10 % stalled", there=usb(), back=usb(), stalled=0.10, ppm=warming),
    Link(name="uneven (0.1-0.3 there, 0.4-1.4 ms back)", there=usb(100, 300), back=usb(400, 1_400), stalled=0.03),
    Link(name="uneven (0.4-1.4 there, 0.1-0.3 ms back)", there=usb(400, 1_400), back=usb(100, 300), stalled=0.03),
    Link(name="slow there (2-3 ms), quick back", there=usb(2_000, 3_000), back=usb(100, 300), stalled=0.03),
    Link(name="quick there, slow back (2-3 ms)", there=usb(100, 300), back=usb(2_000, 3_000), stalled=0.03),
    Link(name="pings alone, 10 % stalled", there=usb(), back=usb(), stalled=0.10, beats=False),
    Link(name="host stands still for a second", there=usb(), back=usb(), stalled=0.10, pauses=True),
)


def held_over(link: Link, seed: int, length_ns: int) -> Held:
    """Plays the link, asking for the offset at random device times of the last 20 ms, 200 times a second."""
    random = Random(seed)
    clock = DeviceClock(random.randrange(10**15), link.ppm, length_ns + 5 * SECOND)
    sync = ClockSync()
    sync.greeted(1)
    bounds: list[int] = []
    wrongs: list[int] = []
    samples = within = 0
    settled_ns: int | None = None
    for host_ns in told(link, clock, sync, random, length_ns):
        device_ns = clock.true_ns(max(0, host_ns - random.randrange(20 * MS)))
        estimate = sync.estimate(device_ns)
        if estimate is None:
            continue
        true_ns = clock.host_ns(device_ns) - device_ns
        samples += 1
        within += abs(true_ns - estimate.offset_ns) <= estimate.err_ns
        if settled_ns is None and estimate.is_settled:
            settled_ns = host_ns
        if host_ns >= 2 * SECOND:
            bounds.append(estimate.err_ns)
            wrongs.append(abs(true_ns - estimate.offset_ns))
    bounds.sort()
    return Held(
        link=link.name,
        samples=samples,
        within=within,
        median_err_ns=bounds[len(bounds) // 2],
        p99_err_ns=bounds[len(bounds) * 99 // 100],
        median_wrong_ns=sorted(wrongs)[len(wrongs) // 2],
        settling_ns=settled_ns if settled_ns is not None else length_ns,
    )


def told(link: Link, clock: DeviceClock, sync: ClockSync, random: Random, length_ns: int) -> Iterator[int]:
    """Tells the map all that the host hears, in order; gives the host time every 5 ms."""
    heard: list[tuple[int, Callable[[], object]]] = []
    next_ping_ns = 0
    last_heard_ns = 0
    for beat_ns in range(0, length_ns, BEAT_PLAY_MS * MS):
        if link.beats:
            last_heard_ns = max(last_heard_ns, heard_at(link, link.back, random, beat_ns))
            heard.append((last_heard_ns, telling_beat(sync, clock.stamp_ns(beat_ns), last_heard_ns)))
        if beat_ns >= next_ping_ns:
            every_ms = PING_FIRST_MS if beat_ns < FAST_PINGS_NS else PING_EVERY_MS
            next_ping_ns = beat_ns + every_ms * MS
            sent_ns = beat_ns + random.randrange(5 * MS)
            received_ns = sent_ns + link.there(random) + stall(link, random)
            replied_ns = received_ns + random.randrange(200_000)
            pong_ns = heard_at(link, link.back, random, replied_ns)
            times = (sent_ns, clock.stamp_ns(received_ns), clock.stamp_ns(replied_ns), pong_ns)
            heard.append((pong_ns, telling_trip(sync, *times)))
        heard.sort(key=lambda one: one[0])
        while heard and heard[0][0] <= beat_ns:
            heard.pop(0)[1]()
        yield beat_ns


def heard_at(link: Link, delay: Delay, random: Random, sent_ns: int) -> int:
    """When the host has read what was sent then."""
    heard_ns = sent_ns + delay(random) + stall(link, random)
    if link.pauses and heard_ns % (20 * SECOND) >= 19 * SECOND:
        return heard_ns // (20 * SECOND) * 20 * SECOND + 20 * SECOND
    return heard_ns


def stall(link: Link, random: Random) -> int:
    """What one frame waits more."""
    return random.randint(MS, 20 * MS) if random.random() < link.stalled else 0


def telling_beat(sync: ClockSync, device_ns: int, heard_ns: int) -> Callable[[], object]:
    """To be called when it is heard."""
    return lambda: sync.beat(device_ns, heard_ns)


def telling_trip(
    sync: ClockSync, sent_ns: int, received_ns: int, replied_ns: int, heard_ns: int
) -> Callable[[], object]:
    """To be called when it is heard."""
    return lambda: sync.round_trip(sent_ns, received_ns, replied_ns, heard_ns)
