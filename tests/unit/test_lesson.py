"""How to play: for each game of the catalogue a lesson that the engine itself plays."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import get_args

import pytest

from cabinet.engine.actions import Event
from cabinet.engine.games import CATALOGUE, Game, game_named
from cabinet.engine.rules import GameKind, Options, rules_of
from cabinet.engine.view import view_of
from cabinet.game import GameSettings
from cabinet.lesson import lesson_in
from cabinet.panel import LESSON_BUTTON, line_of
from cabinet.players.robot import Contact
from cabinet.players.scripted import Scripted
from cabinet.snapshot import Caption, Snapshot
from cabinet.virtual import VirtualCabinet
from tests.game_desk import CLEAN, S
from tests.lesson_promises import PROMISES, check
from tests.lesson_stage import MS, played

SPIT_BEGINS: list[Caption] = ["neighbours", "space", "spit", "out"]
CAPTIONS: dict[str, list[Caption]] = {
    "spit": [*SPIT_BEGINS, "slap", "fewer_cards_win"],
    "four_piles": [*SPIT_BEGINS, "slap", "fewer_cards_win"],
    "two_colours": ["neighbours", "colours", "space", "spit", "out", "slap", "fewer_cards_win"],
    "choice": [*SPIT_BEGINS, "choose", "fewer_cards_win"],
    "points": [*SPIT_BEGINS, "slap", "fewer_points_win"],
    "pairs": ["neighbours", "pairs", "stack", "space", "spit", "out", "slap", "fewer_cards_win"],
    "speed": ["neighbours", "draw", "slide", "speed_out"],
    "speed_20": ["neighbours", "draw", "slide", "speed_out"],
}
EVERYTHING = Options(
    stock=4, colours="alternate", pairs=True, stack_equal=True, turn="manual", slap="winner", score="points"
)


def game(kind: GameKind, options: Options) -> Game:
    return Game("own", rules_of(kind, options))


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_game_of_the_catalogue_keeps_its_lesson_s_promises(name: str) -> None:
    plan = lesson_in(game_named(name))
    assert [cue.caption for cue in plan.cues] == CAPTIONS[name]
    check(plan)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_caption_of_the_catalogue_can_be_read(name: str) -> None:
    plan = lesson_in(game_named(name))
    starts_ns = [*(cue.at_ns for cue in plan.cues), plan.length_ns]
    assert min(end - start for start, end in pairwise(starts_ns)) >= 2_400 * MS


def test_every_option_at_once_is_taught_in_twenty_seconds() -> None:
    plan = lesson_in(game("spit", EVERYTHING))
    wanted = ["neighbours", "colours", "pairs", "stack", "space", "turn", "spit", "out", "choose"]
    assert [cue.caption for cue in plan.cues] == [*wanted, "fewer_points_win"]
    check(plan)


def test_speed_with_every_option_is_taught() -> None:
    options = Options(deal=20, colours="alternate", pairs=True, draw="manual", speed_score="stock")
    plan = lesson_in(game("speed", options))
    assert [cue.caption for cue in plan.cues] == ["neighbours", "colours", "pairs", "draw", "slide", "speed_out"]
    check(plan)


def test_every_caption_has_a_promise() -> None:
    assert set(PROMISES) == set(get_args(Caption))


@pytest.mark.parametrize("name", ["spit", "speed"])
def test_with_time_to_spare_the_corner_is_turned(name: str) -> None:
    (neighbours, *_) = played(lesson_in(game_named(name)))
    assert ("K", "A") in [(play.card.rank, covered.rank) for play, covered in neighbours.plays()]


def test_a_lesson_is_the_same_each_time() -> None:
    for name in CATALOGUE:
        assert lesson_in(game_named(name)) == lesson_in(game_named(name))
    assert lesson_in(game_named("spit")) == lesson_in(Game("another name", game_named("spit").rules))


def test_the_rules_are_the_game_s_own() -> None:
    rules = lesson_in(game("spit", EVERYTHING)).match.rules
    same = ("game", "stock", "colours", "pairs", "stack_equal", "turn", "slap", "score", "points_target")
    assert {name: getattr(rules, name) for name in same} == {
        name: getattr(rules_of("spit", EVERYTHING), name) for name in same
    }


def test_no_cap_ends_a_lesson() -> None:
    *_, last = check(lesson_in(game("spit", Options(cap_rounds=1, cap_minutes=1))))
    assert last.after.winner is None


def test_hands_that_are_hidden_in_play_are_open_in_the_lesson() -> None:
    view = view_of(lesson_in(game("speed", Options(hands="hidden"))).match)
    assert all(pile.top is not None for pile in view.a.stock)


def test_the_slap_that_is_late_is_aimed_at_a_pile_in_either_layout() -> None:
    for layout in ("side_by_side", "face_to_face"):
        check(lesson_in(game_named("spit")), layout)


# In the cabinet


def cabinet_in_lesson(chosen: Game) -> tuple[VirtualCabinet, list[Snapshot]]:
    """A cabinet in whose lobby somebody has asked for the lesson."""
    cabinet = VirtualCabinet(GameSettings(games=(chosen,)), Random(3))
    for button in ("1", LESSON_BUTTON):
        cabinet.board.press(line_of("b", button), cabinet.clock.now_ns + 500 * MS, CLEAN)
        cabinet.run_until(cabinet.clock.now_ns + 1 * S)
    snapshots = [cabinet.game.latest]
    cabinet.on_snapshot = snapshots.append
    assert snapshots[0].lesson is not None
    return cabinet, snapshots


@pytest.mark.parametrize("name", ["pairs", "two_colours", "speed"])
def test_the_cabinet_plays_the_lesson_as_it_is_laid_down(name: str) -> None:
    """Through debouncer, arbiter, panel and engine comes what the captions promise, and nothing else."""
    plan = lesson_in(game_named(name))
    cabinet, snapshots = cabinet_in_lesson(game_named(name))
    cabinet.run_until(cabinet.clock.now_ns + plan.length_ns)
    taught = [one for one in snapshots if one.lesson is not None]
    happened: dict[int, Event] = {one.number: one.event for shown in taught for one in shown.happenings}
    wanted = [event for shown in played(plan) for moment in shown.moments for event in moment.events]
    assert [happened[number] for number in sorted(happened)][-len(wanted) :] == wanted
    assert list(dict.fromkeys(one.lesson.caption for one in taught if one.lesson)) == CAPTIONS[name]
    assert snapshots[-1].lesson is None
    cabinet.close()


def test_the_refused_press_gets_its_sign() -> None:
    cabinet, snapshots = cabinet_in_lesson(game_named("two_colours"))
    cabinet.run_until(cabinet.clock.now_ns + 6 * S)
    refused = {sign.number: sign for one in snapshots for sign in one.signs if sign.kind == "refused"}
    assert [sign.reason for sign in refused.values()] == ["COLOUR"]
    cabinet.close()


# Scripted hands

CONTACTS = (Contact(100, "1", True), Contact(170, "1", False), Contact(900, "spit", True))


def test_scripted_hands_press_at_their_times_and_each_contact_once() -> None:
    hands = Scripted(CONTACTS, started_ns=1_000)
    assert (hands.next_ns(), hands.contacts_until(1_099)) == (1_100, [])
    assert hands.contacts_until(1_170) == [Contact(1_100, "1", True), Contact(1_170, "1", False)]
    assert hands.next_ns() == 1_900
    assert hands.contacts_until(5_000) == [Contact(1_900, "spit", True)]
    assert (hands.next_ns(), hands.contacts_until(9_000)) == (None, [])


def test_scripted_hands_press_whatever_they_see() -> None:
    hands = Scripted(CONTACTS, started_ns=0)
    hands.see(view_of(lesson_in(game_named("spit")).match), offset_ns=0, shown_ns=50)
    assert len(hands.contacts_until(1_000)) == len(CONTACTS)
