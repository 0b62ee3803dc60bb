"""The table in a mirror, and the players' presses too: everything that happens is the mirror image.

Neither seat, nor pin, nor the order of arrival decides anything: the token changes hands in the mirror with the
table, and with it the dead heats that it decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

import msgspec
import pytest

from cabinet import record
from cabinet.buttons.edges import Line
from cabinet.engine.actions import Spit
from cabinet.engine.games import Game
from cabinet.engine.match import Match, new_match, spit_table
from cabinet.engine.rules import Rules
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, PILE_NAMES, SEATS, PileName, Seat, SpitTable, View
from cabinet.game import GameSettings
from cabinet.panel import START, STOCK_BUTTONS, Button, line_of, place_of, taps_for
from cabinet.players.tactics import sensible_actions
from cabinet.snapshot import PhotoFinish, Snapshot
from cabinet.virtual import VirtualCabinet
from tests.contacts import MS, US, Finger, fingers_for

RULES: Final = Rules(cap_rounds=1)
"""One round; whoever owns fewer cards then has won."""
FIRST_PRESS_NS: Final = 1_000 * MS
LAST_START: Final = 3
"""Match time begins with the fourth START: two that join, and two that are ready."""
LOOKS_EVERY_NS: Final = 10 * MS
LIMIT_NS: Final = 5 * 60_000 * MS

CLOSE_NS: Final = 150 * US
"""Two presses so close cannot be told apart: each stamp may be wrong by 100 µs."""
CLEAR_NS: Final = 400 * US
"""Two presses so far apart can."""
SURE_AT_ONCE: Final = ((0, 1), (60_000, 0))
SURE_LATE: Final = ((0, 1), (100, 0), (800, 1), (60_000, 0))
"""Counts as pressed 900 µs after it first closed, when a later press of the other player is long sure."""


class Touch(msgspec.Struct, frozen=True):
    """A press with its contact's changes in microseconds."""

    finger: Finger
    trace: tuple[tuple[int, int], ...]
    names_pile: bool
    """Its button stands for the left or right pile, not for a stock pile."""


class Round(msgspec.Struct, frozen=True):
    """A round as it was played and recorded."""

    touches: tuple[Touch, ...]
    lines: tuple[record.RecordLine, ...]
    photos: tuple[PhotoFinish, ...]


# Playing one


class Table:
    """A cabinet on which one round is played."""

    def __init__(self, seed: int, deal: Callable[[Rules, int], Match]) -> None:
        settings = GameSettings(games=(Game("one_round", RULES),), deal=deal)
        self.cabinet = VirtualCabinet(settings, Random(seed), keep=self._keep)
        self.cabinet.on_snapshot = self._see
        self.lines: list[record.RecordLine] = []
        self.photos: list[PhotoFinish] = []
        self.touches: list[Touch] = []

    @property
    def snapshot(self) -> Snapshot:
        return self.cabinet.game.latest

    @property
    def now_ns(self) -> int:
        return self.cabinet.clock.now_ns

    def touch(self, touch: Touch) -> None:
        self.touches.append(touch)
        self.cabinet.board.press(touch.finger.line, touch.finger.at_ns, touch.trace)

    def round(self) -> Round:
        self.cabinet.close()
        return Round(tuple(self.touches), tuple(self.lines), tuple(self.photos))

    def _keep(self, line: record.RecordLine) -> None:
        self.lines.append(line)

    def _see(self, snapshot: Snapshot) -> None:
        known = self.photos[-1] if self.photos else None
        if snapshot.photo is not None and (known is None or snapshot.photo.number != known.number):
            self.photos.append(snapshot.photo)


class Director:
    """Moves both players: contests wherever the table offers one, else one press after another."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._contests = 0
        self._turns = 0

    def play(self) -> None:
        """From attract to the end of the round."""
        at_ns = FIRST_PRESS_NS
        for _ in range(2):
            for seat in SEATS:
                self._touch(Finger(line_of(seat, START), at_ns))
                at_ns += 200 * MS
        self._table.cabinet.run_until(at_ns)
        while self._table.snapshot.scene == "match":
            assert self._table.now_ns < LIMIT_NS, "the round does not end"
            rest_ns = self._act(self._table.snapshot.view)
            self._table.cabinet.run_until(self._table.now_ns + rest_ns)

    def _act(self, view: View | None) -> int:
        """Lets somebody press, and says how long to wait then."""
        if view is None:
            return LOOKS_EVERY_NS
        at_ns = self._table.now_ns + 100 * MS
        contest = next(contests(view), None)
        if contest is not None:
            self._contend(contest, at_ns, names_pile=view.phase == "slap")
            return 700 * MS
        self._turns += 1
        seats = SEATS if self._turns % 2 else SEATS[::-1]
        for seat in seats:
            for action in sensible_actions(view, seat)[:1]:
                fingers = fingers_for(taps_for(action, seat, view), seat, at_ns)
                names_pile = isinstance(action, Spit) and action.pile is not None
                for finger in fingers:
                    self._touch(finger, names_pile=names_pile)
                return fingers[-1].at_ns - at_ns + 350 * MS
        return LOOKS_EVERY_NS

    def _contend(self, contest: dict[Seat, Button], at_ns: int, *, names_pile: bool) -> None:
        """In turn a dead heat and a race, which a and b win in turn; the first to touch is heard last."""
        is_dead_heat = self._contests % 2 == 0
        first: Seat = "a" if self._contests % 4 < 2 else "b"
        self._contests += 1
        for seat, button in contest.items():
            behind_ns = 0 if seat == first else CLOSE_NS if is_dead_heat else CLEAR_NS
            trace = SURE_LATE if seat == first else SURE_AT_ONCE
            self._touch(Finger(line_of(seat, button), at_ns + behind_ns), trace, names_pile=names_pile)

    def _touch(
        self, finger: Finger, trace: tuple[tuple[int, int], ...] = SURE_AT_ONCE, *, names_pile: bool = False
    ) -> None:
        self._table.touch(Touch(finger, trace, names_pile))


def contests(view: View) -> Iterator[dict[Seat, Button]]:
    """Buttons of both players of which only one can succeed, none of them with the last card of a stock."""
    if view.phase == "slap" and view.slap_open:
        yield dict.fromkeys(SEATS, STOCK_BUTTONS[0])
    if min(view.a.stock_size, view.b.stock_size) < 2:
        return
    for pile in PILE_NAMES:
        a, b = (only_there(view, seat, pile) for seat in SEATS)
        if a and b:
            yield {"a": a[0], "b": b[0]}


def only_there(view: View, seat: Seat, pile: PileName) -> list[Button]:
    return [
        button
        for number, button in enumerate(STOCK_BUTTONS, 1)
        if view.fits(seat, number, pile) and not view.fits(seat, number, OTHER_PILE[pile])
    ]


def dealt(rules: Rules, seed: int) -> Match:
    return new_match(rules, Random(seed))


def played(seed: int) -> Round:
    table = Table(seed, dealt)
    Director(table).play()
    return table.round()


# In the mirror


def dealt_mirrored(rules: Rules, seed: int) -> Match:
    match = dealt(rules, seed)
    table = spit_table(match)
    mirrored = SpitTable(a=table.b, b=table.a, left=table.right, right=table.left)
    return msgspec.structs.replace(match, table=mirrored, token=OTHER_SEAT[match.token])


def line_in_mirror(line: Line, *, names_pile: bool) -> Line:
    """The other seat's button; one that stands for the left or right pile lies on the other end of the row."""
    place = place_of(line)
    assert place is not None
    seat, button = place
    if names_pile and button in STOCK_BUTTONS:
        button = STOCK_BUTTONS[::-1][STOCK_BUTTONS.index(button)]
    return line_of(OTHER_SEAT[seat], button)


def played_in_mirror(original: Round, seed: int) -> Round:
    """The mirrored table, and the mirrored presses at the same instants."""
    table = Table(seed, dealt_mirrored)
    for touch in original.touches:
        line = line_in_mirror(touch.finger.line, names_pile=touch.names_pile)
        finger = msgspec.structs.replace(touch.finger, line=line)
        table.touch(msgspec.structs.replace(touch, finger=finger))
    while table.snapshot.scene != "result" and table.now_ns < LIMIT_NS:
        table.cabinet.run_until(table.now_ns + LOOKS_EVERY_NS)
    return table.round()


_PAIRS: Final = (("a", "b"), ("left", "right"), ("a_owned", "b_owned"), ("a_size", "b_size"))
_SWAPPED: Final = dict(_PAIRS) | {right: left for left, right in _PAIRS}


BUTTONS_OF_LINES: Final = {
    "pressed": (("button", "at_ns"),),
    "contended": (("first", "first_ns"), ("second", "second_ns")),
}
"""Which values of a record's lines are buttons, and when each was pressed."""


def told(of: Round) -> list[Any]:
    """The record as its file has it, without the states: a hash has no mirror image."""
    lines = [line for line in of.lines if not isinstance(line, record.State)]
    return _in_order_of_seats([msgspec.json.decode(record.encode(line)) for line in lines])


def told_in_mirror(of: Round) -> list[Any]:
    """The mirror image of the record."""
    lines = [in_mirror(line) for line in told(of)]
    began_ns = of.touches[LAST_START].finger.at_ns
    pile_presses = {(touch.finger.line, touch.finger.at_ns) for touch in of.touches if touch.names_pile}
    for line, image in zip(told(of), lines, strict=True):
        for button, stamp in BUTTONS_OF_LINES.get(line["line"], ()):
            names_pile = (line[button], began_ns + line[stamp]) in pile_presses
            image[button] = line_in_mirror(line[button], names_pile=names_pile)
    return _in_order_of_seats(lines)


def in_mirror(value: Any) -> Any:
    """What a record says, with the seats and the piles swapped."""
    if isinstance(value, list):
        return [in_mirror(one) for one in value]
    if isinstance(value, dict):
        return {_SWAPPED.get(key, key): in_mirror(one) for key, one in value.items()}
    return _SWAPPED.get(value, value) if isinstance(value, str) else value


def _in_order_of_seats(lines: list[Any]) -> list[Any]:
    """What happens to both seats in one step has no order: being made ready at the start, cards that turn."""
    for line in lines:
        cards = line.get("event", {}).get("cards", [])
        cards.sort(key=lambda card: card["seat"])
    readied, beat = lines[1:5], 5
    readied.sort(key=lambda line: line["event"]["seat"] if "event" in line else line["seat"])
    return [lines[0], *readied, *lines[beat:]]


def as_taken(photo: PhotoFinish) -> tuple[Any, ...]:
    errors = {"a": photo.a_err_ns, "b": photo.b_err_ns}
    return (photo.at_ns, photo.first, photo.margin_ns, errors, photo.is_dead_heat)


SEEDS: Final = (4, 7, 14, 21)
"""Rounds that somebody wins, and in which SPIT is held with a play; the token is dealt to a in half of them."""


@pytest.fixture(scope="module", params=SEEDS)
def rounds(request: pytest.FixtureRequest) -> tuple[Round, Round]:
    """A round, and what came of it in the mirror."""
    original = played(request.param)
    return original, played_in_mirror(original, request.param)


def test_the_round_has_dead_heats_races_and_a_winner(rounds: tuple[Round, Round]) -> None:
    original, _ = rounds
    margins = {(photo.is_dead_heat, photo.margin_ns) for photo in original.photos}
    assert margins == {(True, CLOSE_NS), (False, CLEAR_NS)}
    pressed = [line for line in original.lines if isinstance(line, record.Pressed)]
    assert any(line.token_decided for line in pressed)
    assert any(line.refusal == "NOT_ADJACENT" and not line.tied for line in pressed)
    assert [line.winner is None for line in original.lines if isinstance(line, record.Ended)] == [False]


def test_a_race_is_won_by_the_first_to_touch_though_the_other_is_sure_sooner(rounds: tuple[Round, Round]) -> None:
    original, _ = rounds
    first_touch = {
        touch.finger.at_ns: touch.finger.line[0] for touch in original.touches if touch.trace == SURE_LATE
    }
    races = [photo for photo in original.photos if not photo.is_dead_heat]
    assert races
    assert [photo.first for photo in races] == [first_touch[photo.at_ns] for photo in races]


def test_the_token_decides_the_dead_heats_in_turn(rounds: tuple[Round, Round]) -> None:
    original, _ = rounds
    began = original.lines[0]
    assert isinstance(began, record.Began)
    decided = [photo.first for photo in original.photos if photo.is_dead_heat and photo is not original.photos[-1]]
    assert decided[:2] == [began.token, OTHER_SEAT[began.token]][: len(decided)]


def test_the_mirrored_round_gives_the_mirrored_record(rounds: tuple[Round, Round]) -> None:
    original, mirrored = rounds
    assert told(mirrored) == told_in_mirror(original)
    assert told(mirrored) != told(original)


def test_the_photo_finishes_are_mirrored_too(rounds: tuple[Round, Round]) -> None:
    original, mirrored = rounds
    in_the_mirror = [
        (at, OTHER_SEAT[first], margin, {"a": err["b"], "b": err["a"]}, is_dead_heat)
        for at, first, margin, err, is_dead_heat in map(as_taken, original.photos)
    ]
    assert [as_taken(photo) for photo in mirrored.photos] == in_the_mirror
