"""What a seat, and a screen that both look at, may see: never a hidden card (RULES.md 3, 24, 52; section 9)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from cabinet.engine import judge
from cabinet.engine.actions import Draw, Drew, Event, Hinted, Play, Played, Ready, Slap, Spit
from cabinet.engine.cards import Card
from cabinet.engine.match import Match
from cabinet.engine.table import PILE_NAMES, SEATS, StockView
from cabinet.engine.view import seen_event, view_of
from tests.by_the_book import fits
from tests.hidden_cards import VIEWERS, Viewer, cards_in, hidden_cards, twin, visible_cards
from tests.tables import LONE, PLAIN, SPEED, SPEED_STUCK, STUCK, match_with

TWINS = 20
MS = 1_000_000

OUT_SOON: dict[str, Any] = {
    "a": {"stock": [["6S"], [], [], [], []], "spit": ["4*??"]},
    "b": {"stock": [["4D"], ["??", "KD"], [], [], []], "spit": ["5*??"]},
    "left": ["19*??", "5H"],
    "right": ["18*??", "JD"],
}
STACKED: dict[str, Any] = {
    **PLAIN,
    "a": {"stock": [["8H"], ["3D"], ["??", "5D", "5S"], ["(KD)"], []], "spit": ["4*??"]},
    "left": ["15*??", "7C"],
}
HIDDEN: dict[str, Any] = {"game": "speed", "hands": "hidden"}


def before_the_start() -> Match:
    return match_with({"new_match": True, "seed": 3}, **HIDDEN)


def after_the_round() -> Match:
    return judge.press(match_with(OUT_SOON), "a", Play(1, "left"), MS).match


SITUATIONS: dict[str, Match] = {
    "spit": match_with(PLAIN),
    "spit stuck": match_with(STUCK),
    "spit dealt": match_with({"new_match": True, "seed": 3}),
    "spit stacked and to be turned": match_with(STACKED, stack_equal=True, turn="manual"),
    "spit before the race opens": after_the_round(),
    "speed": match_with(SPEED, game="speed"),
    "speed dealt": match_with({"new_match": True, "seed": 3}, game="speed"),
    "speed with hidden hands": match_with(SPEED, **HIDDEN),
    "speed with hidden hands, stuck": match_with(SPEED_STUCK, **HIDDEN),
    "speed with hidden hands, dealt": before_the_start(),
}


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_matches_that_differ_in_hidden_things_only_look_the_same(situation: str, viewer: Viewer) -> None:
    match, rng = SITUATIONS[situation], Random(1)
    others = [twin(match, viewer, rng) for _ in range(TWINS)]
    assert all(other.table != match.table for other in others)
    assert all(view_of(other, viewer) == view_of(match, viewer) for other in others)


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_view_holds_the_visible_cards_and_no_other(situation: str, viewer: Viewer) -> None:
    match = SITUATIONS[situation]
    assert cards_in(view_of(match, viewer)) == visible_cards(match, viewer)


def test_all_hidden_cards_are_looked_for() -> None:
    """The five open tops of each and nothing else is seen of a fresh deal; of Speed with hidden hands nothing."""
    assert len(hidden_cards(SITUATIONS["spit dealt"], None)) == 42
    assert len(hidden_cards(before_the_start(), None)) == 52
    assert len(hidden_cards(before_the_start(), "a")) == 47


def test_the_search_finds_a_card_wherever_it_lies() -> None:
    view = view_of(match_with(PLAIN))
    card = Card.parse("AS")
    assert card not in cards_in(view)
    assert card in cards_in(replace(view, a=replace(view.a, stock=(*view.a.stock, StockView(1, None, (card,))))))
    with pytest.raises(AssertionError, match="Random"):
        cards_in((1, [Random()]))


def test_a_view_has_nothing_of_the_chance_and_no_opening_time() -> None:
    match = after_the_round()
    assert match.settling is not None
    found = repr({name: value for name, value in asdict(view_of(match)).items() if name != "rules"})
    assert str(match.settling.opens_ns) not in found
    assert "Random" not in found
    assert "chance" not in found


def test_the_opening_time_is_told_when_it_opens_and_not_before() -> None:
    match = after_the_round()
    assert match.settling is not None
    opens_ns = match.settling.opens_ns
    assert not view_of(judge.advance(match, opens_ns - 1).match).slap_open
    assert view_of(judge.advance(match, opens_ns).match).slap_open


def test_a_hidden_hand_is_seen_by_its_player_only() -> None:
    match = match_with(SPEED, **HIDDEN)
    hand = [Card.parse(text) for text in SPEED["a"]["hand"]]
    assert [slot.top for slot in view_of(match, "a").a.stock] == hand
    for viewer in ("b", None):
        seen = view_of(match, viewer).a
        assert [(slot.size, slot.top) for slot in seen.stock] == [(1, None)] * 5
        assert seen.draw_size == 10


def test_of_a_hidden_hand_it_is_seen_which_slots_are_empty() -> None:
    table = {**SPEED, "a": {"hand": ["6S", None, "KD", None, "JH"], "draw": ["12*??"]}}
    seen = view_of(match_with(table, **HIDDEN, draw="manual"), "b").a
    assert [slot.size for slot in seen.stock] == [1, 0, 1, 0, 1]


def test_what_fits_is_told_of_hands_that_are_seen_only() -> None:
    match = match_with(SPEED, **HIDDEN)
    assert {seat for seat, _, _ in view_of(match, "a").fitting} == {"a"}
    assert {seat for seat, _, _ in view_of(match, "b").fitting} == {"b"}
    assert view_of(match, None).fitting == frozenset()
    assert {seat for seat, _, _ in view_of(match_with(SPEED, game="speed")).fitting} == set(SEATS)


def test_open_hands_are_the_same_to_all() -> None:
    match = match_with(SPEED, game="speed")
    assert view_of(match, "a") == view_of(match, "b") == view_of(match)


def events_seen(match: Match, viewer: Viewer, events: tuple[Event, ...]) -> list[Event]:
    return [seen_event(match, event, viewer) for event in events]


def test_the_card_drawn_into_a_hidden_hand_is_told_to_its_player_only() -> None:
    match = match_with(SPEED, **HIDDEN)
    outcome = judge.press(match, "a", Play(1, "left"), MS)
    played = {viewer: events_seen(match, viewer, outcome.events)[0] for viewer in VIEWERS}
    assert all(isinstance(event, Played) and event.card == Card.parse("6S") for event in played.values())
    told = {viewer: getattr(event, "uncovered", "missing") for viewer, event in played.items()}
    assert told == {"a": Card.parse("2H"), "b": None, None: None}


def test_a_draw_by_hand_is_told_to_its_player_only() -> None:
    table = {**SPEED, "a": {"hand": ["6S", None, "KD", "2C", "JH"], "draw": ["2H", "10*??"]}}
    match = match_with(table, **HIDDEN, draw="manual")
    outcome = judge.press(match, "a", Draw(), MS)
    drawn = [events_seen(match, viewer, outcome.events)[0] for viewer in VIEWERS]
    assert [event.card for event in drawn if isinstance(event, Drew)] == [Card.parse("2H"), None, None]


def test_a_hint_for_a_hidden_hand_is_told_to_its_player_only() -> None:
    match = match_with(SPEED, **HIDDEN)
    hint = judge.advance(match, 5_000 * MS).events[0]
    seen = [seen_event(match, hint, viewer) for viewer in VIEWERS]
    assert [event.hint for event in seen if isinstance(event, Hinted)] == [Play(1, "left"), None, None]


def test_a_hint_for_an_open_hand_is_told_to_all() -> None:
    match = match_with(SPEED, game="speed")
    hint = judge.advance(match, 5_000 * MS).events[0]
    assert {seen_event(match, hint, viewer) for viewer in VIEWERS} == {hint}


def test_a_redeal_tells_nothing_of_the_cards() -> None:
    match = after_the_round()
    assert match.settling is not None
    outcome = judge.press(match, "b", Slap("left"), match.settling.opens_ns)
    assert outcome.refusal is None
    assert cards_in(outcome.events) == set()


# What is seen is what lies there


def test_hands_are_hidden_in_speed_only() -> None:
    match = match_with(PLAIN, hands="hidden")
    assert view_of(match, "a") == view_of(match)
    assert [pile.top for pile in view_of(match).b.stock[:2]] == [Card.parse("9S"), Card.parse("KC")]


def test_the_view_says_what_fits_where_as_the_book_does() -> None:
    for situation in ("spit", "spit stuck", "spit stacked and to be turned", "speed"):
        match = SITUATIONS[situation]
        expected = {
            (seat, number, name)
            for seat in SEATS
            for number in range(1, 6)
            for name in PILE_NAMES
            if (top := match.table.side(seat).top(number)) is not None
            and fits(top, (match.table.pile(name) or ())[-1], match.rules)
        }
        assert view_of(match).fitting == expected


def test_sizes_are_told_of_every_zone() -> None:
    view = view_of(SITUATIONS["speed with hidden hands"])
    assert [(side.draw_size, side.spit_size, side.owned) for side in (view.a, view.b)] == [
        (10, 0, 15),
        (10, 0, 15),
    ]
    assert (view.side_left, view.side_right) == (10, 10)
    view = view_of(SITUATIONS["spit"])
    assert [(side.draw_size, side.spit_size, side.owned) for side in (view.a, view.b)] == [(0, 5, 9), (0, 5, 8)]
    assert [[pile.size for pile in side.stock] for side in (view.a, view.b)] == [[1, 1, 2, 0, 0], [1, 2, 0, 0, 0]]
    assert [pile.size for pile in (view.left, view.right) if pile] == [17, 18]


def test_who_is_ready_and_who_has_called_is_told() -> None:
    ready = judge.press(SITUATIONS["spit dealt"], "b", Ready(), MS).match
    assert [view_of(ready).side(seat).is_ready for seat in SEATS] == [False, True]
    called = judge.press(SITUATIONS["spit stuck"], "b", Spit(), MS).match
    assert [view_of(called).side(seat).has_called for seat in SEATS] == [False, True]
    assert [view_of(SITUATIONS["spit"]).side(seat).has_called for seat in SEATS] == [False, False]


def test_a_lone_spitter_is_told_and_whether_a_pile_is_wanted() -> None:
    lone = match_with(LONE)
    assert (view_of(lone).is_stuck, view_of(lone).lone_spitter, view_of(lone).needs_pile) == (True, "b", True)
    beat = judge.press(lone, "b", Spit("left"), MS).match
    view = view_of(beat)
    assert (view.needs_pile, view.beat is not None and view.beat.piles) == (False, ("left",))
    assert not view_of(match_with({**LONE, "lock": {"b": "right"}})).needs_pile
    single = {**LONE, "left": None, "right": ["38*??", "5C"], "a": {"stock": LONE["a"]["stock"], "spit": []}}
    assert not view_of(match_with(single)).needs_pile
    assert not view_of(SITUATIONS["spit stuck"]).needs_pile
    assert not view_of(SITUATIONS["spit"]).needs_pile


def test_a_beat_tells_the_piles_on_which_cards_will_turn() -> None:
    match = SITUATIONS["spit dealt"]
    for seat in SEATS:
        match = judge.press(match, seat, Ready(), MS).match
    beat = view_of(match).beat
    assert beat is not None
    assert (beat.kind, beat.piles, beat.ends_ns - beat.starts_ns) == ("deal", ("left", "right"), 1_800 * MS)
    assert view_of(SITUATIONS["spit"]).beat is None
