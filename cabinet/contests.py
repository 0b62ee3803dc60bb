"""Contests: which presses contended, by how much, and how it was decided (HOUSE.md, Words).

Not thread-safe; owned by the game thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from cabinet.engine.actions import Play, Slap
from cabinet.engine.order import Judged
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import OTHER_SEAT
from cabinet.panel import Layout, pile_named_by
from cabinet.presses import SeatPress

SLAP_WINDOW_NS: Final = 1_000 * MILLISECOND_NS
"""A press of the other player this soon after a slap that settled the piles was a slap, too."""

KEPT_PRESSES: Final = 64
"""Accepted plays that a lost race is compared with, the newest: more than two players make in the time in which a
race can be lost."""

DecidedBy = Literal["stamps", "token", "nobody", "arrival"]
"""How a contest was decided: by whose contact closed first; as a dead heat, by the token or by nobody; or by which
press arrived, because one of them came too late, or is known too badly, to be compared."""


class Contest(msgspec.Struct, frozen=True):
    """Two presses of different seats for one thing."""

    first: SeatPress
    """The one that went first."""
    second: SeatPress
    decided_by: DecidedBy

    @property
    def margin_ns(self) -> int:
        """The second press's stamp less the first's; below 0 only in a dead heat, or by arrival."""
        return self.second.stamp_ns - self.first.stamp_ns

    @property
    def bound_ns(self) -> int:
        """Both errors together: presses no further apart cannot be told apart."""
        return self.err_ns(self.first) + self.err_ns(self.second)

    def err_ns(self, one: SeatPress) -> int:
        """A contender's error; that of its clock's map counts only against a press of another clock."""
        is_one_clock = self.first.press.clock == self.second.press.clock
        return one.press.err_ns + (0 if is_one_clock else one.press.map_err_ns)


class ContestFinder:
    """Looks at the judged presses of one match and finds those that contended."""

    def __init__(self, stock_piles: int, layout: Layout) -> None:
        self._stock_piles = stock_piles
        self._layout: Layout = layout
        self._played: deque[Judged[SeatPress]] = deque(maxlen=KEPT_PRESSES)
        self._slap: SeatPress | None = None

    def look(self, judged: Sequence[Judged[SeatPress]]) -> tuple[Contest, ...]:
        """The contests among `judged`, and with those before, in the order in which they were decided."""
        contests = []
        for place, one in enumerate(judged):
            contest = self._contest(one, judged[:place])
            if contest is not None:
                contests.append(contest)
            if one.answer.is_accepted and isinstance(one.answer.action, Play):
                self._played.append(one)
            elif one.answer.is_accepted and isinstance(one.answer.action, Slap):
                self._slap = one.press
        return tuple(contests)

    def _contest(self, one: Judged[SeatPress], before: Sequence[Judged[SeatPress]]) -> Contest | None:
        if one.tied_with is not None and one.token_decided:
            went_first = any(other.press is one.tied_with for other in before)
            return _between(one.tied_with, one) if went_first else None
        if one.answer.behind_ns is not None:
            winner = self._faster(one, one.answer.behind_ns)
            return None if winner is None else _between(winner, one)
        return self._lost_slap(one)

    def _lost_slap(self, one: Judged[SeatPress]) -> Contest | None:
        slap, press = self._slap, one.press
        if slap is None or slap.seat == press.seat or one.answer.is_accepted:
            return None
        if pile_named_by(press.seat, press.button, self._stock_piles, self._layout) is None:
            return None
        self._slap = None
        is_late = press.stamp_ns - slap.stamp_ns > SLAP_WINDOW_NS
        return None if is_late else _between(slap, one)

    def _faster(self, loser: Judged[SeatPress], behind_ns: int) -> SeatPress | None:
        """The accepted play of the other player to which `loser` came too late."""
        for one in reversed(self._played):
            if one.press.seat == OTHER_SEAT[loser.press.seat] and loser.at_ns - one.at_ns == behind_ns:
                return one.press
        return None


def _between(first: SeatPress, loser: Judged[SeatPress]) -> Contest:
    return Contest(first, loser.press, _decided_by(first, loser))


def _decided_by(first: SeatPress, loser: Judged[SeatPress]) -> DecidedBy:
    if loser.tied_with is first:
        return "token" if loser.token_decided else "nobody"
    if first.press.judged_ns is not None or loser.press.press.judged_ns is not None:
        return "arrival"
    return "stamps"
