"""All lines of the cabinet together: presses and releases in order of event time, with what else was held.

Pure; runs on one thread.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from operator import itemgetter

import msgspec

from cabinet.buttons.debounce import NEVER_NS, Debouncer, DebounceSettings, LineCounters
from cabinet.buttons.edges import Edge, Line, Press, Release
from cabinet.buttons.rest import LineRest

_place = itemgetter(0)
_place_then_line = itemgetter(0, 1)


class Bank:
    """All lines of the cabinet, in host time. Not thread-safe."""

    def __init__(self, settings: DebounceSettings | None = None) -> None:
        """Raises ValueError when the settings contradict each other."""
        self._settings = settings or DebounceSettings()
        if mistakes := self._settings.mistakes():
            raise ValueError(mistakes[0])
        self._lines: dict[Line, Debouncer] = {}
        self._pending: list[tuple[int, Line, Press | Release]] = []
        self._at_ns = -NEVER_NS

    def edge(self, edge: Edge, offset_ns: int = 0, map_err_ns: int = 0) -> None:
        """Take an edge; its host time is `edge.t_ns + offset_ns`, known to within `map_err_ns`.

        Edges may come in any order; they are looked at when `advance` reaches their time. One that comes later
        than that is taken as of its stamp where the line has not decided beyond it, and rewrites nothing.
        """
        line = self._lines.get(edge.line)
        if line is None:
            line = self._lines[edge.line] = Debouncer(edge.line, self._settings)
            line.advance(self._at_ns)
        line.edge(edge, offset_ns, map_err_ns)

    def advance(self, t_ns: int) -> list[Press | Release]:
        """Every edge up to host time `t_ns` has been given: report what is certain, in the order of event time.

        A press takes its place at its stamp, a release at the time when it counted. A press is held back while
        another line's first edge before it is still being judged. A `t_ns` before the last one changes nothing.
        """
        self._at_ns = max(self._at_ns, t_ns)
        found: list[tuple[int, Line, Press | Release]] = []
        for name, line in self._lines.items():
            for place_ns, result in line.advance(self._at_ns):
                found.append((place_ns, name, result))
        if found:
            self._pending += [(place_ns, name, self._with_held(result)) for place_ns, name, result in found]
            self._pending.sort(key=_place_then_line)
        if not self._pending:
            return []
        ready = bisect_right(self._pending, self.settled_ns(), key=_place)
        results = [result for _, _, result in self._pending[:ready]]
        del self._pending[:ready]
        return results

    def settled_ns(self, t_ns: int | None = None) -> int:
        """Host time up to which no press can be stamped any more, given that edges are known up to `t_ns`.

        That is `t_ns`, or just before the first edge of a line that is still being judged. None: the last time
        given to `advance`.
        """
        settled_ns = self._at_ns if t_ns is None else t_ns
        for line in self._lines.values():
            first_ns = line.open_since_ns()
            if first_ns is not None and first_ns <= settled_ns:
                settled_ns = first_ns - 1
        return settled_ns

    def closed_since(self, line: Line) -> int | None:
        """The stamp in host time since which the line counts as pressed; None when it does not."""
        found = self._lines.get(line)
        return None if found is None else found.pressed_since_ns

    def pressed(self) -> frozenset[Line]:
        """The lines that count as pressed now."""
        return frozenset(name for name, line in self._lines.items() if line.pressed_since_ns is not None)

    def counters(self) -> tuple[LineCounters, ...]:
        """What each line has done, by name."""
        return tuple(self._lines[name].counters() for name in sorted(self._lines))

    @property
    def known_ns(self) -> int:
        """Host time up to which edges are known."""
        return self._at_ns

    def rest(self, counts: Callable[[Line], bool], *, by_force: bool = False) -> tuple[LineRest, ...] | None:
        """The lines that count, at rest; None when one of them is not, or a press of one waits for its turn.

        `by_force`: whatever is being judged is left out.
        """
        if not by_force and any(counts(line) for _, line, _ in self._pending):
            return None
        found = []
        for name, line in self._lines.items():
            if counts(name):
                rest = line.rest(by_force=by_force)
                if rest is None:
                    return None
                found.append(rest)
        return tuple(found)

    def resume(self, lines: Iterable[LineRest], known_ns: int) -> None:
        """Goes on with these lines at rest, and no other; edges are known up to host time `known_ns`."""
        before, self._lines = self._lines, {}
        self._pending = []
        self._at_ns = known_ns
        for rest in lines:
            line = before.get(rest.line) or Debouncer(rest.line, self._settings)
            line.resume(rest, known_ns)
            self._lines[rest.line] = line

    def _with_held(self, result: Press | Release) -> Press | Release:
        if isinstance(result, Release):
            return result
        held = frozenset(
            name for name, line in self._lines.items() if name != result.line and line.was_closed_at(result.t_ns)
        )
        return msgspec.structs.replace(result, held=held) if held else result
