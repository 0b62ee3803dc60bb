"""The picture shows every path, this cabinet's line where its figures lie, and colours that all can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import dist
from pathlib import Path

import pygame
import pytest
from msgspec.structs import replace

from cabinet.bench.fairness import picture
from cabinet.bench.fairness.result import Fairness
from cabinet.show import PictureError
from display.theme import LAMPS, Colour
from tests.fairness_found import COUNTS, FOUND, counts

Matrix = tuple[tuple[float, float, float], ...]


def drawn(found: Fairness, path: Path) -> pygame.Surface:
    picture.write_picture(found, path)
    return pygame.image.load(path)


def pixels(surface: pygame.Surface, colour: Colour, xs: range, ys: range) -> int:
    """How many have that colour."""
    return sum(surface.get_at((x, y))[:3] == colour for x in xs for y in ys)


def test_the_picture_has_every_path_s_colour_and_mark(tmp_path: Path) -> None:
    surface = drawn(FOUND, tmp_path / "fairness.png")
    assert surface.get_size() == picture.SIZE
    looks = picture.looks(LAMPS)
    assert list(looks) == [kind.key for kind in picture.DRAWN]
    assert len({look.mark for look in looks.values()}) == len(looks)
    for look in looks.values():
        assert pixels(surface, look.colour, range(0, 1_200, 2), range(0, 820, 2)) > 50


SEEN_BY: dict[str, Matrix] = {
    "everybody": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "who has no red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "who has no green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "who has no blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
"""Linear red, green and blue as they are seen (Machado, Oliveira and Fernandes 2009)."""
TO_XYZ: Matrix = ((0.434, 0.376, 0.190), (0.2126, 0.7152, 0.0722), (0.018, 0.109, 0.873))
"""From linear red, green and blue to X, Y and Z, where white is 1."""


def times(matrix: Matrix, values: Sequence[float]) -> list[float]:
    return [sum(factor * value for factor, value in zip(row, values, strict=True)) for row in matrix]


def lab(colour: Colour, seen: Matrix) -> tuple[float, float, float]:
    linear = [((value / 255 + 0.055) / 1.055) ** 2.4 if value > 10 else value / 255 / 12.92 for value in colour]
    x, y, z = (max(0.0, value) ** (1 / 3) for value in times(TO_XYZ, times(seen, linear)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("seen_by", SEEN_BY)
def test_the_colours_differ_for(seen_by: str) -> None:
    seen = [lab(look.colour, SEEN_BY[seen_by]) for look in picture.looks(LAMPS).values()]
    assert min(dist(one, other) for one, other in combinations(seen, 2)) > 24


def test_this_cabinets_line_lies_at_nothing_where_it_was_right_and_nowhere_else(tmp_path: Path) -> None:
    at_nothing, chart = range(610, 622), range(190, 600)
    right = drawn(FOUND, tmp_path / "right.png")
    wrong = {key: replace(count, wrong=300) if "told_apart" in key else count for key, count in COUNTS.items()}
    also_wrong = drawn(replace(FOUND, tally=replace(FOUND.tally, counts=wrong)), tmp_path / "wrong.png")
    columns = range(150, 700)
    assert pixels(right, LAMPS.ink, columns, at_nothing) > 4 * len(columns)
    assert pixels(also_wrong, LAMPS.ink, columns, at_nothing) == 0
    assert pixels(also_wrong, LAMPS.ink, columns, chart) > 4 * len(columns)


def test_a_longer_bar_is_drawn_for_a_favoured_seat(tmp_path: Path) -> None:
    def length(found: Fairness) -> int:
        return pixels(drawn(found, tmp_path / "x.png"), picture.RED, range(806, 1_160), range(300, 301))

    fair = replace(FOUND, tally=replace(FOUND.tally, counts={**COUNTS, **counts("frame_polling", 50)}))
    assert length(FOUND) > length(fair) * 1.5


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="could not be written"):
        picture.write_picture(FOUND, tmp_path / "none" / "x.png")
