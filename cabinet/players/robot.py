"""A computer player with human reaction times. It sees only a View, and plays by pressing buttons.

Pure: its times and its Random are given. What it would do is thought out when a changed table was shown, and
again when the table changes while it is thinking.
"""

from __future__ import annotations

from collections import deque
from math import log
from random import Random
from typing import Final, Literal

import msgspec

from cabinet.engine.actions import Action, Choose, Move, Play, Ready, Slap, Spit, Turn
from cabinet.engine.cards import Card, are_neighbours
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, OWN_SIDE, PileName, Seat, View
from cabinet.panel import LONE_SPIT_RESTS_NS, SPACE_RESTS_NS, START, Button, Layout, Tap, taps_for

LEAST_REACTION_NS: Final = 180 * MILLISECOND_NS
"""No press earlier than this after the frame that showed the change: the fastest simple human reaction."""

TAP_NS: Final = 70 * MILLISECOND_NS
"""How long a finger keeps a button down."""
BETWEEN_TAPS_NS: Final = 160 * MILLISECOND_NS
"""From one button to the next of one action."""
SPIT_AHEAD_NS: Final = 60 * MILLISECOND_NS
"""How long before a stock button SPIT goes down when it is held with it."""
RETRY_NS: Final = 1_500 * MILLISECOND_NS
"""After this long without any change the robot tries again."""

Strength = Literal["gentle", "steady", "quick"]


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """How fast and how careful a robot is."""

    reaction_ms: int
    """Median time from a shown change to the press."""
    spread: float
    """Standard deviation of the reaction's logarithm."""
    slap_ms: int
    """Median time from the cue to the slap."""
    misreads: float
    """Share of plays for which it presses a wrong button."""
    miscounts: float
    """Share of slaps on the bigger pile."""


SKILLS: Final[dict[Strength, Skill]] = {
    "gentle": Skill(reaction_ms=1_500, spread=0.35, slap_ms=620, misreads=0.05, miscounts=0.30),
    "steady": Skill(reaction_ms=950, spread=0.30, slap_ms=460, misreads=0.025, miscounts=0.15),
    "quick": Skill(reaction_ms=620, spread=0.25, slap_ms=340, misreads=0.01, miscounts=0.05),
}


class RobotSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The computer player."""

    strength: Strength = "steady"
    """How strong the robot is that plays against one person."""
    show: Strength = "steady"
    """How strong the robots are that play behind the title."""


class Contact(msgspec.Struct, frozen=True, gc=False):
    """A button of the robot's seat goes down or comes up."""

    at_ns: int
    """Host time."""
    button: Button
    closed: bool


class _Frame(msgspec.Struct, frozen=True, gc=False):
    """What is shown from `shown_ns` on."""

    shown_ns: int
    view: View
    offset_ns: int
    """Host less match time."""


class _Plan(msgspec.Struct, frozen=True, gc=False):
    """What the robot is about to press, and when."""

    action: Action
    taps: tuple[Tap, ...]
    at_ns: int


class Robot:
    """Plays one seat. Not thread-safe.

    It knows a frame from the moment at which it is shown, and a frame shown less than `LEAST_REACTION_NS` before
    a planned press neither stops nor changes that press: the finger is on its way, as a person's would be.
    """

    def __init__(self, seat: Seat, skill: Skill, rng: Random, layout: Layout = "side_by_side") -> None:
        self.seat = seat
        self._skill = skill
        self._rng = rng
        self._layout: Layout = layout
        self._coming: deque[_Frame] = deque()
        self._frame: _Frame | None = None
        self._plan: _Plan | None = None
        self._has_news = False
        self._contacts: list[Contact] = []
        self._free_ns = 0
        self._retry_ns: int | None = None

    def see(self, view: View, offset_ns: int, shown_ns: int) -> None:
        """A frame with this view is shown at host time `shown_ns`; `offset_ns` is host less match time."""
        before = self._coming[-1] if self._coming else self._frame
        if before is None or _without_time(before.view) != _without_time(view) or before.offset_ns != offset_ns:
            self._coming.append(_Frame(shown_ns, view, offset_ns))

    def contacts_until(self, now_ns: int) -> list[Contact]:
        """What the robot's fingers do up to and including host time `now_ns`, in order; each is told once."""
        while (due_ns := self._next_thought_ns()) is not None and due_ns <= now_ns:
            if self._coming and self._coming[0].shown_ns <= due_ns:
                self._look(self._coming.popleft())
            elif self._plan is not None:
                self._press(self._plan)
            else:
                self._think(due_ns)
        due = [contact for contact in self._contacts if contact.at_ns <= now_ns]
        self._contacts = [contact for contact in self._contacts if contact.at_ns > now_ns]
        return due

    def next_ns(self) -> int | None:
        """When the robot will do something next if nothing changes; None: never."""
        times = [contact.at_ns for contact in self._contacts]
        thought_ns = self._next_thought_ns()
        return min([*times, thought_ns] if thought_ns is not None else times, default=None)

    def _next_thought_ns(self) -> int | None:
        times = [self._coming[0].shown_ns] if self._coming else []
        if self._plan is not None:
            times.append(self._plan.at_ns)
        elif self._retry_ns is not None:
            times.append(self._retry_ns)
        return min(times, default=None)

    def _look(self, frame: _Frame) -> None:
        self._frame = frame
        plan = self._plan
        if plan is not None and plan.at_ns < frame.shown_ns + LEAST_REACTION_NS:
            self._has_news = True
        elif plan is None or plan.action not in sensible_actions(frame.view, self.seat):
            self._think(frame.shown_ns)
        else:
            self._plan = msgspec.structs.replace(plan, taps=self._taps(plan.action, frame.view))

    def _press(self, plan: _Plan) -> None:
        at_ns = plan.at_ns
        for tap in plan.taps:
            self._contacts += _contacts_of(tap, at_ns)
            at_ns += BETWEEN_TAPS_NS
        self._contacts.sort(key=lambda contact: contact.at_ns)
        self._plan = None
        self._free_ns = at_ns
        self._retry_ns = at_ns + RETRY_NS
        if self._has_news and self._frame is not None:
            self._think(self._frame.shown_ns)

    def _think(self, since_ns: int) -> None:
        """Decide what to press next, having known the table since `since_ns`."""
        self._plan, self._has_news, self._retry_ns = None, False, None
        frame = self._frame
        actions = sensible_actions(frame.view, self.seat) if frame is not None else []
        if frame is None or not actions:
            return
        action = actions[0]
        median_ms = self._skill.slap_ms if isinstance(action, Slap | Choose) else self._skill.reaction_ms
        reaction_ns = int(self._rng.lognormvariate(log(median_ms), self._skill.spread) * MILLISECOND_NS)
        least_ns = LEAST_REACTION_NS
        if isinstance(action, Move):
            least_ns += SPACE_RESTS_NS
        elif isinstance(action, Spit) and action.pile is not None:
            least_ns += LONE_SPIT_RESTS_NS
        at_ns = since_ns + max(reaction_ns, least_ns)
        unlocked_ns = frame.view.side(self.seat).locked_until_ns + frame.offset_ns + LEAST_REACTION_NS
        action = self._with_mistakes(action, frame.view)
        taps = self._taps(action, frame.view)
        self._plan = _Plan(action, taps, max(at_ns, self._free_ns, unlocked_ns))

    def _taps(self, action: Action, view: View) -> tuple[Tap, ...]:
        return taps_for(action, self.seat, view, self._layout)

    def _with_mistakes(self, action: Action, view: View) -> Action:
        if isinstance(action, Play) and self._rng.random() < self._skill.misreads:
            wrong = [number for number, pile in enumerate(view.side(self.seat).stock, 1) if pile.top is not None]
            return Play(self._rng.choice(wrong))
        if isinstance(action, Slap) and self._rng.random() < self._skill.miscounts:
            return Slap(OTHER_PILE[action.pile])
        return action


def _contacts_of(tap: Tap, at_ns: int) -> list[Contact]:
    if not tap.with_spit:
        return [Contact(at_ns, tap.button, True), Contact(at_ns + TAP_NS, tap.button, False)]
    down_ns = at_ns + SPIT_AHEAD_NS
    return [
        Contact(at_ns, START, True),
        Contact(down_ns, tap.button, True),
        Contact(down_ns + TAP_NS, tap.button, False),
        Contact(down_ns + 2 * TAP_NS, START, False),
    ]


def _without_time(view: View) -> View:
    return msgspec.structs.replace(view, now_ns=0)


# What is worth doing


def sensible_actions(view: View, seat: Seat) -> list[Action]:
    """What this seat could sensibly do now, the best first; empty: nothing but wait."""
    if view.beat is not None or view.phase == "over":
        return []
    if view.phase == "ready":
        return [] if view.side(seat).is_ready else [Ready()]
    if view.phase in ("slap", "choose"):
        return _settling_actions(view, seat)
    if view.is_stuck:
        return _stuck_actions(view, seat)
    return [*_plays(view, seat), *_turns(view, seat), *_moves(view, seat)]


def _settling_actions(view: View, seat: Seat) -> list[Action]:
    if not view.slap_open:
        return []
    smaller = _smaller_pile(view, seat)
    if view.phase == "slap":
        return [Slap(smaller)]
    return [Choose(smaller)] if view.chooser == seat else []


def _smaller_pile(view: View, seat: Seat) -> PileName:
    own = OWN_SIDE[seat]
    sizes = {name: pile.size if (pile := view.pile(name)) else 0 for name in (own, OTHER_PILE[own])}
    return min(sizes, key=lambda name: sizes[name])


def _stuck_actions(view: View, seat: Seat) -> list[Action]:
    side = view.side(seat)
    if not side.spit_size or (view.lone_spitter is None and side.has_called):
        return []
    if view.lone_spitter is None or not view.needs_pile:
        return [] if side.has_called else [Spit()]
    return [Spit(OTHER_PILE[_smaller_pile(view, seat)])]


def _plays(view: View, seat: Seat) -> list[Action]:
    plays = [(stock, pile) for of, stock, pile in view.fitting if of == seat]
    own = OWN_SIDE[seat]
    plays.sort(key=lambda play: (-_worth(view, seat, play[0]), play[0], play[1] != own))
    return [Play(stock, pile) for stock, pile in plays]


def _worth(view: View, seat: Seat, stock: int) -> int:
    """A play is worth more when it uncovers a card, from a higher pile, and when another own top can follow."""
    piles = view.side(seat).stock
    card = piles[stock - 1].top
    followers = sum(
        1
        for number, other in enumerate(piles, 1)
        if number != stock and other.top is not None and card is not None and are_neighbours(other.top, card)
    )
    helps_other = any(
        top is not None and card is not None and are_neighbours(top, card) for top in _tops(view, OTHER_SEAT[seat])
    )
    return 2 * piles[stock - 1].size + 3 * followers - 2 * helps_other


def _tops(view: View, seat: Seat) -> list[Card | None]:
    return [pile.top for pile in view.side(seat).stock]


def _turns(view: View, seat: Seat) -> list[Action]:
    stock = view.side(seat).stock
    return [Turn(number) for number, pile in enumerate(stock, 1) if pile.size and pile.top is None]


def _moves(view: View, seat: Seat) -> list[Action]:
    """Into the lowest space, from the highest pile first."""
    stock = view.side(seat).stock
    spaces = [number for number, pile in enumerate(stock, 1) if not pile.size]
    sources = [number for number, pile in enumerate(stock, 1) if pile.size > 1 and pile.top is not None]
    if not spaces:
        return []
    return [Move(source, spaces[0]) for source in sorted(sources, key=lambda number: -stock[number - 1].size)]
