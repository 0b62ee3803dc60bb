"""Puts each known kind of bug into the engine, and sees that the tests made for it fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from cabinet.engine import calls, match, order, rounds, spit, stacking, standing, view
from cabinet.engine import speed as speed_game
from cabinet.engine.cards import Card
from cabinet.engine.change import Change
from cabinet.engine.match import Match
from cabinet.engine.rules import Rules
from cabinet.engine.table import OTHER_SEAT, Seat, SpeedTable, SpitSide, SpitTable, StockPile
from tests.unit import test_bug_kinds as bugs
from tests.unit import test_views as views

Check = Callable[..., None]

FAILURES = (AssertionError, ValueError, TypeError, IndexError)
"""How a test fails, or the engine under it, when something is wrong."""


class Mutant(msgspec.Struct, frozen=True):
    """One bug, and the tests that must fail with it."""

    place: Any
    """The module that has the function."""
    name: str
    bug: Callable[..., Any]
    checks: tuple[Check, ...]


def _plays_only(table: SpitTable, rules: Rules) -> bool:
    piles = [pile[-1] for pile in (table.left, table.right) if pile]
    tops = [pile.top for side in (table.a, table.b) for pile in side.stock]
    return not any(top in rules.fits[pile] for top in tops if top is not None for pile in piles)


def _any_card_beside_a_space_counts(table: SpitTable, rules: Rules) -> bool:
    def may_move(side: SpitSide) -> bool:
        return any(not pile.cards for pile in side.stock) and any(pile.cards for pile in side.stock)

    return _plays_only(table, rules) and not (may_move(table.a) or may_move(table.b))


def _looks_beneath(table: SpitTable, rules: Rules) -> bool:
    piles = [pile[-1] for pile in (table.left, table.right) if pile]
    cards = [card for side in (table.a, table.b) for pile in side.stock for card in pile.cards[-2:]]
    return not any(card in rules.fits[pile] for card in cards for pile in piles)


def _every_move_is_progress(*given: Any) -> Change:
    return replace(_APPLY(*given), is_progress=True)


def _lone_only_with_two_cards(table: SpitTable, seat: Seat) -> bool:
    return len(table.side(seat).spit) > 1


def _both_turn(table: SpitTable, kind: Any, _seats: Any, _pile: Any, rng: Random) -> Any:
    return _TURN_CARDS(table, kind, [seat for seat in ("a", "b") if table.side(seat).spit], None, rng)


def _one_pile_below(limit: Callable[[int], int]) -> Callable[..., SpitTable]:
    """A one-pile round for sets smaller than the limit of the short layouts, moved by one."""

    def lay_out(set_a: Sequence[Card], set_b: Sequence[Card], rules: Rules) -> SpitTable:
        table = _LAY_OUT(set_a, set_b, rules)
        short = limit(15 if rules.stock == 5 else 10)
        left, right = (None if len(cards) < short else () for cards in (set_a, set_b))
        return SpitTable(table.a, table.b, left, right)

    return lay_out


def _pile_by_pile(cards: Sequence[Card], piles: int) -> SpitSide:
    rest = list(cards)
    stock = []
    for size in range(1, piles + 1):
        pile, rest = tuple(rest[:size]), rest[size:]
        stock.append(StockPile(pile, 1 if pile else 0))
    return SpitSide(tuple(stock), tuple(rest))


def _short_sets_on_one_heap(cards: Sequence[Card], piles: int) -> SpitSide:
    side = _DEAL_SIDE(cards, piles)
    if side.spit or len(cards) < piles:
        return side
    heap = tuple(cards[piles - 1 :])
    return SpitSide((*(StockPile((card,), 1) for card in cards[: piles - 1]), StockPile(heap, 1)), ())


def _higher(a: int, b: int) -> Seat | None:
    return None if a == b else "a" if a > b else "b"


def _who_kept_cards_wins(ended: Match, a_owned: int, b_owned: int) -> Seat | None:
    winner = _WINNER_BY_CARDS(ended, a_owned, b_owned)
    return OTHER_SEAT[winner] if winner is not None and min(a_owned, b_owned) == 0 else winner


def _loser_scores(ended: Match, winner: Seat, events: list[Any]) -> Match:
    return _SCORE_SPEED_ROUND(ended, OTHER_SEAT[winner], events)


def _odd_card_lost(table: SpeedTable, rng: Random) -> SpeedTable:
    return replace(_REFILLED(table, rng), left=table.left[-1:])


def _unequal_sides(table: SpeedTable, rng: Random) -> SpeedTable:
    after: SpeedTable = _REFILLED(table, rng)
    odd = after.left[:-1]
    return replace(after, left=after.left[-1:], side_left=(*odd, *after.side_left))


def _unchanged(given: Any, *_more: Any) -> Any:
    return given


def _slide_only_from_sides(table: SpeedTable, _seat: Seat) -> bool:
    return bool(table.side_left)


def _dry_is_not_stuck(table: SpeedTable, rules: Rules) -> bool:
    return bool(table.side_left) and _IS_STUCK_IN_SPEED(table, rules)


def _always_a_first(_seat: Seat, first: Any, second: Any) -> Any:
    return (first, second) if first.seat == "a" else (second, first)


def _as_they_came(_seat: Seat, first: Any, second: Any) -> Any:
    return first, second


def _token_stays(ended: Match, _events: Any) -> Match:
    return ended


def _token_of_a(rules: Rules, rng: Random, deal: Any) -> Match:
    return replace(_MATCH_FROM_PACK(rules, rng, deal), token="a")


def _sees_all(_match: Any, _viewer: Any, _seat: Any) -> bool:
    return True


def _tells_all(_match: Any, event: Any, _viewer: Any = None) -> Any:
    return event


def _open_to_the_bottom(pile: StockPile) -> Any:
    return replace(_STOCK_VIEW(pile), beneath=pile.cards[:-1])


_APPLY, _TURN_CARDS, _LAY_OUT, _DEAL_SIDE = spit.apply, spit.turn_cards, spit.lay_out, spit._deal_side
_WINNER_BY_CARDS, _SCORE_SPEED_ROUND = rounds._winner_by_cards, rounds.score_speed_round
_REFILLED, _IS_STUCK_IN_SPEED = speed_game._refilled, speed_game.is_stuck
_MATCH_FROM_PACK, _STOCK_VIEW = match.match_from_pack, view._stock_view

STUCK_CHECKS = (bugs.test_a_space_in_which_a_card_can_be_uncovered_is_a_way_on,)
LONE_CHECKS = (
    bugs.test_the_last_spit_card_of_all_is_spat_alone,
    bugs.test_the_last_spit_card_of_all_that_helps_nobody_leads_to_a_deadlock,
)
OPENING_CHECKS = (
    bugs.test_stuck_is_found_when_the_first_cards_turn,
    bugs.test_a_deadlock_is_found_when_the_first_card_of_a_one_pile_round_turns,
    bugs.test_a_dead_hand_is_redrawn_and_a_stuck_one_announced_when_the_singles_turn,
)
ALL_FAIR = bugs.test_dead_heats_go_to_both_seats_in_turn


def _hidden_from_each(check: Check, *situations: str) -> tuple[Check, ...]:
    return tuple(lambda situation=situation: check(situation, "b") for situation in situations)


MUTANTS: dict[str, Mutant] = {
    "the stuck test ignores spaces": Mutant(spit, "is_stuck", _plays_only, STUCK_CHECKS),
    "the stuck test looks at hidden cards": Mutant(
        spit, "is_stuck", _looks_beneath, (bugs.test_whether_it_is_stuck_does_not_depend_on_hidden_cards,)
    ),
    "pointless moves count as a way on": Mutant(
        spit,
        "is_stuck",
        _any_card_beside_a_space_counts,
        (bugs.test_lone_cards_beside_spaces_are_stuck_and_without_spit_cards_a_deadlock,),
    ),
    "pointless stacking counts as a way on": Mutant(
        stacking,
        "_shortest_series",
        lambda stock, _playable: tuple(stacking._moves(stock)),
        (bugs.test_stacks_of_which_nothing_comes_hide_no_deadlock,),
    ),
    "pointless moves count as progress": Mutant(
        spit,
        "apply",
        _every_move_is_progress,
        (bugs.test_pointless_moves_put_off_neither_the_hint_nor_the_machine,),
    ),
    "no stuck test after the deal": Mutant(calls, "test_stuck", _unchanged, OPENING_CHECKS),
    "no lone spit with one card": Mutant(spit, "can_spit", _lone_only_with_two_cards, LONE_CHECKS),
    "a lone spit asks both piles": Mutant(
        spit, "turn_cards", _both_turn, (bugs.test_the_last_spit_card_of_all_is_spat_alone,)
    ),
    "a set of exactly 15 has two piles": Mutant(
        spit,
        "lay_out",
        _one_pile_below(lambda limit: limit),
        (bugs.test_a_set_that_leaves_no_spit_card_makes_a_one_pile_round,),
    ),
    "a set of 16 has one pile": Mutant(
        spit,
        "lay_out",
        _one_pile_below(lambda limit: limit + 2),
        (bugs.test_a_set_that_leaves_no_spit_card_makes_a_one_pile_round,),
    ),
    "short sets are dealt pile by pile": Mutant(
        spit,
        "_deal_side",
        _pile_by_pile,
        (
            bugs.test_sets_of_every_size_are_laid_out_row_by_row,
            bugs.test_a_layout_is_dealt_from_the_front_of_the_set,
        ),
    ),
    "short sets end in a heap": Mutant(
        spit, "_deal_side", _short_sets_on_one_heap, (bugs.test_sets_of_every_size_are_laid_out_row_by_row,)
    ),
    "who kept cards wins": Mutant(
        rounds, "_winner_by_cards", _who_kept_cards_wins, (bugs.test_who_has_no_card_left_wins,)
    ),
    "more cards or points win": Mutant(
        rounds,
        "_lower",
        _higher,
        (bugs.test_at_a_cap_fewer_cards_win, bugs.test_at_the_target_fewer_points_win),
    ),
    "in speed the loser scores": Mutant(
        standing,
        "score_speed_round",
        _loser_scores,
        (bugs.test_in_speed_who_goes_out_scores_and_more_points_win,),
    ),
    "the odd card is lost": Mutant(
        speed_game,
        "_refilled",
        _odd_card_lost,
        (bugs.test_a_refill_keeps_every_card_and_makes_equal_side_piles,),
    ),
    "the odd card goes to one side": Mutant(
        speed_game,
        "_refilled",
        _unequal_sides,
        (bugs.test_a_refill_keeps_every_card_and_makes_equal_side_piles,),
    ),
    "dry side piles are not made anew": Mutant(
        speed_game, "_refilled", _unchanged, (bugs.test_dry_side_piles_stop_nobody,)
    ),
    "nobody can slide from dry side piles": Mutant(
        speed_game, "can_spit", _slide_only_from_sides, (bugs.test_dry_side_piles_stop_nobody,)
    ),
    "dry side piles are never stuck": Mutant(
        speed_game, "is_stuck", _dry_is_not_stuck, (bugs.test_dry_side_piles_stop_nobody,)
    ),
    "ties go to a": Mutant(order, "_led_by", _always_a_first, (ALL_FAIR,)),
    "ties go to who stands first in the list": Mutant(order, "_led_by", _as_they_came, (ALL_FAIR,)),
    "the token stays where it is": Mutant(order, "pass_token", _token_stays, (ALL_FAIR,)),
    "the token stays after a choice": Mutant(
        rounds, "pass_token", _token_stays, (bugs.test_equal_stock_after_a_deadlock_lets_each_choose_in_turn,)
    ),
    "a has the first token": Mutant(
        match, "match_from_pack", _token_of_a, (bugs.test_the_first_token_goes_to_either_seat,)
    ),
    "hidden hands are shown": Mutant(
        view,
        "_sees_hand",
        _sees_all,
        (
            views.test_a_hidden_hand_is_seen_by_its_player_only,
            views.test_what_fits_is_told_of_hands_that_are_seen_only,
            *_hidden_from_each(
                views.test_matches_that_differ_in_hidden_things_only_look_the_same,
                "speed with hidden hands",
                "speed with hidden hands, dealt",
            ),
        ),
    ),
    "events tell what was drawn into hidden hands": Mutant(
        views,
        "seen_event",
        _tells_all,
        (
            views.test_the_card_drawn_into_a_hidden_hand_is_told_to_its_player_only,
            views.test_a_draw_by_hand_is_told_to_its_player_only,
            views.test_a_hint_for_a_hidden_hand_is_told_to_its_player_only,
        ),
    ),
    "face-down cards are shown beneath": Mutant(
        view,
        "_stock_view",
        _open_to_the_bottom,
        (
            *_hidden_from_each(views.test_a_view_holds_the_visible_cards_and_no_other, "spit", "spit dealt"),
            *_hidden_from_each(
                views.test_matches_that_differ_in_hidden_things_only_look_the_same, "spit", "spit dealt"
            ),
        ),
    ),
}


@pytest.mark.parametrize("bug", MUTANTS)
def test_the_bug_is_caught(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = MUTANTS[bug]
    assert mutant.checks
    for check in mutant.checks:
        check()
    monkeypatch.setattr(mutant.place, mutant.name, mutant.bug)
    for check in mutant.checks:
        with pytest.raises(FAILURES):
            check()
