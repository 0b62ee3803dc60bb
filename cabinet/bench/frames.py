"""How long a frame takes in the busiest second, drawn in software on one core, without a screen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import pygame

from cabinet.bench import busy
from cabinet.bench.figures import Spread, spread_ms
from cabinet.game import FRAME_NS
from display.screen import Screen
from display.settings import DisplaySettings

FULL_HD: Final = (1_920, 1_080)
HD: Final = (1_280, 720)
FRAMES_A_SECOND: Final = 60


@contextmanager
def picture(size: tuple[int, int]) -> Iterator[pygame.Surface]:
    """A display that shows nothing, drawn in software."""
    wanted = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.init()
    try:
        yield pygame.display.set_mode(size)
    finally:
        pygame.display.quit()
        if wanted is None:
            del os.environ["SDL_VIDEODRIVER"]
        else:
            os.environ["SDL_VIDEODRIVER"] = wanted


def rehearsed(size: tuple[int, int]) -> Screen:
    """A screen whose pictures are all made, as they are before somebody plays."""
    screen = Screen(size, DisplaySettings(width=size[0], height=size[1]))
    while screen.rehearse():
        pass
    return screen


def measure(clock_ns: Callable[[], int], size: tuple[int, int], *, seconds: int = 5) -> Spread:
    """Draws the busiest second `seconds` times at 60 frames a second of made-up time; how long each frame took."""
    with picture(size) as surface:
        screen = rehearsed(size)
        draw_second(screen, surface, busy.SECOND_NS, clock_ns)
        times_ns = []
        for number in range(seconds):
            times_ns += draw_second(screen, surface, (number + 10) * busy.SECOND_NS, clock_ns)
    return spread_ms(times_ns)


def draw_second(screen: Screen, surface: pygame.Surface, from_ns: int, clock_ns: Callable[[], int]) -> list[int]:
    """Draws one busiest second that begins at made-up host time `from_ns`; how long each frame took."""
    published = busy.snapshots(from_ns)
    times_ns = []
    for frame in range(FRAMES_A_SECOND):
        now_ns = from_ns + frame * FRAME_NS
        snapshot = busy.latest(published, now_ns)
        began_ns = clock_ns()
        pygame.display.update(screen.draw(surface, snapshot, now_ns))
        times_ns.append(clock_ns() - began_ns)
    return times_ns
