"""The real mixer, in processes of their own: SDL's dummy driver, and its disk writer, whose file is listened to.

A card that is pulled out and comes back is played by a named pipe: SDL loses it as it loses a USB card.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from array import array
from pathlib import Path
from typing import Any, Final

import pytest

from tests.desk import ROOT, without_screen

RATE: Final = 48_000
BUFFER: Final = 256
LIMIT_S: Final = 60
PRELUDE: Final = """
import json, logging, os, sys, time
from cabinet.engine.actions import Played, SlapOpened
from cabinet.snapshot import Happening
from display.sound.player import SoundPlayer
from display.sound.settings import SoundSettings
from tests.display_snapshots import OFFSET, card, snapshot, view

logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
queued = []
number = 0

def player(**settings):
    return SoundPlayer(SoundSettings(volume=100, **settings), on_played=queued.append)

def until(is_so, what):
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.005)

def tell(one, *events):
    global number
    now = time.monotonic_ns()
    happened = []
    for make in events:
        number += 1
        happened.append(Happening(number, now, make(now - OFFSET)))
    one.give(snapshot(view(), at_ns=now, happenings=tuple(happened)))

def play(seat):
    return lambda at: Played(at_ns=at, seat=seat, stock=1, pile="left", card=card("8D"), uncovered=None)

def cue(at):
    return SlapOpened(at_ns=at)
"""


def run(program: str, **environment: str) -> tuple[Any, list[str]]:
    """What a program says in its last line, as JSON, and what it logged."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + program],
        cwd=ROOT,
        env={**without_screen(), "SDL_VIDEODRIVER": "dummy", "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    log = [line for line in done.stderr.splitlines() if not line.startswith(("CRITICAL: ", "ALSA lib"))]
    return json.loads(done.stdout.splitlines()[-1]), log


def test_with_the_dummy_driver_every_sound_reaches_the_mixer() -> None:
    told, log = run(
        """
one = player()
until(lambda: one.is_ready, "ready")
for seat in "abab":
    tell(one, play(seat))
    time.sleep(0.2)
tell(one, play("a"), play("b"), cue)
until(lambda: len(queued) == 7, "all of them")
assert one.stop()
print(json.dumps([[q.cue.voice.name, q.cue.voice.seat] for q in queued]))
""",
        SDL_AUDIODRIVER="dummy",
    )
    names = [name for name, _ in told]
    assert [seat for _, seat in told] == ["a", "b", "a", "b", "a", "b", None]
    assert names == ["play"] * 7 or names[-1] == "slap_cue"
    assert log == ["Sound: dummy, 256 samples at a time"]


def onsets(samples: array[int], silence: int = RATE // 10) -> list[tuple[int, str]]:
    """Where sounds begin after silence, and on which side they are the louder."""
    left, right = samples[0::2], samples[1::2]
    found, last = [], -silence
    for number, (one, other) in enumerate(zip(left, right, strict=True)):
        if abs(one) > 40 or abs(other) > 40:
            if number - last >= silence:
                stretch = slice(number, number + RATE // 20)
                loud = [max(map(abs, side[stretch])) for side in (left, right)]
                found.append((number, "both" if loud[0] == loud[1] else "left" if loud[0] > loud[1] else "right"))
            last = number
    return found


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, array[int]]:
    """When sounds were given and queued, how far the writer was then, in samples; and what it wrote."""
    path = tmp_path_factory.mktemp("disk") / "sound.raw"
    told, _ = run(
        """
path = os.environ["SDL_DISKAUDIOFILE"]
written = []
one = SoundPlayer(SoundSettings(volume=100), on_played=lambda q: written.append(os.path.getsize(path) // 4))
until(lambda: one.is_ready, "ready")
for make in (play("a"), play("b"), cue):
    tell(one, make)
    time.sleep(0.5)
assert one.stop()
print(json.dumps(written))
""",
        SDL_AUDIODRIVER="disk",
        SDL_DISKAUDIOFILE=str(path),
    )
    samples = array("h")
    samples.frombytes(path.read_bytes()[: path.stat().st_size // 4 * 4])
    return told, samples


def test_each_seat_is_heard_on_its_side_and_the_cue_on_both_alike(disk: tuple[Any, array[int]]) -> None:
    _, samples = disk
    assert [side for _, side in onsets(samples)] == ["left", "right", "both"]


def test_the_cue_begins_at_the_same_sample_on_both_sides(disk: tuple[Any, array[int]]) -> None:
    _, samples = disk
    begins = onsets(samples)[-1][0]
    assert samples[0::2][begins:] == samples[1::2][begins:]


def test_a_sound_is_in_the_next_buffers_that_the_card_takes(disk: tuple[Any, array[int]]) -> None:
    """The writer's file is buffered by C, so its size lags behind; a sound never begins before it was queued."""
    written, samples = disk
    for queued_at, (begins, _) in zip(written, onsets(samples), strict=True):
        assert 0 < begins - queued_at <= 12 * BUFFER


def test_what_the_card_gets_is_neither_clipped_nor_silent(disk: tuple[Any, array[int]]) -> None:
    _, samples = disk
    assert 5_000 < max(map(abs, samples)) < 32_767


def test_a_missing_card_is_one_line_and_is_taken_when_it_comes(tmp_path: Path) -> None:
    told, log = run(
        """
import display.sound.player as module
module.AGAIN_NS = 100_000_000
path = os.environ["SDL_DISKAUDIOFILE"]
one = player()
time.sleep(1)
tell(one, play("a"))
os.mkdir(os.path.dirname(path))
until(lambda: one.is_ready, "ready")
tell(one, play("b"))
until(lambda: queued, "heard")
assert one.stop()
print(json.dumps([q.cue.voice.seat for q in queued]))
""",
        SDL_AUDIODRIVER="disk",
        SDL_DISKAUDIOFILE=str(tmp_path / "later" / "sound.raw"),
    )
    assert told == ["b"]
    assert [line.partition(";")[0] for line in log] == [
        f"no sound: Couldn't open {tmp_path}/later/sound.raw: No such file or directory",
        "Sound: disk, 256 samples at a time",
    ]


def test_a_card_that_is_pulled_out_is_noticed_and_taken_again(tmp_path: Path) -> None:
    pipe = tmp_path / "card"
    os.mkfifo(pipe)
    told, log = run(
        """
import threading, pygame
from display.keys import KeyPump
import display.sound.player as module
module.AGAIN_NS = 300_000_000

path = os.environ["SDL_DISKAUDIOFILE"]
pygame.display.init()
pygame.display.set_mode((64, 64))
keys = KeyPump(time.monotonic_ns, is_kiosk=False)
plugged = threading.Event()

def card_plays():
    while plugged.is_set():
        with open(path, "rb", buffering=0) as pipe:
            while plugged.is_set() and pipe.read(4096):
                pass

def plug_in():
    plugged.set()
    threading.Thread(target=card_plays, daemon=True).start()

plug_in()
one = player()

def until_pumped(is_so, what):
    until(lambda: (keys.pump(), is_so())[1], what)

until_pumped(lambda: one.is_ready, "ready")
tell(one, play("a"))
until_pumped(lambda: len(queued) == 1, "heard")
plugged.clear()
until_pumped(lambda: not one.is_ready, "noticed")
plug_in()
until_pumped(lambda: one.is_ready, "taken again")
tell(one, play("b"))
until_pumped(lambda: len(queued) == 2, "heard again")
assert one.stop()
print(json.dumps([q.cue.voice.seat for q in queued]))
""",
        SDL_AUDIODRIVER="disk",
        SDL_DISKAUDIOFILE=str(pipe),
    )
    assert told == ["a", "b"]
    opened = "Sound: disk, 256 samples at a time"
    assert [line for line in log if not line.startswith("no sound")] == [opened, "The sound card is gone", opened]


def test_on_a_machine_without_a_card_alsa_s_own_words_come_once() -> None:
    """Ten lines every ten seconds would fill the owner's log."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            PRELUDE
            + """
import display.sound.player as module
module.AGAIN_NS = 50_000_000
one = player()
time.sleep(1)
one.stop()
""",
        ],
        cwd=ROOT,
        env={**without_screen(), "SDL_AUDIODRIVER": "alsa", "AUDIODEV": "no_such_card", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    lines = done.stderr.splitlines()
    assert sum(line.startswith("no sound: ") for line in lines) == 1
    assert len(lines) == len(set(lines)) < 20
