"""From one scenario line to its result: the steps' answers and the state after the last."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from cabinet.engine import judge
from cabinet.engine.actions import Action, Event
from cabinet.engine.match import Match
from cabinet.engine.order import Answer, Timed, judge_presses
from cabinet.engine.table import SEATS, Centre, Seat, SpeedSide, SpeedTable, SpitSide, SpitTable, StockPile
from cabinet.engine.words import event_in_words
from cabinet.referee.position import match_at
from cabinet.referee.scenario import (
    TOO_DEEP,
    ScenarioError,
    Step,
    read_game,
    read_line,
    read_scenario,
    read_steps,
)

MICROSECOND_NS: Final = 1_000


def result_of_line(line: str | bytes) -> dict[str, Any]:
    """The result of one scenario, or its error; never raises for bad input (SCENARIOS.md).

    Its id and error may hold half a character (a lone surrogate), which only JSON in ASCII can carry.
    """
    try:
        document = read_line(line)
    except ScenarioError as error:
        return {"id": None, "error": str(error)}
    return result_of(document)


def result_of(document: dict[str, Any]) -> dict[str, Any]:
    """The result of one scenario that `read_line` has read."""
    scenario_id = document.get("id")
    try:
        return {"id": scenario_id, **_play(document)}
    except ScenarioError as error:
        return {"id": scenario_id, "error": str(error)}
    except UnicodeEncodeError as error:
        return {"id": scenario_id, "error": f"a text holds half a character (a lone surrogate): {error.object!r}"}
    except RecursionError:
        return {"id": scenario_id, "error": TOO_DEEP}


class _Press(msgspec.Struct, frozen=True):
    step: Step
    seat: Seat
    at_ns: int
    err_ns: int
    action: Action

    def ties_with(self, other: Timed) -> bool:
        """CLARIFICATIONS.md C1."""
        other_err_ns = other.err_ns if isinstance(other, _Press) else 0
        return abs(self.at_ns - other.at_ns) <= self.err_ns + other_err_ns


class _Court:
    """The referee's presses mean what is written down."""

    def match(self, state: Match) -> Match:
        """The state is the match."""
        return state

    def with_match(self, state: Match, match: Match) -> Match:  # noqa: ARG002
        """The state is the match."""
        return match

    def meaning(self, state: Match, press: _Press) -> Action:  # noqa: ARG002
        """As written."""
        return press.action

    def act(self, state: Match, press: _Press, at_ns: int) -> tuple[Match, Answer, tuple[Event, ...]]:
        """Judged by the engine."""
        outcome = judge.press(state, press.seat, press.action, at_ns)
        return outcome.match, Answer(press.action, outcome.refusal), outcome.events


def _play(document: dict[str, Any]) -> dict[str, Any]:
    scenario = read_scenario(document)
    rules = read_game(scenario).rules
    found = judge.found_on_table(match_at(scenario.table, rules))
    steps = read_steps(scenario, rules)
    presses = [
        _Press(step, step.player, step.at_us * MICROSECOND_NS, step.err_us * MICROSECOND_NS, step.action)
        for step in steps
        if step.player is not None and step.action is not None
    ]
    match, judged, happened = judge_presses(_Court(), found.match, presses)
    answers: list[str] = ["ok"] * len(steps)
    for one in judged:
        answers[one.press.step.number] = one.answer.refusal or "ok"
    last_ns = steps[-1].at_us * MICROSECOND_NS if steps else 0
    end = judge.advance(match, max(last_ns, match.now_ns))
    events = [*found.events, *happened, *end.events]
    return {"steps": answers, "state": state_of(end.match, events)}


def state_of(match: Match, events: list[Event]) -> dict[str, Any]:
    """The whole state in SCENARIOS.md's words; it shows hidden cards."""
    table = match.table
    zones = _spit_zones(match, table) if isinstance(table, SpitTable) else _speed_zones(match, table)
    return {
        "game": match.rules.game,
        "phase": match.phase,
        "round": match.round,
        "stuck": match.stuck is not None and match.phase == "play",
        "token": match.token,
        "single": table.is_single,
        "lock": {seat: match.tied_to(seat) for seat in SEATS},
        "winner": match.winner,
        "round_end": _round_end(match),
        "score": {"a": match.score_a, "b": match.score_b},
        "events": [event_in_words(event) for event in events],
        **zones,
    }


def _round_end(match: Match) -> dict[str, Any] | None:
    end = match.round_end
    if end is None:
        return None
    return {"cause": end.cause, "player": end.player} if end.player else {"cause": end.cause}


def _spit_zones(match: Match, table: SpitTable) -> dict[str, Any]:
    sides: dict[str, Any] = {seat: _spit_side(table.side(seat), match.owned(seat)) for seat in SEATS}
    return {**sides, "left": _pile(table.left), "right": _pile(table.right)}


def _spit_side(side: SpitSide, owned: int) -> dict[str, Any]:
    return {
        "stock": [_stock(pile) for pile in side.stock],
        "stock_sizes": [len(pile.cards) for pile in side.stock],
        "spit": [str(card) for card in side.spit],
        "spit_size": len(side.spit),
        "owned": owned,
    }


def _stock(pile: StockPile) -> list[str]:
    face_down = len(pile.cards) - pile.face_up
    return [f"({card})" if place < face_down else str(card) for place, card in enumerate(pile.cards)]


def _speed_zones(match: Match, table: SpeedTable) -> dict[str, Any]:
    sides: dict[str, Any] = {seat: _speed_side(table.side(seat), match.owned(seat)) for seat in SEATS}
    return {
        **sides,
        "left": _pile(table.left, face_down=not table.is_turned),
        "right": _pile(table.right, face_down=not table.is_turned),
        "side": {"left": _pile(table.side_left), "right": _pile(table.side_right)},
    }


def _speed_side(side: SpeedSide, owned: int) -> dict[str, Any]:
    return {
        "hand": [None if card is None else str(card) for card in side.hand],
        "draw": [str(card) for card in side.draw],
        "draw_size": len(side.draw),
        "owned": owned,
    }


def _pile(pile: Centre | None, *, face_down: bool = False) -> dict[str, Any] | None:
    if pile is None:
        return None
    cards = [f"({card})" if face_down else str(card) for card in pile]
    return {"cards": cards, "size": len(cards), "top": cards[-1] if cards else None}
