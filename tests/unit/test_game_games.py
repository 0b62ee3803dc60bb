"""Several games on one cabinet: paged through, shown in attract, taught, and played with hidden hands."""

from __future__ import annotations

from random import Random
from typing import Any

from msgspec.structs import replace

from cabinet.demo import Demo
from cabinet.engine.actions import Drew, Event, Played
from cabinet.engine.cards import Card
from cabinet.engine.games import Game, game_named
from cabinet.engine.rules import Rules
from cabinet.flow import FlowSettings
from cabinet.game import GameSettings
from cabinet.lesson import lesson_in
from cabinet.snapshot import Snapshot
from cabinet.virtual import VirtualCabinet

MS = 1_000_000
S = 1_000 * MS
CLEAN = [[0, 1], [60_000, 0]]
GAMES = (game_named("spit"), game_named("four_piles"), game_named("speed"))


class Cabinet:
    """A cabinet with some games, on mock pins and a virtual clock."""

    def __init__(self, games: tuple[Game, ...] = GAMES, default: int = 0, **flow: Any) -> None:
        settings = GameSettings(games=games, default=default, flow=FlowSettings(**flow))
        self.cabinet = VirtualCabinet(settings, Random(7))
        self.snapshots: list[Snapshot] = []
        self.cabinet.on_snapshot = self.snapshots.append
        self.wait(1 * S)

    def wait(self, time_ns: int) -> None:
        self.cabinet.run_until(self.cabinet.clock.now_ns + time_ns)

    def tap(self, *lines: str) -> Snapshot:
        for line in lines:
            self.cabinet.board.press(line, self.cabinet.clock.now_ns, CLEAN)
            self.wait(150 * MS)
        return self.cabinet.game.latest


def test_the_lobby_offers_the_default_and_pages_with_1_and_5() -> None:
    cabinet = Cabinet(default=1)
    lobby = cabinet.tap("a.spit")
    assert (lobby.scene, lobby.game.name, len(lobby.games)) == ("lobby", "four_piles", 3)
    assert cabinet.tap("b.5").game.name == "speed"
    assert cabinet.tap("a.1", "a.1").game.name == "spit"
    signs = {sign.line: sign.kind for sign in cabinet.cabinet.game.latest.signs}
    assert signs["b.5"] == "done"


def test_the_game_that_was_chosen_is_played() -> None:
    cabinet = Cabinet()
    match = cabinet.tap("a.spit", "b.spit", "a.5", "a.5", "a.spit", "b.spit")
    assert match.scene == "match"
    assert match.game.name == "speed"
    assert match.view is not None
    assert match.view.rules == game_named("speed").rules
    assert match.view.a.draw_size == 10


def test_the_lamps_of_1_4_and_5_burn_in_the_lobby_where_there_is_a_choice() -> None:
    assert {"a.1", "a.4", "a.5", "b.1", "b.4", "b.5"} <= dict(Cabinet().tap("a.spit").lamps).keys()
    assert {"a.1", "a.5"} & dict(Cabinet(GAMES[:1]).tap("a.spit").lamps).keys() == set()


def test_attract_shows_every_game_and_how_it_is_played() -> None:
    cabinet = Cabinet(show_s=5)
    cabinet.wait(90 * S)
    shown = [(one.game.name, one.lesson is not None) for one in cabinet.snapshots if one.view is not None]
    order = list(dict.fromkeys(shown))
    assert order == [(game.name, lesson) for game in GAMES for lesson in (False, True)]


def test_a_lesson_in_the_lobby_is_played_by_the_engine_and_leaves_the_lobby_as_it_was() -> None:
    cabinet = Cabinet()
    cabinet.tap("a.spit", "b.spit", "a.4")
    plan = lesson_in(GAMES[0])
    lesson = cabinet.cabinet.game.latest
    assert lesson.lesson is not None
    assert lesson.lesson.caption == plan.cues[0].caption
    assert (lesson.lesson.number, lesson.lesson.count) == (1, len(plan.cues))
    assert lesson.view is not None
    cabinet.wait(plan.length_ns)
    captions = [one.lesson.caption for one in cabinet.snapshots if one.lesson is not None]
    assert list(dict.fromkeys(captions)) == list(dict.fromkeys(cue.caption for cue in plan.cues))
    after = cabinet.cabinet.game.latest
    assert (after.scene, after.lesson, after.view) == ("lobby", None, None)
    assert after.seats_a.player == after.seats_b.player == "human"


def test_a_match_that_starts_during_a_lesson_begins_with_a_fresh_table() -> None:
    cabinet = Cabinet()
    match = cabinet.tap("a.spit", "b.spit", "a.spit", "a.4", "b.spit")
    assert match.scene == "match"
    assert match.lesson is None
    assert match.view is not None
    assert (match.view.phase, match.view.round, match.view.a.owned) == ("ready", 1, 26)


# Hidden hands


def hidden(**options: Any) -> Game:
    rules: Rules = replace(game_named("speed").rules, hands="hidden", **options)
    return Game("speed", rules)


def cards_in(value: object) -> set[Card]:
    """Every card that can be found anywhere in a value."""
    if isinstance(value, Card):
        return {value}
    if isinstance(value, dict):
        return cards_in(tuple(value.items()))
    if isinstance(value, tuple | list | frozenset):
        return set[Card]().union(*(cards_in(one) for one in value)) if value else set()
    fields = getattr(value, "__struct_fields__", ())
    return cards_in(tuple(getattr(value, name) for name in fields if name != "rules"))


def test_a_shared_screen_sees_no_card_of_a_hidden_hand_and_each_seat_its_own() -> None:
    cabinet = Cabinet((hidden(),), away_s=3_600)
    cabinet.tap("a.spit", "b.spit", "a.spit", "b.spit")
    cabinet.wait(3 * S)
    game = cabinet.cabinet.game
    for _ in range(40):
        cabinet.tap("a.1", "b.2", "a.3", "b.4")
        match = game._playing.session
        assert match is not None
        table = match.match.table
        hands = {seat: {card for card in table.side(seat).cards if card is not None} for seat in ("a", "b")}
        assert not cards_in(game.latest) & (hands["a"] | hands["b"])
        assert not cards_in(game.latest_for("a")) & hands["b"]
        assert not cards_in(game.latest_for("b")) & hands["a"]
        assert cards_in(game.latest_for("a")) & hands["a"]


def test_a_seat_is_told_the_card_that_it_drew_into_its_hidden_hand_and_the_other_is_not() -> None:
    cabinet = Cabinet((hidden(miss_lockout_ms=0),), away_s=3_600)
    cabinet.tap("a.spit", "b.spit", "a.spit", "b.spit")
    cabinet.wait(3 * S)
    game = cabinet.cabinet.game
    told: dict[str, set[bool]] = {"a": set(), "b": set(), "both": set()}
    for _ in range(20):
        for button in "12345":
            cabinet.tap(f"a.{button}")
            screens = {"a": game.latest_for("a"), "b": game.latest_for("b"), "both": game.latest}
            for screen, snapshot in screens.items():
                plays = [one.event for one in snapshot.happenings if isinstance(one.event, Played)]
                told[screen] |= {play.uncovered is not None for play in plays if play.seat == "a"}
    assert True in told["a"]
    assert told["b"] == told["both"] == {False}


def test_the_demo_shows_each_visitor_the_own_hand() -> None:
    settings = GameSettings(games=(hidden(draw="manual"),))
    demo = Demo(settings, seed=3)
    events: list[Event] = []
    demo.watch(
        lambda snapshot: events.extend(one.event for one in snapshot.happenings if snapshot.scene == "match")
    )
    demo.run_until(40 * S)
    played = {event.seat for event in events if isinstance(event, Played) and not event.by_machine}
    assert played == {"a", "b"}


def test_robots_with_hidden_hands_play_from_their_own_seat() -> None:
    cabinet = Cabinet((hidden(draw="manual"),), lessons=False)
    cabinet.wait(60 * S)
    events = [one.event for snapshot in cabinet.snapshots for one in snapshot.happenings]
    played = {event.seat for event in events if isinstance(event, Played) and not event.by_machine}
    assert played == {"a", "b"}
    drawn = [event for event in events if isinstance(event, Drew)]
    assert drawn
    assert all(event.card is None for event in drawn)
