"""A scenario as it is written down: its fields, their types, and the plain mistakes in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Annotated, Any, Final, Literal, NoReturn

import msgspec
from msgspec import UNSET, UnsetType

from cabinet.engine.actions import Action, Choose, Draw, Move, Play, Ready, Slap, Spit, Turn
from cabinet.engine.games import Game
from cabinet.engine.rules import GameKind, Rules, RulesError, rules_from_options
from cabinet.engine.speed import HAND_SIZE
from cabinet.engine.table import PileName, RoundEnd, Seat

Microseconds = Annotated[int, msgspec.Meta(ge=0, le=86_400_000_000)]
"""At most a day."""
Points = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
RoundNumber = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Seed = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Cards = Annotated[list[str], msgspec.Meta(max_length=52)]
SetSize = Annotated[int, msgspec.Meta(ge=1, le=51)]

GAMES: Final[tuple[GameKind, ...]] = ("spit", "speed")
LONGEST_NUMBER: Final = 1_000
"""Digits; Python itself reads a few thousand."""


class ScenarioError(ValueError):
    """Bad input; the text names the field (SCENARIOS.md)."""


class SpitSideInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One player's zones in Spit, cards written from bottom to top."""

    stock: list[Cards]
    spit: Cards


class SpeedSideInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One player's zones in Speed; the first card of the draw pile is drawn next."""

    hand: Annotated[list[str | None], msgspec.Meta(min_length=HAND_SIZE, max_length=HAND_SIZE)]
    draw: Cards


class SidePilesInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The side piles of Speed, from bottom to top."""

    left: Cards
    right: Cards


class SetsInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sizes of the sets to deal from (CLARIFICATIONS.md C10)."""

    a: SetSize | None = None
    b: SetSize | None = None


class LockInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The only pile each player may spit on."""

    a: PileName | None = None
    b: PileName | None = None


class ScoreInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points so far."""

    a: Points = 0
    b: Points = 0


class RoundEndInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why the round ended."""

    cause: Literal["out", "deadlock"]
    player: Seat | None = None

    def value(self) -> RoundEnd:
        """As the engine has it; raises ScenarioError when cause and player contradict each other."""
        if (self.cause == "out") != (self.player is not None):
            raise ScenarioError("table.round_end: 'out' needs the player who went out, 'deadlock' has none")
        return RoundEnd(self.cause, self.player)


class SpitTableInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position of Spit: a new match, a deal from sets of given sizes, or all zones."""

    new_match: bool | UnsetType = UNSET
    sets: SetsInput | UnsetType = UNSET
    seed: Seed = 0
    token: Seat | UnsetType = UNSET
    score: ScoreInput = ScoreInput()
    round: RoundNumber = 1
    a: SpitSideInput | UnsetType = UNSET
    b: SpitSideInput | UnsetType = UNSET
    left: Cards | UnsetType | None = UNSET
    right: Cards | UnsetType | None = UNSET
    lock: LockInput = LockInput()
    single: bool | UnsetType = UNSET
    phase: Literal["ready", "play", "slap", "choose"] | UnsetType = UNSET
    round_end: RoundEndInput | None = None


class SpeedTableInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position of Speed: a new match, or all zones."""

    new_match: bool | UnsetType = UNSET
    seed: Seed = 0
    token: Seat | UnsetType = UNSET
    score: ScoreInput = ScoreInput()
    round: RoundNumber = 1
    a: SpeedSideInput | UnsetType = UNSET
    b: SpeedSideInput | UnsetType = UNSET
    left: Cards | UnsetType = UNSET
    right: Cards | UnsetType = UNSET
    side: SidePilesInput | UnsetType = UNSET
    phase: Literal["ready", "play"] | UnsetType = UNSET
    round_end: RoundEndInput | None = None


class StepInput(msgspec.Struct, frozen=True):
    """One press, or time passing."""

    at_us: Microseconds
    err_us: Microseconds = 0
    player: Seat | None = None
    play: tuple[int, PileName | None] | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    move: tuple[int, int] | UnsetType = UNSET
    spit: Literal["left", "right"] | bool | UnsetType = UNSET
    slap: PileName | UnsetType = UNSET
    choose: PileName | UnsetType = UNSET
    ready: bool | UnsetType = UNSET
    draw: bool | UnsetType = UNSET
    wait: bool | UnsetType = UNSET


class ScenarioInput(msgspec.Struct, frozen=True, kw_only=True):
    """A whole scenario but for its table. What is only for people or for the checker is left aside."""

    game: GameKind
    profile: str = "arcade"
    rules: dict[str, Any] = {}
    steps: list[StepInput] = []


class SpitScenario(ScenarioInput, frozen=True, kw_only=True):
    """A scenario of Spit."""

    table: SpitTableInput


class SpeedScenario(ScenarioInput, frozen=True, kw_only=True):
    """A scenario of Speed."""

    table: SpeedTableInput


class Step(msgspec.Struct, frozen=True):
    """One step in the engine's words."""

    number: int
    """Its place in the list, from 0."""
    at_us: int
    err_us: int
    player: Seat | None
    action: Action | None
    """None: time passes."""


def read_line(line: str | bytes) -> dict[str, Any]:
    """The JSON object in one line; raises ScenarioError when there is none, or it could not stand in an answer."""
    try:
        text = line if isinstance(line, str) else line.decode()
        document = json.loads(text, parse_int=_integer, parse_float=_float, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise ScenarioError(f"no JSON: {error}") from error
    except UnicodeDecodeError as error:
        raise ScenarioError(f"no JSON: byte {error.start + 1} of the line is not UTF-8") from error
    except RecursionError as error:
        raise ScenarioError(TOO_DEEP) from error
    if not isinstance(document, dict):
        raise ScenarioError("a scenario is a JSON object")
    if not isinstance(document.get("id"), str | int | float | None):
        raise ScenarioError("id: a text or a number is allowed")
    return document


TOO_DEEP: Final = "no JSON that can be read: lists or objects are nested too deeply"


def _integer(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ScenarioError(f"a number of {len(text)} digits is too long; allowed: {LONGEST_NUMBER}")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ScenarioError(f"the number {text[:20]} is too large")
    return number


def _constant(text: str) -> NoReturn:
    raise ScenarioError(f"no JSON: {text} is no number in JSON")


def read_scenario(document: Any) -> SpitScenario | SpeedScenario:
    """The document's fields; raises ScenarioError, naming the field, when one is missing or of the wrong kind.

    The game is looked at first: the table of another game has other fields.
    """
    game = document.get("game") if isinstance(document, dict) else None
    if isinstance(game, str) and game not in GAMES:
        raise ScenarioError(f"game: {game!r} is not played here; allowed: {', '.join(GAMES)}")
    try:
        if game == "speed":
            return msgspec.convert(document, SpeedScenario)
        return msgspec.convert(document, SpitScenario)
    except msgspec.ValidationError as error:
        raise ScenarioError(str(error).replace("`$.", "`")) from error


def read_game(scenario: ScenarioInput) -> Game:
    """What the scenario plays; raises ScenarioError naming the profile or option that is not known."""
    if "game" in scenario.rules:
        raise ScenarioError("rules.game: the game is named beside the rules, not in them")
    try:
        return Game(scenario.game, rules_from_options(scenario.game, scenario.profile, scenario.rules))
    except RulesError as error:
        raise ScenarioError(str(error)) from error


def read_steps(scenario: ScenarioInput, rules: Rules) -> list[Step]:
    """The steps; raises ScenarioError when one is not in order of time or does not exist in this game."""
    steps = []
    last_us = 0
    for number, step in enumerate(scenario.steps):
        if step.at_us < last_us:
            raise ScenarioError(f"steps[{number}].at_us: {step.at_us} comes after {last_us}; steps go by time")
        last_us = step.at_us
        try:
            action = _action(step, rules)
        except ScenarioError as error:
            raise ScenarioError(f"steps[{number}].{error}") from error
        steps.append(Step(number, step.at_us, step.err_us, step.player, action))
    return steps


_KINDS: Final = ("play", "turn", "move", "spit", "slap", "choose", "ready", "draw", "wait")
_STEPS_OF: Final[dict[GameKind, tuple[str, ...]]] = {
    "spit": ("play", "turn", "move", "spit", "slap", "choose", "ready", "wait"),
    "speed": ("play", "spit", "ready", "draw", "wait"),
}
"""Which steps each game has (CLARIFICATIONS.md C28)."""


def _action(step: StepInput, rules: Rules) -> Action | None:
    given = [kind for kind in _KINDS if getattr(step, kind) is not UNSET]
    if len(given) != 1:
        raise ScenarioError(f"play: a step is one of {', '.join(_KINDS)}; found {', '.join(given) or 'none'}")
    kind = given[0]
    value = getattr(step, kind)
    if value is False:
        raise ScenarioError(f"{kind}: false says nothing; leave the step out")
    if kind not in _STEPS_OF[rules.game]:
        raise ScenarioError(f"{kind}: {rules.game.title()} has no {kind}")
    if (step.player is None) != (kind == "wait"):
        raise ScenarioError(f"player: {kind} needs {'no' if kind == 'wait' else 'a'} player")
    return _BUILDERS[kind](value, rules)


def _play(value: tuple[int, PileName | None], rules: Rules) -> Action:
    return Play(_stock("play", value[0], rules), value[1])


def _turn(value: int, rules: Rules) -> Action:
    return Turn(_stock("turn", value, rules))


def _move(value: tuple[int, int], rules: Rules) -> Action:
    return Move(_stock("move", value[0], rules), _stock("move", value[1], rules))


def _stock(kind: str, number: int, rules: Rules) -> int:
    count, what = (rules.stock, "stock pile") if rules.game == "spit" else (HAND_SIZE, "slot")
    if not 1 <= number <= count:
        raise ScenarioError(f"{kind}: there is no {what} {number}; allowed: 1 to {count}")
    return number


_BUILDERS: dict[str, Callable[[Any, Rules], Action | None]] = {
    "play": _play,
    "turn": _turn,
    "move": _move,
    "spit": lambda value, _: Spit(None if value is True else value),
    "slap": lambda value, _: Slap(value),
    "choose": lambda value, _: Choose(value),
    "ready": lambda _value, _: Ready(),
    "draw": lambda _value, _: Draw(),
    "wait": lambda _value, _: None,
}
