"""Vector shapes with smooth edges: suits, the seats' signs, buttons. Drawn large, then scaled down once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import pygame

from cabinet.engine.table import Seat
from display.theme import Colour

OVERSAMPLED: Final = 4
"""Shapes are drawn this many times larger than they are shown."""

Point = tuple[float, float]
Draw = Callable[[pygame.Surface], None]


def smooth(size: tuple[int, int], colour: Colour, draw: Draw) -> pygame.Surface:
    """What `draw` paints on a canvas `OVERSAMPLED` times `size`, scaled down.

    The canvas starts as transparent `colour`, so that edges do not darken.
    """
    canvas = pygame.Surface((size[0] * OVERSAMPLED, size[1] * OVERSAMPLED), pygame.SRCALPHA)
    canvas.fill((*colour, 0))
    draw(canvas)
    return pygame.transform.smoothscale(canvas, size).convert_alpha()


def rounded(
    size: tuple[int, int], radius: int, colour: Colour, *, line: int = 0, alpha: int = 255
) -> pygame.Surface:
    """A box with round corners, filled or, with `line` pixels, outlined."""

    def draw(canvas: pygame.Surface) -> None:
        pygame.draw.rect(
            canvas, (*colour, alpha), canvas.get_rect(), line * OVERSAMPLED, border_radius=radius * OVERSAMPLED
        )

    return smooth(size, colour, draw)


def disc(diameter: int, colour: Colour, *, line: int = 0) -> pygame.Surface:
    """A filled disc or a ring."""
    return rounded((diameter, diameter), diameter // 2 + 1, colour, line=line)


def triangle(size: int, colour: Colour) -> pygame.Surface:
    """A triangle standing on its side, of about the same weight as a disc of that size."""
    return smooth(
        (size, size), colour, lambda canvas: _polygon(canvas, colour, [(0.5, 0.04), (1, 0.94), (0, 0.94)])
    )


def seat_sign(seat: Seat, size: int, colour: Colour) -> pygame.Surface:
    """The shape of a seat: a disc for a, a triangle for b."""
    return disc(size, colour) if seat == "a" else triangle(size, colour)


def suit(letter: str, size: int, colour: Colour) -> pygame.Surface:
    """Hearts, diamonds, clubs or spades in a square."""
    return smooth((size, size), colour, lambda canvas: _SUITS[letter](canvas, colour))


def arrow(size: int, colour: Colour, *, to_left: bool) -> pygame.Surface:
    """A triangle that points left or right."""
    points: list[Point] = [(0.9, 0.1), (0.1, 0.5), (0.9, 0.9)]
    if not to_left:
        points = [(1 - x, y) for x, y in points]
    return smooth((size, size), colour, lambda canvas: _polygon(canvas, colour, points))


def pointer(size: int, colour: Colour) -> pygame.Surface:
    """A triangle that points down."""
    points: list[Point] = [(0.1, 0.1), (0.9, 0.1), (0.5, 0.9)]
    return smooth((size, size), colour, lambda canvas: _polygon(canvas, colour, points))


def tick(size: int, colour: Colour) -> pygame.Surface:
    """A mark for done."""
    points: list[Point] = [(0.08, 0.54), (0.22, 0.4), (0.4, 0.58), (0.78, 0.16), (0.92, 0.3), (0.4, 0.86)]
    return smooth((size, size), colour, lambda canvas: _polygon(canvas, colour, points))


def plus(size: int, colour: Colour) -> pygame.Surface:
    """A cross of two bars."""

    def draw(canvas: pygame.Surface) -> None:
        side, bar = canvas.get_width(), canvas.get_width() // 4
        start = (side - bar) // 2
        for box in (pygame.Rect(0, start, side, bar), pygame.Rect(start, 0, bar, side)):
            pygame.draw.rect(canvas, colour, box, border_radius=bar // 3)

    return smooth((size, size), colour, draw)


def warning_sign(size: int, colour: Colour, ground: Colour) -> pygame.Surface:
    """A triangle with an exclamation mark."""

    def draw(canvas: pygame.Surface) -> None:
        _polygon(canvas, colour, [(0.5, 0.06), (0.98, 0.92), (0.02, 0.92)])
        _polygon(canvas, ground, [(0.45, 0.36), (0.55, 0.36), (0.53, 0.66), (0.47, 0.66)])
        _circle(canvas, ground, 0.5, 0.77, 0.055)

    return smooth((size, size), colour, draw)


def _scaled(canvas: pygame.Surface, points: list[Point]) -> list[Point]:
    w, h = canvas.get_size()
    return [(x * w, y * h) for x, y in points]


def _polygon(canvas: pygame.Surface, colour: Colour, points: list[Point]) -> None:
    pygame.draw.polygon(canvas, colour, _scaled(canvas, points))


def _circle(canvas: pygame.Surface, colour: Colour, x: float, y: float, radius: float) -> None:
    w, h = canvas.get_size()
    pygame.draw.circle(canvas, colour, (x * w, y * h), radius * w)


def _heart_points(*, top: float, bottom: float, upside_down: bool = False) -> list[Point]:
    points: list[Point] = []
    for step in range(120):
        t = math.tau * step / 120
        x = 16 * math.sin(t) ** 3 / 34 + 0.5
        y = (13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t) + 17) / 29
        points.append((x, top + (bottom - top) * (y if upside_down else 1 - y)))
    return points


def _stem(canvas: pygame.Surface, colour: Colour, top: float) -> None:
    points: list[Point] = [(0.5, top)]
    for sign in (1, -1):
        curve = [
            (0.5 + sign * (0.035 + 0.19 * k**3), top + (0.98 - top) * k) for k in (0, 0.25, 0.5, 0.75, 0.9, 1)
        ]
        points += curve if sign == 1 else curve[::-1]
    _polygon(canvas, colour, points)


def _hearts(canvas: pygame.Surface, colour: Colour) -> None:
    _polygon(canvas, colour, _heart_points(top=0.06, bottom=0.96))


def _diamonds(canvas: pygame.Surface, colour: Colour) -> None:
    _polygon(canvas, colour, [(0.5, 0.01), (0.87, 0.5), (0.5, 0.99), (0.13, 0.5)])


def _spades(canvas: pygame.Surface, colour: Colour) -> None:
    _polygon(canvas, colour, _heart_points(top=0.02, bottom=0.78, upside_down=True))
    _stem(canvas, colour, 0.5)


def _clubs(canvas: pygame.Surface, colour: Colour) -> None:
    for x, y in ((0.5, 0.235), (0.265, 0.575), (0.735, 0.575)):
        _circle(canvas, colour, x, y, 0.222)
    _circle(canvas, colour, 0.5, 0.47, 0.12)
    _stem(canvas, colour, 0.45)


_SUITS: Final[dict[str, Callable[[pygame.Surface, Colour], None]]] = {
    "H": _hearts,
    "D": _diamonds,
    "C": _clubs,
    "S": _spades,
}
