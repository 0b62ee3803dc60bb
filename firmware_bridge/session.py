"""The host's side of the protocol, from session to session: what to say when, and what follows from what is heard.

The rules are those of PROTOCOL.md, "What the host does". Host times are nanoseconds of one clock whose rate nobody
adjusts (CLOCK_MONOTONIC_RAW), given by the caller. Pure; not thread-safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from firmware_bridge.clock_sync import ClockSync, Estimate
from firmware_bridge.protocol import (
    ACK_EVERY_MS,
    ACK_PLAY,
    ACK_RESEND,
    ERROR_CAPTURE,
    ERROR_NO_HELLO,
    ERROR_RESET,
    ERROR_VERSION,
    HELLO_EVERY_MS,
    PING_EVERY_MS,
    PING_FIRST_MS,
    VERSION,
    Ack,
    Beat,
    Bye,
    Edges,
    Error,
    Greeting,
    Hello,
    Lines,
    Message,
    Ping,
    Pong,
    Snapshot,
    refusal,
)
from firmware_bridge.received import Happened, Received

MS: Final = 1_000_000

PING_FIRST_NS: Final = 2_000 * MS
"""How long after a Greeting pings come thick (PROTOCOL.md, "What the host does", 7)."""
SILENCE_NS: Final = 1_000 * MS
"""A linked device that says nothing for so long is as good as unplugged: beats come every 5 ms."""
INTERRUPTED_NS: Final = 20 * MS
"""The game waits a little longer for a source whose watermark stands still (ArbiterSettings.silent_ms)."""
ASK_AGAIN_NS: Final = 8 * MS
"""An answer takes 2 ms: so edges of a lost frame come before others go on, even if the answer is lost, too."""
PINGS_KEPT: Final = 16
"""Of those that wait for their Pong."""

PASSING_ERRORS: Final = (ERROR_CAPTURE, ERROR_RESET)
"""Errors that are over when they are told: for the log, not for the screen."""


class Session:
    """What the host knows of one device. Created once, it outlives unplugging and resets."""

    def __init__(self, draw: Callable[[], int]) -> None:
        """`draw` gives a number of 32 bits that nobody can know, for each session."""
        self.greeting: Greeting | None = None
        """What the device said of itself last."""
        self.names: dict[int, str] = {}
        """The buttons' names by number."""
        self.is_linked = False
        """Whether edges are taken: greeted, with all names, the levels and a map of the clock."""
        self.refused = ""
        """Why this attempt must end, in one line."""
        self.error = ""
        """What the device says is wrong with it, in one line."""
        self.notes: list[str] = []
        """What the log should have; whoever reads it empties it."""
        self.received = Received()
        self._draw = draw
        self._sync = ClockSync()
        self._session = 0
        self._is_greeted = False
        self._boot_id = 0
        self._snapshot: Snapshot | None = None
        self._heard_ns = 0
        self._advanced_ns = 0
        self._hello_ns = 0
        self._ack_ns = 0
        self._asked_ns: int | None = None
        self._wants_ack = False
        self._wants_resend = False
        self._pings: dict[int, int] = {}
        self._ping_number = 0
        self._ping_ns = 0
        self._fast_until_ns = 0

    def opened(self, now_ns: int) -> None:
        """The port is open: a new session begins, which `due` says."""
        self._session = self._draw()
        self._is_greeted = self.is_linked = False
        self.refused = self.error = ""
        self._heard_ns = now_ns
        self._hello_ns = now_ns - HELLO_EVERY_MS * MS
        self._wants_ack = self._wants_resend = False
        self._asked_ns = None
        self._snapshot = None
        self._pings.clear()

    def lost(self, now_ns: int) -> list[Happened]:
        """The port is gone, or will be closed: what was pressed is let go."""
        self._is_greeted = self.is_linked = False
        return self.received.lose(max(0, now_ns - self._heard_ns))

    @property
    def is_greeted(self) -> bool:
        """Whether the device has answered since its Hello."""
        return self._is_greeted

    def is_silent(self, now_ns: int) -> bool:
        """Whether nothing was heard for so long that the link is as good as gone."""
        return now_ns - self._heard_ns >= SILENCE_NS

    def estimate(self) -> Estimate | None:
        """The map of the device's clock to the host's, where the edges stand; None before the first round trip."""
        return self._sync.estimate(self.received.watermark_ns)

    # Hearing

    def take(self, messages: Iterable[Message], heard_ns: int) -> list[Happened]:
        """What one read brought, that ended before `heard_ns`; the buttons' changes that follow from it."""
        happened: list[Happened] = []
        if self.is_linked and heard_ns - self._advanced_ns >= INTERRUPTED_NS:
            self.received.interrupt()
        watermark_ns = self.received.watermark_ns
        for message in messages:
            if isinstance(message, Greeting):
                self._take_greeting(message, heard_ns)
            elif isinstance(message, Error):
                happened += self._take_error(message, heard_ns)
            elif self._is_greeted:
                self._heard_ns = heard_ns
                happened += self._take(message, heard_ns)
                happened += self._link_if_ready(heard_ns)
        if self.received.watermark_ns != watermark_ns:
            self._advanced_ns = heard_ns
        return happened

    def _take(self, message: Message, heard_ns: int) -> list[Happened]:
        if isinstance(message, Pong):
            self._take_pong(message, heard_ns)
        elif isinstance(message, Lines):
            self._take_lines(message)
        elif isinstance(message, Snapshot):
            self._snapshot = message
        elif isinstance(message, Edges) and self.is_linked:
            happened = self.received.edges(message)
            self._wants_ack = True
            self._ask_if_lost(message, heard_ns)
            return happened
        elif isinstance(message, Beat):
            self._sync.beat(message.watermark_us * 1_000, heard_ns)
            if self.is_linked:
                happened = self.received.beat(message)
                self._ask_if_lost(message, heard_ns)
                return happened
        return []

    def _take_greeting(self, greeting: Greeting, heard_ns: int) -> None:
        if self._is_greeted:
            return
        if greeting.version != VERSION:
            self.refused = refusal(greeting.version, "firmware")
            return
        if greeting.session != self._session:
            return
        if self.greeting is not None and self.greeting.unique_id != greeting.unique_id:
            self.refused = f"Another device answers, {id_text(greeting.unique_id)}."
            return
        self._is_greeted = True
        self._heard_ns = heard_ns
        self.greeting = greeting
        self.names = {}
        self._sync.greeted(greeting.boot_id)
        self._ping_ns = heard_ns - PING_FIRST_MS * MS
        self._fast_until_ns = heard_ns + PING_FIRST_NS

    def _take_lines(self, lines: Lines) -> None:
        for number, name in enumerate(lines.names.split(" "), lines.first):
            self.names[number] = name

    def _link_if_ready(self, heard_ns: int) -> list[Happened]:
        """Edges are taken from when they have names, levels before them, and a map of their clock.

        The device still has those that came before.
        """
        greeting, snapshot = self.greeting, self._snapshot
        if self.is_linked or greeting is None or snapshot is None or self._sync.estimate(0) is None:
            return []
        if any(button not in self.names for button in range(greeting.buttons)):
            return []
        self.is_linked = True
        self._ack_ns = heard_ns
        self._wants_resend = True
        is_same_boot = greeting.boot_id == self._boot_id
        self._boot_id = greeting.boot_id
        return self.received.begin(snapshot, is_same_boot=is_same_boot)

    def _take_pong(self, pong: Pong, heard_ns: int) -> None:
        sent_ns = self._pings.pop(pong.number, None)
        if sent_ns is None:
            return
        received_ns = pong.received_us * 1_000
        wild = self._sync.round_trip(sent_ns, received_ns, received_ns + pong.held_us * 1_000, heard_ns)
        if wild is not None:
            self.notes.append(wild.value)

    def _take_error(self, error: Error, heard_ns: int) -> list[Happened]:
        if not self._is_greeted:
            self.refused = error.text if error.code == ERROR_VERSION else self.refused
            return []
        if error.code == ERROR_NO_HELLO:
            self.notes.append("The device was started anew: a new session begins.")
            released = self.lost(heard_ns)
            self.opened(heard_ns)
            return released
        self.notes.append(error.text)
        if error.code not in PASSING_ERRORS:
            self.error = error.text
        return []

    def _ask_if_lost(self, message: Edges | Beat, heard_ns: int) -> None:
        if not self.received.misses(message):
            return
        if self._asked_ns is None or heard_ns - self._asked_ns >= ASK_AGAIN_NS:
            self._asked_ns = heard_ns
            self._wants_resend = True

    # Saying

    def due(self, now_ns: int) -> list[Message]:
        """What is to be said now, but for pings."""
        if not self.is_linked and now_ns - self._hello_ns >= HELLO_EVERY_MS * MS and not self.refused:
            self._hello_ns = now_ns
            return [Hello(VERSION, self._session, self._boot_id, self.received.needs_next)]
        if self.is_linked and (
            self._wants_ack or self._wants_resend or now_ns - self._ack_ns >= ACK_EVERY_MS * MS
        ):
            flags = ACK_PLAY | (ACK_RESEND if self._wants_resend else 0)
            self._ack_ns = now_ns
            self._wants_ack = self._wants_resend = False
            return [Ack(self.received.needs_next, flags)]
        return []

    def due_ping(self, now_ns: int) -> Ping | None:
        """A ping, if it is time for one. To be followed by `pinged`."""
        is_fast = now_ns < self._fast_until_ns or self._sync.needs_ping
        if not self._is_greeted or now_ns - self._ping_ns < (PING_FIRST_MS if is_fast else PING_EVERY_MS) * MS:
            return None
        self._ping_number = (self._ping_number + 1) & 0xFFFF
        return Ping(self._ping_number)

    def pinged(self, ping: Ping, sent_ns: int) -> None:
        """The ping is written right after `sent_ns`."""
        self._ping_ns = sent_ns
        self._pings[ping.number] = sent_ns
        if len(self._pings) > PINGS_KEPT:
            del self._pings[next(iter(self._pings))]

    def farewell(self) -> list[Message]:
        """What is said before the port is closed."""
        return [Bye()] if self._is_greeted else []


def id_text(unique_id: int) -> str:
    """A chip's number as USB shows it: the bytes in their order, as hexadecimal digits."""
    return unique_id.to_bytes(8, "little").hex()
