"""What the screen remembers between snapshots so that a card lands where it was seen to go.

Only pictures hang on it: nothing here decides anything, and a screen that starts in mid-match shows the
View as it is.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from cabinet.engine.actions import CardsTurned, Dealt, PilesTaken, Played
from cabinet.engine.cards import Card
from cabinet.engine.table import PILE_NAMES, PileName, Seat
from cabinet.snapshot import Happening, Snapshot

KEPT_LANDINGS: Final = 12


class Landing(msgspec.Struct, frozen=True, gc=False):
    """A card that came onto a centre pile."""

    at_ns: int
    """Host time at which it counted."""
    card: Card | None
    seat: Seat | None
    """Whose it was; None when that was not seen."""
    stock: int | None = None
    """The stock pile, or slot of the hand, it came from; None: not from there, or not seen."""
    came: Literal["played", "turned", "slid"] = "turned"
    """How it came: from a player's own cards, by turning where it lies, or in Speed from the side pile."""


class Taken(msgspec.Struct, frozen=True, gc=False):
    """A centre pile as it was when it was taken."""

    card: Card | None
    size: int


class PileMemory:
    """The latest cards on each centre pile, and the piles that were taken last."""

    def __init__(self) -> None:
        self._number = -1
        self._landings: dict[PileName, list[Landing]] = {"left": [], "right": []}
        self.taken: dict[PileName, Taken] = {}

    def observe(self, snapshot: Snapshot) -> None:
        """Take in what is new in a snapshot; snapshots may be seen twice or left out."""
        view = snapshot.view
        slides = view is not None and view.rules.game == "speed"
        for happening in snapshot.happenings:
            if happening.number > self._number:
                self._number = happening.number
                self._take_in(happening, slides=slides)
        for name in PILE_NAMES:
            pile = view.pile(name) if view else None
            top = pile.top if pile else None
            landings = self._landings[name]
            if not landings or landings[-1].card != top:
                self._landings[name] = [Landing(0, top, None)]
            if pile and pile.size:
                self.taken[name] = Taken(pile.top, pile.size)
            elif view and view.phase in ("slap", "choose"):
                self.taken[name] = Taken(None, 0)

    def landings(self, name: PileName) -> list[Landing]:
        """The cards that came onto the pile, the latest last; at least one once a snapshot was seen."""
        return self._landings[name]

    def _take_in(self, happening: Happening, *, slides: bool) -> None:
        event = happening.event
        if isinstance(event, Played):
            self._land(event.pile, Landing(happening.at_ns, event.card, event.seat, event.stock, "played"))
        elif isinstance(event, CardsTurned):
            came: Literal["slid", "turned"] = "slid" if slides and event.kind == "spit" else "turned"
            for turned in event.cards:
                self._land(turned.pile, Landing(happening.at_ns, turned.card, turned.seat, came=came))
        elif isinstance(event, Dealt):
            self._landings = {"left": [], "right": []}
        elif isinstance(event, PilesTaken):
            sizes = {event.a: event.a_size, event.b: event.b_size}
            for name in PILE_NAMES:
                known = self.taken.get(name)
                if name in sizes:
                    self.taken[name] = Taken(known.card if known else None, sizes[name])

    def _land(self, name: PileName, landing: Landing) -> None:
        self._landings[name] = [*self._landings[name][-KEPT_LANDINGS:], landing]
