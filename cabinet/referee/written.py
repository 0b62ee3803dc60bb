"""Cards as a scenario writes them, and the unnamed ones filled in (SCENARIOS.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cabinet.engine.cards import PACK, Card
from cabinet.referee.scenario import ScenarioError

_WRITTEN = re.compile(r"(?:(\d{1,2})\*)?\?\?|(\()?([^()?*]+)(?(2)\))")
UNNAMED = None


class WrittenCard:
    """A card as written: named or not, face down or not."""

    def __init__(self, card: Card | None, *, face_down: bool) -> None:
        self.card = card
        self.face_down = face_down


def read_cards(field: str, texts: Iterable[str]) -> list[WrittenCard]:
    """The cards of a zone; raises ScenarioError, naming the field, for a text that is none."""
    return [card for text in texts for card in _read(field, text)]


def refuse_parentheses(field: str, cards: Iterable[WrittenCard]) -> None:
    """Raises ScenarioError when a named card lies face down where that says nothing."""
    if any(card.face_down and card.card is not UNNAMED for card in cards):
        raise ScenarioError(f"{field}: parentheses are only for stock piles")


def _read(field: str, text: str) -> Iterator[WrittenCard]:
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ScenarioError(f"{field}: {text!r} is no card; allowed: 6S, (6S), ??, 5*??")
    if found[3] is None:
        for _ in range(int(found[1] or 1)):
            yield WrittenCard(UNNAMED, face_down=True)
        return
    try:
        yield WrittenCard(Card.parse(found[3]), face_down=found[2] is not None)
    except ValueError as error:
        raise ScenarioError(f"{field}: {error}") from error


def fill(zones: list[list[WrittenCard]]) -> list[tuple[Card, ...]]:
    """The zones with unnamed cards filled in from what is left of the pack, in its order (SCENARIOS.md)."""
    named = [card.card for zone in zones for card in zone if card.card is not None]
    twice = sorted({str(card) for card in named if named.count(card) > 1})
    if twice:
        raise ScenarioError(f"table: {', '.join(twice)} is there twice")
    size = sum(len(zone) for zone in zones)
    if size != len(PACK):
        raise ScenarioError(f"table: {size} cards; a position has {len(PACK)}")
    rest = iter([card for card in PACK if card not in set(named)])
    return [tuple(next(rest) if card.card is None else card.card for card in zone) for zone in zones]
