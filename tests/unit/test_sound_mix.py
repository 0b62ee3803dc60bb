"""The limiter and the voices: the sum never clips, and what is important is always heard."""

from __future__ import annotations

from array import array
from random import Random

import pytest

from display.sound.bank import Sound, made
from display.sound.device import Device
from display.sound.mix import SLOTS, VOICES, Mix, Start
from display.sound.settings import SoundSettings
from display.sound.sounds import ALL_VOICES, Voice, importance
from tests.heard import MS, SECOND_NS, Strip, Tape, loudest

BANK = {voice: made(voice, SoundSettings()) for voice in ALL_VOICES}


class Clock:
    now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


class Stage:
    """A mix and the card that plays what it decides; the card hears of it up to `late_ns` later."""

    def __init__(self, late_ns: int = 0, buffer_samples: int = 512) -> None:
        self.clock, self.mix, self.rng = Clock(), Mix(), Random(1)
        self.tape = Tape(self.clock, buffer_samples)
        self.device: Device = self.tape
        self.late_ns = late_ns
        self.tape.open()

    def play(self, sound: Sound, at_ns: int, gain: float = 1.0) -> Start | None:
        decision = self.mix.play(sound, gain, at_ns)
        self.clock.now_ns = at_ns + self.rng.randint(0, self.late_ns)
        for slot in decision.fade:
            self.device.fade(slot)
        if decision.start is not None:
            self.device.play(decision.start.slot, decision.start.sound, decision.start.gain)
        return decision.start


def sound(name: str, seat: str | None = None) -> Sound:
    return next(one for voice, one in BANK.items() if (voice.name, voice.seat) == (name, seat))


def test_one_sound_alone_is_played_as_it_is() -> None:
    for one in BANK.values():
        start = Stage().play(one, 0)
        assert start is not None
        assert start.gain == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_the_worst_second_does_not_clip(seed: int) -> None:
    """Every ten milliseconds another sound at full volume, and now and then a crowd of the loudest."""
    stage, unlimited, rng = Stage(late_ns=10 * MS), Stage(), Random(seed)
    loud = [one for voice, one in BANK.items() if importance(voice.name) == 3]
    for at_ms in range(0, 1_000, 10):
        chosen = rng.sample(loud, 4) if at_ms % 100 == 0 else [rng.choice(list(BANK.values()))]
        for one in chosen:
            stage.play(one, at_ms * MS)
            unlimited.tape.strips.append(Strip(0, one, 1.0, at_ms * MS))
    mixed = stage.tape.mixed(0, 3 * SECOND_NS)
    assert loudest(*unlimited.tape.mixed(0, 3 * SECOND_NS)) > 1.0, "the limiter has nothing to do"
    assert 0.4 < loudest(*mixed) <= 0.95


def test_the_same_sound_from_both_seats_at_once_does_not_clip() -> None:
    stage = Stage()
    for seat in ("a", "b", "a", "b"):
        stage.play(sound("slap", seat), 0)
    assert loudest(*stage.tape.mixed(0, SECOND_NS)) <= 0.95


def bang(block: int) -> Sound:
    """A sound that is silent but for one block of ten milliseconds."""
    return Sound(Voice("slap_cue"), array("h"), tuple(0.6 * (number == block) for number in range(12)))


@pytest.mark.parametrize("apart", [-2, -1, 0, 1, 2])
def test_two_that_may_fall_together_when_one_begins_a_buffer_later_are_not_too_loud(apart: int) -> None:
    mix = Mix()
    mix.play(bang(5), 1.0, 0)
    start = mix.play(bang(5 + apart), 1.0, 0).start
    assert start is not None
    assert 0.6 * (1.0 + start.gain) <= 0.951


def test_two_that_cannot_fall_together_are_both_played_as_they_are() -> None:
    mix = Mix()
    mix.play(bang(2), 1.0, 0)
    start = mix.play(bang(8), 1.0, 0).start
    assert start is not None
    assert start.gain == 1.0


def test_the_cue_to_slap_is_as_loud_in_the_greatest_noise_as_alone() -> None:
    stage = Stage()
    for number in range(12):
        for seat in ("a", "b"):
            stage.play(sound("play", seat), number * 20 * MS)
            stage.play(sound("refused", seat), number * 20 * MS)
    cue = stage.play(sound("slap_cue"), 250 * MS)
    assert cue is not None
    assert cue.gain == 1.0


def test_no_more_voices_than_can_be_told_apart() -> None:
    stage = Stage()
    for number in range(3 * VOICES):
        stage.play(sound("joined", "a"), number * MS, gain=0.1)
        assert stage.mix.voices <= VOICES
    assert sum(strip.faded_ns is None for strip in stage.tape.strips) == VOICES
    assert all(0 <= strip.slot < SLOTS for strip in stage.tape.strips)


def test_the_oldest_of_the_least_important_makes_room() -> None:
    stage = Stage()
    stage.play(sound("call", "a"), 0, gain=0.05)
    stage.play(sound("page"), 1 * MS, gain=0.05)
    for number in range(2, VOICES):
        stage.play(sound("move", "b"), number * MS, gain=0.05)
    assert stage.play(sound("play", "a"), 10 * MS, gain=0.05) is not None
    assert [strip.sound.voice.name for strip in stage.tape.strips if strip.faded_ns is not None] == ["page"]


def test_decoration_does_not_drive_out_what_must_be_known() -> None:
    stage = Stage()
    for number in range(VOICES):
        stage.play(sound("refused", "a"), number * MS, gain=0.05)
    assert stage.play(sound("turn", "b"), 10 * MS, gain=0.05) is None
    assert all(strip.faded_ns is None for strip in stage.tape.strips)


def test_nothing_drives_out_the_cue_to_slap() -> None:
    stage = Stage()
    stage.play(sound("slap_cue"), 0, gain=0.3)
    for number in range(2 * VOICES):
        stage.play(sound("slap", "a"), number * MS, gain=0.3)
    assert stage.tape.strips[0].faded_ns is None


def test_a_slot_is_free_again_when_its_sound_is_over() -> None:
    stage = Stage()
    for number in range(100):
        start = stage.play(sound("play", "a"), number * 300 * MS)
        assert start is not None
        assert (start.slot, start.gain) == (0, 1.0)


def test_no_channel_is_given_to_two_sounds_at_once() -> None:
    stage = Stage()
    until_ns: dict[int, int] = {}
    for number in range(200):
        now_ns = number * 7 * MS
        start = stage.play(list(BANK.values())[number % len(BANK)], now_ns, gain=0.5)
        for strip in stage.tape.strips:
            if strip.faded_ns == stage.clock.now_ns:
                until_ns[strip.slot] = now_ns + 15 * MS
        if start is not None:
            assert until_ns.get(start.slot, -1) <= now_ns
            until_ns[start.slot] = now_ns + start.sound.length_ms * MS


def test_when_the_card_was_gone_nothing_is_played_any_more() -> None:
    stage = Stage()
    for seat in ("a", "b"):
        stage.play(sound("match_won", seat), 0)
    stage.mix.clear()
    assert stage.mix.voices == 0


def test_every_voice_has_an_importance_and_the_cue_the_highest() -> None:
    assert {importance(voice.name) for voice in ALL_VOICES} == {0, 1, 2, 3}
    assert importance(Voice("slap_cue").name) == 3
