"""How loud: volumes, quiet hours across midnight, mute, and what an owner may write."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.config import SettingsError, load
from display.sound.levels import gain, is_never_heard, is_quiet
from display.sound.settings import SoundSettings

NIGHT = SoundSettings(quiet_from="22:30", quiet_to="07:00")


def minute(hours: int, minutes: int = 0) -> int:
    return hours * 60 + minutes


@pytest.mark.parametrize(
    ("at", "quiet"),
    [
        (minute(22, 29), False),
        (minute(22, 30), True),
        (minute(23, 59), True),
        (minute(0), True),
        (minute(6, 59), True),
        (minute(7), False),
        (minute(12), False),
    ],
)
def test_quiet_hours_go_on_past_midnight(at: int, quiet: bool) -> None:
    assert is_quiet(NIGHT, at) is quiet


def test_quiet_hours_may_lie_within_one_day() -> None:
    lessons = SoundSettings(quiet_from="08:00", quiet_to="13:15")
    quiet = [is_quiet(lessons, at) for at in (minute(7, 59), minute(8), minute(13, 14), minute(13, 15), 0)]
    assert quiet == [False, True, True, False, False]


def test_without_hours_it_is_never_quiet_and_from_and_to_the_same_time_always() -> None:
    assert not any(is_quiet(SoundSettings(), at) for at in range(0, 1_440, 7))
    assert all(is_quiet(SoundSettings(quiet_from="09:00", quiet_to="09:00"), at) for at in range(0, 1_440, 7))


def test_in_quiet_hours_play_is_soft_and_nobody_is_called() -> None:
    day, night = minute(12), minute(23)
    assert 0 < gain(NIGHT, night, calls_for_players=False) < 0.1 * gain(NIGHT, day, calls_for_players=False)
    assert gain(NIGHT, day, calls_for_players=True) > 0
    assert gain(NIGHT, night, calls_for_players=True) == 0


def test_the_attract_volume_is_a_share_of_the_volume() -> None:
    loud, soft = SoundSettings(volume=100, attract_volume=50), SoundSettings(volume=50, attract_volume=50)
    assert gain(loud, 0, calls_for_players=False) == 1.0
    assert gain(loud, 0, calls_for_players=True) == gain(soft, 0, calls_for_players=False) == 0.25
    assert gain(soft, 0, calls_for_players=True) == 0.25 * 0.25


def test_mute_and_no_volume_are_never_heard() -> None:
    assert is_never_heard(SoundSettings(mute=True))
    assert gain(SoundSettings(mute=True), 0, calls_for_players=False) == 0
    assert is_never_heard(SoundSettings(volume=0))
    assert not is_never_heard(SoundSettings(volume=1))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'quiet_from = "24:00"',
            '2: sound.quiet_from: found "24:00"; allowed: a time from "00:00" to "23:59", or ""',
        ),
        ('quiet_from = "9:00"', '2: sound.quiet_from: found "9:00"; allowed: a time from "00:00"'),
        ('quiet_from = "22:00"', "2: sound.quiet_from: found "),
        ("buffer_samples = 64", "2: sound.buffer_samples: found 64; allowed: 256 or 512"),
        ("volume = 101", "2: sound.volume: found 101; allowed: a whole number from 0 to 100"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f"[sound]\n{line}\n", encoding="utf-8")
    with pytest.raises(SettingsError) as told:
        load(path)
    assert str(told.value).startswith(f"{path}:{said}")
    assert "\n" not in str(told.value)
