"""Simulated matches: played by the cabinet's own judging, counted, added up, and told as figures."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from click.testing import CliRunner, Result

from cabinet import cli
from cabinet.buttons.edges import Press
from cabinet.engine.actions import Action, MatchOver, PilesTaken, Play, Refused, RoundEnded
from cabinet.engine.games import CATALOGUE, game_named
from cabinet.engine.match import new_match
from cabinet.engine.order import Answer, Judged
from cabinet.engine.rules import Rules, rules_from_options
from cabinet.engine.table import SEATS, RoundEnd, Seat, View
from cabinet.game import FRAME_NS
from cabinet.panel import START, Button, Tap, taps_for
from cabinet.players.masher import MASHES_EVERY_NS, Masher
from cabinet.players.robot import (
    BETWEEN_TAPS_NS,
    LEAST_REACTION_NS,
    SPIT_AHEAD_NS,
    Contact,
    Robot,
    Skill,
)
from cabinet.players.tactics import sensible_actions
from cabinet.presses import SeatPress
from cabinet.session import Judgement, Session
from cabinet.simulate import play
from cabinet.simulate.batch import Batch, play_batch
from cabinet.simulate.count import MatchCount
from cabinet.simulate.figures import Figures, SeatFigures, chance_range, percentile, together
from cabinet.simulate.play import Course, EndlessMatchError, Player, PlayerKind, play_match
from tests.drawn_matches import drawn_rules

MS = 1_000_000
SPIT = game_named("spit").rules
NOT_HUMAN = Skill(reaction_ms=1, spread=0.0, form=0.0, slap_ms=1, misreads=0.0, miscounts=0.0)
"""A robot held back by nothing but the least reaction."""


# Playing


class Watched:
    """A player whose frames and presses are kept."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.frames: list[tuple[int, View]] = []
        self.closed: list[Contact] = []

    def see(self, view: View, offset_ns: int, shown_ns: int) -> None:
        self.frames.append((shown_ns, view))
        self.player.see(view, offset_ns, shown_ns)

    def contacts_until(self, now_ns: int) -> list[Contact]:
        contacts = list(self.player.contacts_until(now_ns))
        self.closed += [contact for contact in contacts if contact.closed]
        return contacts

    def next_press_ns(self) -> int | None:
        return self.player.next_press_ns()

    def seen_at(self, at_ns: int) -> View | None:
        """What could be known at `at_ns`: the last frame shown by then."""
        shown = [view for shown_ns, view in self.frames if shown_ns <= at_ns]
        return shown[-1] if shown else None


def watched_match(rules: Rules, seed: int, skill: Skill) -> tuple[dict[Seat, Watched], list[Judgement]]:
    players = {seat: Watched(Robot(seat, skill, Random(f"{seed} {seat}"))) for seat in SEATS}
    told: list[Judgement] = []
    Course(Session(new_match(rules, Random(seed)), 0), dict(players), told.append).run()
    return players, told


def closings(taps: tuple[Tap, ...]) -> list[tuple[int, Button]]:
    """Which buttons go down how long after the first of them."""
    downs: list[tuple[int, Button]] = []
    for number, tap in enumerate(taps):
        after_ns = number * BETWEEN_TAPS_NS
        downs += (
            [(after_ns, START), (after_ns + SPIT_AHEAD_NS, tap.button)]
            if tap.with_spit
            else [(after_ns, tap.button)]
        )
    return downs


def is_explained(player: Watched, seat: Seat, contact: Contact) -> bool:
    """Whether the press belongs to something worth doing on a frame that a person could have reacted to."""
    for after_ns in (0, SPIT_AHEAD_NS, BETWEEN_TAPS_NS):
        view = player.seen_at(contact.at_ns - after_ns - LEAST_REACTION_NS)
        wanted = sensible_actions(view, seat) if view is not None else []
        if any((after_ns, contact.button) in closings(taps_for(action, seat, view)) for action in wanted if view):
            return True
    return False


GAMES: dict[str, Rules] = {
    **{name: game_named(name).rules for name in CATALOGUE},
    "manual turns": rules_from_options("spit", "arcade", {"turn": "manual"}),
    "hidden hands, drawn by hand": rules_from_options("speed", "arcade", {"hands": "hidden", "draw": "manual"}),
}


@pytest.mark.parametrize("name", GAMES)
def test_no_robot_presses_sooner_than_a_person_could_react_to_what_it_acts_on(name: str) -> None:
    """Even one that is not human in any other way."""
    players, _ = watched_match(GAMES[name], 5, NOT_HUMAN)
    for seat, player in players.items():
        assert len(player.closed) > 20
        unexplained = [contact for contact in player.closed if not is_explained(player, seat, contact)]
        assert unexplained == []


def test_a_frame_is_shown_one_frame_after_what_it_shows() -> None:
    players, told = watched_match(SPIT, 1, NOT_HUMAN)
    happened = {event.at_ns for judgement in told for event in judgement.events}
    shown = {view.now_ns: shown_ns for shown_ns, view in players["a"].frames}
    assert happened - {0} <= set(shown)
    assert all(shown_ns == now_ns + FRAME_NS for now_ns, shown_ns in shown.items())


def test_hidden_hands_are_shown_to_their_own_seat_only() -> None:
    players, _ = watched_match(GAMES["hidden hands, drawn by hand"], 2, NOT_HUMAN)
    for seat, player in players.items():
        views = [view for _, view in player.frames if view.phase == "play"]
        assert {view.seat for view in views} == {seat}
        assert any(slot.top is not None for view in views for slot in view.side(seat).stock)
        assert all(slot.top is None for view in views for slot in view.side("b" if seat == "a" else "a").stock)


def test_presses_at_one_instant_are_a_dead_heat() -> None:
    """Two robots without chance press ready in the same nanosecond; neither is first by seat."""
    _, told = watched_match(SPIT, 1, NOT_HUMAN)
    pairs = [one for judgement in told for one in judgement.judged if one.tied_with is not None]
    assert pairs
    assert {one.press.seat for one in pairs} == {"a", "b"}


@pytest.mark.parametrize("seed", range(6))
def test_robots_bring_every_game_to_its_end_whatever_its_options(seed: int) -> None:
    rng = Random(seed)
    for number in range(5):
        rules = drawn_rules(rng)
        figures = play_match(rules, ("quick", "gentle"), Random(f"{seed} {number}"))
        assert figures.a.wins + figures.b.wins == 1


def test_a_match_that_nobody_plays_is_told_to_be_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    class Asleep(Robot):
        def next_press_ns(self) -> None:
            return None

    monkeypatch.setattr(play, "player_of", lambda _, seat, rng: Asleep(seat, NOT_HUMAN, rng))
    rules = rules_from_options("spit", "table", {"spit_auto_ms": 0})
    batch = Batch(rules=rules, a="steady", b="steady", matches=3, seed=9)
    with pytest.raises(EndlessMatchError, match="match 0 of seed 9: it stands still"):
        play_batch(batch, 1)


# Mashing


def test_a_masher_presses_any_button_every_120_ms() -> None:
    masher = Masher("a", Random(1))
    contacts = masher.contacts_until(120 * 1_000 * MS)
    closed = [contact for contact in contacts if contact.closed]
    assert {contact.button for contact in closed} == {"1", "2", "3", "4", "5", "spit"}
    assert {later.at_ns - one.at_ns for one, later in pairwise(closed)} == {MASHES_EVERY_NS}
    assert len(closed) in (1_000, 1_001)
    assert [contact.closed for contact in contacts[:4]] == [True, False, True, False]


def test_who_mashes_presses_no_more_than_once_every_120_ms_and_is_locked_by_misses() -> None:
    figures = play_match(SPIT, ("masher", "gentle"), Random(1))
    assert figures.a.presses == pytest.approx(figures.lengths_ns[0] / MASHES_EVERY_NS, rel=0.01)
    assert figures.a.misses > 10 * figures.b.misses
    assert figures.a.refusals > 0.5 * figures.a.presses


# Counting


def judgement_of(*events: RoundEnded | PilesTaken | MatchOver | Refused) -> Judgement:
    return Judgement((), events)


def test_each_kind_of_event_is_counted_for_its_seat() -> None:
    count = MatchCount(SPIT)
    press = SeatPress("a", "1", "a.1", False, None, 5, 5, Press("a.1", 5, 0, "host", 1))
    action: Action = Play(1)
    refused = Refused(at_ns=5, seat="a", action=action, reason="NOT_ADJACENT", locked_until_ns=9)
    count.add(Judgement((Judged(press, Answer(action, "NOT_ADJACENT"), 5),), (refused,)))
    count.add(judgement_of(Refused(at_ns=6, seat="b", action=action, reason="BUSY")))
    count.add(
        judgement_of(RoundEnded(at_ns=7, end=RoundEnd("out", "b")), RoundEnded(at_ns=8, end=RoundEnd("deadlock")))
    )
    count.add(judgement_of(PilesTaken(at_ns=9, a="left", b="right", a_size=20, b_size=3, settled_by="b")))
    count.add(judgement_of(PilesTaken(at_ns=9, a="left", b=None, a_size=2, b_size=0, settled_by=None)))
    count.add(judgement_of(MatchOver(at_ns=10, winner="b", a_owned=30, b_owned=22)))
    assert count.figures() == Figures(
        a=SeatFigures(presses=1, refusals=1, misses=1),
        b=SeatFigures(wins=1, rounds_won=1, smaller_piles=1),
        matches=1,
        rounds=2,
        deadlocks=1,
        ended_by_cap=1,
        lengths_ns=(10,),
    )


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_figures_of_a_match_agree_with_its_end(name: str) -> None:
    rules = game_named(name).rules
    _, told = watched_match(rules, 3, NOT_HUMAN)
    count = MatchCount(rules)
    for judgement in told:
        count.add(judgement)
    figures = count.figures()
    assert figures.rounds == figures.a.rounds_won + figures.b.rounds_won + figures.deadlocks
    assert figures.spits > 0
    assert figures.presses == sum(len(judgement.judged) for judgement in told)
    assert 60_000 * MS > figures.lengths_ns[0] / 60 > 100 * MS


def test_figures_are_added_up() -> None:
    one = Figures(a=SeatFigures(wins=1, presses=2), matches=1, rounds=3, lengths_ns=(5,))
    two = Figures(b=SeatFigures(wins=1, presses=4), matches=1, rounds=4, lengths_ns=(6,))
    assert together([one, two]) == Figures(
        a=SeatFigures(wins=1, presses=2), b=SeatFigures(wins=1, presses=4), matches=2, rounds=7, lengths_ns=(5, 6)
    )


def test_the_range_of_chance_is_that_of_a_fair_coin() -> None:
    """Once in 10,000: 3.89 standard deviations, of 15.8 wins in 1,000 matches."""
    assert chance_range(1_000) == (438, 562)
    assert chance_range(10_000) == (4_805, 5_195)
    assert chance_range(1) == (0, 1)


def test_percentiles_are_values_that_occurred() -> None:
    assert [percentile(range(1, 11), per_cent) for per_cent in (50, 90, 100)] == [5, 9, 10]
    assert percentile([7], 90) == 7


# Many


def test_the_same_seed_gives_the_same_figures_with_one_process_and_with_two() -> None:
    batch = Batch(rules=SPIT, a="quick", b="steady", matches=30, seed=7)
    alone, together_ = play_batch(batch, 1), play_batch(batch, 2)
    assert alone == together_
    assert len(set(alone.lengths_ns)) == 30
    other = play_batch(Batch(rules=SPIT, a="quick", b="steady", matches=30, seed=8), 1)
    assert other.lengths_ns != alone.lengths_ns


def test_those_who_take_turns_at_the_seats_keep_their_figures() -> None:
    figures = play_batch(Batch(rules=SPIT, a="masher", b="gentle", matches=4, seed=1, takes_turns=True), 1)
    assert figures.a.presses > 10 * figures.b.presses


def test_every_match_played_is_told() -> None:
    told: list[int] = []
    play_batch(Batch(rules=SPIT, a="quick", b="quick", matches=23, seed=1), 2, told.append)
    assert sum(told) == 23
    assert len(told) > 2


# The command


def call(*words: str) -> Result:
    return CliRunner().invoke(cli.commands, ["simulate", "--workers", "1", *words])


def test_the_command_knows_every_kind_of_player() -> None:
    strengths, masher = get_args(PlayerKind)
    assert (*get_args(strengths), *get_args(masher)) == cli.PLAYERS


def test_a_table_tells_of_a_game_what_it_has() -> None:
    spit = call("--matches", "4", "--game", "spit")
    assert spit.exit_code == 0
    assert "spits per round" in spit.output
    assert "one-pile rounds" in spit.output
    assert "slides" not in spit.output
    speed = call("--matches", "1", "--game", "speed", "--a", "quick", "--b", "masher")
    assert speed.exit_code == 0
    assert "slides per round" in speed.output
    assert "b: masher" in speed.output
    assert "one-pile" not in speed.output


def test_json_tells_the_same_but_for_the_time_it_took() -> None:
    answers = [json.loads(call("--matches", "5", "--seed", "3", "--json").output) for _ in range(2)]
    for answer in answers:
        assert answer.pop("seconds") > 0
        assert answer.pop("matches_per_s") > 0
    assert answers[0] == answers[1]
    assert answers[0]["a"]["wins"] + answers[0]["b"]["wins"] == answers[0]["matches"] == 5
    assert (answers[0]["even_from"], answers[0]["even_to"]) == (0, 5)


def test_a_tournament_tells_every_pair_of_a_game() -> None:
    result = call("--tournament", "--game", "spit", "--matches", "2", "--json")
    pairs = json.loads(result.output)
    assert [(pair["first"], pair["second"]) for pair in pairs] == [
        ("quick", "steady"),
        ("steady", "gentle"),
        ("quick", "gentle"),
        ("masher", "gentle"),
    ]
    assert {(pair["game"], pair["matches"]) for pair in pairs} == {("spit", 2)}
    table = call("--tournament", "--game", "pairs", "--matches", "1")
    assert table.exit_code == 0
    assert "pairs" in table.output


def test_a_game_of_the_owners_own_is_played_by_its_options(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[games.own."short"]\ngame = "spit"\ncap_rounds = 1\n')
    result = call("--matches", "6", "--game", "short", "--settings", str(path), "--json")
    answer = json.loads(result.output)
    assert answer["game"] == "short"
    assert answer["rounds_per_match"] < 1.5
    assert answer["ended_by_cap_share"] > 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--game", "whist"], 'there is no game "whist"'),
        (["--matches", "0"], "'--matches': 0 is not in the range"),
        (["--matches", "many"], "'--matches': 'many' is not a valid integer"),
        (["--workers", "0"], "'--workers': 0 is not in the range"),
        (["--seed", "x"], "'--seed': 'x' is not a valid integer"),
        (["--a", "me"], "'--a': 'me' is not one of 'gentle', 'steady', 'quick', 'masher'"),
        (["--tournament", "--b", "quick"], "leave out --a and --b"),
        (["--settings", "nowhere.toml"], "nowhere.toml: found no readable file"),
        (["--speed", "9"], "No such option '--speed'"),
        (["more"], "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_played_is_one_line(words: list[str], text: str) -> None:
    result = call(*words)
    assert result.exit_code == 1
    assert len(result.output.splitlines()) == 1
    assert text in result.output
