"""The player on a clock of its own: the card that is missing, goes and comes; volumes; what is late."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cabinet.engine.actions import Played
from cabinet.engine.table import BeatView
from cabinet.snapshot import Happening, Snapshot
from display.sound import bank
from display.sound.bank import Bank
from display.sound.device import what_to_do
from display.sound.player import AGAIN_NS, Sounding, SoundPlayer
from display.sound.player import Played as Queued
from display.sound.settings import SoundSettings
from display.sound.sounds import ALL_VOICES
from tests.display_snapshots import MS, NOW, OFFSET, card, snapshot, view
from tests.heard import SECOND_NS, Tape

NOON = 12 * 60

making = cache(bank.made)


@pytest.fixture(autouse=True)
def _made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them take a second."""
    monkeypatch.setattr(bank, "made", making)


class Clock:
    now_ns = NOW

    def __call__(self) -> int:
        return self.now_ns


class Desk:
    """A player without a thread, whose time passes from one thing that is due to the next."""

    def __init__(self, settings: SoundSettings | None = None, minute: Callable[[], int] = lambda: NOON) -> None:
        self.clock = Clock()
        self.tape = Tape(self.clock)
        self.queued: list[Queued] = []
        self.sounding = Sounding(settings or SoundSettings(), self.tape, self.clock, minute, self.queued.append)
        self._number = 0

    def pass_time(self, seconds: float) -> None:
        until_ns = self.clock.now_ns + round(seconds * SECOND_NS)
        wake_ns = self.sounding.pass_time()
        while wake_ns <= until_ns:
            self.clock.now_ns = max(self.clock.now_ns, wake_ns)
            wake_ns = self.sounding.pass_time()
        self.clock.now_ns = until_ns

    def play_card(self, *, age_ms: int = 0) -> None:
        self._number += 1
        at_ns = self.clock.now_ns - age_ms * MS
        event = Played(at_ns=at_ns - OFFSET, seat="a", stock=1, pile="left", card=card("8D"), uncovered=None)
        self.show(happenings=(Happening(self._number, at_ns, event),))

    def show(self, **changes: Any) -> None:
        now_ns = self.clock.now_ns
        fields = {"at_ns": now_ns} | changes
        self.sounding.take(snapshot(fields.pop("shown", view()), **fields), now_ns)


def test_a_card_played_is_heard_at_once() -> None:
    desk = Desk()
    desk.pass_time(0)
    desk.play_card()
    assert desk.tape.names == ["play a"]
    assert [one.queued_ns - one.given_ns for one in desk.queued] == [0]


def test_what_is_too_old_is_not_played() -> None:
    desk = Desk()
    desk.pass_time(0)
    desk.play_card(age_ms=151)
    assert desk.tape.names == []


def test_without_a_sound_card_one_line_tells_it_and_it_is_tried_again_every_ten_seconds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    desk = Desk()
    desk.tape.why_not = "no sound: no card; plug one in"
    desk.pass_time(35)
    desk.play_card()
    assert desk.tape.tries == 4
    assert [record.getMessage() for record in caplog.records] == [
        "no sound: no card; plug one in. It is tried again every 10 s"
    ]
    assert desk.tape.names == []
    desk.tape.why_not = None
    desk.pass_time(10)
    desk.play_card()
    assert desk.tape.names == ["play a"]
    assert caplog.messages[1:] == ["Sound: tape"]


def test_what_happened_while_there_was_no_card_is_not_made_up_for() -> None:
    desk = Desk()
    desk.tape.why_not = "no sound"
    desk.pass_time(0)
    desk.play_card()
    desk.tape.why_not = None
    desk.pass_time(AGAIN_NS / SECOND_NS)
    assert (desk.tape.is_open, desk.tape.names) == (True, [])


def test_a_card_that_is_pulled_out_is_let_go_and_taken_again_when_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    desk = Desk()
    desk.pass_time(1)
    desk.tape.told, desk.tape.why_not = (True, False), "no sound: gone"
    desk.pass_time(2)
    assert not desk.tape.is_open
    desk.play_card()
    desk.tape.told, desk.tape.why_not = (False, True), None
    desk.pass_time(1)
    desk.play_card()
    assert (desk.tape.openings, desk.tape.names) == (2, ["play a"])
    assert caplog.messages == [
        "Sound: tape",
        "The sound card is gone",
        "no sound: gone. It is tried again every 10 s",
        "Sound: tape",
    ]


def test_what_fails_unforeseen_is_tried_again_later() -> None:
    desk = Desk()
    desk.pass_time(0)
    desk.sounding.failed()
    assert not desk.tape.is_open
    desk.pass_time(9)
    assert not desk.tape.is_open
    desk.pass_time(1)
    assert desk.tape.is_open


def test_every_sound_is_made_ahead_bit_by_bit_and_nothing_before_the_card_is_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Bank] = []

    def make_next(bank: Bank) -> bool:
        made.append(bank)
        return len(made) < 9

    monkeypatch.setattr(Bank, "make_next", make_next)
    desk = Desk()
    desk.tape.why_not = "no sound"
    desk.pass_time(1)
    assert made == []
    desk.tape.why_not = None
    desk.pass_time(10)
    assert len(made) == 9


def test_counts_are_heard_at_their_time_though_no_snapshot_comes() -> None:
    desk = Desk()
    desk.pass_time(0)
    begins_ns = desk.clock.now_ns
    match_ns = begins_ns - OFFSET
    desk.show(shown=view(beat=BeatView("deal", match_ns, match_ns + 1_800 * MS, ("left", "right"))))
    desk.pass_time(5)
    heard = [strip for strip in desk.tape.strips if strip.sound.voice.name == "count"]
    assert [(strip.at_ns - begins_ns) // MS for strip in heard] == [0, 600, 1_200]


def test_volumes_hold_at_the_moment_of_the_sound() -> None:
    now = {"minute": NOON}
    settings = SoundSettings(volume=100, quiet_from="22:00", quiet_to="08:00", quiet_volume=50)
    desk = Desk(settings, lambda: now["minute"])
    desk.pass_time(0)
    desk.play_card()
    now["minute"] = 23 * 60
    desk.clock.now_ns += SECOND_NS
    desk.play_card()
    assert [strip.gain for strip in desk.tape.strips] == [1.0, 0.25]


def test_in_quiet_hours_nobody_is_called_in_attract() -> None:
    settings = SoundSettings(attract_every_s=10, quiet_from="22:00", quiet_to="08:00")
    for minute, calls in ((NOON, 3), (0, 0)):
        desk = Desk(settings, lambda minute=minute: minute)  # type: ignore[misc]
        desk.show(scene="attract")
        desk.pass_time(35)
        assert desk.tape.names.count("attract") == calls


class NeverOpened(Tape):
    def open(self) -> str:
        raise AssertionError("nothing is heard, so no card is needed")


@pytest.mark.parametrize("settings", [SoundSettings(mute=True), SoundSettings(volume=0)])
def test_when_nothing_is_to_be_heard_no_card_is_opened(settings: SoundSettings) -> None:
    player = SoundPlayer(settings, device=NeverOpened(lambda: 0))
    player.give(snapshot(view()))
    assert player.stop()
    assert not player._given


def test_the_owner_is_told_which_cards_there_are(tmp_path: Path) -> None:
    assert what_to_do(tmp_path) == "plug in a sound card, or set sound.mute to true"
    for number, name in enumerate(("vc4hdmi0", "Headphones")):
        (tmp_path / f"card{number}").mkdir()
        (tmp_path / f"card{number}" / "id").write_text(f"{name}\n", encoding="utf-8")
    assert what_to_do(tmp_path) == ('set sound.device to "default:CARD=vc4hdmi0" or "default:CARD=Headphones"')


def test_there_are_sounds_to_make() -> None:
    assert len(ALL_VOICES) == len(set(ALL_VOICES)) > 40


def test_a_snapshot_that_cannot_be_read_is_logged_and_the_player_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    player = SoundPlayer(SoundSettings(), device=Tape(lambda: 0), may_begin=lambda: False)
    broken: Any = object()
    player._round([(broken, 0)])
    assert "The sound failed and starts anew" in caplog.text
    assert isinstance(snapshot(view()), Snapshot)
    assert player.stop()
