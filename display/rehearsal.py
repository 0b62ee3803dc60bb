"""Snapshots that show everything once, so that its pictures are made before a match needs them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from cabinet.engine.actions import (
    CardsTurned,
    Hinted,
    PilesTaken,
    Play,
    Played,
    Refused,
    Scored,
    SlapOpened,
    TurnedCard,
)
from cabinet.engine.cards import PACK
from cabinet.engine.rules import ARCADE, Rules
from cabinet.engine.table import (
    PILE_NAMES,
    SEATS,
    BeatView,
    Phase,
    PileView,
    RoundEnd,
    Seat,
    SideView,
    StockView,
    View,
)
from cabinet.snapshot import Happening, PhotoFinish, SeatStatus, Sign, Snapshot
from display.layout import shape_of
from display.motion import MS

NOW_NS: Final = 10_000 * MS
"""Host and match time of every rehearsed snapshot."""
STEP_MS: Final = 30
"""Movements are rehearsed at this pace."""


def snapshots(rules: Rules = ARCADE) -> Iterator[Snapshot]:
    """The scenes of a match of that game, one after the other, all at `NOW_NS`."""
    yield from _play(rules)
    yield from _beats(rules)
    if rules.game == "speed":
        yield from _rounds_of_speed(rules)
    else:
        yield from _ends(rules)


def _side(rules: Rules) -> SideView:
    is_speed = rules.game == "speed"
    places = shape_of(rules).piles
    stock = tuple(StockView(1 if is_speed else n + 1, PACK[n]) for n in range(places))
    size = sum(pile.size for pile in stock)
    spit, draw = (0, 10) if is_speed else (11, 0)
    return SideView(
        stock,
        spit,
        size + spit + draw,
        is_ready=False,
        has_called=False,
        locked_until_ns=0,
        tied_to=None,
        draw_size=draw,
    )


def _view(rules: Rules) -> View:
    side = _side(rules)
    sides = 8 if rules.game == "speed" else 0
    return View(
        rules=rules,
        now_ns=NOW_NS,
        phase="play",
        round=1,
        a=side,
        b=side,
        left=PileView(6, PACK[12]),
        right=PileView(7, PACK[25]),
        is_stuck=False,
        stuck_since_ns=None,
        lone_spitter=None,
        needs_pile=False,
        beat=None,
        round_end=None,
        ended_ns=None,
        slap_open=False,
        chooser=None,
        token="a",
        score_a=0,
        score_b=0,
        winner=None,
        side_left=sides,
        side_right=sides,
    )


def _snapshot(view: View, *happenings: Happening, signs: tuple[Sign, ...] = ()) -> Snapshot:
    human = SeatStatus(player="human")
    return Snapshot(
        number=0,
        at_ns=NOW_NS,
        scene="match",
        seats_a=human,
        seats_b=human,
        view=view,
        happenings=happenings,
        signs=signs,
    )


def _play(rules: Rules) -> Iterator[Snapshot]:
    view = _view(rules)
    drawn = PACK[0] if rules.game == "speed" else None
    for age in range(0, 420, STEP_MS):
        at = NOW_NS - age * MS
        for swap in (False, True):
            happenings = []
            signs = []
            for number, seat in enumerate(SEATS):
                pile = PILE_NAMES[number ^ swap]
                top = PACK[12] if pile == "left" else PACK[25]
                played = Played(at_ns=at, seat=seat, stock=1 + swap, pile=pile, card=top, uncovered=drawn)
                happenings.append(Happening(number, at, played))
                signs += [
                    Sign(n, at, f"{seat}.{n}", "refused" if n > 2 else "done", "NOT_ADJACENT", pile=pile)
                    for n in range(1, len(view.a.stock) + 1)
                ]
                hint = Hinted(at_ns=at, seat=seat, hint=Play(3))
                happenings.append(Happening(2 + number, NOW_NS - age * 2 * MS, hint))
                lost = Refused(at_ns=at, seat=seat, action=Play(4), reason="NOT_ADJACENT", behind_ns=MS)
                happenings.append(Happening(4 + number, at, lost))
            yield _snapshot(view, *happenings, signs=tuple(signs))
    photo = PhotoFinish(1, NOW_NS, "a", 3 * MS, MS, MS)
    locked = replace(view.a, locked_until_ns=NOW_NS + 300 * MS)
    yield replace(_snapshot(replace(view, a=locked, b=locked)), photo=photo)
    armed = SeatStatus(player="human", armed_stock=2)
    heat = replace(photo, decided_by="token")
    yield replace(_snapshot(view), seats_a=armed, seats_b=armed, photo=heat)
    yield replace(_snapshot(view), photo=replace(photo, decided_by="arrival"))


def _beats(rules: Rules) -> Iterator[Snapshot]:
    start = PileView(1 if rules.game == "speed" else 0, None)
    ready = replace(_view(rules), phase="ready", left=start, right=start)
    yield _snapshot(ready)
    yield _snapshot(replace(ready, a=replace(ready.a, is_ready=True), b=replace(ready.b, is_ready=True)))
    for age in range(0, 1_800, 3 * STEP_MS):
        beat = BeatView("deal", NOW_NS - age * MS, NOW_NS + (1_800 - age) * MS, PILE_NAMES)
        yield _snapshot(replace(ready, beat=beat))
    stuck = replace(_view(rules), is_stuck=True, stuck_since_ns=NOW_NS)
    called = replace(stuck.a, has_called=True)
    yield _snapshot(stuck)
    yield _snapshot(replace(stuck, a=called, b=called))
    if rules.game == "spit":
        for seat in SEATS:
            yield _snapshot(replace(stuck, lone_spitter=seat, needs_pile=True))
    for age in range(0, 150, STEP_MS):
        at = NOW_NS - age * MS
        cards = (TurnedCard("a", "left", PACK[12]), TurnedCard("b", "right", PACK[25]))
        turned = Happening(10, at, CardsTurned(at_ns=at, kind="spit", cards=cards))
        yield _snapshot(_view(rules), turned)


def _ends(rules: Rules) -> Iterator[Snapshot]:
    phase: Phase = "slap" if rules.slap == "race" else "choose"
    chooser: Seat | None = None if phase == "slap" else "a"
    end = RoundEnd("out", "a")
    ended = replace(_view(rules), phase=phase, chooser=chooser, ended_ns=NOW_NS, round_end=end)
    yield _snapshot(ended)
    for age in range(0, 420, STEP_MS):
        at = NOW_NS - age * MS
        yield _snapshot(replace(ended, slap_open=True), Happening(20, at, SlapOpened(at_ns=at)))
        for a, b in ((PILE_NAMES[0], PILE_NAMES[1]), (PILE_NAMES[1], PILE_NAMES[0])):
            taken = PilesTaken(at_ns=NOW_NS, a=a, b=b, a_size=6, b_size=7, settled_by="a")
            yield _snapshot(replace(_view(rules), phase="ready", round_end=end), Happening(21, at, taken))


def _rounds_of_speed(rules: Rules) -> Iterator[Snapshot]:
    for seat in SEATS:
        ended = replace(_view(rules), phase="ready", round_end=RoundEnd("out", seat))
        for age in range(0, 420, STEP_MS):
            at = NOW_NS - age * MS
            yield _snapshot(ended, Happening(30, at, Scored(at_ns=at, a=8, b=8)))
