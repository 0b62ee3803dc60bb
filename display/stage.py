"""What a scene draws with: the geometry, the pictures, and the list of sprites it fills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

import pygame

from cabinet.engine.cards import Card
from cabinet.engine.rules import Rules
from cabinet.engine.table import Seat
from cabinet.snapshot import Snapshot
from display import shapes
from display.cards import Deck, Size
from display.layout import SPIT_SHAPE, Box, Layout, TableShape, layout_for, shape_of
from display.light import Light
from display.memory import PileMemory
from display.settings import DisplaySettings, Line
from display.shelf import Shelf, screens
from display.sprites import ADD, Sprite
from display.theme import THEMES, Colour, mixed
from display.type import Type, Weight

Anchor = Literal["left", "centre", "right"]

PICTURE_SCREENS: Final = 0.55
"""Room for shapes, panels and titles, in whole screens: those of a match take half of it."""


class Face(NamedTuple):
    """How words look."""

    px_1080: float
    """Type size at 1920×1080."""
    colour: Colour
    weight: Weight


def heavy(px_1080: float, colour: Colour) -> Face:
    """Words in the heaviest cut."""
    return Face(px_1080, colour, "heavy")


def plain(px_1080: float, colour: Colour) -> Face:
    """Words of less weight."""
    return Face(px_1080, colour, "text")


class Kit:
    """Everything that is made once for a size of screen. To be used from one thread."""

    def __init__(self, size: tuple[int, int], settings: DisplaySettings, key_labels: dict[Line, str]) -> None:
        self.size, self.settings, self.key_labels = size, settings, key_labels
        self.theme = THEMES[settings.theme]
        self.type = Type()
        self.light = Light(size, self.theme)
        self.deck = Deck(self.theme, self.type, size)
        self._layouts: dict[TableShape, Layout] = {}
        self._pictures = Shelf(screens(size, PICTURE_SCREENS))

    def layout(self, shape: TableShape = SPIT_SHAPE) -> Layout:
        """The geometry for a game's table."""
        if shape not in self._layouts:
            self._layouts[shape] = layout_for(*self.size, shape)
        return self._layouts[shape]

    def sign(self, seat: Seat, px: int, strength: float = 1.0) -> pygame.Surface:
        """A seat's shape in its colour."""
        return self.shape(seat, px, mixed(self.theme.felt, self.theme.seat(seat), strength))

    def shape(self, seat: Seat, px: int, colour: Colour) -> pygame.Surface:
        """A seat's shape in any colour."""
        return self._once(("shape", seat, px, colour), lambda: shapes.seat_sign(seat, px, colour))

    def disc(self, px: int, colour: Colour, line: int = 0) -> pygame.Surface:
        """A disc or ring."""
        return self._once(("disc", px, colour, line), lambda: shapes.disc(px, colour, line=line))

    def pill(self, size: tuple[int, int], colour: Colour, line: int = 0) -> pygame.Surface:
        """A disc or ring that may be drawn out in width."""
        radius = size[1] // 2 + 1
        return self._once(("pill", size, colour, line), lambda: shapes.rounded(size, radius, colour, line=line))

    def panel(self, size: tuple[int, int], colour: Colour, alpha: int = 255, line: int = 0) -> pygame.Surface:
        """A box with round corners."""
        radius = min(size[1] // 2, max(3, round(self.layout().unit * 22)))
        return self._once(
            ("panel", size, colour, alpha, line),
            lambda: shapes.rounded(size, radius, colour, alpha=alpha, line=line),
        )

    def slot(self, size: tuple[int, int], colour: Colour, alpha: int) -> pygame.Surface:
        """The outline of a card that is not there."""
        line = max(2, round(self.layout().unit * 3))
        radius = max(3, round(size[0] * 0.06))
        return self._once(
            ("slot", size, colour, alpha), lambda: shapes.rounded(size, radius, colour, line=line, alpha=alpha)
        )

    def frame(self, size: tuple[int, int], colour: Colour, line: int) -> pygame.Surface:
        """A frame around a card, which lies within its line."""
        radius = line + max(2, round((size[0] - 2 * line) * 0.06))
        return self._once(("frame", size, colour, line), lambda: shapes.rounded(size, radius, colour, line=line))

    def tick(self, px: int, colour: Colour) -> pygame.Surface:
        """A mark for done."""
        return self._once(("tick", px, colour), lambda: shapes.tick(px, colour))

    def arrow(self, px: int, colour: Colour, *, to_left: bool) -> pygame.Surface:
        """An arrow head."""
        return self._once(("arrow", px, colour, to_left), lambda: shapes.arrow(px, colour, to_left=to_left))

    def pointer(self, px: int, colour: Colour) -> pygame.Surface:
        """An arrow head that points down."""
        return self._once(("pointer", px, colour), lambda: shapes.pointer(px, colour))

    def plus(self, px: int, colour: Colour) -> pygame.Surface:
        """A mark for one more."""
        return self._once(("plus", px, colour), lambda: shapes.plus(px, colour))

    def warning(self, px: int) -> pygame.Surface:
        """The sign of trouble."""
        colours = (self.theme.warning, self.theme.panel)
        return self._once(("warning", px), lambda: shapes.warning_sign(px, *colours))

    def flat(self, size: tuple[int, int], colour: Colour) -> pygame.Surface:
        """A plain box."""

        def draw() -> pygame.Surface:
            picture = pygame.Surface(size).convert()
            picture.fill(colour)
            return picture

        return self._once(("flat", size, colour), draw)

    def lit_words(self, text: str, px: int) -> pygame.Surface:
        """Heavy words lit by a's lamp from the left and b's from the right."""
        return self._once(("lit", text, px), lambda: self._lit_words(text, px))

    def _lit_words(self, text: str, px: int) -> pygame.Surface:
        theme = self.theme
        strip = pygame.Surface((5, 1))
        lights = (theme.seat_a, mixed(theme.seat_a, theme.paper, 0.6), theme.paper)
        for x, colour in enumerate((*lights, mixed(theme.seat_b, theme.paper, 0.6), theme.seat_b)):
            strip.set_at((x, 0), colour)
        words = self.type.words(text, px, (255, 255, 255), "heavy").copy()
        light = pygame.transform.smoothscale(strip.convert(), words.get_size()).convert_alpha()
        words.blit(light, (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
        return words

    def _once(self, key: tuple[object, ...], draw: Callable[[], pygame.Surface]) -> pygame.Surface:
        return self._pictures.get(key, draw)


def counts_colours(rules: Rules) -> bool:
    """Whether a player must tell red cards from black ones (RULES.md 40)."""
    return rules.colours == "alternate"


class Stage:
    """One frame in the making."""

    def __init__(self, kit: Kit, snapshot: Snapshot, memory: PileMemory, now_ns: int) -> None:
        self.kit, self.snapshot, self.memory, self.now_ns = kit, snapshot, memory, now_ns
        self.theme, self.type = kit.theme, kit.type
        view = snapshot.view
        self.rules = view.rules if view else snapshot.game.rules
        self.shape = shape_of(self.rules, len(view.a.stock) if view else None)
        self.layout = kit.layout(self.shape)
        self.sprites: list[Sprite] = []
        self.shift = (0, 0)
        """How far everything is moved, so that nothing burns in."""

    def put(self, picture: pygame.Surface, x: int, y: int, *, flags: int = 0, alpha: int = 255) -> None:
        """Lay a picture over what is there."""
        if alpha > 0:
            self.sprites.append(Sprite(picture, x + self.shift[0], y + self.shift[1], flags, min(255, alpha)))

    def centred(
        self, picture: pygame.Surface, middle: tuple[int, int], *, flags: int = 0, alpha: int = 255
    ) -> None:
        """Lay a picture with its middle at a place."""
        w, h = picture.get_size()
        self.put(picture, middle[0] - w // 2, middle[1] - h // 2, flags=flags, alpha=alpha)

    def shine(self, picture: pygame.Surface, middle: tuple[int, int]) -> None:
        """Add light with its middle at a place."""
        self.centred(picture, middle, flags=ADD)

    def words(
        self, text: str, at: tuple[int, int], face: Face, *, anchor: Anchor = "centre", width: int | None = None
    ) -> Box:
        """One line whose middle height is at a place, smaller if it must fit into `width`; the box it fills."""
        px = self.layout.text_px(face.px_1080)
        limit = width if width is not None else self.layout.width
        picture = self.type.fitted(text, px, face.colour, face.weight, limit)
        w, h = picture.get_size()
        x = {"left": at[0], "centre": at[0] - w // 2, "right": at[0] - w}[anchor]
        self.put(picture, x, at[1] - h // 2)
        return Box(x, at[1] - h // 2, w, h)

    def face(self, card: Card, size: Size, *, dim: bool = False) -> pygame.Surface:
        """A card's face as this game shows it."""
        return self.kit.deck.face(card, size, dim=dim, two_colours=counts_colours(self.rules))

    def stock_box(self, seat: Seat, stock: int) -> Box:
        """The place of a stock pile, from 1; the last one for a pile of an earlier game that had more."""
        boxes = self.layout.seat(seat).stock
        return boxes[min(stock, len(boxes)) - 1]

    def px(self, at_1080: float) -> int:
        """A length given for 1920×1080."""
        return self.layout.px(at_1080)

    def age(self, at_ns: int) -> int:
        """How long ago that was."""
        return self.now_ns - at_ns
