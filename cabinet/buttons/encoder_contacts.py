"""What an input device's events say of the switches behind it. Pure.

An encoder reports keys (``BTN_TRIGGER``) and axes (``ABS_X-``: the stick to the left). The kernel repeats held
keys, and when a program was too slow it throws away what was waiting and says so (SYN_DROPPED); what is known of
each switch must survive both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

InputEvent = tuple[int, int, int, int]
"""Stamp in nanoseconds of CLOCK_MONOTONIC, type, code, value; as in linux/input.h."""

EV_SYN: Final = 0
EV_KEY: Final = 1
EV_ABS: Final = 3
SYN_REPORT: Final = 0
SYN_DROPPED: Final = 3
REPEATED: Final = 2
"""The value of a key that the kernel repeats because it is held."""

_CLOSED_FROM_END: Final = 4
"""An axis is a closed switch in the last quarter of its way."""


class Contact(msgspec.Struct, frozen=True, order=True):
    """A switch as an input device reports it."""

    kind: int
    """`EV_KEY` or `EV_ABS`."""
    code: int
    """The number of the key or axis."""
    side: Literal[-1, 0, 1] = 0
    """Of an axis, which end: -1 the low one, 1 the high one. Of a key 0."""


class DeviceState(msgspec.Struct, frozen=True):
    """What a device says of all its switches when it is asked."""

    keys: frozenset[int]
    """The keys that are down."""
    axes: Mapping[int, int]
    """Each axis with its value."""


class Change(msgspec.Struct, frozen=True):
    """A switch closed or opened."""

    contact: Contact
    closed: bool
    from_ns: int
    """Not before this."""
    to_ns: int
    """Not after this."""
    is_lost: bool = False
    """No event told it: it is what must have happened meanwhile."""


class Contacts:
    """The switches of one open device. Not thread-safe."""

    def __init__(
        self, contacts: Iterable[Contact], axes: Mapping[int, tuple[int, int]], state: DeviceState, now_ns: int
    ) -> None:
        """`axes`: least and greatest value of each. `state`: read at `now_ns`, when no event was waiting.

        An axis that nothing has moved yet reads 0, whatever its range: 0 counts as its rest.
        """
        self._axes = dict(axes)
        contacts = list(contacts)
        moved = {axis: value for axis, value in state.axes.items() if value != 0}
        at_first = msgspec.structs.replace(state, axes=moved)
        self._closed = {contact: self._closed_in(contact, at_first) or False for contact in contacts}
        self._of_code: dict[tuple[int, int], list[Contact]] = {}
        for contact in contacts:
            self._of_code.setdefault((contact.kind, contact.code), []).append(contact)
        self._known_ns = now_ns
        self._heard_ns = now_ns
        self._doubted: set[Contact] = set()
        self._is_dropping = False
        self.must_read_state = False
        """Events were lost: `compare` with what the device says is due."""

    def closed(self) -> frozenset[Contact]:
        """The switches that are closed by all that is known."""
        return frozenset(contact for contact, closed in self._closed.items() if closed)

    def seen_empty(self, now_ns: int) -> None:
        """At `now_ns` no event of the device was waiting: all up to then has been taken."""
        self._known_ns = now_ns

    def take(self, events: Iterable[InputEvent]) -> list[Change]:
        """Events in the order in which they were read; their changes have their stamps as `from_ns` and `to_ns`.

        A key that is reported as it already was has moved there and back unseen, if events were lost before; else
        it means nothing.
        """
        changes: list[Change] = []
        for t_ns, kind, code, value in events:
            if kind == EV_SYN:
                self._sync(code)
            elif not self._is_dropping and not (kind == EV_KEY and value == REPEATED):
                for contact in self._of_code.get((kind, code), ()):
                    self._hear(contact, self._is_closed_at(contact, value), t_ns, changes)
            if not self._is_dropping:
                self._heard_ns = t_ns
        return changes

    def compare(self, state: DeviceState, asked_ns: int, now_ns: int) -> list[Change]:
        """Asked at `asked_ns` the device has answered by `now_ns`: the switches that are not as was known.

        Those of which an event has come since are known up to the last event. A device in the middle of a lost
        report is asked once it has ended, so this does nothing before.
        """
        if not self.must_read_state:
            return []
        self.must_read_state = False
        lost = []
        for contact, was_closed in self._closed.items():
            closed = self._closed_in(contact, state)
            if closed is not None and closed != was_closed:
                from_ns = self._known_ns if contact in self._doubted else max(self._known_ns, self._heard_ns)
                lost.append(Change(contact, closed, from_ns, now_ns, is_lost=True))
                self._closed[contact] = closed
        self._doubted.clear()
        self._known_ns = max(self._known_ns, asked_ns)
        return lost

    def _sync(self, code: int) -> None:
        if code == SYN_DROPPED:
            self._is_dropping = True
        elif code == SYN_REPORT and self._is_dropping:
            self._is_dropping = False
            self.must_read_state = True
            self._doubted = set(self._closed)

    def _hear(self, contact: Contact, closed: bool, t_ns: int, changes: list[Change]) -> None:
        if closed == self._closed[contact]:
            if contact not in self._doubted or contact.kind != EV_KEY:
                return
            changes.append(Change(contact, not closed, self._known_ns, t_ns, is_lost=True))
        self._doubted.discard(contact)
        self._closed[contact] = closed
        changes.append(Change(contact, closed, t_ns, t_ns))

    def _closed_in(self, contact: Contact, state: DeviceState) -> bool | None:
        """None: the state does not say."""
        if contact.kind == EV_KEY:
            return contact.code in state.keys
        value = state.axes.get(contact.code)
        return None if value is None else self._is_closed_at(contact, value)

    def _is_closed_at(self, contact: Contact, value: int) -> bool:
        if contact.kind == EV_KEY:
            return value != 0
        low, high = self._axes.get(contact.code, (-1, 1))
        depth = (high - low) // _CLOSED_FROM_END
        return value <= low + depth if contact.side < 0 else value >= high - depth
