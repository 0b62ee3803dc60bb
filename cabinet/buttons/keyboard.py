"""Source: the keys of the window, for a desk without buttons. The left half plays against the right.

The ten stock keys lie in one row and both SPIT keys are shifts. A keyboard's matrix shows a key that is not
pressed when three pressed keys are the corners of a rectangle; keys of one row have no such corners, and the
shifts have wires of their own, so two players may hold down whatever they like on most keyboards.

The window is pumped every millisecond or two, and less often while a frame is drawn and shown; a key's time is
known to half of that only, and two keys of one pump are a dead heat. Good enough for a desk; not for a cabinet.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Final

import msgspec

from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Deliver, Edge, Line, SourceError, SourceStatus
from cabinet.buttons.lines import OPTIONAL_LINES, PANEL_LINES, line_mistakes, shared_mistakes

LONGEST_GAP_NS: Final = 2 * WIDE_ERROR_NS
"""Of the time between two pumps, as much as counts: half of it is the widest error that can still tie."""

KEY_STEP_NS: Final = 1_000_000
"""Between two changes of one key that were found in one pump; longer than a debouncer needs to believe a press."""


NAMED_KEYS: Final = (
    *(f"{side} {key}" for key in ("shift", "ctrl", "alt", "meta") for side in ("left", "right")),
    *("space", "return", "tab", "backspace", "escape", "caps lock", "insert", "delete", "home", "end"),
    *("page up", "page down", "left", "right", "up", "down", "enter"),
    *(f"[{key}]" for key in "0123456789+-*/."),
    *(f"f{number}" for number in range(1, 13)),
)
"""The keys that have a name rather than a mark, as pygame calls them; those in brackets are the number pad's."""


_NAMES: Final = ", ".join(NAMED_KEYS)


def _default_keys() -> dict[Line, str]:
    left = ("left shift", *"asdfg")
    right = ("right shift", *"hjkl;")
    buttons = ("spit", *"12345")
    seats = {"a": dict(zip(buttons, left, strict=True)), "b": dict(zip(buttons, right, strict=True))}
    keys = {f"{seat}.{button}": key for seat, table in seats.items() for button, key in table.items()}
    return {**keys, "service": "f2", "coin": "5"}


class KeyboardSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which key is which button."""

    keys: dict[Line, str] = msgspec.field(default_factory=_default_keys)
    """The key of each button, by pygame's name of it on a US keyboard, so by its place: ``left shift``, ``a``,
    ``;``, ``f2``. Coin and service are where arcade emulators have them."""

    def mistakes(self) -> tuple[str, ...]:
        """What is wrong with the table, one plain line each."""
        found = line_mistakes("keys", self.keys, PANEL_LINES + OPTIONAL_LINES)
        found += shared_mistakes("keys", {line: key.lower() for line, key in self.keys.items()}, "key")
        found += [
            f"keys: {line} has an empty key; give it a pygame key name such as 'a', or leave the line out"
            for line, key in self.keys.items()
            if not key.strip()
        ]
        found += [
            f"keys: {line} is on {key!r}, which is no key; a key is a letter, figure or mark, or one of {_NAMES}"
            for line, key in self.keys.items()
            if key.strip() and len(key) > 1 and key.lower() not in NAMED_KEYS
        ]
        return tuple(found)


class KeyboardSource:
    """The window's keys. `pumped` is called by the window's thread, `status` by any."""

    def __init__(self, settings: KeyboardSettings | None = None, name: str = "keyboard") -> None:
        self.name = name
        self._settings = settings or KeyboardSettings()
        self._lines = {key.lower(): line for line, key in self._settings.keys.items()}
        self._lock = Lock()
        self._deliver: Deliver | None = None
        self._pressed: set[str] = set()
        self._last_ns: dict[Line, int] = {}
        self._watermark_ns: int | None = None
        self._seq = 0

    def start(self, deliver: Deliver) -> None:
        """Deliver from now on what `pumped` hears, in its caller's thread.

        Raises SourceError with one plain line when the table of keys is wrong.
        """
        if mistakes := self._settings.mistakes():
            raise SourceError("; ".join(mistakes))
        with self._lock:
            self._deliver = deliver

    def pumped(self, from_ns: int, to_ns: int, changes: Sequence[tuple[str, bool]]) -> None:
        """The window's events were fetched at host time `to_ns`; what came before `from_ns` was fetched earlier.

        `changes`: key name and whether it went down, in the order of the events; to be called also without any,
        and with every key up when the window loses the keyboard. Repeats of a held key and keys that are no
        button are ignored.

        A stamp is the middle between the two pumps, its error half of the time between them. Of a time longer
        than `LONGEST_GAP_NS`, because the screen held the window up, only the last part counts: a key is never
        stamped long before it was heard, nor so badly that it would be judged at its arrival. So two keys of one
        pump are a dead heat, and the order of keys of different pumps is certain. `from_ns` may lie before the
        last `to_ns`, by as long as SDL took to answer; that part belongs to the pump before.
        """
        with self._lock:
            if self._deliver is None:
                return
            from_ns = max(from_ns, to_ns - LONGEST_GAP_NS)
            if self._watermark_ns is not None:
                from_ns = max(from_ns, self._watermark_ns)
            middle_ns = (from_ns + to_ns) // 2
            err_ns = self._err_ns(from_ns, to_ns)
            for key_name, is_down in changes:
                key = key_name.lower()
                if key not in self._lines or is_down == (key in self._pressed):
                    continue
                (self._pressed.add if is_down else self._pressed.discard)(key)
                self._deliver(self._edge(self._lines[key], is_down, middle_ns, err_ns))
            self._watermark_ns = to_ns

    def status(self, now_ns: int) -> SourceStatus:
        """Everything up to the last pump is delivered; not live before the first one. Thread-safe."""
        with self._lock:
            return SourceStatus(
                source=self.name,
                clock=HOST_CLOCK,
                watermark_ns=now_ns if self._watermark_ns is None else self._watermark_ns,
                largest_err_ns=WIDE_ERROR_NS,
                is_live=self._deliver is not None and self._watermark_ns is not None,
            )

    def close(self) -> None:
        """Deliver nothing any more. May be called twice."""
        with self._lock:
            self._deliver = None

    @staticmethod
    def _err_ns(from_ns: int, to_ns: int) -> int:
        """One nanosecond less than half, so that pumps that follow each other do not tie."""
        return min(max(0, (to_ns - from_ns) // 2 - 1), WIDE_ERROR_NS)

    def _edge(self, line: Line, is_down: bool, middle_ns: int, err_ns: int) -> Edge:
        last_ns = self._last_ns.get(line)
        t_ns = middle_ns if last_ns is None else max(middle_ns, last_ns + KEY_STEP_NS)
        self._last_ns[line] = t_ns
        self._seq += 1
        return Edge(HOST_CLOCK, line, is_down, t_ns, err_ns, self._seq)
