"""The command line: parses, calls the rooms, and turns what they raise into one line and an exit status."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NoReturn

import click
import msgspec

from cabinet import config, logs
from cabinet.engine.games import Game
from cabinet.games import UnknownGameError

EXIT_FAILED: Final = 1
EXIT_NO_SCREEN: Final = 3

PROGRAM: Final = config.PROGRAM

PLAYERS: Final = ("gentle", "steady", "quick", "masher")
"""Who can play in a simulation: the robots' strengths, or somebody who hits buttons at random."""

SOURCES: Final = ("auto", "gpio-chip", "gpio-zero", "encoder", "bridge", "simulated-bridge", "keyboard")

DEMO_SOURCES: Final = ("mock-pins", "simulated-bridge")

SettingsPath = click.Path(dir_okay=False, path_type=Path)


def main() -> None:
    """Runs the command line; what nobody foresaw is one line on the terminal and a trace in the log."""
    log_file = logs.set_up(config.state_dir())
    try:
        commands.main(prog_name=PROGRAM)
    except Exception as error:  # noqa: BLE001 - the top of the program
        logs.log_unforeseen(error)
        where = f"; the trace is in {log_file}" if log_file else ""
        click.echo(f"{PROGRAM}: something went wrong: {type(error).__name__}: {error}{where}", err=True)
        sys.exit(EXIT_FAILED)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name=PROGRAM)
def commands() -> None:
    """A two-player button cabinet for the card game Spit."""


def _fail(text: str) -> NoReturn:
    click.echo(text, err=True)
    sys.exit(EXIT_FAILED)


# Playing


@commands.command()
@click.option("--source", type=click.Choice(SOURCES), default="auto", show_default=True)
@click.option("--settings", "path", type=SettingsPath, help="The settings file, if not the usual one.")
@click.option("--window/--fullscreen", "window", default=None, help="In a window, or filling the screen.")
@click.option("--headless", is_flag=True, help="Without a screen, on wired buttons only.")
@click.option(
    "--record", "record_path", type=SettingsPath, help="Keep the matches in this file, after those in it."
)
def run(source: Any, path: Path | None, window: bool | None, headless: bool, record_path: Path | None) -> None:
    """Start the cabinet. It finds its buttons: bridges, else encoders, else GPIO lines, else the keyboard."""
    from cabinet import contest_file, service

    settings, troubles = _settings_or_last_good(path)
    if window is not None:
        settings = msgspec.structs.replace(
            settings, display=msgspec.structs.replace(settings.display, fullscreen=not window)
        )
    options = service.RunOptions(
        source=source,
        headless=headless,
        record=record_path,
        contests=config.state_dir() / contest_file.FILE_NAME,
        troubles=service.for_screen(troubles),
    )
    sys.exit(service.run(settings, options))


@commands.command()
@click.option("--game", "name", help="What is played, by its name in the settings, if not their default.")
@click.option("--settings", "path", type=SettingsPath, help="The settings file, if not the usual one.")
@click.option("--headless", is_flag=True, help="Without a window.")
@click.option("--matches", type=click.IntRange(1), default=1, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed plays the same matches.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), help="Times life; without a window as fast as it goes.")
@click.option(
    "--record", "record_path", type=SettingsPath, help="Keep the matches in this file, after those in it."
)
@click.option("--picture", type=SettingsPath, help="Write a picture of the table at the end.")
@click.option("--source", type=click.Choice(DEMO_SOURCES), default="mock-pins", show_default=True)
def demo(name: str | None, path: Path | None, **options: Any) -> None:
    """Let two robots play through the whole input path, on pins or a microcontroller that are made up."""
    from cabinet import show

    settings, _ = _settings_or_last_good(path)
    game = _game(settings, name)
    sys.exit(show.run(show.ShowOptions(game=game, robot=settings.robot, **options)))


@commands.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--match", type=click.IntRange(1), help="Only this match of the file, counted from 1.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), help="Times life; text is else as fast as it goes.")
@click.option("--text", is_flag=True, help="Say each press and event, rather than show the table.")
@click.option("--check", is_flag=True, help="Show nothing, but see whether every state comes out as recorded.")
@click.option("--record", "to", type=SettingsPath, help="Of FILE.edges: write the matches that they lead to here.")
def replay(path: Path, check: bool, text: bool, to: Path | None, **options: Any) -> None:
    """Play the matches that --record has kept in FILE once more.

    FILE.edges beside it has the raw edges of every press: they go through the whole input path again, and are told
    press by press, or with --check compared with the matches in FILE.
    """
    from cabinet.kept_edges import reading
    from cabinet.replay import command

    if check and (text or options["speed"] is not None):
        raise click.UsageError("--check shows nothing: leave out --text and --speed")
    is_paced = any(value is not None for value in options.values())
    if reading.is_of_edges(path):
        if is_paced:
            raise click.UsageError(
                "--match and --speed are for matches: replay the record that lies beside the edges"
            )
        _replay_edges(path, check=check, text=text, to=to)
    if to is not None:
        raise click.UsageError("--record is for edges: replay the file of edges that lies beside the record")
    wanted = command.ReplayOptions(path=path, **options)
    if check or text:
        sys.exit(command.run(wanted, command.check if check else command.show_as_text))
    from cabinet.replay.window import NoScreen, show_in_window

    try:
        sys.exit(command.run(wanted, show_in_window))
    except NoScreen as error:
        click.echo(f"{error}; add --text", err=True)
        sys.exit(EXIT_NO_SCREEN)


def _replay_edges(path: Path, *, check: bool, text: bool, to: Path | None) -> NoReturn:
    from cabinet.replay import edges_command

    if to is not None and (check or text):
        raise click.UsageError("--record only writes: leave out --check and --text")
    if to is not None:
        sys.exit(edges_command.write(path, to))
    sys.exit(edges_command.check(path) if check else edges_command.tell(path))


@commands.command()
@click.option(
    "--last", type=click.IntRange(1), default=20, show_default=True, help="How many, the newest at the end."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def contests(last: int, as_json: bool) -> None:
    """Say who was first in the last races, by how much, and how each was decided."""
    from cabinet import contest_file, contests_command

    contests_command.run(config.state_dir() / contest_file.FILE_NAME, last, as_json=as_json)


@commands.command()
@click.option("--source", type=click.Choice(SOURCES), default="auto", show_default=True)
@click.option("--settings", "path", type=SettingsPath, help="The settings file, if not the usual one.")
@click.option("--learn", is_flag=True, help="Ask for each button on an encoder, and write them into the settings.")
@click.option("--fairness", is_flag=True, help="See whether a seat is favoured, with both wired to one contact.")
def buttons(source: Any, path: Path | None, learn: bool, fairness: bool) -> None:
    """Test the buttons: level, presses, raw edges and longest bounce of each, live."""
    if learn and fairness:
        raise click.UsageError("--learn and --fairness are two things: one after the other")
    if learn:
        from cabinet import learn_command

        sys.exit(learn_command.run(path or config.default_path()))
    if fairness:
        from cabinet import fairness_command

        sys.exit(fairness_command.run(_settings(path), source))
    from cabinet import switch_test

    sys.exit(switch_test.run(_settings(path), source))


def _settings_or_last_good(path: Path | None) -> tuple[config.Settings, tuple[str, ...]]:
    """What a cabinet starts on, and the lines about it, which are said here, too."""
    settings, troubles = config.load_or_last_good(path, config.state_dir())
    for line in (*troubles, *settings.notes()):
        click.echo(line, err=True)
    return settings, troubles


def _game(settings: config.Settings, name: str | None) -> Game:
    """The game of that name; without one the settings' default."""
    if name is None:
        return settings.playable()[settings.default_game]
    try:
        return config.game_by_name(settings, name)
    except UnknownGameError as error:
        _fail(f"--game: {error}")


def _settings(path: Path | None) -> config.Settings:
    try:
        return config.load(path)
    except config.SettingsError as error:
        _fail(str(error))


# Judging and measuring


@commands.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Compare each result with what the scenario expects.")
def referee(files: tuple[Path, ...], check: bool) -> None:
    """Judge rule scenarios, one JSON object a line, from FILES or the standard input."""
    from cabinet.referee import check_lines, result_of_line

    lines = _lines_of(files)
    if not check:
        for line in lines:
            if line.strip():
                click.echo(json.dumps(result_of_line(line), ensure_ascii=True, allow_nan=False))
        return
    verdict = check_lines(lines)
    for failure in verdict.failures:
        click.echo(str(failure))
    click.echo(f"{verdict.passed} passed, {len(verdict.failures)} failed")
    sys.exit(EXIT_FAILED if verdict.failures else 0)


def _lines_of(files: tuple[Path, ...]) -> Iterable[bytes]:
    """As bytes: a line that is not UTF-8 is the referee's to answer."""
    if not files:
        yield from sys.stdin.buffer
    for path in files:
        with path.open("rb") as file:
            yield from file


class _OneLine(click.Command):
    """A command that tells what is wrong with its options in one line."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Reads the options."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            group = f"{parent.command.name} " if parent is not None and parent.parent is not None else ""
            _fail(f"{PROGRAM} {group}{self.name}: {error.format_message()}")


@commands.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@click.pass_context
def bench(context: click.Context, as_json: bool) -> None:
    """Measure this machine against the figures of HOUSE.md, or what COMMAND names."""
    if context.invoked_subcommand is not None:
        return
    from cabinet.bench import report

    report.run(as_json=as_json)


@bench.command(cls=_OneLine)
@click.option(
    "--races", type=click.IntRange(1, 10_000_000), default=20_000, show_default=True, help="In virtual time."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed draws the same races.")
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@click.option("--picture", type=SettingsPath, help="Also draw what was found into this file.")
@click.pass_context
def fairness(context: click.Context, races: int, seed: int, as_json: bool, picture: Path | None) -> None:
    """Race this cabinet's way of reading buttons against the usual ones: who closed the contact first?"""
    from cabinet.bench.fairness import report

    as_json = as_json or bool(context.parent is not None and context.parent.params["as_json"])
    report.run(races=races, seed=seed, as_json=as_json, picture=picture)


@commands.command(cls=_OneLine)
@click.option(
    "--game", "name", help="Which game; not given: the settings' default, in a tournament every built-in."
)
@click.option("--matches", type=click.IntRange(1, 1_000_000), help="How many, in a tournament of each pair.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same figures.")
@click.option("--a", type=click.Choice(PLAYERS), help="Who plays at the left; not given: steady.")
@click.option("--b", type=click.Choice(PLAYERS), help="Who plays at the right; not given: steady.")
@click.option("--tournament", is_flag=True, help="Every strength against the others, a masher against gentle.")
@click.option("--settings", "path", type=SettingsPath, help="The settings file, if not the usual one.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; not given: one for each core.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def simulate(name: str | None, a: Any, b: Any, tournament: bool, path: Path | None, **wanted: Any) -> None:
    """Play many matches of robots at full speed, and print their figures."""
    from cabinet.engine.games import CATALOGUE
    from cabinet.simulate import command

    if tournament and (a or b):
        _fail("--tournament lets every strength play; leave out --a and --b")
    settings = _settings(path)
    if tournament:
        games = [_game(settings, one) for one in ((name,) if name is not None else CATALOGUE)]
        command.hold_tournament(games, command.Wanted(**wanted))
    else:
        command.simulate(_game(settings, name), (a or "steady", b or "steady"), command.Wanted(**wanted))


# Microcontrollers


@commands.group()
def bridge() -> None:
    """Microcontrollers that stamp the buttons."""


@bridge.command("install")
@click.option("--port", help="The board's serial port, if there are several or it is not found.")
@click.option(
    "--pins", type=SettingsPath, help="Which GPIO is which button; not given: the board's, or the usual."
)
def install_bridge(port: str | None, pins: Path | None) -> None:
    """Copy the firmware to a Raspberry Pi Pico or Pico 2 that runs MicroPython."""
    from firmware_bridge import install

    try:
        install.install(port, pins, click.echo)
    except install.InstallError as error:
        _fail(str(error))


# Settings


@commands.group()
def settings() -> None:
    """Check the settings file, or print a sample."""


@settings.command()
@click.argument("path", required=False, type=SettingsPath)
def check(path: Path | None) -> None:
    """Read the settings in PATH, or the usual file, and say what is wrong."""
    settings = _settings(path)
    click.echo(f"{path or config.default_path()}: good" if path or config.default_path().exists() else NO_FILE)
    for line in settings.notes():
        click.echo(line)


NO_FILE: Final = "There is no settings file; the defaults are used."


@settings.command()
def sample() -> None:
    """Print a settings file with every key, its default and what it means."""
    click.echo(config.sample(), nl=False)
