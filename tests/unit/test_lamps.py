"""What each lamp does, scene by scene and setting by setting."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from cabinet.buttons.lamp_state import BRIGHTEST, Lamps, LampState
from cabinet.engine.match import new_match
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import SEATS, View
from cabinet.engine.view import view_of
from cabinet.lamps import ASKS, LIT, LOST, PAUSED, STUCK, LampSettings, Situation, lamps_of
from cabinet.panel import BUTTONS, LONE_SPIT_RESTS_NS, SPACE_RESTS_NS, Hand, Panel, line_of
from cabinet.snapshot import Player, Scene, SeatStatus
from tests import tables
from tests.tables import LONE, PLAIN, SLAP, SPEED, SPEED_STUCK, match_with, view_with
from tests.tables import STUCK as STUCK_TABLE

MS = 1_000_000
HELP, ALWAYS, OFF = (LampSettings(mode=mode) for mode in ("help", "always", "off"))
MODES = pytest.mark.parametrize("settings", [HELP, ALWAYS, OFF], ids=["help", "always", "off"])
SLAP_BUTTONS = {"1", "2", "4", "5", "left", "right"}


def situation(
    scene: Scene, view: View | None = None, players: tuple[Player, Player] = ("human", "human"), **more: Any
) -> Situation:
    seats = {"seats_a": SeatStatus(players[0]), "seats_b": SeatStatus(players[1])}
    panel = Panel() if view is None else Panel().seeing(view)
    return Situation(**{"scene": scene, "view": view, "panel": panel, **seats, **more})


def at(settings: LampSettings, *arguments: Any, **more: Any) -> dict[str, LampState]:
    return dict(lamps_of(situation(*arguments, **more), settings))


def lit(lamps: dict[str, LampState]) -> set[str]:
    return {line for line, state in lamps.items() if state == LIT}


def start(lamps: dict[str, LampState]) -> tuple[str, str]:
    words = {LIT: "on", ASKS: "asks", None: "off"}
    return words[lamps.get("a.spit")], words[lamps.get("b.spit")]


def of_both(*buttons: str) -> set[str]:
    return {f"{seat}.{button}" for seat in SEATS for button in buttons}


def waiting() -> View:
    return view_of(new_match(ARCADE, Random(1)))


def slap(*, is_open: bool) -> View:
    return replace(view_with(SLAP), slap_open=is_open)


# START, whatever the setting


@MODES
def test_in_attract_both_starts_ask(settings: LampSettings) -> None:
    assert start(at(settings, "attract", view_with(PLAIN))) == ("asks", "asks")


@MODES
def test_after_a_match_start_asks_when_it_counts(settings: LampSettings) -> None:
    view = view_with(PLAIN)
    assert start(at(settings, "result", view)) == ("off", "off")
    assert start(at(settings, "result", view, may_go_again=True)) == ("asks", "asks")


@MODES
def test_in_the_lobby_start_burns_for_who_is_ready(settings: LampSettings) -> None:
    lamps = at(settings, "lobby", seats_a=SeatStatus("human", is_ready=True), seats_b=SeatStatus("human"))
    assert start(lamps) == ("on", "asks")


@MODES
def test_before_a_deal_start_burns_for_who_is_ready(settings: LampSettings) -> None:
    view = waiting()
    lamps = at(settings, "match", replace(view, a=replace(view.a, is_ready=True)))
    assert start(lamps) == ("on", "asks")
    assert lamps.keys() == {"a.spit", "b.spit"}, "no other button means anything now"


@MODES
def test_in_play_start_asks_when_the_table_is_stuck(settings: LampSettings) -> None:
    assert start(at(settings, "match", view_with(PLAIN))) == ("off", "off")
    assert start(at(settings, "match", view_with(STUCK_TABLE))) == ("asks", "asks")
    assert start(at(settings, "match", view_with(SPEED_STUCK, game="speed"))) == ("asks", "asks")


@MODES
def test_a_call_makes_start_burn(settings: LampSettings) -> None:
    view = view_with(STUCK_TABLE)
    assert start(at(settings, "match", replace(view, b=replace(view.b, has_called=True)))) == ("asks", "on")


@MODES
def test_only_the_lone_spitter_is_asked(settings: LampSettings) -> None:
    assert start(at(settings, "match", view_with(LONE))) == ("off", "asks")


@MODES
def test_a_robots_lamps_ask_nobody(settings: LampSettings) -> None:
    assert start(at(settings, "match", waiting(), ("human", "robot"))) == ("asks", "off")
    lamps = at(settings, "match", view_with(PLAIN), ("robot", "human"), calm_ns=60_000 * MS)
    assert not {line for line in lamps if line.startswith("a.")}


@MODES
def test_somebody_is_asked_whether_anybody_is_there(settings: LampSettings) -> None:
    lamps = at(settings, "match", view_with(PLAIN), ("human", "robot"), is_anybody_asked=True)
    assert start(lamps) == ("asks", "off")


# Troubles, whatever the setting


@MODES
def test_a_stuck_button_blinks_dimly_and_slowly(settings: LampSettings) -> None:
    stuck = SeatStatus("human", stuck_lines=("a.1", "a.spit"))
    lamps = at(settings, "match", view_with(PLAIN), seats_a=stuck, calm_ns=60_000 * MS)
    assert (lamps["a.1"], lamps["a.spit"]) == (STUCK, STUCK)
    assert STUCK.mode == "blink"
    assert STUCK.brightness < BRIGHTEST / 2
    assert STUCK.period_ms >= 2_000


@MODES
@pytest.mark.parametrize("scene", ["attract", "lobby", "match", "result"])
def test_when_the_buttons_do_not_answer_all_lamps_breathe(scene: Scene, settings: LampSettings) -> None:
    lamps = at(settings, scene, view_with(PLAIN), is_missing=True, is_paused=scene == "match")
    assert lamps == dict.fromkeys(of_both(*BUTTONS), LOST)
    assert LOST.mode == "breathe"


@MODES
def test_a_pause_turns_all_down_and_tells_nothing_of_its_end(settings: LampSettings) -> None:
    lamps = at(settings, "match", view_with(PLAIN), is_paused=True)
    assert lamps == dict.fromkeys(of_both(*BUTTONS), PAUSED)
    assert (PAUSED.mode, PAUSED.brightness < BRIGHTEST / 4) == ("on", True)


# Off


@pytest.mark.parametrize("view", [view_with(PLAIN), slap(is_open=True), view_with(LONE)])
def test_off_leaves_all_but_start_dark(view: View) -> None:
    for scene in ("attract", "lobby", "match", "result"):
        for is_lesson in (False, True):
            lamps = at(OFF, scene, view, calm_ns=60_000 * MS, is_lesson=is_lesson, may_page=True)
            assert lamps.keys() <= of_both("spit")


# Always


def test_always_lights_each_card_that_fits_and_no_other() -> None:
    assert lit(at(ALWAYS, "match", view_with(PLAIN))) == {"a.1", "a.2"}
    assert lit(at(ALWAYS, "match", view_with(SPEED, game="speed"))) == {"a.1", "a.3", "a.5", "b.1"}


def test_a_space_is_lit_once_it_can_be_armed_and_then_what_can_go_there() -> None:
    view = view_with(PLAIN)
    since_ns = view.now_ns
    a, b = Hand(spaces=(None, None, None, since_ns, since_ns)), Hand(spaces=(None, None, *[since_ns] * 3))
    young, old = view, replace(view, now_ns=since_ns + SPACE_RESTS_NS)
    assert lit(at(ALWAYS, "match", young, panel=Panel(a, b))) == {"a.1", "a.2"}
    assert lit(at(ALWAYS, "match", old, panel=Panel(a, b))) == {"a.1", "a.2", "a.4", "a.5", "b.3", "b.4", "b.5"}
    armed = Panel(replace(a, armed=4, armed_ns=old.now_ns), b)
    assert {"a.1", "a.2", "a.3", "a.4"} <= lit(at(ALWAYS, "match", old, panel=armed))


def test_a_locked_seat_is_dark_until_its_lock_ends() -> None:
    view = view_with(PLAIN)
    locked = replace(view, a=replace(view.a, locked_until_ns=view.now_ns + 1))
    assert lit(at(ALWAYS, "match", locked)) == set()
    assert lit(at(ALWAYS, "match", replace(locked, now_ns=locked.now_ns + 1))) == {"a.1", "a.2"}


def test_a_card_to_be_turned_or_drawn_by_hand_is_lit() -> None:
    face_down = {**PLAIN, "a": {**PLAIN["a"], "stock": [["8H"], ["3D"], ["??", "??"], [], []]}}
    assert "a.3" in lit(at(ALWAYS, "match", view_with(face_down, turn="manual")))
    draws = {**SPEED, "a": {"hand": ["6S", None, "KD", "2C", "JH"], "draw": ["9D", "2H", "9*??"]}}
    assert "a.2" in lit(at(ALWAYS, "match", view_with(draws, game="speed", draw="manual")))


def test_hidden_hands_stay_hidden() -> None:
    view = view_with(SPEED, game="speed", hands="hidden")
    assert lit(at(ALWAYS, "match", view)) == set()
    assert lit(at(HELP, "match", view, calm_ns=60_000 * MS)) == set()


# Help


def test_help_shows_what_fits_only_after_a_calm_and_sooner_in_the_first_round() -> None:
    first = view_with(PLAIN)
    later = replace(first, round=2)
    hint_ns = first.rules.hint_ms * MS
    assert hint_ns == 5_000 * MS
    for view, patience_ns in ((first, 1_500 * MS), (later, hint_ns)):
        assert at(HELP, "match", view, calm_ns=patience_ns - 1) == {}
        assert lit(at(HELP, "match", view, calm_ns=patience_ns)) == {"a.1", "a.2"}


def test_rules_without_a_hint_leave_nobody_one_by_lamp() -> None:
    view = view_with(PLAIN, hint_ms=0)
    assert at(HELP, "match", view, calm_ns=60_000 * MS) == {}


@pytest.mark.parametrize("settings", [HELP, ALWAYS])
def test_a_lesson_shows_on_the_buttons_what_could_be_pressed(settings: LampSettings) -> None:
    nobody: tuple[Player, Player] = ("nobody", "nobody")
    lamps = at(settings, "attract", view_with(PLAIN, hint_ms=0), nobody, is_lesson=True)
    assert lit(lamps) == {"a.1", "a.2"}
    assert start(lamps) == ("asks", "asks")
    assert lit(at(settings, "lobby", view_with(PLAIN, hint_ms=0), nobody, is_lesson=True)) == {"a.1", "a.2"}


# Where it is no question what fits


@pytest.mark.parametrize("settings", [HELP, ALWAYS])
def test_the_lobby_shows_what_pages_and_what_teaches(settings: LampSettings) -> None:
    assert lit(at(settings, "lobby", players=("nobody", "nobody"))) == of_both("4")
    assert lit(at(settings, "lobby", players=("nobody", "nobody"), may_page=True)) == of_both("1", "4", "5")


@pytest.mark.parametrize("settings", [HELP, ALWAYS])
def test_the_slaps_cue_comes_out_of_the_dark_at_both_seats_at_once(settings: LampSettings) -> None:
    assert at(settings, "match", slap(is_open=False)) == {}
    assert at(settings, "match", slap(is_open=True)) == dict.fromkeys(of_both(*SLAP_BUTTONS), LIT)


@pytest.mark.parametrize("settings", [HELP, ALWAYS])
def test_only_who_chooses_is_asked_for_a_pile(settings: LampSettings) -> None:
    view = replace(slap(is_open=True), phase="choose", chooser="b")
    assert lit(at(settings, "match", view)) == {f"b.{button}" for button in SLAP_BUTTONS}
    assert at(settings, "match", replace(view, slap_open=False)) == {}


@pytest.mark.parametrize("settings", [HELP, ALWAYS])
def test_who_spits_alone_is_asked_for_a_pile_once_the_buttons_count(settings: LampSettings) -> None:
    view = view_with(LONE)
    assert view.stuck_since_ns is not None
    assert lit(at(settings, "match", view)) == set()
    later = replace(view, now_ns=view.stuck_since_ns + LONE_SPIT_RESTS_NS)
    assert lit(at(settings, "match", later)) == {f"b.{button}" for button in SLAP_BUTTONS}


# Waves


@pytest.mark.parametrize("settings", [HELP, ALWAYS])
def test_in_attract_light_swings_from_the_edges_to_the_middle(settings: LampSettings) -> None:
    lamps = at(settings, "attract", view_with(PLAIN), ("robot", "robot"))
    assert [lamps[f"a.{number}"].phase for number in range(1, 6)] == [0, 3, 6, 9, 12]
    assert [lamps[f"b.{number}"].phase for number in range(5, 0, -1)] == [0, 3, 6, 9, 12]
    assert {state.mode for line, state in lamps.items() if line not in of_both("spit")} == {"breathe"}


@pytest.mark.parametrize("settings", [HELP, ALWAYS])
def test_the_result_shines_on_the_winners_side(settings: LampSettings) -> None:
    view = replace(view_with(PLAIN), phase="over", winner="b")
    assert at(settings, "result", view).keys() == {f"b.{number}" for number in range(1, 6)}
    assert at(settings, "result", replace(view, winner=None)).keys() == of_both("1", "2", "3", "4", "5")


# Settings


def test_brightness_dims_every_lamp_and_puts_none_out() -> None:
    half = LampSettings(mode="always", brightness=50)
    lamps = at(half, "match", view_with(PLAIN))
    assert lamps == dict.fromkeys(("a.1", "a.2"), replace(LIT, brightness=127))
    dimmest = LampSettings(brightness=30)
    assert {state.brightness for state in at(dimmest, "attract", is_paused=True).values()} == {14}
    with pytest.raises(msgspec.ValidationError, match=">= 30"):
        msgspec.convert({"brightness": 29}, LampSettings)


def test_lamps_come_in_one_order_so_that_equal_situations_give_equal_snapshots() -> None:
    lamps: Lamps = lamps_of(situation("attract"), HELP)
    assert list(lamps) == sorted(lamps, key=lambda one: one[0])


def test_the_tables_of_these_tests_are_what_they_say() -> None:
    assert match_with(tables.SLAP).phase == "slap"
    assert line_of("a", "left") == "a.left"
