"""Hands that press what is laid down, for a lesson."""

from __future__ import annotations

from collections.abc import Sequence

from cabinet.engine.table import View
from cabinet.players.robot import Contact


class Scripted:
    """Presses at fixed times whatever is on the table. Not thread-safe."""

    def __init__(self, contacts: Sequence[Contact], started_ns: int) -> None:
        """`contacts` count from host time `started_ns`."""
        self._contacts = [Contact(contact.at_ns + started_ns, contact.button, contact.closed) for contact in contacts]

    def see(self, view: View, offset_ns: int, shown_ns: int) -> None:
        """What is shown changes nothing."""

    def contacts_until(self, now_ns: int) -> list[Contact]:
        """What the hands do up to and including `now_ns`, in order; each is told once."""
        due = [contact for contact in self._contacts if contact.at_ns <= now_ns]
        self._contacts = [contact for contact in self._contacts if contact.at_ns > now_ns]
        return due

    def next_ns(self) -> int | None:
        """When the hands will do something next; None: never."""
        return self._contacts[0].at_ns if self._contacts else None
