"""The photo finish: which presses contended, by how much, and how it was decided (HOUSE.md, Words).

Not thread-safe; owned by the game thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from cabinet.engine.actions import Play, Slap
from cabinet.engine.order import Judged
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import OTHER_SEAT
from cabinet.panel import Layout, pile_named_by
from cabinet.session import SeatPress
from cabinet.snapshot import PhotoFinish

SLAP_WINDOW_NS: Final = 1_000 * MILLISECOND_NS
"""A press of the other player this soon after a slap that settled the piles was a slap, too."""

KEPT_PRESSES: Final = 64


class PhotoDesk:
    """Looks at judged presses and finds those that contended."""

    def __init__(self, stock_piles: int, layout: Layout, next_number: Callable[[], int]) -> None:
        """`next_number` gives each picture its number."""
        self._stock_piles = stock_piles
        self._layout: Layout = layout
        self._next_number = next_number
        self._played: deque[Judged[SeatPress]] = deque(maxlen=KEPT_PRESSES)
        self._slap: SeatPress | None = None

    def look(self, judged: Sequence[Judged[SeatPress]]) -> PhotoFinish | None:
        """The last contest among `judged`; None: there was none."""
        photo = None
        for place, one in enumerate(judged):
            photo = self._contest(one, judged[:place]) or photo
            if one.answer.is_accepted and isinstance(one.answer.action, Play):
                self._played.append(one)
            elif one.answer.is_accepted and isinstance(one.answer.action, Slap):
                self._slap = one.press
        return photo

    def _contest(self, one: Judged[SeatPress], before: Sequence[Judged[SeatPress]]) -> PhotoFinish | None:
        press = one.press
        if one.tied_with is not None and one.token_decided:
            went_first = any(other.press is one.tied_with for other in before)
            return self._photo(one.tied_with, one) if went_first else None
        if one.answer.behind_ns is not None:
            winner = self._faster(one, one.answer.behind_ns)
            return None if winner is None else self._photo(winner, one)
        return self._lost_slap(one, press)

    def _lost_slap(self, one: Judged[SeatPress], press: SeatPress) -> PhotoFinish | None:
        slap = self._slap
        if slap is None or slap.seat == press.seat or one.answer.is_accepted:
            return None
        if pile_named_by(press.seat, press.button, self._stock_piles, self._layout) is None:
            return None
        self._slap = None
        is_late = press.press.t_ns - slap.press.t_ns > SLAP_WINDOW_NS
        return None if is_late else self._photo(slap, one)

    def _faster(self, loser: Judged[SeatPress], behind_ns: int) -> SeatPress | None:
        """The accepted play of the other player to which `loser` came too late."""
        for one in reversed(self._played):
            if one.press.seat == OTHER_SEAT[loser.press.seat] and loser.at_ns - one.at_ns == behind_ns:
                return one.press
        return None

    def _photo(self, winner: SeatPress, loser: Judged[SeatPress]) -> PhotoFinish:
        errors = {press.seat: press.press.err_ns for press in (winner, loser.press)}
        times_ns = (winner.press.t_ns, loser.press.press.t_ns)
        return PhotoFinish(
            number=self._next_number(),
            at_ns=min(times_ns),
            first=winner.seat,
            margin_ns=max(times_ns) - min(times_ns),
            a_err_ns=errors["a"],
            b_err_ns=errors["b"],
            is_dead_heat=loser.tied_with is winner,
            token_decided=loser.tied_with is winner and loser.token_decided,
        )
