"""HOUSE.md, "The panel": what each button means when, row by row of its table, and the inverse."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Action, Choose, Move, Play, Ready, Slap, Spit, Turn
from cabinet.engine.match import new_match
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import Seat, View
from cabinet.engine.view import view_of
from cabinet.panel import (
    ARMED_FOR_NS,
    LONE_SPIT_RESTS_NS,
    SPACE_RESTS_NS,
    Button,
    Layout,
    Meaning,
    Panel,
    Pressed,
    Tap,
    line_of,
    meaning,
    place_of,
    taps_for,
)
from tests.tables import LONE, PLAIN, SLAP, STUCK, match_with, view_with

MS = 1_000_000
ALL_BUTTONS: tuple[Button, ...] = ("1", "2", "3", "4", "5", "spit")


def at(view: View, now_ns: int) -> View:
    return replace(view, now_ns=now_ns)


def press(
    view: View, button: Button, seat: Seat = "a", spit_held: bool = False, panel: Panel | None = None
) -> Meaning:
    panel = panel or Panel().seeing(view)
    return meaning(panel, Pressed(seat, button, spit_held), view, "side_by_side")


def action(view: View, button: Button, seat: Seat = "a", spit_held: bool = False) -> Action | None:
    return press(view, button, seat, spit_held).action


# ready, beats


def test_ready_start_says_ready_and_stock_buttons_mean_nothing() -> None:
    view = view_of(new_match(ARCADE, Random(1)))
    assert action(view, "spit") == Ready()
    assert [action(view, button) for button in ALL_BUTTONS[:5]] == [None] * 5


def test_in_a_beat_nothing_means_anything() -> None:
    match = match_with(STUCK)
    for seat in ("a", "b"):
        match = judge.press(match, seat, Spit(), 1_000 * MS).match
    view = view_of(match)
    assert view.beat is not None
    assert [action(view, button) for button in ALL_BUTTONS] == [None] * 6


# play


def test_a_stock_button_plays_and_names_no_pile() -> None:
    assert action(view_with(PLAIN), "1") == Play(1, None)


BOTH_FIT = {
    **PLAIN,
    "a": {"stock": [["6S"], ["KD"], ["??", "5D"], [], []], "spit": ["5*??"]},
    "left": ["16*??", "5C"],
    "right": ["17*??", "5H"],
}


def test_spit_held_names_the_other_pile_when_both_fit() -> None:
    view = view_with(BOTH_FIT)
    assert action(view, "1") == Play(1, None)
    assert action(view, "1", spit_held=True) == Play(1, "right")


def test_spit_held_names_b_the_other_pile_too() -> None:
    mirrored = {**BOTH_FIT, "a": BOTH_FIT["b"], "b": BOTH_FIT["a"]}
    assert action(view_with(mirrored), "1", "b", spit_held=True) == Play(1, "left")


def test_spit_held_changes_nothing_when_only_one_pile_fits() -> None:
    assert action(view_with(PLAIN), "1", spit_held=True) == Play(1, None)


def test_spit_pressed_while_not_stuck_waits_for_a_stock_button() -> None:
    meant = press(view_with(PLAIN), "spit")
    assert (meant.action, meant.waits) == (None, True)


def test_a_face_down_top_is_turned() -> None:
    table = {**PLAIN, "a": {"stock": [["8H"], ["3D"], ["??", "(5D)"], [], []], "spit": ["5*??"]}}
    assert action(view_with(table, turn="manual"), "3") == Turn(3)


def test_a_pile_button_held_names_the_pile() -> None:
    view = view_with(PLAIN)
    for pile in ("left", "right"):
        held = Pressed("b", "1", pile_held=pile)
        assert meaning(Panel(), held, view, "side_by_side").action == Play(1, pile)
    assert meaning(Panel(), Pressed("b", "1", pile_held="left"), view, "face_to_face").action == Play(1, "right")


def test_a_pile_button_alone_waits_in_play_and_counts_in_slaps_and_choices() -> None:
    assert press(view_with(PLAIN), "left").waits
    assert action(view_with(SLAP), "right") == Slap("right")
    assert action(at(view_with(LONE), LONE_SPIT_RESTS_NS), "left", "b") == Spit("left")


# spaces


def test_an_old_space_is_armed_and_then_a_stock_button_moves_its_top_there() -> None:
    view = view_with(PLAIN)
    panel = Panel().seeing(view)
    armed = press(at(view, SPACE_RESTS_NS), "4", panel=panel)
    assert (armed.action, armed.waits) == (None, True)
    assert armed.panel.armed_stock("a", SPACE_RESTS_NS) == 4
    moved = press(at(view, SPACE_RESTS_NS + 500 * MS), "3", panel=armed.panel)
    assert moved.action == Move(3, 4)
    assert moved.panel.armed_stock("a", SPACE_RESTS_NS + 500 * MS) is None


def test_a_young_space_means_nothing() -> None:
    view = view_with(PLAIN)
    panel = Panel().seeing(view)
    meant = press(at(view, SPACE_RESTS_NS - 1), "4", panel=panel)
    assert (meant.action, meant.waits) == (None, False)


def test_a_space_is_as_old_as_the_play_that_emptied_it() -> None:
    view = view_with(PLAIN)
    panel = Panel().seeing(view)
    after = replace(view, a=replace(view.a, stock=(replace(view.a.stock[0], size=0, top=None), *view.a.stock[1:])))
    panel = panel.seeing(at(after, 1_000 * MS))
    young = press(at(after, 1_000 * MS + SPACE_RESTS_NS - 1), "1", panel=panel)
    old = press(at(after, 1_000 * MS + SPACE_RESTS_NS), "1", panel=panel)
    assert (young.waits, old.waits) == (False, True)


NOTHING_TO_MOVE = {
    **PLAIN,
    "a": {"stock": [["8H"], ["3D"], ["5D"], [], []], "spit": ["6*??"]},
}


def test_a_space_with_nothing_to_move_is_a_miss() -> None:
    view = view_with(NOTHING_TO_MOVE)
    panel = Panel().seeing(view)
    assert press(at(view, SPACE_RESTS_NS), "4", panel=panel).action == Play(4)


@pytest.mark.parametrize("button", ["4", "spit"])
def test_the_same_button_or_spit_ends_an_armed_space(button: Button) -> None:
    view = at(view_with(PLAIN), SPACE_RESTS_NS)
    armed = press(view, "4", panel=Panel().seeing(view_with(PLAIN))).panel
    assert press(view, button, panel=armed).panel.armed_stock("a", view.now_ns) is None


def test_an_armed_space_ends_after_its_time() -> None:
    view = at(view_with(PLAIN), SPACE_RESTS_NS)
    armed = press(view, "4", panel=Panel().seeing(view_with(PLAIN))).panel
    assert armed.armed_stock("a", SPACE_RESTS_NS + ARMED_FOR_NS - 1) == 4
    assert armed.armed_stock("a", SPACE_RESTS_NS + ARMED_FOR_NS) is None
    late = at(view, SPACE_RESTS_NS + ARMED_FOR_NS)
    assert press(late, "1", panel=armed).action == Play(1, None)


def test_an_armed_space_ends_with_the_phase() -> None:
    view = at(view_with(PLAIN), SPACE_RESTS_NS)
    armed = press(view, "4", panel=Panel().seeing(view_with(PLAIN))).panel
    assert armed.seeing(view_with(SLAP)).armed_stock("a", SPACE_RESTS_NS) is None


def test_the_other_seat_is_not_armed() -> None:
    view = at(view_with(PLAIN), SPACE_RESTS_NS)
    armed = press(view, "4", panel=Panel().seeing(view_with(PLAIN))).panel
    assert armed.armed_stock("b", SPACE_RESTS_NS) is None


# stuck


def test_stuck_spit_calls() -> None:
    view = view_with(STUCK)
    assert action(view, "spit", "a") == Spit()
    assert action(view, "spit", "b") == Spit()


@pytest.mark.parametrize(
    ("button", "wanted"),
    [("1", Spit("left")), ("2", Spit("left")), ("3", None), ("4", Spit("right")), ("5", Spit("right"))],
)
def test_a_lone_spitter_names_the_pile_with_a_stock_button(button: Button, wanted: Action | None) -> None:
    view = at(view_with(LONE), LONE_SPIT_RESTS_NS)
    assert action(view, button, "b") == wanted


def test_a_lone_spitter_takes_the_own_side_with_spit() -> None:
    assert action(at(view_with(LONE), LONE_SPIT_RESTS_NS), "spit", "b") == Spit("right")


def test_right_after_the_announcement_a_lone_spitters_buttons_mean_nothing() -> None:
    view = at(view_with(LONE), LONE_SPIT_RESTS_NS - 1)
    assert [action(view, button, "b") for button in ALL_BUTTONS] == [None] * 6


def test_a_tied_spitter_calls_at_once() -> None:
    view = view_with({**LONE, "lock": {"b": "left"}})
    assert action(view, "spit", "b") == Spit()


# slap and choice


@pytest.mark.parametrize(
    ("button", "wanted"),
    [("1", "left"), ("2", "left"), ("3", None), ("4", "right"), ("5", "right"), ("spit", None)],
)
def test_slaps_and_choices_are_left_and_right(button: Button, wanted: Any) -> None:
    slap = view_with(SLAP)
    choose = view_with({**SLAP, "phase": "choose"}, slap="winner")
    assert action(slap, button) == (Slap(wanted) if wanted else None)
    assert action(choose, button) == (Choose(wanted) if wanted else None)


def test_with_four_piles_one_and_two_are_left_three_and_four_right() -> None:
    four = {
        **SLAP,
        "a": {"stock": [[], [], [], []], "spit": []},
        "b": {"stock": [["4D"], ["??", "KD"], [], []], "spit": []},
    }
    view = view_with(four, stock=4)
    assert [action(view, button) for button in ALL_BUTTONS] == [
        Slap("left"),
        Slap("left"),
        Slap("right"),
        Slap("right"),
        None,
        None,
    ]


def test_face_to_face_left_is_each_players_own_left() -> None:
    view = view_with(SLAP)
    layout: Layout = "face_to_face"
    assert meaning(Panel(), Pressed("a", "1"), view, layout).action == Slap("left")
    assert meaning(Panel(), Pressed("b", "1"), view, layout).action == Slap("right")


def test_after_the_match_nothing_means_anything_on_the_table() -> None:
    over = replace(view_with(PLAIN), phase="over")
    assert [action(over, button) for button in ALL_BUTTONS] == [None] * 6


# The inverse


@pytest.mark.parametrize(
    ("table", "rules", "seat", "wanted"),
    [
        (PLAIN, {}, "a", Play(1, None)),
        (BOTH_FIT, {}, "a", Play(1, "right")),
        (STUCK, {}, "b", Spit()),
        (SLAP, {}, "a", Slap("left")),
        (SLAP, {}, "b", Slap("right")),
        ({**SLAP, "phase": "choose"}, {"slap": "winner"}, "a", Choose("right")),
    ],
)
@pytest.mark.parametrize("layout", ["side_by_side", "face_to_face"])
def test_the_taps_for_an_action_mean_that_action(
    table: dict[str, Any], rules: dict[str, Any], seat: Seat, wanted: Action, layout: Layout
) -> None:
    view = view_with(table, **rules)
    taps = taps_for(wanted, seat, view, layout)
    assert len(taps) == 1
    meant = meaning(Panel().seeing(view), Pressed(seat, taps[0].button, taps[0].with_spit), view, layout)
    assert meant.action == wanted


def test_a_lone_spit_is_said_in_either_layout() -> None:
    view = at(view_with(LONE), LONE_SPIT_RESTS_NS)
    for layout in ("side_by_side", "face_to_face"):
        for wanted in (Spit("left"), Spit("right")):
            (tap,) = taps_for(wanted, "b", view, layout)
            assert meaning(Panel(), Pressed("b", tap.button), view, layout).action == wanted


def test_a_move_takes_two_taps() -> None:
    view = at(view_with(PLAIN), SPACE_RESTS_NS)
    assert taps_for(Move(3, 5), "a", view) == (Tap("5"), Tap("3"))


def test_every_line_of_a_seat_has_its_place() -> None:
    assert place_of(line_of("b", "spit")) == ("b", "spit")
    assert place_of("coin") is None
