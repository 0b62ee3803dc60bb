"""One recorded match played again by panel and engine, and compared with its record line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from random import Random
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from cabinet import record
from cabinet.buttons.edges import Press
from cabinet.engine import judge
from cabinet.engine.cards import PACK
from cabinet.engine.match import Match, new_match
from cabinet.engine.rules import Rules
from cabinet.engine.table import SpitTable, Table
from cabinet.panel import place_of
from cabinet.presses import SeatPress
from cabinet.record import Began, Ended, Pressed, Readied, RecordLine, Seated
from cabinet.recorder import lines_of
from cabinet.replay.steps import NumberedLine, Start, Step
from cabinet.session import Judgement, Session

SHOWN_LIMIT: Final = 200
"""Characters of a line that are quoted where a replay differs."""
SPEED_SLOTS: Final = 5


class DifferenceError(Exception):
    """A replay does not come to what the record says; the text says where, in one line."""


class Rematch:
    """Plays a match again, step by step. Not thread-safe."""

    def __init__(self, start: Start, started_ns: int = 0) -> None:
        """The match begins, at its own time, at host time `started_ns`. Raises DifferenceError."""
        self._number = start.match
        match = _first_match(start.began)
        if match is None:
            raise self._difference(start.line, "found a table that cannot be dealt in this game")
        self.session = Session(match, started_ns, start.began.layout)

    def play(self, step: Step) -> Judgement:
        """The next step. Raises DifferenceError where it comes to something else than recorded."""
        if step.lines == step.lines[-1:]:
            raise self._difference(step.lines[0][0], "found a state though nothing was done and nothing happened")
        try:
            judgement = self._done_again(step)
        except ValueError as error:
            raise self._difference(step.lines[0][0], f"it cannot be played from here: {error}") from error
        self._compare(step.lines, self._lines_made(step, judgement))
        return judgement

    def wait_until(self, until_ns: int) -> None:
        """Lets match time pass towards `until_ns`, as far as nothing happens by itself."""
        due_ns = judge.next_time_out_ns(self.session.match)
        if due_ns is not None:
            until_ns = min(until_ns, due_ns - 1)
        self.session.advance(until_ns + self.session.offset_ns)

    def _done_again(self, step: Step) -> Judgement:
        session = self.session
        presses = [self._seat_press(number, line) for number, line in step.lines if isinstance(line, Pressed)]
        if presses:
            return session.judge(sorted(presses, key=_place_in_order))
        for line in _of_kind(Readied, step.lines):
            session.advance(line.at_ns + session.offset_ns)
            return session.make_ready(line.seat, by_machine=line.by_machine)
        return session.advance(step.state.at_ns + session.offset_ns)

    def _seat_press(self, number: int, line: Pressed) -> SeatPress:
        place = place_of(line.button)
        if place is None:
            raise self._difference(number, f"found {line.button!r}, which is no button of a seat")
        offset_ns = self.session.offset_ns
        stamp_ns = line.at_ns if line.stamp_ns is None else line.stamp_ns
        press = Press(
            line=line.button,
            t_ns=stamp_ns + offset_ns,
            err_ns=line.err_ns,
            clock=line.clock,
            seq=0,
            made_up=line.made_up,
            map_err_ns=line.map_err_ns,
            judged_ns=line.at_ns + offset_ns if line.is_late else None,
        )
        return SeatPress(
            *place, line.button, line.spit_held, line.pile_held, at_ns=line.at_ns, stamp_ns=stamp_ns, press=press
        )

    def _lines_made(self, step: Step, judgement: Judgement) -> Iterator[RecordLine]:
        """What the record would say of the step as it was played again."""
        session = self.session
        yield from _of_kind(Seated, step.lines)
        for line in _of_kind(Readied, step.lines)[:1]:
            yield record.readied(session.match, line.seat, by_machine=line.by_machine)
        yield from lines_of(judgement, session)
        if not session.match.is_over:
            yield from _given_up(step, session)
        yield record.state(session.match)

    def _compare(self, recorded: Sequence[NumberedLine], made: Iterator[RecordLine]) -> None:
        last = recorded[-1][0]
        for found, wanted in zip_longest(recorded, made):
            number, line = found or (last, None)
            if line != wanted:
                raise self._difference(number, _two_lines(line, wanted))

    def _difference(self, number: int, what: str) -> DifferenceError:
        return DifferenceError(f"match {self._number}, line {number}: {what}")


def _given_up(step: Step, session: Session) -> Iterator[RecordLine]:
    """That a match ended without a result is nobody's judgement."""
    for _ in _of_kind(Ended, step.lines)[:1]:
        yield record.ended(session.match, session.match.now_ns)


def _place_in_order(press: SeatPress) -> int:
    return press.at_ns


def _of_kind(kind: type[Any], lines: Sequence[NumberedLine]) -> list[Any]:
    return [line for _, line in lines if isinstance(line, kind)]


def _two_lines(recorded: RecordLine | None, made: RecordLine | None) -> str:
    """What differs between two lines."""
    if recorded is None or made is None or type(recorded) is not type(made):
        return f"the record has {_in_json(recorded)}, the replay {_in_json(made)}"
    kind = type(recorded).__name__.lower()
    ours, theirs = msgspec.structs.asdict(made), msgspec.structs.asdict(recorded)
    name = next(name for name in ours if ours[name] != theirs[name])
    return f"{kind} {name}: the record has {_in_json(theirs[name])}, the replay {_in_json(ours[name])}"


def _in_json(value: object) -> str:
    if value is None:
        return "nothing"
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return text if len(text) <= SHOWN_LIMIT else text[:SHOWN_LIMIT] + "…"


# The deal


def _first_match(began: Began) -> Match | None:
    """The match as it was dealt, or as its table was given; None when there is no such table."""
    rules = began.game.rules
    match = new_match(rules, Random(began.seed))
    if began.table != match.table and not _can_be_dealt(began.table, rules):
        return None
    return replace(match, table=began.table, token=began.token)


def _can_be_dealt(table: Table, rules: Rules) -> bool:
    sides, piles = (table.a, table.b), (table.left, table.right)
    cards = [card for zone in (*(side.cards for side in sides), *piles) for card in zone or ()]
    if isinstance(table, SpitTable):
        stocks = [side.stock for side in (table.a, table.b)]
        is_so = (
            rules.game == "spit"
            and piles != (None, None)
            and all(
                len(stock) == rules.stock and all(0 <= pile.face_up <= len(pile.cards) for pile in stock)
                for stock in stocks
            )
        )
    else:
        cards += [*table.side_left, *table.side_right]
        hands = {len(side.hand) for side in (table.a, table.b)}
        is_so = rules.game == "speed" and all(piles) and hands == {SPEED_SLOTS}
    return is_so and sorted(cards) == list(PACK)
