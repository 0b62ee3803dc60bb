"""Does the cabinet favour a seat? Both seats' same button, closed by one contact, pressed many times. Pure.

Whoever wires two buttons together knows the truth: they close at one instant. All that is seen beyond the error
that the stamps are promised to have comes from wires, switches or encoders, and would decide a race.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from statistics import median, quantiles
from typing import Final, Literal

import msgspec

from cabinet.buttons.edges import Line, Press
from cabinet.line_names import line_name

Seat = Literal["a", "b"]
SEATS: Final[tuple[Seat, Seat]] = ("a", "b")
OTHER: Final[dict[str, Seat]] = {"a": "b", "b": "a"}

PAIR_NS: Final = 60_000_000
"""Presses of both seats that are no further apart are one press of the owner's."""

FEWEST: Final = 10
"""With fewer presses there is nothing to say."""

CHANCE: Final = 0.99
"""A panel that favours nobody stays within the range of chance so often."""

_MS: Final = 1_000_000


class Pair(msgspec.Struct, frozen=True):
    """One press, as both seats had it."""

    button: str
    """Its name without the seat: ``1`` to ``5``, ``spit``."""
    dt_ns: int
    """By how much the right seat's stamp is later; below 0: earlier."""
    err_ns: int
    """The error of both together: within it nobody can tell who was first."""
    first: Seat | None
    """Who would win the race; None: a dead heat."""
    is_by_stamp: bool
    """False when a stamp was not known well enough, or came too late, and the arrival decided."""


class Bias(msgspec.Struct, frozen=True):
    """What many presses show."""

    presses: int
    median_ns: int
    """Of the time by which the right seat is later."""
    middle_half_ns: tuple[int, int]
    """Half of all lie between these."""
    median_err_ns: int
    wins: dict[Seat, int]
    """How many races each seat would have won."""
    dead_heats: int
    by_arrival: int
    """Presses that were not judged by their stamps."""
    earlier: dict[Seat, int]
    """How often each seat's stamp was the earlier one, dead heats and all."""
    lead_ns: dict[Seat, int]
    """The median of the time by which it then was earlier; 0 when it never was."""


class Pairing:
    """Puts the presses of both seats together. Not thread-safe."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        """All so far."""
        self._alone: dict[Line, Press] = {}

    def take(self, press: Press) -> Pair | None:
        """A press, in order; the pair that it completes."""
        seat, _, button = press.line.partition(".")
        if not button:
            return None
        partner = self._alone.get(f"{OTHER[seat]}.{button}")
        if partner is None or abs(press.t_ns - partner.t_ns) > PAIR_NS:
            self._alone[press.line] = press
            return None
        del self._alone[partner.line]
        pair = _pair(button, *((partner, press) if seat == "b" else (press, partner)))
        self.pairs.append(pair)
        return pair

    def left_alone(self, decided_ns: int) -> list[Line]:
        """The presses that nothing can complete any more, now that all is decided up to `decided_ns`."""
        found = [line for line, press in self._alone.items() if decided_ns - press.t_ns > 2 * PAIR_NS]
        for line in found:
            del self._alone[line]
        return found


def bias_of(pairs: Sequence[Pair]) -> Bias:
    """What they show together. Raises ValueError when there is none."""
    if not pairs:
        raise ValueError("no press was seen on both seats")
    times_ns = sorted(pair.dt_ns for pair in pairs)
    leads_ns: dict[Seat, list[int]] = {
        "a": [time_ns for time_ns in times_ns if time_ns > 0],
        "b": [-time_ns for time_ns in times_ns if time_ns < 0],
    }
    quarters = quantiles(times_ns, n=4, method="inclusive") if len(times_ns) > 1 else [times_ns[0]] * 3
    return Bias(
        presses=len(pairs),
        median_ns=round(median(times_ns)),
        middle_half_ns=(round(quarters[0]), round(quarters[2])),
        median_err_ns=round(median(pair.err_ns for pair in pairs)),
        wins={seat: sum(pair.first == seat for pair in pairs) for seat in SEATS},
        dead_heats=sum(pair.first is None for pair in pairs),
        by_arrival=sum(not pair.is_by_stamp for pair in pairs),
        earlier={seat: len(leads) for seat, leads in leads_ns.items()},
        lead_ns={seat: round(median(leads)) if leads else 0 for seat, leads in leads_ns.items()},
    )


def chance_range(races: int) -> tuple[int, int]:
    """How many of so many races a seat wins that is not favoured, in `CHANCE` of all cases: from, to."""
    tail = (1 - CHANCE) / 2 * 2**races
    below, fewest = 0, 0
    while (below := below + comb(races, fewest)) <= tail:
        fewest += 1
    return fewest, races - fewest


def is_chance(counts: dict[Seat, int]) -> bool:
    """Whether a seat that is not favoured may well have so many."""
    low, high = chance_range(sum(counts.values()))
    return low <= counts["a"] <= high


def row(number: int, pair: Pair) -> str:
    """One press in one line."""
    figures = f"{number:>3}  {pair.button:<5} {_signed(pair.dt_ns):>8} ms  ± {pair.err_ns / _MS:.3f} ms  "
    if pair.first is None:
        return f"{figures}dead heat"
    return f"{figures}{_seat(pair.first)} first" + (
        "" if pair.is_by_stamp else " (by arrival: its stamp was not good)"
    )


def report(bias: Bias) -> list[str]:
    """What the presses show, for the owner."""
    low_ns, high_ns = bias.middle_half_ns
    lines = [
        f"{bias.presses} presses. From {_seat('a')} to {_seat('b')}: median {_signed(bias.median_ns)} ms, half of "
        f"all from {_signed(low_ns)} to {_signed(high_ns)} ms; error bar ± {bias.median_err_ns / _MS:.3f} ms.",
        f"As races: {_counts(bias.wins)}, dead heats {bias.dead_heats}.{_chance(bias.wins)}",
        f"Stamped earlier: {_counts(bias.earlier)}.{_chance(bias.earlier)}",
    ]
    if bias.by_arrival:
        lines.append(f"{bias.by_arrival} of them were not judged by their stamps: {_ARRIVAL}")
    return [*lines, verdict(bias)]


def verdict(bias: Bias) -> str:
    """In words, what it comes to."""
    if bias.presses < FEWEST:
        return f"Too few to say anything: press at least {FEWEST} times, better 50."
    if not is_chance(bias.wins):
        seat = _more(bias.wins)
        return f"{_seat(seat)} is seen first by {bias.lead_ns[seat] / _MS:.2f} ms: {_ADVICE}"
    if not is_chance(bias.earlier):
        seat = _more(bias.earlier)
        return (
            f"Even: neither seat is favoured. {_seat(seat)}'s stamps are mostly earlier, by "
            f"{bias.lead_ns[seat] / _MS:.3f} ms, but that is within the error bar, and such races are dead heats."
        )
    return "Even: neither seat is favoured."


_ADVICE: Final = (
    "check that both buttons have the same switch, the same length of wire and the same filter or none, and that "
    "both encoders are of one kind and in sockets of one kind; then exchange the two and see whether it follows."
)
_ARRIVAL: Final = "the buttons, or this computer, were too slow or lost edges; see spit-cabinet buttons."


def _pair(button: str, a: Press, b: Press) -> Pair:
    err_ns = a.err_ns + b.err_ns
    if a.clock != b.clock:
        err_ns += a.map_err_ns + b.map_err_ns
    first: Seat | None = None
    if not a.ties_with(b) and a.order_ns != b.order_ns:
        first = "a" if a.order_ns < b.order_ns else "b"
    is_by_stamp = a.judged_ns is None and b.judged_ns is None
    return Pair(button, b.t_ns - a.t_ns, err_ns, first, is_by_stamp)


def _more(counts: dict[Seat, int]) -> Seat:
    return "a" if counts["a"] > counts["b"] else "b"


def _seat(seat: Seat) -> str:
    return line_name(f"{seat}.").strip()


def _counts(counts: dict[Seat, int]) -> str:
    return ", ".join(f"{_seat(seat)} {count}" for seat, count in sorted(counts.items()))


def _chance(counts: dict[Seat, int]) -> str:
    count = sum(counts.values())
    if count == 0:
        return ""
    low, high = chance_range(count)
    return f" A seat that is not favoured has {low} to {high} of {count}."


def _signed(time_ns: int) -> str:
    return f"{time_ns / _MS:+.3f}"


def alone(lines: Iterable[Line]) -> list[str]:
    """What to say of presses that only one seat had."""
    return [
        f"only {line_name(line)} was pressed: is {line_name(f'{OTHER[line[0]]}{line[1:]}')} connected with it?"
        for line in lines
    ]
