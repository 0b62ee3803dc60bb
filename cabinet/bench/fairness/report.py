"""Runs the races, and prints what was found: as tables, as JSON, as a picture."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from cabinet.bench.fairness import live, virtual, ways
from cabinet.bench.fairness.picture import write_picture
from cabinet.bench.fairness.result import (
    Fairness,
    Verdict,
    live_races,
    live_verdicts,
    verdicts,
    virtual_verdicts,
)
from cabinet.bench.fairness.tally import DEAD_HEAT, LEADS, LEADS_US, Count
from cabinet.bench.fairness.values import as_values
from cabinet.bench.fairness.ways import BRIDGE
from cabinet.show import PictureError, check_picture


def run(*, races: int, seed: int, as_json: bool, picture: Path | None) -> None:
    """Runs the races and prints what was found; what is being done goes to the standard error.

    Belongs to the main thread. Ends the program with one plain line when the picture cannot be written, which is
    looked at before the races are run, or when a process of its own is killed; with exit status 1 when something
    is not as it must be.
    """
    try:
        if picture is not None:
            check_picture(picture)
        found = measure(races, seed, Console(stderr=True))
    except (PictureError, live.NoAnswerError) as error:
        sys.exit(str(error))
    except BrokenProcessPool:
        sys.exit("One of the processes that run the races was killed; there may be too little memory.")
    _print(found, as_json=as_json)
    if picture is not None:
        try:
            write_picture(found, picture)
        except PictureError as error:
            sys.exit(str(error))
    if unmet := [verdict.name for verdict in verdicts(found) if verdict.is_met is False]:
        sys.exit(f"Not as it must be: {'; '.join(unmet)}.")


def _print(found: Fairness, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(as_values(found), indent=2) + "\n")
    else:
        console = Console()
        for table in as_tables(found):
            console.print(table)


def measure(races: int, seed: int, console: Console) -> Fairness:
    """Runs so many races in virtual time, and some in real time; the console is told what is being done."""
    console.print(f"{races:,} races in virtual time, through {len(ways.PATHS)} paths …")
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("races", total=races)
        tally = virtual.measure(races, seed, tell=lambda more: progress.advance(task, more))
    in_real_time = live_races(races)
    console.print(
        f"{in_real_time:,} races in real time (a tenth, 100 to 2,000), while the busiest picture is drawn …"
    )
    return Fairness(races=races, seed=seed, tally=tally, live=live.measure(in_real_time, seed))


def as_tables(found: Fairness) -> tuple[Table, ...]:
    """What was found, for people."""
    wrong = _by_lead(found, "Races decided for the wrong player, in %", _wrong)
    wrong.caption = (
        "This cabinet: leads within the errors of the stamps (up to ±100 µs each on its own pins, ±1 µs on its "
        "bridge) are dead heats, which the token decides; what is wrong beyond them came later than promised, and "
        "was judged as it came."
    )
    bias = _by_lead(found, "Seat bias: races given to a beyond what a won, in % (−: to b)", _bias)
    counts = (found.tally.of(kind.key, [DEAD_HEAT]) for kind in found.paths)
    bias.add_row("dead heat", *map(_bias, counts))
    return (
        wrong,
        bias,
        _verdicts("This cabinet in virtual time, buttons on its own pins", virtual_verdicts(found)),
        _verdicts("The same races, buttons on a bridge", virtual_verdicts(found, BRIDGE)),
        _verdicts(f"This cabinet in real time, {found.live.races:,} races", live_verdicts(found.live)),
    )


def _wrong(count: Count) -> str:
    return f"{count.wrong_share * 100:.1f}"


def _bias(count: Count) -> str:
    points = round(count.bias * 100, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "0.0"


def _by_lead(found: Fairness, title: str, cell: Callable[[Count], str]) -> Table:
    """A row for each class of leads, and a column for each path."""
    table = Table(title=title, padding=(0, 0, 0, 1))
    table.add_column("won by", justify="right", no_wrap=True)
    for kind in found.paths:
        table.add_column(kind.short, justify="right")
    for lead in LEADS:
        table.add_row(lead_in_words(lead), *(cell(found.tally.of(kind.key, [lead])) for kind in found.paths))
    return table


def lead_in_words(lead: int) -> str:
    """A class of leads: from what to what."""
    return f"{_time(LEADS_US[lead])}–{_time(LEADS_US[lead + 1])}"


def _time(time_us: int) -> str:
    return f"{time_us} µs" if time_us < 1_000 else f"{time_us // 1_000} ms"


def _verdicts(title: str, verdicts: tuple[Verdict, ...]) -> Table:
    table = Table(title=title)
    table.add_column("figure")
    for column in ("found", "wanted"):
        table.add_column(column, justify="right")
    table.add_column("")
    words = {True: "met", False: "[bold red]NOT MET[/]", None: ""}
    for verdict in verdicts:
        table.add_row(verdict.name, verdict.found, verdict.wanted, words[verdict.is_met])
    return table
