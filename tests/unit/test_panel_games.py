"""HOUSE.md, "The panel": the rows for Speed, manual turning and drawing, stacking, choices and four piles."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Action, Choose, Draw, Move, Play, Slap, Spit, Turn
from cabinet.engine.match import Match
from cabinet.engine.table import Seat, View
from cabinet.engine.view import view_of
from cabinet.panel import ARMED_FOR_NS, SPACE_RESTS_NS, Button, Meaning, Panel, Pressed, Tap, meaning, taps_for
from tests.tables import SLAP, SPEED, SPEED_STUCK, match_with

MS = 1_000_000


class Hand:
    """One seat's hand at a panel that remembers."""

    def __init__(self, match: Match, seat: Seat = "a") -> None:
        self.match, self.seat = match, seat
        self.panel = Panel().seeing(self.view)

    @property
    def view(self) -> View:
        return view_of(self.match, self.seat)

    def press(self, button: Button, *, spit_held: bool = False, after_ms: int = 1_000) -> Meaning:
        self.match = judge.advance(self.match, self.match.now_ns + after_ms * MS).match
        pressed = Pressed(self.seat, button, spit_held)
        meant = meaning(self.panel.seeing(self.view), pressed, self.view, "side_by_side")
        self.panel = meant.panel
        if meant.action is not None:
            self.match = judge.press(self.match, self.seat, meant.action, self.match.now_ns).match
            self.panel = self.panel.seeing(self.view)
        return meant

    def action(self, button: Button, **how: Any) -> Action | None:
        return self.press(button, **how).action


def speed(table: dict[str, Any] = SPEED, **rules: Any) -> Match:
    return match_with(table, game="speed", **rules)


# Speed


def test_in_speed_a_stock_button_plays_the_card_in_its_slot() -> None:
    assert Hand(speed()).action("1") == Play(1, None)
    assert Hand(speed(), "b").action("1") == Play(1, None)


def test_an_option_of_spit_stacks_nothing_in_speed() -> None:
    """CLARIFICATIONS.md C28: equal ranks in a hand are armed for no move, which Speed does not have."""
    equal = {**SPEED, "a": {"hand": ["9D", "9S", "KD", "2C", "JH"], "draw": ["10*??"]}}
    hand = Hand(speed(equal, stack_equal=True))
    assert [hand.action("1"), hand.action("2")] == [Play(1, None), Play(2, None)]


def test_with_spit_held_a_card_that_fits_both_goes_to_the_other_pile() -> None:
    both = {**SPEED, "a": {"hand": ["6S", "9D", "KD", "2C", "JH"], "draw": ["10*??"]}, "right": ["7D"]}
    assert Hand(speed(both)).action("1", spit_held=True) == Play(1, "right")
    assert Hand(speed()).action("1", spit_held=True) == Play(1, None)


def test_with_manual_drawing_an_empty_slot_draws_at_once() -> None:
    hand = Hand(speed(draw="manual"))
    hand.press("1")
    assert hand.view.a.stock[0].size == 0
    assert hand.action("1", after_ms=60) == Draw()
    assert str(hand.view.a.stock[0].top) == "2H"


EMPTY_DRAW = {
    **SPEED,
    "a": {"hand": ["6S", "9D", None, None, None], "draw": []},
    "side": {"left": ["14*??"], "right": ["14*??"]},
}
"""a has two cards left and nothing to draw; 6S goes on 5H."""
EMPTY_DRAW["b"] = {"hand": ["4D", "8S", "TS", "TC", "3H"], "draw": ["15*??"]}


def test_an_empty_slot_with_nothing_to_draw_is_a_miss_but_not_at_once() -> None:
    hand = Hand(speed(EMPTY_DRAW))
    assert hand.action("3", after_ms=10) is None, "the table has just been set"
    assert hand.action("3", after_ms=SPACE_RESTS_NS // MS) == Play(3)
    assert hand.match.hand_a.misses == 1


def test_stuck_in_speed_spit_calls_and_both_cards_slide() -> None:
    match = speed(SPEED_STUCK)
    assert view_of(match).is_stuck
    assert Hand(match).action("spit") == Spit()


def test_the_panel_reads_a_hidden_hand_of_its_own_seat() -> None:
    assert Hand(speed(draw="manual", hands="hidden")).action("1") == Play(1, None)


# Stacking


STACK: dict[str, Any] = {
    "a": {"stock": [["KS"], ["??", "KC"], ["JC"], ["3H"], []], "spit": ["5*??"]},
    "b": {"stock": [["KD"], ["7H"], ["JS"], ["3S"], ["9D"]], "spit": ["5*??"]},
    "left": ["15*??", "5H"],
    "right": ["15*??", "5C"],
}


def test_a_card_that_fits_nowhere_is_armed_and_goes_on_its_equal() -> None:
    hand = Hand(match_with(STACK, stack_equal=True))
    armed = hand.press("2")
    assert armed.action is None
    assert armed.waits
    assert hand.panel.armed_stock("a", hand.match.now_ns) == 2
    assert hand.action("1") == Move(2, 1)
    assert [str(card) for card in hand.view.a.stock[0].beneath] == ["KS"]
    assert hand.view.a.stock[1].top is not None


def test_an_armed_card_may_go_into_a_space() -> None:
    hand = Hand(match_with(STACK, stack_equal=True))
    hand.press("2")
    assert hand.action("5") == Move(2, 5)


def test_an_armed_card_is_let_go_by_its_own_button_by_spit_and_after_a_while() -> None:
    for lets_go in ("2", "spit"):
        hand = Hand(match_with(STACK, stack_equal=True))
        hand.press("2")
        hand.press("2" if lets_go == "2" else "spit", after_ms=100)
        assert hand.panel.armed_stock("a", hand.match.now_ns) is None
    hand = Hand(match_with(STACK, stack_equal=True))
    hand.press("2")
    assert hand.press("1", after_ms=ARMED_FOR_NS // MS).waits, "the first has expired, so the king of 1 is armed"


def test_another_card_than_an_equal_is_pressed_for_itself() -> None:
    table = {**STACK, "a": {"stock": [["KS"], ["??", "KC"], ["6C"], ["3H"], []], "spit": ["5*??"]}}
    hand = Hand(match_with(table, stack_equal=True))
    hand.press("2")
    assert hand.action("3") == Play(3, None)


def test_without_the_option_or_an_equal_a_card_that_fits_nowhere_is_a_miss() -> None:
    assert Hand(match_with(STACK)).action("2") == Play(2, None)
    assert Hand(match_with(STACK, stack_equal=True)).action("3") == Play(3, None)


def test_a_card_that_fits_is_played_even_if_it_could_be_stacked() -> None:
    table = {**STACK, "left": ["15*??", "QH"]}
    assert Hand(match_with(table, stack_equal=True)).action("1") == Play(1, None)


def test_the_armed_card_is_forgotten_when_it_is_no_longer_on_top() -> None:
    hand = Hand(match_with(STACK, stack_equal=True))
    hand.press("2")
    moved = judge.press(hand.match, "a", Move(2, 5), hand.match.now_ns + 100 * MS).match
    assert hand.panel.seeing(view_of(moved)).hand("a").armed is None


def test_the_taps_of_a_stacking_are_the_card_then_the_pile() -> None:
    view = view_of(match_with(STACK, stack_equal=True))
    assert taps_for(Move(2, 1), "a", view) == (Tap("2"), Tap("1"))
    assert taps_for(Move(2, 5), "a", view) == (Tap("5"), Tap("2"))


def test_the_taps_of_a_draw_are_the_lowest_empty_slot() -> None:
    hand = Hand(speed(draw="manual"))
    hand.press("3")
    assert taps_for(Draw(), "a", hand.view) == (Tap("3"),)


# Turning by hand, choices, four piles


def test_with_manual_turning_a_face_down_top_is_turned() -> None:
    table = {**STACK, "a": {"stock": [["KS"], ["??"], ["JC"], ["3H"], []], "spit": ["6*??"]}}
    hand = Hand(match_with(table, turn="manual"))
    assert hand.action("2") == Turn(2)
    assert hand.view.a.stock[1].top is not None


def test_a_choice_is_made_with_the_outer_buttons() -> None:
    match = match_with({**SLAP, "phase": "choose"}, slap="winner")
    assert [Hand(match).action(button) for button in ("1", "3", "5", "spit")] == [
        Choose("left"),
        None,
        Choose("right"),
        None,
    ]


def test_with_four_piles_1_and_2_are_left_and_3_and_4_right() -> None:
    table = {**SLAP, "a": {"stock": [[], [], [], []], "spit": []}}
    table["b"] = {"stock": [["4D"], ["??", "KD"], [], []], "spit": []}
    match = match_with(table, stock=4)
    named = [Hand(match).action(button) for button in ("1", "2", "3", "4", "5")]
    assert named == [Slap("left"), Slap("left"), Slap("right"), Slap("right"), None]


def test_the_fifth_button_means_nothing_with_four_piles_in_play() -> None:
    table = {
        "a": {"stock": [["8H"], ["3D"], ["??", "5D"], []], "spit": ["5*??"]},
        "b": {"stock": [["9S"], ["??", "KC"], [], []], "spit": ["5*??"]},
        "left": ["16*??", "7C"],
        "right": ["17*??", "2S"],
    }
    assert Hand(replace(match_with(table, stock=4))).action("5") is None
