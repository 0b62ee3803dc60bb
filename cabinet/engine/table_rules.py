"""What a game must say of its table, and where Spit and Speed say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, Protocol

from cabinet.engine import speed, spit
from cabinet.engine.actions import Refusal, TableAction
from cabinet.engine.cards import Card
from cabinet.engine.change import Change, Turned
from cabinet.engine.rules import GameKind, Rules
from cabinet.engine.table import BeatKind, PileName, Seat, Table


class TableRules(Protocol):
    """One game's table: dealt, judged and changed. Each function takes tables of its own game only."""

    def fresh_table(self, pack: Sequence[Card], rules: Rules) -> Table:
        """A shuffled pack dealt to both."""

    def starters(self, table: Any) -> tuple[Seat, ...]:
        """Whose cards turn when both are ready."""

    def refusal(self, table: Any, rules: Rules, seat: Seat, action: TableAction) -> Refusal | None:
        """Why the table does not allow an action."""

    def can_spit(self, table: Any, seat: Seat) -> bool:
        """Whether a player has a card to turn when it is stuck."""

    def is_out(self, table: Any, seat: Seat) -> bool:
        """Whether a player has ended the round."""

    def is_stuck(self, table: Any, rules: Rules) -> bool:
        """Whether neither player can go on."""

    def useful_actions(self, table: Any, rules: Rules, seat: Seat) -> Iterator[TableAction]:
        """All that brings a player on, in the order in which the machine would do it."""

    def apply(self, table: Any, rules: Rules, seat: Seat, action: TableAction) -> Change:
        """The table after an action that `refusal` allows."""

    def turn_cards(
        self, table: Any, kind: BeatKind, seats: Sequence[Seat], pile: PileName | None, rng: Random
    ) -> Turned:
        """The table after the cards of `seats` have turned in one step."""

    def revived(self, table: Any, rules: Rules, rng: Random) -> Table | None:
        """A stuck table that turning cards could never help, made anew; None: there is nothing to revive."""


_TABLE_RULES: Final[dict[GameKind, TableRules]] = {"spit": spit, "speed": speed}


def table_rules(rules: Rules) -> TableRules:
    """Where the game of these rules is laid down."""
    return _TABLE_RULES[rules.game]
