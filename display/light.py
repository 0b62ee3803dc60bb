"""Light on the felt: the ground under two lamps, and glows, all without visible bands.

A dark gradient has too few of the 256 steps, so it is made `precision` times too bright, strewn with noise
finer than one step, and divided again: the eye sees an even slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Final

import pygame

from cabinet.engine.table import Seat
from display.shelf import Shelf, screens
from display.theme import Colour, Theme

Shade = Callable[[float, float], tuple[float, float, float]]
"""Red, green and blue at a place; both coordinates run from 0 to 1."""

LAMP_LEVELS: Final = (0.16, 0.42, 1.0, 1.5)
"""How bright a seat's lamp can burn: dark table, turned down, normal, a streak."""
DARK, DOWN, NORMAL, BRIGHT = range(4)

GLOW_SCREENS: Final = 1.0
SHAPE_SCREENS: Final = 0.25
"""Room for glows, and for their shapes in grey, in whole screens: what a busy second of play uses."""

KEPT_PALETTES: Final = 64
"""Lights of which the levels are remembered."""
_NOISE_SIZE: Final = 128
_GRID: Final = (128, 72)
_GLOW_GRID: Final = (49, 49)
_GLOW_NOISE: Final = 5


class Light:
    """Makes glows and the ground, and keeps them. To be used from one thread."""

    def __init__(self, size: tuple[int, int], theme: Theme) -> None:
        self.size, self.theme = size, theme
        self._ground: dict[tuple[Seat, int], pygame.Surface] = {}
        self._glows = Shelf(screens(size, GLOW_SCREENS))
        self._shapes = Shelf(screens(size, SHAPE_SCREENS))
        self._noise: dict[int, pygame.Surface] = {}

    def ground(self, seat: Seat, level: int) -> pygame.Surface:
        """A seat's half of the felt with its lamp at a level."""
        if (seat, level) not in self._ground:
            whole = self.painted(self.size, _GRID, 2 if level == BRIGHT else 3, self._felt(level))
            middle = self.size[0] // 2
            height = self.size[1]
            self._ground[("a", level)] = whole.subsurface((0, 0, middle, height)).copy()
            self._ground[("b", level)] = whole.subsurface((middle, 0, self.size[0] - middle, height)).copy()
        return self._ground[(seat, level)]

    def glow(self, size: tuple[int, int], colour: Colour, strength: float) -> pygame.Surface:
        """A soft oval of light to be added to what lies beneath; `strength` 1 is `colour` in its middle."""

        def shape(x: float, y: float) -> float:
            return _fall(math.hypot(2 * x - 1, 2 * y - 1))

        return self._lit(("glow", size), size, shape, (colour, strength))

    def halo(
        self, box: tuple[int, int], spreads: tuple[int, int, int], colour: Colour, strength: float
    ) -> pygame.Surface:
        """Light along the edge of a box of that size, to be added.

        It fades inwards and outwards over `spreads` pixels: to the left, to the right, up and down. The picture
        reaches beyond the box by the largest of them on every side.
        """
        left, right, upright = spreads
        spread = max(spreads)
        size = (box[0] + 2 * spread, box[1] + 2 * spread)

        def shape(x: float, y: float) -> float:
            dx, dy = abs(x - 0.5) * size[0], abs(y - 0.5) * size[1]
            sideways = left if x < 0.5 else right
            outside = math.hypot(max(0.0, dx - box[0] / 2) / sideways, max(0.0, dy - box[1] / 2) / upright)
            if outside:
                return float(_fall(outside) ** 1.5)
            nearness = ((2 * dx / box[0]) ** 5 + (2 * dy / box[1]) ** 5) ** 0.2
            return float(_fall((1 - min(1.0, nearness)) * min(box) / 2 / spread) ** 1.5)

        return self._lit(("halo", box, spreads), size, shape, (colour, strength))

    def _lit(
        self,
        name: tuple[object, ...],
        size: tuple[int, int],
        shape: Callable[[float, float], float],
        colour: tuple[Colour, float],
    ) -> pygame.Surface:
        """A shape of light in a colour; it is painted once in grey, with noise for its darkest use."""
        (red, green, blue), strength = colour

        def draw() -> pygame.Surface:
            grey = self._shapes.get(name, lambda: self._shape(size, shape))
            grey.set_palette(_levels((round(red * strength), round(green * strength), round(blue * strength))))
            return grey.convert()

        return self._glows.get((*name, colour[0], round(strength, 3)), draw)

    def _shape(self, size: tuple[int, int], shape: Callable[[float, float], float]) -> pygame.Surface:
        brightest = 255 - _GLOW_NOISE

        def shade(x: float, y: float) -> tuple[float, float, float]:
            level = shape(x, y) * brightest
            return (level, level, level)

        picture = self.painted(size, _GLOW_GRID, 1, shade)
        for top in range(0, size[1], _NOISE_SIZE):
            self._strew_light(picture.subsurface((0, top, size[0], min(_NOISE_SIZE, size[1] - top))))
        return pygame.image.frombytes(pygame.image.tobytes(picture, "RGB")[::3], size, "P")

    def _strew_light(self, strip: pygame.Surface) -> None:
        """Noise only where there is light: eight times the light, cut off at the noise's height."""
        noise = pygame.Surface(strip.get_size()).convert()
        self._strew(noise, _GLOW_NOISE)
        mask = strip.copy()
        for _ in range(3):
            mask.blit(mask, (0, 0), special_flags=pygame.BLEND_RGB_ADD)
        noise.blit(mask, (0, 0), special_flags=pygame.BLEND_RGB_MULT)
        strip.blit(noise, (0, 0), special_flags=pygame.BLEND_RGB_ADD)

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
            self._strew(picture, precision)
            share = 256 // precision
            picture.fill((share, share, share), special_flags=pygame.BLEND_RGB_MULT)
        return picture

    def _strew(self, picture: pygame.Surface, height: int) -> None:
        """Add noise from 0 up to, not including, `height`."""
        noise = self._noise_tile(height)
        for x in range(0, picture.get_width(), _NOISE_SIZE):
            for y in range(0, picture.get_height(), _NOISE_SIZE):
                picture.blit(noise, (x, y), special_flags=pygame.BLEND_RGB_ADD)

    def _noise_tile(self, precision: int) -> pygame.Surface:
        if precision not in self._noise:
            chance = Random(7)
            data = bytearray()
            for _ in range(_NOISE_SIZE * _NOISE_SIZE):
                data += bytes([chance.randrange(precision)] * 3)
            tile = pygame.image.frombytes(bytes(data), (_NOISE_SIZE, _NOISE_SIZE), "RGB")
            self._noise[precision] = tile.convert()
        return self._noise[precision]

    def _felt(self, lamp_level: int) -> Shade:
        theme, wide = self.theme, self.size[0] / self.size[1] / (16 / 9)
        level, dim = LAMP_LEVELS[lamp_level], 0.55 if lamp_level == DARK else 1.0

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


@lru_cache(maxsize=KEPT_PALETTES)
def _levels(light: Colour) -> tuple[Colour, ...]:
    """Every level of a light from dark to full."""
    red, green, blue = (min(255, channel) for channel in light)
    return tuple((red * level // 255, green * level // 255, blue * level // 255) for level in range(256))


def _fall(distance: float) -> float:
    """Light by the distance from its middle: 1 there, nothing from 1 on, smooth at both ends."""
    return (1 - distance * distance) ** 2 if distance < 1 else 0.0
