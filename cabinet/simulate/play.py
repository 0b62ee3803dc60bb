"""One match between players who do not sit at the cabinet, from event to event and without any waiting.

Presses get their meaning from the panel and are judged as at the cabinet, by a `Session`; frames are shown as
late as there. Only contacts do not bounce, and a press is known at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, Literal, Protocol

from cabinet.buttons.edges import HOST_CLOCK, Press
from cabinet.engine import judge
from cabinet.engine.match import new_match
from cabinet.engine.rules import MINUTE_NS, Rules
from cabinet.engine.table import SEATS, Seat, View
from cabinet.game import FRAME_NS
from cabinet.panel import START, line_of
from cabinet.players.masher import Masher
from cabinet.players.robot import SKILLS, Contact, Robot, Strength
from cabinet.presses import SeatPress
from cabinet.session import Judgement, Session
from cabinet.simulate.count import MatchCount
from cabinet.simulate.figures import Figures

PlayerKind = Strength | Literal["masher"]
"""A robot's strength, or somebody who hits buttons at random."""

NEVER_NS: Final = 24 * 60 * MINUTE_NS
"""No match lasts a day; one that does will never end."""


class Player(Protocol):
    """Who plays a seat."""

    def see(self, view: View, offset_ns: int, shown_ns: int) -> None:
        """A frame with this view is shown at `shown_ns`."""

    def contacts_until(self, now_ns: int) -> Sequence[Contact]:
        """What the fingers do up to and including `now_ns`, in order; each is told once."""

    def next_press_ns(self) -> int | None:
        """When a button may go down next if nothing changes; None: never."""


class EndlessMatchError(RuntimeError):
    """A match comes to no end; the text says which."""


def player_of(kind: PlayerKind, seat: Seat, rng: Random) -> Player:
    """A robot of that strength, or a masher."""
    return Masher(seat, rng) if kind == "masher" else Robot(seat, SKILLS[kind], rng)


def play_match(rules: Rules, kinds: tuple[PlayerKind, PlayerKind], rng: Random) -> Figures:
    """Plays one match between a's kind and b's; `rng` decides everything. Raises EndlessMatchError."""
    session = Session(new_match(rules, Random(rng.getrandbits(32))), 0)
    players = {
        seat: player_of(kind, seat, Random(rng.getrandbits(32))) for seat, kind in zip(SEATS, kinds, strict=True)
    }
    count = MatchCount(rules)
    Course(session, players, count.add).run()
    return count.figures()


class Course:
    """A match in play, and who plays it."""

    def __init__(
        self, session: Session, players: dict[Seat, Player], tell: Callable[[Judgement], None] = lambda _: None
    ) -> None:
        """`tell` is told what every press, and time passing, led to."""
        self._tell = tell
        self._session = session
        self._players = players
        self._spit_is_down = dict.fromkeys(SEATS, False)
        self._presses = 0
        self._shown_version = -1

    def run(self) -> None:
        """Plays to the end. Raises EndlessMatchError."""
        for seat in SEATS:
            self._tell(self._session.make_ready(seat, by_machine=False))
        self._show(0)
        session = self._session
        while not session.match.is_over:
            due_ns = {seat: _or_never(player.next_press_ns()) for seat, player in self._players.items()}
            time_out_ns = _or_never(judge.next_time_out_ns(session.match))
            now_ns = min(due_ns["a"], due_ns["b"], time_out_ns)
            if now_ns >= NEVER_NS:
                raise EndlessMatchError(f"it stands still, or goes on for ever, in round {session.match.round}")
            if time_out_ns == now_ns:
                self._tell(session.advance(now_ns))
            presses = [
                press for seat in SEATS if due_ns[seat] == now_ns for press in self._presses_until(seat, now_ns)
            ]
            if presses:
                self._tell(session.judge(presses))
            if session.version != self._shown_version:
                self._show(now_ns)

    def _presses_until(self, seat: Seat, now_ns: int) -> list[SeatPress]:
        presses = []
        for contact in self._players[seat].contacts_until(now_ns):
            if contact.button == START:
                self._spit_is_down[seat] = contact.closed
            if contact.closed:
                presses.append(self._press(seat, contact))
        return presses

    def _press(self, seat: Seat, contact: Contact) -> SeatPress:
        self._presses += 1
        line = line_of(seat, contact.button)
        spit_held = self._spit_is_down[seat] and contact.button != START
        press = Press(line, contact.at_ns, 0, HOST_CLOCK, self._presses)
        return self._session.seat_press(seat, contact.button, press, spit_held=spit_held)

    def _show(self, now_ns: int) -> None:
        session = self._session
        self._shown_version = session.version
        for seat, player in self._players.items():
            player.see(session.seat_view(seat), session.offset_ns, now_ns + FRAME_NS)


def _or_never(time_ns: int | None) -> int:
    return NEVER_NS if time_ns is None else time_ns
