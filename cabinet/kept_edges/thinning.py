"""Which steps must be kept so that the game plays out the same without the others. Pure.

A step happens every few milliseconds, and in most of them nothing happens but that time passes. Such a step may be
left out, because decisions depend on stamps and watermarks and not on how often the game is stepped:

- It had no edges, nothing was published and no press was judged by where the step stands, and since the step
  before only watermarks moved, all of them forwards (or the map of a device's clock, a little).
- Rounds in which a source told nothing new count towards its silence. They are held back, and left out once every
  source has moved again; when a source stays silent so long that it is not waited for any more, all are kept. Once
  its silence is so long that more of it decides nothing, its rounds are like any others.

Before a step that is kept for more than edges of its own time, the step before it is kept, too: it says up to
where everything had been decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final

import msgspec
from msgspec.structs import replace

from cabinet.buttons.edges import HOST_CLOCK, SourceStatus
from cabinet.buttons.intake import MAP_JUMP_NS, SILENCE_SHOWN_NS
from cabinet.kept_edges.values import Beginning, Given

LONG_SILENCE_NS: Final = SILENCE_SHOWN_NS
"""More silence decides nothing: no source is waited for so long (`ArbiterSettings.silent_ms`), and by then it is
named to the owner."""
MAP_MOVES_NS: Final = MAP_JUMP_NS // 2
"""A device's clock whose map has moved by so much since it was kept: half of what counts as a jump."""
HELD_LIMIT: Final = 256
"""So many rounds are held back at most."""
BATCH_NS: Final = 500_000_000
"""What is kept is given on after this time at the latest."""


_STILL: Final = attrgetter(
    *(
        name
        for name in SourceStatus.__struct_fields__
        if name not in ("watermark_ns", "map_offset_ns", "map_err_ns")
    )
)
"""All of a status that stays as it is while only time passes."""


class Steps(msgspec.Struct, frozen=True):
    """Some steps, one after another."""

    steps: tuple[Given, ...]


class Failed(msgspec.Struct, frozen=True):
    """The last step ended in an exception."""


class Closed(msgspec.Struct, frozen=True):
    """The game was closed."""


Item = Beginning | Steps | Failed | Closed


class Thinner:
    """A `Tap` that gives on what must be kept. Belongs to the game's thread."""

    def __init__(self, keep: Callable[[Item], None], silent_ns: int) -> None:
        """`silent_ns`: a source silent for so long is not waited for (`ArbiterSettings.silent_ms`)."""
        self._keep = keep
        self._silent_limit_ns = min(silent_ns, LONG_SILENCE_NS)
        self._batch: list[Given] = []
        self._batch_from_ns = 0
        self._has_begun = False
        self._begin()

    def _begin(self) -> None:
        self._given: Given | None = None
        self._robots_act = False
        self._last: Given | None = None
        self._last_kept: Given | None = None
        self._held: list[Given] = []
        self._is_silent: tuple[bool, ...] = ()
        self._unusual_presses: int | None = None
        self._highest_ns: list[int] = []
        self._calm: list[object] | None = None
        self._no_silence: tuple[int, ...] = ()

    # What the game tells

    def began(self, beginning: Beginning) -> None:
        """Everything follows from here; the step in which it came is kept before it."""
        if self._given is not None:
            self._keep_with_held(self._given)
        self._flush()
        self._begin()
        self._has_begun = True
        self._keep(beginning)

    def given(self, given: Given, *, robots_act: bool) -> None:
        """A step begins."""
        if self._given is not None:
            self._fail(self._given)
        if self._has_begun:
            self._given = given
            self._robots_act = robots_act

    def done(self, silent_ns: Sequence[int], unusual_presses: int, *, has_published: bool) -> None:
        """The step has ended."""
        given, self._given = self._given, None
        if given is None:
            return
        is_bare = not (has_published or given.edges or self._robots_act)
        if (
            is_bare
            and silent_ns == self._no_silence
            and unusual_presses == self._unusual_presses
            and self._is_calm(given)
        ):
            self._held = [given]
        else:
            self._consider(given, silent_ns, unusual_presses, is_bare=is_bare)
        self._last = given
        if self._batch and given.now_ns - self._batch_from_ns >= BATCH_NS:
            self._flush()

    def _is_calm(self, given: Given) -> bool:
        """As `_moves_on`, for most steps, and fast: no device's clock, and the step before was usual, too."""
        calm, last = self._calm, self._last
        if calm is None or last is None:
            return False
        for status, before, still in zip(given.statuses, last.statuses, calm, strict=True):
            if status.watermark_ns < before.watermark_ns or _STILL(status) != still:
                return False
        return True

    def _consider(self, given: Given, silent_ns: Sequence[int], unusual_presses: int, *, is_bare: bool) -> None:
        is_usual = self._moves_on(given) and unusual_presses == self._unusual_presses
        self._unusual_presses = unusual_presses
        was_silent = self._is_silent
        self._is_silent = tuple([one >= LONG_SILENCE_NS for one in silent_ns])
        lags = any(0 < one < LONG_SILENCE_NS for one in silent_ns)
        if was_silent != self._is_silent or not is_usual:
            self._keep_with_held(given)
        elif lags:
            self._hold_silence(given, silent_ns, is_bare=is_bare)
        elif is_bare:
            self._held = [given]
        else:
            self._keep_alone(given)
        has_devices = any(status.clock != HOST_CLOCK for status in given.statuses)
        is_calm = is_usual and not any(silent_ns) and not has_devices
        self._calm = [_STILL(status) for status in given.statuses] if is_calm else None
        self._no_silence = tuple(silent_ns)

    def closed(self) -> None:
        """The game was closed."""
        if self._given is not None:
            self._fail(self._given)
        if self._has_begun:
            self._keep_held()
            self._flush()
            self._keep(Closed())

    # What is kept

    def _hold_silence(self, given: Given, silent_ns: Sequence[int], *, is_bare: bool) -> None:
        is_degraded = any(self._silent_limit_ns <= one < LONG_SILENCE_NS for one in silent_ns)
        if is_degraded or not is_bare or len(self._held) >= HELD_LIMIT:
            self._keep_with_held(given)
        else:
            self._held.append(given)

    def _keep_alone(self, given: Given) -> None:
        """Keeps a step in which all sources kept up; the one before it only where an edge is older than that."""
        before_ns = self._last.now_ns if self._last is not None else given.now_ns
        has_devices = any(status.clock != HOST_CLOCK for status in given.statuses)
        if has_devices or any(edge.t_ns <= before_ns for edge in given.edges):
            self._keep_with_held(given)
            return
        self._held = []
        self._keep_step(given)

    def _keep_with_held(self, given: Given) -> None:
        self._keep_held()
        self._keep_step(given)

    def _keep_held(self) -> None:
        for step in self._held:
            self._keep_step(step)
        self._held = []

    def _keep_step(self, given: Given) -> None:
        if not self._batch:
            self._batch_from_ns = given.now_ns
        self._batch.append(given)
        self._last_kept = given

    def _flush(self) -> None:
        if self._batch:
            self._keep(Steps(tuple(self._batch)))
            self._batch = []

    def _fail(self, given: Given) -> None:
        self._given = None
        self._keep_with_held(given)
        self._flush()
        self._keep(Failed())

    # What is usual

    def _moves_on(self, given: Given) -> bool:
        """Whether nothing changed but watermarks, forwards, and a map a little. Remembers the watermarks."""
        last, kept = self._last, self._last_kept
        watermarks_ns = [status.watermark_ns for status in given.statuses]
        if last is None or kept is None or len(last.statuses) != len(watermarks_ns):
            self._highest_ns = watermarks_ns
            return False
        if self._calm is not None:
            self._highest_ns = [status.watermark_ns for status in last.statuses]
        self._highest_ns = list(map(max, self._highest_ns, watermarks_ns))
        if self._highest_ns != watermarks_ns:
            return False
        for status, before, then in zip(given.statuses, last.statuses, kept.statuses, strict=True):
            if not _is_same_but_for_time(status, before, then):
                return False
        return True


def _is_same_but_for_time(status: SourceStatus, before: SourceStatus, kept: SourceStatus) -> bool:
    """Whether a status differs from the one before by time only, and its map little from the one that was kept."""
    time = {"watermark_ns": status.watermark_ns}
    if status.clock != HOST_CLOCK:
        if not _follows_smoothly(status.map_offset_ns, before, kept):
            return False
        time |= {"map_offset_ns": status.map_offset_ns, "map_err_ns": status.map_err_ns}
    return replace(before, **time) == status


def _follows_smoothly(offset_ns: int, before: SourceStatus, kept: SourceStatus) -> bool:
    """Whether a map is one of those that may be passed over between two that are kept.

    The offset in use is led towards the newest one from where the last edge has left it, whatever came between:
    but for a jump, and for an offset that is that of before again.
    """
    if offset_ns == kept.map_offset_ns != before.map_offset_ns:
        return False
    return max(abs(offset_ns - kept.map_offset_ns), abs(offset_ns - before.map_offset_ns)) <= MAP_MOVES_NS
