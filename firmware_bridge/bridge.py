"""Source and lamp driver: buttons on a microcontroller, over a serial line.

One thread reads and writes; it only queues. The device's edges keep their distances; how its clock is mapped to
the host's stands in each status. A device that is unplugged is looked for wherever it comes back.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from threading import Event, Thread
from typing import Final

import msgspec

from cabinet.buttons.edges import Deliver, Line, SourceStatus
from cabinet.buttons.lamp_state import LampState
from cabinet.buttons.settling import held_since_start
from firmware_bridge.delivery import Delivery
from firmware_bridge.host_clocks import HostClocks
from firmware_bridge.lamp_telling import LampTelling
from firmware_bridge.port import Place, Port, Ports, SerialPorts
from firmware_bridge.protocol import Decoder, Message, encode
from firmware_bridge.received import Happened
from firmware_bridge.session import Session, id_text

FIRST_RETRY_NS: Final = 100_000_000
LAST_RETRY_NS: Final = 2_000_000_000
"""A lost bridge is looked for after 0.1 s, then each time twice as late, up to 2 s."""

WAIT_S: Final = 0.005
"""How long to wait for bytes; a beat comes as often."""

STOP_WAIT_S: Final = 2.0

INSTALL: Final = "put the firmware on it with spit-cabinet bridge install"

_NS_IN_S: Final = 1_000_000_000

log: Final = logging.getLogger(__name__)


def _by_chance() -> int:
    return int.from_bytes(os.urandom(4), "little")


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """What a bridge needs of the computer that it is plugged into."""

    ports: Ports = msgspec.field(default_factory=SerialPorts)
    clocks: HostClocks = msgspec.field(default_factory=HostClocks)
    draw: Callable[[], int] = _by_chance
    """Gives 32 bits that nobody can know."""
    pause: Callable[[float], object] | None = None
    """Lets so many seconds pass; None: until the source is closed."""


class BridgeSource:
    """Buttons and lamps of one device. `start` and `close` belong to one thread, `status` and `set` to any."""

    def __init__(self, place: Place, name: str = "bridge", host: Host | None = None) -> None:
        host = host or Host()
        self.name = name
        self._session = Session(host.draw)
        self._place = place
        self._ports = host.ports
        self._clocks = host.clocks
        self._stopping = Event()
        self._pause = host.pause or self._stopping.wait
        self._thread: Thread | None = None
        self._port: Port | None = None
        self._path = ""
        self._decoder = Decoder()
        self._unsent = b""
        self._delivery = Delivery(name, host.clocks)
        self._lamps = LampTelling()
        self._lamp_states: Mapping[Line, LampState] = {}
        self._was_linked = False
        self._is_clock_told = False
        self._tries = 0
        self._retry_ns = FIRST_RETRY_NS
        self._next_try_ns = 0
        self._trouble: str | None = f"Waiting for the bridge {place}."

    def start(self, deliver: Deliver) -> None:
        """Look for the device, then deliver its edges, from a thread of its own.

        One that is not there is waited for, and told in the status.
        """
        self.claim(deliver)
        self._stopping.clear()
        self._thread = Thread(target=self._run, name=f"{self.name} reader", daemon=True)
        self._thread.start()

    def claim(self, deliver: Deliver) -> None:
        """As `start`, but without a thread: somebody calls `round`."""
        self._delivery.begin(deliver)
        self._next_try_ns = self._clocks.steady_ns()
        self._tell()

    def set(self, states: Mapping[Line, LampState]) -> None:
        """What the lamps do from now on; one that is not named is dark. From any thread, at once."""
        self._lamp_states = dict(states)

    def round(self) -> None:
        """One round of the reader's thread: reads, delivers and writes, or looks for the device."""
        port = self._port
        if port is None:
            self._look()
        else:
            try:
                self._talk(port)
            except OSError as error:
                log.info("%s: %s", self._path, error)
                self._lose(self._why_missing())
            except Exception as error:
                log.exception("The bridge's reader failed; the port is opened anew")
                self._lose(f"The bridge {self._where()} failed ({type(error).__name__}: {error}).")
        self._tell()

    def status(self, now_ns: int) -> SourceStatus:  # noqa: ARG002 (the contract of sources)
        """How far everything was delivered at the reader's last round. Thread-safe.

        A clock's edges come only after it was named here, so that whoever takes them can map them.
        """
        status, thread = self._delivery.status(), self._thread
        if thread is None or thread.is_alive() or self._stopping.is_set():
            return status
        died = "The thread that reads the bridge has ended: restart the game."
        return msgspec.structs.replace(status, is_live=False, trouble=died)

    def close(self) -> None:
        """End the thread, say farewell, let go of the port. May be called twice."""
        self._stopping.set()
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join(STOP_WAIT_S)
            if thread.is_alive():
                log.error("The thread that reads the bridge does not end; its port stays open")
                return
        self._thread = None
        port = self._port
        if port is not None:
            try:
                port.write(self._unsent + _frames(self._session.farewell()))
            except OSError as error:
                log.info("The bridge %s was gone at the end: %s", self._where(), error)
        self._close_port()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self.round()
        except Exception:
            log.exception("The thread that reads the bridge has ended")

    # The port

    def _look(self) -> None:
        now_ns = self._clocks.steady_ns()
        if now_ns < self._next_try_ns:
            self._pause(min(WAIT_S, (self._next_try_ns - now_ns) / _NS_IN_S))
            return
        paths = self._ports.find(self._place)
        if not paths:
            self._failed(self._why_missing())
            return
        self._path = paths[self._tries % len(paths)]
        try:
            self._port = self._ports.open(self._path)
        except OSError as error:
            self._failed(_why_not_opened(self._path, error))
            return
        self._decoder = Decoder()
        self._unsent = b"\0"
        self._was_linked = False
        self._session.opened(self._clocks.steady_ns())

    def _lose(self, why: str) -> None:
        """The port is closed; what was pressed is let go."""
        self._hold(self._session.lost(self._clocks.steady_ns()))
        self._close_port()
        self._failed(why)

    def _failed(self, why: str) -> None:
        if why != self._trouble:
            log.error("%s", why)
        self._trouble = why
        self._next_try_ns = self._clocks.steady_ns() + self._retry_ns
        self._retry_ns = min(2 * self._retry_ns, LAST_RETRY_NS)
        self._tries += 1

    def _close_port(self) -> None:
        port, self._port = self._port, None
        if port is None:
            return
        try:
            port.close()
        except OSError as error:
            log.error("The bridge's port could not be closed: %s", error)

    # Talking

    def _talk(self, port: Port) -> None:
        asked_ns = self._clocks.steady_ns()
        data = port.read(WAIT_S)
        heard_ns = self._clocks.steady_ns()
        if data:
            self._hold(self._session.take(self._decoder.feed(data), heard_ns))
        for note in self._session.notes:
            log.warning("%s: %s", self.name, note)
        self._session.notes.clear()
        if self._session.is_linked and not self._was_linked:
            self._greet(port)
        elif self._was_linked and not self._session.is_linked:
            self._trouble = f"The bridge {self._where()} was started anew."
        self._was_linked = self._session.is_linked
        if self._session.refused:
            self._write(port, self._session.farewell())
            self._lose(f"{self._session.refused} At {self._path}: {INSTALL}.")
        elif self._session.is_silent(asked_ns):
            self._lose(self._why_silent())
        else:
            self._say(port, heard_ns)

    def _greet(self, port: Port) -> None:
        """A session has begun."""
        greeting = self._session.greeting
        assert greeting is not None
        version = f"{greeting.firmware_major}.{greeting.firmware_minor}.{greeting.firmware_patch}"
        chip = id_text(greeting.unique_id)
        log.info("%s at %s: %s (%s), firmware %s", self.name, self._path, greeting.board, chip, version)
        self._trouble = None
        self._is_clock_told = False
        self._retry_ns, self._tries = FIRST_RETRY_NS, 0
        self._lamps.begin(self._session.names, greeting.lamps)
        if port.chip is not None:
            self._place = msgspec.structs.replace(self._place, chip=port.chip)

    def _say(self, port: Port, now_ns: int) -> None:
        """What is due; a ping goes alone, right after its stamp."""
        messages = self._session.due(now_ns)
        if self._session.is_linked:
            messages += self._lamps.due(self._lamp_states, now_ns)
        self._write(port, messages)
        ping = None if self._unsent else self._session.due_ping(now_ns)
        if ping is not None:
            frame = encode(ping)
            self._session.pinged(ping, self._clocks.steady_ns())
            self._unsent = frame[port.write(frame) :]

    def _write(self, port: Port, messages: Iterable[Message]) -> None:
        frames = self._unsent + _frames(messages)
        if frames:
            self._unsent = frames[port.write(frames) :]

    def _hold(self, happened: Iterable[Happened]) -> None:
        self._delivery.hold(happened, self._session.names, self._session.estimate())

    def _tell(self) -> None:
        session = self._session
        if not self._is_clock_told and session.is_linked and (err_ns := self._delivery.map_err_ns) is not None:
            self._is_clock_told = True
            log.info("%s: its clock is known to ± %.2f ms", self.name, err_ns / 1e6)
        held = sorted(session.names.get(button, str(button)) for button in session.received.held())
        trouble = self._trouble or session.error or held_since_start(held)
        waiting = f"The bridge {self._where()} is there: its clock is being compared."
        self._delivery.tell(session.received, trouble, waiting, is_linked=session.is_linked)

    # Words

    def _where(self) -> str:
        return f"at {self._path}" if self._path else str(self._place)

    def _why_silent(self) -> str:
        if self._was_linked:
            return f"The bridge {self._where()} does not answer any more: is its cable sound?"
        return f"What is {self._where()} does not answer as a bridge: {INSTALL}."

    def _why_missing(self) -> str:
        return f"The bridge {self._where()} is not there: plug it in."


def _why_not_opened(path: str, error: OSError) -> str:
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"The bridge at {path} may not be opened by this user: add it to the group dialout."
    if error.errno in (errno.EAGAIN, errno.EBUSY):
        return f"The bridge at {path} is in use by another program: end that, or wait until it lets go."
    return f"The bridge at {path} cannot be opened ({error.strerror or error}): plug it in again."


def _frames(messages: Iterable[Message]) -> bytes:
    return b"".join(encode(message) for message in messages)
