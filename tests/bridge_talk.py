"""A device that says what a test wants, for the host's side of the protocol."""

from __future__ import annotations

from typing import TypeVar

from firmware_bridge.protocol import (
    Beat,
    Edges,
    Greeting,
    Hello,
    Lines,
    Message,
    Ping,
    Pong,
    RawEdge,
    Snapshot,
)
from firmware_bridge.received import Happened
from firmware_bridge.session import Session

MS = 1_000_000
NAMES = "a.1 a.2 a.spit"
BOOT = 77
CHIP = 0x2B3A291817060504

Kind = TypeVar("Kind")


def edges_of(first: int, *changes: tuple[int, int, bool], ahead: int = 0, err_us: int = 1) -> Edges:
    """Each change: stamp in microseconds, button, closed."""
    return Edges(first, ahead, err_us, tuple(RawEdge(*change) for change in changes))


def beat_of(watermark_us: int, next_seq: int, levels: int = 0, held: int = 0) -> Beat:
    return Beat(watermark_us, levels, next_seq, held, 0, 100, 0)


class Talk:
    """A session, and a device whose clock shows the host's time less a second."""

    def __init__(self) -> None:
        self.now_ns = 5_000 * MS
        self.sessions = iter(range(100, 200))
        self.session = Session(lambda: next(self.sessions))
        self.number = 99
        self.heard: list[Message] = []

    @property
    def device_us(self) -> int:
        return self.now_ns // 1_000 - 1_000_000

    def open(self) -> Talk:
        self.session.opened(self.now_ns)
        self.number += 1
        return self

    def pass_ms(self, for_ms: float) -> list[Message]:
        """Time passes; what the host says meanwhile, asked every millisecond. Pings are not answered."""
        said: list[Message] = []
        for _ in range(round(for_ms)):
            self.now_ns += MS
            said += self.said()
        return said

    def said(self) -> list[Message]:
        said = self.session.due(self.now_ns)
        ping = self.session.due_ping(self.now_ns)
        if ping is not None:
            self.session.pinged(ping, self.now_ns)
            said.append(ping)
        return said

    def tell(self, *messages: Message) -> list[Happened]:
        """The device says this; what follows from it."""
        return self.session.take(messages, self.now_ns)

    def greeting(self, boot: int = BOOT, session: int | None = None, unique_id: int = CHIP) -> Greeting:
        session = self.number if session is None else session
        return Greeting(1, session, boot, unique_id, 0, 1, 0, 3, 0b111, 2, 1, 1024, "test")

    def snapshot(self, first: int = 0, next_seq: int | None = None, levels: int = 0) -> Snapshot:
        return Snapshot(self.device_us, levels, first, first if next_seq is None else next_seq)

    def trip(self) -> None:
        """A ping and its answer, half a millisecond each way."""
        pings: list[Ping] = []
        while not pings:
            pings = of_kind(Ping, self.pass_ms(1))
        ping = pings[0]
        self.now_ns += MS // 2
        pong = Pong(ping.number, self.device_us, 0)
        self.now_ns += MS // 2
        self.tell(pong)

    def link(self, boot: int = BOOT, **snapshot: int) -> list[Happened]:
        """A session up to where edges flow; what its Snapshot brought."""
        self.open()
        assert isinstance(self.said()[0], Hello)
        self.tell(self.greeting(boot), Lines(0, NAMES))
        self.trip()
        return self.tell(self.snapshot(**snapshot))


def of_kind(kind: type[Kind], messages: list[Message]) -> list[Kind]:
    """Those of one kind."""
    return [message for message in messages if isinstance(message, kind)]
