"""A card lies on its pile only once it was seen to arrive; what was not seen is shown as the View has it."""

from __future__ import annotations

from cabinet.engine.actions import Dealt, PilesTaken
from cabinet.engine.table import PileView
from display.memory import PileMemory
from tests import display_snapshots as made


def tops(memory: PileMemory, pile: str) -> list[str]:
    return [str(landing.card) for landing in memory.landings(pile)]  # type: ignore[arg-type]


def test_a_screen_that_starts_in_mid_match_shows_the_tops_of_the_view() -> None:
    memory = PileMemory()
    memory.observe(made.snapshot(made.view()))
    assert tops(memory, "left") == ["7C"]
    assert memory.landings("left")[-1].seat is None


def test_cards_are_remembered_in_the_order_in_which_they_were_played() -> None:
    memory = PileMemory()
    memory.observe(made.busy())
    assert tops(memory, "left") == ["5D", "6D", "7C"]
    assert memory.landings("left")[-1].seat == "a"
    assert memory.landings("left")[-1].stock == 2
    assert memory.landings("left")[0].stock is None, "turned from the spit cards"


def test_a_happening_that_is_seen_twice_counts_once() -> None:
    memory = PileMemory()
    memory.observe(made.busy())
    memory.observe(made.busy())
    assert tops(memory, "right") == ["9D", "JH"]


def test_a_top_that_came_unseen_replaces_what_was_remembered() -> None:
    memory = PileMemory()
    memory.observe(made.busy())
    memory.observe(made.snapshot(made.view(left=PileView(20, made.card("QS")))))
    assert tops(memory, "left") == ["QS"]


def test_a_new_layout_forgets_the_piles() -> None:
    memory = PileMemory()
    memory.observe(made.busy())
    empty = made.view(phase="ready", left=PileView(0, None), right=PileView(0, None))
    dealt = made.happened(50, 0, Dealt(at_ns=0, round=3, is_single=False))
    memory.observe(made.snapshot(empty, happenings=(dealt,)))
    assert memory.landings("left")[-1].card is None


def test_a_taken_pile_keeps_its_top_and_gets_the_size_that_was_announced() -> None:
    memory = PileMemory()
    memory.observe(made.slap(is_open=True))
    memory.observe(made.round_over())
    assert (str(memory.taken["left"].card), memory.taken["left"].size) == ("7C", 17)
    assert (str(memory.taken["right"].card), memory.taken["right"].size) == ("JH", 9)


def test_a_pile_that_nobody_took_is_left_alone() -> None:
    memory = PileMemory()
    memory.observe(made.slap(is_open=True))
    nothing = PilesTaken(at_ns=0, a=None, b="left", a_size=0, b_size=17, settled_by=None)
    memory.observe(made.snapshot(None, happenings=(made.happened(60, 0, nothing),)))
    assert memory.taken["right"].size == 9
