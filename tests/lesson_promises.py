"""What a lesson must keep to: each caption's promise comes true while it is shown, and a person can follow."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from cabinet.engine.actions import (
    BecameStuck,
    Called,
    CardsTurned,
    Drew,
    Hinted,
    MatchOver,
    Moved,
    PilesTaken,
    Redrawn,
    Refilled,
    Refused,
    RoundEnded,
    Scored,
    SlapOpened,
    TurnedUp,
)
from cabinet.engine.cards import PACK
from cabinet.engine.match import Match
from cabinet.engine.table import OTHER_PILE, RoundEnd, SpeedTable, SpitTable
from cabinet.lesson import LessonPlan
from cabinet.panel import Layout
from cabinet.snapshot import Caption
from tests.invariants import all_cards
from tests.lesson_stage import MS, Shown, played, presses_of


def check(plan: LessonPlan, layout: Layout = "side_by_side") -> list[Shown]:
    """Fails when a lesson is no true match, breaks a promise, or cannot be followed."""
    check_position(plan.match)
    check_pace(plan)
    lesson = played(plan, layout)
    for shown in lesson:
        PROMISES[shown.caption](shown)
        assert shown.outcomes == outcomes_wanted(shown), shown.caption
        for kind in (Hinted, Redrawn, Refilled):
            assert not shown.events(kind)
        assert not any(getattr(event, "by_machine", False) for one in shown.moments for event in one.events)
    check_stuck_once(lesson)
    return lesson


def check_position(match: Match) -> None:
    """The pack is there, and the match is in play: nobody has come to the target yet."""
    assert sorted(all_cards(match.table)) == list(PACK)
    assert match.phase == "play"
    target = match.rules.points_target if match.rules.game == "spit" else match.rules.speed_target
    assert 0 <= match.score_a < target
    assert 0 <= match.score_b < target
    if match.rules.game == "spit":
        assert match.score_a + match.score_b == (52 * (match.round - 1) if match.rules.score == "points" else 0)


def check_pace(plan: LessonPlan) -> None:
    """Time to read, one press at a time, 20 s at most."""
    starts_ns = [cue.at_ns for cue in plan.cues]
    assert starts_ns[0] == 0
    assert 12_000 * MS <= plan.length_ns <= 20_000 * MS
    assert min(end - start for start, end in pairwise([*starts_ns, plan.length_ns])) >= 1_800 * MS
    presses_ns = [at_ns for at_ns, _, _ in presses_of(plan)]
    assert min(later - earlier for earlier, later in pairwise(presses_ns)) >= 500 * MS
    for start_ns in starts_ns:
        assert not [at_ns for at_ns in presses_ns if start_ns <= at_ns < start_ns + 600 * MS]
    for contacts in (plan.contacts_a, plan.contacts_b):
        for down, up in zip(contacts[::2], contacts[1::2], strict=True):
            assert (down.closed, up.closed, up.button) == (True, False, down.button)
            assert 20 * MS <= up.at_ns - down.at_ns <= 200 * MS


def check_stuck_once(lesson: list[Shown]) -> None:
    """It becomes stuck once: by the last press before the caption that says so."""
    stuck = [number for number, shown in enumerate(lesson) if shown.events(BecameStuck)]
    calls = [number for number, shown in enumerate(lesson) if shown.events(Called)]
    assert [number + 1 for number in stuck] == calls
    *_, last_press, _rest = lesson[stuck[0]].moments
    assert [event for event in last_press.events if isinstance(event, BecameStuck)]
    assert lesson[calls[0]].before.stuck is not None


def outcomes_wanted(shown: Shown) -> tuple[str, ...]:
    """All presses count, but for the one that shows what is refused, those that arm, and the slap that is late."""
    wanted = ["done"] * len(shown.outcomes)
    if shown.caption == "colours":
        wanted[0] = "COLOUR"
    elif shown.caption in ("stack", "space"):
        wanted[0] = "waits"
    elif shown.caption == "slap":
        wanted[-1] = "nothing"
    return tuple(wanted)


# What the captions promise


def one_higher_and_one_lower(shown: Shown) -> None:
    """A card one higher, and one lower; one on each pile."""
    plays = list(shown.plays())
    assert {(play.card - covered) % 13 for play, covered in plays} == {1, 12}
    assert {play.pile for play, _ in plays} == {"left", "right"}


def the_other_colour_goes(shown: Shown) -> None:
    """The same colour is refused, though it fits by rank; the other goes on the same pile."""
    refused = shown.one(Refused)
    ((play, covered),) = shown.plays()
    stock = getattr(refused.action, "stock", 0)
    card = shown.before.table.side(refused.seat).top(stock)
    assert card is not None
    assert (card - covered) % 13 in (1, 12)
    assert (refused.reason, refused.pile) == ("COLOUR", play.pile)
    assert card.is_red == covered.is_red != play.card.is_red


def an_equal_rank_goes(shown: Shown) -> None:
    """A card goes onto one of its own rank."""
    ((play, covered),) = shown.plays()
    assert play.card.rank == covered.rank


def an_equal_top_is_stacked(shown: Shown) -> None:
    """A top goes onto an own top of equal rank."""
    moved = shown.one(Moved)
    covered = shown.before.table.side(moved.seat).top(moved.target)
    assert covered is not None
    assert covered.rank == moved.card.rank


def a_space_is_used(shown: Shown) -> None:
    """A card goes into an empty space, and something lies beneath it; where it turns by itself it is played."""
    moved = shown.one(Moved)
    table = shown.before.table
    assert isinstance(table, SpitTable)
    stock = table.side(moved.seat).stock
    assert not stock[moved.target - 1].cards
    assert len(stock[moved.source - 1].cards) > 1
    is_auto = shown.before.rules.turn == "auto"
    assert (moved.uncovered is not None) == is_auto
    assert [play.card for play, _ in shown.plays()] == ([moved.uncovered] if is_auto else [])


def a_card_is_turned(shown: Shown) -> None:
    """A card that lies face down is turned, and can then be played."""
    assert shown.before.rules.turn == "manual"
    turned = shown.one(TurnedUp)
    assert [play.card for play, _ in shown.plays()] == [turned.card]


def both_spit(shown: Shown) -> None:
    """Stuck: both call, and a spit card of each turns."""
    assert {called.seat for called in shown.events(Called)} == {"a", "b"}
    turned = shown.one(CardsTurned)
    assert turned.kind == "spit"
    assert {(card.seat, card.pile) for card in turned.cards} == {("a", "left"), ("b", "right")}
    before, after = shown.before.table, shown.after.table
    if isinstance(before, SpitTable) and isinstance(after, SpitTable):
        assert len(after.a.spit) == len(before.a.spit) - 1
    assert shown.after.stuck is None


def both_slide(shown: Shown) -> None:
    """Stuck in Speed: both call, and a card slides from each side pile."""
    both_spit(shown)
    before, after = shown.before.table, shown.after.table
    assert isinstance(before, SpeedTable)
    assert isinstance(after, SpeedTable)
    assert (after.side_left, after.side_right) == (before.side_left[:-1], before.side_right[:-1])


def the_stock_is_empty(shown: Shown) -> None:
    """A plays the last card: the round is over."""
    assert shown.one(RoundEnded).end == RoundEnd("out", "a")
    assert shown.after.phase in ("slap", "choose")
    assert not shown.events(SlapOpened), "the caption comes before the race"


def the_smaller_pile_is_slapped(shown: Shown) -> None:
    """A slaps the smaller pile, well after the opening, and b is later."""
    assert shown.before.rules.slap == "race"
    check_taken(shown)


def the_smaller_pile_is_chosen(shown: Shown) -> None:
    """A, who went out, chooses the smaller pile."""
    assert shown.before.rules.slap == "winner"
    assert shown.before.settling is not None
    assert shown.before.settling.chooser == "a"
    check_taken(shown)


def check_taken(shown: Shown) -> None:
    """By a's press, and so that anybody sees which pile is the smaller."""
    taken = shown.one(PilesTaken)
    assert taken.settled_by == "a"
    assert taken.b == OTHER_PILE[taken.a or "left"]
    assert 3 * taken.a_size < 2 * taken.b_size
    assert taken.at_ns >= shown.one(SlapOpened).at_ns + 500 * MS


def fewer_cards_are_better(shown: Shown) -> None:
    """A goes on with fewer cards."""
    assert shown.before.rules.score == "cards"
    assert 0 < shown.before.owned("a") + 5 <= shown.before.owned("b")
    assert shown.after.phase == "ready"


def fewer_points_win(shown: Shown) -> None:
    """B has come to the target, and a has won with fewer points."""
    match = shown.before
    assert match.score_a < match.score_b
    assert match.score_b >= match.rules.points_target
    assert (match.phase, match.winner) == ("over", "a")


def a_card_is_drawn(shown: Shown) -> None:
    """A card is played, and another comes into its place: by itself, or by a press."""
    ((play, _),) = shown.plays()
    slot, draw = play.stock, shown.before.rules.draw
    if draw == "auto":
        assert play.uncovered is not None
    else:
        assert shown.one(Drew).slot == slot
    assert shown.after.table.side(play.seat).top(slot) is not None


def points_for_what_is_left(shown: Shown) -> None:
    """A has neither hand nor draw pile left, scores what b has left, and wins the match by it."""
    assert shown.one(RoundEnded).end == RoundEnd("out", "a")
    table, rules = shown.after.table, shown.after.rules
    assert isinstance(table, SpeedTable)
    left = table.b.stock_size if rules.speed_score == "all" else len(table.b.draw)
    scored = shown.one(Scored)
    assert (scored.a, scored.b) == (left, 0)
    assert left > 0
    assert shown.one(MatchOver).winner == "a"


PROMISES: Final[dict[Caption, Callable[[Shown], None]]] = {
    "neighbours": one_higher_and_one_lower,
    "colours": the_other_colour_goes,
    "pairs": an_equal_rank_goes,
    "turn": a_card_is_turned,
    "space": a_space_is_used,
    "stack": an_equal_top_is_stacked,
    "spit": both_spit,
    "out": the_stock_is_empty,
    "slap": the_smaller_pile_is_slapped,
    "choose": the_smaller_pile_is_chosen,
    "fewer_cards_win": fewer_cards_are_better,
    "fewer_points_win": fewer_points_win,
    "draw": a_card_is_drawn,
    "slide": both_slide,
    "speed_out": points_for_what_is_left,
}
