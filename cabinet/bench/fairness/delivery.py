"""What lies between a contact and a program: how well a change is stamped, and how late it is delivered.

Two things are drawn apart, because they are two things on a Pi. The kernel stamps a change in its interrupt, which
may come late but never tells more than it knows: that is `err_ns`. Later a thread of each line's own queues the
event, and a thread of the program reads it: that is the delivery. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Final, Literal

import msgspec

from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.settling import KERNEL_SLACK_NS

US: Final = 1_000
MS: Final = 1_000_000

LEAST_ERR_NS: Final = 5 * US
LARGEST_ERR_NS: Final = GpioSettings().err_us * US
"""The bound of a stamp's error lies between these, on a log scale; the larger is what a Pi is trusted with."""
AT_BOUND: Final = 0.1
"""Share of presses whose stamp is wrong by all that its bound allows."""

QUIET_NS: Final = 200 * US
"""How late a line of a machine with nothing else to do delivers at most."""
QUIET: Final = 0.5
"""Share of races on a quiet machine. Without them every way that goes by delivery would be shown at its worst."""
PROMPT_NS: Final = KERNEL_SLACK_NS
"""The slack that a source begins with: most lines of a busy machine deliver within it."""
SLOW_NS: Final = 15 * MS
"""The most that a slack grows to: 12 ms have been seen between lines of a busy kernel."""
LATE_NS: Final = 50 * MS
"""As late as a line ever is here; no slack covers it."""
SLOW: Final = 0.06
LATE: Final = 0.015
"""Shares of presses whose line is slow, or late."""

STALLED: Final = 0.02
"""Share of races in which a part of the program stands still for a while."""
READER_STALLS_NS: Final = (MS, 100 * MS)
"""Shorter than 25 ms the game waits for it; longer, it is taken for silent, and not waited for."""
GAME_STALLS_NS: Final = (MS, 200 * MS)
"""A garbage collection, a frame, or a program that is stopped."""
STALL_AHEAD_NS: Final = 5 * MS
STALL_BEHIND_NS: Final = 3 * MS


class Stall(msgspec.Struct, frozen=True, gc=False):
    """A time in which a part of the program had no processor."""

    whose: Literal["reader", "game"]
    """`reader`: nothing is delivered, and its watermark stands still. `game`: nothing is decided."""
    from_ns: int
    until_ns: int


def draw_stamps(chance: Random, changes_ns: Sequence[int]) -> tuple[int, list[int]]:
    """The bound of the errors, and a stamp for each change, within it.

    A press is wrong by an amount of its own (its wire, its filter, its clock), and each of its edges comes up to
    `err_ns` later than that (the interrupt's latency), so that the whole of plus and minus the bound is used. The
    interrupts of one line come in order, so its stamps never go back. Edges of one press thus differ in their
    errors by 100 µs at most: a contact that closes for 300 µs before it bounces must keep the 200 µs in its stamps
    that the debouncer asks for.
    """
    err_ns = log_uniform(chance, LEAST_ERR_NS, LARGEST_ERR_NS)
    random = chance.random
    extreme = random()
    if extreme < AT_BOUND:
        ahead_ns, first_ns = (err_ns, 0) if extreme < AT_BOUND / 2 else (0, err_ns)
    else:
        ahead_ns, first_ns = int(random() * err_ns), int(random() * err_ns)
    newest_ns = changes_ns[0] - ahead_ns + first_ns
    stamps_ns = [newest_ns]
    for change_ns in changes_ns[1:]:
        newest_ns = max(newest_ns, change_ns - ahead_ns + int(random() * err_ns))
        stamps_ns.append(newest_ns)
    return err_ns, stamps_ns


def draw_prompt_ns(chance: Random) -> int:
    """How late most lines deliver at most while a race is run: the machine is quiet, or busy."""
    return QUIET_NS if chance.random() < QUIET else PROMPT_NS


def draw_limit_ns(chance: Random, prompt_ns: int, *, is_calm: bool) -> int:
    """How late the edges of one press are delivered at most, where most are within `prompt_ns`."""
    kind = chance.random()
    if is_calm or kind >= SLOW + LATE:
        return prompt_ns
    return LATE_NS if kind < LATE else SLOW_NS


def draw_arrivals(chance: Random, stamps_ns: Sequence[int], limit_ns: int, stall: Stall | None) -> list[int]:
    """When each edge of one press is delivered: at most the limit after its stamp, the line's edges in order.

    What would come while the reader stands still comes when it goes on.
    """
    random = chance.random
    least_ns = int(random() * limit_ns)
    spread_ns = limit_ns - least_ns
    newest_ns = stamps_ns[0]
    arrivals_ns = []
    for stamp_ns in stamps_ns:
        newest_ns = max(newest_ns, stamp_ns + least_ns + int(random() * spread_ns))
        if stall is not None and stall.whose == "reader" and stall.from_ns <= newest_ns < stall.until_ns:
            newest_ns = stall.until_ns
        arrivals_ns.append(newest_ns)
    return arrivals_ns


def draw_stall(chance: Random, begins_ns: int, lead_ns: int) -> Stall | None:
    """Sometimes a time around a race, that begins at `begins_ns`, in which the reader or the game stands still."""
    if chance.random() >= STALLED:
        return None
    whose: Literal["reader", "game"] = chance.choice(("reader", "game"))
    shortest_ns, longest_ns = READER_STALLS_NS if whose == "reader" else GAME_STALLS_NS
    length_ns = log_uniform(chance, shortest_ns, longest_ns)
    from_ns = begins_ns + chance.randrange(-STALL_AHEAD_NS, lead_ns + STALL_BEHIND_NS)
    return Stall(whose, from_ns, from_ns + length_ns)


def log_uniform(chance: Random, least: int, largest: int) -> int:
    """From `least` to `largest`, every part of the logarithmic scale as often as any other."""
    return round(least * math.exp(math.log(largest / least) * chance.random()))
