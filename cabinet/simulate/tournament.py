"""Every strength against the others, and a masher against the weakest, in one game after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec
from rich.table import Table

from cabinet.engine.games import Game
from cabinet.simulate.batch import Batch, play_batch
from cabinet.simulate.figures import Figures, share
from cabinet.simulate.play import PlayerKind

PAIRS: Final[tuple[tuple[PlayerKind, PlayerKind], ...]] = (
    ("quick", "steady"),
    ("steady", "gentle"),
    ("quick", "gentle"),
    ("masher", "gentle"),
)
"""Who plays whom. The two change seats from match to match."""

MATCHES: Final = {"spit": 1_000, "speed": 1_000}
"""Matches of each pair, of these games."""
MATCHES_OF_OTHERS: Final = 200


class PairReport(msgspec.Struct, frozen=True, kw_only=True):
    """How one pair did in one game; shares are percentages of the first of the two."""

    game: str
    first: PlayerKind
    second: PlayerKind
    matches: int
    matches_won_share: float
    rounds_won_share: float | None
    """Of the rounds in which somebody was out first."""
    rounds: int


def matches_of(game: Game, wanted: int | None) -> int:
    """How many matches each pair plays: as many as wanted, or else by the game."""
    return MATCHES.get(game.name, MATCHES_OF_OTHERS) if wanted is None else wanted


def play_tournament(
    games: Sequence[Game], matches: int | None, seed: int, workers: int, tell: Callable[[int], None]
) -> Iterator[PairReport]:
    """Plays it, one pair after another; `tell` is told how many more matches are played.

    Raises what `play_batch` raises.
    """
    for game in games:
        for first, second in PAIRS:
            batch = Batch(
                rules=game.rules,
                a=first,
                b=second,
                matches=matches_of(game, matches),
                seed=seed,
                takes_turns=True,
            )
            yield _pair_report(game, batch, play_batch(batch, workers, tell))


def _pair_report(game: Game, batch: Batch, figures: Figures) -> PairReport:
    rounds_won = figures.a.rounds_won + figures.b.rounds_won
    return PairReport(
        game=game.name,
        first=batch.a,
        second=batch.b,
        matches=figures.matches,
        matches_won_share=100 * figures.a.wins / figures.matches,
        rounds_won_share=share(figures.a.rounds_won, rounds_won),
        rounds=figures.rounds,
    )


def as_table(reports: Sequence[PairReport], seed: int) -> Table:
    """All pairs, a game a line: the share of matches, and of a masher also that of rounds."""
    table = Table(title=f"Matches won by the first of two, seed {seed}")
    table.add_column("game")
    for first, second in PAIRS:
        table.add_column(f"{first} – {second}", justify="right")
    table.add_column("rounds won by the masher", justify="right")
    table.add_column("matches of each pair", justify="right")
    for game in dict.fromkeys(report.game for report in reports):
        pairs = [report for report in reports if report.game == game]
        rounds = pairs[-1].rounds_won_share
        table.add_row(
            game,
            *(f"{pair.matches_won_share:.1f} %" for pair in pairs),
            "–" if rounds is None else f"{rounds:.1f} %",
            f"{pairs[0].matches:,}",
        )
    return table
