"""Pure: how loud a sound is by the settings, the time of the day, and whether anybody plays."""

from __future__ import annotations

from typing import Final

from display.sound.settings import SoundSettings, minutes

FULL: Final = 100


def is_quiet(settings: SoundSettings, minute: int) -> bool:
    """Whether it is in the quiet hours; `minute` since local midnight. The hour of their end is no longer quiet.

    From and to the same minute: it is always quiet.
    """
    first, last = minutes(settings.quiet_from), minutes(settings.quiet_to)
    if first is None or last is None:
        return False
    if first < last:
        return first <= minute < last
    return minute >= first or minute < last


def gain(settings: SoundSettings, minute: int, *, calls_for_players: bool) -> float:
    """By what a sound is multiplied, from 0 to 1; `minute` since local midnight."""
    if settings.mute:
        return 0.0
    quiet = is_quiet(settings, minute)
    if calls_for_players:
        return 0.0 if quiet else _loudness(settings.volume) * _loudness(settings.attract_volume)
    return _loudness(settings.volume) * (_loudness(settings.quiet_volume) if quiet else 1.0)


def is_never_heard(settings: SoundSettings) -> bool:
    """Whether no sound card is needed."""
    return settings.mute or settings.volume == 0


def _loudness(percent: int) -> float:
    """Ears hear ratios: the square of the share is near enough to what a fader does."""
    return (percent / FULL) ** 2
