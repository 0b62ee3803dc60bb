"""Light on the felt: the ground under two lamps, and glows, all without visible bands.

A dark gradient has too few of the 256 steps, so it is made `precision` times too bright, strewn with noise
finer than one step, and divided again: the eye sees an even slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Final

import pygame

from cabinet.engine.table import Seat
from display.theme import Colour, Theme

Shade = Callable[[float, float], tuple[float, float, float]]
"""Red, green and blue at a place; both coordinates run from 0 to 1."""

LAMP_LEVELS: Final = (0.16, 0.42, 1.0, 1.5)
"""How bright a seat's lamp can burn: dark table, turned down, normal, a streak."""
DARK, DOWN, NORMAL, BRIGHT = range(4)

_NOISE_SIZE: Final = 128
_GRID: Final = (128, 72)


class Light:
    """Makes glows and the ground, and keeps them. To be used from one thread."""

    def __init__(self, size: tuple[int, int], theme: Theme) -> None:
        self.size, self.theme = size, theme
        self._ground: dict[tuple[Seat, int], pygame.Surface] = {}
        self._glows: dict[tuple[object, ...], pygame.Surface] = {}
        self._noise: dict[int, pygame.Surface] = {}

    def ground(self, seat: Seat, level: int) -> pygame.Surface:
        """A seat's half of the felt with its lamp at a level."""
        if (seat, level) not in self._ground:
            whole = self.painted(self.size, _GRID, 3, self._felt(LAMP_LEVELS[level]))
            middle = self.size[0] // 2
            height = self.size[1]
            self._ground[("a", level)] = whole.subsurface((0, 0, middle, height)).copy()
            self._ground[("b", level)] = whole.subsurface((middle, 0, self.size[0] - middle, height)).copy()
        return self._ground[(seat, level)]

    def glow(self, size: tuple[int, int], colour: Colour, strength: float) -> pygame.Surface:
        """A soft oval of light to be added to what lies beneath; `strength` 1 is `colour` in its middle."""
        key = (size, colour, round(strength, 3))
        if key not in self._glows:
            peak = tuple(channel * strength for channel in colour)

            def shade(x: float, y: float) -> tuple[float, float, float]:
                fall = _fall(math.hypot(2 * x - 1, 2 * y - 1))
                return (peak[0] * fall, peak[1] * fall, peak[2] * fall)

            self._glows[key] = self.painted(size, (48, 48), 2 if max(peak) < 126 else 1, shade)
        return self._glows[key]

    def halo(self, box: tuple[int, int], spread: int, colour: Colour, strength: float) -> pygame.Surface:
        """Light that surrounds a box of that size and fades over `spread` pixels; to be added."""
        key = (box, spread, colour, round(strength, 3))
        if key not in self._glows:
            size = (box[0] + 2 * spread, box[1] + 2 * spread)
            peak = tuple(channel * strength for channel in colour)

            def shade(x: float, y: float) -> tuple[float, float, float]:
                dx = max(0.0, abs(x - 0.5) * size[0] - box[0] / 2 + spread * 0.25)
                dy = max(0.0, abs(y - 0.5) * size[1] - box[1] / 2 + spread * 0.25)
                fall = _fall(math.hypot(dx, dy) / (spread * 1.25))
                return (peak[0] * fall, peak[1] * fall, peak[2] * fall)

            self._glows[key] = self.painted(size, (64, 80), 2 if max(peak) < 126 else 1, shade)
        return self._glows[key]

    def painted(
        self, size: tuple[int, int], grid: tuple[int, int], precision: int, shade: Shade
    ) -> pygame.Surface:
        """A picture of `size` from a shade that is worked out on a coarse grid."""
        columns, rows = grid
        data = bytearray()
        for row in range(rows):
            for column in range(columns):
                colour = shade(column / (columns - 1), row / (rows - 1))
                data += bytes(min(255, round(channel * precision)) for channel in colour)
        coarse = pygame.image.frombytes(bytes(data), grid, "RGB")
        picture = pygame.transform.smoothscale(coarse, size).convert()
        if precision > 1:
            noise = self._noise_tile(precision)
            for x in range(0, size[0], _NOISE_SIZE):
                for y in range(0, size[1], _NOISE_SIZE):
                    picture.blit(noise, (x, y), special_flags=pygame.BLEND_RGB_ADD)
            share = 256 // precision
            picture.fill((share, share, share), special_flags=pygame.BLEND_RGB_MULT)
        return picture

    def _noise_tile(self, precision: int) -> pygame.Surface:
        if precision not in self._noise:
            chance = Random(7)
            data = bytearray()
            for _ in range(_NOISE_SIZE * _NOISE_SIZE):
                data += bytes([chance.randrange(precision)] * 3)
            tile = pygame.image.frombytes(bytes(data), (_NOISE_SIZE, _NOISE_SIZE), "RGB")
            self._noise[precision] = tile.convert()
        return self._noise[precision]

    def _felt(self, level: float) -> Shade:
        theme, wide = self.theme, self.size[0] / self.size[1] / (16 / 9)
        dim = 0.55 + 0.45 * min(1.0, level)

        def shade(x: float, y: float) -> tuple[float, float, float]:
            corner = min(1.0, math.hypot((x - 0.5) * 1.25, (y - 0.5) * 1.25 / max(wide, 0.7)) ** 1.6)
            base = [
                (inner + (edge - inner) * corner) * dim
                for inner, edge in zip(theme.felt, theme.felt_edge, strict=True)
            ]
            for centre, lamp in ((0.25, theme.lamp_a), (0.75, theme.lamp_b)):
                fall = _fall(math.hypot((x - centre) / 0.25, (y - 0.66) / 0.5)) * level
                base = [channel + add * fall for channel, add in zip(base, lamp, strict=True)]
            return (base[0], base[1], base[2])

        return shade


def _fall(distance: float) -> float:
    """Light by the distance from its middle: 1 there, nothing from 1 on, smooth at both ends."""
    return (1 - distance * distance) ** 2 if distance < 1 else 0.0
