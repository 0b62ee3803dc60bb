"""Speed at its table: dealt, drawn, stuck, refilled, dead (RULES.md 43-52; C25-C32)."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from cabinet.engine import judge, speed
from cabinet.engine.actions import (
    BecameStuck,
    CardsTurned,
    Dealt,
    Draw,
    Move,
    Play,
    Ready,
    Redrawn,
    Refilled,
    Spit,
)
from cabinet.engine.cards import PACK, Card
from cabinet.engine.match import Match, new_match
from cabinet.engine.rules import Rules, rules_from_options
from cabinet.engine.table import SEATS, SpeedSide, SpeedTable
from tests import by_the_book
from tests.drawn_matches import drawn_rules, drawn_table
from tests.invariants import all_cards
from tests.tables import SPEED, SPEED_STUCK, match_with

MS: Final = 1_000_000


def rules_with(**options: Any) -> Rules:
    return rules_from_options("speed", "table", options)


def table_of(match: Match) -> SpeedTable:
    assert isinstance(match.table, SpeedTable)
    return match.table


def cards(*texts: str) -> tuple[Card, ...]:
    return tuple(Card.parse(text) for text in texts)


# The deal (43, 44)


@pytest.mark.parametrize(("deal", "side"), [(15, 10), (20, 5)])
def test_both_deals_cut_the_pack_from_its_front(deal: int, side: int) -> None:
    table = speed.fresh_table(PACK, rules_with(deal=deal))
    zones = [*table.a.cards, *table.b.cards, *table.side_left, *table.side_right, *table.left, *table.right]
    assert tuple(zones) == PACK
    assert [len(each.cards) for each in (table.a, table.b)] == [deal, deal]
    assert [len(each.draw) for each in (table.a, table.b)] == [deal - 5, deal - 5]
    assert (len(table.side_left), len(table.side_right)) == (side, side)
    assert not table.is_turned


def test_both_singles_turn_in_one_step_after_the_beat() -> None:
    match = new_match(rules_from_options("speed", "arcade", {}), Random(2))
    for seat in SEATS:
        match = judge.press(match, seat, Ready(), 0).match
    assert not table_of(judge.advance(match, 1_800 * MS - 1).match).is_turned
    outcome = judge.advance(match, 1_800 * MS)
    (turned,) = (event for event in outcome.events if isinstance(event, CardsTurned))
    table = table_of(outcome.match)
    assert [(one.seat, one.pile, one.card) for one in turned.cards] == [
        ("a", "left", table.left[0]),
        ("b", "right", table.right[0]),
    ]
    assert (outcome.match.phase, table.is_turned) == ("play", True)


# The hand (45)


def test_a_played_card_is_replaced_in_its_own_slot_in_the_same_step() -> None:
    match = judge.press(match_with(SPEED, game="speed"), "a", Play(3, "right"), MS).match
    assert table_of(match).a.hand == cards("6S", "9D", "2H", "2C", "JH")


def test_the_last_cards_are_played_from_a_hand_that_gets_smaller() -> None:
    table = {**SPEED, "a": {"hand": ["6S", "9D", None, "2C", None], "draw": []}, "left": ["12*??", "5H"]}
    match = judge.press(match_with(table, game="speed"), "a", Play(1, "left"), MS).match
    assert table_of(match).a == SpeedSide((None, Card.parse("9D"), None, Card.parse("2C"), None), ())


@pytest.mark.parametrize("draw", ["auto", "manual"])
def test_a_hand_is_never_more_than_five(draw: str) -> None:
    assert judge.press(match_with(SPEED, game="speed", draw=draw), "a", Draw(), MS).refusal == "HAND_FULL"


def test_drawing_by_hand_fills_the_lowest_slot_with_the_next_card() -> None:
    table = {**SPEED, "a": {"hand": ["6S", None, "KD", None, "JH"], "draw": ["2H", "7H", "10*??"]}}
    match = match_with(table, game="speed", draw="manual", profile="table")
    for slot, drawn in ((2, "2H"), (4, "7H")):
        match = judge.press(match, "a", Draw(), match.now_ns + MS).match
        assert table_of(match).a.hand[slot - 1] == Card.parse(drawn)
    assert judge.press(match, "a", Draw(), match.now_ns + MS).refusal == "HAND_FULL"


def test_an_action_of_spit_is_no_action_of_speed() -> None:
    with pytest.raises(ValueError, match="Speed has no move"):
        judge.press(match_with(SPEED, game="speed"), "a", Move(1, 2), MS)


# Stuck (47)


def test_stuck_and_useful_actions_are_what_the_book_says() -> None:
    for seed in range(400):
        rng = Random(seed)
        rules = drawn_rules(rng, game="speed")
        table = drawn_table(rng, rules)
        assert isinstance(table, SpeedTable)
        can = by_the_book.somebody_can_go_on(table, rules)
        assert speed.is_stuck(table, rules) == (not can)
        useful = [(seat, action) for seat in SEATS for action in speed.useful_actions(table, rules, seat)]
        assert bool(useful) == can
        assert all(speed.refusal(table, rules, *one) is None for one in useful)


def test_both_calls_slide_both_cards_in_one_step() -> None:
    match = match_with(SPEED_STUCK, "table", game="speed")
    match = judge.press(match, "a", Spit(), MS).match
    assert table_of(match).left == cards("6D")
    outcome = judge.press(match, "b", Spit(), 2 * MS)
    (slid,) = (event for event in outcome.events if isinstance(event, CardsTurned))
    assert [str(one.card) for one in slid.cards] == ["QH", "2S"]
    assert outcome.match.stuck is None


# Refills (48)


@pytest.mark.parametrize("under", range(2, 40))
def test_a_refill_shares_all_cards_under_the_tops_whichever_pile_they_lay_on(under: int) -> None:
    for on_left in {0, under // 2, under}:
        middle = PACK[: under + 2]
        a, b = SpeedSide(PACK[-5:], ()), SpeedSide(PACK[-10:-5], PACK[under + 2 : -10])
        left, right = middle[: on_left + 1], middle[on_left + 1 :]
        before = SpeedTable(a, b, left, right, (), (), is_turned=True)
        after = speed.turn_cards(before, "spit", SEATS, None, Random(under))
        table = after.table
        assert isinstance(table, SpeedTable)
        assert after.is_refilled
        assert sorted(all_cards(table)) == list(PACK)
        assert len(table.side_left) == len(table.side_right) == under // 2 - 1
        assert table.left[-2:] == (left[-1], after.cards[0].card)
        assert table.right == (right[-1], after.cards[1].card)
        assert len(table.left) == 2 + under % 2


def test_the_refill_is_the_shuffle_that_is_written_down() -> None:
    """SCENARIOS.md: left's from bottom to top, then right's; shuffled; first half, second half, the odd one."""
    rest = PACK[9:]
    a, b = SpeedSide(rest[:5], rest[5:20]), SpeedSide(rest[20:25], rest[25:])
    before = SpeedTable(a, b, PACK[:4], PACK[4:9], (), (), is_turned=True)
    under = [*PACK[:3], *PACK[4:8]]
    Random(5).shuffle(under)
    after = speed.turn_cards(before, "spit", SEATS, None, Random(5)).table
    assert isinstance(after, SpeedTable)
    assert after.left == (under[6], PACK[3], under[2])
    assert after.right == (PACK[8], under[5])
    assert (after.side_left, after.side_right) == (tuple(under[:2]), tuple(under[3:5]))


def test_a_slide_from_side_piles_that_are_not_dry_shuffles_nothing() -> None:
    match = match_with(SPEED_STUCK, "table", game="speed")
    for number, seat in enumerate(SEATS):
        outcome = judge.press(match, seat, Spit(), number)
        match = outcome.match
    assert not any(isinstance(event, Refilled) for event in outcome.events)
    assert match.chance == match_with(SPEED_STUCK, "table", game="speed").chance


# Dead positions (49)

DEAD: Final[dict[str, Any]] = {
    "a": {"hand": ["AD", "2S", "KS", "AS", "AH"], "draw": ["3S", "QS", "3H", "QH", "3D"]},
    "b": {"hand": ["2D", "KH", "KD", "AC", "2H"], "draw": ["QD", "3C", "QC", "2C", "KC"]},
    "left": ["14*??", "7S"],
    "right": ["16*??", "9C"],
    "side": {"left": [], "right": []},
}


def test_dead_is_what_the_book_says() -> None:
    found = 0
    for seed in range(600):
        rng = Random(seed)
        rules = drawn_rules(rng, game="speed")
        table = drawn_table(rng, rules)
        assert isinstance(table, SpeedTable)
        assert speed.is_dead(table, rules) == by_the_book.is_dead(table, rules)
        found += by_the_book.is_dead(table, rules)
    assert found > 20


def test_a_dead_hand_is_redrawn_before_the_announcement_and_is_then_stuck_or_not() -> None:
    for seed in range(30):
        match = match_with({**DEAD, "seed": seed}, game="speed")
        table = table_of(match)
        assert not by_the_book.is_dead(table, match.rules)
        assert (match.stuck is None) == by_the_book.somebody_can_go_on(table, match.rules)
        for side, given in ((table.a, DEAD["a"]), (table.b, DEAD["b"])):
            assert sorted(side.cards) == sorted(cards(*given["hand"], *given["draw"]))
            assert (len(side.draw), side.hand.count(None)) == (5, 0)


def test_the_redraw_is_told_and_tells_no_card() -> None:
    table = {**DEAD, "left": ["(7S)"], "right": ["(9C)"], "phase": "ready"}
    table["side"] = {"left": ["15*??"], "right": ["15*??"]}
    match = match_with(table, "table", game="speed")
    for seat in SEATS:
        outcome = judge.press(match, seat, Ready(), MS)
        match = outcome.match
    kinds = [type(event) for event in outcome.events]
    assert kinds.index(CardsTurned) < kinds.index(Redrawn)
    assert kinds[-1] == (BecameStuck if match.stuck else Redrawn)


def test_nobody_is_dead_who_can_draw() -> None:
    table = {**DEAD, "a": {"hand": ["AD", "2S", "KS", "AS", None], "draw": ["AH", "3S", "QS", "3H", "QH", "3D"]}}
    match = match_with(table, game="speed", draw="manual")
    assert table_of(match).a.hand == (*cards("AD", "2S", "KS", "AS"), None)
    assert match.stuck is None


def test_a_card_that_would_fit_in_a_side_pile_or_beneath_a_top_is_no_dead_position() -> None:
    for zone in ("left", "side"):
        table = {**DEAD, "a": {**DEAD["a"], "draw": ["3S", "QS", "3H", "QH", "JH"]}}
        table |= {"left": ["3D", "13*??", "7S"]} if zone == "left" else {}
        if zone == "side":
            table |= {"left": ["12*??", "7S"], "side": {"left": ["3D"], "right": ["??"]}}
        match = match_with(table, game="speed")
        assert match.stuck is not None
        assert [str(card) for card in table_of(match).a.hand] == DEAD["a"]["hand"]


# The end of a round (50, 51)

LAST: Final[dict[str, Any]] = {
    "a": {"hand": [None, None, "6S", None, None], "draw": []},
    "b": {"hand": ["7C", "TS", "TC", "3H", None], "draw": []},
    "left": ["37*??", "5H"],
    "right": ["4*??", "5C"],
    "side": {"left": ["2*??"], "right": ["2*??"]},
}


def test_hand_and_draw_pile_empty_wins_the_round_at_once_and_the_pack_is_dealt_afresh() -> None:
    outcome = judge.press(match_with(LAST, game="speed"), "a", Play(3, "left"), MS)
    match = outcome.match
    assert (match.round, match.phase, match.score_a, match.score_b) == (2, "ready", 4, 0)
    assert isinstance(outcome.events[-1], Dealt)
    assert sorted(all_cards(match.table)) == list(PACK)


def test_with_manual_drawing_an_empty_hand_wins_nothing_while_there_are_cards_to_draw() -> None:
    table = {**LAST, "a": {"hand": [None, None, "6S", None, None], "draw": ["2H"]}}
    table["left"] = ["36*??", "5H"]
    match = judge.press(match_with(table, "table", "speed", draw="manual"), "a", Play(3, "left"), MS).match
    assert (match.round, match.phase, match.owned("a")) == (1, "play", 1)
    match = judge.press(match, "a", Draw(), 2 * MS).match
    assert table_of(match).a.hand[0] == Card.parse("2H")
