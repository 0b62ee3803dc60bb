"""A round is over: what it gave, and what each has now; with piles that were taken, or with points alone."""

from __future__ import annotations

from typing import NamedTuple

from cabinet.engine.actions import PilesTaken, Scored
from cabinet.engine.table import OTHER_SEAT, PILE_NAMES, SEATS, PileName, Seat, View
from cabinet.snapshot import KEPT_NS
from display import motion, text
from display.light import BRIGHT, DOWN, NORMAL
from display.memory import Landing
from display.motion import MS
from display.scenes import centre, photo, points, speed, table
from display.scenes.buttons import buttons
from display.scenes.prompts import Words, message
from display.stage import Stage, heavy

SHOWN_NS = 2_600 * MS
FLOOD_NS = 360 * MS
"""How long the light takes to flood a pile that was taken."""


class Given(NamedTuple):
    """What a round gave, and when."""

    at_ns: int
    taken: PilesTaken | None = None
    scored: Scored | None = None

    def points(self, seat: Seat) -> int:
        """Points of a seat; 0 where none are counted."""
        if self.scored is None:
            return 0
        return self.scored.a if seat == "a" else self.scored.b


def given(stage: Stage) -> Given | None:
    """What the last round gave, while it is fresh; in a lesson as long as it is known."""
    shown_ns = SHOWN_NS if stage.snapshot.lesson is None else KEPT_NS
    found = None
    for happening in stage.snapshot.happenings:
        event = happening.event
        if not 0 <= stage.age(happening.at_ns) < shown_ns:
            continue
        if isinstance(event, PilesTaken):
            found = Given(happening.at_ns, taken=event)
        elif isinstance(event, Scored):
            piles = found.taken if found is not None and found.at_ns == happening.at_ns else None
            found = Given(happening.at_ns, piles, event)
    return found


def draw(stage: Stage, view: View, gain: Given) -> None:
    """The piles in the light of who took them, or in the light of who was out first."""
    body(stage, view, gain)
    for seat in SEATS:
        is_ready = view.side(seat).is_ready
        table.header(stage, seat, text.READY if is_ready else "", is_done=is_ready)
        points.score(stage, seat, view)
    _top(stage, view, gain)


def body(stage: Stage, view: View, gain: Given) -> None:
    """All but the top of the picture."""
    levels = _levels(view, gain)
    table.ground(stage, levels["a"], levels["b"])
    for name in PILE_NAMES:
        _flood(stage, view, name, gain)
    for seat in SEATS:
        table.stock_row(stage, seat, view)
        table.closed_cards(stage, seat, view)
        buttons(stage, seat)
        message(stage, seat, _lines(stage, view, seat, gain))
    if gain.taken is None:
        speed.side_piles(stage, view)
        centre.centre_piles(stage, view)
    else:
        for name in PILE_NAMES:
            _pile(stage, name, gain.taken)


def _first(view: View, gain: Given) -> Seat | None:
    """Whose light is brighter: who settled the piles, or in Speed who was out first."""
    if gain.taken is not None:
        return gain.taken.settled_by
    return view.round_end.player if view.round_end is not None else None


def _levels(view: View, gain: Given) -> dict[Seat, int]:
    first = _first(view, gain)
    if first is None:
        return {"a": NORMAL, "b": NORMAL}
    return {first: BRIGHT, OTHER_SEAT[first]: DOWN}


def _owner(event: PilesTaken, name: PileName) -> tuple[Seat | None, int]:
    """Who took a pile, and how many cards it had."""
    if event.a == name:
        return "a", event.a_size
    return ("b", event.b_size) if event.b == name else (None, 0)


def _flood(stage: Stage, view: View, name: PileName, gain: Given) -> None:
    owner, size = _owner(gain.taken, name) if gain.taken is not None else (_first(view, gain), 1)
    if owner is not None:
        level = motion.steps(motion.eased_out(motion.share(stage.age(gain.at_ns), FLOOD_NS)), 6)
        centre.pile_halo(stage, name, size, stage.theme.seat(owner), 0.1 + 0.65 * level)


def _pile(stage: Stage, name: PileName, event: PilesTaken) -> None:
    owner, size = _owner(event, name)
    known = stage.memory.taken.get(name)
    box = stage.layout.pile(name)
    if size:
        centre.centre_pile(
            stage, name, [Landing(0, known.card if known else None, owner, came="played")], size, dim=True
        )
    else:
        centre.empty_place(stage, name, stage.theme.muted)
    if owner is None:
        return
    px = stage.px(150)
    top = (box.centre[0], box.centre[1] - stage.layout.pile_rise(size))
    stage.centred(stage.kit.disc(px * 3 // 2, stage.theme.felt_edge), top)
    lift = px // 12 if owner == "b" else 0
    stage.centred(stage.kit.sign(owner, px), (top[0], top[1] - lift))


def _lines(stage: Stage, view: View, seat: Seat, gain: Given) -> list[Words]:
    """What a seat is told: the pile it took, and its cards or its points of this round."""
    theme, colour = stage.theme, stage.theme.seat(seat)
    if gain.taken is None:
        return _lines_of_speed(stage, view, seat, gain)
    pile, size = (gain.taken.a, gain.taken.a_size) if seat == "a" else (gain.taken.b, gain.taken.b_size)
    took = Words(text.took(pile, size), 42, theme.ink, heavy=False)
    if gain.scored is not None:
        added = text.gained(gain.points(seat))
        return [took, Words(added, 170, colour), Words(text.POINTS, 46, theme.muted, heavy=False)]
    owned = str(view.side(seat).owned)
    return [took, Words(owned, 190, colour), Words(text.OWNED, 46, theme.muted, heavy=False)]


def _lines_of_speed(stage: Stage, view: View, seat: Seat, gain: Given) -> list[Words]:
    """The winner's points, and the cards of the other that they are for."""
    theme, colour = stage.theme, stage.theme.seat(seat)
    if _first(view, gain) == seat:
        added = text.gained(gain.points(seat))
        return [Words(added, 170, colour), Words(text.POINTS, 46, theme.muted, heavy=False)]
    left = gain.points(OTHER_SEAT[seat])
    return [Words(str(left), 110, theme.muted), Words(text.still_held(view.rules), 46, theme.muted, heavy=False)]


def _top(stage: Stage, view: View, gain: Given) -> None:
    if photo.is_shown(stage) and gain.taken is not None:
        photo.strip(stage)
        return
    end, box = view.round_end, stage.layout.strip
    if end is not None and end.player is not None:
        words = f"{text.SEAT_NAMES[end.player]} {text.OUT}"
        colour = stage.theme.seat(end.player)
    else:
        words, colour = text.DEADLOCK, stage.theme.ink
    stage.words(words, box.centre, heavy(76, colour), width=box.w)
