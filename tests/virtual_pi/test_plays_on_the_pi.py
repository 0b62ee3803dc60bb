"""The real program on a kernel's GPIO chip and a screen without a desktop: it shows, and is played."""

from __future__ import annotations

import json

import pygame
import pytest

from cabinet import record
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.engine import actions
from tests.virtual_pi.guest import PYTHON, Guest, told

pytestmark = pytest.mark.virtual_pi

SCREEN = ("--init", "systemd", "--gpu", "virtio", "--width", "640", "--height", "360")


def colours_of(picture: pygame.Surface) -> set[tuple[int, ...]]:
    """The colours of a grid of its points."""
    w, h = picture.get_size()
    return {tuple(picture.get_at((x, y))) for x in range(0, w, 8) for y in range(0, h, 8)}


class Played:
    """What the cabinet left behind after it was played."""

    def __init__(self, guest: Guest, source: str) -> None:
        words = (PYTHON, "-m", "tests.virtual_pi.in_guest.kiosk", source)
        done = guest.run(*words, options=SCREEN, within_s=420)
        assert done.returncode == 0, told(done)
        result = json.loads(done.stdout)
        assert (result["status"], result["told"], result["left"]) == (0, "", []), told(done)
        self.record = list(record.read(guest.share / "matches.jsonl"))
        self.attract, self.play = (pygame.image.load(guest.share / name) for name in ("attract.png", "play.png"))

    def shows_two_pictures(self) -> bool:
        """Whether both fill the screen, are neither black nor a console's text, and differ."""
        pictures = self.attract, self.play
        is_drawn = all(one.get_size() == (640, 360) and len(colours_of(one)) > 50 for one in pictures)
        return is_drawn and colours_of(self.attract) != colours_of(self.play)


@pytest.mark.parametrize("source", ["auto", "gpio-zero"])
def test_two_players_join_play_and_are_judged_by_the_kernels_stamps(guest: Guest, source: str) -> None:
    left = Played(guest, source)
    assert left.shows_two_pictures()
    assert isinstance(left.record[0], record.Began)
    assert left.record[0].players == ("human", "human")
    presses = [line for line in left.record if isinstance(line, record.Pressed)]
    plays = [line for line in presses if isinstance(line.action, actions.Play) and line.refusal is None]
    assert len(plays) >= 8
    assert {press.button[0] for press in presses} <= {"a", "b"}
    assert [press.at_ns for press in presses] == sorted(press.at_ns for press in presses)
    assert {press.err_ns for press in presses} == {GpioSettings().err_us * 1000}
    assert not any(press.tied for press in presses)


def test_keys_play_on_a_screen_without_a_desktop(guest: Guest) -> None:
    left = Played(guest, "keyboard")
    assert left.shows_two_pictures()
    assert isinstance(left.record[0], record.Began)
    assert left.record[0].players == ("human", "human")
