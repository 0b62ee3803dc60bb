"""What the sources of wired buttons share: the start of a claim, how late one delivers, its troubles. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cabinet.buttons.edges import Line

QUIET_NS: Final = 50_000_000
"""A line found closed at the start must have been open this long before it can press."""

HELD_UP_NS: Final = 25_000_000
"""A program that steps every few milliseconds and has not for so long was held up."""

LEVEL_CHECK_NS: Final = 50_000_000
"""How often levels are read to find edges that were lost."""

LOOKS_EVERY_NS: Final = 1_000_000
"""How often it is looked for edges while presses may be pending (HOUSE.md, Time)."""

BUSY_AFTER_EDGE_NS: Final = 40_000_000
"""A press is decided, and a release rests, within this time of the last edge."""

KERNEL_SLACK_NS: Final = 2_000_000
"""How late an event of the kernel's chip may come, to start with: the kernel queues each line's events in a thread
of its own (HOUSE.md, Time)."""

TROUBLE_SHOWN_NS: Final = 10_000_000_000
"""How long a trouble of a line is shown after it last came."""

_WINDOW_NS: Final = 10_000_000_000


class Settling:
    """Which edges of freshly claimed lines to pass on. Not thread-safe.

    Lines idle low until they are claimed, so their first edges mean nothing. A line that is closed when the
    settling ends is a button held down, or stuck: it presses only after it has been open for a while, so that
    the bounce of letting it go is not a press.
    """

    def __init__(self, ready_ns: int, closed: Iterable[Line] = ()) -> None:
        """`ready_ns`: from when edges count. `closed`: the lines that read closed when they were claimed."""
        self._ready_ns = ready_ns
        self._levels: dict[Line, tuple[bool, int]] = dict.fromkeys(closed, (True, ready_ns))
        self._muted: dict[Line, bool] = {}

    def admits(self, line: Line, closed: bool, t_ns: int) -> bool:
        """Whether to pass on an edge; to be told every edge of the line, in order."""
        was_closed, last_ns = self._levels.get(line, (False, self._ready_ns))
        if t_ns < self._ready_ns:
            self._levels[line] = (closed, t_ns)
            return False
        is_muted = self._muted.get(line)
        if is_muted is False:
            return True
        if is_muted is None:
            is_muted = was_closed
        elif closed and not was_closed and t_ns - last_ns >= QUIET_NS:
            is_muted = False
        self._muted[line] = is_muted
        self._levels[line] = (closed, t_ns)
        return not is_muted

    def closed_from_start(self, now_ns: int) -> tuple[Line, ...]:
        """The lines that have been closed ever since the settling ended, by name; empty before that."""
        if now_ns < self._ready_ns:
            return ()
        return tuple(
            sorted(
                line for line, (closed, _) in self._levels.items() if closed and self._muted.get(line) is not False
            )
        )


def held_since_start(lines: Iterable[Line]) -> str | None:
    """What to tell of buttons that are down ever since the lines were claimed; None when there are none."""
    names = ", ".join(lines)
    return f"Held since the start: {names}; let go, or check the switch and its wires." if names else None


def lateness_ns(t_ns: int, now_ns: int, known_ns: int) -> int:
    """How late an edge of `t_ns` came that was found at `now_ns`, as far as the way to us is to blame for it.

    `known_ns`: when it was last looked, and nothing had come that was not delivered. The edge came after that; how
    long we took to look again says nothing of when, so the time of one look is added and no more.
    """
    return min(now_ns - t_ns, max(0, known_ns - t_ns) + LOOKS_EVERY_NS)


class Slack:
    """How far behind the present a source's watermark must stay: as late as it was lately seen to deliver.

    Not thread-safe. It rises at once and falls when nothing so late was seen for ten to twenty seconds.
    """

    def __init__(self, start_ns: int, limit_ns: int) -> None:
        """Never less than `start_ns`, never more than `limit_ns`."""
        self._start_ns = start_ns
        self._limit_ns = limit_ns
        self._worst_ns = 0
        self._worst_before_ns = 0
        self._window_end_ns: int | None = None

    def seen(self, lateness_ns: int, now_ns: int) -> None:
        """An edge was delivered `lateness_ns` after its stamp."""
        self._turn(now_ns)
        self._worst_ns = max(self._worst_ns, lateness_ns)

    def slack_ns(self, now_ns: int) -> int:
        """The slack to use now: a quarter more than the worst lateness seen."""
        self._turn(now_ns)
        worst_ns = max(self._worst_ns, self._worst_before_ns)
        return min(self._limit_ns, max(self._start_ns, worst_ns * 5 // 4))

    def _turn(self, now_ns: int) -> None:
        if self._window_end_ns is None:
            self._window_end_ns = now_ns + _WINDOW_NS
        if now_ns < self._window_end_ns:
            return
        is_next = now_ns < self._window_end_ns + _WINDOW_NS
        self._worst_before_ns = self._worst_ns if is_next else 0
        self._worst_ns = 0
        self._window_end_ns = now_ns + _WINDOW_NS


class HeldUp:
    """Notices that this program itself stood still: what happened meanwhile may not have been delivered yet.

    For sources whose edges come through a thread that does not say how far it is. Not thread-safe.
    """

    def __init__(self, grace_ns: int) -> None:
        """`grace_ns`: for so long after it goes on, nothing is known of the time since it was last asked."""
        self.said_ns = 0
        """What it said last."""
        self._grace_ns = grace_ns
        self._asked_ns: int | None = None
        self._until_ns = 0

    def known_ns(self, now_ns: int) -> int:
        """Up to when all may be taken as heard, apart from the usual slack; to be asked every few milliseconds."""
        if self._asked_ns is not None and now_ns - self._asked_ns > HELD_UP_NS:
            self._until_ns = now_ns + self._grace_ns
        self._asked_ns = now_ns
        if now_ns >= self._until_ns:
            self.said_ns = now_ns
        return self.said_ns


class PassingTrouble:
    """What went wrong, as long as it has not been well for a while. Not thread-safe."""

    def __init__(self) -> None:
        self._text: str | None = None
        self._is_new = False
        self._seen_ns = 0

    def came(self, text: str) -> None:
        """It went wrong; it is stamped when it is first asked for, since even the clock may be what failed."""
        self._text = text
        self._is_new = True

    def text(self, now_ns: int) -> str | None:
        """What to show at `now_ns`."""
        if self._is_new:
            self._is_new = False
            self._seen_ns = now_ns
        elif now_ns - self._seen_ns >= TROUBLE_SHOWN_NS:
            self._text = None
        return self._text
