"""What a plot is drawn with: a large canvas that is scaled down at the end, lines, marks and words on it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

import msgspec
import pygame

from display.theme import Colour
from display.type import Type, Weight

LARGER: Final = 2
"""The canvas is so many times larger than the picture, for smooth edges."""

Point = tuple[float, float]
Mark = Literal["disc", "ring", "square", "diamond", "triangle", "cross"]
Anchor = Literal["left", "middle", "right"]


class Lettering(msgspec.Struct, frozen=True):
    """How words are written."""

    px: int
    """Type size."""
    colour: Colour
    weight: Weight = "text"


class Canvas:
    """A picture in the making; all places and sizes are in pixels of the finished picture.

    A display must be open. Not thread-safe.
    """

    def __init__(self, size: tuple[int, int], ground: Colour) -> None:
        self._type = Type()
        self._surface = pygame.Surface((size[0] * LARGER, size[1] * LARGER))
        self._surface.fill(ground)
        self._ground = ground
        self._size = size

    def finished(self) -> pygame.Surface:
        """The picture."""
        return pygame.transform.smoothscale(self._surface, self._size)

    def box(self, place: tuple[float, float, float, float], colour: Colour, radius: float = 0) -> None:
        """A filled box: left, top, width, height."""
        rect = pygame.Rect(*(round(value * LARGER) for value in place))
        pygame.draw.rect(self._surface, colour, rect, border_radius=round(radius * LARGER))

    def line(self, points: Sequence[Point], colour: Colour, width: float) -> None:
        """A line through some points, its corners round."""
        places = [_larger(point) for point in points]
        thick = max(1, round(width * LARGER))
        for start, end in pairwise(places):
            self._stroke(start, end, colour, thick)
        for place in places:
            pygame.draw.circle(self._surface, colour, place, thick / 2)

    def _stroke(self, start: Point, end: Point, colour: Colour, thick: int) -> None:
        """A stroke as a polygon, since pygame's thick lines are cut off upright."""
        along = pygame.Vector2(end) - pygame.Vector2(start)
        if along.length() == 0:
            return
        across = along.normalize().rotate(90) * (thick / 2)
        corners = [start + across, end + across, end - across, start - across]
        pygame.draw.polygon(self._surface, colour, corners)

    def dashes(self, start: Point, end: Point, colour: Colour, width: float, dash: float = 6) -> None:
        """A dashed straight line."""
        along = pygame.Vector2(end) - pygame.Vector2(start)
        step = along.normalize() * dash
        for number in range(0, int(along.length() / dash), 2):
            first = pygame.Vector2(start) + step * number
            self.line([(first.x, first.y), (first.x + step.x, first.y + step.y)], colour, width)

    def mark(self, kind: Mark, place: Point, size: float, colour: Colour) -> None:
        """A small mark, `size` wide, with a rim of the ground so that it stands out from a line."""
        self._mark(kind, place, size + 3, self._ground)
        self._mark(kind, place, size, colour)
        if kind == "ring":
            self._mark("disc", place, size / 2.2, self._ground)

    def _mark(self, kind: Mark, place: Point, size: float, colour: Colour) -> None:
        x, y = _larger(place)
        half = size * LARGER / 2
        shapes: dict[str, list[Point]] = {
            "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            "diamond": [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
            "triangle": [(0, -1.2), (1.15, 0.95), (-1.15, 0.95)],
            "cross": [
                (-1.1, -0.4), (-0.4, -0.4), (-0.4, -1.1), (0.4, -1.1), (0.4, -0.4), (1.1, -0.4), (1.1, 0.4),
                (0.4, 0.4), (0.4, 1.1), (-0.4, 1.1), (-0.4, 0.4), (-1.1, 0.4),
            ],
        }  # fmt: skip
        if kind in shapes:
            corners = [(x + dx * half, y + dy * half) for dx, dy in shapes[kind]]
            pygame.draw.polygon(self._surface, colour, corners)
        else:
            pygame.draw.circle(self._surface, colour, (x, y), half)

    def words(self, text: str, place: Point, lettering: Lettering, anchor: Anchor = "left") -> float:
        """One line of text whose middle is at the place's height; how wide it is."""
        picture = self._type.words(text, lettering.px * LARGER, lettering.colour, lettering.weight)
        x, y = _larger(place)
        shift = {"left": 0.0, "middle": picture.get_width() / 2, "right": float(picture.get_width())}[anchor]
        self._surface.blit(picture, (round(x - shift), round(y - picture.get_height() / 2)))
        return picture.get_width() / LARGER


def _larger(point: Point) -> Point:
    return (point[0] * LARGER, point[1] * LARGER)
