"""Do the levels read from the lines agree with the last edges? Where one does not, an edge was lost. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cabinet.buttons.edges import Line


class Disagreement(msgspec.Struct, frozen=True, gc=False):
    """A level that no edge explains."""

    line: Line
    closed: bool
    """The level that was read."""
    t_ns: int
    """When it was first seen."""
    unseen_ns: int
    """For how long, until then, nothing is known: since the level was last known to agree."""


class Levels:
    """The lines' levels by their last edges, compared with what is read. Not thread-safe.

    A level may differ because the edge is still under way: its stamp is taken, and it is not delivered. So a
    disagreement counts when it has lasted for longer than edges take, and no edge of that line has come meanwhile.
    """

    def __init__(self, levels: Mapping[Line, bool], now_ns: int) -> None:
        """`levels`: what was read at host time `now_ns`, True for closed."""
        self._closed = dict(levels)
        self._agreed_ns = dict.fromkeys(levels, now_ns)
        self._suspect_ns: dict[Line, int] = {}
        self._guessed: set[Line] = set()

    @property
    def has_suspects(self) -> bool:
        """Whether a level differs and it is not yet certain that an edge was lost."""
        return bool(self._suspect_ns)

    def agreed_ns(self, line: Line) -> int:
        """When the line was last known to have the level of its last edge."""
        return self._agreed_ns[line]

    def edge(self, line: Line, closed: bool, t_ns: int) -> bool:
        """An edge was delivered; whether the line had its level already, and not only because that was read."""
        was_known = closed == self._closed[line] and line not in self._guessed
        self._guessed.discard(line)
        self._closed[line] = closed
        self._agreed_ns[line] = max(self._agreed_ns[line], t_ns)
        if self._suspect_ns:
            self._suspect_ns.pop(line, None)
        return was_known

    def compare(self, levels: Mapping[Line, bool], now_ns: int, patience_ns: int) -> list[Disagreement]:
        """What was read at `now_ns`: the lines whose edge was lost, from now on with the level that was read."""
        found = []
        for line, closed in levels.items():
            if closed == self._closed[line]:
                self._agreed_ns[line] = now_ns
                self._suspect_ns.pop(line, None)
                continue
            since_ns = self._suspect_ns.setdefault(line, now_ns)
            if now_ns - since_ns >= patience_ns:
                found.append(Disagreement(line, closed, since_ns, since_ns - self._agreed_ns[line]))
                self._closed[line] = closed
                self._guessed.add(line)
                self._agreed_ns[line] = now_ns
                del self._suspect_ns[line]
        return found
