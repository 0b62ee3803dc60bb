"""A whole match of the demo, listened to: nothing clips, and all that matters is heard in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec
import pytest

from cabinet.demo import Demo
from cabinet.engine.actions import BeatStarted
from cabinet.engine.games import Game, game_named
from cabinet.engine.rules import Options
from cabinet.engine.table import Seat
from cabinet.game import GameSettings
from cabinet.snapshot import Happening, Snapshot
from display.sound import bank
from display.sound.cues import LATEST_NS, Cue, CueReader
from display.sound.player import Played, Sounding
from display.sound.settings import SoundSettings
from tests.heard import FULL_SCALE, MS, SECOND_NS, Tape, loudest, named

NOON: Final = 12 * 60
LIMIT_NS: Final = 30 * 60 * SECOND_NS
AFTERWARDS_NS: Final = 3 * SECOND_NS
FULL_VOLUME: Final = SoundSettings(volume=100, attract_volume=100)
SOON_NS: Final = 20 * MS
"""A sound follows the snapshot; until then the arbiter has waited for the sources, as the picture has, too."""


class Heard(msgspec.Struct, frozen=True):
    """What a demo gave to hear."""

    tape: Tape
    played: tuple[Played, ...]
    happened: tuple[Happening, ...]
    scenes: tuple[str, ...]
    ended_ns: int


class Listener:
    """Sits before a demo; the sound's time passes with every snapshot and with all that is due between two."""

    def __init__(self, game: Game, seed: int) -> None:
        self._demo = Demo(GameSettings(games=(game,)), seed)
        self._now_ns = 0
        self._tape = Tape(self._clock)
        self._played: list[Played] = []
        self._sounding = Sounding(FULL_VOLUME, self._tape, self._clock, lambda: NOON, self._played.append)
        self._wake_ns = self._sounding.pass_time()
        self._happened: dict[int, Happening] = {}
        self._scenes: list[str] = []
        self._began_ns = 0
        """When the match began: what happened before is that of robots behind the title."""
        self._demo.watch(self._see)

    def listen(self) -> Heard:
        """To the end of a match and a little longer."""
        while not self._demo.matches_over:
            self._demo.run_until(self._demo.now_ns + SECOND_NS)
            assert self._demo.now_ns < LIMIT_NS, "the match does not end"
        self._demo.run_until(self._demo.now_ns + AFTERWARDS_NS)
        ended_ns = self._demo.now_ns
        self._demo.close()
        return Heard(
            self._tape, tuple(self._played), tuple(self._happened.values()), tuple(self._scenes), ended_ns
        )

    def _clock(self) -> int:
        return self._now_ns

    def _see(self, snapshot: Snapshot) -> None:
        while self._wake_ns <= self._demo.now_ns:
            self._now_ns = max(self._now_ns, self._wake_ns)
            self._wake_ns = self._sounding.pass_time()
        self._now_ns = self._demo.now_ns
        self._sounding.take(snapshot, self._now_ns)
        self._wake_ns = self._sounding.pass_time()
        if self._scenes[-1:] != [snapshot.scene]:
            self._scenes.append(snapshot.scene)
        if snapshot.scene in ("match", "result"):
            self._began_ns = self._began_ns or self._now_ns - SOON_NS
            new = [one for one in snapshot.happenings if one.at_ns >= self._began_ns]
            self._happened.update({one.number: one for one in new})


@pytest.fixture(scope="module")
def spit() -> Iterator[Heard]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bank, "made", cache(bank.made))
        yield Listener(game_named("spit"), 3).listen()


def of(heard: Heard, kind: str, seat: Seat | None = None) -> list[int]:
    """When events of a kind happened, by any player or one."""
    return [
        one.at_ns
        for one in heard.happened
        if type(one.event).__name__ == kind and seat in (None, getattr(one.event, "seat", None))
    ]


def times(heard: Heard, *names: str) -> list[int]:
    """When sounds were heard."""
    return [strip.at_ns for strip in heard.tape.strips if named(strip) in names]


def test_it_is_listened_to_from_attract_to_the_result(spit: Heard) -> None:
    assert spit.scenes[:4] == ("attract", "lobby", "match", "result")


def test_nothing_clips_and_the_loudest_is_loud(spit: Heard) -> None:
    seconds = [spit.tape.mixed(from_ns, from_ns + SECOND_NS) for from_ns in range(0, spit.ended_ns, SECOND_NS)]
    peaks = [loudest(*second) for second in seconds]
    assert 0.4 < max(peaks) <= 0.95
    left, right = (sum(sum(map(abs, second[side])) for second in seconds) for side in (0, 1))
    assert 0.5 < left / right < 2.0, "both sides are heard"


def test_play_is_never_silent_for_long_and_never_without_rest(spit: Heard) -> None:
    """While cards are played something is heard in every six seconds; in between there is rest."""
    plays = of(spit, "Played")
    for from_ns in range(plays[0], plays[-1], 6 * SECOND_NS):
        assert loudest(*spit.tape.mixed(from_ns, from_ns + 6 * SECOND_NS)) > 0.05
    left, _ = spit.tape.mixed(plays[0], plays[0] + 20 * SECOND_NS)
    blocks = [max(map(abs, left[first : first + 480])) for first in range(0, len(left), 480)]
    quiet = sum(block < 0.02 * FULL_SCALE for block in blocks)
    assert 0.3 < quiet / len(blocks) < 0.97


def test_every_card_played_is_heard_once_on_its_side_and_at_once(spit: Heard) -> None:
    for seat in ("a", "b"):
        heard = times(
            spit, *(f"{name} {seat}" for name in ("play", "streak_1", "streak_2", "streak_3", "streak_4"))
        )
        happened = of(spit, "Played", "a" if seat == "a" else "b")
        assert len(heard) == len(happened) > 20
        late_ns = [at_ns - of_ns for at_ns, of_ns in zip(heard, happened, strict=True)]
        assert min(late_ns) >= 0
        assert max(late_ns) <= SOON_NS


def test_every_slap_has_its_cue_and_no_cue_comes_before_the_slap_is_open(spit: Heard) -> None:
    cues, opened = times(spit, "slap_cue"), of(spit, "SlapOpened")
    assert len(cues) == len(opened) > 0
    assert all(0 <= cue - at_ns <= SOON_NS for cue, at_ns in zip(cues, opened, strict=True))
    strips = [strip for strip in spit.tape.strips if named(strip) == "slap_cue"]
    assert [strip.gain for strip in strips] == [1.0] * len(strips)
    assert all(strip.faded_ns is None for strip in strips)


def test_every_deal_is_counted_three_two_one_and_then_the_cards_turn(spit: Heard) -> None:
    due = []
    for one in spit.happened:
        if isinstance(one.event, BeatStarted):
            pulses, length_ns = (3 if one.event.kind == "deal" else 1), one.event.ends_ns - one.event.at_ns
            due += [one.at_ns + length_ns * pulse // pulses for pulse in range(pulses)]
    due = [at_ns for at_ns in due if at_ns < spit.ended_ns - SOON_NS]
    heard = [at_ns for at_ns in times(spit, "count") if at_ns < spit.ended_ns - SOON_NS]
    assert len(heard) == len(due) > 6
    assert all(0 <= at_ns - due_ns <= SOON_NS for at_ns, due_ns in zip(heard, due, strict=True))
    assert len(times(spit, "turned")) == len(of(spit, "CardsTurned"))


def test_both_join_are_ready_and_one_of_them_wins(spit: Heard) -> None:
    before = Counter(named(strip) for strip in spit.tape.strips if strip.at_ns < of(spit, "CardsTurned")[0])
    assert {before["joined a"], before["joined b"], before["ready a"], before["ready b"]} == {1}
    assert len(times(spit, "match_won a", "match_won b")) == 1


def test_nothing_was_played_late(spit: Heard) -> None:
    assert spit.played
    assert all(0 <= one.queued_ns - one.cue.at_ns <= LATEST_NS for one in spit.played)


def test_hidden_hands_are_not_heard() -> None:
    """Row 52: what is told to a screen that sees no hand sounds as what is told to the players themselves."""
    options = Options(hands="hidden", speed_target=1)
    demo = Demo(GameSettings(games=(game_named("speed", options),)), 5)
    game = demo.cabinet.game
    readers = {viewer: CueReader(SECOND_NS) for viewer in ("a", "b", None)}
    heard: dict[str | None, list[Cue]] = {viewer: [] for viewer in readers}
    hidden = 0

    def see(snapshot: Snapshot) -> None:
        nonlocal hidden
        shown = {"a": game.latest_for("a"), "b": game.latest_for("b"), None: snapshot}
        hidden += shown["a"] != snapshot
        for viewer, reader in readers.items():
            heard[viewer] += reader.read(shown[viewer], demo.now_ns)

    demo.watch(see)
    while not demo.matches_over:
        demo.run_until(demo.now_ns + SECOND_NS)
    demo.close()
    assert heard["a"] == heard["b"] == heard[None]
    assert len(heard[None]) > 30
    assert hidden > 30
