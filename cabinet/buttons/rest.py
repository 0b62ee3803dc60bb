"""Buttons at rest, as values: nothing is being judged, so that all that came before may be forgotten.

From such a value everything that follows is decided as it would have been (`Intake.rest`, `Intake.resume`).
"""

from __future__ import annotations

import msgspec

from cabinet.buttons.edges import Line, SourceStatus


class LineRest(msgspec.Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """A line that has been quiet for a while."""

    line: Line
    pressed_since_ns: int | None
    """The stamp since which it counts as pressed; None: the contact is open."""
    last_ns: int
    """Its last edge, in host time."""


class SourceRest(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What the arbiter knows of a source."""

    status: SourceStatus
    watermark_ns: int
    """The highest that it has told."""
    silent_ns: int
    """For how long it has told nothing new, as the arbiter counts it."""


class ArbiterRest(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """An arbiter in which no press waits."""

    sources: tuple[SourceRest, ...]
    horizon_ns: int
    """Up to here everything is decided."""
    now_ns: int
    """Host time of its last round."""


class MapRest(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A device's clock in host time, as the intake follows its map."""

    clock: str
    offset_ns: int
    """Host time less the clock's, as it was in use at `from_ns`."""
    target_ns: int
    """The newest estimate of it, towards which the one in use is led."""
    bound_ns: int
    """The newest estimate's error."""
    from_ns: int
    """Since when, by the device's clock, it is led there."""
    newest_ns: int
    """The newest edge of the device, by its clock."""


class IntakeRest(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Debouncers and arbiter together."""

    known_ns: int
    """Up to here edges are known."""
    lines: tuple[LineRest, ...]
    arbiter: ArbiterRest
    maps: tuple[MapRest, ...] = ()
