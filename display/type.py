"""Words as cached pictures, in two weights; figures stand in cells of equal width so that they never jump."""

from __future__ import annotations

from collections.abc import Iterator
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
LONGEST_TEXT: Final = 400
"""Letters of a text in several lines; longer ones are cut."""
KEPT_WIDTHS: Final = 512
"""Lines of which the width is remembered."""
KEPT_TEXTS: Final = 32
"""Texts of which the lines are remembered."""


class Type:
    """Renders words. To be used from one thread, after `pygame.font.init()`."""

    def __init__(self) -> None:
        folder = files("display") / "fonts"
        self._fonts = {
            weight: pygame.font.Font(BytesIO((folder / name).read_bytes())) for weight, name in FONT_FILES.items()
        }
        self._words = Shelf(ROOM_BYTES)
        self._widths: dict[tuple[str, int, Weight], int] = {}
        self._lines: dict[tuple[str, int, int], tuple[str, ...]] = {}

    def font(self, px: int, weight: Weight) -> pygame.font.Font:
        """The font at a type size in pixels, until the next call: one for each size would take much memory."""
        font = self._fonts[weight]
        font.set_point_size(px)
        return font

    def words(self, text: str, px: int, colour: Colour, weight: Weight = "text") -> pygame.Surface:
        """One line with its capitals exactly in the middle of its height; the same picture every time.

        Of any text: what cannot be printed is left blank.
        """
        return self._words.get((text, px, colour, weight), lambda: self._render(text, px, colour, weight))

    def width(self, text: str, px: int, weight: Weight = "text") -> int:
        """How many pixels wide a line is."""
        key = (text, px, weight)
        if key not in self._widths:
            if len(self._widths) >= KEPT_WIDTHS:
                self._widths.clear()
            self._widths[key] = self._measured(text, px, weight)
        return self._widths[key]

    def _measured(self, text: str, px: int, weight: Weight) -> int:
        font, tracking = self.font(px, weight), round(px * TRACKING[weight])
        cell = max(font.size(digit)[0] for digit in DIGITS)
        widths = (
            cell if run in DIGITS else font.size(run)[0] + tracking * len(run) for run in _runs(printable(text))
        )
        return max(1, sum(widths))

    def lines(self, text: str, px: int, width: int) -> tuple[str, ...]:
        """The text in lines of less weight that fit into `width` pixels; a word that is too long is broken.

        A text beyond `LONGEST_TEXT` letters ends there with an ellipsis.
        """
        key = (text, px, width)
        if key not in self._lines:
            if len(self._lines) >= KEPT_TEXTS:
                self._lines.clear()
            self._lines[key] = tuple(self._wrapped(text, px, width))
        return self._lines[key]

    def _wrapped(self, text: str, px: int, width: int) -> Iterator[str]:
        left = " ".join(printable(text).split())
        if len(left) > LONGEST_TEXT:
            left = left[:LONGEST_TEXT] + "…"
        while left:
            line = self._beginning(left, px, width)
            if len(line) < len(left) and left[len(line)] != " ":
                line = line.rpartition(" ")[0] or line
            yield line
            left = left[len(line) :].lstrip()

    def _beginning(self, text: str, px: int, width: int) -> str:
        """As many letters as fit; at least one."""
        fits, too_many = 1, len(text) + 1
        while too_many - fits > 1:
            half = (fits + too_many) // 2
            if self.width(text[:half], px) <= width:
                fits = half
            else:
                too_many = half
        return text[:fits]

    def fitted(self, text: str, px: int, colour: Colour, weight: Weight, width: int) -> pygame.Surface:
        """One line at the largest type size up to `px` with which it fits into `width` pixels."""
        picture = self.words(text, px, colour, weight)
        if picture.get_width() <= width:
            return picture
        return self.words(text, self.fitting_px(text, px, weight, width), colour, weight)

    def fitting_px(self, text: str, px: int, weight: Weight, width: int) -> int:
        """The largest type size up to `px` with which a line fits into `width` pixels."""
        while (found := self.width(text, px, weight)) > width and px > 8:
            px = min(px - 1, px * width // found)
        return px

    def _render(self, text: str, px: int, colour: Colour, weight: Weight) -> pygame.Surface:
        font = self.font(px, weight)
        room = round(px * ROOM)
        shift = room + round(px * CAP_HEIGHT) - font.get_ascent()
        height = 2 * room + round(px * CAP_HEIGHT)
        tracking = round(px * TRACKING[weight])
        runs = [(run, _spaced(font, run, colour, tracking)) for run in _runs(printable(text))]
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


def printable(text: str) -> str:
    """The text with a blank for each letter that a font cannot be asked for, such as half of a pair."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


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
