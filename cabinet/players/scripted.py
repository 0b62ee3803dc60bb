"""Hands that press what is laid down, for a lesson."""

from __future__ import annotations

from collections.abc import Sequence

from cabinet.engine.table import View
from cabinet.players.robot import Contact


class Scripted:
    """Presses at fixed times whatever is on the table. Not thread-safe."""

    def __init__(self, contacts: Sequence[Contact], started_ns: int) -> None:
        """`contacts`, in order of time, count from host time `started_ns`."""
        self._coming = [Contact(one.at_ns + started_ns, one.button, one.closed) for one in contacts]

    def see(self, view: View, offset_ns: int, shown_ns: int) -> None:
        """What is shown changes nothing."""

    def contacts_until(self, now_ns: int) -> list[Contact]:
        """What the fingers do up to and including host time `now_ns`, in order; each is told once."""
        count = sum(one.at_ns <= now_ns for one in self._coming)
        due, self._coming = self._coming[:count], self._coming[count:]
        return due

    def next_ns(self) -> int | None:
        """When the fingers will do something next; None: never again."""
        return self._coming[0].at_ns if self._coming else None
