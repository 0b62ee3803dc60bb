"""Which driver is tried, what keys are worth, and that a window without a screen says so in one line."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest

from cabinet.buttons.edges import Edge, Press
from cabinet.buttons.intake import Intake
from cabinet.buttons.keyboard import KeyboardSource
from display import driver
from display.keys import KeyPump


@pytest.fixture(autouse=True)
def _dummy_driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


class Clock:
    """A clock that moves by a fixed step each time it is read."""

    def __init__(self, step_ns: int) -> None:
        self.now_ns, self.step_ns = 0, step_ns

    def __call__(self) -> int:
        self.now_ns += self.step_ns
        return self.now_ns


@pytest.mark.parametrize(
    ("asked", "environment", "platform", "has_card", "expected"),
    [
        ("x11", {"WAYLAND_DISPLAY": "wayland-0"}, "linux", True, ("x11",)),
        ("", {"SDL_VIDEODRIVER": "dummy"}, "linux", True, ("dummy",)),
        ("", {"SDL_VIDEODRIVER": "wayland, x11"}, "linux", True, ("wayland", "x11")),
        ("KMSDRM", {}, "linux", True, ("kmsdrm",)),
        ("", {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "linux", True, ("wayland", "x11")),
        ("", {"DISPLAY": ":0"}, "linux", True, ("x11",)),
        ("", {}, "linux", True, ("kmsdrm",)),
        ("", {}, "linux", False, ()),
        ("", {}, "darwin", False, ("cocoa",)),
        ("", {}, "win32", False, ("windows",)),
    ],
)
def test_the_drivers_that_are_tried(
    asked: str, environment: dict[str, str], platform: str, has_card: bool, expected: tuple[str, ...]
) -> None:
    assert driver.candidates(asked, environment, platform, has_card=has_card) == expected


def test_a_driver_that_does_not_exist_is_named_in_one_line() -> None:
    with pytest.raises(driver.NoScreen, match=r"^no screen: holograph: .*; switch the monitor on") as caught:
        driver.start("holograph")
    assert "\n" not in str(caught.value)


def test_the_driver_that_answered_is_the_one_that_was_asked_for() -> None:
    assert driver.start("dummy") == "dummy"
    assert pygame.display.get_driver() == "dummy"
    assert os.environ["SDL_VIDEO_DOUBLE_BUFFER"] == "1"


def test_sdls_own_name_for_a_screen_without_a_desktop_is_in_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "connected_card", lambda _: 1)
    monkeypatch.setattr(pygame.display, "init", lambda: None)
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "KMSDRM")
    monkeypatch.setenv("SDL_KMSDRM_DEVICE_INDEX", "1")
    assert driver.start("kmsdrm") == "kmsdrm"


def test_the_graphics_card_with_a_monitor_is_taken(tmp_path: Path) -> None:
    for connector, status in (
        ("card0-HDMI-A-1", "disconnected"),
        ("card1-HDMI-A-1", "connected"),
        ("card1-DP-1", "?"),
    ):
        (tmp_path / connector).mkdir()
        (tmp_path / connector / "status").write_text(f"{status}\n")
    assert driver.connected_card(tmp_path) == 1
    (tmp_path / "card1-HDMI-A-1" / "status").write_text("disconnected\n")
    assert driver.connected_card(tmp_path) is None


def test_a_monitor_that_is_off_is_said_before_sdl_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "connected_card", lambda _: None)
    with pytest.raises(
        driver.NoScreen, match=r"^no screen: kmsdrm: no monitor is connected; switch the monitor on"
    ):
        driver.start("kmsdrm")


def press(key: int, *, down: bool = True, mod: int = 0) -> None:
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN if down else pygame.KEYUP, key=key, mod=mod))


@pytest.fixture
def _video() -> None:
    driver.start("dummy")
    pygame.display.set_mode((64, 64))
    pygame.event.clear()


@pytest.mark.usefixtures("_video")
def test_a_key_lies_between_the_last_time_sdl_was_asked_and_now() -> None:
    pump = KeyPump(Clock(1_000), is_kiosk=False)
    first = pump.pump()
    press(pygame.K_a)
    press(pygame.K_a, down=False)
    second = pump.pump()
    assert first.changes == ()
    assert second.changes == (("a", True), ("a", False))
    assert second.from_ns < first.to_ns < second.to_ns, (
        "a change while SDL was asked is not lost between two pumps"
    )
    assert second.from_ns == 2_000
    assert second.to_ns == 5_000


@pytest.mark.usefixtures("_video")
def test_ctrl_q_and_the_closed_window_end_a_window_but_not_a_kiosk() -> None:
    for is_kiosk in (False, True):
        pump = KeyPump(Clock(1), is_kiosk=is_kiosk)
        press(pygame.K_q, mod=pygame.KMOD_LCTRL)
        assert pump.pump().wants_close is not is_kiosk
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        assert pump.pump().wants_close is not is_kiosk


@pytest.mark.usefixtures("_video")
def test_escape_is_a_key_like_any_other() -> None:
    pump = KeyPump(Clock(1), is_kiosk=False)
    press(pygame.K_ESCAPE)
    pumped = pump.pump()
    assert pumped.changes == (("escape", True),)
    assert not pumped.wants_close


@pytest.mark.usefixtures("_video")
def test_a_q_without_ctrl_is_a_key() -> None:
    pump = KeyPump(Clock(1), is_kiosk=False)
    press(pygame.K_q)
    assert pump.pump().changes == (("q", True),)


MS = 1_000_000
ASKED_NS = 250
"""How long SDL takes to be asked."""


class DeskClock(Clock):
    """The time that asking SDL takes passes with every look at the clock; what lies between is waited for."""

    def wait(self, length_ns: int) -> None:
        self.now_ns += length_ns


def desk_presses(gap_ns: int, *pumps: tuple[int, ...]) -> list[Press]:
    """What the game hears of keys that were pressed in pumps `gap_ns` apart, in the order of the keys."""
    clock = DeskClock(ASKED_NS)
    pump, source, edges = KeyPump(clock, is_kiosk=False), KeyboardSource(), list[Edge]()
    source.start(edges.append)
    for keys in (*pumps, (), ()):
        clock.wait(gap_ns)
        for key in keys:
            press(key)
        pumped = pump.pump()
        source.pumped(pumped.from_ns, pumped.to_ns, pumped.changes)
    clock.wait(1_000 * MS)
    pumped = pump.pump()
    source.pumped(pumped.from_ns, pumped.to_ns, pumped.changes)
    taken = Intake().take(edges, [source.status(clock.now_ns)], clock.now_ns)
    return [one for cluster in taken.clusters for one in cluster]


@pytest.mark.usefixtures("_video")
@pytest.mark.parametrize("gap_ns", [1_000, 300_000, MS, 2 * MS, 9 * MS, 10 * MS, 17 * MS, 120 * MS])
def test_keys_of_one_pump_are_a_dead_heat_and_keys_of_different_pumps_never(gap_ns: int) -> None:
    presses = desk_presses(
        gap_ns, (), (pygame.K_a,), (pygame.K_h,), (pygame.K_s, pygame.K_j), (pygame.K_d,), (), (pygame.K_k,)
    )
    lines = [one.line for one in presses]
    assert (lines[:2], set(lines[2:4]), lines[4:]) == (["a.1", "b.1"], {"a.2", "b.2"}, ["a.3", "b.3"])
    ties = [{one.line, other.line} for one, other in itertools.combinations(presses, 2) if one.ties_with(other)]
    assert ties == [{"a.2", "b.2"}]
