"""Every option of RULES.md as one value, and the profiles `arcade` and `table` (RULES.md 54)."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Annotated, Any, Final, Literal

import msgspec

from cabinet.engine.cards import Fits, fitting_cards

Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=3_600_000)]
"""Whole milliseconds of match time, at most an hour; 0 switches the limit off."""

# msgspec 0.23 reads stray memory for a tuple of fixed length beside a bounded number, so this one has bounds.
MillisecondRange = Annotated[tuple[Milliseconds, ...], msgspec.Meta(min_length=2, max_length=2)]
"""The lowest and the highest of a range."""

MICROSECOND_NS: Final = 1_000
MILLISECOND_NS: Final = 1_000_000
MINUTE_NS: Final = 60_000 * MILLISECOND_NS


class RulesError(ValueError):
    """An option that does not exist or has a value that is not allowed; the text names it."""


GameKind = Literal["spit", "speed"]
"""The two games of RULES.md; every other is one of these with options."""


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """Every option of both games; those of the other game do nothing (CLARIFICATIONS.md C28).

    The defaults are the profile `arcade`.
    """

    # What may be played where
    stock: Literal[5, 4] = 5
    """How many stock piles each player has (RULES.md 2, 39)."""
    colours: Literal["any", "alternate"] = "any"
    """Whether a play must also change the colour (RULES.md 7, 40)."""
    pairs: bool = False
    """Whether equal ranks may be played on each other (RULES.md 42)."""
    stack_equal: bool = False
    """Whether a top may go onto an own top of equal rank (RULES.md 42)."""
    turn: Literal["auto", "manual"] = "auto"
    """Whether an uncovered card turns by itself (RULES.md 8)."""

    # The end of a round and of the match
    slap: Literal["race", "winner"] = "race"
    """Whether both slap for a pile, or one player chooses (RULES.md 22, 28)."""
    score: Literal["cards", "points"] = "cards"
    """Whether the cards won are played on with, or counted in rounds dealt afresh (RULES.md 41)."""
    points_target: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 100
    """Points at which a series ends (RULES.md 41)."""
    cap_rounds: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = 7
    """Rounds after which fewer cards win; 0: no cap (RULES.md 38)."""
    cap_minutes: Annotated[int, msgspec.Meta(ge=0, le=1_440)] = 8
    """Minutes after which the round in play is the last; 0: no cap (RULES.md 38)."""

    # Speed
    deal: Literal[15, 20] = 15
    """Cards dealt to each player in Speed (RULES.md 43)."""
    draw: Literal["auto", "manual"] = "auto"
    """Whether a played card is replaced by itself in Speed (RULES.md 45)."""
    speed_score: Literal["all", "stock"] = "all"
    """What counts in Speed: all cards left with the loser, or those of the draw pile (RULES.md 51)."""
    speed_target: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 25
    """Points that win a match of Speed (RULES.md 51)."""
    hands: Literal["open", "hidden"] = "open"
    """Whether a shared screen shows the hands of Speed; hidden needs a screen for each seat (RULES.md 52)."""

    # The machine's clock
    min_action_ms: Milliseconds = 50
    """Least time between two accepted actions of one player (RULES.md 14)."""
    deal_beat_ms: Milliseconds = 1_800
    """From both being ready to the first cards turning (RULES.md 4)."""
    spit_beat_ms: Milliseconds = 600
    """From the second call to the cards turning (RULES.md 16)."""
    spit_wait_ms: Milliseconds = 3_000
    """From the first call to the machine calling for the other player (RULES.md 16, 18)."""
    spit_auto_ms: Milliseconds = 4_000
    """From the announcement to the machine calling for both (RULES.md 16)."""
    hint_ms: Milliseconds = 5_000
    """Time without progress after which a hint is shown (RULES.md 20)."""
    force_ms: Milliseconds = 12_000
    """Time without progress after which the machine plays (RULES.md 20)."""
    slap_delay_ms: Milliseconds | MillisecondRange = (900, 1_500)
    """From the round's end to the race's opening, drawn between the two (RULES.md 24)."""
    slap_grace_ms: Milliseconds = 500
    """Time after the round's end in which an early slap costs nothing (RULES.md 24)."""
    slap_lockout_ms: Milliseconds = 400
    """How long after the opening a false start may not slap (RULES.md 24)."""
    slap_timeout_ms: Milliseconds = 5_000
    """From the opening to the machine sharing out the piles (RULES.md 27)."""
    miss_lockout_ms: Milliseconds = 500
    """How long the first miss locks the stock buttons (RULES.md 53)."""
    miss_lockout_max_ms: Milliseconds = 4_000
    """The longest lock that further misses lead to (RULES.md 53)."""
    grace_ms: Milliseconds = 400
    """How long a card just covered excuses a press that was meant for it (RULES.md 53)."""

    def __post_init__(self) -> None:
        low, high = self.slap_delay_range_ms
        if low > high:
            raise ValueError(f"slap_delay_ms: {low} is above {high}")

    @property
    def slap_delay_range_ms(self) -> tuple[int, int]:
        """The shortest and the longest delay of the slap race, in milliseconds (RULES.md 24)."""
        delay = self.slap_delay_ms
        return (delay[0], delay[1]) if isinstance(delay, tuple) else (delay, delay)

    @cached_property
    def fits(self) -> Fits:
        """For each card as a pile's top: the cards that may be played on it."""
        return _fits(self.colours == "alternate", self.pairs)


class Rules(Options, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """What is played: which game, and every option."""

    game: GameKind = "spit"


def rules_of(game: GameKind, options: Options) -> Rules:
    """The game with these options."""
    return Rules(**{**msgspec.structs.asdict(options), "game": game})


@cache
def _fits(alternate_colours: bool, pairs: bool) -> Fits:
    return fitting_cards(alternate_colours=alternate_colours, pairs=pairs)


Profile = Literal["arcade", "table"]

PROFILES: Final[dict[str, Options]] = {
    "arcade": Options(),
    "table": Options(
        min_action_ms=0,
        hint_ms=0,
        force_ms=0,
        deal_beat_ms=0,
        spit_beat_ms=0,
        slap_delay_ms=0,
        slap_grace_ms=0,
        slap_lockout_ms=0,
        miss_lockout_ms=0,
        miss_lockout_max_ms=0,
        cap_rounds=0,
        cap_minutes=0,
    ),
}
"""The two option sets: what a cabinet plays, and no delays or penalties of a machine (RULES.md 54)."""

ARCADE: Final = rules_of("spit", PROFILES["arcade"])
"""Spit as a cabinet plays it."""
TABLE: Final = rules_of("spit", PROFILES["table"])
"""Spit as it is played at a table."""


def rules_from_options(game: GameKind, profile: str, options: dict[str, Any]) -> Rules:
    """The game with the profile's options and single ones replaced.

    Raises RulesError, naming the profile or option, when one does not exist or its value is not allowed.
    """
    if profile not in PROFILES:
        raise RulesError(f"profile: {profile!r} is unknown; allowed: {', '.join(PROFILES)}")
    base = msgspec.to_builtins(PROFILES[profile])
    try:
        return rules_of(game, msgspec.convert({**base, **options}, Options))
    except msgspec.ValidationError as error:
        raise RulesError(f"rules: {error}") from error
