"""The picture of a proof: who is given a race, by its lead, and who is given a dead heat."""

from __future__ import annotations

from math import log10, sqrt
from pathlib import Path
from typing import Final

import msgspec
import pygame

from cabinet.bench.fairness.plot import Canvas, Lettering, Mark, Point
from cabinet.bench.fairness.result import Fairness, percent
from cabinet.bench.fairness.tally import DEAD_HEAT, LEADS, LEADS_US
from cabinet.bench.fairness.virtual import CABINET
from cabinet.bench.frames import picture
from cabinet.show import PictureError
from display.theme import LAMPS, Colour, Theme, mixed

SIZE: Final = (1_600, 900)
MOST_SHARE: Final = 0.6
"""The upper end of the scale of wrong decisions."""
TICKS: Final = ((1, "1 µs"), (10, "10 µs"), (100, "100 µs"), (1_000, "1 ms"), (10_000, "10 ms"))


class Look(msgspec.Struct, frozen=True):
    """How a path is drawn: by colour and by mark, so that colour alone tells nothing."""

    colour: Colour
    mark: Mark
    width: float = 3


def looks(theme: Theme) -> dict[str, Look]:
    """How each path is drawn, by its key; this project's in the colour of no seat."""
    return {
        CABINET.key: Look(theme.ink, "disc", 6),
        "frame_polling": Look(theme.warning, "square"),
        "rest_lgpio": Look(theme.seat_a, "triangle"),
        "rest_kernel": Look(mixed(theme.diamonds, theme.ink, 0.5), "diamond"),
        "lock_out": Look(mixed(theme.clubs, theme.ink, 0.1), "ring"),
        "host_receive": Look(mixed(theme.stack_line, theme.muted, 0.4), "cross"),
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
    return drawing.canvas.finished()


class _Drawing:
    """The parts of the picture, on one canvas."""

    LEFT, TOP, WIDTH, HEIGHT = 120, 215, 870, 570
    """Where the chart of wrong decisions lies."""
    BARS_LEFT, BARS_TOP, BARS_WIDTH, BARS_APART = 1_085, 172, 455, 100

    def __init__(self, found: Fairness, theme: Theme) -> None:
        self.canvas = Canvas(SIZE, theme.felt)
        self._found = found
        self._theme = theme
        self._looks = looks(theme)
        self._title = Lettering(40, theme.ink, "heavy")
        self._caption = Lettering(24, theme.ink)
        self._text = Lettering(20, theme.ink)
        self._quiet = Lettering(22, theme.muted)
        self._small = Lettering(18, theme.muted)

    def heading(self) -> None:
        self.canvas.words("WHO CLOSED THE CONTACT FIRST?", (60, 62), self._title)
        text = (
            f"{self._found.races:,} random races, the same for every way of reading two buttons: switches bounce, "
        )
        self.canvas.words(text + "edges come late, either seat is ahead", (60, 112), self._quiet)

    # By lead

    def wrong_by_lead(self) -> None:
        self.canvas.words("Races given to the wrong player", (60, 172), self._caption)
        self._grid()
        for kind in (*self._found.paths[1:], self._found.paths[0]):
            look = self._looks[kind.key]
            points = [(self._x(_middle_us(lead)), self._y(self._share(kind.key, lead))) for lead in LEADS]
            self.canvas.line(points, look.colour, look.width)
            for point in points:
                self.canvas.mark(look.mark, point, 2.5 * look.width if look.width < 5 else 12, look.colour)
        self._notes()

    def _share(self, key: str, lead: int) -> float:
        return self._found.tally.of(key, [lead]).wrong_share

    def _x(self, lead_us: float) -> float:
        first, last = log10(LEADS_US[0]), log10(LEADS_US[-1])
        return self.LEFT + self.WIDTH * (log10(lead_us) - first) / (last - first)

    def _y(self, share: float) -> float:
        return self.TOP + self.HEIGHT * (1 - share / MOST_SHARE)

    def _grid(self) -> None:
        canvas, right, bottom = self.canvas, self.LEFT + self.WIDTH, self.TOP + self.HEIGHT
        rule = mixed(self._theme.felt, self._theme.muted, 0.2)
        for tens in range(round(MOST_SHARE * 10) + 1):
            y = self._y(tens / 10)
            canvas.line([(self.LEFT, y), (right, y)], rule, 1)
            canvas.words(f"{tens * 10} %", (self.LEFT - 14, y), self._small, "right")
        for lead_us, text in TICKS:
            x = self._x(lead_us)
            canvas.line([(x, self.TOP), (x, bottom)], rule, 1)
            canvas.words(text, (x, bottom + 24), self._small, "middle")
        middle: Point = (self.LEFT + self.WIDTH / 2, bottom + 60)
        canvas.words("by how much the race was won", middle, self._text, "middle")

    def _notes(self) -> None:
        """What the line of this project means, in the free corner beneath it."""
        certain = self._found.certain()
        lines = (
            ("This cabinet", self._text),
            ("Closer than the errors of the", self._small),
            ("stamps (±100 µs each at most)", self._small),
            ("it is a dead heat: the token", self._small),
            ("decides, for both seats alike.", self._small),
            ("Told apart and in time:", self._text),
            (f"{certain.wrong:,} wrong of {certain.races:,}", self._text),
            ("What is left came too late.", self._small),
        )
        y = self.TOP + self.HEIGHT - 26 * len(lines)
        self.canvas.box((self.LEFT + 8, y - 16, 300, 26 * len(lines)), self._theme.felt)
        for number, (line, lettering) in enumerate(lines):
            self.canvas.words(line, (self.LEFT + 16, y + 26 * number), lettering)

    # Dead heats

    def dead_heats(self) -> None:
        canvas, left, top = self.canvas, self.BARS_LEFT, self.BARS_TOP
        canvas.words("Exact dead heats given to the left seat", (left, top), self._caption)
        for number, kind in enumerate(self._found.paths):
            look, y = self._looks[kind.key], top + 60 + number * self.BARS_APART
            share = self._found.tally.of(kind.key, [DEAD_HEAT]).given_to_a_share
            canvas.mark(look.mark, (left + 8, y), 15, look.colour)
            canvas.words(kind.title, (left + 30, y), self._text)
            ground = mixed(self._theme.felt, self._theme.muted, 0.12)
            canvas.box((left, y + 20, self.BARS_WIDTH, 26), ground)
            canvas.box((left, y + 20, self.BARS_WIDTH * share, 26), look.colour)
            canvas.words(percent(share), (left + 10, y + 33.5), Lettering(18, self._theme.spades))
            middle = left + self.BARS_WIDTH / 2
            canvas.dashes((middle, y + 21), (middle, y + 46), self._theme.felt_edge, 2)
        bottom = top + 70 + self.BARS_APART * (len(self._found.paths) - 1) + 58
        canvas.words("half", (left + self.BARS_WIDTH / 2, bottom), self._small, "middle")


def _middle_us(lead: int) -> float:
    return sqrt(LEADS_US[lead] * LEADS_US[lead + 1])
