"""The photo finish: which presses contended, by how much, and how it was decided (HOUSE.md, Words).

Not thread-safe; owned by the game thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from cabinet.engine.actions import Play, Slap
from cabinet.engine.order import Judged
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import OTHER_SEAT, Seat
from cabinet.panel import START
from cabinet.session import SeatPress
from cabinet.snapshot import PhotoFinish

SLAP_WINDOW_NS: Final = 1_000 * MILLISECOND_NS
"""A press of the other player this soon after a slap that settled the piles was a slap, too."""

KEPT_PRESSES: Final = 64


class PhotoDesk:
    """Looks at judged presses and finds those that contended."""

    def __init__(self) -> None:
        self._played: deque[SeatPress] = deque(maxlen=KEPT_PRESSES)
        self._slap: SeatPress | None = None

    def look(self, judged: Sequence[Judged[SeatPress]], number: int) -> PhotoFinish | None:
        """The last contest among `judged`, to be shown under `number`; None: there was none."""
        photo = None
        for place, one in enumerate(judged):
            photo = self._contest(one, judged[:place], number) or photo
            if one.answer.is_accepted and isinstance(one.answer.action, Play):
                self._played.append(one.press)
            elif one.answer.is_accepted and isinstance(one.answer.action, Slap):
                self._slap = one.press
        return photo

    def _contest(
        self, one: Judged[SeatPress], before: Sequence[Judged[SeatPress]], number: int
    ) -> PhotoFinish | None:
        press = one.press
        if one.tied_with is not None and one.token_decided:
            went_first = any(other.press is one.tied_with for other in before)
            return _photo(number, one.tied_with, press, is_dead_heat=True) if went_first else None
        if one.answer.behind_ns is not None:
            winner = self._faster(press, one.answer.behind_ns)
            return None if winner is None else _photo(number, winner, press, is_dead_heat=False)
        slap = self._slap
        if slap is None or slap.seat == press.seat or press.button == START:
            return None
        self._slap = None
        if press.press.t_ns - slap.press.t_ns > SLAP_WINDOW_NS:
            return None
        return _photo(number, slap, press, is_dead_heat=one.tied_with is not None)

    def _faster(self, press: SeatPress, behind_ns: int) -> SeatPress | None:
        """The accepted play of the other player to which `press` came too late."""
        rival: Seat = OTHER_SEAT[press.seat]
        for one in reversed(self._played):
            if one.seat == rival and press.at_ns - one.at_ns == behind_ns:
                return one
        return None


def _photo(number: int, winner: SeatPress, loser: SeatPress, *, is_dead_heat: bool) -> PhotoFinish:
    errors = {press.seat: press.press.err_ns for press in (winner, loser)}
    return PhotoFinish(
        number=number,
        at_ns=min(winner.press.t_ns, loser.press.t_ns),
        first=winner.seat,
        margin_ns=abs(loser.press.t_ns - winner.press.t_ns),
        a_err_ns=errors["a"],
        b_err_ns=errors["b"],
        is_dead_heat=is_dead_heat,
    )
