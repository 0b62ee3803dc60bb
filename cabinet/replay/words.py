"""A replayed match as text: what was pressed and what happened, each line with its match time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from cabinet.buttons.edges import Line
from cabinet.engine.actions import Event, Refused
from cabinet.engine.order import Judged
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.words import action_in_words, event_in_words
from cabinet.panel import START
from cabinet.presses import SeatPress
from cabinet.record import Began, Contended, Ended, Seated
from cabinet.replay.steps import Start, Step
from cabinet.session import Judgement

SECOND_NS: Final = 1_000 * MILLISECOND_NS

TimedWords = tuple[int, str]
"""Match time in nanoseconds, and what to say then."""


def start_in_words(start: Start) -> str:
    """The line with which a match begins."""
    return began_in_words(start.match, start.began)


def began_in_words(match: int, began: Began) -> str:
    """Which match it is, and how it begins."""
    players = " against ".join(began.players)
    return f"match {match}: {began.game.name}, {players}, seed {began.seed}, the token with {began.token}"


def seated_in_words(line: Seated) -> str:
    """Who plays a seat from now on."""
    return f"{line.seat}: a {line.player} takes the seat"


def step_in_words(step: Step, judgement: Judgement) -> list[TimedWords]:
    """The lines of one step, in order of time."""
    lines: list[TimedWords] = []
    for _, line in step.lines:
        if isinstance(line, Seated):
            lines.append((line.at_ns, seated_in_words(line)))
    lines += [(one.at_ns, press_in_words(one)) for one in judgement.judged]
    for contest in _contests(step):
        lines.append((max(contest.first_ns, contest.second_ns), f"contest: {contest_in_words(contest)}"))
    lines += [(event.at_ns, event_in_words(event)) for event in _without_refusals(judgement.events)]
    lines.sort(key=_time)
    for _, line in step.lines:
        if isinstance(line, Ended):
            lines.append((line.at_ns, end_in_words(line)))
    return lines


def press_in_words(one: Judged[SeatPress]) -> str:
    """A press and what became of it."""
    answer, press = one.answer, one.press
    button = "SPIT" if press.button == START else press.button
    words = f"{press.seat} presses {button}"
    if answer.action is None:
        words += ": it waits for a second button" if answer.waits else ": it means nothing"
    else:
        words += f": {action_in_words(answer.action)}"
    if answer.refusal is not None:
        words += f", refused, {answer.refusal}"
    if answer.behind_ns is not None:
        words += f", {answer.behind_ns / MILLISECOND_NS:.1f} ms behind"
    if one.tied_with is not None:
        words += ", a dead heat" + (" that the token decides" if one.token_decided else "")
    return words


def contest_in_words(line: Contended, name: Callable[[Line], str] = str) -> str:
    """Who went first, by how much, and how it was decided; `name` says what a button is called."""
    first, second = name(line.first), name(line.second)
    errors = f"±{_milliseconds(line.first_err_ns)} and ±{_milliseconds(line.second_err_ns)} ms"
    margin = f"{_milliseconds(abs(line.margin_ns))} ms"
    if line.decided_by == "stamps":
        return f"{first} before {second} by {margin} ({errors})"
    if line.decided_by == "arrival":
        return f"{first} before {second} as they arrived: a stamp came too late, or is known too badly ({errors})"
    by = "the token decided" if line.decided_by == "token" else "the rules decided"
    return f"dead heat, {first} and {second} {margin} apart ({errors}): {by}, {first} went first"


def _milliseconds(time_ns: int) -> str:
    return f"{time_ns / MILLISECOND_NS:.2f}"


def end_in_words(line: Ended) -> str:
    """How the match ended."""
    if line.winner is None:
        return f"the match ends without a result, in round {line.rounds}"
    return f"the match ends in round {line.rounds}: {line.winner} has won"


def timed(at_ns: int, words: str) -> str:
    """A line with its match time."""
    return f"{at_ns / SECOND_NS:10.3f} s  {words}"


def _contests(step: Step) -> list[Contended]:
    return [line for _, line in step.lines if isinstance(line, Contended)]


def _without_refusals(events: tuple[Event, ...]) -> Iterator[Event]:
    """The refused press says so itself."""
    return (event for event in events if not isinstance(event, Refused))


def _time(line: TimedWords) -> int:
    return line[0]
