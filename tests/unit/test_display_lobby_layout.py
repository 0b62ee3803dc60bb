"""The geometry of the lobby: nothing overlaps, everything is on the screen, both seats alike."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabinet.engine.table import SEATS
from display.layout import SMALLEST, Box, layout_for
from display.lobby_layout import LobbyLayout, lobby_layout

SIZES = [(1_024, 768), (1_280, 720), (1_280, 1_024), (1_920, 1_080), (1_920, 1_200), (2_560, 1_440)]

sizes = st.tuples(st.integers(SMALLEST[0], 3_840), st.integers(SMALLEST[1], 2_160))


def check(lobby: LobbyLayout, size: tuple[int, int]) -> None:
    boxes, screen = lobby.boxes(), Box(0, 0, *size)
    assert len(boxes) == 7 + 2 * 5
    for name, box in boxes.items():
        assert box.within(screen), f"{name} {box}"
        assert box.w > 0, name
        assert box.h > 0, name
    for (name, box), (other_name, other) in itertools.combinations(boxes.items(), 2):
        assert not box.overlaps(other), f"{name} {box} overlaps {other_name} {other}"


@pytest.mark.parametrize("size", SIZES)
def test_nothing_overlaps_at_the_usual_sizes(size: tuple[int, int]) -> None:
    check(lobby_layout(layout_for(*size)), size)


@given(sizes)
def test_nothing_overlaps_at_any_size(size: tuple[int, int]) -> None:
    check(lobby_layout(layout_for(*size)), size)


@given(sizes)
def test_the_seats_are_mirrored_and_the_game_stands_between_them(size: tuple[int, int]) -> None:
    lobby = lobby_layout(layout_for(*size))
    for part in lobby.a.__struct_fields__:
        a, b = getattr(lobby.a, part), getattr(lobby.b, part)
        assert (a.y, a.w, a.h, a.x) == (b.y, b.w, b.h, size[0] - b.right)
    for seat in SEATS:
        assert not lobby.seat(seat).sign.overlaps(lobby.picture)
    assert abs(lobby.picture.centre[0] - size[0] // 2) <= 1
    assert lobby.previous.right <= lobby.picture.x
    assert lobby.following.x >= lobby.picture.right


@given(sizes)
def test_the_picture_of_the_rules_is_large_enough_to_be_seen(size: tuple[int, int]) -> None:
    layout = layout_for(*size)
    picture = lobby_layout(layout).picture
    assert picture.h >= layout.px(500)
    assert picture.w >= layout.px(690)
