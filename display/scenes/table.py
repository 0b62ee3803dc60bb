"""The table itself: felt, headers, stock piles or hands, spit cards or draw piles."""

from __future__ import annotations

from typing import Final, NamedTuple

import pygame

from cabinet.engine.actions import Moved, Played, TurnedUp
from cabinet.engine.table import Seat, StockView, View
from display import motion, text
from display.layout import Box
from display.light import DARK, NORMAL
from display.scenes import speed
from display.scenes.heaps import Heap, backs, heap, turning
from display.stage import Anchor, Stage, heavy, plain
from display.theme import mixed

LIFTED_PX: Final = 24
"""How far a card is lifted that waits for the pile to put it on, at 1920×1080."""


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
    """The stock piles of a seat, or its hand, as the View has them; a card that is being drawn is in the air."""
    shaken = refused_offsets(stage, seat)
    for index, pile in enumerate(view.side(seat).stock):
        still = stage.layout.seat(seat).stock[index]
        box = Box(still.x + shaken.get(index + 1, 0), still.y, still.w, still.h)
        if pile.size and speed.drawn_ns(stage, view, seat, index + 1) is None:
            _stock_pile(stage, box, pile, _top(stage, seat, index + 1, pile, dim))
            if pile.top is None and view.rules.game == "spit" and view.phase == "play" and not dim:
                _turn_me(stage, seat, box, pile)
        elif slots and not dim and not pile.size and speed.may_draw(view, seat):
            speed.draw_slot(stage, seat, box)
        elif slots:
            colour = mixed(stage.theme.felt, stage.theme.seat(seat), 0.30 if dim else 0.5)
            stage.put(stage.kit.slot((box.w, box.h), colour, 150), box.x, box.y)


class _Top(NamedTuple):
    """The top of a stock pile as it is seen."""

    picture: pygame.Surface
    lift: int
    """How far it is lifted, because it waits for the pile to put it on."""
    dim: bool


def _top(stage: Stage, seat: Seat, number: int, pile: StockView, dim: bool) -> _Top:
    size, back = stage.layout.card, stage.kit.deck.back(stage.layout.card, dim=dim)
    picture = stage.face(pile.top, size, dim=dim) if pile.top is not None else back
    turned_ns = _uncovered_ns(stage, seat, number)
    if turned_ns is not None:
        picture = turning(stage, picture, back, turned_ns)
    is_armed = stage.snapshot.seat(seat).armed_stock == number
    return _Top(picture, stage.px(LIFTED_PX) if is_armed else 0, dim)


def _stock_pile(stage: Stage, box: Box, pile: StockView, top: _Top) -> None:
    """A stock pile; beside a top that turns lies the back of the card beneath, open ones peek out above it."""
    deck, dim = stage.kit.deck, top.dim
    offsets = tuple(stage.layout.stock_rise(n + 1) for n in range(pile.size - 1, 0, -1))
    width = top.picture.get_width()
    heap(stage, box, Heap(offsets, width, dim=dim))
    y = box.y - stage.layout.stock_rise(pile.size)
    if offsets and width < box.w and not pile.beneath:
        stage.put(deck.back((box.w, box.h), dim=dim), box.x, box.y - stage.layout.stock_rise(pile.size - 1))
    for number, card in enumerate(pile.beneath):
        picture = stage.face(card, stage.layout.card, dim=dim)
        stage.put(picture, box.x, y - stage.layout.fan(len(pile.beneath) - number))
    if top.lift:
        reach = deck.shadow_reach((box.w, box.h), top.lift)
        stage.put(deck.shadow((box.w, box.h), top.lift), box.x - reach, y - reach + top.lift)
    stage.put(top.picture, box.x + (box.w - width) // 2, y - top.lift)


def _turn_me(stage: Stage, seat: Seat, box: Box, pile: StockView) -> None:
    """A face-down top that its player turns says so."""
    plate = (box.w - stage.px(30), stage.px(54))
    y = box.bottom - stage.layout.stock_rise(pile.size) - stage.px(36)
    stage.centred(stage.kit.panel(plate, stage.theme.felt_edge, 235), (box.centre[0], y))
    face = heavy(44, stage.theme.seat(seat))
    stage.words(text.TURN, (box.centre[0], y), face, width=plate[0] - stage.px(12))


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
    """When the top of a stock pile was turned face up, if that was just now; a hand is drawn, not turned."""
    if stage.rules.game == "speed":
        return None
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


def closed_cards(stage: Stage, seat: Seat, view: View, *, dim: bool = False) -> None:
    """The spit cards, or the draw pile, at the outer edge, and how many there are."""
    half, theme, side = stage.layout.seat(seat), stage.theme, view.side(seat)
    size, box = side.draw_size if view.rules.game == "speed" else side.spit_size, half.spit
    if size:
        backs(stage, box, size, dim=dim)
    else:
        stage.put(stage.kit.slot((box.w, box.h), mixed(theme.felt, theme.seat(seat), 0.3), 130), box.x, box.y)
    ink = mixed(theme.felt, theme.ink if size else theme.muted, 0.45 if dim else 1.0)
    stage.words(str(size), half.spit_count.centre, heavy(52, ink))
