"""Random play on a bridge whose link fails, in virtual time, and what must come of it."""

from __future__ import annotations

from bisect import bisect_right
from random import Random

import msgspec

from cabinet.buttons.bounce import FAMILIES, draw_trace
from cabinet.buttons.edges import Press
from firmware_bridge.simulated_line import Faults
from tests.bridge_desk import MS, BridgeDesk

LINES = ("a.1", "a.2", "a.spit", "b.1", "b.2", "b.spit")
REST_MS = (12, 30, 120)
"""A button rests so long between two presses, after the longest bounce of letting it go."""
ARRIVES_NS = 150 * MS
"""So long before the device loses its memory a press must have begun to be safe: frames may be sent again."""
LOOKED_FOR_NS = 3_000 * MS
"""At the latest so long after it was plugged in again the device is linked, and sends what it has kept."""
FAILURES = ("unplug", "unplug with power", "reset", "stall")
NEAR = 8
"""So many presses of one button before an instant are looked at; they lie at least `REST_MS` apart."""
KEEPING_MEMORY = ("unplug with power", "stall")
QUIET_LINK = Faults()
BAD_LINK = Faults(garbled=0.01, cut=0.002, stalled=0.01)


class Made(msgspec.Struct, frozen=True):
    """A press as it was made."""

    line: str
    at_ns: int
    changes: tuple[tuple[int, bool], ...]
    """Host time of each change of the contact, and whether it closed."""


class Play:
    """Presses and failures drawn by chance."""

    def __init__(
        self, seed: int, *, faults: Faults = BAD_LINK, failures: tuple[str, ...] = FAILURES, ppm: float = 20.0
    ) -> None:
        self.chance = Random(seed)
        self.desk = BridgeDesk(self.chance.getrandbits(32), faults=faults, ppm=ppm)
        self.made: list[Made] = []
        self.boots: list[tuple[int, int]] = []
        """From when to when, in host time, the device had power and memory without a break."""
        self.listened: list[tuple[int, int]] = []
        """From when to when the link was live."""
        self._failures = failures
        self._stalls: list[tuple[int, int]] = []
        self._free_ns = dict.fromkeys(LINES, 0)
        self._up_ns = self.desk.now_ns
        self._live_ns: int | None = None
        self._was_down = False
        """Whether the source has said so since the link failed."""
        self._plug_ns: int | None = None
        self._next_press_ns = 0
        self._next_failure_ns = 0

    def run(self, for_ms: int) -> Play:
        desk = self.desk.settle()
        self._live_ns = desk.now_ns
        end_ns = desk.now_ns + for_ms * MS
        self._next_failure_ns = desk.now_ns + self.chance.randint(300, 3_000) * MS
        while desk.now_ns < end_ns:
            self._act()
            desk.step()
            self._see()
        if self._plug_ns is not None:
            desk.device.plug_in()
        for _ in range(4_000):
            desk.step()
        assert desk.status.is_live
        self._see()
        self._live_until(desk.now_ns)
        self._boot_until(desk.now_ns)
        return self

    def _act(self) -> None:
        now_ns = self.desk.now_ns
        if now_ns >= self._next_press_ns:
            self._press()
            self._next_press_ns = now_ns + self.chance.randint(10, 250) * MS
        if self._plug_ns is not None and now_ns >= self._plug_ns:
            self._plug_ns = None
            self.desk.device.plug_in()
        if self._failures and self._plug_ns is None and now_ns >= self._next_failure_ns:
            self._fail()
            self._next_failure_ns = now_ns + self.chance.randint(1_000, 15_000) * MS

    def _press(self) -> None:
        now_ns = self.desk.now_ns
        free = [line for line in LINES if self._free_ns[line] <= now_ns]
        if not free:
            return
        line = self.chance.choice(free)
        hold_us = self.chance.choice((30_000, 60_000, 90_000, 300_000))
        at_ns = now_ns + self.chance.randint(0, 1_000_000)
        trace = draw_trace(self.chance, self.chance.choice(FAMILIES), hold_us)
        changes = tuple((at_ns + us * 1_000, bool(closed)) for us, closed in trace)
        for change_ns, closed in changes:
            self.desk.device.change(line, closed, change_ns)
        self._free_ns[line] = changes[-1][0] + self.chance.choice(REST_MS) * MS
        self.made.append(Made(line, at_ns, changes))

    def _fail(self) -> None:
        device, now_ns = self.desk.device, self.desk.now_ns
        kind = self.chance.choice(self._failures)
        if kind == "stall":
            for_ns = self.chance.choice((30, 200, 1_500)) * MS
            device.stall(for_ns)
            self._stalls.append((now_ns, now_ns + for_ns))
            return
        self._live_until(now_ns)
        self._was_down = False
        if kind != "unplug with power":
            self._boot_until(now_ns)
            self._up_ns = now_ns
        if kind == "reset":
            device.reset()
            return
        device.unplug(keeps_power=kind == "unplug with power")
        self._plug_ns = now_ns + self.chance.choice((20, 400, 5_000)) * MS
        if kind == "unplug":
            self._up_ns = self._plug_ns
        else:
            self._stalls.append((now_ns, self._plug_ns + LOOKED_FOR_NS))

    def _boot_until(self, now_ns: int) -> None:
        if now_ns > self._up_ns:
            self.boots.append((self._up_ns, now_ns))

    def _see(self) -> None:
        is_live = self.desk.status.is_live
        if not is_live:
            self._was_down = True
            self._live_until(self.desk.now_ns)
        elif self._live_ns is None and self._was_down:
            self._live_ns = self.desk.now_ns

    def _live_until(self, now_ns: int) -> None:
        if self._live_ns is not None:
            self.listened.append((self._live_ns, now_ns))
        self._live_ns = None

    # What must come of it

    def true_stamps(self) -> set[tuple[str, bool, int]]:
        """Every change of a contact: button, whether it closed, and the device's stamp, if it booted but once."""
        clock = self.desk.device._board._clock
        return {
            (made.line, closed, -(-clock.exact_ns(change_ns) // 1_000) * 1_000)
            for made in self.made
            for change_ns, closed in made.changes
        }

    def must_come(self) -> list[Made]:
        """The presses whose contact closed while the link was up, and whose edges the device could keep."""
        return [made for made in self.made if self.must(made)]

    def must(self, made: Made) -> bool:
        """Whether this one is such a press."""
        return self._is_heard(made) and self._is_kept(made)

    def _is_heard(self, made: Made) -> bool:
        return any(from_ns + MS <= made.at_ns <= to_ns for from_ns, to_ns in self.listened)

    def _is_kept(self, made: Made) -> bool:
        """Nothing arrives before a stall is over, or the plug is in again."""
        ends_ns = [end_ns for begin_ns, end_ns in self._stalls if begin_ns - ARRIVES_NS <= made.at_ns <= end_ns]
        end_ns = max([made.at_ns, *ends_ns]) + ARRIVES_NS
        return any(from_ns <= made.at_ns and end_ns <= to_ns for from_ns, to_ns in self.boots)

    def matched(self) -> dict[int, list[Press]]:
        """For each press as it was made, by number, those that were heard of it. Raises when one is of none."""
        of_line: dict[str, list[int]] = {}
        for number, made in enumerate(self.made):
            of_line.setdefault(made.line, []).append(number)
        found: dict[int, list[Press]] = {}
        for press in self.desk.presses:
            numbers = of_line.get(press.line, [])
            bound_ns = press.err_ns + press.map_err_ns
            after = bisect_right(numbers, press.t_ns + bound_ns, key=lambda number: self.made[number].at_ns)
            near = [
                number for number in numbers[max(0, after - NEAR) : after] if _may_be(press, self.made[number])
            ]
            assert len(near) == 1, f"{press} is of {[self.made[number] for number in near]}"
            found.setdefault(near[0], []).append(press)
        return found


def _may_be(press: Press, made: Made) -> bool:
    """Whether a press is the one that was made, by its stamp and the bounds of that."""
    if press.line != made.line:
        return False
    bound_ns = press.err_ns + press.map_err_ns
    return made.at_ns - bound_ns <= press.t_ns <= made.changes[-1][0] + bound_ns


def check(play: Play) -> None:
    """Every press that must come has come, none twice, in order, and no other."""
    found = play.matched()
    doubled = {number: presses for number, presses in found.items() if len(presses) > 1}
    assert doubled == {}
    missing = [made for number, made in enumerate(play.made) if number not in found and play.must(made)]
    assert missing == []
    presses = play.desk.presses
    assert all(not press.made_up for press in presses)
    assert [press.order_ns for press in presses] == sorted(press.order_ns for press in presses)
