"""The lamps in the game's snapshots: told once, at the moment at which what they do changes, and not again."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from gpiozero.pins.mock import MockFactory

from cabinet.buttons.edges import Line
from cabinet.buttons.gpio_lamps import GpioLamps
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.lamp_state import BRIGHTEST
from cabinet.demo import Demo
from cabinet.engine.actions import SlapOpened
from cabinet.engine.table import SEATS
from cabinet.game import GameSettings
from cabinet.lamps import ASKS, LIT, LOST, PAUSED, STUCK, LampSettings
from cabinet.panel import BUTTONS, line_of
from cabinet.snapshot import Snapshot
from tests.game_desk import MS, Desk, S, lose_source

ALL_LINES = {line_of(seat, button) for seat in SEATS for button in BUTTONS}
SLAP_LINES = {line_of(seat, button) for seat in SEATS for button in BUTTONS if button not in ("3", "spit")}
MINUTES_NS = 180 * S


@cache
def played(settings: LampSettings, until_ns: int = MINUTES_NS) -> list[tuple[int, Snapshot]]:
    """The snapshots of a demo, in which people play a match, with the times at which they came."""
    demo = Demo(GameSettings(lamps=settings), 5)
    seen: list[tuple[int, Snapshot]] = []
    demo.watch(lambda snapshot: seen.append((demo.now_ns, snapshot)))
    demo.run_until(until_ns)
    demo.close()
    return seen


def test_nothing_new_is_published_while_lamps_blink() -> None:
    desk = Desk()
    desk.tap("a.spit")
    desk.wait(2_500 * MS)
    assert desk.look().lamp("a.spit") == desk.look().lamp("b.spit") == ASKS
    number = desk.look().number
    desk.wait(3 * S)
    assert desk.look().number == number


def test_the_slaps_cue_is_in_the_snapshot_that_tells_of_the_opening() -> None:
    snapshots = [snapshot for _, snapshot in played(LampSettings())]
    opened = [
        (before, snapshot)
        for before, snapshot in pairwise(snapshots)
        if any(isinstance(one.event, SlapOpened) for one in snapshot.happenings)
        and snapshot.view is not None
        and snapshot.view.slap_open
        and before.view is not None
        and not before.view.slap_open
    ]
    assert opened
    for before, snapshot in opened:
        assert before.lamps == ()
        assert dict(snapshot.lamps) == dict.fromkeys(SLAP_LINES, LIT)


def test_no_lamp_of_a_match_is_lit_more_than_three_times_a_second() -> None:
    seen = played(LampSettings(mode="always"))
    numbers = {line: number for number, line in enumerate(sorted(ALL_LINES), 4)}
    factory, clock = MockFactory(), [0]
    lamps = GpioLamps(GpioSettings(lamps=numbers), factory, lambda: clock[0])
    was_lit: set[Line] = set()
    lit_ns: dict[Line, list[int]] = {line: [] for line in numbers}
    for (at_ns, snapshot), (next_ns, _) in pairwise(seen):
        clock[0] = at_ns
        while clock[0] < next_ns:
            lamps.set(dict(snapshot.lamps))
            lit = {line for line, number in numbers.items() if factory.pin(number).state}
            for line in lit - was_lit:
                lit_ns[line].append(clock[0])
            was_lit = lit
            rest_s = lamps.rest_s()
            clock[0] = next_ns if rest_s is None else min(next_ns, clock[0] + max(1, round(rest_s * S)))
    assert sum(map(len, lit_ns.values())) > 300
    for times_ns in lit_ns.values():
        assert max(sum(at <= other < at + S for other in times_ns) for at in times_ns) <= 3


def test_help_leaves_play_dark_while_people_find_their_cards() -> None:
    seen = [snapshot for _, snapshot in played(LampSettings())]
    in_play = [one for one in seen if one.scene == "match" and one.view is not None and one.view.phase == "play"]
    dark = [one for one in in_play if not {line for line, _ in one.lamps} - {"a.spit", "b.spit"}]
    assert len(in_play) > 100
    assert len(dark) > 0.9 * len(in_play)


def test_lost_buttons_breathe_and_then_all_is_turned_down_until_play_goes_on() -> None:
    desk = Desk()
    desk.start_match()
    give_back = lose_source(desk)
    desk.wait(300 * MS)
    assert dict(desk.look().lamps) == dict.fromkeys(ALL_LINES, LOST)
    give_back()
    desk.wait(300 * MS)
    assert desk.look().goes_on_ns is not None
    assert dict(desk.look().lamps) == dict.fromkeys(ALL_LINES, PAUSED)
    desk.wait(3 * S)
    assert PAUSED not in dict(desk.look().lamps).values()


def test_a_button_held_down_in_play_blinks_dimly_until_it_comes_up() -> None:
    desk = Desk(away_s=3_600)
    desk.start_match()
    desk.hold("a.3")
    desk.wait(16 * S)
    assert desk.look().lamp("a.3") == STUCK
    desk.cabinet.board.change("a.3", False, desk.now_ns)
    desk.wait(1 * S)
    assert desk.look().lamp("a.3") != STUCK


def test_settings_reach_the_lamps() -> None:
    snapshot = played(LampSettings(mode="off", brightness=50), 2 * S)[-1][1]
    assert dict(snapshot.lamps).keys() == {"a.spit", "b.spit"}
    assert {state.brightness for _, state in snapshot.lamps} == {BRIGHTEST // 2}


def test_what_lamps_do_changes_nothing_in_a_match() -> None:
    def told(settings: LampSettings) -> list[object]:
        happened: dict[int, object] = {}
        for _, snapshot in played(settings, 60 * S):
            happened |= {one.number: (one.at_ns, one.event) for one in snapshot.happenings}
        return [happened[number] for number in sorted(happened)]

    always, off = told(LampSettings(mode="always")), told(LampSettings(mode="off"))
    assert always == off
    assert len(always) > 30
