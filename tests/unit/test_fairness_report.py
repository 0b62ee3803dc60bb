"""What the races have shown is printed, written and drawn as it is; what is not as wanted is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from rich.console import Console

from cabinet import cli
from cabinet.bench import report as whole_bench
from cabinet.bench.fairness import live, report, virtual, ways
from cabinet.bench.fairness.live import decision
from cabinet.bench.fairness.paths import Claim, Decision
from cabinet.bench.fairness.result import CERTAIN, Fairness, dead_heat_band, live_races, verdicts
from cabinet.bench.fairness.tally import DEAD_HEAT, LEADS, Count, Key, Tally
from cabinet.bench.fairness.values import as_values
from cabinet.buttons.edges import Line
from cabinet.show import PictureError
from tests.fairness_found import FOUND, IN_REAL_TIME
from tests.races import MS, contact, race


def with_count(key: Key, count: Count) -> Fairness:
    return replace(FOUND, tally=replace(FOUND.tally, counts={**FOUND.tally.counts, key: count}))


def live_with_count(key: Key, count: Count) -> Fairness:
    tally = replace(IN_REAL_TIME.tally, counts={**IN_REAL_TIME.tally.counts, key: count})
    return replace(FOUND, live=replace(IN_REAL_TIME, tally=tally))


def printed(found: Fairness) -> str:
    console = Console(record=True, width=110, file=StringIO())
    for table in report.as_tables(found):
        console.print(table)
    return console.export_text()


def row(text: str, name: str) -> list[list[str]]:
    """The cells of each row that begins so."""
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines()]
    return [cells for cells in rows if cells[0] == name]


def test_the_tables_have_every_lead_and_every_path() -> None:
    text = printed(FOUND)
    wrong, bias = row(text, "100 µs–200 µs")
    assert wrong == ["100 µs–200 µs", "0.0", "0.0", "50.0", "50.0", "50.0", "50.0", "50.0"]
    assert bias == ["100 µs–200 µs", "0.0", "0.0", "+4.0", "+4.0", "+4.0", "+4.0", "+4.0"]
    assert len(row(text, "10 ms–20 ms")) == len(row(text, "1 µs–2 µs")) == 2
    assert row(text, "dead heat") == [["dead heat", "+0.4", "+0.4", "+40.0", "+40.0", "+40.0", "+40.0", "+40.0"]]
    for kind in ways.PATHS:
        assert kind.short.split()[-1] in text


def test_the_table_tells_what_came_late_apart_with_its_delays() -> None:
    text = printed(FOUND)
    for late in row(text, "came later than promised, judged as it came"):
        assert late[1:3] == ["3.00 %", "≤ 3.4 %"]
    assert row(text, "… of these decided wrongly")[0][1] == "12 of 30"
    assert [late[1] for late in row(text, "… how late: median, worst")] == ["20.0, 48.0 ms", "30.0, 60.0 ms"]
    assert row(text, "in real time, an edge came late")[0][1] == "2, 1 wrong"
    assert "3.1, 5.2, 9.3 ms" in text
    assert "NOT MET" not in text


OWN: list[tuple[str, int, Claim, Count]] = [
    (
        "told apart, in time: decided wrongly",
        12,
        "told_apart",
        Count(races=900, wrong=1, given_to_a=450, won_by_a=450.0),
    ),
    (
        "presses that never came out",
        1,
        "late",
        Count(races=30, wrong=12, undecided=1, given_to_a=14, won_by_a=15.0),
    ),
    (
        "of 100,000 exact dead heats, given to a",
        DEAD_HEAT,
        "level",
        Count(races=100_000, given_to_a=49_400, by_token=100_000),
    ),
    (
        "stamps that touch: not decided by the token",
        0,
        "level",
        Count(races=70, wrong=35, given_to_a=35, won_by_a=35.0, by_token=69),
    ),
    (
        "came later than promised, judged as it came",
        1,
        "late",
        Count(races=35, wrong=12, given_to_a=14, won_by_a=15.0),
    ),
]
"""What can be wrong with either of this project's paths."""

UNMET: list[tuple[str, Fairness]] = [
    *((name, with_count(("cabinet", lead, claim), count)) for name, lead, claim, count in OWN),
    *((f"on a bridge, {name}", with_count(("bridge", lead, claim), count)) for name, lead, claim, count in OWN),
    (
        "in real time, told apart, in time: decided wrongly",
        live_with_count(("cabinet", 8, "told_apart"), Count(races=60, wrong=1, given_to_a=30, won_by_a=30.0)),
    ),
    (
        "in real time, presses without an answer",
        live_with_count(("cabinet", 6, "level"), Count(races=38, undecided=1, given_to_a=37, won_by_a=18.0)),
    ),
]


@pytest.mark.parametrize(("name", "found"), UNMET, ids=[name for name, _ in UNMET])
def test_what_is_not_as_wanted_is_named_in_the_table_and_in_the_json(name: str, found: Fairness) -> None:
    assert as_values(found)["unmet"] == [name]
    assert sum("NOT MET" in line for line in printed(found).splitlines()) == 1


def test_everything_that_is_wanted_can_fail() -> None:
    assert [verdict.name for verdict in verdicts(FOUND) if verdict.is_met is not None] == [
        name for name, _ in UNMET
    ]
    assert as_values(FOUND)["unmet"] == []


def test_of_nothing_that_was_told_apart_nothing_is_shown() -> None:
    late_only = {key: count for key, count in FOUND.tally.counts.items() if "told_apart" not in key}
    found = replace(FOUND, tally=replace(FOUND.tally, counts=late_only))
    assert [one.is_met for one in verdicts(found) if one.name == CERTAIN] == [None]


def test_few_dead_heats_may_lie_further_from_a_half_than_many() -> None:
    assert dead_heat_band(1_000_000) == 0.005
    assert dead_heat_band(98_000) == 0.005, "of 100,000 some come late"
    assert dead_heat_band(100) == pytest.approx(0.155)
    assert dead_heat_band(0) == 0.5


def test_the_json_has_every_path_and_every_lead() -> None:
    values = as_values(FOUND)
    assert (values["races"], values["seed"]) == (1_000, 5)
    assert list(values["paths"]) == [kind.key for kind in ways.PATHS]
    polled = values["paths"]["frame_polling"]
    assert polled["leads"][6] == {
        "from_us": 100, "to_us": 200, "races": 1_000, "wrong": 500, "wrong_share": 0.5, "seat_bias": 0.04,
    }  # fmt: skip
    assert len(polled["leads"]) == len(LEADS)
    assert polled["dead_heats"] == {"races": 100, "given_to_a": 90, "given_to_a_share": 0.9}
    assert values["bridge"].keys() == values["cabinet"].keys()
    assert values["bridge"]["late_ms"] == {"median": 30.0, "p99": 60.0, "max": 60.0}
    cabinet = values["cabinet"]
    assert (cabinet["told_apart"]["races"], cabinet["told_apart"]["wrong"]) == (900 * len(LEADS), 0)
    assert (cabinet["late"]["races"], cabinet["late"]["wrong"]) == (30, 12)
    assert cabinet["late_ms"] == {"median": 20.0, "p99": 48.0, "max": 48.0}
    assert cabinet["dead_heats"]["given_to_a_share"] == 0.504
    assert cabinet["dead_heats_by_stamps"] == {"races": 100_070, "by_token": 100_070}
    assert cabinet["leads"][1] == {
        "from_us": 2, "to_us": 5, "told_apart": {"races": 900, "wrong": 0}, "level": {"races": 0, "wrong": 0},
        "late": {"races": 30, "wrong": 12},
    }  # fmt: skip
    real = values["real_time"]
    assert (real["races"], real["told_apart"]["wrong"], real["late"]["wrong"]) == (100, 0, 1)
    assert real["level"] == {"races": 38}, "who is named first of those means nothing"
    assert real["pin_to_snapshot_ms"] == {"median": 3.1, "p99": 5.2, "max": 9.3}
    assert json.loads(json.dumps(values)) == values


def test_in_real_time_a_tenth_is_run_within_bounds() -> None:
    assert [live_races(races) for races in (1, 1_500, 20_000, 1_000_000)] == [100, 150, 2_000, 2_000]


# Races in real time


@pytest.mark.parametrize(
    ("judged", "late", "expected"),
    [
        ({"a": 5, "b": 7}, {}, Decision("a", "told_apart")),
        ({"a": 9, "b": 7}, {}, Decision("b", "told_apart")),
        ({"a": 5}, {}, Decision(None, "told_apart")),
        ({"a": 9, "b": 7}, {0: 6 * MS}, Decision("b", "late", late_ns=6 * MS)),
        ({"a": 9, "b": 7}, {1 * MS: 6 * MS}, Decision("b", "told_apart")),
        ({"a": 5, "b": 7}, {60 * MS: 6 * MS}, Decision("a", "told_apart")),
    ],
    ids=["a", "b", "without an answer", "late", "only the loser late", "only the release late"],
)
def test_a_race_in_real_time_is_decided_by_what_was_judged_first(
    judged: dict[str, int], late: dict[int, int], expected: Decision
) -> None:
    given = race(contact("a", 0), contact("b", MS))
    stamps: dict[str, tuple[Line, int]] = {one.seat: (one.line, one.stamps_ns[0]) for one in (given.a, given.b)}
    numbers = {stamps[seat]: number for seat, number in judged.items()}
    begins_ns = given.a.closes_ns
    late_ns = {("b.1" if at_ns == MS else "a.1", begins_ns + at_ns): delay_ns for at_ns, delay_ns in late.items()}
    assert decision(given, numbers, late_ns) == expected


# The command


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What was asked to be measured, by races and seed; nothing is."""
    asked: list[tuple[int, int]] = []

    def measure(races: int, seed: int, console: Console) -> Fairness:  # noqa: ARG001
        asked.append((races, seed))
        return FOUND

    monkeypatch.setattr(report, "measure", measure)
    return asked


def call(*words: str) -> Any:
    return CliRunner().invoke(cli.commands, list(words))


def test_the_command_prints_tables_or_json(measured: list[tuple[int, int]]) -> None:
    assert "frame" in call("bench", "fairness").output
    asked = call("bench", "fairness", "--races", "300", "--seed", "9", "--json")
    assert json.loads(asked.output)["unmet"] == []
    assert json.loads(call("bench", "--json", "fairness").output)["seed"] == 5
    assert measured == [(20_000, 1), (300, 9), (20_000, 1)]


def test_the_command_draws_a_picture(measured: list[tuple[int, int]], tmp_path: Path) -> None:
    assert call("bench", "fairness", "--picture", str(tmp_path / "x.png")).exit_code == 0
    assert (tmp_path / "x.png").stat().st_size > 10_000
    assert len(measured) == 1


def test_a_picture_that_cannot_be_is_said_before_anything_is_measured(measured: list[tuple[int, int]]) -> None:
    asked = call("bench", "fairness", "--picture", "x.txt")
    assert (asked.exit_code, asked.output) == (
        1, "x.txt: is no picture; let the name end in .png, .jpg, .bmp or .tga\n",
    )  # fmt: skip
    assert measured == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--races", "0"), "Invalid value for '--races': 0 is not in the range 1<=x<=10000000."),
        (("--races", "many"), "Invalid value for '--races': 'many' is not a valid integer range."),
        (("--seed", "x"), "Invalid value for '--seed': 'x' is not a valid integer."),
    ],
)
def test_a_wrong_option_is_one_line(measured: list[tuple[int, int]], words: tuple[str, ...], told: str) -> None:
    asked = call("bench", "fairness", *words)
    assert (asked.exit_code, asked.output) == (1, f"spit-cabinet bench fairness: {told}\n")
    assert measured == []


@pytest.mark.parametrize("where", ["none/x.png", "folder.png"])
def test_a_place_that_holds_no_picture_is_one_line(
    measured: list[tuple[int, int]], tmp_path: Path, where: str
) -> None:
    (tmp_path / "folder.png").mkdir()
    asked = call("bench", "fairness", "--picture", str(tmp_path / where))
    assert (asked.exit_code, asked.output.count("\n")) == (1, 1)
    assert str(tmp_path / where) in asked.output
    assert measured == []


def test_the_bench_alone_measures_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(whole_bench, "run", lambda *, as_json: asked.append(as_json))
    assert [call("bench").exit_code, call("bench", "--json").exit_code] == [0, 0]
    assert asked == [False, True]


def test_what_is_measured_is_told_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_races: int, _seed: int, tell: Callable[[int], None]) -> Tally:
        tell(1_000)
        return FOUND.tally

    monkeypatch.setattr(virtual, "measure", run)
    monkeypatch.setattr(live, "measure", lambda races, seed: IN_REAL_TIME)  # noqa: ARG005
    console = Console(record=True, width=140, file=StringIO())
    assert report.measure(1_000, 5, console) == FOUND
    lines = [line for line in console.export_text().splitlines() if "time" in line]
    assert [line.split()[0] for line in lines] == ["1,000", "100"]


def test_a_picture_that_fails_after_the_races_leaves_their_figures(
    measured: list[tuple[int, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_found: Fairness, path: Path) -> None:
        raise PictureError(f"{path}: the picture could not be written")

    monkeypatch.setattr(report, "write_picture", fail)
    asked = call("bench", "fairness", "--json", "--picture", str(tmp_path / "x.png"))
    figures, _, told = asked.output.rpartition("}\n")
    assert (asked.exit_code, told.count("\n")) == (1, 1)
    assert json.loads(figures + "}")["races"] == 1_000
    assert len(measured) == 1


def test_what_is_not_as_it_must_be_is_told_at_the_end_and_by_the_exit_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, found = UNMET[0]
    monkeypatch.setattr(report, "measure", lambda *_: found)
    asked = call("bench", "fairness")
    assert (asked.exit_code, asked.output.splitlines()[-1]) == (1, f"Not as it must be: {name}.")


def test_a_game_that_failed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def failed(*_: object) -> Fairness:
        raise live.NoAnswerError("No press was answered.")

    monkeypatch.setattr(report, "measure", failed)
    asked = call("bench", "fairness")
    assert (asked.exit_code, asked.output) == (1, "No press was answered.\n")


def test_a_process_that_is_killed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Fairness:
        raise BrokenProcessPool

    monkeypatch.setattr(report, "measure", broken)
    asked = call("bench", "fairness")
    assert (asked.exit_code, len(asked.output.splitlines())) == (1, 1)
    assert "was killed" in asked.output
