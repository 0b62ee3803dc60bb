"""The firmware's own code under a real `micropython` on a pseudo terminal: line and contacts in real time."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from firmware_bridge.protocol import (
    ACK_PLAY,
    Ack,
    Beat,
    Bye,
    Decoder,
    Edges,
    Greeting,
    Hello,
    Lines,
    Message,
    Ping,
    Pong,
    RawEdge,
    Snapshot,
    encode,
)
from tests.firmware_desk import GPIOS, NAMES
from tests.micropython import ROOT, micropython

PATIENCE_S = 20

Kind = TypeVar("Kind")


class Host:
    """The other end of the line and of the contacts."""

    def __init__(self, wires: Path) -> None:
        os.mkfifo(wires)
        self._wires = os.open(wires, os.O_RDWR)
        self._line, device = pty.openpty()
        tty.setraw(device)
        self.device = subprocess.Popen(
            [micropython(), str(ROOT / "tests/firmware_on_wires.py"), str(wires)],
            stdin=device,
            stdout=device,
            stderr=subprocess.PIPE,
            env={**os.environ, "MICROPYPATH": str(ROOT)},
        )
        os.close(device)
        self._decoder = Decoder()
        self.heard: list[Message] = []

    def say(self, *messages: Message) -> None:
        os.write(self._line, b"".join(encode(message) for message in messages))

    def write(self, data: bytes) -> None:
        os.write(self._line, data)

    def change(self, gpio: int, closed: bool, after_us: int = 0) -> None:
        os.write(self._wires, bytes((gpio, closed, after_us)))

    def hear_until(self, is_enough: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not is_enough():
            assert time.monotonic() < deadline, f"only heard {self.heard[-20:]}"
            self.hear(0.05)

    def hear(self, for_s: float) -> None:
        ready, _, _ = select.select([self._line], [], [], for_s)
        if ready:
            self.heard += self._decoder.feed(os.read(self._line, 4096))

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [message for message in self.heard if isinstance(message, kind)]

    def edges(self) -> list[RawEdge]:
        """As a host takes them: each number once, in order."""
        edges: list[RawEdge] = []
        for message in self.of(Edges):
            if message.first <= len(edges):
                edges += message.edges[len(edges) - message.first :]
        return edges

    def close(self) -> None:
        self.device.kill()
        self.device.communicate()
        os.close(self._line)
        os.close(self._wires)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path / "wires")
    yield host
    host.close()


def greet(host: Host, session: int = 1) -> None:
    host.say(Hello(1, session, 0, 0))
    host.hear_until(lambda: bool(host.of(Snapshot)))


def test_it_greets_and_sends_every_edge_of_bouncing_contacts(host: Host) -> None:
    chance = Random(3)
    greet(host)
    assert host.of(Greeting)[0].board == "MicroPython on wires"
    assert host.of(Lines) == [Lines(0, " ".join(NAMES))]
    planned = []
    gaps = []
    for number in range(100):
        gpio = chance.choice(GPIOS)
        after_us = 0
        for turn in range(6):
            closed = turn % 2 == 0
            host.change(gpio, closed, after_us)
            planned.append((GPIOS.index(gpio), closed))
            gaps.append(after_us)
            after_us = chance.randrange(1, 256)
        host.say(Ack(len(host.edges()), ACK_PLAY))
        if number % 10 == 0:
            host.hear(0.01)
    while len(host.edges()) < len(planned):
        host.say(Ack(len(host.edges()), ACK_PLAY))
        known = len(host.edges())
        host.hear_until(lambda known=known: len(host.edges()) > known)  # type: ignore[misc]
    edges = host.edges()
    assert [(edge.button, edge.closed) for edge in edges] == planned
    for number, gap_us in enumerate(gaps):
        if gap_us:
            assert edges[number].stamp_us - edges[number - 1].stamp_us == gap_us


def test_beats_and_pongs_keep_coming_in_play(host: Host) -> None:
    greet(host)
    for number in range(50):
        host.say(Ack(0, ACK_PLAY), Ping(number))
        host.hear_until(lambda number=number: any(pong.number == number for pong in host.of(Pong)))  # type: ignore[misc]
        known = len(host.of(Beat))
        host.hear_until(lambda known=known: len(host.of(Beat)) > known + 3)  # type: ignore[misc]
    beats = host.of(Beat)
    assert len(beats) >= 200
    assert [beat.watermark_us for beat in beats] == sorted(beat.watermark_us for beat in beats)
    assert all(pong.held_us < 100_000 for pong in host.of(Pong))
    assert all(beat.bad_frames == 0 for beat in beats)


def test_it_survives_garbage_and_ends_by_ctrl_c_after_bye(host: Host) -> None:
    greet(host)
    host.write(Random(1).randbytes(20_000).replace(b"\x03", b"") + b"\0")
    host.say(Ping(77))
    host.hear_until(lambda: bool(host.of(Pong)))
    host.say(Bye())
    time.sleep(0.05)
    host.write(b"\r\x03")
    assert host.device.wait(PATIENCE_S) == 0
