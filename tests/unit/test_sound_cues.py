"""Which sounds a row of snapshots gives: each once, none too late, none that tells what the screen does not."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cabinet.engine.actions import (
    BecameStuck,
    Called,
    CardsTurned,
    Dealt,
    Drew,
    Event,
    Hinted,
    MatchOver,
    Moved,
    PilesTaken,
    Play,
    Played,
    Redrawn,
    Refilled,
    Refused,
    RoundEnded,
    SaidReady,
    Scored,
    SlapOpened,
    TokenPassed,
    TurnedUp,
)
from cabinet.engine.cards import PACK
from cabinet.engine.games import game_named
from cabinet.engine.table import BeatView, RoundEnd
from cabinet.snapshot import Happening, Lesson, SeatStatus, Sign, SignKind, Snapshot
from display.motion import pulse_number
from display.sound.cues import LATEST_NS, Cue, CueReader
from tests.display_snapshots import MS, NOW, OFFSET, card, snapshot, view

SECOND_NS = 1_000 * MS
AT = NOW - OFFSET
"""Match time of `NOW`."""
HUMAN, NOBODY = SeatStatus(player="human"), SeatStatus()


def played(seat: Any = "a", **changes: Any) -> Played:
    fields: dict[str, Any] = {"stock": 1, "pile": "left", "card": card("8D"), "uncovered": None}
    return Played(at_ns=AT, seat=seat, **(fields | changes))


def refused(seat: Any = "a", reason: Any = "NOT_ADJACENT", **changes: Any) -> Refused:
    return Refused(at_ns=AT, seat=seat, action=Play(stock=1), reason=reason, **changes)


def shot(*events: Event, first: int = 1, at_ns: int = NOW, **changes: Any) -> Snapshot:
    """A snapshot of a match in which these things happen now."""
    happenings = tuple(Happening(first + number, at_ns, event) for number, event in enumerate(events))
    return snapshot(view(), **({"happenings": happenings, "at_ns": at_ns} | changes))


def names(cues: tuple[Cue, ...]) -> list[str]:
    return [cue.voice.name if cue.voice.seat is None else f"{cue.voice.name} {cue.voice.seat}" for cue in cues]


def heard(*row: Snapshot, now_ns: int | None = None) -> list[str]:
    """What a row of snapshots gives, each read at its own time."""
    reader = CueReader(60 * SECOND_NS)
    return [name for one in row for name in names(reader.read(one, one.at_ns if now_ns is None else now_ns))]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (played("a"), "play a"),
        (played("b"), "play b"),
        (Moved(at_ns=AT, seat="b", source=1, target=2, card=card("8D"), uncovered=None), "move b"),
        (TurnedUp(at_ns=AT, seat="a", stock=1, card=card("8D")), "turn a"),
        (Drew(at_ns=AT, seat="a", slot=1, card=None), "turn a"),
        (refused("a"), "refused a"),
        (refused("b", locked_until_ns=AT + 5), "refused b"),
        (refused("a", "LOCKED_OUT"), "locked a"),
        (refused("b", behind_ns=1_300_000), "lost_race b"),
        (BecameStuck(at_ns=AT, lone_spitter=None), "stuck"),
        (Called(at_ns=AT, seat="b", pile=None), "call b"),
        (CardsTurned(at_ns=AT, kind="spit", cards=()), "turned"),
        (RoundEnded(at_ns=AT, end=RoundEnd("out", "b")), "round_won b"),
        (RoundEnded(at_ns=AT, end=RoundEnd("deadlock")), "deadlock"),
        (SlapOpened(at_ns=AT), "slap_cue"),
        (PilesTaken(at_ns=AT, a="left", b="right", a_size=3, b_size=9, settled_by="a"), "slap a"),
        (PilesTaken(at_ns=AT, a="left", b="right", a_size=3, b_size=9, settled_by=None), "shuffle"),
        (MatchOver(at_ns=AT, winner="b", a_owned=52, b_owned=0), "match_won b"),
        (Dealt(at_ns=AT, round=2, is_single=False), "shuffle"),
        (Redrawn(at_ns=AT), "shuffle"),
        (Refilled(at_ns=AT), "shuffle"),
        (SaidReady(at_ns=AT, seat="a"), "ready a"),
    ],
)
def test_what_happens_has_its_sound_and_its_side(event: Event, said: str) -> None:
    assert heard(shot(event)) == [said]


@pytest.mark.parametrize(
    "event",
    [
        Hinted(at_ns=AT, seat="a", hint=Play(stock=1)),
        TokenPassed(at_ns=AT, to="b"),
        Scored(at_ns=AT, a=1, b=2),
        SaidReady(at_ns=AT, seat="a", by_machine=True),
    ],
)
def test_what_nobody_did_for_others_to_hear_has_none(event: Event) -> None:
    assert heard(shot(event)) == []


def test_each_is_heard_once_however_often_it_is_repeated() -> None:
    one, two = shot(played("a")), shot(played("a"), refused("b"))
    assert heard(one, one, two, two, two) == ["play a", "refused b"]


def test_a_snapshot_that_was_missed_is_made_up_for_in_the_order_of_what_happened() -> None:
    assert heard(shot(refused("a"), played("b"), SlapOpened(at_ns=AT))) == ["refused a", "play b", "slap_cue"]


def test_nothing_is_heard_that_is_older_than_150_ms_and_not_later_either() -> None:
    assert heard(shot(played("a")), now_ns=NOW + LATEST_NS) == ["play a"]
    late = CueReader(60 * SECOND_NS)
    assert late.read(shot(played("a")), NOW + LATEST_NS + 1) == ()
    assert late.read(shot(played("a")), NOW) == ()


def test_a_press_that_waits_for_a_second_button_is_heard_and_other_signs_are_not() -> None:
    presses: list[tuple[str, SignKind]] = [
        ("a.3", "waiting"),
        ("b.1", "done"),
        ("b.2", "nothing"),
        ("b.3", "refused"),
        ("robot.b.1", "waiting"),
    ]
    signs = tuple(Sign(number, NOW, line, kind) for number, (line, kind) in enumerate(presses, 1))
    assert heard(shot(signs=signs)) == ["armed a"]


def test_a_streak_climbs_to_its_top_and_ends_with_a_pause() -> None:
    plays: tuple[Happening, ...] = ()
    told = []
    reader = CueReader(60 * SECOND_NS)
    for number, at_ms in enumerate([*range(0, 4_000, 500), 8_000]):
        at_ns = NOW + at_ms * MS
        plays = (
            *(one for one in plays if one.at_ns > at_ns - 3_000 * MS),
            Happening(number + 1, at_ns, played("a")),
        )
        told += names(reader.read(shot(happenings=plays, at_ns=at_ns), at_ns))
    climbing = ["streak_1 a", "streak_2 a", "streak_3 a"]
    assert told == ["play a"] * 3 + climbing + ["streak_3 a"] * 2 + ["play a"]


def test_what_wins_the_match_is_not_also_the_end_of_a_round() -> None:
    won = shot(
        RoundEnded(at_ns=AT, end=RoundEnd("out", "a")), MatchOver(at_ns=AT, winner="a", a_owned=0, b_owned=52)
    )
    assert heard(won) == ["match_won a"]


def test_the_ready_that_the_lobby_told_is_not_told_again() -> None:
    assert heard(shot(SaidReady(at_ns=AT, seat="a"), view=view(round=1))) == []


def test_in_attract_robots_and_lessons_play_in_silence_but_a_lesson_that_was_asked_for_is_heard() -> None:
    lesson = Lesson("turn", NOW, 1, 5)
    assert heard(shot(played(), scene="attract")) == []
    assert heard(shot(played(), scene="attract", lesson=lesson)) == []
    assert heard(shot(played(), scene="lobby", lesson=lesson)) == ["play a"]
    assert heard(shot(played(), scene="result")) == ["play a"]


def test_what_was_silent_is_not_heard_when_the_scene_changes() -> None:
    assert heard(shot(played(), scene="attract"), shot(played(), scene="match")) == []


# Lobby


def lobby(a: SeatStatus = NOBODY, b: SeatStatus = NOBODY, **changes: Any) -> Snapshot:
    fields = {"scene": "lobby", "seats_a": a, "seats_b": b} | changes
    return snapshot(None, **fields)


READY = replace(HUMAN, is_ready=True)


def test_who_joins_and_who_is_ready_is_heard_on_the_own_side() -> None:
    row = [
        snapshot(None, scene="attract", seats_a=NOBODY, seats_b=NOBODY),
        lobby(a=HUMAN),
        lobby(a=HUMAN, b=HUMAN),
    ]
    row += [lobby(a=HUMAN, b=READY), lobby(a=HUMAN, b=READY)]
    assert heard(*row) == ["joined a", "joined b", "ready b"]


def test_the_last_to_be_ready_is_heard_though_the_match_begins_at_once() -> None:
    assert heard(lobby(a=HUMAN, b=READY), snapshot(view(round=1))) == ["ready a"]


def test_who_plays_again_joins_again() -> None:
    assert heard(snapshot(view(), scene="result"), lobby(b=HUMAN)) == ["joined b"]


def test_paging_through_the_games_is_heard_in_the_middle() -> None:
    assert heard(lobby(a=HUMAN), lobby(a=HUMAN, game=game_named("speed"))) == ["page"]


def test_the_first_snapshot_of_all_tells_of_no_change() -> None:
    assert heard(lobby(a=READY, b=HUMAN)) == []


# Counts


def counted(reader: CueReader, until_ns: int) -> list[tuple[str, int]]:
    """The names of what is due up to then, and when, in milliseconds after `NOW`."""
    told = []
    while (at_ns := reader.next_ns()) is not None and at_ns <= until_ns:
        told += [(name, (at_ns - NOW) // MS) for name in names(reader.due(at_ns))]
    return told


def beat(kind: Any, length_ms: int) -> Snapshot:
    return snapshot(view(beat=BeatView(kind, AT, AT + length_ms * MS, ("left", "right"))))


def test_the_count_before_the_deal_comes_with_each_pulse_of_light() -> None:
    reader = CueReader(60 * SECOND_NS)
    reader.read(beat("deal", 1_800), NOW)
    assert counted(reader, NOW + 10 * SECOND_NS) == [("count", 0), ("count", 600), ("count", 1_200)]
    said = [pulse_number(at_ms * MS, 1_800 * MS, 3) for at_ms in (0, 600, 1_200)]
    assert said == [3, 2, 1]


def test_a_later_spit_has_one_pulse_and_without_a_beat_there_is_none() -> None:
    for length_ms, expected in ((600, [("count", 0)]), (0, [])):
        reader = CueReader(60 * SECOND_NS)
        reader.read(beat("spit", length_ms), NOW)
        assert counted(reader, NOW + 10 * SECOND_NS) == expected


def test_a_count_is_heard_once_though_snapshots_repeat_it() -> None:
    reader, told = CueReader(60 * SECOND_NS), []
    for _ in range(3):
        reader.read(beat("deal", 1_800), NOW)
        told += counted(reader, NOW + 700 * MS)
        assert reader.due(NOW + 700 * MS) == ()
    assert told == [("count", 0), ("count", 600)]


def test_a_count_that_is_over_is_not_made_up_for() -> None:
    reader = CueReader(60 * SECOND_NS)
    reader.read(beat("deal", 1_800), NOW)
    assert names(reader.due(NOW + 1_210 * MS)) == ["count"]
    assert reader.next_ns() is None


def test_a_pause_stops_the_count_and_is_heard_itself() -> None:
    reader = CueReader(60 * SECOND_NS)
    reader.read(beat("deal", 1_800), NOW)
    paused = replace(beat("deal", 1_800), paused_since_ns=NOW)
    assert names(reader.read(paused, NOW)) == ["paused"]
    assert reader.next_ns() is None


def test_after_a_pause_three_two_one_and_go_when_the_picture_is_back() -> None:
    reader = CueReader(60 * SECOND_NS)
    paused = snapshot(view(), paused_since_ns=NOW)
    reader.read(snapshot(view()), NOW)
    reader.read(paused, NOW)
    reader.read(replace(paused, goes_on_ns=NOW + 3 * SECOND_NS), NOW)
    ticks = [("count", 0), ("count", 1_000), ("count", 2_000)]
    assert counted(reader, NOW + 10 * SECOND_NS) == ticks
    goes_on = snapshot(view(), at_ns=NOW + 3 * SECOND_NS)
    assert names(reader.read(goes_on, goes_on.at_ns)) == ["go"]


def test_the_cue_to_slap_cannot_be_known_before() -> None:
    reader = CueReader(60 * SECOND_NS)
    reader.read(shot(RoundEnded(at_ns=AT, end=RoundEnd("out", "a")), view=view(phase="slap", ended_ns=AT)), NOW)
    assert reader.next_ns() is None
    assert reader.due(NOW + SECOND_NS) == ()


def test_nobody_there_is_asked_once() -> None:
    asked = snapshot(view(), still_there_until_ns=NOW + 10 * SECOND_NS)
    assert heard(snapshot(view()), asked, asked) == ["still_there"]


def test_in_attract_players_are_called_seldom_and_not_at_once() -> None:
    reader = CueReader(60 * SECOND_NS)
    reader.read(snapshot(view(), scene="attract"), NOW)
    assert counted(reader, NOW + 150 * SECOND_NS) == [("attract", 60_000), ("attract", 120_000)]
    reader.read(lobby(a=HUMAN), NOW + 150 * SECOND_NS)
    assert reader.next_ns() is None


def test_a_call_that_is_late_is_left_out_and_the_next_comes_in_time() -> None:
    reader = CueReader(60 * SECOND_NS)
    reader.read(snapshot(view(), scene="attract"), NOW)
    assert reader.due(NOW + 200 * SECOND_NS) == ()
    assert reader.next_ns() == NOW + 240 * SECOND_NS


def test_only_calls_have_the_attract_volume() -> None:
    reader = CueReader(60 * SECOND_NS)
    (play,) = reader.read(shot(played()), NOW)
    reader.read(snapshot(view(), scene="attract"), NOW)
    (call,) = reader.due(NOW + 60 * SECOND_NS)
    assert (play.calls_for_players, call.calls_for_players) == (False, True)


def test_no_sound_depends_on_a_card() -> None:
    """So a hidden hand is told by none (RULES.md 52)."""
    for one in PACK:
        assert heard(shot(played("a", card=one, uncovered=one))) == ["play a"]
        assert heard(shot(Drew(at_ns=AT, seat="b", slot=1, card=one))) == ["turn b"]
    assert heard(shot(Drew(at_ns=AT, seat="b", slot=1, card=None))) == ["turn b"]
    assert heard(shot(Hinted(at_ns=AT, seat="a", hint=None))) == []
