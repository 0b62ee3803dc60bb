"""A round is over: who took which pile, and how many cards each owns now."""

from __future__ import annotations

from cabinet.engine.actions import PilesTaken
from cabinet.engine.table import PILE_NAMES, SEATS, PileName, Seat, View
from cabinet.snapshot import Happening
from display import motion, text
from display.light import BRIGHT, DOWN, NORMAL
from display.memory import Landing
from display.motion import MS
from display.scenes import photo, table
from display.scenes.buttons import buttons
from display.scenes.prompts import Words, message
from display.stage import Stage, heavy

SHOWN_NS = 2_600 * MS
FLOOD_NS = 360 * MS
"""How long the light takes to flood a pile that was taken."""


def happening(stage: Stage) -> Happening | None:
    """The sharing-out of the piles, while it is fresh."""
    for found in reversed(stage.snapshot.happenings):
        if isinstance(found.event, PilesTaken) and 0 <= stage.age(found.at_ns) < SHOWN_NS:
            return found
    return None


def draw(stage: Stage, view: View, taken: Happening) -> None:
    """The piles in the light of who took them."""
    event = taken.event
    assert isinstance(event, PilesTaken)
    levels = {seat: BRIGHT if event.settled_by == seat else NORMAL for seat in SEATS}
    if event.settled_by is not None:
        levels["b" if event.settled_by == "a" else "a"] = DOWN
    table.ground(stage, levels["a"], levels["b"])
    for name in PILE_NAMES:
        _flood(stage, name, event, stage.age(taken.at_ns))
    for seat in SEATS:
        side = view.side(seat)
        table.header(stage, seat, text.READY if side.is_ready else "", is_done=side.is_ready)
        table.stock_row(stage, seat, view)
        table.spit_cards(stage, seat, side.spit_size)
        buttons(stage, seat)
        _message(stage, view, seat, event)
    for name in PILE_NAMES:
        _pile(stage, name, event)
    _top(stage, view)


def _owner(event: PilesTaken, name: PileName) -> tuple[Seat | None, int]:
    """Who took a pile, and how many cards it had."""
    if event.a == name:
        return "a", event.a_size
    return ("b", event.b_size) if event.b == name else (None, 0)


def _flood(stage: Stage, name: PileName, event: PilesTaken, age: int) -> None:
    owner, size = _owner(event, name)
    if owner is not None:
        level = motion.steps(motion.eased_out(motion.share(age, FLOOD_NS)), 6)
        table.pile_halo(stage, name, size, stage.theme.seat(owner), 0.1 + 0.65 * level)


def _pile(stage: Stage, name: PileName, event: PilesTaken) -> None:
    owner, size = _owner(event, name)
    known = stage.memory.taken.get(name)
    box = stage.layout.pile(name)
    if size:
        table.centre_pile(stage, name, [Landing(0, known.card if known else None, owner, 0)], size, dim=True)
    else:
        stage.put(stage.kit.slot((box.w, box.h), stage.theme.muted, 150), box.x, box.y)
    if owner is None:
        return
    px = stage.px(150)
    top = (box.centre[0], box.centre[1] - stage.layout.pile_rise(size))
    stage.centred(stage.kit.disc(px * 3 // 2, stage.theme.felt_edge), top)
    lift = px // 12 if owner == "b" else 0
    stage.centred(stage.kit.sign(owner, px), (top[0], top[1] - lift))


def _message(stage: Stage, view: View, seat: Seat, event: PilesTaken) -> None:
    theme, colour = stage.theme, stage.theme.seat(seat)
    pile, size = (event.a, event.a_size) if seat == "a" else (event.b, event.b_size)
    lines = [
        Words(text.took(pile, size), 42, theme.ink, heavy=False),
        Words(str(view.side(seat).owned), 190, colour),
        Words(text.OWNED, 46, theme.muted, heavy=False),
    ]
    message(stage, seat, lines)


def _top(stage: Stage, view: View) -> None:
    if photo.is_shown(stage):
        photo.strip(stage)
        return
    end, box = view.round_end, stage.layout.strip
    if end is not None and end.player is not None:
        words = f"{text.SEAT_NAMES[end.player]} {text.OUT}"
        colour = stage.theme.seat(end.player)
    else:
        words, colour = text.DEADLOCK, stage.theme.ink
    stage.words(words, box.centre, heavy(76, colour), width=box.w)
