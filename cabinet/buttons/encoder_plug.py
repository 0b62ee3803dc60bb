"""One encoder of the settings: opened where it is plugged in, read, lost, and opened again when it is back."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from cabinet.buttons.edges import WIDE_ERROR_NS, Line, SourceError
from cabinet.buttons.encoder_codes import contact_of
from cabinet.buttons.encoder_contacts import EV_KEY, Change, Contact, Contacts
from cabinet.buttons.encoder_device import MOST_EVENTS, InputDevice, Inputs
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.settling import Settling

FIRST_RETRY_NS: Final = 100_000_000
LAST_RETRY_NS: Final = 2_000_000_000
"""A lost encoder is looked for after 0.1 s, then each time twice as late, up to 2 s."""

_MOST_READS: Final = 32
"""More than one buffer of the kernel holds: what fills faster than it can be read must not hold the reader up."""

_USB_PLUG: Final = re.compile(r"-usb(?:v\d)?-\d+:([\d.]+):")
_SEATS: Final = ("a.", "b.")

log: Final = logging.getLogger(__name__)


class PlugEdge(msgspec.Struct, frozen=True):
    """A line changed level, not numbered yet; as `Edge`."""

    line: Line
    active: bool
    t_ns: int
    err_ns: int
    made_up: bool = False


class Plug:
    """The place of one encoder. Not thread-safe."""

    def __init__(
        self,
        path: str,
        lines: Mapping[str, Line],
        settings: EncoderSettings,
        inputs: Inputs,
        clock_ns: Callable[[], int],
    ) -> None:
        """`lines`: the line of each key or axis by its name. Raises SourceError when a name means nothing."""
        self.path = path
        self.has_seat = any(line.startswith(_SEATS) for line in lines.values())
        """Whether a player's buttons are on it."""
        self.trouble: str | None = None
        """What is wrong with it, in one plain line."""
        self._lines = {contact_of(name): line for name, line in lines.items()}
        self._names = dict(lines)
        self._settings = settings
        self._inputs = inputs
        self._clock_ns = clock_ns
        self._device: InputDevice | None = None
        self._retry_ns = FIRST_RETRY_NS
        self._next_try_ns = 0
        self._pressed: set[Line] = set()
        self._last_ns: dict[Line, int] = {}
        self.known_ns = 0
        """All that it sent up to then, in host time, was taken."""
        self.oldest_ns = 0
        """The stamp of the oldest event of the last `read`."""

    @property
    def is_open(self) -> bool:
        """Whether it is plugged in and read."""
        return self._device is not None

    @property
    def before_stamp_ns(self) -> int:
        """How long before the kernel's stamp its contacts move; 0 while it is not open."""
        return self._device.timing.before_stamp_ns if self._device is not None else 0

    @property
    def err_ns(self) -> int:
        """How well the stamps of its edges are known; 0 while it is not open."""
        return self._device.timing.err_ns if self._device is not None else 0

    def open(self, now_ns: int) -> None:
        """Open it. Raises OSError when it is not there, SourceError with one plain line when it cannot be used."""
        device = self._inputs.open(self.path, self._settings)
        try:
            state = device.state()
        except OSError:
            device.close()
            raise
        self._contacts = Contacts(self._lines, device.axes, state, now_ns)
        self._settling = Settling(now_ns, [self._lines[contact] for contact in self._contacts.closed()])
        self._device = device
        self.known_ns = now_ns
        self.trouble = self._missing(device)
        log.info("%s is %r (%s)", self.path, device.name, device.timing.way)
        if device.timing.err_ns > WIDE_ERROR_NS:
            log.warning(
                "%s is too slow for races (%s): its presses are judged when they arrive; use another encoder",
                self.path,
                device.timing.way,
            )

    def try_again(self, now_ns: int) -> None:
        """Open it if it is time to try, and it is there."""
        if now_ns < self._next_try_ns:
            return
        try:
            self.open(now_ns)
        except SourceError as error:
            self._tried(now_ns, str(error))
        except OSError as error:
            self._tried(now_ns, self._gone(error))
        else:
            log.warning("%s is back", self.path)

    def seen_empty(self, now_ns: int) -> None:
        """Nothing of it waits at `now_ns`."""
        self.known_ns = now_ns
        self._contacts.seen_empty(now_ns)

    def read(self, now_ns: int) -> list[PlugEdge]:
        """What it has sent; the made-up edges of what was lost are among it. Raises OSError when it is gone."""
        assert self._device is not None
        device, contacts = self._device, self._contacts
        events = device.read()
        self.oldest_ns = min((event[0] for event in events), default=now_ns)
        edges = self._edges(contacts.take(events))
        if contacts.must_read_state:
            log.warning("%s sent more than was read: its buttons are asked for their state", self.path)
            edges += self._read_anew(device)
        elif len(events) < MOST_EVENTS:
            self.seen_empty(now_ns)
        return edges

    def _read_anew(self, device: InputDevice) -> list[PlugEdge]:
        """Events were lost. To ask for the keys throws away those that wait, so these are read before."""
        edges: list[PlugEdge] = []
        for _ in range(_MOST_READS):
            if not (events := device.read()):
                break
            edges += self._edges(self._contacts.take(events))
        asked_ns = self._clock_ns()
        state = device.state()
        return edges + self._edges(self._contacts.compare(state, asked_ns, self._clock_ns()))

    def lose(self, now_ns: int, error: Exception) -> list[PlugEdge]:
        """It is gone: every button that was down is let go, so that none is left pressed."""
        self.close()
        self._retry_ns = FIRST_RETRY_NS
        self._next_try_ns = now_ns + FIRST_RETRY_NS
        self.trouble = self._gone(error)
        log.error("%s", self.trouble)
        released = sorted(self._pressed)
        self._pressed.clear()
        return [PlugEdge(line, False, now_ns, WIDE_ERROR_NS + 1, made_up=True) for line in released]

    def missing(self, now_ns: int, error: Exception) -> None:
        """It is not there at the start."""
        self._next_try_ns = now_ns + FIRST_RETRY_NS
        self.trouble = str(error) if isinstance(error, SourceError) else self._gone(error)
        log.error("%s", self.trouble)

    def held_since_start(self, now_ns: int) -> tuple[Line, ...]:
        """The lines that have been closed ever since it was opened."""
        return self._settling.closed_from_start(now_ns) if self.is_open else ()

    def close(self) -> None:
        """Let go of it. May be called twice."""
        device, self._device = self._device, None
        if device is None:
            return
        try:
            device.close()
        except OSError as error:
            log.error("%s could not be closed: %s", self.path, error)

    def _edges(self, changes: Iterable[Change]) -> list[PlugEdge]:
        return [edge for change in changes if (edge := self._edge(change)) is not None]

    def _edge(self, change: Change) -> PlugEdge | None:
        """None: it is not passed on. Edges of a line never go back in time, though one was a guess."""
        assert self._device is not None
        timing = self._device.timing
        line = self._lines[change.contact]
        if change.is_lost:
            t_ns, err_ns = self._guess(change)
        else:
            t_ns, err_ns = change.from_ns - timing.before_stamp_ns, timing.err_ns
        if (back_ns := self._last_ns.get(line, t_ns) - t_ns) > 0:
            t_ns, err_ns = t_ns + back_ns, err_ns + back_ns
        self._last_ns[line] = t_ns
        if not self._settling.admits(line, change.closed, t_ns):
            return None
        (self._pressed.add if change.closed else self._pressed.discard)(line)
        return PlugEdge(line, change.closed, t_ns, err_ns, change.is_lost)

    def _guess(self, change: Change) -> tuple[int, int]:
        """The middle of the time in which it must have happened; never known well enough for a dead heat."""
        assert self._device is not None
        timing = self._device.timing
        from_ns, to_ns = change.from_ns - timing.longest_ns, change.to_ns - timing.shortest_ns
        return (from_ns + to_ns) // 2, max((to_ns - from_ns + 1) // 2, WIDE_ERROR_NS + 1)

    def _tried(self, now_ns: int, trouble: str) -> None:
        if trouble != self.trouble:
            log.error("%s", trouble)
        self.trouble = trouble
        self._retry_ns = min(2 * self._retry_ns, LAST_RETRY_NS)
        self._next_try_ns = now_ns + self._retry_ns

    def _gone(self, error: Exception) -> str:
        found = _USB_PLUG.search(self.path)
        where = f"in USB plug {found[1]}" if found else f"at {self.path}"
        if not self._inputs.is_there(self.path):
            return f"The encoder {where} is not there ({self._buttons()}): plug it in where it was."
        return f"The encoder {where} does not answer ({self._buttons()}): {_reason(error)}."

    def _buttons(self) -> str:
        lines = sorted(self._names.values())
        return ", ".join(lines[:2]) + (f" and {len(lines) - 2} more" if len(lines) > 2 else "")

    def _missing(self, device: InputDevice) -> str | None:
        """What the settings say of it and it does not have."""
        lacking = [name for name in self._names if not _has(device, contact_of(name))]
        if not lacking:
            return None
        lines = ", ".join(self._names[name] for name in lacking)
        return (
            f"The encoder {device.name!r} at {self.path} has no {', '.join(lacking)} ({lines}): "
            "is it another one? spit-cabinet buttons --learn"
        )


def _has(device: InputDevice, contact: Contact) -> bool:
    return contact.code in (device.keys if contact.kind == EV_KEY else device.axes)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{type(error).__name__}: {error}"
