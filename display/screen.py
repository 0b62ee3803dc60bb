"""Frames on any surface, without a window: for the window, for tests, for pictures and for the bench."""

from __future__ import annotations

from collections.abc import Iterator

import pygame

from cabinet.engine.rules import ARCADE, Rules
from cabinet.snapshot import Snapshot
from display import rehearsal, scenes
from display.layout import shape_of
from display.light import BRIGHT, DARK, DOWN, NORMAL
from display.memory import PileMemory
from display.settings import DisplaySettings, Line
from display.sprites import Compositor
from display.stage import Kit, Stage, counts_colours


class Screen:
    """Draws snapshots at one size. Not thread-safe. A video mode must be set before it is made."""

    def __init__(
        self, surface_size: tuple[int, int], settings: DisplaySettings, key_labels: dict[Line, str] | None = None
    ) -> None:
        """Prepare the fonts; pictures are made when first needed, or by `rehearse`.

        Raises ValueError when the size is too small to lay out.
        """
        pygame.font.init()
        self._kit = Kit(surface_size, settings, key_labels or {})
        self._kit.layout()
        self._memory = PileMemory()
        self._compositor = Compositor()
        self._look = look_of(ARCADE)
        self._rehearsal = self._rehearsed(ARCADE)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._kit.size

    def draw(self, surface: pygame.Surface, snapshot: Snapshot, now_ns: int) -> list[pygame.Rect]:
        """Bring the surface up to date; the places that changed.

        The surface must be the one of the last call, untouched since; after a change call `repaint`.
        """
        self._memory.observe(snapshot)
        stage = Stage(self._kit, snapshot, self._memory, now_ns)
        if self._look != (look := look_of(stage.rules)):
            self._look, self._rehearsal = look, self._rehearsed(stage.rules)
        scenes.draw(stage)
        return self._compositor.draw(surface, stage.sprites)

    def repaint(self) -> None:
        """Paint everything at the next draw, because the surface is a new one or was painted by others."""
        self._compositor.forget()

    def rehearse(self) -> bool:
        """Make a few pictures before play needs them, for some milliseconds; False when all are made.

        To be called again and again while there is time. About half a second in all on a desk computer, and again
        when a game is shown that looks different.
        """
        return next(self._rehearsal, False)

    def _rehearsed(self, rules: Rules) -> Iterator[bool]:
        layout = self._kit.layout(shape_of(rules))
        for level in (DARK, DOWN, NORMAL, BRIGHT):
            self._kit.light.ground("a", level)
            yield True
        for size in (layout.big_card, layout.card):  # those made last are kept, and a hand shows ten at a time
            for _ in self._kit.deck.warm(size, two_colours=counts_colours(rules)):
                yield True
        for snapshot in rehearsal.snapshots(rules):
            memory = PileMemory()
            memory.observe(snapshot)
            scenes.draw(Stage(self._kit, snapshot, memory, rehearsal.NOW_NS))
            yield True


def look_of(rules: Rules) -> tuple[object, ...]:
    """What of a game decides which pictures its matches need."""
    return (shape_of(rules), counts_colours(rules), rules.slap, rules.turn, rules.draw)
