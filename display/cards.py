"""The deck, drawn for the screen's exact size; every picture is made once and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import pygame

from cabinet.engine.cards import Card
from display import shapes
from display.shelf import Shelf, screens
from display.theme import Colour, Theme, mixed
from display.type import CAP_HEIGHT, Type

Size = tuple[int, int]

CORNER: Final = 0.06
"""Radius of a card's corners by its width."""
RANK_HEIGHT: Final = 0.5
"""Height of the rank by the card's."""
RANK_WIDTH: Final = 0.82
"""Widest that a rank may be, by the card's width; ten is drawn narrower to fit."""
RANK_BASE: Final = 0.735
"""Where the rank stands, by the card's height."""
FOOT: Final = 0.8
"""Where the dark foot of a black card begins, by its height, in games in which the colour counts."""
UNDERLINED: Final = "69"
DIMMED: Final = (96, 100, 104)
"""How much of a card's light is left on a dark table, in 255ths."""
COUNTABLE_PX: Final = 3
"""Edges at least so far apart are parted by a line; finer ones only by their shade."""
FACE_SCREENS: Final = 1.4
"""Room for faces, in whole screens: all of them at the stock's size, and a dozen at the piles'."""
PASSING_SCREENS: Final = 0.65
"""Room for pictures of turning, flying and dimmed cards and of shadows, in whole screens."""


def rank_text(rank: str) -> str:
    """What is printed for a rank's letter."""
    return "10" if rank == "T" else rank


class Deck:
    """Pictures of cards. To be used from one thread."""

    def __init__(self, theme: Theme, type_: Type, screen_size: Size) -> None:
        self._theme, self._type = theme, type_
        self._kept: dict[tuple[object, ...], pygame.Surface] = {}
        self._faces = Shelf(screens(screen_size, FACE_SCREENS))
        self._passing = Shelf(screens(screen_size, PASSING_SCREENS))

    def face(self, card: Card, size: Size, *, dim: bool = False, two_colours: bool = False) -> pygame.Surface:
        """The card's face; `dim` as on a dark table.

        `two_colours`: red and black alone, where the colour counts; a black card also has a dark foot, so that
        the two are told apart by every eye.
        """
        key = (card, size, two_colours)
        if dim:
            return self._passing.get(
                ("face", *key), lambda: _dimmed(self.face(card, size, two_colours=two_colours))
            )
        return self._faces.get(key, lambda: self._drawn_face(card, size, two_colours))

    def back(self, size: Size, *, dim: bool = False) -> pygame.Surface:
        """The back: the rings of the two lamps, crossing."""
        if dim:
            return self._once(("back", size, True), lambda: _dimmed(self.back(size)))
        return self._once(("back", size, False), lambda: self._drawn_back(size))

    def edges(
        self, size: Size, offsets: tuple[int, ...], *, backs: bool = False, dim: bool = False
    ) -> pygame.Surface:
        """The lower edges of the cards beneath a top card.

        `offsets` says how far each lies beneath the top card in pixels, the lowest first. The picture is as
        wide as a card; its last row is the last row of the lowest card.
        """
        if dim:
            return self._passing.get(
                ("edges", size, offsets, backs, True), lambda: _dimmed(self.edges(size, offsets, backs=backs))
            )
        return self._passing.get(
            ("edges", size, offsets, backs, False), lambda: self._drawn_edges(size, offsets, backs)
        )

    def shadow(self, size: Size, lift: int) -> pygame.Surface:
        """The soft shadow of a box; larger and fainter the higher it is lifted. `shadow_reach` beyond it."""
        return self._passing.get(("shadow", size, lift), lambda: _drawn_shadow(size, lift))

    def shadow_reach(self, size: Size, lift: int) -> int:
        """How far the picture of a shadow reaches beyond the box on every side."""
        return _reach(size, lift)

    def scaled(self, picture: pygame.Surface, size: Size) -> pygame.Surface:
        """A card in passing, at another size. The picture is part of the key, so that it stays the one it was."""
        return self._passing.get(("scaled", picture, size), lambda: _smoothly_scaled(picture, size))

    def warm(self, size: Size, *, two_colours: bool = False) -> Iterator[None]:
        """Draw every face at a size now rather than in play, a suit at a time."""
        self.back(size)
        for number in range(52):
            self.face(Card(number), size, two_colours=two_colours)
            if number % 13 == 12:
                yield

    def _once(self, key: tuple[object, ...], draw: Callable[[], pygame.Surface]) -> pygame.Surface:
        if key not in self._kept:
            self._kept[key] = draw()
        return self._kept[key]

    def _paper(self, size: Size) -> pygame.Surface:
        return self._once(("paper", size), lambda: self._drawn_paper(size))

    def _drawn_paper(self, size: Size) -> pygame.Surface:
        theme, radius = self._theme, max(2, round(size[0] * CORNER))
        shade = pygame.Surface((1, 3))
        for row, share in enumerate((0.0, 0.25, 1.0)):
            shade.set_at((0, row), mixed(theme.paper, theme.paper_shade, share))
        lit = pygame.transform.smoothscale(shade.convert(), size).convert_alpha()
        paper = shapes.rounded(size, radius, (255, 255, 255))
        paper.blit(lit, (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
        paper.blit(shapes.rounded(size, radius, theme.card_edge, line=1, alpha=230), (0, 0))
        return paper

    def _suit(self, letter: str, px: int, colour: Colour) -> pygame.Surface:
        return self._once(("suit", letter, px, colour), lambda: shapes.suit(letter, px, colour))

    def _ink(self, card: Card, *, two_colours: bool) -> Colour:
        if two_colours:
            return self._theme.hearts if card.is_red else self._theme.spades
        return self._theme.suit(card.suit)

    def _drawn_face(self, card: Card, size: Size, two_colours: bool) -> pygame.Surface:
        w, h = size
        colour = self._ink(card, two_colours=two_colours)
        has_foot = two_colours and not card.is_red
        face = self._paper(size).copy()
        if has_foot:
            foot = self._once(("foot", size, colour), lambda: _foot(size, colour))
            face.blit(foot, (0, h - foot.get_height()))
        rank = self._rank(card.rank, size, colour)
        base = round(h * RANK_BASE)
        face.blit(rank[0], ((w - rank[0].get_width()) // 2, base - rank[1]))
        if card.rank in UNDERLINED:
            line = pygame.Rect(0, 0, round(w * 0.4), max(3, round(h * 0.022)))
            line.midtop = (w // 2, base + round(h * 0.028))
            face.blit(shapes.rounded(line.size, line.h // 2, colour), line)
        pip = self._suit(card.suit, round(h * 0.145), self._theme.paper if has_foot else colour)
        face.blit(pip, ((w - pip.get_width()) // 2, round(h * 0.818)))
        corner = self._type.words(rank_text(card.rank), round(h * 0.125), colour, "heavy")
        middle = round(h * 0.105)
        x = round(w * 0.065)
        face.blit(corner, (x, middle - corner.get_height() // 2))
        small = self._suit(card.suit, round(h * 0.09), colour)
        face.blit(small, (x + corner.get_width() + round(w * 0.02), middle - small.get_height() // 2))
        return face

    def _rank(self, rank: str, size: Size, colour: Colour) -> tuple[pygame.Surface, int]:
        """The large rank without empty columns, and how far beneath its first row it stands."""
        font = self._type.font(round(size[1] * RANK_HEIGHT / CAP_HEIGHT), "heavy")
        picture = font.render(rank_text(rank), True, colour)
        inked = picture.get_bounding_rect()
        picture = picture.subsurface((inked.x, 0, inked.w, picture.get_height()))
        widest = round(size[0] * RANK_WIDTH)
        if inked.w > widest:
            picture = pygame.transform.smoothscale(picture, (widest, picture.get_height()))
        return picture, font.get_ascent()

    def _drawn_back(self, size: Size) -> pygame.Surface:
        theme, w = self._theme, size[0]
        radius = max(2, round(w * CORNER))

        def draw(canvas: pygame.Surface) -> None:
            k = shapes.OVERSAMPLED
            box = canvas.get_rect()
            pygame.draw.rect(canvas, theme.back, box, border_radius=radius * k)
            pygame.draw.rect(canvas, theme.back_edge, box, k * max(1, w // 100), border_radius=radius * k)
            line = round(w * 0.045 * k)
            for share, colour in ((0.385, theme.seat_a), (0.615, theme.seat_b)):
                middle = (box.w * share, box.h * 0.5)
                pygame.draw.circle(canvas, mixed(theme.back, colour, 0.82), middle, box.w * 0.285, line)
            # The amber ring passes over the cyan one below and under it above.
            upper = pygame.Rect(0, 0, box.w // 2 + line, box.h // 2)
            upper.left = box.w // 2 - line
            canvas.set_clip(upper)
            middle = (box.w * 0.385, box.h * 0.5)
            pygame.draw.circle(canvas, mixed(theme.back, theme.seat_a, 0.82), middle, box.w * 0.285, line)
            canvas.set_clip(None)

        return shapes.smooth(size, theme.back, draw)

    def _drawn_edges(self, size: Size, offsets: tuple[int, ...], backs: bool) -> pygame.Surface:
        theme, (w, h) = self._theme, size
        radius = max(2, round(w * CORNER))
        deepest = max(offsets, default=0)
        room = radius * 2 + 2
        height = deepest + room
        picture = pygame.Surface((w, height), pygame.SRCALPHA)
        light, gap = (theme.back, theme.back_edge) if backs else (theme.stack_light, theme.stack_line)
        for number, (offset, above) in enumerate(zip(offsets, (*offsets[1:], 0), strict=True)):
            paper = mixed(light, gap, 0.3 if number % 2 else 0.0)
            line = gap if offset - above >= COUNTABLE_PX else paper
            key = ("edge", size, paper, line)
            edge = self._once(key, lambda look=(paper, line): _edge(size, radius, *look))  # type: ignore[misc]
            bottom = height - (deepest - offset)
            picture.blit(edge, (0, bottom - room), (0, h - room, w, room))
        return picture.convert_alpha()


def _smoothly_scaled(picture: pygame.Surface, size: Size) -> pygame.Surface:
    """Scaling loses up to four of 255 steps, which would let the table shine through: they are given back."""
    scaled = pygame.transform.smoothscale(picture, size)
    scaled.fill((4, 4, 4, 4), special_flags=pygame.BLEND_RGBA_ADD)
    return scaled


def _foot(size: Size, colour: Colour) -> pygame.Surface:
    """The lower end of a card in one colour."""
    whole = shapes.rounded(size, max(2, round(size[0] * CORNER)), colour)
    top = round(size[1] * FOOT)
    return whole.subsurface((0, top, size[0], size[1] - top)).copy()


def _edge(size: Size, radius: int, paper: Colour, gap: Colour) -> pygame.Surface:
    edge = shapes.rounded(size, radius, paper)
    edge.blit(shapes.rounded(size, radius, gap, line=1), (0, 0))
    return edge


def _dimmed(picture: pygame.Surface) -> pygame.Surface:
    copy = picture.copy()
    copy.fill(DIMMED, special_flags=pygame.BLEND_RGB_MULT)
    return copy


def _reach(size: Size, lift: int) -> int:
    return max(4, round(size[1] * 0.055)) + lift


def _drawn_shadow(size: Size, lift: int) -> pygame.Surface:
    """Blurred at a quarter of its size: a shadow has no detail, and piles grow in play."""
    reach = _reach(size, lift)
    full = (size[0] + 2 * reach, size[1] + 2 * reach)
    canvas = pygame.Surface((full[0] // 4, full[1] // 4), pygame.SRCALPHA)
    inset = reach // 8
    box = pygame.Rect(0, 0, (size[0] - inset) // 4, (size[1] - inset) // 4)
    box.center = canvas.get_rect().center
    pygame.draw.rect(canvas, (0, 0, 0, 190 if lift == 0 else 130), box, border_radius=max(1, size[0] // 60))
    return pygame.transform.smoothscale(
        pygame.transform.gaussian_blur(canvas, max(1, reach // 8)), full
    ).convert_alpha()
