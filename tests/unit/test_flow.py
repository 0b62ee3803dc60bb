"""The cabinet between matches: HOUSE.md, "The panel" (attract, lobby, match over, and nobody pressing)."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from cabinet import flow as rules
from cabinet.engine.match import new_match
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import BeatView, View
from cabinet.engine.view import view_of
from cabinet.flow import Deal, EndMatch, Flow, FlowSettings, MakeReady, Show, Step, Teach
from cabinet.panel import Button
from cabinet.snapshot import Scene

S = 1_000_000_000
SETTINGS = FlowSettings()


def opening() -> Flow:
    return rules.opening(0).flow


def press(flow: Flow, at_s: float, seat: str = "a", button: Button = "spit") -> Step:
    return rules.press(flow, SETTINGS, "a" if seat == "a" else "b", button, int(at_s * S))


def lobby_with(*presses: tuple[str, float]) -> Flow:
    flow = opening()
    for seat, at_s in presses:
        flow = press(flow, at_s, seat).flow
    return flow


def waiting_view() -> View:
    return view_of(new_match(ARCADE, Random(1)))


def playing_view() -> View:
    return replace(waiting_view(), phase="play")


def advance(flow: Flow, at_s: float, view: View | None = None) -> Step:
    return rules.advance(flow, SETTINGS, view, int(at_s * S))


def scene_of(step: Step) -> Scene:
    return step.flow.scene


# attract


def test_the_cabinet_opens_with_a_show() -> None:
    assert rules.opening(0).orders == (Show(),)
    assert opening().scene == "attract"


def test_a_show_that_is_over_begins_again() -> None:
    assert advance(opening(), 1, replace(playing_view(), phase="over")).orders == (Show(),)
    assert advance(opening(), 1, playing_view()).orders == ()


def test_any_stock_button_wakes_and_start_joins() -> None:
    woken = press(opening(), 1, "a", "3")
    assert (scene_of(woken), woken.flow.a.player, woken.has_acted) == ("lobby", "nobody", True)
    joined = press(opening(), 1, "b")
    assert (scene_of(joined), joined.flow.b.player, joined.flow.a.player) == ("lobby", "human", "nobody")


# lobby


def test_two_who_join_and_say_ready_are_dealt() -> None:
    flow = lobby_with(("a", 1), ("b", 2), ("a", 3))
    assert (flow.scene, flow.a.is_ready, flow.b.is_ready) == ("lobby", True, False)
    last = press(flow, 4, "b")
    assert (scene_of(last), last.orders) == ("match", (Deal(),))


def test_alone_start_again_after_two_seconds_brings_a_robot() -> None:
    flow = lobby_with(("a", 1))
    assert rules.robot_joins_ns(flow, SETTINGS) == 3 * S
    assert press(flow, 2.999).flow.b.player == "nobody"
    dealt = press(flow, 3)
    assert (dealt.flow.b.player, dealt.orders, scene_of(dealt)) == ("robot", (Deal(),), "match")


def test_a_robot_never_comes_while_two_people_are_there() -> None:
    flow = lobby_with(("a", 1), ("b", 2))
    assert rules.robot_joins_ns(flow, SETTINGS) is None
    assert press(flow, 9).flow.b.player == "human"


def test_the_buttons_2_and_3_mean_nothing_in_the_lobby() -> None:
    flow = lobby_with(("a", 1))
    assert not press(flow, 2, "a", "2").has_acted
    assert not press(flow, 2, "a", "3").has_acted


# choosing a game


def three_games(*presses: tuple[str, float, Button]) -> Flow:
    """A lobby in which three games may be chosen, the second when nobody pages."""
    flow = rules.opening(0, games=3, default=1).flow
    for seat, at_s, button in (("a", 1, "spit"), *presses):
        flow = press(flow, at_s, seat, button).flow
    return flow


def test_either_seat_pages_through_the_games_and_round_the_end() -> None:
    assert three_games().choice == 1
    assert three_games(("a", 2, "5")).choice == 2
    assert three_games(("b", 2, "5"), ("b", 3, "5")).choice == 0
    assert three_games(("a", 2, "1"), ("b", 3, "1")).choice == 2


def test_with_one_game_there_is_nothing_to_page() -> None:
    step = press(lobby_with(("a", 1)), 2, "a", "5")
    assert not step.has_acted
    assert step.flow.choice == 0


def test_who_was_ready_for_one_game_is_not_ready_for_another() -> None:
    ready = three_games(("b", 2, "spit"), ("a", 3, "spit"))
    assert ready.a.is_ready
    paged = press(ready, 4, "b", "5").flow
    assert not paged.a.is_ready
    assert press(paged, 5, "b").orders == ()
    assert press(press(paged, 5, "b").flow, 6, "a").orders == (Deal(),)


def test_the_game_that_was_played_is_offered_again_and_forgotten_in_attract() -> None:
    flow = three_games(("a", 2, "5"), ("b", 3, "spit"), ("a", 4, "spit"), ("b", 5, "spit"))
    over = advance(flow, 100, replace(playing_view(), phase="over")).flow
    assert press(over, 103).flow.choice == 2
    gone = advance(over, 200).flow
    assert (gone.scene, gone.choice) == ("attract", 1)


def test_waking_up_from_a_show_of_another_game_offers_the_default() -> None:
    flow = rules.opening(0, games=3, default=1).flow
    taught = rules.taught(flow, 10 * S)
    shown = advance(taught, 10, playing_view()).flow
    assert shown.choice == 2
    assert press(shown, 11).flow.choice == 1


# lessons


def test_button_4_shows_the_lesson_and_ends_it() -> None:
    step = press(three_games(), 2, "b", "4")
    assert step.orders == (Teach(),)
    taught = rules.taught(step.flow, 17 * S)
    ended = press(taught, 5, "a", "4")
    assert (ended.orders, ended.flow.lesson_until_ns) == ((), None)
    assert ended.has_acted


def test_any_press_in_the_lobby_ends_the_lesson_and_does_what_it_does() -> None:
    taught = rules.taught(three_games(), 17 * S)
    buttons: tuple[Button, ...] = ("1", "2", "3", "5", "spit")
    for button in buttons:
        assert press(taught, 5, "b", button).flow.lesson_until_ns is None
    assert press(taught, 5, "b", "spit").flow.b.player == "human"
    assert press(taught, 5, "b", "5").flow.choice == 2


def test_a_lesson_in_the_lobby_ends_by_itself_and_nobody_is_made_ready_meanwhile() -> None:
    waiting = three_games(("b", 2, "spit"), ("a", 3, "spit"))
    taught = rules.taught(press(waiting, 4, "b", "4").flow, 22 * S)
    assert advance(taught, 21).flow == taught
    ended = advance(taught, 22).flow
    assert (ended.scene, ended.lesson_until_ns) == ("lobby", None)


def test_attract_shows_robots_then_how_to_play_then_the_next_game() -> None:
    flow = rules.opening(0, games=3, default=1).flow
    assert advance(flow, 39.9, playing_view()).orders == ()
    step = advance(flow, 40, playing_view())
    assert step.orders == (Teach(),)
    taught = rules.taught(step.flow, 55 * S)
    assert advance(taught, 54.9, playing_view()).orders == ()
    after = advance(taught, 55, playing_view())
    assert (after.orders, after.flow.choice) == ((Show(),), 2)
    assert advance(after.flow, 94.9, playing_view()).orders == ()
    assert advance(after.flow, 95, playing_view()).orders == (Teach(),)


def test_without_lessons_attract_goes_on_to_the_next_game_when_a_match_is_over() -> None:
    flow = rules.opening(0, games=3, default=2).flow
    settings = replace(SETTINGS, lessons=False)
    assert rules.advance(flow, settings, playing_view(), 500 * S).orders == ()
    step = rules.advance(flow, settings, replace(playing_view(), phase="over"), 500 * S)
    assert (step.orders, step.flow.choice) == ((Show(),), 0)


def test_a_lobby_that_everybody_left_goes_back_to_attract() -> None:
    flow = lobby_with(("a", 1))
    assert scene_of(advance(flow, 30.9)) == "lobby"
    left = advance(flow, 31)
    assert (scene_of(left), left.orders) == ("attract", (Show(),))
    assert left.flow.a.player == "nobody"


def test_a_seat_that_is_not_ready_is_made_ready_when_the_other_waits() -> None:
    flow = lobby_with(("a", 1), ("b", 2), ("a", 3))
    assert scene_of(advance(flow, 12.9)) == "lobby"
    assert advance(flow, 13).orders == (Deal(),)


# match


def in_match() -> Flow:
    return lobby_with(("a", 1), ("b", 2), ("a", 3), ("b", 4))


def test_a_seat_not_ready_ten_seconds_after_a_deal_is_made_ready() -> None:
    flow = rules.dealt(in_match(), 20 * S)
    assert advance(flow, 29.9, waiting_view()).orders == ()
    assert advance(flow, 30, waiting_view()).orders == (MakeReady("a"), MakeReady("b"))
    one_ready = replace(waiting_view(), b=replace(waiting_view().b, is_ready=True))
    assert advance(flow, 30, one_ready).orders == (MakeReady("a"),)


def test_nobody_is_made_ready_while_cards_are_played_or_about_to_turn() -> None:
    flow = rules.dealt(in_match(), 20 * S)
    beat = replace(waiting_view(), beat=BeatView("deal", 0, 9, ("left", "right")))
    assert advance(flow, 40, playing_view()).orders == ()
    assert advance(flow, 40, beat).orders == ()


def test_the_flow_says_when_it_will_do_something_by_itself() -> None:
    assert rules.next_ns(opening(), SETTINGS) == 40 * S
    assert rules.next_ns(opening(), replace(SETTINGS, lessons=False)) is None
    assert rules.next_ns(rules.taught(opening(), 15 * S), SETTINGS) == 15 * S
    assert rules.next_ns(rules.taught(lobby_with(("a", 1)), 15 * S), SETTINGS) == 15 * S
    assert rules.next_ns(rules.dealt(in_match(), 20 * S), SETTINGS) == 30 * S
    assert rules.next_ns(rules.pause(in_match(), 10 * S), SETTINGS) == 40 * S
    assert rules.next_ns(result(), SETTINGS) == 120 * S


def test_nobody_pressing_is_asked_and_then_the_match_ends_without_a_result() -> None:
    flow = in_match()
    assert rules.still_there_until_ns(flow, SETTINGS, 49 * S - 1) is None
    assert rules.still_there_until_ns(flow, SETTINGS, 49 * S) == 59 * S
    assert advance(flow, 58.9, playing_view()).orders == ()
    gone = advance(flow, 59, playing_view())
    assert (scene_of(gone), gone.orders) == ("attract", (EndMatch(), Show()))


def test_any_press_says_that_somebody_is_there() -> None:
    flow = rules.touched(in_match(), 50 * S)
    assert rules.still_there_until_ns(flow, SETTINGS, 60 * S) is None
    assert scene_of(advance(flow, 60, playing_view())) == "match"


def test_a_pause_lasts_thirty_seconds_at_most() -> None:
    flow = rules.pause(in_match(), 10 * S)
    assert scene_of(advance(flow, 39.9, playing_view())) == "match"
    assert advance(flow, 40, playing_view()).orders == (EndMatch(), Show())


def test_the_time_of_a_pause_counts_for_nothing() -> None:
    counting = rules.count_down(rules.pause(in_match(), 10 * S), SETTINGS, 27 * S)
    flow = advance(counting, 30, playing_view()).flow
    assert (flow.paused_since_ns, flow.goes_on_ns) == (None, None)
    assert rules.still_there_until_ns(flow, SETTINGS, 69 * S - 1) is None
    assert rules.still_there_until_ns(flow, SETTINGS, 69 * S) == 79 * S


def test_when_the_hardware_is_back_it_is_counted_down_before_play_goes_on() -> None:
    counting = rules.count_down(rules.pause(in_match(), 10 * S), SETTINGS, 27 * S)
    assert rules.next_ns(counting, SETTINGS) == counting.goes_on_ns == 30 * S
    assert advance(counting, 29.9, playing_view()).flow == counting
    assert rules.count_down(counting, SETTINGS, 28 * S) == counting


def test_hardware_that_is_lost_again_in_the_count_ends_the_count_and_not_the_pause() -> None:
    paused = rules.pause(in_match(), 10 * S)
    again = rules.pause(rules.count_down(paused, SETTINGS, 38 * S), 39 * S)
    assert again == paused
    assert advance(again, 40, playing_view()).orders == (EndMatch(), Show())


def test_pausing_twice_or_counting_without_a_pause_changes_nothing() -> None:
    paused = rules.pause(in_match(), 10 * S)
    assert rules.pause(paused, 12 * S) == paused
    assert rules.count_down(in_match(), SETTINGS, 12 * S) == in_match()


# result


def result() -> Flow:
    return advance(in_match(), 100, replace(playing_view(), phase="over")).flow


def test_a_match_that_is_over_shows_its_result() -> None:
    assert result().scene == "result"


def test_start_plays_again_after_two_seconds_and_joins() -> None:
    assert rules.again_from_ns(result(), SETTINGS) == 102 * S
    assert scene_of(press(result(), 101.9)) == "result"
    again = press(result(), 102, "b")
    assert (scene_of(again), again.flow.b.player, again.flow.a.player) == ("lobby", "human", "nobody")


def test_a_result_that_nobody_looks_at_goes_back_to_attract() -> None:
    assert scene_of(advance(result(), 119.9)) == "result"
    assert scene_of(advance(result(), 120)) == "attract"
