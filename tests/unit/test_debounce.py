"""Debouncing: the tables of tests/bounce.json, driven in every manner, and the rules of HOUSE.md, Time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from cabinet.buttons.bank import Bank
from cabinet.buttons.debounce import DebounceSettings, LineCounters
from cabinet.buttons.edges import HOST_CLOCK, Edge, Press, Release
from tests.debounce_tables import MANNERS, Delivery, Result, assert_quiet, in_steps, play

BOUNCE = json.loads((Path(__file__).parents[1] / "bounce.json").read_text())
TABLES: dict[str, list[list[int]]] = BOUNCE["traces"]
MS = 1_000_000
QUIET_NS = 60_000 * MS


def edges_of(trace: Iterable[Iterable[int]], line: str = "a.1", clock: str = HOST_CLOCK) -> list[Edge]:
    return [Edge(clock, line, bool(closed), us * 1000, 100_000, seq) for seq, (us, closed) in enumerate(trace)]


def delivered(edges: Iterable[Edge]) -> list[Delivery]:
    """Each at its time."""
    return [(edge.t_ns, edge) for edge in edges]


def in_one_lump(bank: Bank, edges: list[Edge]) -> list[Result]:
    for edge in edges:
        bank.edge(edge)
    return bank.advance(edges[-1].t_ns + QUIET_NS)


def told(results: Iterable[Result]) -> list[tuple[float, str, str]]:
    """As `play` tells it."""
    return [(one.t_ns / 1000, one.line, "press" if isinstance(one, Press) else "release") for one in results]


def stamps(results: Iterable[Result]) -> dict[str, list[int]]:
    results = list(results)
    return {
        "presses": [result.t_ns // 1000 for result in results if isinstance(result, Press)],
        "releases": [result.t_ns // 1000 for result in results if isinstance(result, Release)],
    }


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("table", TABLES)
def test_a_table_gives_exactly_what_is_expected_however_time_is_cut_and_is_quiet_for_a_minute(
    table: str, manner: str
) -> None:
    outcome = play(manner, delivered(edges_of(TABLES[table])))
    presses = [us for us, _, kind in outcome.told if kind == "press"]
    releases = [us for us, _, kind in outcome.told if kind == "release"]
    assert {"presses": presses, "releases": releases} == BOUNCE["expected"][table]
    assert_quiet(manner, outcome, frozenset())


@pytest.mark.parametrize("manner", MANNERS)
def test_all_lines_together_come_in_one_order_however_time_is_cut(manner: str) -> None:
    edges = [
        edge
        for number, (line, table) in enumerate(zip("abcdefg", TABLES, strict=True))
        for edge in edges_of([[us + 50 * number, closed] for us, closed in TABLES[table]], line)
    ]
    edges.sort(key=lambda edge: edge.t_ns)
    expected = in_one_lump(Bank(), edges)
    assert list(play(manner, delivered(edges)).told) == told(expected)
    presses_ns = [r.t_ns for r in expected if isinstance(r, Press)]
    assert presses_ns == sorted(presses_ns)


def test_a_press_is_stamped_at_its_first_edge_and_reported_once_it_has_been_closed_for_200_us() -> None:
    bank = Bank()
    for edge in edges_of([[0, 1], [40, 0], [300, 1]]):
        bank.edge(edge)
    assert bank.advance(459_999) == []
    (press,) = bank.advance(460_000)
    assert (press.t_ns, press.line) == (0, "a.1")


def test_closed_for_exactly_200_us_counts_and_a_microsecond_less_does_not() -> None:
    assert stamps(in_one_lump(Bank(), edges_of([[0, 1], [200, 0]])))["presses"] == [0]
    assert stamps(in_one_lump(Bank(), edges_of([[0, 1], [199, 0]])))["presses"] == []


def test_closed_time_counts_only_within_the_first_millisecond() -> None:
    just_inside = [[0, 1], [100, 0], [900, 1], [1000, 0]]
    outside = [[0, 1], [100, 0], [950, 1], [1050, 0]]
    assert stamps(in_one_lump(Bank(), edges_of(just_inside)))["presses"] == [0]
    assert stamps(in_one_lump(Bank(), edges_of(outside)))["presses"] == []


def test_a_press_that_begins_in_the_window_of_a_spike_is_stamped_at_the_edge_that_closed_it_last() -> None:
    bank = Bank()
    assert stamps(in_one_lump(bank, edges_of([[0, 1], [3, 0], [900, 1], [50_000, 0]]))) == {
        "presses": [900],
        "releases": [50_000],
    }
    assert bank.counters()[0].spikes == 1


def test_equal_directions_in_a_row_never_toggle() -> None:
    trace = [[0, 0], [10, 1], [20, 1], [30, 1], [40_000, 0], [40_010, 0], [40_020, 0]]
    assert stamps(in_one_lump(Bank(), edges_of(trace))) == {"presses": [10], "releases": [40_000]}


def test_a_release_does_not_count_while_the_line_is_locked_after_a_press() -> None:
    settings = DebounceSettings(release_us=1_000)
    bank = Bank(settings)
    trace = [[0, 1], [300, 0], [2_000, 1], [2_300, 0], [6_000, 1], [20_000, 0]]
    assert stamps(in_one_lump(bank, edges_of(trace))) == {"presses": [0, 6_000], "releases": [2_300, 20_000]}


def test_a_release_needs_ten_milliseconds_of_rest() -> None:
    just_short = [[0, 1], [50_000, 0], [59_999, 1], [80_000, 0]]
    long_enough = [[0, 1], [50_000, 0], [60_000, 1], [80_000, 0]]
    assert stamps(in_one_lump(Bank(), edges_of(just_short))) == {"presses": [0], "releases": [80_000]}
    assert stamps(in_one_lump(Bank(), edges_of(long_enough))) == {
        "presses": [0, 60_000],
        "releases": [50_000, 80_000],
    }


def test_held_names_the_other_lines_that_were_closed_at_the_stamp() -> None:
    bank = Bank()
    before = edges_of([[0, 1]], "a.spit")
    after = edges_of([[30_001, 1]], "a.2")
    gone = edges_of([[0, 1], [29_999, 0]], "b.3")
    at_the_same_instant = edges_of([[30_000, 1]], "b.spit")
    for edge in before + after + gone + at_the_same_instant + edges_of([[30_000, 1]], "a.1"):
        bank.edge(edge)
    presses = {r.line: r for r in bank.advance(100 * MS) if isinstance(r, Press)}
    assert presses["a.1"].held == {"a.spit", "b.spit"}
    assert presses["b.spit"].held == {"a.spit", "a.1"}
    assert presses["a.2"].held == {"a.spit", "a.1", "b.spit"}
    assert presses["a.spit"].held == {"b.3"}


def test_held_is_known_after_thousands_of_edges_of_the_other_line() -> None:
    bank = Bank()
    for count in range(20_000):
        bank.edge(Edge(HOST_CLOCK, "a.spit", count % 2 == 0, count * 100_000, 0, count))
        bank.advance(count * 100_000)
    bank.edge(Edge(HOST_CLOCK, "a.spit", True, 2_000 * MS, 0, 20_000))
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 2_001 * MS, 0, 0))
    (press,) = bank.advance(2_010 * MS)
    assert isinstance(press, Press)
    assert press.held == {"a.spit"}


def test_a_press_of_another_clock_is_stamped_in_host_time() -> None:
    bank = Bank()
    bank.edge(Edge("pico", "b.1", True, 5_000, 40, 17), offset_ns=7_000_000, map_err_ns=300)
    assert bank.advance(8 * MS) == [
        Press("b.1", 7_005_000, 40, "pico", 17, frozenset(), made_up=False, map_err_ns=300)
    ]


def test_a_made_up_edge_makes_a_made_up_press() -> None:
    bank = Bank()
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 0, 20 * MS, 0, made_up=True))
    (press,) = bank.advance(MS)
    assert isinstance(press, Press)
    assert press.made_up
    assert press.err_ns == 20 * MS
    assert bank.counters()[0].made_up == 1


def test_a_line_held_down_reports_once_and_says_since_when() -> None:
    bank = Bank()
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 3 * MS, 0, 0))
    assert len(bank.advance(4 * MS)) == 1
    for second in range(1, 31):
        assert bank.advance(second * 1_000 * MS) == []
    assert bank.closed_since("a.1") == 3 * MS
    bank.edge(Edge(HOST_CLOCK, "a.1", False, 31_000 * MS, 0, 1))
    bank.advance(32_000 * MS)
    assert bank.closed_since("a.1") is None
    assert bank.closed_since("never heard of") is None


def test_a_late_edge_makes_a_press_with_its_own_stamp() -> None:
    bank = Bank()
    bank.advance(100 * MS)
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 90 * MS, 0, 0))
    assert bank.advance(100 * MS) == [], "what opened it at once would be as late"
    (press,) = bank.advance(100 * MS + 200_000)
    assert press.t_ns == 90 * MS
    assert bank.counters()[0].late == 1


def test_a_late_press_that_bounces_is_one_press_however_its_edges_come_in() -> None:
    bank = Bank()
    bank.advance(100 * MS)
    results = []
    for arrives_us, (us, closed) in ((0, (0, 1)), (50, (20, 0)), (300, (290, 1)), (20_000, (19_990, 0))):
        bank.edge(Edge(HOST_CLOCK, "a.1", bool(closed), 90 * MS + us * 1000, 0, us))
        results += bank.advance(100 * MS + arrives_us * 1000)
    results += bank.advance(QUIET_NS)
    assert stamps(results) == {"presses": [90_000], "releases": [109_990]}


def test_a_late_edge_does_not_undo_a_release_that_was_reported() -> None:
    bank = Bank()
    for edge in edges_of([[0, 1], [50_000, 0]]):
        bank.edge(edge)
    assert stamps(bank.advance(70 * MS)) == {"presses": [0], "releases": [50_000]}
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 55 * MS, 0, 2))
    bank.edge(Edge(HOST_CLOCK, "a.1", False, 56 * MS, 0, 3))
    assert bank.advance(QUIET_NS) == []


def test_a_release_that_bounces_on_in_late_edges_is_no_second_press() -> None:
    """The source stood still in the bounce, and was not waited for."""
    bank = Bank()
    for edge in edges_of([[0, 1], [50_000, 0]]):
        bank.edge(edge)
    assert stamps(bank.advance(100 * MS)) == {"presses": [0], "releases": [50_000]}
    for edge in edges_of([[57_000, 1], [57_100, 0], [62_000, 1], [62_900, 0]]):
        bank.edge(edge)
    assert bank.advance(100 * MS) == bank.advance(QUIET_NS) == []
    assert bank.pressed() == frozenset()


def test_a_button_held_on_through_a_release_reported_too_early_is_one_press() -> None:
    bank = Bank()
    for edge in edges_of([[0, 1], [50_000, 0]]):
        bank.edge(edge)
    bank.advance(100 * MS)
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 51 * MS, 0, 2))
    assert bank.advance(5_000 * MS) == []
    assert bank.closed_since("a.1") == 0
    for edge in edges_of([[5_100_000, 0], [5_200_000, 1]]):
        bank.edge(edge)
    assert stamps(bank.advance(5_300 * MS)) == {"presses": [5_200_000], "releases": []}


def test_a_made_up_closing_behind_a_release_is_a_press_of_its_own() -> None:
    """Its time is a guess, so it does not show that the contact bounced."""
    bank = Bank()
    for edge in edges_of([[0, 1], [50_000, 0]]):
        bank.edge(edge)
    bank.advance(100 * MS)
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 55 * MS, 40 * MS, 2, made_up=True))
    bank.advance(100 * MS)
    assert stamps(bank.advance(QUIET_NS)) == {"presses": [55_000], "releases": []}


def test_a_late_edge_behind_a_newer_edge_of_its_line_changes_nothing() -> None:
    bank = Bank()
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 10 * MS, 0, 2))
    assert len(bank.advance(20 * MS)) == 1
    bank.edge(Edge(HOST_CLOCK, "a.1", False, 9 * MS, 0, 1))
    assert bank.advance(QUIET_NS) == []
    assert bank.pressed() == {"a.1"}


def test_settled_stops_before_the_first_edge_that_is_still_being_judged() -> None:
    bank = Bank()
    bank.edge(Edge(HOST_CLOCK, "a.1", True, 1_000_000, 0, 0))
    bank.edge(Edge(HOST_CLOCK, "b.1", True, 1_050_000, 0, 1))
    bank.advance(1_100_000)
    assert bank.settled_ns() == 999_999
    bank.advance(1_200_000)
    assert bank.settled_ns() == 1_049_999
    bank.advance(1_250_000)
    assert bank.settled_ns() == 1_250_000


def test_a_press_waits_for_an_earlier_edge_of_another_line_that_is_still_being_judged() -> None:
    bank = Bank()
    slow = edges_of([[0, 1], [10, 0], [600, 1]], "a.1")
    quick = edges_of([[100, 1]], "b.1")
    for edge in slow + quick:
        bank.edge(edge)
    assert bank.advance(789_999) == []
    assert [press.line for press in bank.advance(790_000)] == ["a.1", "b.1"]


def test_counters_count() -> None:
    bank = Bank()
    in_one_lump(bank, edges_of(TABLES["arcade_switch"], "a.1"))
    in_one_lump(bank, edges_of([[us + 61_000_000, c] for us, c in TABLES["burst_of_spikes"]], "a.2"))
    in_one_lump(bank, edges_of([[us + 130_000_000, c] for us, c in TABLES["worn"]], "a.3"))
    assert bank.counters() == (
        LineCounters("a.1", presses=1, raw_edges=8, longest_bounce_ns=572_000),
        LineCounters("a.2", raw_edges=6, longest_bounce_ns=700_000, spikes=1),
        LineCounters("a.3", presses=1, raw_edges=12, longest_bounce_ns=12_000_000),
    )


def test_a_bounce_ends_where_the_contact_rests_long_enough_for_a_release() -> None:
    bank = Bank()
    in_one_lump(bank, edges_of([[0, 1], [200, 0], [10_200, 1], [40_000, 0], [49_999, 1], [50_000, 0]]))
    assert bank.counters() == (LineCounters("a.1", presses=2, raw_edges=6, longest_bounce_ns=9_999_000),)


def test_lines_that_chatter_do_not_lose_the_press_of_another_line() -> None:
    """16 lines at 5,000 edges a second each, for a second, and one that is pressed ten times meanwhile."""
    edges = [
        Edge(HOST_CLOCK, f"noise {line}", step % 2 == 0, step * 200_000 + line * 7_000, 0, step)
        for step in range(5_000)
        for line in range(16)
    ]
    pushes = [[(push * 100_000 + us, closed) for us, closed in ((5, 1), (40_000, 0))] for push in range(10)]
    edges += [edge for push in pushes for edge in edges_of(push)]
    edges.sort(key=lambda edge: edge.t_ns)
    results = in_steps(MS)(Bank(), delivered(edges))
    assert stamps(result for result in results if result.line == "a.1") == {
        "presses": [push * 100_000 + 5 for push in range(10)],
        "releases": [push * 100_000 + 40_000 for push in range(10)],
    }


def test_settings_under_which_nothing_could_ever_count_are_refused() -> None:
    with pytest.raises(ValueError, match=r"confirm_us is 2000, longer than confirm_window_us, 1000"):
        Bank(DebounceSettings(confirm_us=2_000))
