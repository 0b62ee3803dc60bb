"""Which START lamp burns: it blinks while START asks to be pressed, and burns when it has been."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from cabinet.engine.match import new_match
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import Seat, View
from cabinet.engine.view import view_of
from cabinet.lamps import BLINK_NS, lit_lines
from cabinet.snapshot import Player, Scene, SeatStatus
from tests.tables import LONE, PLAIN, SPEED_STUCK, STUCK, view_with


def lamps(
    scene: Scene, view: View | None, players: tuple[Player, Player] = ("human", "human"), ready: bool = False
) -> tuple[str, str]:
    """What each START lamp does, told from half a period of light and half of dark."""
    seats: dict[Seat, SeatStatus] = {"a": SeatStatus(players[0], ready), "b": SeatStatus(players[1])}
    light, dark = (lit_lines(scene, seats, view, half * BLINK_NS) for half in (0, 1))

    def of(line: str) -> str:
        if line in light and line in dark:
            return "on"
        return "blinks" if line in light else "off"

    return of("a.spit"), of("b.spit")


def waiting() -> View:
    return view_of(new_match(ARCADE, Random(1)))


def test_in_attract_and_after_a_match_both_blink() -> None:
    assert lamps("attract", view_with(PLAIN)) == ("blinks", "blinks")
    assert lamps("result", view_with(PLAIN)) == ("blinks", "blinks")


def test_in_the_lobby_a_lamp_burns_for_who_is_ready() -> None:
    assert lamps("lobby", None, ready=True) == ("on", "blinks")


def test_before_a_deal_a_lamp_burns_for_who_is_ready() -> None:
    view = waiting()
    assert lamps("match", replace(view, a=replace(view.a, is_ready=True))) == ("on", "blinks")


def test_in_play_the_lamps_are_dark_until_the_table_is_stuck() -> None:
    assert lamps("match", view_with(PLAIN)) == ("off", "off")
    assert lamps("match", view_with(STUCK)) == ("blinks", "blinks")
    assert lamps("match", view_with(SPEED_STUCK, game="speed")) == ("blinks", "blinks")


def test_a_call_makes_the_lamp_burn() -> None:
    view = view_with(STUCK)
    assert lamps("match", replace(view, b=replace(view.b, has_called=True))) == ("blinks", "on")


def test_only_the_lone_spitter_is_asked() -> None:
    assert lamps("match", view_with(LONE)) == ("off", "blinks")


def test_a_robots_lamp_asks_nobody() -> None:
    assert lamps("match", waiting(), ("human", "robot")) == ("blinks", "off")


def test_no_lamp_flashes_more_than_three_times_a_second() -> None:
    assert 1_000_000_000 / (2 * BLINK_NS) <= 3
