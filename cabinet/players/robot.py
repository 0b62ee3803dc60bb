"""A computer player with human reaction times. It sees only a View, and plays by pressing buttons.

Pure: its times and its Random are given. What it would do is thought out when a changed table was shown, and
again when the table changes while it is thinking.
"""

from __future__ import annotations

from collections import deque
from math import exp
from random import Random
from typing import Final, Literal

import msgspec

from cabinet.engine.actions import Action, Choose, Move, Play, Slap, Spit
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import OTHER_PILE, Seat, View
from cabinet.panel import LONE_SPIT_RESTS_NS, SPACE_RESTS_NS, START, Button, Layout, Tap, taps_for
from cabinet.players.tactics import sensible_actions

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
    form: float
    """The same of its pace from one match to the next: nobody plays alike every day."""
    slap_ms: int
    """Median time from the cue to the slap."""
    misreads: float
    """Share of plays for which it presses a wrong button."""
    miscounts: float
    """Share of slaps and choices that take the bigger pile."""


SKILLS: Final[dict[Strength, Skill]] = {
    "gentle": Skill(reaction_ms=1_600, spread=0.35, form=0.3, slap_ms=620, misreads=0.05, miscounts=0.30),
    "steady": Skill(reaction_ms=1_100, spread=0.30, form=0.3, slap_ms=480, misreads=0.03, miscounts=0.15),
    "quick": Skill(reaction_ms=750, spread=0.25, form=0.3, slap_ms=380, misreads=0.01, miscounts=0.05),
}
"""Each wins about four of five matches of Spit, and of Speed, against the next (`simulate --tournament`).

Gentle's pace is for somebody who plays for the first time; yet a masher must not beat it (RULES.md 53).
"""


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
    """What it wants."""
    pressed: Action
    """What its fingers will say: the same but for slips."""
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
        self._worth_doing: list[Action] | None = None
        self._plan: _Plan | None = None
        self._has_news = False
        self._contacts: deque[Contact] = deque()
        self._pace = exp(rng.gauss(0, skill.form))
        self._free_ns = 0
        self._retry_ns: int | None = None

    def see(self, view: View, offset_ns: int, shown_ns: int) -> None:
        """A frame with this view is shown at host time `shown_ns`; `offset_ns` is host less match time."""
        before = self._coming[-1] if self._coming else self._frame
        if before is None or before.offset_ns != offset_ns or not _differ_in_time_only(before.view, view):
            self._coming.append(_Frame(shown_ns, view, offset_ns))
            self._look_ahead()

    def contacts_until(self, now_ns: int) -> list[Contact]:
        """What the robot's fingers do up to and including host time `now_ns`, in order; each is told once."""
        while (acts_ns := self._acts_ns()) is not None and acts_ns <= now_ns:
            if self._plan is not None:
                self._press(self._plan)
            else:
                self._think(acts_ns)
            self._look_ahead()
        due = []
        while self._contacts and self._contacts[0].at_ns <= now_ns:
            due.append(self._contacts.popleft())
        return due

    def next_ns(self) -> int | None:
        """When the robot will do something next if nothing changes; None: never."""
        return _earliest(self._acts_ns(), self._contacts[0].at_ns if self._contacts else None)

    def next_press_ns(self) -> int | None:
        """The same, but for buttons that come up."""
        presses = (contact.at_ns for contact in self._contacts if contact.closed)
        return _earliest(self._acts_ns(), next(presses, None))

    def _acts_ns(self) -> int | None:
        """When it presses as planned or, without a plan, thinks again."""
        return self._retry_ns if self._plan is None else self._plan.at_ns

    def _look_ahead(self) -> None:
        """Looks at the frames that are shown before it acts: what it then wants is known as soon as they come."""
        while self._coming:
            acts_ns = self._acts_ns()
            if acts_ns is not None and acts_ns < self._coming[0].shown_ns:
                return
            self._look(self._coming.popleft())

    def _look(self, frame: _Frame) -> None:
        self._frame, self._worth_doing = frame, None
        plan = self._plan
        if plan is not None and plan.at_ns < frame.shown_ns + LEAST_REACTION_NS:
            self._has_news = True
        elif plan is None or not self._still_wants(plan.action, frame):
            self._think(frame.shown_ns)
        else:
            self._plan = _Plan(plan.action, plan.pressed, self._taps(plan.pressed, frame.view), plan.at_ns)

    def _press(self, plan: _Plan) -> None:
        at_ns = plan.at_ns
        contacts = []
        for tap in plan.taps:
            contacts += _contacts_of(tap, at_ns)
            at_ns += BETWEEN_TAPS_NS
        contacts.sort(key=lambda contact: contact.at_ns)
        self._contacts.extend(contacts)
        self._plan = None
        self._free_ns = max(at_ns, contacts[-1].at_ns + 1) if contacts else at_ns
        self._retry_ns = at_ns + RETRY_NS
        if self._has_news and self._frame is not None:
            self._think(self._frame.shown_ns)

    def _think(self, since_ns: int) -> None:
        """Decide what to press next, having known the table since `since_ns`."""
        self._plan, self._has_news, self._retry_ns = None, False, None
        frame = self._frame
        actions = self._actions(frame) if frame is not None else []
        if frame is None or not actions:
            return
        action = actions[0]
        pressed = self._with_slips(action, frame.view)
        unlocked_ns = frame.view.side(self.seat).locked_until_ns + frame.offset_ns + LEAST_REACTION_NS
        at_ns = max(since_ns + self._reaction_ns(action), self._free_ns, unlocked_ns)
        self._plan = _Plan(action, pressed, self._taps(pressed, frame.view), at_ns)

    def _still_wants(self, action: Action, frame: _Frame) -> bool:
        if isinstance(action, Play) and action.pile is not None:
            return frame.view.fits(self.seat, action.stock, action.pile)
        return action in self._actions(frame)

    def _actions(self, frame: _Frame) -> list[Action]:
        """What is worth doing in the frame that is looked at, thought out when it is asked for."""
        if self._worth_doing is None:
            self._worth_doing = sensible_actions(frame.view, self.seat)
        return self._worth_doing

    def _reaction_ns(self, action: Action) -> int:
        """From knowing a table to the first press of an action."""
        skill = self._skill
        median_ms = skill.slap_ms if isinstance(action, Slap | Choose) else skill.reaction_ms
        reaction_ns = int(median_ms * self._pace * exp(self._rng.gauss(0, skill.spread)) * MILLISECOND_NS)
        least_ns = LEAST_REACTION_NS
        if isinstance(action, Move):
            least_ns += SPACE_RESTS_NS
        elif isinstance(action, Spit) and action.pile is not None:
            least_ns += LONE_SPIT_RESTS_NS
        return max(reaction_ns, least_ns)

    def _taps(self, action: Action, view: View) -> tuple[Tap, ...]:
        return taps_for(action, self.seat, view, self._layout)

    def _with_slips(self, action: Action, view: View) -> Action:
        if isinstance(action, Play) and self._rng.random() < self._skill.misreads:
            wrong = [number for number, pile in enumerate(view.side(self.seat).stock, 1) if pile.top is not None]
            return Play(self._rng.choice(wrong))
        if isinstance(action, Slap | Choose) and self._rng.random() < self._skill.miscounts:
            return type(action)(OTHER_PILE[action.pile])
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


def _earliest(time_ns: int | None, other_ns: int | None) -> int | None:
    if time_ns is None or other_ns is None:
        return other_ns if time_ns is None else time_ns
    return min(time_ns, other_ns)


def _differ_in_time_only(view: View, other: View) -> bool:
    return msgspec.structs.replace(view, now_ns=other.now_ns) == other
