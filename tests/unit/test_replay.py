"""Recorded matches played again: what is compared, what is said as text, and what a screen is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from cabinet import cli, record
from cabinet.engine.actions import Event, Played, Slap
from cabinet.engine.cards import PACK, Card
from cabinet.engine.games import SPIT, game_named
from cabinet.engine.rules import Options
from cabinet.engine.table import EMPTY_STOCK, SpitSide, SpitTable, StockPile
from cabinet.replay.command import Pace, ReplayOptions, Tally
from cabinet.replay.reel import RESULT_SHOWN_NS, Reel
from cabinet.snapshot import Sign
from tests.recorded import MS, US, Playing, played_by_lot

S: Final = 1_000 * MS
ONE_ROUND: Final = Options(cap_rounds=1, speed_target=1)


def card(text: str) -> Card:
    return Card.parse(text)


def pile(*texts: str) -> StockPile:
    return StockPile(tuple(map(card, texts)), 1)


def last_card() -> SpitTable:
    """With 7C on left and 2S on right a can go out with 8H, and b can play 6D, each on left."""
    known = [card(text) for text in ("8H", "7C", "6D", "2S", "KD", "KC")]
    rest = [one for one in PACK if one not in known]
    a = SpitSide((pile("8H"), *[EMPTY_STOCK] * 4), (*rest[:22], card("7C")))
    b = SpitSide((pile("6D"), pile("KC", "KD"), *[EMPTY_STOCK] * 3), (*rest[22:], card("2S")))
    return SpitTable(a, b, (), ())


def both_play_at_once() -> Playing:
    """A dead heat for left, with the token at a."""
    playing = Playing(SPIT.rules, 1, given=(last_card(), "a"))
    playing.wait(2_500 * MS)
    playing.press(playing.at_button("a", "1"), playing.at_button("b", "1", 50 * US))
    return playing


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.jsonl"


def write(path: Path, *matches: Playing) -> Path:
    path.write_bytes(record.as_bytes([line for playing in matches for line in playing.lines]))
    return path


def replay(path: Path, *words: str) -> Result:
    return CliRunner().invoke(cli.commands, ["replay", str(path), *words])


# Comparing


def test_a_press_has_its_meaning_anew_in_both_orders_of_a_dead_heat(path: Path) -> None:
    """B pressed when a was out: a slap too early, which decides nothing. First, it would have been a play."""
    playing = both_play_at_once()
    presses = [line for line in playing.lines if isinstance(line, record.Pressed)]
    assert [(line.action, line.token_decided) for line in presses[1:]] == [(Slap("left"), True)]
    assert playing.session.match.token == "b"
    playing.give_up()
    assert replay(write(path, playing), "--check").output.startswith("1 match, ")


def test_matches_are_counted_and_those_without_an_end_are_named(path: Path) -> None:
    whole, broken = both_play_at_once(), both_play_at_once()
    whole.give_up()
    result = replay(write(path, broken, whole, broken), "--check")
    assert result.exit_code == 0
    assert result.output == (
        "3 matches, 13 states, all equal; match 1 breaks off before its end; match 3 breaks off before its end\n"
    )


def test_one_match_is_checked_whatever_is_wrong_with_the_others(path: Path) -> None:
    playing = both_play_at_once()
    write(path, playing, playing, playing)
    lines = path.read_bytes().splitlines(keepends=True)
    length = len(playing.lines)
    lines[length] = b"rubbish\n"
    path.write_bytes(b"".join(lines))
    assert replay(path, "--check").stderr == (
        f"{path}:{length + 1}: found no line of a record but 'rubbish' "
        "(JSON is malformed: invalid character (byte 0)); cut the file before this line, or choose another match "
        "with --match; before it: 1 match, 3 states\n"
    )
    assert replay(path, "--check", "--match", "1").exit_code == 1
    assert replay(path, "--check", "--match", "3").output.startswith("1 match, 4 states, all equal; match 3 ")
    assert replay(path, "--check", "--match", "4").stderr == (
        f"{path}: has 3 matches, and no match 4; choose another with --match\n"
    )


def test_a_file_without_matches_has_none(path: Path) -> None:
    assert replay(write(path), "--check").output == "0 matches, 0 states, all equal\n"
    assert replay(path, "--text").output == ""


def test_lines_of_no_match_are_told(path: Path) -> None:
    path.write_bytes(record.as_bytes(both_play_at_once().lines[1:]))
    result = replay(path, "--check")
    assert result.exit_code == 1
    assert result.output == (
        f"{path}:2: found a line of a match before any began; "
        "cut the file before this line, or choose another match with --match\n"
    )


def test_what_a_check_cannot_do_is_said(path: Path) -> None:
    for words in (("--text",), ("--speed", "2")):
        result = replay(path, "--check", *words)
        assert result.exit_code == 2
        assert result.output.splitlines()[-1] == "Error: --check shows nothing: leave out --text and --speed"


@pytest.mark.parametrize("words", [(), ("--text",), ("--check",)])
def test_a_directory_or_nothing_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    for place, reason in ((tmp_path, "Is a directory"), (tmp_path / "none", "No such file or directory")):
        result = replay(place, *words)
        assert result.exit_code == 1
        assert result.output == (
            f"{place}: cannot be read ({reason}); name a file that this program's --record has written\n"
        )


# As text


def test_every_press_and_event_is_said_with_its_time(path: Path) -> None:
    playing = both_play_at_once()
    playing.wait(600 * MS)
    playing.press(playing.at_button("b", "3"))
    playing.give_up()
    assert replay(write(path, playing), "--text").output.splitlines() == [
        "match 1: drawn, human against robot, seed 1, the token with a",
        "     0.000 s  a is ready",
        "     0.000 s  b is ready",
        "     0.000 s  beat before the deal",
        "     1.800 s  turned: 7C of a on left, 2S of b on right",
        "     2.500 s  a presses 1: stock 1, a dead heat that the token decides",
        "     2.500 s  b presses 1: slap of left, refused, WRONG_PHASE, a dead heat that the token decides",
        "     2.500 s  a plays 8H from 1 on left",
        "     2.500 s  a is out",
        "     2.500 s  the token passes to b",
        "     2.500 s  contest: dead heat, a.1 and b.1 0.05 ms apart (±0.10 and ±0.10 ms): "
        "the token decided, a.1 went first",
        "     3.100 s  b presses 3: it means nothing",
        "     3.100 s  the match ends without a result, in round 1",
    ]


def test_text_stops_where_the_replay_comes_to_something_else(path: Path) -> None:
    lines = both_play_at_once().lines
    states = [number for number, line in enumerate(lines) if isinstance(line, record.State)]
    lines[states[1]] = record.State(0, "0" * 16)
    path.write_bytes(record.as_bytes(lines))
    result = replay(path, "--text")
    assert result.exit_code == 1
    assert [line.split()[-3:] for line in result.stdout.splitlines()[1:]] == [["a", "is", "ready"]]
    assert result.stderr.startswith(f"{path}: match 1, line {states[1] + 2}: state hash: the record has ")


def test_a_pace_waits_for_match_time_at_its_speed() -> None:
    now_ns = 5 * S
    waits: list[float] = []
    pace = Pace(4.0, clock_ns=lambda: now_ns, sleep=waits.append)
    pace.begin()
    pace.wait_until(2 * S)
    now_ns += S
    pace.wait_until(2 * S)
    pace.wait_until(10 * S)
    assert waits == [0.5, 0.0, 1.5]
    Pace(None, clock_ns=lambda: now_ns, sleep=waits.append).wait_until(100 * S)
    assert len(waits) == 3


# On a screen


def reel_of(path: Path) -> Reel:
    return Reel(Tally(ReplayOptions(path=path)).steps())


def test_a_screen_is_shown_each_moment_at_its_time(path: Path) -> None:
    playing = both_play_at_once()
    playing.give_up()
    reel = reel_of(write(path, playing))
    early = reel.run_until(1_700 * MS)
    assert early.view is not None
    assert (early.scene, early.view.phase, early.view.now_ns) == ("match", "ready", 1_700 * MS)
    assert early.view.beat is not None
    assert (early.seats_a.player, early.seats_b.player) == ("human", "robot")
    turned = reel.run_until(2_499 * MS)
    assert turned.view is not None
    assert turned.view.left is not None
    assert (turned.view.left.top, turned.signs, turned.photo) == (card("7C"), (), None)
    late = reel.run_until(2_600 * MS)
    assert [sign.kind for sign in late.signs] == ["done", "refused"]
    assert late.photo is not None
    assert (late.photo.first, late.photo.margin_ns, late.photo.decided_by) == ("a", 50 * US, "token")
    assert late.scene == "result"


def test_the_next_match_begins_when_the_end_of_the_last_was_shown(path: Path) -> None:
    playing = both_play_at_once()
    playing.give_up()
    reel = reel_of(write(path, playing, playing))
    reel.run_until(2_600 * MS)
    assert reel.matches == 1
    end_ns = playing.session.match.now_ns
    reel.run_until(end_ns + RESULT_SHOWN_NS - 1)
    assert reel.matches == 1
    snapshot = reel.run_until(end_ns + RESULT_SHOWN_NS)
    assert (reel.matches, snapshot.scene, snapshot.match_offset_ns) == (2, "match", end_ns + RESULT_SHOWN_NS)
    assert not reel.is_over(reel.run_until(2 * end_ns + 2 * RESULT_SHOWN_NS - 1).at_ns)
    assert reel.is_over(reel.run_until(2 * end_ns + 2 * RESULT_SHOWN_NS).at_ns)


def test_an_armed_space_is_shown_as_long_as_it_waits(path: Path) -> None:
    playing = Playing(SPIT.rules, 1, given=(last_card(), "a"))
    playing.wait(2_500 * MS)
    playing.press(playing.at_button("b", "5"))
    playing.wait(3 * S)
    playing.press(playing.at_button("b", "2"))
    reel = reel_of(write(path, playing))
    assert reel.run_until(2_400 * MS).seats_b.armed_stock is None
    assert reel.run_until(2_600 * MS).seats_b.armed_stock == 5
    assert reel.run_until(3_990 * MS).seats_b.armed_stock == 5
    assert reel.run_until(4_010 * MS).seats_b.armed_stock is None


@pytest.mark.parametrize("name", ["spit", "choice", "speed"])
def test_how_often_a_screen_looks_changes_nothing(name: str, path: Path) -> None:
    write(path, played_by_lot(game_named(name, ONE_ROUND).rules, 3, turns=60))
    shown: list[list[Sign]] = []
    for frame_ns in (7 * MS, 16 * MS, 900 * MS):
        reel = reel_of(path)
        signs: dict[int, Sign] = {}
        now_ns = 0
        while not reel.is_over(now_ns):
            now_ns += frame_ns
            signs |= {sign.number: sign for sign in reel.run_until(now_ns).signs}
        shown.append(list(signs.values()))
    assert len(shown[0]) > 50
    assert shown[0] == shown[1] == shown[2]


def test_hidden_hands_stay_hidden_on_a_screen(path: Path) -> None:
    rules = game_named("speed", Options(hands="hidden", speed_target=1)).rules
    reel = reel_of(write(path, played_by_lot(rules, 3, turns=60)))
    told: dict[int, Event] = {}
    now_ns = 0
    while not reel.is_over(now_ns):
        now_ns += 16 * MS
        told |= {one.number: one.event for one in reel.run_until(now_ns).happenings}
    plays = [event for event in told.values() if isinstance(event, Played)]
    assert len(plays) > 10
    assert {event.uncovered for event in plays} == {None}
    view = reel.latest.view
    assert view is not None
    assert {slot.top for slot in view.a.stock} == {None}
