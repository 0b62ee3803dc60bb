"""Whatever is played, what is hidden never shows: not in a view, not in what is told of an action."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cabinet.engine import judge
from cabinet.engine.actions import Action, Drew, Event, Hinted, Moved, Played, Refused, TurnedUp
from cabinet.engine.match import Match
from cabinet.engine.table import SEATS, Seat, SpeedSide, SpitSide
from cabinet.engine.view import seen_event, view_of
from tests.drawn_matches import drawn_match, drawn_rules
from tests.hidden_cards import (
    VIEWERS,
    Viewer,
    cards_in,
    hidden_cards,
    shown_on_the_way,
    shuffled_among,
    twin,
    visible_cards,
    with_cards_exchanged,
)
from tests.watched_match import WatchedMatch, any_action, close_presses, presses_that_count

MS = 1_000_000
SEEDS = st.integers(0, 2**32)
OF_AN_ACTION = Played | Moved | TurnedUp | Drew | Refused
"""What is told of the action itself, and not of what follows from it at the table."""


def some_match(rng: Random) -> WatchedMatch:
    """Somewhere in a match; half of those of Speed have hidden hands."""
    hands = rng.choice(("open", "hidden"))
    return WatchedMatch(drawn_match(rng, drawn_rules(rng, hands=hands)))


def press_or_wait(rng: Random, watched: WatchedMatch) -> None:
    presses = presses_that_count(watched.match)
    due_ns = judge.next_time_out_ns(watched.match)
    if presses and rng.random() < 0.7:
        watched.press(*rng.choice(presses), rng.choice((0, 60 * MS)))
    elif due_ns is not None and rng.random() < 0.5:
        watched.wait_until(due_ns)
    else:
        watched.press(rng.choice(SEATS), any_action(rng, watched.match.rules), 60 * MS)


@settings(max_examples=150)
@given(seed=SEEDS)
def test_views_and_events_name_only_cards_that_the_viewer_saw_or_sees(seed: int) -> None:
    rng = Random(seed)
    watched = some_match(rng)

    def look(before: Match, after: Match, events: tuple[Event, ...]) -> None:
        for viewer in VIEWERS:
            known = visible_cards(before, viewer) | visible_cards(after, viewer)
            known |= shown_on_the_way(after, viewer, events)
            assert cards_in([seen_event(after, event, viewer) for event in events]) <= known
            assert cards_in(view_of(after, viewer)) <= visible_cards(after, viewer)

    watched.on_step = look
    for _ in range(40):
        press_or_wait(rng, watched)


@settings(max_examples=150)
@given(seed=SEEDS)
def test_a_view_is_the_same_whatever_is_hidden(seed: int) -> None:
    rng = Random(seed)
    watched = some_match(rng)
    for _ in range(20):
        press_or_wait(rng, watched)
        if rng.random() < 0.2:
            watched.press_together(close_presses(rng, watched.match))
        for viewer in VIEWERS:
            assert view_of(twin(watched.match, viewer, rng), viewer) == view_of(watched.match, viewer)


@settings(max_examples=200)
@given(seed=SEEDS)
def test_an_action_tells_the_same_whatever_stays_hidden(seed: int) -> None:
    """Of two tables that look alike before and after an action, nobody learns by the action which one it was."""
    rng = Random(seed)
    watched = some_match(rng)
    for _ in range(rng.randint(0, 30)):
        press_or_wait(rng, watched)
    match = watched.match
    for seat, action in [*presses_that_count(match), (rng.choice(SEATS), any_action(rng, match.rules))]:
        for viewer in VIEWERS:
            other = like_it_before_and_after(match, seat, action, viewer, rng)
            assert told(other, seat, action, viewer) == told(match, seat, action, viewer)


def like_it_before_and_after(match: Match, seat: Seat, action: Action, viewer: Viewer, rng: Random) -> Match:
    """The cards that stay hidden from the viewer have changed places; what is in a hidden hand stays there."""
    after = judge.press(match, seat, action, match.now_ns).match
    stay = hidden_cards(match, viewer) & hidden_cards(after, viewer)
    stay -= {card for side in (match.table.a, match.table.b) for card in in_hand(side)}
    return replace(match, table=with_cards_exchanged(match.table, shuffled_among(stay, rng)))


def in_hand(side: SpitSide | SpeedSide) -> set[int]:
    return {card for card in side.hand if card is not None} if isinstance(side, SpeedSide) else set()


def told(match: Match, seat: Seat, action: Action, viewer: Viewer) -> list[Event]:
    outcome = judge.press(match, seat, action, match.now_ns)
    seen = [seen_event(match, event, viewer) for event in outcome.events]
    return [event for event in seen if isinstance(event, OF_AN_ACTION)]


@settings(max_examples=100)
@given(seed=SEEDS)
def test_a_hint_does_not_tell_what_the_other_player_holds(seed: int) -> None:
    rng = Random(seed)
    match = drawn_match(rng, drawn_rules(rng, game="speed", hands="hidden", hint_ms=10, force_ms=0))
    for viewer in VIEWERS:
        hints = [
            seen_event(match, event, viewer)
            for event in judge.advance(match, match.now_ns + 20 * MS).events
            if isinstance(event, Hinted)
        ]
        assert all(event.hint is None or event.seat == viewer for event in hints if isinstance(event, Hinted))
