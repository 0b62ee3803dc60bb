"""Tells the record of the match in play, line by line as the match goes on.

Not thread-safe; owned by the game thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cabinet import record
from cabinet.engine.actions import MatchOver, Refused
from cabinet.engine.games import Game
from cabinet.engine.table import Seat
from cabinet.panel import Layout
from cabinet.session import Judgement, Session
from cabinet.snapshot import Player


class Recorder:
    """Turns what a game does to its session into lines. Without anybody to keep them it does nothing."""

    def __init__(self, keep: Callable[[record.RecordLine], None] | None) -> None:
        """`keep` is told every line, and must not hold up the game."""
        self._keep = keep

    def began(
        self, session: Session, game: Game, seed: int, players: tuple[Player, Player], layout: Layout
    ) -> None:
        """A match begins."""
        if self._keep is not None:
            self._keep(record.began(session.match, game, seed, players, layout))

    def seated(self, session: Session, seat: Seat, player: Player) -> None:
        """Somebody else sits at a seat from now on."""
        if self._keep is not None:
            self._keep(record.Seated(session.match.now_ns, seat, player))

    def made_ready(self, session: Session, seat: Seat, judgement: Judgement, *, by_machine: bool) -> None:
        """Ready was said for a seat, by no press in the match, and this came of it."""
        if self._keep is not None and judgement.events:
            self._keep(record.readied(session.match, seat, by_machine=by_machine))
            self.judged(session, judgement)

    def judged(self, session: Session, judgement: Judgement) -> None:
        """Presses were judged, or time passed."""
        if self._keep is None or not (judgement.judged or judgement.events):
            return
        for line in lines_of(judgement, session):
            self._keep(line)
        self._keep(record.state(session.match))

    def given_up(self, session: Session) -> None:
        """The match ends without a result."""
        if self._keep is not None:
            self._keep(record.ended(session.match, session.match.now_ns))
            self._keep(record.state(session.match))


def lines_of(judgement: Judgement, session: Session) -> Iterator[record.RecordLine]:
    """What a record says of a judgement that has led to where the session is now, but for the state.

    A refused press says so itself.
    """
    for one in judgement.judged:
        yield record.pressed(one)
    for contest in judgement.contests:
        yield record.contended(contest)
    for event in judgement.events:
        if not isinstance(event, Refused):
            yield record.Happened(event)
    for event in judgement.events:
        if isinstance(event, MatchOver):
            yield record.ended(session.match, event.at_ns)
