"""The contests that were kept, on the terminal: for an owner who is asked who was first."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from cabinet.contest_file import ContestError, KeptContest, read
from cabinet.line_names import line_name
from cabinet.replay.words import contest_in_words

NONE_KEPT: Final = "No contests are kept yet: they are, as soon as two players race for one thing."


def run(path: Path, last: int, *, as_json: bool) -> None:
    """Prints the last contests, the newest at the end; the end of the program when they cannot be read."""
    try:
        contests, troubles = read(path)
    except ContestError as error:
        sys.exit(str(error))
    for trouble in troubles:
        click.echo(trouble, err=True)
    chosen = contests[-last:]
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(chosen), indent=2))
        return
    for contest in chosen:
        click.echo(in_words(contest))
    if not chosen:
        click.echo(NONE_KEPT)


def in_words(contest: KeptContest) -> str:
    """One line."""
    at = contest.at.astimezone()
    return f"{at:%Y-%m-%d %H:%M:%S}  {contest.game}: {contest_in_words(contest.contended, line_name)}"
