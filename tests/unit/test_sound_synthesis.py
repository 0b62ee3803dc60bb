"""The sounds themselves: short, without clicks, each on its side, and no two alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import pytest

from display.sound.bank import BLOCK_MS, Bank, Sound, made
from display.sound.settings import SoundSettings
from display.sound.sounds import ALL_VOICES, STREAKS, SeatSound, Voice, peak
from display.sound.synthesis import RATE, Noise, Note, Part, rendered
from tests.heard import sides

LONG = {"attract": 1_600, "match_won": 1_400, "round_won": 550, "paused": 450, "still_there": 480}
"""Those that nobody acts upon, with what they may take in milliseconds; and that something has ended."""
USUAL_MS = 320
QUARTER_TONE = 2 ** (1 / 24)


@pytest.fixture(scope="module")
def sounds() -> dict[Voice, Sound]:
    return {voice: made(voice, SoundSettings()) for voice in ALL_VOICES}


def near_side(sound: Sound) -> list[float]:
    return max(sides(sound.samples), key=lambda side: max(map(abs, side)))


def strength(samples: Sequence[float], hz: float) -> float:
    """How much of a pitch there is (Goertzel)."""
    turn = 2 * math.cos(math.tau * hz / RATE)
    before = last = 0.0
    for sample in samples:
        before, last = last, sample + turn * last - before
    return before * before + last * last - turn * before * last


def pitch(samples: Sequence[float], lowest: float, highest: float) -> float:
    """The strongest pitch between two, to a quarter tone."""
    steps = round(math.log(highest / lowest, QUARTER_TONE))
    return max((lowest * QUARTER_TONE**step for step in range(steps + 1)), key=lambda hz: strength(samples, hz))


def spectrum(sound: Sound) -> list[float]:
    """How a sound's first tenth of a second is shared out among half octaves, in all 1."""
    samples = near_side(sound)[: RATE // 10]
    powers = [strength(samples, 110.0 * 2 ** (step / 6)) for step in range(38)]
    return [power / sum(powers) for power in powers]


def test_none_has_a_mean_or_begins_or_ends_with_a_click(sounds: dict[Voice, Sound]) -> None:
    for voice, sound in sounds.items():
        samples = near_side(sound)
        loudest = max(map(abs, samples))
        assert abs(sum(samples) / len(samples)) < 1e-4, voice
        assert abs(samples[0]) < 0.02 * loudest, voice
        assert max(map(abs, samples[-10:])) < 0.01 * loudest, voice


def test_most_are_short(sounds: dict[Voice, Sound]) -> None:
    lengths = {voice: len(sound.samples) // 2 * 1_000 / RATE for voice, sound in sounds.items()}
    assert {voice: ms for voice, ms in lengths.items() if ms > LONG.get(voice.name, USUAL_MS)} == {}
    assert sum(ms <= 250 for ms in lengths.values()) > 0.7 * len(lengths)


def test_what_is_heard_in_play_is_over_before_the_next_press(sounds: dict[Voice, Sound]) -> None:
    for name in ("play", "move", "turn", "armed", "refused", "locked", "lost_race", "streak_4"):
        for seat in ("a", "b"):
            assert len(sounds[Voice(name, seat)].samples) // 2 <= RATE * 0.175


def test_each_is_as_loud_as_it_should_be_on_its_louder_side(sounds: dict[Voice, Sound]) -> None:
    for voice, sound in sounds.items():
        wanted = peak(voice.name) * (0.71 if voice.seat is None else 1.0)
        assert max(map(abs, near_side(sound))) == pytest.approx(wanted, abs=0.001), voice
        assert max(sound.loudness) == pytest.approx(wanted, abs=0.001), voice


def test_the_limiter_knows_the_loudest_of_each_moment(sounds: dict[Voice, Sound]) -> None:
    block = RATE * BLOCK_MS // 1_000
    for sound in sounds.values():
        left, right = sides(sound.samples)
        for number, known in enumerate(sound.loudness):
            heard = [*left[number * block : (number + 1) * block], *right[number * block : (number + 1) * block]]
            assert max(map(abs, heard)) <= known + 1e-4


def test_the_seats_are_heard_on_their_sides(sounds: dict[Voice, Sound]) -> None:
    for voice, sound in sounds.items():
        left, right = (max(map(abs, side)) for side in sides(sound.samples))
        if voice.seat is None:
            assert left == right, voice
        else:
            near, far = (left, right) if voice.seat == "a" else (right, left)
            assert 2 < near / far < 4, voice


def test_the_sides_can_be_exchanged_or_given_up() -> None:
    play = Voice("play", "a")
    usual, other, middle = (
        sides(made(play, SoundSettings(sides=way)).samples) for way in ("left_right", "right_left", "middle")
    )
    assert (usual[0], usual[1]) == (other[1], other[0])
    assert middle[0] == middle[1]


def test_both_seats_hear_the_cue_to_slap_at_the_same_sample(sounds: dict[Voice, Sound]) -> None:
    left, right = sides(sounds[Voice("slap_cue")].samples)
    assert left == right
    first = next(number for number, sample in enumerate(left) if abs(sample) > 0.1 * max(left))
    assert first < RATE * 0.003


def test_each_seat_has_its_own_pitch_a_fifth_apart(sounds: dict[Voice, Sound]) -> None:
    for name in ("play", "streak_1", "streak_2", "streak_3", "streak_4", "move", "refused"):
        a, b = (pitch(near_side(sounds[Voice(name, seat)]), 110, 1_000) for seat in ("a", "b"))
        assert b / a == pytest.approx(1.5, rel=0.04), name


def test_a_streak_climbs(sounds: dict[Voice, Sound]) -> None:
    names: tuple[SeatSound, ...] = ("play", *STREAKS)
    for seat in ("a", "b"):
        pitches = [pitch(near_side(sounds[Voice(name, seat)]), 250, 1_000) for name in names]
        assert pitches == sorted(set(pitches))


def test_no_two_of_a_seat_or_of_the_middle_are_alike(sounds: dict[Voice, Sound]) -> None:
    """They differ by a third in length, by a third in loudness, or in most of their pitches."""
    for seat in ("a", "b", None):
        heard = {
            voice.name: (
                len(sound.samples),
                math.sqrt(sum(sample * sample for sample in near_side(sound))),
                spectrum(sound),
            )
            for voice, sound in sounds.items()
            if voice.seat == seat
        }
        for (name, one), (other_name, other) in combinations(heard.items(), 2):
            longer = max(one[0], other[0]) / min(one[0], other[0])
            louder = max(one[1], other[1]) / min(one[1], other[1])
            shared = sum(map(min, one[2], other[2]))
            assert longer > 4 / 3 or louder > 4 / 3 or shared < 0.6, (name, other_name, longer, louder, shared)


def test_a_note_has_its_pitch_and_glides() -> None:
    steady = rendered([Note(hz=500.0, ms=200)], 1.0)
    assert pitch(steady, 100, 2_000) == pytest.approx(500, rel=0.03)
    gliding = rendered([Note(hz=400.0, to_hz=800.0, ms=200, decay=0.0)], 1.0)
    begins, ends = gliding[: RATE // 25], gliding[-RATE // 25 :]
    assert pitch(begins, 300, 1_000) < 480
    assert pitch(ends, 300, 1_000) > 680


def test_a_part_begins_when_it_is_due_and_noise_is_the_same_each_time() -> None:
    parts: list[Part] = [Note(hz=500.0, ms=50), Noise(ms=30, below_hz=3_000, at_ms=80)]
    samples = rendered(parts, 0.5)
    assert len(samples) == RATE * 110 // 1_000
    pause = samples[RATE * 55 // 1_000 : RATE * 79 // 1_000]
    assert max(map(abs, pause)) < 0.01
    assert max(map(abs, samples)) == pytest.approx(0.5)
    assert samples == rendered(parts, 0.5)


def test_everything_is_made_ahead_and_once() -> None:
    bank = Bank(SoundSettings())
    wanted = bank.sound(Voice("match_won", "b"))
    count = 1
    while bank.make_next():
        count += 1
    assert count == len(ALL_VOICES)
    assert bank.sound(Voice("match_won", "b")) is wanted
