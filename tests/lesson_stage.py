"""A lesson played through panel and engine, caption by caption; each state is held against RULES.md section 9."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

import msgspec

from cabinet.buttons.edges import HOST_CLOCK, Press
from cabinet.engine.actions import Event, Played
from cabinet.engine.cards import Card
from cabinet.engine.match import Match
from cabinet.engine.table import SEATS, Seat
from cabinet.lesson import Cue, LessonPlan
from cabinet.panel import Button, Layout, line_of
from cabinet.session import Session
from cabinet.snapshot import Caption
from tests.invariants import Watcher

MS: Final = 1_000_000
STARTED_NS: Final = 7_000 * MS

EventT = TypeVar("EventT", bound=msgspec.Struct)


class Moment(msgspec.Struct, frozen=True):
    """One press, or one wait: what was on the table before and after it, and what happened."""

    before: Match
    after: Match
    events: tuple[Event, ...]


class Shown(msgspec.Struct, frozen=True):
    """What was to be seen under one caption."""

    caption: Caption
    moments: tuple[Moment, ...]
    outcomes: tuple[str, ...]
    """Of each press, in order: done, waits, nothing, or why it was refused."""

    @property
    def before(self) -> Match:
        """The match when the caption came up."""
        return self.moments[0].before

    @property
    def after(self) -> Match:
        """The match when the next caption came up, or the lesson was over."""
        return self.moments[-1].after

    def events(self, kind: type[EventT]) -> list[EventT]:
        """All of one kind that happened."""
        return [event for moment in self.moments for event in moment.events if isinstance(event, kind)]

    def one(self, kind: type[EventT]) -> EventT:
        """The only one of its kind that happened."""
        (event,) = self.events(kind)
        return event

    def plays(self) -> Iterator[tuple[Played, Card]]:
        """Each play with the card that it covered."""
        for moment in self.moments:
            for event in moment.events:
                if isinstance(event, Played):
                    pile = moment.before.table.pile(event.pile)
                    assert pile
                    yield event, pile[-1]


def presses_of(plan: LessonPlan) -> list[tuple[int, Seat, Button]]:
    """Every press by its time from the lesson's start."""
    contacts = {"a": plan.contacts_a, "b": plan.contacts_b}
    return sorted((one.at_ns, seat, one.button) for seat in SEATS for one in contacts[seat] if one.closed)


def played(plan: LessonPlan, layout: Layout = "side_by_side") -> list[Shown]:
    """The lesson from its start to its end."""
    stage = _Stage(plan, layout)
    ends_ns = [*(cue.at_ns for cue in plan.cues[1:]), plan.length_ns]
    return [stage.show(cue, until_ns) for cue, until_ns in zip(plan.cues, ends_ns, strict=True)]


class _Stage:
    def __init__(self, plan: LessonPlan, layout: Layout) -> None:
        self._session = Session(plan.match, STARTED_NS, layout)
        self._watcher = Watcher(plan.match)
        self._presses = presses_of(plan)
        self._moments: list[Moment] = []
        self._outcomes: list[str] = []

    def show(self, cue: Cue, until_ns: int) -> Shown:
        """All up to the next cue."""
        self._moments, self._outcomes = [], []
        while self._presses and self._presses[0][0] < until_ns:
            self._press(*self._presses.pop(0))
        self._advance(until_ns - 1)
        return Shown(cue.caption, tuple(self._moments), tuple(self._outcomes))

    def _advance(self, until_ns: int) -> None:
        before = self._session.match
        self._see(before, self._session.advance(STARTED_NS + until_ns).events)

    def _press(self, at_ns: int, seat: Seat, button: Button) -> None:
        self._advance(at_ns)
        before, line = self._session.match, line_of(seat, button)
        press = Press(line, STARTED_NS + at_ns, 0, HOST_CLOCK, seq=1)
        judgement = self._session.judge([self._session.seat_press(seat, button, press)])
        answer = judgement.judged[0].answer
        idle = "waits" if answer.waits else "nothing"
        self._outcomes.append(answer.refusal or ("done" if answer.action else idle))
        self._see(before, judgement.events)

    def _see(self, before: Match, events: tuple[Event, ...]) -> None:
        self._watcher.see(self._session.match, events)
        self._moments.append(Moment(before, self._session.match, events))
