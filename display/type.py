"""Words as cached pictures, in two weights; figures stand in cells of equal width so that they never jump."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO
from typing import Final, Literal

import pygame

from display.shelf import Shelf
from display.theme import Colour

Weight = Literal["text", "heavy"]

FONT_FILES: Final[dict[Weight, str]] = {"text": "Inter-SemiBold.otf", "heavy": "InterDisplay-Black.otf"}
CAP_HEIGHT: Final = 0.727
"""Height of a capital by the type size, in both fonts."""
ROOM: Final = 0.25
"""Room above the capitals, for accents, and below the base line, by the type size."""
TRACKING: Final[dict[Weight, float]] = {"text": 0.0, "heavy": 0.022}
"""Extra room between letters by the type size: the heavy cut is made for tight headlines, not for three metres."""
DIGITS: Final = "0123456789"
ROOM_BYTES: Final = 4_000_000
"""Room for rendered words: a whole match's at 1920×1080."""


class Type:
    """Renders words. To be used from one thread, after `pygame.font.init()`."""

    def __init__(self) -> None:
        folder = files("display") / "fonts"
        self._data = {weight: (folder / name).read_bytes() for weight, name in FONT_FILES.items()}
        self._fonts: dict[tuple[Weight, int], pygame.font.Font] = {}
        self._words = Shelf(ROOM_BYTES)

    def font(self, px: int, weight: Weight) -> pygame.font.Font:
        """A font at a type size in pixels."""
        key = (weight, px)
        if key not in self._fonts:
            self._fonts[key] = pygame.font.Font(BytesIO(self._data[weight]), px)
        return self._fonts[key]

    def words(self, text: str, px: int, colour: Colour, weight: Weight = "text") -> pygame.Surface:
        """One line with its capitals exactly in the middle of its height; the same picture every time."""
        return self._words.get((text, px, colour, weight), lambda: self._render(text, px, colour, weight))

    def fitted(self, text: str, px: int, colour: Colour, weight: Weight, width: int) -> pygame.Surface:
        """One line at the largest type size up to `px` with which it fits into `width` pixels."""
        picture = self.words(text, px, colour, weight)
        while picture.get_width() > width and px > 8:
            px = min(px - 1, px * width // picture.get_width())
            picture = self.words(text, px, colour, weight)
        return picture

    def _render(self, text: str, px: int, colour: Colour, weight: Weight) -> pygame.Surface:
        font = self.font(px, weight)
        room = round(px * ROOM)
        shift = room + round(px * CAP_HEIGHT) - font.get_ascent()
        height = 2 * room + round(px * CAP_HEIGHT)
        tracking = round(px * TRACKING[weight])
        runs = [(run, _spaced(font, run, colour, tracking)) for run in _runs(text)]
        cell = max(font.size(digit)[0] for digit in DIGITS)
        widths = [cell if run in DIGITS else picture.get_width() for run, picture in runs]
        line = pygame.Surface((max(1, sum(widths)), height), pygame.SRCALPHA)
        line.fill((*colour, 0))
        x = 0
        for (_, picture), width in zip(runs, widths, strict=True):
            place = (x + (width - picture.get_width()) // 2, shift)
            line.blit(picture, place, special_flags=pygame.BLEND_RGBA_MAX)
            x += width
        return line.convert_alpha()


def _spaced(font: pygame.font.Font, text: str, colour: Colour, tracking: int) -> pygame.Surface:
    """Letters with a little more room between them, their kerning kept."""
    if not tracking or text in DIGITS:
        return font.render(text, True, colour)
    width = font.size(text)[0] + tracking * len(text)
    picture = pygame.Surface((width, font.get_height() + abs(font.get_descent())), pygame.SRCALPHA)
    picture.fill((*colour, 0))
    for index, letter in enumerate(text):
        x = font.size(text[: index + 1])[0] - font.size(letter)[0] + tracking * index + tracking // 2
        picture.blit(font.render(letter, True, colour), (x, 0), special_flags=pygame.BLEND_RGBA_MAX)
    return picture


def _runs(text: str) -> list[str]:
    """The text in pieces: every figure alone, what is between them together."""
    runs: list[str] = []
    for letter in text:
        if letter in DIGITS or not runs or runs[-1] in DIGITS:
            runs.append(letter)
        else:
            runs[-1] += letter
    return runs
