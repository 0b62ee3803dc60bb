"""The end of a round: the table goes dark but for the two piles, and at the cue both flare."""

from __future__ import annotations

from cabinet.engine.actions import Refused, SlapOpened
from cabinet.engine.table import OTHER_SEAT, PILE_NAMES, SEATS, Seat, View
from display import motion, text
from display.layout import Box
from display.light import DARK
from display.memory import Landing
from display.motion import MS
from display.scenes import centre, effects, photo, points, table
from display.scenes.prompts import Words, message, side_choice
from display.stage import Stage, heavy

FLARE_NS = 400 * MS
TOO_EARLY_NS = 1_200 * MS
"""How long a player who slapped too early is told so."""


def draw(stage: Stage, view: View) -> None:
    """The slap race, or the choice of one player."""
    body(stage, view)
    for seat in SEATS:
        is_out = view.round_end is not None and view.round_end.player == seat
        lit = view.slap_open and view.chooser in (None, seat)
        table.header(stage, seat, text.OUT if is_out else "", strength=1.0 if lit or is_out else 0.5)
        points.score(stage, seat, view, strength=0.5)
    _banner(stage, view)


def body(stage: Stage, view: View) -> None:
    """All but the top of the picture."""
    table.ground(stage, DARK, DARK)
    if view.slap_open:
        _flare(stage, view)
    effects.press_lights(stage)
    for seat in SEATS:
        table.closed_cards(stage, seat, view, dim=True)
        table.stock_row(stage, seat, view, dim=True, slots=False)
        _side(stage, view, seat)
    _piles(stage, view)
    effects.flights(stage)


def _flare(stage: Stage, view: View) -> None:
    """At the cue both piles flare, then stay in plain light."""
    opened = [
        happening.at_ns for happening in stage.snapshot.happenings if isinstance(happening.event, SlapOpened)
    ]
    age = stage.age(opened[-1]) if opened else FLARE_NS
    level = motion.steps(1 - motion.eased_out(motion.share(age, FLARE_NS)), 6)
    for name in PILE_NAMES:
        pile = view.pile(name)
        centre.pile_halo(stage, name, pile.size if pile else 0, stage.theme.paper, 0.34 + 0.36 * level)


def _piles(stage: Stage, view: View) -> None:
    """Both piles in plain light; one that this round does not have is an empty place that can be slapped."""
    for name in PILE_NAMES:
        box, pile = stage.layout.pile(name), view.pile(name)
        size = pile.size if pile else 0
        if size and pile is not None:
            landing = stage.memory.landings(name)[-1]
            centre.centre_pile(stage, name, [Landing(landing.at_ns, pile.top, landing.seat, came="played")], size)
        else:
            centre.empty_place(stage, name, stage.theme.ink, 255)
            stage.words("0", box.centre, heavy(150, stage.theme.ink))


def _side(stage: Stage, view: View, seat: Seat) -> None:
    theme, box = stage.theme, stage.layout.seat(seat).message
    if view.chooser == OTHER_SEAT[seat]:
        waits = [
            Words(text.SEAT_NAMES[view.chooser], 60, theme.seat(view.chooser)),
            Words(text.CHOOSES, 60, theme.muted),
        ]
        message(stage, seat, waits)
        return
    if _is_locked_out(stage, view, seat):
        message(stage, seat, [Words(text.SLAP_LOCKED, 76, theme.warning)])
        return
    lower = Box(box.x, box.y + box.h // 4, box.w, box.h // 2)
    if view.chooser == seat:
        ink = theme.ink if view.slap_open else theme.muted
        for row, line in enumerate(text.TAKE_SMALLER):
            at = (box.centre[0], box.y + stage.px(40 + 64 * row))
            stage.words(line, at, heavy(58, ink), width=box.w)
        lower = Box(box.x, box.y + box.h // 3, box.w, box.h * 2 // 3)
    side_choice(stage, seat, lower, len(view.side(seat).stock), is_lit=view.slap_open)


def _is_locked_out(stage: Stage, view: View, seat: Seat) -> bool:
    ended = view.ended_ns
    return ended is not None and any(
        isinstance(happening.event, Refused)
        and happening.event.seat == seat
        and happening.event.reason in ("FALSE_START", "LOCKED_OUT")
        and happening.event.at_ns >= ended
        and stage.age(happening.at_ns) < TOO_EARLY_NS
        for happening in stage.snapshot.happenings
    )


def _banner(stage: Stage, view: View) -> None:
    if photo.is_shown(stage) and not view.slap_open:
        photo.strip(stage)
        return
    words, colour = text.SLAP, stage.theme.ink
    if view.chooser is not None and (view.slap_open or not _is_deadlock(view)):
        words = f"{text.SEAT_NAMES[view.chooser]} {text.CHOOSES_PILE}"
        colour = stage.theme.seat(view.chooser)
    elif not view.slap_open:
        words, colour = text.DEADLOCK if _is_deadlock(view) else text.WAIT, stage.theme.muted
    room = stage.px(784 if stage.shape.is_scored else 1_184 if view.slap_open else 840)
    stage.words(words, stage.layout.banner.centre, heavy(92 if view.slap_open else 84, colour), width=room)


def _is_deadlock(view: View) -> bool:
    return view.round_end is not None and view.round_end.cause == "deadlock"
