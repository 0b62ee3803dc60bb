"""Matches played at a session by whatever a Random presses, and their records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from msgspec.structs import replace

from cabinet.buttons.edges import HOST_CLOCK, Press
from cabinet.engine.games import Game
from cabinet.engine.judge import machine_move
from cabinet.engine.match import new_match
from cabinet.engine.rules import Rules
from cabinet.engine.table import SEATS, Seat, Table
from cabinet.panel import BUTTONS, START, Button, Layout, Tap, line_of, taps_for
from cabinet.presses import SeatPress
from cabinet.record import RecordLine
from cabinet.recorder import Recorder
from cabinet.session import Session

US: Final = 1_000
MS: Final = 1_000 * US
STARTED_NS: Final = 77_000 * MS
ERR_NS: Final = 100 * US
TOGETHER_NS: Final = (0, 50 * US, 150 * US, 190 * US)
"""Presses so close cannot be told apart."""
APART_NS: Final = (400 * US, 5 * MS)
SLAP_BUTTONS: Final[tuple[Button, ...]] = ("1", "2", "4", "5")


class Playing:
    """A match in play whose record is told to `lines`."""

    def __init__(
        self, rules: Rules, seed: int, layout: Layout = "side_by_side", given: tuple[Table, Seat] | None = None
    ) -> None:
        """`given` is a table and who has the token, rather than those that the seed deals."""
        self.lines: list[RecordLine] = []
        self.recorder = Recorder(self.lines.append)
        match = new_match(rules, Random(seed))
        if given is not None:
            match = replace(match, table=given[0], token=given[1])
        self.session = Session(match, STARTED_NS, layout)
        self.recorder.began(self.session, Game("drawn", rules), seed, ("human", "robot"), layout)
        self.now_ns = STARTED_NS
        self.pauses_ns = 0
        for seat in SEATS:
            self.make_ready(seat, by_machine=False)

    def wait(self, time_ns: int) -> None:
        """Time passes, as the game lets it pass."""
        self.now_ns += time_ns
        for judgement in self.session.pass_time(self.now_ns):
            self.recorder.judged(self.session, judgement)

    def pause(self, time_ns: int) -> None:
        """Host time passes, match time does not."""
        self.now_ns += time_ns
        self.pauses_ns += time_ns
        self.session.hold(self.now_ns)

    def make_ready(self, seat: Seat, *, by_machine: bool) -> None:
        """Ready is said for a seat."""
        judgement = self.session.make_ready(seat, by_machine=by_machine)
        self.recorder.made_ready(self.session, seat, judgement, by_machine=by_machine)

    def press(self, *presses: SeatPress) -> None:
        """Presses that came together are judged."""
        self.wait(0)
        self.recorder.judged(self.session, self.session.judge(presses))
        self.now_ns = max(self.now_ns, *(press.press.order_ns for press in presses))

    def at_button(
        self,
        seat: Seat,
        button: Button,
        after_ns: int = 0,
        *,
        spit_held: bool = False,
        clock: str = HOST_CLOCK,
        late_ns: int = 0,
    ) -> SeatPress:
        """A press from now on; `late_ns` after its stamp it is judged."""
        at_ns = self.now_ns + after_ns
        line = line_of(seat, button)
        press = Press(
            line=line,
            t_ns=at_ns - late_ns,
            err_ns=ERR_NS,
            clock=clock,
            seq=0,
            map_err_ns=0 if clock == HOST_CLOCK else 20 * US,
            judged_ns=at_ns if late_ns else None,
        )
        return self.session.seat_press(seat, button, press, spit_held=spit_held)

    def give_up(self) -> None:
        """It ends without a result."""
        self.recorder.given_up(self.session)


def played_by_lot(rules: Rules, seed: int, *, turns: int = 400, layout: Layout = "side_by_side") -> Playing:
    """A match in which a Random plays for both, well and badly, at once and apart, and takes pauses."""
    rng = Random(seed)
    playing = Playing(rules, seed, layout)
    for _ in range(turns):
        if playing.session.match.is_over:
            break
        rng.choices(_KINDS, _WEIGHTS)[0](playing, rng)
        playing.wait(rng.choice((MS, 60 * MS, 350 * MS)))
    if not playing.session.match.is_over:
        playing.give_up()
    else:
        playing.press(_anything(playing, rng, 0))
    return playing


def _wait_long(playing: Playing, rng: Random) -> None:
    playing.wait(rng.randrange(10 * MS, 6_000 * MS))


def _pause(playing: Playing, rng: Random) -> None:
    playing.pause(rng.randrange(1, 3_000 * MS))


def _make_ready(playing: Playing, rng: Random) -> None:
    playing.make_ready(rng.choice(SEATS), by_machine=True)


def _press_anything(playing: Playing, rng: Random) -> None:
    playing.press(*_together(rng, lambda after_ns: _anything(playing, rng, after_ns), rng.choice((1, 1, 2, 3))))


def _contend(playing: Playing, rng: Random) -> None:
    """Both at once: on one pile if that is to be had, in a slap perhaps with both hands."""
    seats: list[Seat] = [*SEATS, rng.choice(SEATS)] if playing.session.match.phase == "slap" else [*SEATS]
    rng.shuffle(seats)
    order = iter(seats)
    playing.press(*_together(rng, lambda after_ns: _wanted(playing, rng, next(order), after_ns), len(seats)))


def _do_what_helps(playing: Playing, rng: Random) -> None:
    """What the machine would do now, button after button; else what the phase asks for."""
    match = playing.session.match
    move = machine_move(match) if match.phase == "play" and match.stuck is None else None
    if move is None:
        playing.press(_wanted(playing, rng, rng.choice(SEATS), 0))
        return
    seat, action = move
    for tap in taps_for(action, seat, playing.session.seat_view(seat)):
        playing.press(playing.at_button(seat, tap.button, spit_held=tap.with_spit))
        playing.wait(rng.choice((60 * MS, 400 * MS)))


def _together(rng: Random, press: Callable[[int], SeatPress], count: int) -> Sequence[SeatPress]:
    """So many presses, each a short time after the one before."""
    after_ns, presses = 0, []
    for _ in range(count):
        presses.append(press(after_ns))
        after_ns += rng.choice((*TOGETHER_NS, *APART_NS))
    return sorted(presses, key=lambda one: one.at_ns)


def _anything(playing: Playing, rng: Random, after_ns: int) -> SeatPress:
    return playing.at_button(
        rng.choice(SEATS),
        rng.choice(BUTTONS),
        after_ns,
        spit_held=rng.random() < 0.2,
        clock=rng.choice((HOST_CLOCK, HOST_CLOCK, "pico")),
        late_ns=rng.choice((0, 0, 0, 3 * MS)),
    )


def _wanted(playing: Playing, rng: Random, seat: Seat, after_ns: int) -> SeatPress:
    """What a player would press here who does not look twice."""
    view = playing.session.seat_view(seat)
    tap = Tap(START)
    if view.phase in ("slap", "choose") or view.needs_pile:
        tap = Tap(rng.choice(SLAP_BUTTONS))
    elif view.phase == "play" and not view.is_stuck:
        fitting = [number for owner, number, _ in view.fitting if owner == seat]
        tap = Tap(BUTTONS[rng.choice(sorted(fitting) or [1, 2, 3, 4, 5]) - 1])
    return playing.at_button(seat, tap.button, after_ns)


_KINDS: Final = (_do_what_helps, _contend, _press_anything, _wait_long, _pause, _make_ready)
_WEIGHTS: Final = (60, 20, 10, 6, 2, 2)
