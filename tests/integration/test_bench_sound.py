"""The measurement of the sound's delay: it measures the real mixer, and leaves the machine as it was."""

from __future__ import annotations

import os

import pygame

from cabinet.bench import sound


def test_every_sound_is_heard_and_the_buffers_are_counted() -> None:
    measured = sound.measure(sounds=20)
    assert (measured.sounds, measured.unheard) == (20, 0)
    assert 0 < measured.delay.median <= measured.delay.p99 <= measured.delay.max
    assert measured.buffer_ms == 5.333
    assert abs(measured.heard_p99_ms - measured.delay.p99 - 2 * measured.buffer_ms) < 0.01
    assert measured.made_ms > 0
    assert os.environ["SDL_AUDIODRIVER"] == "dummy"
    assert pygame.mixer.get_init() is None
