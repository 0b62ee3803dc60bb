"""What only Speed has on the table: side piles, cards that slide from them, and cards drawn into the hand."""

from __future__ import annotations

from typing import Final, NamedTuple

import pygame

from cabinet.engine.actions import Drew, Event, Played, Redrawn, Refilled
from cabinet.engine.table import PILE_NAMES, SEATS, PileName, Seat, View
from display import motion, text
from display.cards import Size
from display.layout import Box
from display.motion import MS
from display.scenes.centre import in_flight, size_between
from display.scenes.heaps import backs, backs_rise
from display.stage import Stage, heavy
from display.theme import mixed

DRAWN_NS: Final = motion.LONGEST_FLIGHT_NS
"""How long a card flies from the draw pile into the hand."""
GATHERED_NS: Final = 300 * MS
"""How long the cards beneath the two tops take to the side piles that are made of them."""
TOLD_NS: Final = 2_600 * MS
"""How long it is told that hands or side piles are new."""
GLOW_STRENGTH: Final = 0.3


def side_piles(stage: Stage, view: View, *, dim: bool = False) -> None:
    """The side piles beside the centre piles, and how many cards each has; when stuck they glow."""
    theme = stage.theme
    for seat, name, size in zip(SEATS, PILE_NAMES, (view.side_left, view.side_right), strict=True):
        half = stage.layout.seat(seat)
        if half.side is None or half.side_count is None:
            return
        box = half.side
        if view.is_stuck and not dim:
            _call_light(stage, view, seat, box)
        if size:
            backs(stage, box, size, dim=dim)
        else:
            stage.put(stage.kit.slot((box.w, box.h), mixed(theme.felt, theme.muted, 0.35), 130), box.x, box.y)
        ink = mixed(theme.felt, theme.ink if size else theme.muted, 0.45 if dim else 0.75)
        stage.words(str(size), half.side_count.centre, heavy(44, ink))
        _gathered(stage, name)


def _call_light(stage: Stage, view: View, seat: Seat, box: Box) -> None:
    """The side pile waits for its player's call; then it waits in that player's light."""
    pulse = 1.0 if view.side(seat).has_called else motion.steps(motion.hint_strength(stage.now_ns), 6)
    if pulse:
        spreads = (stage.px(46),) * 3
        halo = stage.kit.light.halo((box.w, box.h), spreads, stage.theme.seat(seat), 0.7 * pulse)
        stage.shine(halo, box.centre)


def _gathered(stage: Stage, name: PileName) -> None:
    """The cards beneath a top go to the side pile that is made of them, as one back."""
    at_ns = latest_ns(stage, Refilled)
    box = stage.layout.side_pile(name)
    if at_ns is None or box is None or not 0 <= stage.age(at_ns) < GATHERED_NS:
        return
    if stage.kit.settings.reduced_motion:
        return
    done = motion.eased_out(motion.share(stage.age(at_ns), GATHERED_NS))
    flight = Flight(stage.layout.pile(name).centre, box.centre, stage.layout.big_card, (box.w, box.h))
    _fly(stage, flight, done, face=None)


class Flight(NamedTuple):
    """The way of a card, and its size at both ends."""

    start: tuple[int, int]
    end: tuple[int, int]
    small: Size
    large: Size


def _fly(stage: Stage, flight: Flight, done: float, face: pygame.Surface | None, *, dim: bool = False) -> None:
    """A card on its way; it turns over half-way if its face is known."""
    deck = stage.kit.deck
    size = size_between(flight.small, flight.large, done)
    middle = motion.between(flight.start, flight.end, done)
    lift = stage.px(10)
    stage.centred(deck.shadow(stage.layout.small_card, lift), (middle[0], middle[1] + lift * 2))
    picture = deck.back(stage.layout.card, dim=dim)
    if face is not None:
        eighths = max(1, round(abs(1 - 2 * done) * 8))
        picture = face if done > 0.5 else picture
        size = (max(1, size[0] * eighths // 8), size[1])
    stage.centred(deck.scaled(picture, size), middle)


def slides(stage: Stage, *, dim: bool = False) -> None:
    """Cards on their way from a side pile to the centre pile next to it."""
    for name in PILE_NAMES:
        box, view = stage.layout.side_pile(name), stage.snapshot.view
        for landing in stage.memory.landings(name):
            if landing.came != "slid" or landing.card is None or box is None or view is None:
                continue
            if not in_flight(stage, landing, name):
                continue
            pile, on_pile = view.pile(name), stage.layout.pile(name).centre
            end = (on_pile[0], on_pile[1] - stage.layout.pile_rise(pile.size if pile else 1))
            face = stage.face(landing.card, stage.layout.big_card, dim=dim)
            age = stage.age(landing.at_ns)
            if stage.kit.settings.reduced_motion:
                stage.centred(face, end, alpha=round(255 * motion.share(age, motion.FADE_NS)))
                continue
            glow = stage.kit.light.glow((stage.px(300),) * 2, stage.theme.paper, GLOW_STRENGTH)
            done = motion.eased_out(motion.share(age, motion.LONGEST_FLIGHT_NS))
            flight = Flight(box.centre, end, (box.w, box.h), stage.layout.big_card)
            stage.shine(glow, motion.between(flight.start, flight.end, done))
            _fly(stage, flight, done, face, dim=dim)


# The hand


def drawn_ns(stage: Stage, view: View, seat: Seat, slot: int) -> int | None:
    """Since when a card flies into a slot of the hand; None: none does."""
    if view.rules.game != "speed":
        return None
    for happening in reversed(stage.snapshot.happenings):
        age = stage.age(happening.at_ns)
        if age >= DRAWN_NS:
            return None
        if age >= 0 and _fills(happening.event, view, seat, slot):
            return happening.at_ns
    return None


def _fills(event: Event, view: View, seat: Seat, slot: int) -> bool:
    """Whether something happened that put the card into the slot that lies there now."""
    if isinstance(event, Redrawn):
        return True
    if isinstance(event, Drew):
        return event.seat == seat and event.slot == slot
    is_auto = view.rules.draw == "auto"
    return isinstance(event, Played) and is_auto and event.seat == seat and event.stock == slot


def draws(stage: Stage, view: View, *, dim: bool = False) -> None:
    """Cards on their way from the draw pile into the hand, where they turn."""
    for seat in SEATS:
        half = stage.layout.seat(seat)
        for index, slot in enumerate(view.side(seat).stock):
            at_ns = drawn_ns(stage, view, seat, index + 1) if slot.size else None
            if at_ns is None:
                continue
            box, age = half.stock[index], stage.age(at_ns)
            face = stage.face(slot.top, stage.layout.card, dim=dim) if slot.top is not None else None
            if stage.kit.settings.reduced_motion:
                shown = face or stage.kit.deck.back(stage.layout.card, dim=dim)
                stage.centred(shown, box.centre, alpha=round(255 * motion.share(age, DRAWN_NS)))
                continue
            done = motion.eased_out(motion.share(age, DRAWN_NS))
            start = (half.spit.centre[0], half.spit.centre[1] - backs_rise(stage, view.side(seat).draw_size))
            _fly(stage, Flight(start, box.centre, (half.spit.w, half.spit.h), (box.w, box.h)), done, face, dim=dim)


def may_draw(view: View, seat: Seat) -> bool:
    """Whether a press on an empty slot draws a card now (RULES.md 45)."""
    return (
        view.rules.game == "speed"
        and view.phase == "play"
        and view.beat is None
        and bool(view.side(seat).draw_size)
    )


def draw_slot(stage: Stage, seat: Seat, box: Box) -> None:
    """An empty slot into which a card can be drawn says so."""
    colour = stage.theme.seat(seat)
    pulse = motion.steps(motion.hint_strength(stage.now_ns), 6)
    stage.put(
        stage.kit.slot((box.w, box.h), mixed(stage.theme.felt, colour, 0.6 + 0.4 * pulse), 255), box.x, box.y
    )
    middle, px = box.centre, stage.px(54)
    stage.centred(stage.kit.plus(px, colour), (middle[0], middle[1] - stage.px(40)))
    stage.words(text.DRAW, (middle[0], middle[1] + stage.px(30)), heavy(48, colour), width=box.w - stage.px(14))


# What is told of it


def latest_ns(stage: Stage, kind: type[Event]) -> int | None:
    """When something of that kind happened last, as far as it is still known."""
    times = [found.at_ns for found in stage.snapshot.happenings if isinstance(found.event, kind)]
    return times[-1] if times else None


def news(stage: Stage) -> str | None:
    """What has just been made new, in words."""
    for kind, words in ((Redrawn, text.NEW_HANDS), (Refilled, text.NEW_SIDES)):
        at_ns = latest_ns(stage, kind)
        if at_ns is not None and 0 <= stage.age(at_ns) < TOLD_NS:
            return words
    return None
