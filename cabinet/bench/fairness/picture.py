"""The picture of a proof: who is given a race, by its lead, and who is given a dead heat."""

from __future__ import annotations

from itertools import pairwise
from math import log10, sqrt
from pathlib import Path
from typing import Final

import msgspec
import pygame

from cabinet.bench.fairness.paths import Claim
from cabinet.bench.fairness.plot import Canvas, Lettering, Mark, Point
from cabinet.bench.fairness.result import Fairness, percent
from cabinet.bench.fairness.tally import DEAD_HEAT, LEADS, LEADS_US
from cabinet.bench.fairness.ways import CABINET, USUAL
from cabinet.bench.frames import picture
from cabinet.show import PictureError
from display.theme import LAMPS, Colour, Theme, mixed

SIZE: Final = (1_200, 820)
"""Drawn for a page that shows it 900 wide: its smallest letters then are as high as those of a newspaper."""
SCALE: Final = (-0.02, 0.56)
"""The ends of the scale of wrong decisions; below nothing is room for the marks of a line that lies on it."""
TICKS: Final = ((1, "1 µs"), (10, "10 µs"), (100, "100 µs"), (1_000, "1 ms"), (10_000, "10 ms"))
RED: Final[Colour] = (0xCA, 0x45, 0x53)
YELLOW: Final[Colour] = (0xF6, 0xD5, 0x38)
BLUE: Final[Colour] = (0x4F, 0xA0, 0xEC)
MINT: Final[Colour] = (0x00, 0xEC, 0x8E)
BRONZE: Final[Colour] = (0xCE, 0x8C, 0x3C)
"""Any two of them, and white, differ in all three kinds of colour blindness, too."""

DRAWN: Final = (CABINET, *USUAL)
"""The bridge is in the tables only: its line lies on this cabinet's, but for leads of a few microseconds."""


class Look(msgspec.Struct, frozen=True):
    """How a path is drawn: by colour and by mark, so that colour alone tells nothing."""

    colour: Colour
    mark: Mark


def looks(theme: Theme) -> dict[str, Look]:
    """How each path is drawn, by its key; this project's in the colour of no seat."""
    return {
        CABINET.key: Look(theme.ink, "disc"),
        "frame_polling": Look(RED, "square"),
        "rest_lgpio": Look(YELLOW, "triangle"),
        "rest_kernel": Look(BLUE, "diamond"),
        "lock_out": Look(MINT, "ring"),
        "host_receive": Look(BRONZE, "cross"),
    }


def write_picture(found: Fairness, path: Path) -> None:
    """Draws what was found into a picture file, without a screen. Raises PictureError with one plain line."""
    with picture(SIZE):
        pygame.font.init()
        drawn = draw(found)
        try:
            pygame.image.save(drawn, str(path))
        except (pygame.error, OSError) as error:
            raise PictureError(f"{path}: the picture could not be written ({error}); name another file") from error


def draw(found: Fairness, theme: Theme = LAMPS) -> pygame.Surface:
    """The picture; a display must be open."""
    drawing = _Drawing(found, theme)
    drawing.heading()
    drawing.wrong_by_lead()
    drawing.dead_heats()
    drawing.legend()
    return drawing.canvas.finished()


class _Drawing:
    """The parts of the picture, on one canvas."""

    LEFT, TOP, WIDTH, HEIGHT = 92, 186, 664, 446
    """Where the chart of wrong decisions lies."""
    BARS_LEFT, BARS_TOP, BARS_WIDTH, BARS_APART = 806, 150, 354, 82

    def __init__(self, found: Fairness, theme: Theme) -> None:
        self.canvas = Canvas(SIZE, theme.felt)
        self._found = found
        self._theme = theme
        self._looks = looks(theme)
        self._title = Lettering(34, theme.ink, "heavy")
        self._caption = Lettering(22, theme.ink)
        self._text = Lettering(19, theme.ink)
        self._quiet = Lettering(19, theme.muted)

    def heading(self) -> None:
        self.canvas.words("WHO CLOSED THE CONTACT FIRST?", (36, 48), self._title)
        text = f"{self._found.races:,} simulated races, the same for every way of reading two buttons"
        self.canvas.words(f"{text} (seed {self._found.seed})", (36, 92), self._quiet)

    # By lead

    def wrong_by_lead(self) -> None:
        self.canvas.words("Races given to the wrong player", (36, 150), self._caption)
        self._grid()
        for kind in USUAL:
            self._path(self._looks[kind.key], [self._point(kind.key, lead) for lead in LEADS])
        everything = [self._point(CABINET.key, lead) for lead in LEADS]
        for start, end in pairwise(everything):
            self.canvas.dashes(start, end, self._theme.ink, 2.5, 7)
        certain = [lead for lead in LEADS if self._found.tally.of(CABINET.key, [lead], ["told_apart"]).races]
        points = [self._point(CABINET.key, lead, ["told_apart"]) for lead in certain]
        self._path(self._looks[CABINET.key], points, width=5, size=13)

    def _path(self, look: Look, points: list[Point], width: float = 2.5, size: float = 10) -> None:
        self.canvas.line(points, look.colour, width)
        for point in points:
            self.canvas.mark(look.mark, point, size, look.colour)

    def _point(self, key: str, lead: int, claims: list[Claim] | None = None) -> Point:
        share = self._found.tally.of(key, [lead], claims).wrong_share
        return self._x(sqrt(LEADS_US[lead] * LEADS_US[lead + 1])), self._y(share)

    def _x(self, lead_us: float) -> float:
        first, last = log10(LEADS_US[0]), log10(LEADS_US[-1])
        return self.LEFT + self.WIDTH * (log10(lead_us) - first) / (last - first)

    def _y(self, share: float) -> float:
        least, most = SCALE
        return self.TOP + self.HEIGHT * (most - share) / (most - least)

    def _grid(self) -> None:
        canvas, right, bottom = self.canvas, self.LEFT + self.WIDTH, self.TOP + self.HEIGHT
        rule = mixed(self._theme.felt, self._theme.muted, 0.2)
        for tens in range(int(SCALE[1] * 10) + 1):
            y = self._y(tens / 10)
            canvas.line([(self.LEFT, y), (right, y)], rule, 1)
            canvas.words(f"{tens * 10} %", (self.LEFT - 12, y), self._quiet, "right")
        for lead_us, text in TICKS:
            x = self._x(lead_us)
            canvas.line([(x, self.TOP), (x, bottom)], rule, 1)
            canvas.words(text, (x, bottom + 20), self._quiet, "middle")
        middle: Point = (self.LEFT + self.WIDTH / 2, bottom + 50)
        canvas.words("by how much the race was won", middle, self._text, "middle")

    def legend(self) -> None:
        """What the two lines of this project mean."""
        certain, late_share = self._found.certain(), self._found.late().races / self._found.races
        left, text_left, top = 36, 110, self.TOP + self.HEIGHT + 98
        lines = (
            (
                f"this cabinet, told apart and in time: {certain.wrong:,} wrong of {certain.races:,}",
                self._text,
            ),
            (
                "all its races: those closer than the stamps' errors (±100 µs each at most) are dead heats,",
                self._quiet,
            ),
            (f"which the token decides; {percent(late_share)} came later than promised", self._quiet),
        )
        for number, (line, lettering) in enumerate(lines):
            self.canvas.words(line, (text_left, top + 31 * number), lettering)
        self._path(self._looks[CABINET.key], [(left + x, top) for x in (0, 28, 56)], width=5, size=13)
        self.canvas.dashes((left, top + 31), (left + 56, top + 31), self._theme.ink, 2.5, 7)

    # Dead heats

    def dead_heats(self) -> None:
        canvas, left, top = self.canvas, self.BARS_LEFT, self.BARS_TOP
        canvas.words("Dead heats given to the left seat", (left, top), self._caption)
        for number, kind in enumerate(DRAWN):
            look, y = self._looks[kind.key], top + 48 + number * self.BARS_APART
            share = self._found.tally.of(kind.key, [DEAD_HEAT]).given_to_a_share
            canvas.mark(look.mark, (left + 8, y), 14, look.colour)
            canvas.words(kind.title, (left + 28, y), self._text)
            ground = mixed(self._theme.felt, self._theme.muted, 0.12)
            canvas.box((left, y + 18, self.BARS_WIDTH, 26), ground)
            canvas.box((left, y + 18, self.BARS_WIDTH * share, 26), look.colour)
            canvas.words(percent(share), (left + 8, y + 31), Lettering(19, self._theme.spades))
            middle = left + self.BARS_WIDTH / 2
            canvas.dashes((middle, y + 14), (middle, y + 48), self._theme.felt_edge, 2)
        bottom = top + 48 + self.BARS_APART * (len(DRAWN) - 1) + 64
        canvas.words("half", (left + self.BARS_WIDTH / 2, bottom), self._quiet, "middle")
