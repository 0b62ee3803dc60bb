"""The geometry of the table: nothing overlaps, everything is on the screen, and all of it can be read."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabinet.engine.rules import ARCADE, rules_from_options
from cabinet.engine.table import PILE_NAMES, SEATS
from display.layout import (
    MOST_BENEATH,
    PILE_SCALE,
    SMALLEST,
    SMALLEST_TEXT,
    SPIT_SHAPE,
    Box,
    Layout,
    TableShape,
    layout_for,
    shape_of,
)

SIZES = [(1_024, 768), (1_280, 720), (1_280, 800), (1_280, 1_024), (1_920, 1_080), (1_920, 1_200), (2_560, 1_440)]

sizes = st.tuples(st.integers(SMALLEST[0], 3_840), st.integers(SMALLEST[1], 2_160))
SHAPES = {
    "spit": SPIT_SHAPE,
    "four piles": TableShape(piles=4),
    "points": TableShape(is_scored=True),
    "stacks": TableShape(is_fanned=True, is_scored=True),
    "speed": TableShape(game="speed", is_scored=True),
}
shapes = st.sampled_from(list(SHAPES.values()))


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
@pytest.mark.parametrize("shape", SHAPES.values(), ids=list(SHAPES))
def test_nothing_overlaps_at_the_usual_sizes(size: tuple[int, int], shape: TableShape) -> None:
    check_boxes(layout_for(*size, shape))


@given(sizes, shapes)
def test_nothing_overlaps_at_any_size(size: tuple[int, int], shape: TableShape) -> None:
    check_boxes(layout_for(*size, shape))


@given(sizes, shapes)
def test_the_two_halves_are_mirrored_but_for_the_order_of_the_piles(
    size: tuple[int, int], shape: TableShape
) -> None:
    layout = layout_for(*size, shape)
    for left, right in zip(layout.a.stock, reversed(layout.b.stock), strict=True):
        assert (left.y, left.w, left.x) == (right.y, right.w, layout.width - right.right)
    for seat in SEATS:
        columns = [box.x for box in layout.seat(seat).stock]
        assert columns == sorted(columns), "stock 1 is the leftmost for both players"


@given(sizes, shapes)
def test_every_stock_pile_lies_exactly_above_its_button(size: tuple[int, int], shape: TableShape) -> None:
    layout = layout_for(*size, shape)
    for seat in SEATS:
        half = layout.seat(seat)
        assert len(half.stock) == len(half.buttons) == shape.piles
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


@given(sizes)
def test_each_side_pile_lies_outside_beside_its_centre_pile_and_as_high_as_the_draw_pile(
    size: tuple[int, int],
) -> None:
    layout = layout_for(*size, SHAPES["speed"])
    for seat, name, outwards in (("a", "left", -1), ("b", "right", 1)):
        half, pile = layout.seat(seat), layout.pile(name)  # type: ignore[arg-type]
        assert half.side is not None
        assert half.side == layout.side_pile(name)  # type: ignore[arg-type]
        assert (half.side.y, half.side.h) == (half.spit.y, half.spit.h)
        way = (half.side.centre[0] - pile.centre[0]) * outwards
        assert pile.w // 2 + half.side.w // 2 <= way < pile.w // 2 + half.side.w, "next to it"
    assert layout_for(*size).side_pile("left") is None, "Spit has none"


@given(sizes)
def test_open_cards_beneath_a_top_can_be_read_and_leave_the_message_free(size: tuple[int, int]) -> None:
    layout = layout_for(*size, SHAPES["stacks"])
    corner = round(layout.card[1] * 0.105) + round(layout.card[1] * 0.125 * 0.727) // 2
    assert layout.fan(1) >= corner - 1, "rank and suit in the corner of the card beneath"
    highest = layout.a.stock[0].y - layout.stock_rise(5) - layout.fan(MOST_BENEATH)
    assert highest >= layout.a.message.bottom
    assert layout.a.message.h > layout.px(300)


def test_a_games_table_has_the_shape_that_its_rules_need() -> None:
    assert shape_of(ARCADE) == SPIT_SHAPE
    assert shape_of(rules_from_options("spit", "arcade", {"stock": 4})).piles == 4
    assert shape_of(rules_from_options("spit", "arcade", {"score": "points"})).is_scored
    assert shape_of(rules_from_options("spit", "arcade", {"stack_equal": True})).is_fanned
    speed = shape_of(rules_from_options("speed", "arcade", {"stock": 4, "stack_equal": True}))
    assert speed == SHAPES["speed"], "options of the other game do nothing"
    assert shape_of(ARCADE, piles=4).piles == 4


@pytest.mark.parametrize("size", [(1_023, 768), (1_280, 719), (0, 0)])
def test_a_picture_that_is_too_small_is_refused_in_one_line(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="too small; at least 1024×720"):
        layout_for(*size)
