"""The end of a round: the table goes dark but for the two piles, and at the cue both flare."""

from __future__ import annotations

from cabinet.engine.actions import Refused, SlapOpened
from cabinet.engine.table import PILE_NAMES, SEATS, Seat, View
from display import motion, text
from display.layout import Box
from display.light import DARK
from display.memory import Landing
from display.motion import MS
from display.scenes import effects, photo, table
from display.scenes.prompts import Words, message, side_choice
from display.stage import Stage, heavy

FLARE_NS = 400 * MS
TOO_EARLY_NS = 1_200 * MS
"""How long a player who slapped too early is told so."""


def draw(stage: Stage, view: View) -> None:
    """The slap race, or the choice of one player."""
    table.ground(stage, DARK, DARK)
    if view.slap_open:
        _flare(stage, view)
    effects.press_lights(stage)
    for seat in SEATS:
        is_out = view.round_end is not None and view.round_end.player == seat
        lit = view.slap_open and view.chooser in (None, seat)
        table.header(stage, seat, text.OUT if is_out else "", strength=1.0 if lit or is_out else 0.5)
        table.spit_cards(stage, seat, view.side(seat).spit_size, dim=True)
        table.stock_row(stage, seat, view, dim=True, slots=False)
        _side(stage, view, seat)
    _piles(stage, view)
    effects.flights(stage)
    _banner(stage, view)


def _flare(stage: Stage, view: View) -> None:
    """At the cue both piles flare, then stay in plain light."""
    opened = [
        happening.at_ns for happening in stage.snapshot.happenings if isinstance(happening.event, SlapOpened)
    ]
    age = stage.age(opened[-1]) if opened else FLARE_NS
    level = motion.steps(1 - motion.eased_out(motion.share(age, FLARE_NS)), 6)
    for name in PILE_NAMES:
        pile = view.pile(name)
        table.pile_halo(stage, name, pile.size if pile else 0, stage.theme.paper, 0.34 + 0.36 * level)


def _piles(stage: Stage, view: View) -> None:
    """Both piles in plain light; one that this round does not have is an empty place that can be slapped."""
    for name in PILE_NAMES:
        box, pile = stage.layout.pile(name), view.pile(name)
        size = pile.size if pile else 0
        if size and pile is not None:
            landing = stage.memory.landings(name)[-1]
            table.centre_pile(stage, name, [Landing(landing.at_ns, pile.top, landing.seat, 0)], size)
        else:
            stage.put(stage.kit.slot((box.w, box.h), stage.theme.ink, 255), box.x, box.y)
            stage.words("0", box.centre, heavy(150, stage.theme.ink))


def _side(stage: Stage, view: View, seat: Seat) -> None:
    if view.chooser not in (None, seat):
        return
    box = stage.layout.seat(seat).message
    if _is_locked_out(stage, view, seat):
        message(stage, seat, [Words(text.SLAP_LOCKED, 76, stage.theme.warning)])
        return
    middle = Box(box.x, box.y + box.h // 4, box.w, box.h // 2)
    side_choice(stage, seat, middle, len(view.side(seat).stock), is_lit=view.slap_open)


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
    box = stage.layout.banner
    if not view.slap_open:
        words = text.DEADLOCK if view.round_end is not None and view.round_end.cause == "deadlock" else text.WAIT
        stage.words(words, box.centre, heavy(84, stage.theme.muted), width=stage.px(840))
        return
    words = text.CHOOSE_PILE if view.chooser else text.SLAP
    width = stage.layout.b.header.x + stage.px(180) - stage.layout.a.header.right + stage.px(180)
    stage.words(words, box.centre, heavy(92, stage.theme.ink), width=min(box.w, width))
