"""Presses whose meaning is written down, judged as the cabinet and the referee judge theirs."""

from __future__ import annotations

import msgspec

from cabinet.engine import judge
from cabinet.engine.actions import Action, Event
from cabinet.engine.match import Match
from cabinet.engine.order import Answer, Timed
from cabinet.engine.table import Seat


class Written(msgspec.Struct, frozen=True):
    """A press whose meaning is written down."""

    number: int
    seat: Seat
    at_ns: int
    err_ns: int
    action: Action

    def ties_with(self, other: Timed) -> bool:
        """CLARIFICATIONS.md C1."""
        assert isinstance(other, Written)
        return abs(self.at_ns - other.at_ns) <= self.err_ns + other.err_ns


class WrittenCourt:
    """The state is the match, and every press means what is written."""

    def match(self, state: Match) -> Match:
        return state

    def with_match(self, state: Match, match: Match) -> Match:  # noqa: ARG002
        return match

    def meaning(self, state: Match, press: Written) -> Action:  # noqa: ARG002
        return press.action

    def act(self, state: Match, press: Written, at_ns: int) -> tuple[Match, Answer, tuple[Event, ...]]:
        outcome = judge.press(state, press.seat, press.action, at_ns)
        return outcome.match, Answer(press.action, outcome.refusal), outcome.events
