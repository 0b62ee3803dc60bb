"""Cards that lie on each other: their shadow, the edges beneath the top, and a top that turns."""

from __future__ import annotations

from typing import NamedTuple

import pygame

from display import motion
from display.layout import Box
from display.stage import Stage

MOST_BACKS = 12
"""A face-down pile grows no higher than with so many cards; its number stands beneath it."""


class Heap(NamedTuple):
    """What lies beneath the top of a pile."""

    offsets: tuple[int, ...]
    """How far each card lies beneath the top one in pixels, the lowest first."""
    top_width: int
    """Width of the top card, which is narrow while it turns."""
    backs: bool = False
    dim: bool = False


def heap(stage: Stage, box: Box, below: Heap) -> None:
    """The shadow of a pile and the edges beneath its top; a single card's shadow is as wide as the card."""
    offsets = below.offsets
    size, deck = (box.w, box.h), stage.kit.deck
    rise = offsets[0] if offsets else 0
    tall = (box.w if offsets else below.top_width, box.h + rise)
    reach = deck.shadow_reach(tall, 0)
    stage.put(deck.shadow(tall, 0), box.x + (box.w - tall[0]) // 2 - reach, box.y - rise - reach + stage.px(6))
    if offsets:
        picture = deck.edges(size, offsets, backs=below.backs, dim=below.dim)
        stage.put(picture, box.x, box.bottom - picture.get_height())


def backs(stage: Stage, box: Box, size: int, *, dim: bool = False) -> None:
    """A small pile of face-down cards."""
    step = max(2, stage.px(3))
    offsets = tuple(step * n for n in range(min(size, MOST_BACKS) - 1, 0, -1))
    heap(stage, box, Heap(offsets, box.w, backs=True, dim=dim))
    stage.put(stage.kit.deck.back((box.w, box.h), dim=dim), box.x, box.y - (offsets[0] if offsets else 0))


def backs_rise(stage: Stage, size: int) -> int:
    """How far the top of a small face-down pile is lifted by those beneath."""
    return max(2, stage.px(3)) * max(0, min(size, MOST_BACKS) - 1)


def turning(stage: Stage, face: pygame.Surface, back: pygame.Surface, turned_ns: int) -> pygame.Surface:
    """A card that turns face up: the back grows narrow, then the face wide."""
    age = stage.age(turned_ns)
    if not 0 <= age < motion.TURN_NS or stage.kit.settings.reduced_motion:
        return face
    width = motion.turn_width(age)
    eighths = max(1, round(abs(width) * 8))
    picture = back if width < 0 else face
    return stage.kit.deck.scaled(picture, (face.get_width() * eighths // 8, face.get_height()))
