"""How fast the engine judges, and how long a whole match takes it (HOUSE.md, "What it must reach")."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import median
from typing import Final

import msgspec

from cabinet.engine import judge
from cabinet.engine.actions import Action, Choose, Ready, Slap, Spit
from cabinet.engine.match import Match, new_match
from cabinet.engine.rules import ARCADE, MILLISECOND_NS
from cabinet.engine.table import PILE_NAMES, SEATS, Seat
from cabinet.engine.table_rules import table_rules

NS_IN_S: Final = 1_000_000_000
BEFORE_A_PRESS_NS: Final = (60 * MILLISECOND_NS, 400 * MILLISECOND_NS)
"""Two players press about so far apart."""
LONGEST_MATCH: Final = 5_000
"""No match has so many presses; one that does will never end."""


class Recorded(msgspec.Struct, frozen=True):
    """A match and the accepted presses that were made in it."""

    start: Match
    presses: tuple[tuple[Seat, Action, int], ...]
    """Seat, action and match time."""


class EngineSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of the engine."""

    actions_per_s: float
    """Accepted presses judged in a second; the median of the rounds."""
    match_ms: float
    """A whole match of Spit played by itself, choosing what to press included; the median of the matches."""
    actions_a_match: float


def measure(
    clock_ns: Callable[[], int], *, matches: int = 20, rounds: int = 9, rng: Random | None = None
) -> EngineSpeed:
    """Plays `matches` matches, then judges their presses again, `rounds` times. About two seconds."""
    rng = rng or Random(1)
    recorded, match_times_ns = [], []
    for _ in range(matches):
        start = new_match(ARCADE, Random(rng.getrandbits(32)))
        began_ns = clock_ns()
        presses = play(start, rng)
        match_times_ns.append(clock_ns() - began_ns)
        recorded.append(Recorded(start, presses))
    count = sum(len(one.presses) for one in recorded)
    round_times_ns = []
    for _ in range(rounds):
        began_ns = clock_ns()
        for one in recorded:
            judge_again(one)
        round_times_ns.append(clock_ns() - began_ns)
    return EngineSpeed(
        actions_per_s=round(count * NS_IN_S / median(round_times_ns)),
        match_ms=round(median(match_times_ns) / MILLISECOND_NS, 3),
        actions_a_match=round(count / matches, 1),
    )


def play(match: Match, rng: Random) -> tuple[tuple[Seat, Action, int], ...]:
    """Plays a match to its end by doing whatever is useful; the accepted presses.

    Raises RuntimeError should it come to no end.
    """
    presses: list[tuple[Seat, Action, int]] = []
    for _ in range(LONGEST_MATCH):
        if match.is_over:
            return tuple(presses)
        match = judge.advance(match, match.now_ns + rng.randrange(*BEFORE_A_PRESS_NS)).match
        press = choose(match, rng)
        if press is None:
            due_ns = judge.next_time_out_ns(match)
            match = judge.advance(match, match.now_ns if due_ns is None else due_ns).match
            continue
        presses.append((*press, match.now_ns))
        match = judge.press(match, *press, match.now_ns).match
    raise RuntimeError(f"a match of {LONGEST_MATCH} presses has not come to its end")


def choose(match: Match, rng: Random) -> tuple[Seat, Action] | None:
    """What one of the players would press now, and be allowed to; None: both wait for the machine."""
    first = rng.choice(SEATS)
    for seat in (first, *(seat for seat in SEATS if seat != first)):
        wanted = _wanted(match, seat, rng)
        if wanted is not None and judge.action_refusal(match, seat, wanted) is None:
            return seat, wanted
    return None


def _wanted(match: Match, seat: Seat, rng: Random) -> Action | None:
    if match.phase == "ready":
        return Ready()
    if match.phase == "slap":
        return Slap(rng.choice(PILE_NAMES))
    if match.phase == "choose":
        return Choose(rng.choice(PILE_NAMES))
    useful = list(table_rules(match.rules).useful_actions(match.table, match.rules, seat))
    return rng.choice(useful) if useful else Spit()


def judge_again(recorded: Recorded) -> Match:
    """The match after all its presses."""
    match = recorded.start
    press = judge.press
    for seat, action, at_ns in recorded.presses:
        match = press(match, seat, action, at_ns).match
    return match
