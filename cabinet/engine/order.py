"""Which presses are dead heats, what the token decides, and what is void (RULES.md 13, 25, 26; C1-C3, C16).

`judge_presses` takes presses in order of time and judges them one after another. It serves the cabinet, where
a press has to be given a meaning when its turn comes, and the referee, where the meaning is written down: both
say what a press is by a `Court`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Action, Event, Refusal, Refused, Slap
from cabinet.engine.match import Match, with_hand
from cabinet.engine.rounds import pass_token
from cabinet.engine.slap import take_each
from cabinet.engine.table import OTHER_SEAT, PileName, Seat


class Timed(Protocol):
    """A press with its place in time."""

    @property
    def seat(self) -> Seat:
        """Who pressed."""

    @property
    def at_ns(self) -> int:
        """Match time of the press."""

    def ties_with(self, other: Timed, /) -> bool:
        """Whether the two times cannot be told apart."""


PressT = TypeVar("PressT", bound=Timed)
PressT_contra = TypeVar("PressT_contra", bound=Timed, contravariant=True)
StateT = TypeVar("StateT")


class Answer(msgspec.Struct, frozen=True, gc=False):
    """What became of one press."""

    action: Action | None
    """What it meant; None: nothing."""
    refusal: Refusal | None
    """None: accepted, or it meant nothing."""
    waits: bool = False
    """It means nothing yet: it waits for a second press."""
    behind_ns: int | None = None
    """A lost race: how much earlier the other player was."""
    pile: PileName | None = None
    """Where it acted, or was meant to act."""

    @property
    def is_accepted(self) -> bool:
        """Whether it meant something and counted."""
        return self.action is not None and self.refusal is None


class Court(Protocol[StateT, PressT_contra]):
    """Gives presses their meaning and applies them to a state that contains a match."""

    def match(self, state: StateT) -> Match:
        """The match within the state."""

    def with_match(self, state: StateT, match: Match) -> StateT:
        """The state with the match replaced."""

    def meaning(self, state: StateT, press: PressT_contra) -> Action | None:
        """What the press would mean now."""

    def act(self, state: StateT, press: PressT_contra, at_ns: int) -> tuple[StateT, Answer, tuple[Event, ...]]:
        """The state after the press, counted as made at `at_ns`."""


class Judged(msgspec.Struct, Generic[PressT], frozen=True):
    """One press and what became of it."""

    press: PressT
    answer: Answer
    at_ns: int
    """Match time at which it counted as made."""
    tied_with: PressT | None = None
    """The other press of a dead heat."""
    token_decided: bool = False
    """The token decided this dead heat."""


class _Course(msgspec.Struct, Generic[StateT, PressT], frozen=True):
    """What some presses led to, judged in the order in which they stand."""

    state: StateT
    judged: tuple[Judged[PressT], ...]
    events: tuple[Event, ...]


def judge_presses(
    court: Court[StateT, PressT], state: StateT, presses: Sequence[PressT]
) -> tuple[StateT, list[Judged[PressT]], list[Event]]:
    """The state after all `presses`, what became of each in the order of judging, and what happened.

    Presses must come in order of time, and every press that could tie with one of them must be among them.
    """
    pending = list(presses)
    judged: list[Judged[PressT]] = []
    events: list[Event] = []
    while pending:
        before = judge.advance(court.match(state), pending[0].at_ns)
        state = court.with_match(state, before.match)
        course = _judge_front(court, state, pending)
        state = course.state
        judged.extend(course.judged)
        events.extend((*before.events, *course.events))
        for one in course.judged:
            pending.remove(one.press)
    return state, judged, events


def _judge_front(
    court: Court[StateT, PressT], state: StateT, pending: Sequence[PressT]
) -> _Course[StateT, PressT]:
    """Judges the first of `pending`, with the press that it is void or in a dead heat with, if there is one."""
    first = pending[0]
    partner = dead_heat_partner(pending)
    for press in (first, partner):
        other_slap = _other_slap_of_hand(court, state, press, pending)
        if press is not None and other_slap is not None:
            return _void(court, state, (press, other_slap), first.at_ns)
    if partner is not None:
        return _judge_dead_heat(court, state, first, partner)
    return _in_order(court, state, (first,), first.at_ns)


def _in_order(
    court: Court[StateT, PressT], state: StateT, presses: Sequence[PressT], at_ns: int
) -> _Course[StateT, PressT]:
    judged = []
    events: list[Event] = []
    for press in presses:
        state, answer, happened = court.act(state, press, at_ns)
        judged.append(Judged(press, answer, at_ns))
        events.extend(happened)
    return _Course(state, tuple(judged), tuple(events))


# Dead heats


def dead_heat_partner(pending: Sequence[PressT]) -> PressT | None:
    """The other player's press that ties with the first of `pending`; None: none does (CLARIFICATIONS.md C1)."""
    seat = pending[0].seat
    for number, press in enumerate(pending):
        if press.seat != seat:
            return press if all(earlier.ties_with(press) for earlier in pending[:number]) else None
    return None


def _judge_dead_heat(
    court: Court[StateT, PressT], state: StateT, first: PressT, second: PressT
) -> _Course[StateT, PressT]:
    match = court.match(state)
    slaps = (_counting_slap(court, state, first), _counting_slap(court, state, second))
    if slaps[0] is not None and slaps[1] is not None:
        if slaps[0].pile != slaps[1].pile:
            return _both_slaps(court, state, (first, second), (slaps[0], slaps[1]))
        if match.round_end is not None and match.round_end.player is not None:
            leader = match.round_end.player
            return _paired(_in_order(court, state, _led_by(leader, first, second), first.at_ns), decided=False)
    course = _in_order(court, state, _led_by(match.token, first, second), first.at_ns)
    reverse = _in_order(court, state, _led_by(OTHER_SEAT[match.token], first, second), first.at_ns)
    if not _differ(court, course, reverse):
        return _paired(course, decided=False)
    events = list(course.events)
    passed = court.with_match(course.state, pass_token(court.match(course.state), events))
    return _paired(_Course(passed, course.judged, tuple(events)), decided=True)


def _led_by(seat: Seat, first: PressT, second: PressT) -> tuple[PressT, PressT]:
    return (first, second) if first.seat == seat else (second, first)


def _paired(course: _Course[StateT, PressT], *, decided: bool) -> _Course[StateT, PressT]:
    one, two = course.judged
    pair = (
        Judged(one.press, one.answer, one.at_ns, two.press, decided),
        Judged(two.press, two.answer, two.at_ns, one.press, decided),
    )
    return _Course(course.state, pair, course.events)


def _differ(
    court: Court[StateT, PressT], course: _Course[StateT, PressT], reverse: _Course[StateT, PressT]
) -> bool:
    """Whether the order decided something (CLARIFICATIONS.md C3)."""
    one, two = course.judged
    two_reversed, one_reversed = reverse.judged
    if (one.answer.is_accepted, two.answer.is_accepted) != (
        one_reversed.answer.is_accepted,
        two_reversed.answer.is_accepted,
    ):
        return True
    match, other = court.match(course.state), court.match(reverse.state)
    return replace(match, token="a") != replace(other, token="a")


# Slaps


def _counting_slap(court: Court[StateT, PressT], state: StateT, press: PressT) -> Slap | None:
    match = court.match(state)
    if match.phase != "slap":
        return None
    action = court.meaning(state, press)
    if not isinstance(action, Slap) or judge.action_refusal(match, press.seat, action) is not None:
        return None
    return action


def _both_slaps(
    court: Court[StateT, PressT], state: StateT, pair: tuple[PressT, PressT], slaps: tuple[Slap, Slap]
) -> _Course[StateT, PressT]:
    """Each has the pile slapped, and both slaps count (CLARIFICATIONS.md C16)."""
    match = court.match(state)
    at_ns = pair[0].at_ns
    judged = []
    for press, slap in zip(pair, slaps, strict=True):
        hand = replace(match.hand(press.seat), acted_ns=at_ns)
        match = with_hand(match, press.seat, hand)
        judged.append(Judged(press, Answer(slap, None, pile=slap.pile), at_ns))
    events: list[Event] = []
    match = take_each(match, slaps[0].pile if pair[0].seat == "a" else slaps[1].pile, events)
    return _paired(_Course(court.with_match(state, match), tuple(judged), tuple(events)), decided=False)


def _other_slap_of_hand(
    court: Court[StateT, PressT], state: StateT, press: PressT | None, pending: Sequence[PressT]
) -> PressT | None:
    """A slap of the same player on the other pile in the same instant, where both would count (RULES.md 26)."""
    slap = _counting_slap(court, state, press) if press is not None else None
    if press is None or slap is None:
        return None
    for other in pending:
        if other is not press and other.seat == press.seat and other.ties_with(press):
            other_slap = _counting_slap(court, state, other)
            if other_slap is not None and other_slap.pile != slap.pile:
                return other
    return None


def _void(
    court: Court[StateT, PressT], state: StateT, pair: tuple[PressT, PressT], at_ns: int
) -> _Course[StateT, PressT]:
    judged = []
    events = []
    for press in pair:
        action = court.meaning(state, press)
        judged.append(Judged(press, Answer(action, "VOID"), at_ns))
        if action is not None:
            events.append(Refused(at_ns=at_ns, seat=press.seat, action=action, reason="VOID"))
    return _Course(state, tuple(judged), tuple(events))
