"""Both games with every option, pressed at random for minutes: run with ``pytest -m long``."""

from __future__ import annotations

from random import Random

import pytest

from cabinet.engine import judge
from cabinet.engine.actions import Event
from cabinet.engine.match import Match
from cabinet.engine.table import SEATS
from cabinet.engine.view import seen_event, view_of
from tests.drawn_matches import drawn_match, drawn_rules
from tests.hidden_cards import VIEWERS, cards_in, shown_on_the_way, twin, visible_cards
from tests.watched_match import WatchedMatch, any_action, close_presses, presses_that_count

pytestmark = pytest.mark.long

MS = 1_000_000


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_hands_that_press_anything_break_nothing_and_see_nothing_hidden(first: int) -> None:
    for seed in range(first, first + 100):
        rng = Random(seed)
        watched = WatchedMatch(drawn_match(rng, drawn_rules(rng)))
        watched.on_step = look
        for _ in range(rng.choice((50, 200, 600))):
            if watched.match.is_over:
                break
            press_or_wait(rng, watched)
            viewer = rng.choice(VIEWERS)
            assert view_of(twin(watched.match, viewer, rng), viewer) == view_of(watched.match, viewer)
        watched.check_told_again()


def look(before: Match, after: Match, events: tuple[Event, ...]) -> None:
    """Of what follows from one press; two presses at once may show a card that is gone when both are done."""
    for viewer in VIEWERS:
        known = visible_cards(before, viewer) | visible_cards(after, viewer)
        known |= shown_on_the_way(after, viewer, events)
        assert cards_in([seen_event(after, event, viewer) for event in events]) <= known


def press_or_wait(rng: Random, watched: WatchedMatch) -> None:
    kind = rng.random()
    if kind < 0.3:
        wait_ns = rng.choice((0, 1, 10 * MS, 60 * MS, 501 * MS, 1_000 * MS))
        watched.press(rng.choice(SEATS), any_action(rng, watched.match.rules), wait_ns)
        return
    due_ns = judge.next_time_out_ns(watched.match)
    if kind > 0.9 and due_ns is not None:
        watched.wait_until(due_ns)
        return
    watched.wait_until(watched.match.now_ns + rng.choice((0, 60 * MS, 600 * MS)))
    presses = presses_that_count(watched.match)
    if kind > 0.7:
        watched.on_step = lambda _before, _after, _events: None
        watched.press_together(close_presses(rng, watched.match))
        watched.on_step = look
    elif presses:
        assert watched.press(*rng.choice(presses), 0).refusal is None


@pytest.mark.parametrize("first", range(0, 2_000, 500))
def test_every_match_ends_when_only_the_machine_plays(first: int) -> None:
    for seed in range(first, first + 500):
        rng = Random(seed)
        rules = drawn_rules(rng, force_ms=200, spit_wait_ms=20, spit_auto_ms=20, slap_timeout_ms=20)
        watched = WatchedMatch(drawn_match(rng, rules))
        steps = 0
        while not watched.match.is_over:
            steps += 1
            assert steps < 60_000
            for seat in SEATS:
                if seat not in watched.match.ready and watched.match.phase == "ready":
                    watched.make_ready(seat)
            due_ns = judge.next_time_out_ns(watched.match)
            assert due_ns is not None, "the match stands still"
            watched.wait_until(due_ns)
