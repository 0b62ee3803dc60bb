"""What a cabinet showed of its matches is shown again from their record: signs, happenings, photo finishes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from cabinet import cli, record
from cabinet.buttons.edges import SourceStatus
from cabinet.engine.games import game_named
from cabinet.engine.rules import Options
from cabinet.engine.table import SEATS
from cabinet.flow import FlowSettings
from cabinet.game import GameSettings
from cabinet.panel import BUTTONS, START, line_of, taps_for
from cabinet.players.tactics import sensible_actions
from cabinet.replay.command import ReplayOptions, Tally
from cabinet.replay.reel import Reel
from cabinet.snapshot import Snapshot
from cabinet.virtual import VirtualCabinet
from tests.contacts import MS, US, fingers_for, move
from tests.desk import without_screen

ROOT: Final = Path(__file__).parents[2]
S: Final = 1_000 * MS
SHORT: Final = Options(cap_rounds=2, speed_target=10)
LONGEST_NS: Final = 400 * S
FRAME_NS: Final = 50 * MS


class Told:
    """What snapshots told of their matches, in match time and without their numbers."""

    def __init__(self) -> None:
        self.match = 0
        self.signs: dict[int, Any] = {}
        self.happenings: dict[int, Any] = {}
        self.photos: dict[int, Any] = {}
        self.views: list[Any] = []
        self._scene = ""

    def see(self, snapshot: Snapshot) -> None:
        """The next snapshot; outside a match nothing is told of one."""
        self._scene, before = snapshot.scene, self._scene
        if snapshot.scene not in ("match", "result") or snapshot.view is None:
            return
        self.match += snapshot.scene == "match" and before != "match"
        offset_ns = snapshot.match_offset_ns
        for sign in snapshot.signs:
            what = (
                self.match,
                sign.line,
                sign.kind,
                sign.reason,
                sign.behind_ns,
                sign.pile,
            )
            self.signs.setdefault(sign.number, (*what, sign.at_ns - offset_ns))
        for one in snapshot.happenings:
            self.happenings.setdefault(one.number, (self.match, one.at_ns - offset_ns, one.event))
        photo = snapshot.photo
        if photo is not None:
            errors = (photo.a_err_ns, photo.b_err_ns, photo.decided_by)
            self.photos.setdefault(
                photo.number, (self.match, photo.at_ns - offset_ns, photo.first, photo.margin_ns, errors)
            )
        view = snapshot.view
        table = (self.match, view.phase, view.a.stock, view.b.stock, view.left, view.right, view.token)
        if self.views[-1:] != [table]:
            self.views.append(table)


class Evening:
    """A cabinet at which a Random presses buttons until a match is over, and then plays again."""

    def __init__(self, game: str, seed: int, *, against_robot: bool) -> None:
        self._rng = Random(seed)
        self._seats = SEATS[:1] if against_robot else SEATS
        settings = GameSettings(games=(game_named(game, SHORT),), flow=FlowSettings(ready_s=1, away_s=3_600))
        self.lines: list[record.RecordLine] = []
        self.told = Told()
        self.cabinet = VirtualCabinet(settings, Random(seed), keep=self.lines.append)
        self.cabinet.on_snapshot = self.told.see

    @property
    def now_ns(self) -> int:
        return self.cabinet.clock.now_ns

    def wait(self, time_ns: int) -> None:
        self.cabinet.run_until(self.now_ns + time_ns)

    def play(self, matches: int) -> None:
        self.wait(S)
        while self._ended() < matches:
            assert self.now_ns < LONGEST_NS * matches, "the match does not end"
            self._act(self.cabinet.game.latest)
        self._press_late()
        self.cabinet.close()

    def _ended(self) -> int:
        return sum(isinstance(line, record.Ended) for line in self.lines)

    def _act(self, snapshot: Snapshot) -> None:
        if snapshot.scene != "match" or snapshot.view is None:
            for seat in self._seats:
                self._tap(line_of(seat, START), self.now_ns + MS)
                self.wait(1_100 * MS)
            return
        if self._rng.random() < 0.03:
            self._lose_the_source()
        at_ns = self.now_ns + 5 * MS
        for seat in self._seats:
            actions = sensible_actions(snapshot.view, seat)
            if actions and self._rng.random() < 0.9:
                for finger in fingers_for(taps_for(actions[0], seat, snapshot.view), seat, at_ns):
                    move(self.cabinet.board, finger.line, finger.at_ns, "clean")
            else:
                self._tap(line_of(seat, self._rng.choice(BUTTONS[:6])), at_ns)
            at_ns += self._rng.choice((0, 90 * US, 2 * MS, 150 * MS))
        self.wait(self._rng.choice((400, 700, 1_500)) * MS)

    def _press_late(self) -> None:
        for seat in self._seats:
            self._tap(line_of(seat, "1"), self.now_ns + 20 * MS)
        self.wait(S)

    def _tap(self, line: str, at_ns: int) -> None:
        move(self.cabinet.board, line, at_ns, "clean")

    def _lose_the_source(self) -> None:
        """Its plug is out for a while: a pause."""
        source = self.cabinet.source
        status = source.status

        def lost(now_ns: int) -> SourceStatus:
            return replace(status(now_ns), is_live=False, trouble="The plug is out: put it back.")

        source.status = lost  # type: ignore[method-assign]
        self.wait(self._rng.randrange(200 * MS, 3 * S))
        source.status = status  # type: ignore[method-assign]
        self.wait(3_200 * MS)


class Presses:
    """Those that were judged in a match: of which, which button and when. START in the lobby is in no record."""

    def __init__(self, lines: list[record.RecordLine]) -> None:
        self._known: set[tuple[int, str, int]] = set()
        match = 0
        for line in lines:
            match += isinstance(line, record.Began)
            if isinstance(line, record.Pressed):
                stamp_ns = line.at_ns if line.stamp_ns is None else line.stamp_ns
                self._known.add((match, line.button, stamp_ns))

    def __contains__(self, sign: tuple[Any, ...]) -> bool:
        return (sign[0], sign[1], sign[-1]) in self._known


@pytest.fixture(scope="module", params=["spit", "speed", "choice", "two_colours"])
def evening(request: pytest.FixtureRequest) -> Evening:
    played = Evening(request.param, 5, against_robot=request.param in ("speed", "two_colours"))
    played.play(2)
    return played


@pytest.fixture
def path(evening: Evening, tmp_path: Path) -> Path:
    path = tmp_path / "matches.jsonl"
    path.write_bytes(record.as_bytes(evening.lines))
    return path


def test_every_state_comes_out_as_recorded(evening: Evening, path: Path) -> None:
    states = sum(isinstance(line, record.State) for line in evening.lines)
    result = CliRunner().invoke(cli.commands, ["replay", "--check", str(path)])
    assert (result.exit_code, result.output) == (0, f"2 matches, {states} states, all equal\n")
    assert states > 60


def test_what_was_shown_is_shown_again(evening: Evening, path: Path) -> None:
    reel = Reel(Tally(ReplayOptions(path=path)).steps())
    told = Told()
    now_ns = 0
    while not reel.is_over(now_ns):
        now_ns += FRAME_NS
        told.see(reel.run_until(now_ns))
    shown = evening.told
    in_play = Presses(evening.lines)
    assert len(told.signs) > 40
    assert list(told.signs.values()) == [sign for sign in shown.signs.values() if sign in in_play]
    assert list(told.happenings.values()) == list(shown.happenings.values())
    assert shown.photos
    assert list(told.photos.values()) == list(shown.photos.values())
    assert {repr(view) for view in told.views} <= {repr(view) for view in shown.views}
    assert told.views[-1] == shown.views[-1]


def replay_in_window(path: Path, driver: str) -> subprocess.CompletedProcess[str]:
    environment = {**without_screen(), "SDL_VIDEODRIVER": driver}
    command = [sys.executable, "-m", "cabinet", "replay", str(path), "--speed", "1000"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_window_shows_all_matches_and_ends_by_itself(path: Path) -> None:
    done = replay_in_window(path, "dummy")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_window_ends_where_the_replay_comes_to_something_else(path: Path) -> None:
    lines = list(record.read(path))
    states = [number for number, line in enumerate(lines) if isinstance(line, record.State)]
    lines[states[20]] = record.State(0, "0" * 16)
    path.write_bytes(record.as_bytes(lines))
    done = replay_in_window(path, "dummy")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path}: match 1, line {states[20] + 2}: state ")
    assert done.stderr.count("\n") == 1


def test_without_a_screen_text_is_advised(path: Path) -> None:
    done = replay_in_window(path, "holograph")
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith("no screen: holograph")
    assert line.endswith("; add --text")
