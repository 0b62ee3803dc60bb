"""Recorded matches as snapshots: the table, its signs, flights and photo finishes as the cabinet showed them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cabinet.bulletin import Bulletin
from cabinet.engine.table import SEATS, Seat
from cabinet.lamps import LampSettings, Situation, lamps_of
from cabinet.record import Began, Ended, Seated
from cabinet.replay.rematch import Rematch
from cabinet.replay.steps import Start, Step
from cabinet.session import Judgement
from cabinet.snapshot import Player, Scene, SeatStatus, Snapshot

RESULT_SHOWN_NS: Final = 3_000_000_000
"""How long the end of a match is shown before the next begins."""


class Reel:
    """Plays matches one after another on a clock of its own. Not thread-safe.

    Raises RecordError or DifferenceError where the record is damaged, or a replay comes to something else.
    """

    def __init__(self, steps: Iterator[Start | Step]) -> None:
        self._steps = steps
        self._next: Start | Step | None = next(steps, None)
        self._bulletin = Bulletin()
        self._shown: _Shown | None = None
        self._played_until_ns = 0
        self.latest = Snapshot(0, 0, "attract", SeatStatus(), SeatStatus(), None)
        """The newest snapshot."""
        self.matches = 0
        """How many have begun."""

    def is_over(self, now_ns: int) -> bool:
        """Whether all has been shown, the last result, too."""
        return self._next is None and now_ns >= self._played_until_ns + RESULT_SHOWN_NS

    def run_until(self, now_ns: int) -> Snapshot:
        """What the cabinet showed at `now_ns`."""
        while self._next is not None and (due_ns := self._due_ns(self._next)) <= now_ns:
            self._play(self._next, due_ns)
            self._played_until_ns = due_ns
            self._next = next(self._steps, None)
        self._bulletin.forget(now_ns)
        if self._shown is not None:
            self._wait(self._shown.rematch, now_ns)
            self.latest = self._shown.snapshot(self.latest.number + 1, now_ns)
        return self.latest

    def _due_ns(self, item: Start | Step) -> int:
        if self._shown is None:
            return 0
        if isinstance(item, Start):
            return self._played_until_ns + RESULT_SHOWN_NS
        return max(self._played_until_ns, item.state.at_ns + self._shown.rematch.session.offset_ns)

    def _play(self, item: Start | Step, at_ns: int) -> None:
        if isinstance(item, Start):
            self._shown = _Shown(item, at_ns, self._bulletin)
            self.matches += 1
        elif self._shown is not None:
            self._shown.play(item)

    def _wait(self, rematch: Rematch, now_ns: int) -> None:
        """Time passes between the steps, too."""
        until_ns = now_ns - rematch.session.offset_ns
        if isinstance(self._next, Step):
            until_ns = min(until_ns, self._next.begins_ns)
        rematch.wait_until(until_ns)


class _Shown:
    """The match that is shown."""

    def __init__(self, start: Start, started_ns: int, bulletin: Bulletin) -> None:
        began: Began = start.began
        self.rematch = Rematch(start, started_ns)
        self._game = began.game
        self._bulletin = bulletin
        self._players: dict[Seat, Player] = dict(zip(SEATS, began.players, strict=True))
        self._scene: Scene = "match"

    def play(self, step: Step) -> None:
        judgement = self.rematch.play(step)
        for _, line in step.lines:
            if isinstance(line, Seated):
                self._players[line.seat] = line.player
            elif isinstance(line, Ended):
                self._scene = "result"
        self._tell(judgement)

    def _tell(self, judgement: Judgement) -> None:
        session = self.rematch.session
        for one in judgement.judged:
            self._bulletin.judged(one, one.press.line)
        self._bulletin.contended(judgement.contests)
        self._bulletin.happened(session.match, judgement.events, session.offset_ns)

    def snapshot(self, number: int, now_ns: int) -> Snapshot:
        session = self.rematch.session
        seats = {seat: SeatStatus(self._players[seat], armed_stock=session.armed_stock(seat)) for seat in SEATS}
        return Snapshot(
            number=number,
            at_ns=now_ns,
            scene=self._scene,
            seats_a=seats["a"],
            seats_b=seats["b"],
            view=session.view,
            game=self._game,
            games=(self._game,),
            match_offset_ns=session.offset_ns,
            happenings=self._bulletin.happenings(),
            signs=self._bulletin.signs,
            photo=self._bulletin.photo,
            lamps=lamps_of(self._situation(seats), LampSettings()),
        )

    def _situation(self, seats: dict[Seat, SeatStatus]) -> Situation:
        session = self.rematch.session
        return Situation(
            scene=self._scene,
            seats_a=seats["a"],
            seats_b=seats["b"],
            view=session.view,
            panel=session.panel,
            layout=session.layout,
            calm_ns=session.match.now_ns - session.match.progress_ns,
        )
