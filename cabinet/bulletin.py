"""What happened lately, numbered, for the snapshots: happenings, signs and the last photo finish.

Not thread-safe; owned by the game thread.
"""

from __future__ import annotations

from collections.abc import Iterable

from cabinet.buttons.edges import Line
from cabinet.contests import Contest
from cabinet.engine.actions import Event
from cabinet.engine.match import Match
from cabinet.engine.order import Answer, Judged
from cabinet.engine.table import SEATS, Seat
from cabinet.engine.view import seen_event
from cabinet.presses import SeatPress
from cabinet.snapshot import KEPT_NS, Happening, PhotoFinish, Sign, SignKind


class Bulletin:
    """Keeps what happened for `KEPT_NS`, so that a reader which missed a snapshot still sees it."""

    def __init__(self) -> None:
        self._number = 0
        self._happenings: dict[Seat | None, tuple[Happening, ...]] = dict.fromkeys((None, *SEATS), ())
        self.signs: tuple[Sign, ...] = ()
        self.photo: PhotoFinish | None = None
        self.version = 0
        """Counts up with everything new."""

    def happened(self, match: Match, events: Iterable[Event], offset_ns: int) -> None:
        """Events of a match; `offset_ns` is host less match time."""
        for event in events:
            number = self.next_number()
            for viewer, before in self._happenings.items():
                seen = Happening(number, event.at_ns + offset_ns, seen_event(match, event, viewer))
                self._happenings[viewer] = (*before, seen)

    def happenings(self, viewer: Seat | None = None) -> tuple[Happening, ...]:
        """What a screen may tell that only `viewer` sees; None: one that both look at (RULES.md 52)."""
        return self._happenings[viewer]

    def judged(self, one: Judged[SeatPress], line: Line) -> None:
        """The sign of a press in a match, at the button that was pressed."""
        answer = one.answer
        self._sign(
            Sign(
                number=self.next_number(),
                at_ns=one.press.press.t_ns,
                line=line,
                kind=_kind(answer),
                reason=answer.refusal,
                behind_ns=answer.behind_ns,
                pile=answer.pile,
            )
        )

    def plain_sign(self, line: Line, at_ns: int, kind: SignKind) -> None:
        """The sign of a press outside a match."""
        self._sign(Sign(number=self.next_number(), at_ns=at_ns, line=line, kind=kind))

    def contended(self, contests: Iterable[Contest]) -> None:
        """Presses contended; the last contest is shown."""
        for contest in contests:
            self.photo = _photo_of(contest, self.next_number())

    def next_number(self) -> int:
        """A number that was never given before."""
        self._number += 1
        self.version += 1
        return self._number

    def forget(self, now_ns: int) -> None:
        """Leaves out what is older than `KEPT_NS`; that alone is nothing new."""
        since_ns = now_ns - KEPT_NS
        for viewer, kept in self._happenings.items():
            if kept and kept[0].at_ns < since_ns:
                self._happenings[viewer] = tuple(one for one in kept if one.at_ns >= since_ns)
        if self.signs and self.signs[0].at_ns < since_ns:
            self.signs = tuple(one for one in self.signs if one.at_ns >= since_ns)
        if self.photo is not None and self.photo.at_ns < since_ns:
            self.photo = None
            self.version += 1

    def _sign(self, sign: Sign) -> None:
        self.signs += (sign,)


def _photo_of(contest: Contest, number: int) -> PhotoFinish:
    contenders = {one.seat: one for one in (contest.first, contest.second)}
    return PhotoFinish(
        number=number,
        at_ns=min(contest.first.press.t_ns, contest.second.press.t_ns),
        first=contest.first.seat,
        margin_ns=abs(contest.margin_ns),
        a_err_ns=contest.err_ns(contenders["a"]),
        b_err_ns=contest.err_ns(contenders["b"]),
        decided_by=contest.decided_by,
    )


def _kind(answer: Answer) -> SignKind:
    if answer.action is None:
        return "waiting" if answer.waits else "nothing"
    if answer.refusal is None:
        return "done"
    return "locked" if answer.refusal == "LOCKED_OUT" else "refused"
