"""How buttons are usually read: honest models of five ways, each at its best.

Where a real program could do better or worse, the model does better: frames are never dropped, no callback is held
up, no press is swallowed, and a program compares all the stamps it gets. Whatever is left is in the method itself.
All pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from cabinet.bench.fairness.paths import Decision, earlier
from cabinet.bench.fairness.races import Contact, Race

MS: Final = 1_000_000
FRAME_NS: Final = 16_666_667
"""Sixty frames a second."""
REST_NS: Final = 10 * MS
"""The debounce time that most programs ask for; a worn switch needs as much."""
JIFFY_NS: Final = 4 * MS
"""One tick of a kernel with HZ=250, as on Raspberry Pi OS."""
USB_POLL_NS: Final = 8 * MS
"""How often a host asks an encoder of the common kind for news: 125 times a second."""


class FramePolling:
    """Once a frame the levels are read, a's button first: most games, and gpiozero's `is_pressed` in a loop.

    The frame in which a contact is first seen closed is all that is known of its time. Of two presses in one frame
    the one that is looked at first wins, which is player 1's.
    """

    def __init__(self, chance: Random) -> None:
        del chance

    def decide(self, race: Race) -> Decision:
        """The seat that was seen first; a when both were seen in one frame."""
        return Decision("a" if _frame_seen(race.a) <= _frame_seen(race.b) else "b")


def _frame_seen(contact: Contact) -> int:
    """The number of the first frame that found the contact closed; a bounce can hide it from one."""
    frame = -(-contact.closes_ns // FRAME_NS)
    while not contact.is_closed_at(frame * FRAME_NS):
        frame += 1
    return frame


class RestThenLgpio:
    """Wait for rest, with lgpio's stamps: gpiozero's `Button(bounce_time=…)` on lgpio, today's default on a Pi.

    lgpio reports a level when nothing has changed for the debounce time, and stamps the report with the kernel's
    stamp of the last change plus that time (it looks every 500 µs, which holds up the report and not the stamp).
    So the whole bounce of a switch is added to its player's time, and the older switch loses.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def decide(self, race: Race) -> Decision:
        """The seat whose contact began to rest first, by the kernel's stamps."""
        a, b = (begin_of_rest_ns(one.stamps_ns, REST_NS) for one in (race.a, race.b))
        return Decision(earlier(a, b, self._chance))


class RestThenKernel:
    """Wait for rest in the kernel: the debounce period of a line request, as libgpiod asks for it.

    Where the chip cannot debounce, as on a Pi, the kernel does it by a work that every change puts off again, in
    whole ticks rounded up and one more, so that it never comes early. The report is stamped when that work runs.
    Works that are due in one tick run in an order that has nothing to do with the race: a coin.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def decide(self, race: Race) -> Decision:
        """The seat whose rest was noticed in the earlier tick."""
        return Decision(earlier(_tick_of_report(race.a), _tick_of_report(race.b), self._chance))


def _tick_of_report(contact: Contact) -> int:
    changes_ns = contact.changes_ns
    ticks = -(-REST_NS // JIFFY_NS) + 1
    for number in range(0, len(changes_ns) - 1, 2):
        due = changes_ns[number] // JIFFY_NS + ticks
        if changes_ns[number + 1] > due * JIFFY_NS:
            return due
    raise ValueError(f"{contact.line} never rests closed")


class LockOut:
    """Lock-out, stamped on delivery: gpiozero's `bounce_time` on RPi.GPIO.

    RPi.GPIO's thread takes the first change it is told of, and no other for the debounce time; the kernel gives it
    no stamp, so gpiozero asks for the time in the callback. The bounce does no harm, but all that holds up the
    thread, or the line, is added to a player's time. (gpiozero also reads the level anew there, and can miss a
    press whose contact is just then open: not counted here.)
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def decide(self, race: Race) -> Decision:
        """The seat whose first edge was delivered first."""
        return Decision(earlier(race.a.arrivals_ns[0], race.b.arrivals_ns[0], self._chance))


class HostReceiveTime:
    """Stamped when the host receives it: a USB encoder a seat, as arcade kits have them, through evdev or SDL.

    An encoder answers only when the host asks, here every 8 ms, each at an instant of its own; the stamp is made
    when the answer has gone through the host. Between two encoders the races of one poll are decided by which is
    asked first, and that does not change while the cabinet is on: for hours it is the same seat.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._asked_ns = {seat: chance.randrange(USB_POLL_NS) for seat in ("a", "b")}

    def decide(self, race: Race) -> Decision:
        """The seat whose report was received first."""
        return Decision(earlier(self._received_ns(race.a), self._received_ns(race.b), self._chance))

    def _received_ns(self, contact: Contact) -> int:
        asked_ns = self._asked_ns[contact.seat]
        polls = -(-(contact.closes_ns - asked_ns) // USB_POLL_NS)
        delivery_ns = contact.arrivals_ns[0] - contact.stamps_ns[0]
        return asked_ns + polls * USB_POLL_NS + delivery_ns


def begin_of_rest_ns(times_ns: Sequence[int], rest_ns: int) -> int:
    """The last closing before a contact first rests closed for longer than `rest_ns`.

    `times_ns` are those of its changes, the first of which closes it. Raises ValueError when it never rests so.
    """
    for number in range(0, len(times_ns) - 1, 2):
        if times_ns[number + 1] - times_ns[number] > rest_ns:
            return times_ns[number]
    raise ValueError(f"the contact never rests closed for {rest_ns} ns")
