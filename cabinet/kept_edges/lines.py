"""Kept edges as the lines of a file.

One JSON array a line, its first element the sum of the rest, its second the kind of line:

- ``["…","run",{…}]``: the settings, at the start of the program and of each file.
- ``["…","began",{…}]``: a stretch begins, which can be played again without those before it.
- ``["…","steps",[…],[…]]``: steps, each ``[time, status of each source, edges]``. The time is that since the step
  before, in nanoseconds; the first counts from the stretch's own. A status is the number of nanoseconds by which
  its watermark has moved, or the whole status when anything else changed. An edge is
  ``["+a.1",age,err,seq,made_up,lost,may_hide,clock]``: ``+`` when the contact closed, ``-`` when it opened; `age`
  counts back from the step's time; `seq` is the difference to the edge before, and what is left out at the end is
  as in that, with a `seq` one higher. Reported troubles are an object, when they have changed.
- ``["…","failed"]``: the last step ended in an exception. ``["…","closed"]``: the game was closed.

The sum is a CRC-32 in hex of all that stands behind it in the line, carried on from line to line within a stretch,
so that a line that is missing or out of its order is found like one that was changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from zlib import crc32

import msgspec

from cabinet.buttons.edges import HOST_CLOCK, Edge, SourceStatus
from cabinet.buttons.file_header import Header
from cabinet.kept_edges.thinning import Closed, Failed, Item, Steps
from cabinet.kept_edges.values import Beginning, Given, Run
from cabinet.snapshot import Trouble

HEADER: Final = Header("spit-cabinet edges", 3)
"""What the first line says. The version counts up when the lines become others."""

_SAID_OF_AN_EDGE: Final = ("err_ns", "seq", "made_up", "lost", "may_hide", "clock")
"""What stands behind an edge's line and age, in this order: what changes from edge to edge first."""
_SEQ: Final = _SAID_OF_AN_EDGE.index("seq")

_SUM_ENDS: Final = 12
"""Where the rest of a line begins: behind ``["00000000",``."""


class Began(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stretch begins."""

    wall_ns: int
    """Nanoseconds since 1970 by the clock on the wall, to find the evening."""
    beginning: Beginning


class LineError(ValueError):
    """A line is not as it was written; the text says what was found."""


Line = Run | Began | Steps | Failed | Closed


# Writing


class LineEncoder:
    """Makes a file's lines. Not thread-safe."""

    def __init__(self, run: Run) -> None:
        self._sum = Sum()
        self._run = run
        self._deltas = _Deltas()

    def run(self) -> bytes:
        """The line of settings."""
        return self._line("run", self._run)

    def encode(self, item: Item, wall_ns: int) -> bytes:
        """The next line, its line feed included; `wall_ns` is the time by the clock on the wall."""
        if isinstance(item, Beginning):
            self._deltas = _Deltas(item.now_ns, reported=item.reported)
            return self._line("began", Began(wall_ns, item))
        if isinstance(item, Steps):
            return self._line("steps", *[self._deltas.shorten(step) for step in item.steps])
        return self._line("failed" if isinstance(item, Failed) else "closed")

    def _line(self, kind: str, *rest: object) -> bytes:
        text = msgspec.json.encode(["00000000", kind, *rest])[_SUM_ENDS:]
        return b'["%s",%s\n' % (self._sum.add(kind, text), text)


class Sum:
    """The sums of lines, one after another."""

    def __init__(self) -> None:
        self._run = self._last = 0

    def add(self, kind: str, text: bytes) -> bytes:
        """The sum of a line of which `text` stands behind the sum."""
        before = 0 if kind == "run" else self._run if kind == "began" else self._last
        self._last = crc32(text, before)
        if kind == "run":
            self._run = self._last
        return b"%08x" % self._last


class _Deltas:
    """What was told last, from which the next step tells the difference."""

    def __init__(self, now_ns: int = 0, reported: Mapping[str, Trouble] | None = None) -> None:
        self._now_ns = now_ns
        self._statuses: Sequence[SourceStatus] = ()
        self._edge = Edge(HOST_CLOCK, "", False, 0, 0, 0)
        self._reported: Mapping[str, Trouble] = reported or {}

    def shorten(self, step: Given) -> list[object]:
        """A step as it is written."""
        short: list[object] = [step.now_ns - self._now_ns]
        before = self._statuses if len(self._statuses) == len(step.statuses) else (None,) * len(step.statuses)
        for status, last in zip(step.statuses, before, strict=True):
            if last is not None and msgspec.structs.replace(last, watermark_ns=status.watermark_ns) == status:
                short.append(status.watermark_ns - last.watermark_ns)
            else:
                short.append(status)
        short += [self._short_edge(edge, step.now_ns) for edge in step.edges]
        if step.reported != self._reported:
            short.append(step.reported)
        self._now_ns, self._statuses, self._reported = step.now_ns, step.statuses, step.reported
        return short

    def _short_edge(self, edge: Edge, now_ns: int) -> list[object]:
        last, self._edge = self._edge, edge
        short: list[object] = [("+" if edge.active else "-") + edge.line, now_ns - edge.t_ns]
        values = [getattr(edge, name) for name in _SAID_OF_AN_EDGE]
        values[_SEQ] = edge.seq - last.seq
        usual = _usual_after(last)
        said = max((place for place, value in enumerate(values) if value != usual[place]), default=-1) + 1
        return short + values[:said]

    def lengthen(self, short: Sequence[Any], sources: int) -> Given:
        """A step as it was. Raises LineError or what the conversion raises."""
        now_ns = self._now_ns + _int(short[0])
        statuses = []
        for number, said in enumerate(short[1 : 1 + sources]):
            if isinstance(said, int):
                last = self._statuses[number]
                statuses.append(msgspec.structs.replace(last, watermark_ns=last.watermark_ns + said))
            else:
                statuses.append(msgspec.convert(said, SourceStatus))
        if len(statuses) != sources:
            raise LineError(f"found {len(statuses)} statuses of {sources} sources")
        edges = []
        for said in short[1 + sources :]:
            if isinstance(said, dict):
                self._reported = msgspec.convert(said, dict[str, Trouble])
            else:
                edges.append(self._long_edge(said, now_ns))
        self._now_ns, self._statuses = now_ns, statuses
        return Given(now_ns, statuses, edges, self._reported)

    def _long_edge(self, said: Sequence[Any], now_ns: int) -> Edge:
        last = self._edge
        line, age_ns, *values = said
        values += _usual_after(last)[len(values) :]
        if line[0] not in "+-":
            raise LineError(f"found an edge {line!r} without + or -")
        edge = dict(zip(_SAID_OF_AN_EDGE, values, strict=True))
        edge |= {"line": line[1:], "active": line[0] == "+", "t_ns": now_ns - _int(age_ns)}
        edge["seq"] = last.seq + _int(edge["seq"])
        self._edge = msgspec.convert(edge, Edge)
        return self._edge


def _usual_after(last: Edge) -> list[Any]:
    """What need not be said of an edge that follows `last`."""
    usual = [getattr(last, name) for name in _SAID_OF_AN_EDGE]
    usual[_SEQ] = 1
    return usual


# Reading


class LineDecoder:
    """Makes of a file's lines what they say. Not thread-safe."""

    def __init__(self) -> None:
        self._sum = Sum()
        self._deltas = _Deltas()
        self._run: Run | None = None
        self._is_in_stretch = False

    def skip(self) -> None:
        """The next lines do not belong to what was read: only a new stretch or run can be understood."""
        self._is_in_stretch = False

    @staticmethod
    def kind_of(text: bytes) -> str:
        """What kind of line it says it is; empty when it says nothing."""
        head = text[_SUM_ENDS : _SUM_ENDS + 12].split(b'"')
        return head[1].decode("ascii", "replace") if len(head) > 2 and text.startswith(b'["') else ""

    def decode(self, text: bytes) -> Line:
        """The next line, without its line feed. Raises LineError."""
        kind = self.kind_of(text)
        if kind == "run":
            self._run, self._is_in_stretch = None, False
        elif kind == "began":
            self._is_in_stretch = self._run is not None
        if kind != "run" and not self._is_in_stretch:
            raise LineError(f"found a line {kind!r} of a stretch whose beginning is not there")
        if text[_SUM_ENDS - 2 : _SUM_ENDS] != b'",' or self._sum.add(kind, text[_SUM_ENDS:]) != text[2:10]:
            raise LineError("found a line whose sum is not that of what it says")
        try:
            return self._understood(kind, msgspec.json.decode(text)[2:])
        except (msgspec.MsgspecError, RecursionError, TypeError, ValueError, LookupError) as error:
            raise LineError(f"found a line that cannot be understood ({error})") from error

    def _understood(self, kind: str, rest: list[Any]) -> Line:
        if kind == "run":
            run = self._run = msgspec.convert(rest[0], Run)
            return run
        if kind == "began":
            began = msgspec.convert(rest[0], Began)
            self._deltas = _Deltas(began.beginning.now_ns, began.beginning.reported)
            return began
        if kind == "steps":
            sources = len(self._run.sources) if self._run is not None else 0
            return Steps(tuple(self._deltas.lengthen(step, sources) for step in rest))
        if kind in ("failed", "closed"):
            return Failed() if kind == "failed" else Closed()
        raise LineError(f"found a line of the kind {kind!r}")


def _int(value: object) -> int:
    if type(value) is not int:
        raise LineError(f"found {value!r} where a whole number stands")
    return value
