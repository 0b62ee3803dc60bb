"""What decides a game, as values: how it began, and what it was given in each step.

A `Game` is a function of these: whoever gives another one the same gets the same presses, matches and results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from cabinet.buttons.arbiter import ArbiterSettings
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.edges import Edge, SourceStatus
from cabinet.buttons.rest import IntakeRest
from cabinet.engine.games import Game
from cabinet.flow import Flow, FlowSettings
from cabinet.panel import Layout
from cabinet.players.robot import RobotSettings
from cabinet.snapshot import Trouble


class Run(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides as long as the program runs: its settings."""

    program: str
    """The version of the program."""
    sources: tuple[str, ...]
    """The sources of buttons, by name, in their order."""
    games: tuple[Game, ...]
    """What may be chosen in the lobby, in this order."""
    default: int
    """Which of them is played when nobody chooses, from 0."""
    flow: FlowSettings
    robot: RobotSettings
    layout: Layout
    debounce: DebounceSettings
    arbiter: ArbiterSettings


class Beginning(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A moment in attract from which everything follows, whatever was before."""

    now_ns: int
    """Host time of the step at whose end it is."""
    seed: int
    """What the Random is made from that deals from now on."""
    flow: Flow
    show_ns: int
    """Since when, in host time, robots play behind the title."""
    rest: IntakeRest
    is_start: bool
    """The cabinet has just started: nothing was shown yet."""
    troubles: tuple[Trouble, ...]
    """What is shown to be wrong."""
    reported: dict[str, Trouble]
    """The troubles that were told from outside."""


class Given(msgspec.Struct, frozen=True, gc=False):
    """What the game was given in one step, but for the robots, which follow from the seed."""

    now_ns: int
    statuses: Sequence[SourceStatus]
    """Of the sources in their order, asked before the edges were taken."""
    edges: Sequence[Edge]
    """In their order of delivery."""
    reported: Mapping[str, Trouble]
    """The troubles that were told from outside, by their keys."""


class Tap(Protocol):
    """Is told what a game is given, by the game's own thread; must not hold it up."""

    def began(self, beginning: Beginning) -> None:
        """Everything follows from here. May come within a step, which itself belongs to what was before."""

    def given(self, given: Given, *, robots_act: bool) -> None:
        """A step begins. `robots_act`: robots at the table moved their fingers in it."""

    def done(self, silent_ns: Sequence[int], unusual_presses: int, *, has_published: bool) -> None:
        """The step that was given last has ended.

        `silent_ns` is that of the intake; `unusual_presses` counts, since the start, those that are judged where
        the step stands rather than at their stamp; `has_published`: a snapshot came of it.
        """

    def closed(self) -> None:
        """The game was closed: a match in play has ended without a result."""
