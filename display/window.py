"""The window: opens SDL, draws the latest snapshot at the screen's rate, and pumps keys in between."""

from __future__ import annotations

import gc
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

import pygame

from cabinet.snapshot import Snapshot
from display import driver, text
from display.driver import NoScreen
from display.keys import KeyPump, Pump
from display.layout import SMALLEST
from display.motion import MS, SECOND_NS
from display.screen import Screen
from display.settings import DisplaySettings, Line
from display.theme import THEMES
from display.type import Type

log = logging.getLogger(__name__)

__all__ = ["NoScreen", "Pump", "Window"]

PUMP_EVERY_NS: Final = 1 * MS
"""How often keys are pumped while a frame is waited for; the loop may add as much again."""
FLIP_SLACK_NS: Final = 3 * MS
"""With vsync: how long before the screen's next frame drawing must be done."""
SMALL_CANVAS: Final = (1_280, 720)
"""A window smaller than `SMALLEST` shows a picture of this size, scaled down."""


class Window:
    """A window or a whole screen. All of it belongs to the thread that opens it.

    `clock` gives CLOCK_MONOTONIC in nanoseconds. `report` is told, in one line, what could not be drawn; the log
    has the trace (HOUSE.md, Threads).
    """

    def __init__(
        self,
        settings: DisplaySettings,
        key_labels: dict[Line, str] | None = None,
        *,
        report: Callable[[str], None] = lambda text: None,  # noqa: ARG005
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings, self._labels = settings, key_labels or {}
        self._report, self._clock, self._sleep = report, clock, sleep
        self._keys = KeyPump(clock, is_kiosk=settings.kiosk)
        self._screen: Screen | None = None
        self._canvas: pygame.Surface | None = None
        self._reported: set[tuple[str, type[Exception]]] = set()
        self._wants_close = False
        self._draw_ns: deque[int] = deque([4 * MS], maxlen=30)
        self.driver = ""
        """SDL's video driver, once open."""
        self.has_vsync = False
        """Whether the screen sets the pace."""
        self.frames_shown = 0
        """Frames shown since it was opened: a watchdog's sign that there is a picture."""

    def open(self) -> None:
        """Start SDL and show an empty table. Raises NoScreen with one plain line."""
        self.driver = driver.start(self._settings.driver)
        self._set_mode()
        pygame.display.set_caption(text.TITLE)
        pygame.mouse.set_visible(False)
        pygame.key.set_repeat()
        self._fit()

    def close(self) -> None:
        """End SDL's video. May be called twice."""
        self._screen = self._canvas = None
        pygame.display.quit()

    def pump(self) -> Pump:
        """The keys that changed since the last call, between two instants."""
        pump = self._keys.pump()
        self._wants_close |= pump.wants_close
        return pump

    def run(
        self,
        latest: Callable[[], Snapshot],
        keys: Callable[[Pump], None],
        should_stop: Callable[[], bool],
    ) -> None:
        """Draw and pump until `should_stop`, or until the window is closed.

        `keys` gets every pump, also those without a change; a pump follows the last by at most 2 ms while a
        frame is waited for, and comes right before and after the flip.
        """
        shown_ns = self._clock()
        while not should_stop():
            for pump in self._pumps_until(self._start_of_frame_ns(shown_ns)):
                keys(pump)
                if self._wants_close:
                    return
            self.show(latest(), keys)
            if self._wants_close:
                return
            shown_ns = self._clock()

    def show(self, snapshot: Snapshot, keys: Callable[[Pump], None] = lambda pump: None) -> None:  # noqa: ARG005
        """Draw one snapshot and flip."""
        if self._keys.was_resized:
            self._keys.was_resized = False
            self._fit()
        started_ns = self._clock()
        dirty = self._draw(snapshot, started_ns)
        self._draw_ns.append(self._clock() - started_ns)
        keys(self.pump())
        self._flip(dirty)
        keys(self.pump())
        self.frames_shown += 1

    def surface(self) -> pygame.Surface:
        """The picture as it was drawn last, for a file."""
        assert self._canvas is not None
        return self._canvas

    def _set_mode(self) -> None:
        settings = self._settings
        size = (settings.width, settings.height)
        fills = settings.fullscreen or settings.kiosk or self.driver in driver.WITHOUT_DESKTOP
        if not fills or self.driver in driver.HEADLESS:
            flags = 0 if self.driver in driver.HEADLESS else pygame.RESIZABLE
            self._try_mode(size, flags, vsync=0)
            return
        try:
            self._try_mode(size, pygame.SCALED | pygame.FULLSCREEN, vsync=1)
            self.has_vsync = True
        except NoScreen:
            if self.driver in driver.WITHOUT_DESKTOP:
                raise
            self._try_mode(size, pygame.SCALED | pygame.FULLSCREEN, vsync=0)

    def _try_mode(self, size: tuple[int, int], flags: int, vsync: int) -> None:
        try:
            pygame.display.set_mode(size, flags, vsync=vsync)
        except pygame.error as error:
            raise NoScreen(
                f"no screen: {self.driver} cannot show {size[0]}×{size[1]} ({error}); "
                "switch the monitor on, or set display.width and display.height to what it can show"
            ) from error

    def _fit(self) -> None:
        """Make the canvas and all pictures anew for the window's present size."""
        shown = pygame.display.get_surface()
        assert shown is not None
        size = shown.get_size()
        is_small = size[0] < SMALLEST[0] or size[1] < SMALLEST[1]
        self._canvas = pygame.Surface(SMALL_CANVAS).convert() if is_small else shown
        if self._screen is None or self._screen.size != self._canvas.get_size():
            self._screen = Screen(self._canvas.get_size(), self._settings, self._labels)
            gc.collect()  # the pictures of the size before are many, and some hold each other
        self._screen.repaint()

    def _draw(self, snapshot: Snapshot, now_ns: int) -> list[pygame.Rect]:
        assert self._screen is not None
        assert self._canvas is not None
        try:
            return self._screen.draw(self._canvas, snapshot, now_ns)
        except Exception as error:  # noqa: BLE001 - the top of the picture: the game must go on, so it is reported
            self._tell(f"the scene {snapshot.scene} could not be drawn", error)
            self._screen.repaint()
            return self._plain_trouble()

    def _tell(self, what: str, error: Exception) -> None:
        """Report and log each kind of trouble once, not sixty times a second."""
        kind = (what, type(error))
        if kind not in self._reported:
            self._reported.add(kind)
            log.error("%s", what, exc_info=error)
            self._report(f"{what}: {type(error).__name__}: {error}")

    def _plain_trouble(self) -> list[pygame.Rect]:
        """A picture that needs nothing but a font."""
        assert self._canvas is not None
        theme, canvas = THEMES[self._settings.theme], self._canvas
        canvas.fill(theme.felt_edge)
        w, h = canvas.get_size()
        for line, px, y in ((text.TROUBLE, h // 12, h * 3 // 7), (text.DRAW_TROUBLE, h // 27, h * 4 // 7)):
            picture = Type().fitted(line, px, theme.ink, "text", w * 9 // 10)
            canvas.blit(picture, ((w - picture.get_width()) // 2, y))
        return [canvas.get_rect()]

    def _flip(self, dirty: list[pygame.Rect]) -> None:
        shown = pygame.display.get_surface()
        if shown is not self._canvas and shown is not None and self._canvas is not None:
            pygame.transform.smoothscale(self._canvas, shown.get_size(), shown)
            pygame.display.flip()
        elif self.has_vsync:
            pygame.display.flip()
        elif dirty:
            pygame.display.update(dirty)

    def _start_of_frame_ns(self, shown_ns: int) -> int:
        """When to draw next: late, so that the snapshot is fresh and the flip does not block for long."""
        if not self.has_vsync:
            return shown_ns + SECOND_NS // self._settings.fps_cap - self._draw_ns[-1]
        rate = pygame.display.get_current_refresh_rate() or self._settings.fps_cap
        return shown_ns + SECOND_NS // rate - max(self._draw_ns) - FLIP_SLACK_NS

    def _pumps_until(self, until_ns: int) -> Iterator[Pump]:
        """A pump now, and one about every millisecond until then; pictures are rehearsed in between."""
        yield self.pump()
        while (left := until_ns - self._clock()) > 0:
            if left > 6 * MS and self._screen is not None and self._rehearse(self._screen):
                yield self.pump()
                continue
            self._sleep(min(left, PUMP_EVERY_NS) / 1e9)
            yield self.pump()

    def _rehearse(self, screen: Screen) -> bool:
        try:
            return screen.rehearse()
        except Exception as error:  # noqa: BLE001 - only made ahead of time; what is broken is met again in play
            self._tell("a picture could not be made ahead", error)
            return False
