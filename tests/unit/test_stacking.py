"""stack_equal: own tops onto own tops of equal rank, and what comes of it (RULES.md 42; C18)."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from cabinet.engine import judge, spit, stacking
from cabinet.engine.actions import Move, Play, Slap
from cabinet.engine.cards import Card
from cabinet.engine.match import Match, spit_table
from cabinet.engine.rules import Rules, rules_from_options
from cabinet.engine.stacking import steps_to_use
from cabinet.engine.table import SEATS, RoundEnd, SpitTable
from cabinet.engine.view import view_of
from tests import by_the_book
from tests.drawn_matches import drawn_rules, drawn_table, match_in_play
from tests.tables import match_with, spit_with

MS: Final = 1_000_000
S: Final = 1_000 * MS

B_DOES_NOTHING = [["KD"], ["7H"], ["JS"], ["3S"], ["9D"]]
KINGS = [["KS"], ["KC"], ["JC"], ["(2D)", "3H"], ["9C"]]
"""One king onto the other makes a space, in which 3H goes and uncovers 2D."""


def match_of(a: list[list[str]], profile: str = "arcade", **rules: Any) -> Match:
    return match_with(spit_with(a, B_DOES_NOTHING, ["5*??"], ["5*??"]), profile, stack_equal=True, **rules)


def stock_of(match: Match) -> list[str]:
    """Each pile of a, its face-down cards as dots."""
    piles = spit_table(match).a.stock
    return [
        " ".join(["·"] * (len(pile.cards) - pile.face_up) + [str(card) for card in pile.cards[-pile.face_up :]])
        if pile.cards
        else ""
        for pile in piles
    ]


def series(match: Match) -> tuple[Move, ...]:
    return steps_to_use(spit_table(match), match.rules, "a")


# What may go onto what


def may_go(stock: list[list[str]], source: int, target: int, **rules: Any) -> str:
    return judge.press(match_of(stock, **rules), "a", Move(source, target), MS).refusal or "ok"


def test_an_equal_rank_goes_onto_an_equal_rank_and_nothing_else_does() -> None:
    assert may_go(KINGS, 1, 2) == "ok"
    assert may_go(KINGS, 2, 1) == "ok"
    assert may_go(KINGS, 1, 3) == "TARGET_NOT_EMPTY"
    assert may_go(KINGS, 1, 1) == "TARGET_NOT_EMPTY"


def test_colours_do_not_matter_to_a_stack() -> None:
    assert may_go(KINGS, 1, 2, colours="alternate") == "ok"


def test_a_face_down_top_is_no_place_to_stack_on() -> None:
    stock = [["KS"], ["(KC)"], ["JC"], ["3H"], ["9C"]]
    assert may_go(stock, 1, 2, turn="manual") == "TARGET_NOT_EMPTY"
    assert may_go(stock, 2, 1, turn="manual") == "FACE_DOWN"


def test_three_and_four_of_a_kind_lie_on_one_pile() -> None:
    match = match_of([["KS"], ["KC"], ["KH"], ["??", "3H"], ["9C"]], "table")
    for source in (2, 3):
        match = judge.press(match, "a", Move(source, 1), match.now_ns + MS).match
    assert stock_of(match) == ["KS KC KH", "", "", "· 3H", "9C"]


def test_the_open_card_beneath_is_a_top_again_when_the_stack_is_played_off() -> None:
    match = match_with(spit_with([["6H", "6D"], ["??", "3H"], [], [], []], B_DOES_NOTHING, ["5*??"], ["5*??"]),
                       "table", stack_equal=True)  # fmt: skip
    match = judge.press(match, "a", Play(1, "left"), MS).match
    assert stock_of(match)[0] == "6H"
    assert judge.press(match, "a", Play(1, "right"), 2 * MS).refusal is None


def test_a_view_shows_the_open_cards_of_a_stack_and_none_beneath_them() -> None:
    pile = view_of(match_of([["KS"], ["(4D)", "KC", "KH"], ["JC"], ["3H"], ["9C"]])).a.stock[1]
    assert (pile.size, pile.top, pile.beneath) == (3, Card.parse("KH"), (Card.parse("KC"),))


# Which series come to something


def test_the_shortest_series_is_found() -> None:
    assert series(match_of(KINGS)) == (Move(1, 2), Move(4, 1))


def test_a_shorter_series_comes_before_lower_numbers() -> None:
    stock = [["KS"], ["KC"], ["JC"], ["(2D)", "JH"], ["9C"]]
    assert series(match_of(stock)) == (Move(4, 3),)


def test_of_equally_short_ones_the_lowest_numbers_come_first() -> None:
    assert series(match_of([["(2H)", "KS"], [], ["KC"], ["(2D)", "JH"], ["JC"]])) == (Move(1, 2),)
    assert series(match_of([["(2H)", "KS"], ["9S"], ["KC"], ["(2D)", "JH"], ["JC"]])) == (Move(1, 3),)


def test_a_card_that_fits_beneath_another_is_worth_laying_bare() -> None:
    """Only with alternating colours: cards on each other are of one rank."""
    match = match_with(
        {
            **spit_with([["6S", "6H"], [], ["JC"], ["3H"], ["9C"]], [["KD"], ["7H"], ["9S"], ["3S"], ["9D"]],
                        ["5*??"], ["5*??"]),
            "right": ["15*??", "5D"],
        },
        stack_equal=True,
        colours="alternate",
    )  # fmt: skip
    assert match.stuck is None
    assert series(match) == (Move(1, 2),)


@pytest.mark.parametrize(
    "stock",
    [
        [["KS"], ["KC"], ["JC"], ["3H"], ["9C"]],
        [["KS", "KC"], [], ["JC"], ["3H"], ["9C"]],
        [["KS", "KC"], ["KH"], [], [], []],
        [["KS"], ["(2D)", "7D"], ["JC"], ["3H"], ["9C"]],
    ],
    ids=["nothing is buried", "a stack and a space", "more spaces", "buried out of reach"],
)
def test_moves_of_which_nothing_comes_are_no_way_on(stock: list[list[str]]) -> None:
    assert match_of(stock).stuck is not None
    assert series(match_of(stock)) == ()


def tables(count: int, **options: Any) -> list[tuple[Rules, SpitTable]]:
    found = []
    for seed in range(count):
        rng = Random(seed)
        rules = drawn_rules(rng, game="spit", stack_equal=True, **options)
        table = drawn_table(rng, rules)
        assert isinstance(table, SpitTable)
        found.append((rules, table))
    return found


def test_stuck_is_what_trying_every_series_says() -> None:
    stuck = [spit.is_stuck(table, rules) for rules, table in tables(600)]
    can = [by_the_book.somebody_can_go_on(table, rules) for rules, table in tables(600)]
    assert [not one for one in can] == stuck
    assert 20 < sum(stuck) < 580


def test_every_move_of_a_series_is_legal_and_its_end_is_of_use() -> None:
    for rules, start in tables(300):
        for seat in SEATS:
            table = start
            moves = steps_to_use(table, rules, seat)
            for number, move in enumerate(moves, 1):
                assert spit.refusal(table, rules, seat, move) is None
                change = spit.apply(table, rules, seat, move)
                assert isinstance(change.table, SpitTable)
                table = change.table
                plays = [one for one in spit.useful_actions(table, rules, seat) if isinstance(one, Play)]
                assert number < len(moves) or change.is_progress or plays


def test_the_series_found_from_the_view_is_the_same() -> None:
    for seed in range(200):
        rng = Random(seed)
        match = match_in_play(rng, drawn_rules(rng, game="spit", stack_equal=True))
        if match.phase == "play":
            for seat in SEATS:
                seen = stacking.seen_steps_to_use(view_of(match), seat)
                assert seen == steps_to_use(spit_table(match), match.rules, seat)


# The machine's own play (C17, C18)


def test_the_machine_makes_the_series_one_move_at_a_time() -> None:
    match = match_of(KINGS)
    stocks = [stock_of(match)]
    for _ in range(2):
        match = judge.advance(match, match.now_ns + 12 * S).match
        stocks.append(stock_of(match))
    assert stocks[1:] == [["", "KC KS", "JC", "· 3H", "9C"], ["3H", "KC KS", "JC", "2D", "9C"]]
    assert match.stuck is not None


def test_a_stack_without_use_puts_off_no_hint() -> None:
    match = match_of([["KS"], ["KC"], ["??", "JC"], ["3H"], ["9C"]])
    match = judge.press(match, "a", Move(1, 2), 3 * S).match
    assert judge.advance(match, 5 * S).match.is_hinted


def test_with_manual_turning_the_machine_turns_what_its_stacking_uncovered() -> None:
    match = match_of([["KS"], ["(2C)", "KC"], ["JC"], ["3H"], ["9C"]], turn="manual")
    stocks = []
    for _ in range(2):
        match = judge.advance(match, match.now_ns + 12 * S).match
        stocks.append(stock_of(match)[:2])
    assert [one[0] for one in stocks] == ["KS KC", "KS KC"]
    assert spit_table(match).a.stock[1].top == Card.parse("2C")


# Ends of rounds


def test_out_with_the_last_cards_of_a_stack() -> None:
    table = spit_with([["8H", "8D"], [], [], [], []], B_DOES_NOTHING, ["4*??"], ["5*??"])
    table |= {"left": ["17*??", "7C"], "right": ["17*??", "9S"]}
    match = match_with(table, "table", stack_equal=True)
    for pile in ("left", "right"):
        match = judge.press(match, "a", Play(1, "left" if pile == "left" else "right"), match.now_ns + MS).match
    assert (match.phase, match.round_end) == ("slap", RoundEnd("out", "a"))


def test_the_new_set_takes_a_stack_as_it_lies() -> None:
    table = spit_with([["6S"], [], [], [], []], [["KS", "KC"], ["??", "KH"], [], [], []], ["2*??"], ["3*??"])
    match = match_with({**table, "seed": 3}, "table", stack_equal=True)
    match = judge.press(match, "a", Play(1, "left"), MS).match
    before = spit_table(match)
    match = judge.press(match, "b", Slap("right"), 2 * MS).match
    rng = Random(3)
    sets = [[*(before.left or ()), *before.a.spit], [*(before.right or ())]]
    sets[1] += [card for pile in before.b.stock for card in pile.cards] + [*before.b.spit]
    for cards in sets:
        rng.shuffle(cards)
    rules = rules_from_options("spit", "table", {"stack_equal": True})
    assert match.table == spit.lay_out(sets[0], sets[1], rules)
