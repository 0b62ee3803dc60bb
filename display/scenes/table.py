"""The table itself: felt, headers, stock piles with their buttons, spit cards and centre piles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import pygame

from cabinet.engine.actions import Moved, Played, TurnedUp
from cabinet.engine.table import PILE_NAMES, PileName, Seat, StockView, View
from display import motion, text
from display.cards import Size
from display.layout import Box
from display.light import DARK, NORMAL
from display.memory import Landing
from display.motion import MS
from display.stage import Anchor, Stage, heavy, plain
from display.theme import Colour, mixed

HALO_RUNG: Final = 0.15
"""Light around piles comes in rungs of this strength, so that few large pictures serve every scene."""


def ground(stage: Stage, level_a: int = NORMAL, level_b: int = NORMAL) -> None:
    """The felt with both lamps at their levels."""
    shift, stage.shift = stage.shift, (0, 0)
    stage.put(stage.kit.light.ground("a", level_a), 0, 0)
    stage.put(stage.kit.light.ground("b", level_b), stage.layout.width // 2, 0)
    stage.shift = shift


def dark_ground(stage: Stage) -> None:
    """The felt with both lamps nearly out."""
    ground(stage, DARK, DARK)


def header(stage: Stage, seat: Seat, note: str = "", *, strength: float = 1.0, is_done: bool = False) -> None:
    """A seat's shape and name, and one line beneath."""
    half = stage.layout.seat(seat)
    colour = mixed(stage.theme.felt, stage.theme.seat(seat), strength)
    px, middle = stage.px(56), half.header.centre[1]
    sign = stage.kit.sign(seat, px, strength)
    gap = stage.px(22)
    if seat == "a":
        stage.put(sign, half.header.x, middle - px // 2)
        stage.words(text.SEAT_NAMES[seat], (half.header.x + px + gap, middle), heavy(58, colour), anchor="left")
    else:
        stage.put(sign, half.header.right - px, middle - px // 2)
        at = (half.header.right - px - gap, middle)
        stage.words(text.SEAT_NAMES[seat], at, heavy(58, colour), anchor="right")
    if note:
        box, muted = half.note, mixed(stage.theme.felt, stage.theme.muted, strength)
        at = (box.x, box.centre[1]) if seat == "a" else (box.right, box.centre[1])
        anchor: Anchor = "left" if seat == "a" else "right"
        line = stage.words(note, at, plain(42, muted), anchor=anchor, width=box.w - stage.px(60))
        if is_done:
            mark = stage.kit.tick(stage.px(40), colour)
            x = line.right + stage.px(14) if seat == "a" else line.x - stage.px(14) - mark.get_width()
            stage.put(mark, x, line.centre[1] - mark.get_height() // 2)


def stock_row(stage: Stage, seat: Seat, view: View, *, dim: bool = False, slots: bool = True) -> None:
    """The stock piles of a seat, as the View has them."""
    shaken = refused_offsets(stage, seat)
    for index, pile in enumerate(view.side(seat).stock):
        still = stage.layout.seat(seat).stock[index]
        box = Box(still.x + shaken.get(index + 1, 0), still.y, still.w, still.h)
        if pile.size:
            _stock_pile(stage, box, pile, _stock_top(stage, seat, index + 1, pile, dim), dim=dim)
        elif slots:
            colour = mixed(stage.theme.felt, stage.theme.seat(seat), 0.30 if dim else 0.5)
            stage.put(stage.kit.slot((box.w, box.h), colour, 150), box.x, box.y)


def _stock_pile(stage: Stage, box: Box, pile: StockView, top: pygame.Surface, *, dim: bool) -> None:
    """A stock pile with this picture of its top; beside a top that turns lies the back of the card beneath."""
    step = stage.px(6)
    offsets = tuple(step * n for n in range(pile.size - 1, 0, -1))
    _heap(stage, box, Heap(offsets, top.get_width(), dim=dim))
    if offsets and top.get_width() < box.w:
        back = stage.kit.deck.back((box.w, box.h), dim=dim)
        stage.put(back, box.x, box.y - stage.layout.stock_rise(pile.size - 1))
    stage.put(top, box.x + (box.w - top.get_width()) // 2, box.y - stage.layout.stock_rise(pile.size))


def _stock_top(stage: Stage, seat: Seat, number: int, pile: StockView, dim: bool) -> pygame.Surface:
    """The top of a stock pile, or what is seen of it while it turns."""
    size, deck = stage.layout.card, stage.kit.deck
    picture = deck.face(pile.top, size, dim=dim) if pile.top is not None else deck.back(size, dim=dim)
    turned_ns = _uncovered_ns(stage, seat, number)
    return picture if turned_ns is None else turning(stage, picture, deck.back(size, dim=dim), turned_ns)


def turning(stage: Stage, face: pygame.Surface, back: pygame.Surface, turned_ns: int) -> pygame.Surface:
    """A card that turns face up: the back grows narrow, then the face wide."""
    age = stage.age(turned_ns)
    if not 0 <= age < motion.TURN_NS or stage.kit.settings.reduced_motion:
        return face
    width = motion.turn_width(age)
    eighths = max(1, round(abs(width) * 8))
    picture = back if width < 0 else face
    return stage.kit.deck.scaled(picture, (face.get_width() * eighths // 8, face.get_height()))


class Heap(NamedTuple):
    """What lies beneath the top of a pile."""

    offsets: tuple[int, ...]
    """How far each card lies beneath the top one in pixels, the lowest first."""
    top_width: int
    """Width of the top card, which is narrow while it turns."""
    backs: bool = False
    dim: bool = False


def _heap(stage: Stage, box: Box, heap: Heap) -> None:
    """The shadow of a pile and the edges beneath its top; a single card's shadow is as wide as the card."""
    offsets = heap.offsets
    size, deck = (box.w, box.h), stage.kit.deck
    rise = offsets[0] if offsets else 0
    tall = (box.w if offsets else heap.top_width, box.h + rise)
    reach = deck.shadow_reach(tall, 0)
    stage.put(deck.shadow(tall, 0), box.x + (box.w - tall[0]) // 2 - reach, box.y - rise - reach + stage.px(6))
    if offsets:
        picture = deck.edges(size, offsets, backs=heap.backs, dim=heap.dim)
        stage.put(picture, box.x, box.bottom - picture.get_height())


def refused_offsets(stage: Stage, seat: Seat) -> dict[int, int]:
    """How far each stock pile is shaken sideways just now, by its number."""
    offsets: dict[int, int] = {}
    for sign in stage.snapshot.signs:
        owner, _, name = sign.line.partition(".")
        if owner == seat and name.isdigit() and sign.kind in ("refused", "locked") and sign.behind_ns is None:
            shake = motion.shake(stage.age(sign.at_ns))
            if shake:
                offsets[int(name)] = round(shake * motion.SHAKE_PX * stage.layout.unit)
    return offsets


def _uncovered_ns(stage: Stage, seat: Seat, stock: int) -> int | None:
    """When the top of a stock pile was turned face up, if that was just now."""
    for happening in reversed(stage.snapshot.happenings):
        if stage.age(happening.at_ns) >= motion.TURN_NS:
            return None
        event = happening.event
        if isinstance(event, TurnedUp):
            turned = event.stock
        elif isinstance(event, Played | Moved) and event.uncovered is not None:
            turned = event.stock if isinstance(event, Played) else event.source
        else:
            continue
        if event.seat == seat and turned == stock:
            return happening.at_ns
    return None


def spit_cards(stage: Stage, seat: Seat, size: int, *, dim: bool = False) -> None:
    """The spit cards at the outer edge, and how many there are."""
    half, theme = stage.layout.seat(seat), stage.theme
    box = half.spit
    if size:
        step = max(2, stage.px(3))
        offsets = tuple(step * n for n in range(min(size, 12) - 1, 0, -1))
        _heap(stage, box, Heap(offsets, box.w, backs=True, dim=dim))
        stage.put(stage.kit.deck.back((box.w, box.h), dim=dim), box.x, box.y - (offsets[0] if offsets else 0))
    else:
        stage.put(stage.kit.slot((box.w, box.h), mixed(theme.felt, theme.seat(seat), 0.3), 130), box.x, box.y)
    ink = mixed(theme.felt, theme.ink if size else theme.muted, 0.45 if dim else 1.0)
    stage.words(str(size), half.spit_count.centre, heavy(52, ink))


def pile_glow_colour(stage: Stage, name: PileName) -> tuple[Colour | None, float]:
    """In whose light a centre pile lies, and how strong it is: brightest when a card has just landed."""
    landing = _landed(stage, name)[-1]
    if landing.seat is None:
        return None, 0.0
    age = stage.age(landing.at_ns) - motion.LONGEST_FLIGHT_NS
    strength = 0.62 if age < 70 * MS else 0.46 if age < motion.FLARE_NS else 0.3
    return stage.theme.seat(landing.seat), strength


def pile_light(stage: Stage, view: View) -> None:
    """The light in which both centre piles lie; it goes beneath every card."""
    for name in PILE_NAMES:
        pile = view.pile(name)
        colour, strength = pile_glow_colour(stage, name)
        if pile is not None and colour is not None:
            pile_halo(stage, name, pile.size, colour, strength)


def centre_piles(stage: Stage, view: View, *, dim: bool = False) -> None:
    """Both centre piles; cards in the air are not on them yet."""
    for name in PILE_NAMES:
        box, pile = stage.layout.pile(name), view.pile(name)
        if pile is None:
            continue
        landed = _landed(stage, name)
        flying = len(stage.memory.landings(name)) - len(landed)
        size = max(0, pile.size - flying)
        if size:
            centre_pile(stage, name, landed, size, dim=dim)
        else:
            stage.put(
                stage.kit.slot((box.w, box.h), mixed(stage.theme.felt, stage.theme.muted, 0.35), 150), box.x, box.y
            )


def pile_halo(stage: Stage, name: PileName, size: int, colour: Colour, strength: float) -> None:
    """Light around a pile; towards the other pile it ends where that one begins."""
    box, spread, gap = stage.layout.pile(name), stage.px(130), stage.layout.right.x - stage.layout.left.right
    spreads = (spread, gap, spread) if name == "left" else (gap, spread, spread)
    rung = max(1, round(strength / HALO_RUNG)) * HALO_RUNG
    picture = stage.kit.light.halo((box.w, box.h), spreads, colour, rung)
    stage.shine(picture, (box.centre[0], box.centre[1] - stage.layout.pile_rise(size) // 2))


def centre_pile(stage: Stage, name: PileName, landed: Sequence[Landing], size: int, *, dim: bool = False) -> None:
    """A centre pile of `size` cards; the last of `landed` lies on top.

    A card that was just turned turns, if the card that is seen beneath it meanwhile is known.
    """
    landing, beneath = landed[-1], landed[-2].card if len(landed) > 1 else None
    box, deck = stage.layout.pile(name), stage.kit.deck
    big, rise = (box.w, box.h), stage.layout.pile_rise(size)
    offsets = tuple(rise - stage.layout.pile_rise(n) for n in range(1, size))
    picture = deck.face(landing.card, big, dim=dim) if landing.card is not None else deck.back(big, dim=dim)
    if landing.stock is None and (size == 1 or beneath is not None):
        picture = turning(stage, picture, deck.back(big, dim=dim), landing.at_ns)
    _heap(stage, box, Heap(offsets, picture.get_width(), dim=dim))
    if size > 1 and beneath is not None and picture.get_width() < box.w:
        stage.put(deck.face(beneath, big, dim=dim), box.x, box.y - stage.layout.pile_rise(size - 1))
    stage.put(picture, box.x + (box.w - picture.get_width()) // 2, box.y - rise)


def _landed(stage: Stage, name: PileName) -> list[Landing]:
    """The cards that have arrived on a pile; at least one."""
    landings = stage.memory.landings(name)
    arrived = [landing for landing in landings if not in_flight(stage, landing, name)]
    return arrived or landings[:1]


def in_flight(stage: Stage, landing: Landing, name: PileName) -> bool:
    """Whether a played card is still in the air."""
    return landing.stock is not None and stage.age(landing.at_ns) < flight_length_ns(stage, landing, name)


def flight_length_ns(stage: Stage, landing: Landing, name: PileName) -> int:
    """How long the card flies, by its way."""
    if stage.kit.settings.reduced_motion:
        return motion.FADE_NS
    if landing.seat is None or landing.stock is None:
        return 0
    start = stage.stock_box(landing.seat, landing.stock).centre
    end = stage.layout.pile(name).centre
    way = ((start[0] - end[0]) ** 2 + (start[1] - end[1]) ** 2) ** 0.5
    return motion.flight_ns(way, stage.layout.width * 0.8)


def size_between(stage: Stage, done: float) -> Size:
    """The size of a card on its way from a stock pile to a centre pile, in eighths."""
    share = motion.steps(done, 8)
    (w, h), (big_w, big_h) = stage.layout.card, stage.layout.big_card
    return (round(w + (big_w - w) * share), round(h + (big_h - h) * share))
