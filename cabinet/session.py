"""One match on the host's time: presses get their meaning from the panel and are judged by the engine.

Not thread-safe; owned by the game thread. Host times come in, match times stay inside: match time is host time
less an offset that grows with every pause (RULES.md 55).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from cabinet.buttons.edges import Press
from cabinet.contests import Contest, ContestFinder
from cabinet.engine import judge
from cabinet.engine.actions import Action, Event, Played, Refused
from cabinet.engine.judge import Outcome
from cabinet.engine.match import Match
from cabinet.engine.order import Answer, Judged, judge_presses
from cabinet.engine.table import PileName, Seat, View
from cabinet.engine.view import hides_hands, view_of
from cabinet.panel import Button, Layout, Panel, Pressed, line_of, meaning
from cabinet.presses import SeatPress


class Judgement(msgspec.Struct, frozen=True):
    """What some presses, or time passing, led to."""

    judged: tuple[Judged[SeatPress], ...]
    events: tuple[Event, ...]
    contests: tuple[Contest, ...] = ()
    """Which of the presses contended, with each other or with earlier ones."""


class _State(msgspec.Struct, frozen=True):
    match: Match
    panel: Panel
    """It has seen `view`."""
    view: View
    """What a screen may show that both look at; made once for each state of the match."""

    @classmethod
    def of(cls, match: Match) -> _State:
        """A match at which nobody has pressed yet."""
        view = view_of(match)
        return cls(match, Panel().seeing(view), view)

    def with_match(self, match: Match, panel: Panel | None = None) -> _State:
        """The state with the match replaced; the panel, this one's or the one given, sees what has changed."""
        panel = self.panel if panel is None else panel
        if match is self.match:
            return self if panel is self.panel else _State(match, panel, self.view)
        if replace(match, now_ns=self.match.now_ns) == self.match:
            return _State(match, panel, replace(self.view, now_ns=match.now_ns))
        view = view_of(match)
        return _State(match, panel.seeing(view), view)

    def view_of_seat(self, seat: Seat) -> View:
        """What a seat may see."""
        return view_of(self.match, seat) if hides_hands(self.match) else self.view


class _PanelCourt:
    """Presses mean what the panel says when their turn comes."""

    def __init__(self, layout: Layout) -> None:
        self._layout: Layout = layout

    def match(self, state: _State) -> Match:
        """The match within the state."""
        return state.match

    def with_match(self, state: _State, match: Match) -> _State:
        """The state with the match replaced."""
        return state.with_match(match)

    def meaning(self, state: _State, press: SeatPress) -> Action | None:
        """What the press would mean now."""
        return meaning(state.panel, _pressed(press), state.view_of_seat(press.seat), self._layout).action

    def act(self, state: _State, press: SeatPress, at_ns: int) -> tuple[_State, Answer, tuple[Event, ...]]:
        """Asks the panel, then the engine."""
        before = judge.advance(state.match, at_ns)
        state = state.with_match(before.match)
        meant = meaning(state.panel, _pressed(press), state.view_of_seat(press.seat), self._layout)
        if meant.action is None:
            return state.with_match(state.match, meant.panel), Answer(None, None, meant.waits), before.events
        outcome = judge.press(state.match, press.seat, meant.action, at_ns)
        state = state.with_match(outcome.match, meant.panel)
        return state, _answer(meant.action, outcome), (*before.events, *outcome.events)


def _answer(action: Action, outcome: Outcome) -> Answer:
    """The answer to a press, with what the engine's own event tells of it."""
    for event in outcome.events:
        if isinstance(event, Refused):
            return Answer(action, outcome.refusal, behind_ns=event.behind_ns, pile=event.pile)
        if isinstance(event, Played) and not event.by_machine:
            return Answer(action, outcome.refusal, pile=event.pile)
    return Answer(action, outcome.refusal, pile=getattr(action, "pile", None))


def _pressed(press: SeatPress) -> Pressed:
    return Pressed(press.seat, press.button, press.spit_held, press.pile_held)


class Session:
    """A match from its deal to its end, played or shown."""

    def __init__(self, match: Match, started_ns: int, layout: Layout = "side_by_side") -> None:
        """The match begins, at its own time, at host time `started_ns`."""
        self._state = _State.of(match)
        self._court = _PanelCourt(layout)
        self.layout: Layout = layout
        self._contests = ContestFinder(len(self._state.view.a.stock), layout)
        self.offset_ns = started_ns - match.now_ns
        """Host time less match time."""
        self.version = 0
        """Counts up whenever the table, or what the panel remembers, has changed."""

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self._state.match

    @property
    def view(self) -> View:
        """What a screen may show that both look at."""
        return self._state.view

    def seat_view(self, seat: Seat) -> View:
        """What a seat may see."""
        return self._state.view_of_seat(seat)

    @property
    def panel(self) -> Panel:
        """What the panel remembers."""
        return self._state.panel

    def armed_stock(self, seat: Seat) -> int | None:
        """The space or card that waits for a second stock button (HOUSE.md, "The panel")."""
        return self._state.panel.armed_stock(seat, self._state.match.now_ns)

    def match_time_ns(self, host_ns: int) -> int:
        """The match time of a host time; what is decided already is never rewritten."""
        return max(host_ns - self.offset_ns, self._state.match.now_ns)

    def seat_press(
        self,
        seat: Seat,
        button: Button,
        press: Press,
        *,
        spit_held: bool = False,
        pile_held: PileName | None = None,
    ) -> SeatPress:
        """A press with its place in this match; what is decided already is never rewritten."""
        return SeatPress(
            seat=seat,
            button=button,
            line=line_of(seat, button),
            spit_held=spit_held,
            pile_held=pile_held,
            at_ns=self.match_time_ns(press.order_ns),
            stamp_ns=press.t_ns - self.offset_ns,
            press=press,
        )

    def judge(self, presses: Sequence[SeatPress]) -> Judgement:
        """Judges presses in order of time; all that could tie with one of them must be among them."""
        self._state, judged, events = judge_presses(self._court, self._state, presses)
        self.version += 1
        return Judgement(tuple(judged), tuple(events), self._contests.look(judged))

    def make_ready(self, seat: Seat, *, by_machine: bool) -> Judgement:
        """Ready is said for a seat, now; no press of the player's."""
        return self._after(judge.make_ready(self._state.match, seat, by_machine=by_machine))

    def advance(self, host_ns: int) -> Judgement:
        """Lets time pass to host time `host_ns`."""
        return self._after(judge.advance(self._state.match, self.match_time_ns(host_ns)))

    def pass_time(self, host_ns: int) -> Iterator[Judgement]:
        """As `advance`, but each time at which something happens by itself is a judgement of its own.

        So what came of it, and what the panel remembers of it, does not depend on how often time is let pass.
        """
        while (due_ns := judge.next_time_out_ns(self.match)) is not None and due_ns <= host_ns - self.offset_ns:
            yield self.advance(due_ns + self.offset_ns)
        yield self.advance(host_ns)

    def hold(self, until_ns: int) -> None:
        """No match time has passed since the last call until host time `until_ns`: a pause."""
        self.offset_ns = max(self.offset_ns, until_ns - self._state.match.now_ns)

    def _after(self, outcome: Outcome) -> Judgement:
        if outcome.events:
            self.version += 1
        self._state = self._state.with_match(outcome.match)
        return Judgement((), outcome.events)
