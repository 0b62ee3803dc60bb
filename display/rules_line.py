"""A game's rules in one line, made from its options: so an owner's own game has a true line, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from cabinet.engine.rules import ARCADE, Rules
from display import text

DOT: Final = " · "
"""Between two clauses."""


def clauses(rules: Rules) -> tuple[str, ...]:
    """What a player must know of a game, the most important first; options of the other game are left out."""
    found = _speed_clauses(rules) if rules.game == "speed" else _spit_clauses(rules)
    first, *others = (_fit(rules), *found)
    return (first[0].upper() + first[1:], *others)


def _fit(rules: Rules) -> str:
    """RULES.md 5-7, 40, 42."""
    return text.FITS[rules.colours == "alternate", rules.pairs]


def _spit_clauses(rules: Rules) -> Iterator[str]:
    if rules.stock == 4:
        yield text.FOUR_PILES
    if rules.stack_equal:
        yield text.STACK_EQUAL
    if rules.turn == "manual":
        yield text.TURN_BY_HAND
    yield text.SLAP_RULE if rules.slap == "race" else text.CHOICE_RULE
    if rules.score == "points":
        yield text.low_wins_at(rules.points_target)
        return
    yield text.NO_CARDS_RULE
    if has_caps_of_its_own(rules):
        yield text.at_most(rules.cap_rounds, rules.cap_minutes)


def has_caps_of_its_own(rules: Rules) -> bool:
    """Whether a match is capped, and not as it usually is (RULES.md 38)."""
    caps = (rules.cap_rounds, rules.cap_minutes)
    return any(caps) and caps != (ARCADE.cap_rounds, ARCADE.cap_minutes)


def _speed_clauses(rules: Rules) -> Iterator[str]:
    yield text.cards_each(rules.deal)
    if rules.draw == "manual":
        yield text.DRAW_BY_HAND
    if rules.hands == "hidden":
        yield text.HIDDEN_HANDS
    yield text.SPEED_SCORES[rules.speed_score]
    yield text.points_win(rules.speed_target)


def fitted_lines(
    parts: tuple[str, ...], sizes: tuple[int, ...], most: int, fits: Callable[[str, int], bool]
) -> tuple[int, tuple[str, ...]]:
    """The first of the type sizes with which the clauses take at most so many lines, else the last; the lines.

    `fits` says whether a line fits at a type size.
    """
    found: tuple[str, ...] = ()
    for px in sizes:
        found = lines(parts, lambda line, px=px: fits(line, px))  # type: ignore[misc]
        if len(found) <= most:
            return px, found
    return sizes[-1], found


def lines(parts: tuple[str, ...], fits: Callable[[str], bool]) -> tuple[str, ...]:
    """The clauses in as few lines as they fit into, broken only between them."""
    found: list[str] = []
    for part in parts:
        longer = f"{found[-1]}{DOT}{part}" if found else part
        if found and fits(longer):
            found[-1] = longer
        else:
            found.append(part)
    return tuple(found)
