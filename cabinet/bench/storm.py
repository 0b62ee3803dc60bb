"""A storm in real time: sixteen lines chatter at 5,000 edges a second each, and a player presses two others.

The kernel's events are modelled, with its buffer that drops the oldest when it is full; on a Pi the kernel makes
them on other cores, here that takes some of our own time. From there on all is the cabinet's own, in real time:
the reader of the kernel's chip, the game thread, and the window, which draws the busiest picture at 1920×1080.
Before and after the storm the same is measured without it, so that what other programs do to frames shows in both.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Final

import msgspec

from cabinet.bench.figures import Spread, in_ms, spread_ms
from cabinet.bench.input import PRESS_EVERY_NS, chatter
from cabinet.bench.running import BEFORE_PRESSES_NS, MS, NS_IN_S, running_on, start_presses
from cabinet.buttons.edges import Line
from cabinet.buttons.gpio_chip import GpioChipSource
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.kernel_lines import BUFFER_EVENTS
from cabinet.buttons.lines import OPTIONAL_LINES, PANEL_LINES
from cabinet.buttons.sequence import BECAME_ACTIVE, RawEvent
from cabinet.game import FRAME_NS

PRESSED: Final[tuple[Line, ...]] = ("b.1", "b.2")
"""What is pressed; in turn, so that each has rested long before it is pressed again."""
NOISY: Final[tuple[Line, ...]] = tuple(line for line in (*PANEL_LINES, *OPTIONAL_LINES) if line not in PRESSED)
"""The sixteen lines that chatter: all others."""
PINS: Final = {**GpioSettings().pins, **dict(zip(OPTIONAL_LINES, range(24, 28), strict=True))}
APART_NS: Final = (100 * MS, 200 * MS)
"""From one press to the next."""
HOLD_NS: Final = 60 * MS
LATE_FRAME_NS: Final = FRAME_NS * 3 // 2
"""A frame that comes so long after the one before is late."""
SETTLES_NS: Final = 500 * MS
"""After the storm, until its last presses are released and what is counted is calm again."""


class LateFrames(msgspec.Struct, frozen=True, kw_only=True):
    """How regularly frames were shown over a stretch of time."""

    frames: int
    late: int
    """Shown more than one and a half frame times after the one before."""
    worst_ms: float
    """The longest time from one frame to the next."""

    @property
    def share(self) -> float:
        """The part of the frames that was late, in percent."""
        return round(100 * self.late / self.frames, 3)


class StormBorne(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured."""

    edges_per_s: float
    """Made in the storm, on all lines."""
    presses: int
    """Made in the storm by the player."""
    presses_lost: int
    """Of these, the ones without any sign."""
    presses_misdated: int
    """Of these, the ones whose sign has another stamp than the contact's closing."""
    storm: LateFrames
    calm: LateFrames
    """The same without the storm, half of it before and half after."""
    delay: Spread
    """From the closing of the player's contact to the snapshot with its sign, in the storm."""
    calm_delay: Spread
    """The same without the storm."""
    edges_lost: int
    """By the kernel's full buffer, or made up because it had lost them."""
    edges_left_out: int
    """By the reader, in the middle of a chatter, because too many had piled up."""

    @property
    def late_beyond_calm(self) -> float:
        """How much more of the frames was late in the storm than without it, in percent of all."""
        return round(self.storm.share - self.calm.share, 3)

    @property
    def late_ratio(self) -> float:
        """How many times as many frames were late in the storm as without it.

        In either one more is taken as late, so that there is a ratio where none was.
        """
        return round((self.storm.late + 1) / self.storm.frames * self.calm.frames / (self.calm.late + 1), 2)


def measure(*, seconds: int = 10, rng: Random | None = None) -> StormBorne:
    """A storm of so many seconds between two calms of half as many; to be called from the main thread.

    Takes twice as long, and three seconds.
    """
    rng = rng or Random(1)
    first_ns = time.monotonic_ns() + BEFORE_PRESSES_NS
    storm_ns = first_ns + seconds * NS_IN_S // 2
    calm_ns = storm_ns + seconds * NS_IN_S
    last_ns = calm_ns + SETTLES_NS + seconds * NS_IN_S // 2
    presses = plan(first_ns, last_ns, rng)
    lines = StormyLines([*start_presses(first_ns), *presses], (storm_ns, calm_ns), rng)
    source = GpioChipSource(GpioSettings(pins=PINS), lambda _: lines)
    with running_on(source, rng) as cabinet:
        cabinet.draw(first_ns, lambda: time.monotonic_ns() >= last_ns)
        status = source.status(last_ns)
    storm, calm = (storm_ns, calm_ns), [(first_ns, storm_ns), (calm_ns + SETTLES_NS, last_ns)]
    told = [told_of(presses, cabinet.signs.published_ns, *one) for one in (storm, *calm)]
    return StormBorne(
        edges_per_s=round(lines.made * NS_IN_S / (calm_ns - storm_ns)),
        presses=sum(storm_ns <= at_ns < calm_ns for _, at_ns in presses),
        presses_lost=told[0].lost,
        presses_misdated=told[0].misdated,
        storm=late_frames(cabinet.shown_ns, [storm]),
        calm=late_frames(cabinet.shown_ns, calm),
        delay=spread_ms(told[0].delays_ns),
        calm_delay=spread_ms(told[1].delays_ns + told[2].delays_ns),
        edges_lost=status.losses,
        edges_left_out=status.left_out,
    )


def plan(first_ns: int, last_ns: int, rng: Random) -> list[tuple[Line, int]]:
    """What is pressed when, from host time `first_ns` on; the last is let go before `last_ns`."""
    presses: list[tuple[Line, int]] = []
    at_ns = first_ns
    while at_ns < last_ns - 2 * HOLD_NS:
        presses.append((PRESSED[len(presses) % len(PRESSED)], at_ns))
        at_ns += rng.randrange(*APART_NS)
    return presses


def late_frames(shown_ns: Sequence[int], stretches: Sequence[tuple[int, int]]) -> LateFrames:
    """Counts the frames that were shown within stretches of host time. Raises ValueError when there were none."""
    gaps_ns = []
    for from_ns, to_ns in stretches:
        shown = shown_ns[bisect_left(shown_ns, from_ns) : bisect_left(shown_ns, to_ns)]
        gaps_ns += [later - earlier for earlier, later in pairwise(shown)]
    if not gaps_ns:
        raise ValueError("no frames were shown, so none can be counted")
    late = sum(gap_ns > LATE_FRAME_NS for gap_ns in gaps_ns)
    return LateFrames(frames=len(gaps_ns), late=late, worst_ms=in_ms(max(gaps_ns)))


class Told(msgspec.Struct):
    """What became of the presses of a stretch of time."""

    delays_ns: list[int]
    lost: int = 0
    misdated: int = 0


def told_of(
    presses: Sequence[tuple[Line, int]], published_ns: Mapping[tuple[Line, int], int], from_ns: int, to_ns: int
) -> Told:
    """Looks for the signs of the presses within a stretch of host time.

    `published_ns`: when the sign of a press was first published, by its line and stamp.
    """
    told = Told([])
    for line, at_ns in presses:
        if not from_ns <= at_ns < to_ns:
            continue
        if (line, at_ns) in published_ns:
            told.delays_ns.append(published_ns[line, at_ns] - at_ns)
        elif any(one == line and at_ns - HOLD_NS < t_ns < at_ns + 2 * HOLD_NS for one, t_ns in published_ns):
            told.misdated += 1
        else:
            told.lost += 1
    return told


class StormyLines:
    """Stands for `KernelLines`, in real time: events come when their time has come, and only then are numbered."""

    def __init__(
        self,
        presses: Sequence[tuple[Line, int]],
        storm: tuple[int, int],
        rng: Random,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`presses`: each is held for `HOLD_NS`. `storm`: from when to when all `NOISY` lines chatter."""
        changes = [(at_ns, line, True) for line, at_ns in presses]
        changes += [(at_ns + HOLD_NS, line, False) for line, at_ns in presses]
        self._changes = deque(sorted(changes))
        self._clock_ns = clock_ns
        edges, _ = chatter(0, 0, rng, NOISY)
        self._pattern = [(edge.t_ns, edge.line, edge.active) for edge in edges]
        self._cycle_ns, self._storm_until_ns = storm
        self._place = 0
        self._events: deque[RawEvent] = deque(maxlen=BUFFER_EVENTS)
        self._number = 0
        self._numbers = dict.fromkeys(PINS, 0)
        self._levels = dict.fromkeys(PINS, False)
        self.made = 0
        """Edges of the storm so far."""

    def wait(self, timeout_ns: int) -> bool:
        """Whether there is something to read, waiting for it at most so long."""
        now_ns = self._clock_ns()
        self._let_happen(now_ns)
        if timeout_ns > 0 and not self._events:
            time.sleep(min(timeout_ns, max(0, self._next_ns() - now_ns)) / NS_IN_S)
            self._let_happen(self._clock_ns())
        return bool(self._events)

    def read(self) -> list[RawEvent]:
        """All events that the buffer has kept."""
        events = list(self._events)
        self._events.clear()
        return events

    def levels(self) -> dict[Line, bool]:
        """Which contacts are closed now."""
        self._let_happen(self._clock_ns())
        return self._levels.copy()

    def close(self) -> None:
        """There is nothing to let go of."""

    def _next_ns(self) -> int:
        storm_ns = self._cycle_ns + self._pattern[self._place][0]
        times = [storm_ns] if self._cycle_ns < self._storm_until_ns else []
        times += [self._changes[0][0]] if self._changes else []
        return min(times, default=self._clock_ns() + NS_IN_S)

    def _let_happen(self, now_ns: int) -> None:
        while self._changes and self._changes[0][0] <= now_ns:
            at_ns, line, closes = self._changes.popleft()
            self._chatter_until(at_ns)
            self._happens(at_ns, line, closes)
        self._chatter_until(now_ns)

    def _chatter_until(self, now_ns: int) -> None:
        pattern, before = self._pattern, self._number
        while self._cycle_ns < self._storm_until_ns:
            cycle_ns, place = self._cycle_ns, self._place
            while place < len(pattern) and cycle_ns + pattern[place][0] <= now_ns:
                at_ns, line, closes = pattern[place]
                self._happens(cycle_ns + at_ns, line, closes)
                place += 1
            self._place = place
            if place < len(pattern):
                break
            self._cycle_ns, self._place = cycle_ns + PRESS_EVERY_NS, 0
        self.made += self._number - before

    def _happens(self, at_ns: int, line: Line, closes: bool) -> None:
        self._number += 1
        self._numbers[line] += 1
        self._levels[line] = closes
        kind = BECAME_ACTIVE if closes else BECAME_ACTIVE + 1
        self._events.append((at_ns, kind, PINS[line], self._number, self._numbers[line]))
