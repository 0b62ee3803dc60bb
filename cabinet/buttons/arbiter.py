"""Arbiter: puts the presses of all sources in order of their stamps, and says when an order is certain.

A press is released when every source that is waited for has delivered everything that could come before it or tie
with it (HOUSE.md, Time). What was decided is never rewritten: a press that comes too late for its place takes the
first place that is still open. Pure; runs on one thread; knows the time only from its caller.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Annotated, Final
from zlib import crc32

import msgspec

from cabinet.buttons.edges import WIDE_ERROR_NS, Line, Press, SourceStatus
from cabinet.buttons.rest import ArbiterRest, SourceRest

Cluster = tuple[Press, ...]
"""Presses in order of `Press.order_ns`, with everything that could be a dead heat with any of them."""

LAGGING_NS: Final = 250_000_000
"""A source whose watermark lies so far behind is as good as silent, though it moves."""

_BEGINNING_NS: Final = -(1 << 62)


class ArbiterSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long to wait for a source. The figures are those of HOUSE.md, Time."""

    silent_ms: Annotated[int, msgspec.Meta(ge=5, le=1_000)] = 25
    """Milliseconds without news after which a source is not waited for any more."""
    counted_gap_ms: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5
    """Of a gap between two looks at the sources, at most this much counts as their silence: the rest was ours."""
    late_kept: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 100
    """How many late presses are kept for the record, the newest."""


class LatePress(msgspec.Struct, frozen=True, gc=False):
    """A press that came when its place in order was already decided."""

    press: Press
    """With the place it got instead in `judged_ns`."""
    late_ns: int
    """By how much the decided time had passed its stamp."""
    arrived_ns: int


class _Source:
    """What is known of one source."""

    __slots__ = ("has_moved", "is_degraded", "silent_ns", "status", "watermark_ns")

    def __init__(self, status: SourceStatus, watermark_ns: int) -> None:
        self.status = status
        self.watermark_ns = watermark_ns
        self.has_moved = True
        self.silent_ns = 0
        self.is_degraded = False

    @property
    def largest_err_ns(self) -> int:
        """What can still tie; wider errors never do."""
        return min(self.status.largest_err_ns, WIDE_ERROR_NS)


class Arbiter:
    """Merges presses by time and uncertainty. Not thread-safe.

    One round: `watermark` for every source, `tick`, `add` for every press, `release`, then `decided_ns`.
    """

    def __init__(self, settings: ArbiterSettings | None = None) -> None:
        settings = settings or ArbiterSettings()
        self._silent_ns = settings.silent_ms * 1_000_000
        self._counted_gap_ns = settings.counted_gap_ms * 1_000_000
        self._sources: dict[str, _Source] = {}
        self._pending: list[Press] = []
        self._horizon_ns = _BEGINNING_NS
        self._now_ns = _BEGINNING_NS
        self._late: deque[LatePress] = deque(maxlen=settings.late_kept)
        self.late_presses = 0
        """Presses judged after their place, since the start."""
        self.wide_presses = 0
        """Presses judged at their arrival because their stamps are known too badly, since the start."""

    def watermark(self, status: SourceStatus, now_ns: int) -> None:
        """Hear how far a source has delivered. A watermark never goes back, nor beyond `now_ns`."""
        watermark_ns = min(status.watermark_ns, now_ns)
        source = self._sources.get(status.source)
        if source is None:
            self._sources[status.source] = _Source(status, watermark_ns)
            return
        if status.watermark_ns != source.status.watermark_ns:
            source.has_moved = True
        source.status = status
        source.watermark_ns = max(source.watermark_ns, watermark_ns)

    def tick(self, now_ns: int) -> None:
        """Count how long sources have been silent while we were running; to be called in every round."""
        gap_ns = 0 if self._now_ns == _BEGINNING_NS else max(0, now_ns - self._now_ns)
        self._now_ns = max(self._now_ns, now_ns)
        for source in self._sources.values():
            keeps_up = source.has_moved and now_ns - source.watermark_ns < LAGGING_NS
            source.has_moved = False
            if keeps_up:
                source.silent_ns = 0
            else:
                source.silent_ns += min(gap_ns, self._counted_gap_ns)
            source.is_degraded = source.silent_ns >= self._silent_ns

    def add(self, press: Press) -> None:
        """Take a press, in any order; it is judged at its stamp, or else marked with `judged_ns`.

        Judged where the decided time stands, and counted: a press that comes when its place is decided.
        Judged at its arrival: a press whose stamp is known too badly (`WIDE_ERROR_NS`).
        """
        if press.err_ns > WIDE_ERROR_NS:
            self.wide_presses += 1
            arrival_ns = press.t_ns if self._now_ns == _BEGINNING_NS else self._now_ns
            press = msgspec.structs.replace(press, judged_ns=max(self._horizon_ns, arrival_ns))
        elif press.t_ns < self._horizon_ns:
            late_ns = self._horizon_ns - press.t_ns
            press = msgspec.structs.replace(press, judged_ns=self._horizon_ns)
            self.late_presses += 1
            self._late.append(LatePress(press=press, late_ns=late_ns, arrived_ns=self._now_ns))
        self._pending.append(press)

    def release(self, now_ns: int, settled_ns: int | None = None) -> list[Cluster]:
        """The clusters whose order is certain, in order.

        `settled_ns`: host time up to which the debouncer has nothing left to judge; None: all of it.
        """
        if not self._pending:
            return []
        settled_ns = now_ns if settled_ns is None else settled_ns
        waited = self._waited()
        released: list[Cluster] = []
        clusters = clusters_of(self._pending)
        for cluster in clusters:
            if not all(_is_certain(press, waited, settled_ns) for press in cluster):
                break
            released.append(cluster)
        if released:
            self._horizon_ns = max(self._horizon_ns, released[-1][-1].order_ns)
            self._pending = [press for cluster in clusters[len(released) :] for press in cluster]
        return released

    def decided_ns(self, now_ns: int, settled_ns: int | None = None) -> int:
        """Host time up to which everything is decided, so that a match may be brought to it.

        Never goes back, never passes a press that is not released; `now_ns` when no source is waited for.
        """
        limits = [source.watermark_ns - source.largest_err_ns for source in self._waited()] or [now_ns]
        limits += [press.order_ns for press in self._pending]
        if settled_ns is not None:
            limits.append(settled_ns)
        self._horizon_ns = max(self._horizon_ns, min(limits))
        return self._horizon_ns

    def known_ns(self, now_ns: int) -> int:
        """Host time up to which every source that is waited for has delivered; `now_ns` when there is none."""
        return min((source.watermark_ns for source in self._waited()), default=now_ns)

    def degraded(self, silent_ns: int = 0) -> tuple[str, ...]:
        """The live sources that are not waited for and have been silent for `silent_ns` at least, by name."""
        return tuple(
            sorted(
                name
                for name, source in self._sources.items()
                if source.is_degraded and source.status.is_live and source.silent_ns >= silent_ns
            )
        )

    def silent_ns(self, source: str) -> int:
        """For how long a source has told nothing new while we were running; 0: it keeps up."""
        return self._sources[source].silent_ns

    def rest(self, counts: Callable[[Line], bool], *, by_force: bool = False) -> ArbiterRest | None:
        """What is known between presses; None while a press of a line that counts waits.

        `by_force`: what waits is left out.
        """
        if not by_force and any(counts(press.line) for press in self._pending):
            return None
        sources = tuple(SourceRest(one.status, one.watermark_ns, one.silent_ns) for one in self._sources.values())
        return ArbiterRest(sources, self._horizon_ns, self._now_ns)

    def resume(self, rest: ArbiterRest) -> None:
        """Goes on from there, whatever was before; what was counted stays."""
        self._pending = []
        self._sources = {}
        for one in rest.sources:
            source = self._sources[one.status.source] = _Source(one.status, one.watermark_ns)
            source.has_moved = False
            source.silent_ns = one.silent_ns
            source.is_degraded = one.silent_ns >= self._silent_ns
        self._horizon_ns = rest.horizon_ns
        self._now_ns = rest.now_ns

    def late_log(self) -> tuple[LatePress, ...]:
        """The newest late presses, oldest first."""
        return tuple(self._late)

    def _waited(self) -> list[_Source]:
        return [s for s in self._sources.values() if s.status.is_live and not s.is_degraded]


def clusters_of(presses: Iterable[Press]) -> list[Cluster]:
    """Presses in order, cut wherever nothing before the cut ties with anything behind it."""
    clusters: list[list[Press]] = []
    for press in sorted(presses, key=_place):
        first = next((i for i, c in enumerate(clusters) if any(press.ties_with(other) for other in c)), None)
        if first is None:
            clusters.append([press])
        else:
            clusters[first:] = [[*(other for c in clusters[first:] for other in c), press]]
    return [tuple(cluster) for cluster in clusters]


def _place(press: Press) -> tuple[int, int, int, int, int]:
    """The place in order. Where all times are equal neither seat, nor pin, nor arrival decides: a checksum does.

    It is taken over the time and the button without its seat, so that it falls as often for the one as for the
    other, and alike when the players change seats; last, between the same button of both seats, with the seat.
    """
    button = press.line.partition(".")[2] or press.line
    return (
        press.order_ns,
        press.t_ns,
        crc32(f"{press.t_ns}.{button}".encode()),
        crc32(f"{press.t_ns}.{press.line}".encode()),
        press.seq,
    )


def _is_certain(press: Press, waited: list[_Source], settled_ns: int) -> bool:
    """Whether nothing can come any more that would take its place before the press or tie with it."""
    if press.judged_ns is not None or not waited:
        return all(min(source.watermark_ns, settled_ns) >= press.order_ns for source in waited) and (
            press.order_ns <= settled_ns
        )
    for source in waited:
        needed_ns = press.t_ns + press.err_ns + source.largest_err_ns
        if source.status.clock != press.clock:
            needed_ns += press.map_err_ns + source.status.map_err_ns
        if min(source.watermark_ns, settled_ns) < needed_ns:
            return False
    return True
