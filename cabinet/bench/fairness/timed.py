"""Races at planned instants of host time, close on each other's heels, on each button of both seats. Pure."""

from __future__ import annotations

from random import Random
from typing import Final

from cabinet.bench.fairness.delivery import draw_stamps, log_uniform
from cabinet.bench.fairness.races import DEAD_HEAT_EVERY, US, Contact, Race
from cabinet.buttons.bounce import FAMILIES, draw_trace
from cabinet.engine.table import OTHER_SEAT, SEATS, Seat
from cabinet.panel import Button

MS: Final = 1_000_000
LEADS_NS: Final = (50 * US, 5 * MS)
"""Shorter ones are dead heats by the stamps, longer ones teach nothing and take long."""
APART_NS: Final = (8 * MS, 15 * MS)
"""From one race to the next. Six buttons in turn: each has opened and rested before it closes again."""
HOLD_US: Final = 20_000
BUTTONS: Final[tuple[Button, ...]] = ("1", "2", "3", "4", "5", "spit")


def plan_races(chance: Random, races: int, first_ns: int, err_ns: int) -> list[Race]:
    """So many races from host time `first_ns` on, each on the same button of both seats.

    `err_ns` is the error that the source promises for every stamp.
    """
    planned = []
    begins_ns = first_ns
    for number in range(1, races + 1):
        button = BUTTONS[number % len(BUTTONS)]
        lead_ns = 0 if number % DEAD_HEAT_EVERY == 0 else log_uniform(chance, *LEADS_NS)
        first: Seat = chance.choice(SEATS)
        one = _contact(chance, first, button, begins_ns, err_ns)
        other = _contact(chance, OTHER_SEAT[first], button, begins_ns + lead_ns, err_ns)
        a, b = (one, other) if first == "a" else (other, one)
        begins_ns += chance.randrange(*APART_NS)
        planned.append(Race(a, b, one.closes_ns, begins_ns))
    return planned


def _contact(chance: Random, seat: Seat, button: Button, closes_ns: int, err_ns: int) -> Contact:
    trace = draw_trace(chance, chance.choice(FAMILIES), HOLD_US)
    changes_ns = [closes_ns + us * US for us, _ in trace]
    _, stamps_ns = draw_stamps(chance, changes_ns)
    return Contact(seat, button, tuple(changes_ns), tuple(stamps_ns), tuple(stamps_ns), err_ns)
