"""On any table of any rules: lit is what would do something, the same at both seats, and nothing else."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cabinet.buttons.edges import HOST_CLOCK, Press
from cabinet.buttons.lamp_state import LampState, brightness_at
from cabinet.engine import judge
from cabinet.engine.actions import StockAction
from cabinet.engine.match import with_hand
from cabinet.engine.misses import MISSES
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, SEATS, Seat, SideView, View
from cabinet.engine.view import hides_hands
from cabinet.lamps import LIT, LampSettings, Situation, lamps_of
from cabinet.panel import BUTTONS, START, Button, Layout, Panel, Pressed, line_of, meaning, place_of
from cabinet.session import Session
from cabinet.snapshot import Scene, SeatStatus
from tests.drawn_matches import drawn_match, drawn_rules

MS: Final = 1_000_000
SEEDS = st.integers(0, 2**32)
HUMAN: Final = SeatStatus("human")
MODES: Final = tuple(LampSettings(mode=mode) for mode in ("help", "always", "off"))
ALWAYS: Final = MODES[1]
TABLE_BUTTONS: Final = tuple(button for button in BUTTONS if button != START)
SCENES: Final[tuple[Scene, ...]] = ("attract", "lobby", "match", "result")


class Walk:
    """A match somewhere in play, in which anybody presses anything."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.layout: Layout = self.rng.choice(("side_by_side", "face_to_face"))
        self.session = Session(drawn_match(self.rng, drawn_rules(self.rng)), 0, self.layout)
        self._count = 0

    def step(self) -> None:
        now_ns = self.session.match.now_ns + self.rng.choice((1, 60 * MS, 320 * MS, 1_500 * MS))
        due_ns = judge.next_time_out_ns(self.session.match)
        if due_ns is not None and self.rng.random() < 0.3:
            self.session.advance(due_ns)
            return
        self.session.advance(now_ns)
        seat = self.rng.choice(SEATS)
        lit = [place for line in self.lit() if (place := place_of(line)) is not None and place[0] == seat]
        button = self.rng.choice(lit)[1] if lit and self.rng.random() < 0.5 else self.rng.choice(BUTTONS)
        self._count += 1
        press = Press(line_of(seat, button), now_ns, 0, HOST_CLOCK, self._count)
        self.session.judge([self.session.seat_press(seat, button, press)])

    def situation(self) -> Situation:
        session = self.session
        return Situation(
            scene="match",
            seats_a=HUMAN,
            seats_b=HUMAN,
            view=session.view,
            panel=session.panel,
            layout=self.layout,
            calm_ns=session.match.now_ns - session.match.progress_ns,
        )

    def lit(self) -> set[str]:
        return {line for line, state in lamps_of(self.situation(), ALWAYS) if state == LIT}

    def what_comes_of(self, seat: Seat, button: Button) -> tuple[bool, bool]:
        """Whether a press would do something now, and whether it would be a miss."""
        match, panel = self.session.match, self.session.panel
        rested = with_hand(match, seat, replace(match.hand(seat), acted_ns=None))
        meant = meaning(panel, Pressed(seat, button), self.session.seat_view(seat), self.layout)
        if meant.action is None:
            return meant.panel != panel and match.now_ns >= match.hand(seat).locked_until_ns, False
        refusal = judge.action_refusal(rested, seat, meant.action)
        return refusal is None, isinstance(meant.action, StockAction) and refusal in MISSES


@settings(max_examples=200, deadline=None)
@given(seed=SEEDS)
def test_always_lights_exactly_what_would_do_something(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(25):
        lit = walk.lit()
        is_hidden, view = hides_hands(walk.session.match), walk.session.view
        for seat in SEATS:
            for button in TABLE_BUTTONS:
                acts, is_miss = walk.what_comes_of(seat, button)
                is_lit = line_of(seat, button) in lit
                assert not (is_lit and is_miss)
                if not is_hidden and view.phase != "slap":
                    assert is_lit == acts, (seat, button)
                assert acts or not is_lit or view.phase == "slap"
        walk.step()


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_help_lights_no_more_than_always_and_nothing_that_is_hidden(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(20):
        situation = walk.situation()
        always = dict(lamps_of(situation, ALWAYS))
        for mode in MODES:
            lamps = dict(lamps_of(situation, mode))
            assert lamps.items() <= always.items()
        if hides_hands(walk.session.match) and situation.view is not None and situation.view.phase == "play":
            held = {
                line_of(seat, button)
                for seat in SEATS
                for button, slot in zip(BUTTONS, situation.view.side(seat).stock, strict=False)
                if slot.size
            }
            assert not held & always.keys()
        walk.step()


def mirrored_side(side: SideView) -> SideView:
    return replace(side, tied_to=OTHER_PILE[side.tied_to] if side.tied_to else None)


def mirrored(view: View) -> View:
    def other(seat: Seat | None) -> Seat | None:
        return None if seat is None else OTHER_SEAT[seat]

    return replace(
        view,
        a=mirrored_side(view.b),
        b=mirrored_side(view.a),
        left=view.right,
        right=view.left,
        lone_spitter=other(view.lone_spitter),
        chooser=other(view.chooser),
        winner=other(view.winner),
        token=OTHER_SEAT[view.token],
        fitting=frozenset((OTHER_SEAT[seat], stock, OTHER_PILE[pile]) for seat, stock, pile in view.fitting),
    )


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_the_table_in_a_mirror_lights_the_other_seats_same_buttons(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(20):
        now = walk.situation()
        assert now.view is not None
        swapped = replace(now, view=mirrored(now.view), panel=Panel(now.panel.b, now.panel.a))
        for mode in MODES:
            lamps, others = dict(lamps_of(now, mode)), dict(lamps_of(swapped, mode))
            for button in BUTTONS:
                for seat in SEATS:
                    there = others.get(line_of(OTHER_SEAT[seat], button))
                    assert lamps.get(line_of(seat, button)) == there
        walk.step()


@pytest.mark.parametrize("scene", ["attract", "result"])
def test_waves_are_mirrored_across_the_panel(scene: Scene) -> None:
    situation = Situation(scene=scene, seats_a=SeatStatus(), seats_b=SeatStatus(), view=None, may_go_again=True)
    lamps = dict(lamps_of(situation, ALWAYS))
    for number in range(1, 6):
        assert lamps[f"a.{number}"] == lamps[f"b.{6 - number}"]
    assert lamps["a.spit"] == lamps["b.spit"]


def situations() -> list[Situation]:
    """Every scene, with every trouble that it can have."""
    stuck = SeatStatus("human", stuck_lines=("a.1", "a.4"))
    found = []
    for scene in SCENES:
        for seed in range(12):
            walk = Walk(seed)
            for _ in range(seed):
                walk.step()
            now = replace(walk.situation(), scene=scene, calm_ns=60_000 * MS, may_page=True, may_go_again=True)
            found += [now, replace(now, is_missing=True)]
            if scene == "match":
                found += [replace(now, is_anybody_asked=True, seats_a=stuck), replace(now, is_paused=True)]
            else:
                found.append(replace(now, is_lesson=True))
    return found


def rises_ns(state: LampState, step_ns: int, until_ns: int) -> list[int]:
    """When a lamp began to rise, and when one that can only be on and off went on."""
    shown = [brightness_at(state, at_ns) for at_ns in range(0, until_ns, step_ns)]
    lit = [2 * one > state.brightness for one in shown]
    return [(at + 1) * step_ns for at in range(len(lit) - 1) if lit[at + 1] and not lit[at]]


def most_within_a_second(times_ns: list[int]) -> int:
    return max((sum(at <= other < at + 1_000 * MS for other in times_ns) for at in times_ns), default=0)


def test_no_lamp_and_no_panel_flashes_more_than_three_times_a_second_in_any_scene() -> None:
    states = {lamps_of(now, mode) for now in situations() for mode in MODES}
    assert len(states) > 20
    moving = {tuple(sorted({state.numbers for _, state in lamps if state != LIT})) for lamps in states}
    assert len(moving) >= 6
    by_numbers = {state.numbers: state for lamps in states for _, state in lamps}
    for numbers in moving:
        rises = [rises_ns(by_numbers[one], 10 * MS, 7_000 * MS) for one in numbers]
        assert all(most_within_a_second(of_one) <= 3 for of_one in rises)
        assert most_within_a_second(sorted({at_ns for of_one in rises for at_ns in of_one})) <= 3
