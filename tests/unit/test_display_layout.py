"""The geometry of the table: nothing overlaps, everything is on the screen, and all of it can be read."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabinet.engine.table import PILE_NAMES, SEATS
from display.layout import PILE_SCALE, SMALLEST, SMALLEST_TEXT, Box, Layout, layout_for

SIZES = [(1_024, 768), (1_280, 720), (1_280, 800), (1_280, 1_024), (1_920, 1_080), (1_920, 1_200), (2_560, 1_440)]

sizes = st.tuples(st.integers(SMALLEST[0], 3_840), st.integers(SMALLEST[1], 2_160))
piles = st.sampled_from([5, 4])


def check_boxes(layout: Layout) -> None:
    screen = Box(0, 0, layout.width, layout.height)
    boxes = layout.fixed_boxes()
    for name, box in boxes.items():
        assert box.within(screen), name
        assert box.w > 0, name
        assert box.h > 0, name
    for (name, box), (other_name, other) in itertools.combinations(boxes.items(), 2):
        assert not box.overlaps(other), f"{name} {box} overlaps {other_name} {other}"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("stock_piles", [5, 4])
def test_nothing_overlaps_at_the_usual_sizes(size: tuple[int, int], stock_piles: int) -> None:
    check_boxes(layout_for(*size, stock_piles))


@given(sizes, piles)
def test_nothing_overlaps_at_any_size(size: tuple[int, int], stock_piles: int) -> None:
    check_boxes(layout_for(*size, stock_piles))


@given(sizes, piles)
def test_the_two_halves_are_mirrored_but_for_the_order_of_the_piles(
    size: tuple[int, int], stock_piles: int
) -> None:
    layout = layout_for(*size, stock_piles)
    for left, right in zip(layout.a.stock, reversed(layout.b.stock), strict=True):
        assert (left.y, left.w, left.x) == (right.y, right.w, layout.width - right.right)
    for seat in SEATS:
        columns = [box.x for box in layout.seat(seat).stock]
        assert columns == sorted(columns), "stock 1 is the leftmost for both players"


@given(sizes, piles)
def test_every_stock_pile_lies_exactly_above_its_button(size: tuple[int, int], stock_piles: int) -> None:
    layout = layout_for(*size, stock_piles)
    for seat in SEATS:
        half = layout.seat(seat)
        assert len(half.stock) == len(half.buttons) == stock_piles
        for stock, button in zip(half.stock, half.buttons, strict=True):
            assert abs(stock.centre[0] - button.centre[0]) <= 1
            assert button.y >= stock.bottom


@given(sizes)
def test_centre_piles_are_1_4_times_the_stock_cards(size: tuple[int, int]) -> None:
    layout = layout_for(*size)
    assert layout.big_card[1] == pytest.approx(layout.card[1] * PILE_SCALE, abs=1)
    for name in PILE_NAMES:
        assert (layout.pile(name).w, layout.pile(name).h) == layout.big_card


def test_a_rank_is_at_least_110_pixels_high_at_1080p() -> None:
    assert layout_for(1_920, 1_080).card[1] * 0.5 >= 110


@given(sizes, st.integers(36, 300))
def test_no_words_are_smaller_than_36_pixels_at_1080p_or_24_anywhere(size: tuple[int, int], px: int) -> None:
    layout = layout_for(*size)
    assert layout.text_px(px) >= SMALLEST_TEXT
    if layout.unit >= 1:
        assert layout.text_px(px) >= 36


@given(sizes)
def test_pile_heights_can_be_counted_up_to_five_and_compared_beyond(size: tuple[int, int]) -> None:
    layout = layout_for(*size)
    rises = [layout.pile_rise(cards) for cards in range(53)]
    steps = [above - below for below, above in itertools.pairwise(rises[1:7])]
    assert rises[0] == rises[1] == 0
    assert min(steps) >= 3, "up to five cards more, each edge is seen on its own"
    assert all(later >= earlier for earlier, later in itertools.pairwise(rises))
    assert all(rises[cards + 3] > rises[cards] for cards in range(1, 50)), "three cards more are always seen"


@pytest.mark.parametrize("size", [(1_023, 768), (1_280, 719), (0, 0)])
def test_a_picture_that_is_too_small_is_refused_in_one_line(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="too small; at least 1024×720"):
        layout_for(*size)
