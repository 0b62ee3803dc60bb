"""The centre piles: what lies on them, what is in the air on its way there, and in whose light they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cabinet.engine.table import PILE_NAMES, PileName, View
from display import motion
from display.cards import Size
from display.layout import Box
from display.memory import Landing
from display.motion import MS
from display.scenes.heaps import Heap, heap, turning
from display.stage import Stage
from display.theme import Colour, mixed

HALO_RUNG: Final = 0.15
"""Light around piles comes in rungs of this strength, so that few large pictures serve every scene."""


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
        pile = view.pile(name)
        if pile is None:
            continue
        landed = _landed(stage, name)
        flying = len(stage.memory.landings(name)) - len(landed)
        size = max(0, pile.size - flying)
        if size:
            centre_pile(stage, name, landed, size, dim=dim)
        else:
            empty_place(stage, name, mixed(stage.theme.felt, stage.theme.muted, 0.35))


def empty_place(stage: Stage, name: PileName, colour: Colour, alpha: int = 150) -> None:
    """Where a centre pile will lie."""
    box = stage.layout.pile(name)
    stage.put(stage.kit.slot((box.w, box.h), colour, alpha), box.x, box.y)


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
    back = deck.back(big, dim=dim)
    picture = stage.face(landing.card, big, dim=dim) if landing.card is not None else back
    if landing.came == "turned" and (size == 1 or beneath is not None):
        picture = turning(stage, picture, back, landing.at_ns)
    heap(stage, box, Heap(offsets, picture.get_width(), dim=dim))
    if size > 1 and beneath is not None and picture.get_width() < box.w:
        stage.put(stage.face(beneath, big, dim=dim), box.x, box.y - stage.layout.pile_rise(size - 1))
    stage.put(picture, box.x + (box.w - picture.get_width()) // 2, box.y - rise)


def _landed(stage: Stage, name: PileName) -> list[Landing]:
    """The cards that have arrived on a pile; at least one."""
    landings = stage.memory.landings(name)
    arrived = [landing for landing in landings if not in_flight(stage, landing, name)]
    return arrived or landings[:1]


def origin(stage: Stage, landing: Landing, name: PileName) -> Box | None:
    """Where a card came from: a stock pile or hand slot, a side pile; None: it turned where it lay."""
    if landing.seat is not None and landing.stock is not None:
        return stage.stock_box(landing.seat, landing.stock)
    return stage.layout.side_pile(name) if landing.came == "slid" else None


def in_flight(stage: Stage, landing: Landing, name: PileName) -> bool:
    """Whether a card is still in the air."""
    return stage.age(landing.at_ns) < flight_length_ns(stage, landing, name)


def flight_length_ns(stage: Stage, landing: Landing, name: PileName) -> int:
    """How long the card flies, by its way; 0 when it does not."""
    start = origin(stage, landing, name)
    if start is None:
        return 0
    if stage.kit.settings.reduced_motion:
        return motion.FADE_NS
    end = stage.layout.pile(name).centre
    way = ((start.centre[0] - end[0]) ** 2 + (start.centre[1] - end[1]) ** 2) ** 0.5
    return motion.flight_ns(way, stage.layout.width * 0.8)


def size_between(small: Size, large: Size, done: float) -> Size:
    """The size of a card on its way, in eighths."""
    share = motion.steps(done, 8)
    return (round(small[0] + (large[0] - small[0]) * share), round(small[1] + (large[1] - small[1]) * share))
