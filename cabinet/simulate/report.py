"""The figures of one batch as a table for people and as values for programs."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.table import Table

from cabinet.engine.games import Game
from cabinet.engine.rules import MINUTE_NS
from cabinet.engine.table import SEATS
from cabinet.simulate.batch import Batch
from cabinet.simulate.figures import Figures, SeatFigures, chance_range, percentile, share


class SeatReport(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of one player. Shares are percentages; None: there was nothing to share."""

    plays: str
    """A robot's strength, or masher."""
    wins: int
    rounds_won_share: float | None
    """Of the rounds in which somebody was out first."""
    smaller_pile_share: float | None
    """Of the rounds that shared out a smaller and a bigger pile."""
    presses: int
    refusals: int
    misses: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of a batch."""

    game: str
    seed: int
    matches: int
    a: SeatReport
    b: SeatReport
    even_from: int
    """The fewest wins that chance leaves one of two even players, all but once in 10,000 times."""
    even_to: int
    rounds: int
    rounds_per_match: float
    spits_per_round: float
    """Times that cards turned, or slid, because neither could go on."""
    deadlocks: int
    single_rounds: int
    ended_by_cap_share: float
    dead_positions: int
    refills: int
    minutes_median: float
    """How long a match lasts in its own time: as it would at the cabinet."""
    minutes_90: float
    """How long nine of ten matches last at most."""
    seconds: float
    """How long the computer took."""
    matches_per_s: float


def report_of(game: Game, batch: Batch, figures: Figures, seconds: float) -> Report:
    """What is told of a batch that took the computer so long."""
    even_from, even_to = chance_range(figures.matches)
    return Report(
        game=game.name,
        seed=batch.seed,
        matches=figures.matches,
        a=_seat_report(batch.a, figures.a, figures.b),
        b=_seat_report(batch.b, figures.b, figures.a),
        even_from=even_from,
        even_to=even_to,
        rounds=figures.rounds,
        rounds_per_match=round(figures.rounds / figures.matches, 2),
        spits_per_round=round(figures.spits / figures.rounds, 2),
        deadlocks=figures.deadlocks,
        single_rounds=figures.single_rounds,
        ended_by_cap_share=round(100 * figures.ended_by_cap / figures.matches, 1),
        dead_positions=figures.redraws,
        refills=figures.refills,
        minutes_median=_minutes(percentile(figures.lengths_ns, 50)),
        minutes_90=_minutes(percentile(figures.lengths_ns, 90)),
        seconds=round(seconds, 2),
        matches_per_s=round(figures.matches / seconds, 1),
    )


def _seat_report(plays: str, own: SeatFigures, other: SeatFigures) -> SeatReport:
    return SeatReport(
        plays=plays,
        wins=own.wins,
        rounds_won_share=share(own.rounds_won, own.rounds_won + other.rounds_won),
        smaller_pile_share=share(own.smaller_piles, own.smaller_piles + other.smaller_piles),
        presses=own.presses,
        refusals=own.refusals,
        misses=own.misses,
    )


def _minutes(time_ns: int) -> float:
    return round(time_ns / MINUTE_NS, 2)


def as_table(report: Report, game: Game) -> Table:
    """A report for people; what the game does not have is left out."""
    table = Table(
        title=f"{report.game}: {report.matches:,} matches, seed {report.seed}",
        caption=f"{report.matches_per_s:,.1f} matches a second",
    )
    table.add_column("")
    for seat in SEATS:
        table.add_column(f"{seat}: {getattr(report, seat).plays}", justify="right")
    for name, a, b in _seat_rows(report, game):
        table.add_row(name, a, b)
    table.add_section()
    for name, value in _match_rows(report, game):
        table.add_row(name, value)
    return table


def _seat_rows(report: Report, game: Game) -> Iterator[tuple[str, str, str]]:
    a, b = report.a, report.b
    yield f"matches won (even: {report.even_from:,} to {report.even_to:,})", f"{a.wins:,}", f"{b.wins:,}"
    yield "rounds won", _per_cent(a.rounds_won_share), _per_cent(b.rounds_won_share)
    if game.rules.game == "spit":
        name = "smaller pile chosen or left" if game.rules.slap == "winner" else "smaller pile slapped or left"
        yield name, _per_cent(a.smaller_pile_share), _per_cent(b.smaller_pile_share)
    yield "presses", f"{a.presses:,}", f"{b.presses:,}"
    yield "refused", f"{a.refusals:,}", f"{b.refusals:,}"
    yield "misses", f"{a.misses:,}", f"{b.misses:,}"


def _match_rows(report: Report, game: Game) -> Iterator[tuple[str, str]]:
    yield "rounds per match", f"{report.rounds_per_match:,.2f}"
    if game.rules.game == "spit":
        yield "spits per round", f"{report.spits_per_round:,.2f}"
        yield "deadlocks", _of(report.deadlocks, report.rounds)
        yield "one-pile rounds", _of(report.single_rounds, report.rounds)
        yield "matches ended by a cap", f"{report.ended_by_cap_share:.1f} %"
    else:
        yield "slides per round", f"{report.spits_per_round:,.2f}"
        yield "dead positions", _of(report.dead_positions, report.rounds)
        yield "refills", _of(report.refills, report.rounds)
    yield "a match lasts, median", f"{report.minutes_median:.1f} min"
    yield "nine of ten last at most", f"{report.minutes_90:.1f} min"


def _of(count: int, rounds: int) -> str:
    return f"{count:,} in {rounds:,} rounds"


def _per_cent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} %"
