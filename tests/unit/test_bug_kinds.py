"""The bugs that programs of these games are known for, each looked for by name.

`test_mutants.py` puts each of them into the engine and sees that the test here fails.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final

from msgspec.structs import replace

from cabinet.engine import judge, spit
from cabinet.engine.actions import Action, Choose, Move, Play, Ready, Slap, Spit
from cabinet.engine.cards import PACK, Card
from cabinet.engine.match import Match, match_from_pack, new_match, spit_table
from cabinet.engine.order import judge_presses
from cabinet.engine.rules import rules_from_options
from cabinet.engine.table import SEATS, RoundEnd, Seat, SpeedTable, SpitTable
from tests.hidden_cards import hidden_cards, shuffled_among, with_cards_exchanged
from tests.invariants import all_cards
from tests.tables import LONE, SPEED, SPEED_STUCK, STUCK, match_with, spit_with
from tests.written_presses import Written, WrittenCourt

MS: Final = 1_000_000
S: Final = 1_000 * MS

A_PLAYS_NOTHING = STUCK["a"]["stock"]
B_PLAYS_NOTHING = STUCK["b"]["stock"]


def press(match: Match, *presses: tuple[Seat, Action], every_ns: int = 100 * MS) -> Match:
    """Each press is accepted."""
    for seat, action in presses:
        outcome = judge.press(match, seat, action, match.now_ns + every_ns)
        assert outcome.refusal is None, (seat, action, outcome.refusal)
        match = outcome.match
    return match


def wait(match: Match, ns: int) -> Match:
    return judge.advance(match, match.now_ns + ns).match


# A stuck test that ignores spaces (RULES.md 15)


def test_a_space_in_which_a_card_can_be_uncovered_is_a_way_on() -> None:
    match = match_with(spit_with([["KS"], [], ["(2D)", "JC"], ["3H"], ["9C"]], B_PLAYS_NOTHING, ["8D"], ["8S"]))
    assert match.stuck is None
    assert judge.press(match, "b", Spit(), MS).refusal == "NOT_STUCK"
    assert press(match, ("a", Move(3, 2))).stuck is not None


# Pointless moves that hide a deadlock (RULES.md 10, 15, 21; C18)

LONE_CARDS_AND_SPACES = [["KS"], [], ["JC"], [], ["9C"]]


def test_lone_cards_beside_spaces_are_stuck_and_without_spit_cards_a_deadlock() -> None:
    assert match_with(spit_with(LONE_CARDS_AND_SPACES, B_PLAYS_NOTHING, ["8D"], ["8S"])).stuck is not None
    ended = match_with(spit_with(LONE_CARDS_AND_SPACES, B_PLAYS_NOTHING, [], []))
    assert (ended.phase, ended.round_end) == ("slap", RoundEnd("deadlock"))


def test_stacks_of_which_nothing_comes_hide_no_deadlock() -> None:
    for stock in ([["KS"], ["KC"], ["JC"], ["3H"], ["9C"]], [["KS", "KC"], [], ["JC"], ["3H"], ["9C"]]):
        ended = match_with(spit_with(stock, B_PLAYS_NOTHING, [], []), stack_equal=True)
        assert (ended.phase, ended.round_end) == ("slap", RoundEnd("deadlock"))


def test_pointless_moves_put_off_neither_the_hint_nor_the_machine() -> None:
    table = spit_with([["4S"], [], ["JC"], [], ["9C"]], B_PLAYS_NOTHING, ["8D"], ["8S"])
    match = match_with(table, hint_ms=5_000, force_ms=12_000)
    for _ in range(11):
        match = press(match, ("a", Move(3, 2)), every_ns=500 * MS)
        match = press(match, ("a", Move(2, 3)), every_ns=500 * MS)
    assert match.is_hinted
    assert spit_table(wait(match, 1 * S)).left == (*(spit_table(match).left or ()), Card.parse("4S"))


# An opening deadlock that nobody looks for (RULES.md 15)


def test_stuck_is_found_when_the_first_cards_turn() -> None:
    spit_cards = {"a_spit": ["9*??", "5H"], "b_spit": ["31*??", "5C"]}
    table = spit_with(A_PLAYS_NOTHING, B_PLAYS_NOTHING, **spit_cards, phase="ready", left=[], right=[])
    match = press(match_with(table), ("a", Ready()), ("b", Ready()))
    match = wait(match, 1_800 * MS)
    assert match.stuck is not None
    assert match.stuck.since_ns == match.now_ns
    assert wait(match, 4 * S).beat is not None, "the machine calls for both"


def test_a_deadlock_is_found_when_the_first_card_of_a_one_pile_round_turns() -> None:
    """Only on a table that was set up: the one spit card is turned, and there is no other."""
    b = [["KD"], ["7H"], ["JS"], ["3S"], ["9D"]]
    table = spit_with(
        [["KS"], ["7D"], ["JC"], ["3H"], ["41*??", "9C"]], b, [], ["5C"], phase="ready", left=None, right=[]
    )
    match = press(match_with(table), ("a", Ready()), ("b", Ready()))
    match = wait(match, 1_800 * MS)
    assert (match.phase, match.round_end) == ("slap", RoundEnd("deadlock"))


def test_a_dead_hand_is_redrawn_and_a_stuck_one_announced_when_the_singles_turn() -> None:
    table = {**SPEED_STUCK, "left": ["(6D)"], "right": ["(6S)"], "phase": "ready"}
    match = press(match_with(table, game="speed"), ("a", Ready()), ("b", Ready()))
    assert wait(match, 1_800 * MS).stuck is not None


# A lone spit with one card (RULES.md 18)


def test_the_last_spit_card_of_all_is_spat_alone() -> None:
    table = spit_with(A_PLAYS_NOTHING, B_PLAYS_NOTHING, [], ["8D"])
    match = match_with(table, "table")
    assert match.stuck is not None
    assert match.stuck.lone_spitter == "b"
    match = press(match, ("b", Spit("left")))
    table_after = spit_table(match)
    assert (table_after.left or ())[-1] == Card.parse("8D")
    assert len(table_after.right or ()) == len(spit_table(match_with(table)).right or ())
    assert (match.phase, match.stuck, table_after.b.spit) == ("play", None, ())
    assert judge.press(match, "a", Play(2, "left"), match.now_ns).refusal is None


def test_the_last_spit_card_of_all_that_helps_nobody_leads_to_a_deadlock() -> None:
    match = press(
        match_with(spit_with(A_PLAYS_NOTHING, B_PLAYS_NOTHING, ["5D"], []), "table"), ("a", Spit("left"))
    )
    assert (match.phase, match.round_end) == ("slap", RoundEnd("deadlock"))


def test_with_one_spit_card_each_both_spit() -> None:
    match = match_with(spit_with(A_PLAYS_NOTHING, B_PLAYS_NOTHING, ["8D"], ["8S"]), "table")
    assert match.stuck is not None
    assert match.stuck.lone_spitter is None
    match = press(match, ("a", Spit()), ("b", Spit()))
    assert [str((pile or ())[-1]) for pile in (match.table.left, match.table.right)] == ["8D", "8S"]


def test_a_lone_spitter_stays_on_the_pile_chosen_until_the_next_layout() -> None:
    match = press(match_with(LONE, "table"), ("b", Spit("left")))
    assert (match.tied_to_a, match.tied_to_b) == (None, "left")


# Exactly 15 cards, or 10 with four piles (RULES.md 32, 39)


def dealt_from(size_a: int, stock: int = 5) -> Match:
    rules = rules_from_options("spit", "table", {"stock": stock})
    return match_from_pack(rules, Random(size_a), lambda pack: spit.lay_out(pack[:size_a], pack[size_a:], rules))


def test_a_set_that_leaves_no_spit_card_makes_a_one_pile_round() -> None:
    for stock, limit in ((5, 15), (4, 10)):
        for size, single in ((limit - 1, True), (limit, True), (limit + 1, False)):
            for seat, size_a in (("a", size), ("b", 52 - size)):
                match = dealt_from(size_a, stock)
                own, other = ("left", "right") if seat == "a" else ("right", "left")
                assert match.table.is_single == single
                assert (getattr(match.table, own) is None) == single
                match = press(match, ("a", Ready()), ("b", Ready()))
                assert len(getattr(match.table, other)) == 1
                assert len(getattr(match.table, own) or ()) == (0 if single else 1)


# Short layouts (RULES.md 31, 39)

SHORT = {
    5: "1 11 111 1111 11111 12111 12211 12221 12222 12322 12332 12333 12343 12344 12345",
    4: "1 11 111 1111 1211 1221 1222 1232 1233 1234",
}
"""For each number of piles: the sizes of the piles for sets of 1, 2, 3 … cards."""


def test_sets_of_every_size_are_laid_out_row_by_row() -> None:
    for stock, rows in SHORT.items():
        sizes = [[int(size) for size in row.ljust(stock, "0")] for row in rows.split()]
        for size in range(1, 52):
            side = spit_table(dealt_from(size, stock)).a
            assert [len(pile.cards) for pile in side.stock] == sizes[min(size, len(sizes)) - 1]
            assert len(side.spit) == max(0, size - len(sizes))
            assert all(pile.face_up == (1 if pile.cards else 0) for pile in side.stock)


def test_a_layout_is_dealt_from_the_front_of_the_set() -> None:
    rules = rules_from_options("spit", "table", {})
    for size in range(1, 20):
        side = spit.lay_out(PACK[:size], PACK[size:], rules).a
        rows = [(row, pile) for row in range(5) for pile in range(row, 5)]
        dealt = [side.stock[pile].cards[row] for row, pile in rows[:size]]
        assert (*dealt, *side.spit) == PACK[:size]


# The winner, inverted (RULES.md 34, 38, 41, 51)

OUT: Final = {"phase": "slap", "round_end": {"cause": "out", "player": "a"}}
NOTHING: Final[list[list[str]]] = [[], [], [], [], []]


def test_who_has_no_card_left_wins() -> None:
    single = spit_with([["6S"], *NOTHING[1:]], [["4D"], ["??", "KD"], *NOTHING[2:]], [], ["9*??"])
    single |= {"left": None, "right": ["38*??", "5H"]}
    assert press(match_with(single), ("a", Play(1))).winner == "a"
    mirror = {"a": single["b"], "b": single["a"], "left": single["right"], "right": None}
    assert press(match_with(mirror), ("b", Play(1))).winner == "b"


def test_at_a_cap_fewer_cards_win() -> None:
    table = spit_with(NOTHING, [["4D"], ["??", "KD"], [], [], []], [], [], **OUT, round=7)
    table |= {"left": ["16*??", "6S"], "right": ["31*??", "JD"]}
    assert press(match_with(table), ("a", Slap("left"))).winner == "a"
    assert press(match_with(table), ("a", Slap("right"))).winner == "b"


def test_at_the_target_fewer_points_win() -> None:
    table = spit_with(NOTHING, [["4D"], ["??", "KD"], [], [], []], [], [], **OUT)
    table |= {"left": ["16*??", "6S"], "right": ["31*??", "JD"]}
    for score, winner in (({"a": 95, "b": 20}, "b"), ({"a": 20, "b": 95}, "a"), ({"a": 10, "b": 20}, None)):
        match = press(match_with({**table, "score": score}, score="points"), ("a", Slap("left")))
        assert (match.score_a, match.score_b) == (score["a"] + 17, score["b"] + 35)
        assert match.winner == winner


def test_in_speed_who_goes_out_scores_and_more_points_win() -> None:
    last = {"hand": ["6S", None, None, None, None], "draw": []}
    loser = {"hand": ["7C", "TS", "TC", "3H", "8H"], "draw": ["4*??"]}
    middle = {"left": ["34*??", "5H"], "right": ["5C"], "side": {"left": ["3*??"], "right": ["3*??"]}}
    for seat in SEATS:
        sides = {"a": last, "b": loser} if seat == "a" else {"a": loser, "b": last}
        for had, winner in ((16, seat), (15, None)):
            score = {"a": 20, "b": 20, seat: had}
            start = match_with({**sides, **middle, "score": score}, game="speed")
            match = press(start, (seat, Play(1, "left")))
            assert {"a": match.score_a, "b": match.score_b} == {**score, seat: had + 9}
            assert match.winner == winner


# A card lost at a refill, dry side piles that hang (RULES.md 48)


def dry(under_left: int, under_right: int) -> Match:
    """Stuck, and both side piles are empty."""
    draws = 52 - 10 - 2 - under_left - under_right
    table = {
        "a": {"hand": SPEED_STUCK["a"]["hand"], "draw": [f"{draws // 2}*??"]},
        "b": {"hand": SPEED_STUCK["b"]["hand"], "draw": [f"{draws - draws // 2}*??"]},
        "left": [f"{under_left}*??", "6D"],
        "right": [f"{under_right}*??", "6S"],
        "side": {"left": [], "right": []},
    }
    return match_with(table, "table", game="speed")


def test_a_refill_keeps_every_card_and_makes_equal_side_piles() -> None:
    for under_left, under_right in ((1, 1), (2, 1), (0, 2), (0, 3), (7, 0), (18, 17), (20, 20), (19, 20)):
        match = press(dry(under_left, under_right), ("a", Spit()), ("b", Spit()))
        table = match.table
        assert isinstance(table, SpeedTable)
        assert sorted(all_cards(table)) == list(PACK)
        half, odd = divmod(under_left + under_right, 2)
        assert len(table.side_left) == len(table.side_right) == half - 1
        assert (len(table.left), len(table.right)) == (2 + odd, 2)
        assert [str(pile[-2]) for pile in (table.left, table.right)] == ["6D", "6S"]


def test_dry_side_piles_stop_nobody() -> None:
    match = dry(18, 17)
    assert match.stuck is not None
    assert press(match, ("a", Spit()), ("b", Spit())).table != match.table
    assert wait(match, 4 * S).table != match.table, "the machine calls and slides"
    ending = match_with(SPEED, game="speed", force_ms=50, spit_auto_ms=50)
    for _ in range(3_000):
        if ending.round > 1 or ending.is_over:
            break
        ending = wait(ending, 50 * MS)
    assert ending.round_end is not None


# Ties that always go to one seat (RULES.md 13, 25)


def dead_heats(match: Match, count: int, pair: tuple[Action, Action]) -> Counter[Seat]:
    """Who went first in each of `count` dead heats on this table; the token goes on from one to the next."""
    firsts: Counter[Seat] = Counter()
    token = match.token
    for number in range(count):
        presses = [Written(0, "a", MS, 0, pair[0]), Written(1, "b", MS, 0, pair[1])]
        if number % 3 == 0:
            presses.reverse()
        end, judged, _ = judge_presses(WrittenCourt(), replace(match, token=token), presses)
        (first,) = (one.press.seat for one in judged if one.answer.is_accepted)
        firsts[first] += 1
        token = end.token
    return firsts


def test_dead_heats_go_to_both_seats_in_turn() -> None:
    a, b = [["6S"], ["??", "KD"], *NOTHING[2:]], [["4D"], ["??", "KC"], *NOTHING[2:]]
    spit_race = match_with(spit_with(a, b, ["5*??"], ["5*??"]), "table")
    speed_race = match_with(SPEED, "table", game="speed")
    deadlock = match_with(spit_with(A_PLAYS_NOTHING, B_PLAYS_NOTHING, [], []), "table")
    assert dead_heats(spit_race, 100, (Play(1, "left"), Play(1, "left"))) == {"a": 50, "b": 50}
    assert dead_heats(speed_race, 100, (Play(1, "left"), Play(1, "left"))) == {"a": 50, "b": 50}
    assert dead_heats(deadlock, 100, (Slap("left"), Slap("left"))) == {"a": 50, "b": 50}


def test_the_first_token_goes_to_either_seat() -> None:
    for rules in (rules_from_options("spit", "arcade", {}), rules_from_options("speed", "arcade", {})):
        tokens = Counter(new_match(rules, Random(seed)).token for seed in range(400))
        assert min(tokens["a"], tokens["b"]) > 150


def test_equal_stock_after_a_deadlock_lets_each_choose_in_turn() -> None:
    match = match_with(spit_with(A_PLAYS_NOTHING, B_PLAYS_NOTHING, [], [], token="b"), slap="winner", cap_rounds=0)
    assert match.settling is not None
    assert match.settling.chooser == "b"
    after = press(match, ("b", Choose("left")), every_ns=1 * S)
    assert after.token == "a"


# A stuck test that looks at hidden cards (RULES.md 15)


def test_whether_it_is_stuck_does_not_depend_on_hidden_cards() -> None:
    rng = Random(1)
    for seed in range(60):
        match = new_match(rules_from_options("spit", "table", {"stock": 4}), Random(seed))
        hidden = hidden_cards(match, None)
        other = with_cards_exchanged(match.table, shuffled_among(hidden, rng))
        assert isinstance(match.table, SpitTable)
        assert isinstance(other, SpitTable)
        assert is_stuck_with(match.table, match) == is_stuck_with(other, match)


def is_stuck_with(table: SpitTable, match: Match) -> bool:
    """With the same two cards in the middle."""
    table = SpitTable(table.a, table.b, (PACK[4],), (PACK[30],))
    return judge.found_on_table(replace(match, table=table, phase="play")).match.stuck is not None
