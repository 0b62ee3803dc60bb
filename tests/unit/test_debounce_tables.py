"""Tables of edges and what must come of them, each driven in every manner and quiet afterwards."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cabinet.buttons.debounce import DebounceSettings, LineCounters
from tests.debounce_tables import CLOSES, LUMPS, MANNERS, OPENS, At, Case, Told, assert_quiet, deliveries_of, play

LOCKS = DebounceSettings(release_us=1_000)
"""With a release as short as this the lock of 5 ms shows."""


def a1(*changes: float) -> tuple[At, ...]:
    """Edges of a.1 that close and open in turn."""
    return line("a.1", *changes)


def line(name: str, *changes: float) -> tuple[At, ...]:
    """Edges of a line that close and open in turn."""
    return tuple(At(us, name, number % 2 == 0) for number, us in enumerate(changes))


def pushes(*spans: tuple[float, float]) -> tuple[Told, ...]:
    """Presses of a.1, each with its release."""
    return tuple(told for closed, opened in spans for told in push("a.1", closed, opened))


def push(name: str, closed: float, opened: float) -> tuple[Told, Told]:
    """A press of a line, and its release."""
    return (closed, name, "press"), (opened, name, "release")


CASES: dict[str, Case] = {
    # How short a press may be
    "a clean press": Case(a1(0, 60_000), pushes((0, 60_000))),
    "a press just long enough": Case(a1(0, 200), pushes((0, 200))),
    "a nanosecond too short": Case(a1(0, 199.999), (), spikes=1),
    "long enough in sum": Case(a1(0, 100, 400, 500), pushes((0, 500))),
    "long enough in sum at the window's last moment": Case(a1(0, 100, 900, 1_000), pushes((0, 1_000))),
    "long enough in sum a nanosecond after the window": Case(a1(0, 100, 900.001, 1_000.001), (), spikes=2),
    "four pulses of 50 µs": Case(a1(0, 50, 150, 200, 300, 350, 450, 500), pushes((0, 500))),
    "four pulses of which one is a nanosecond short": Case(
        a1(0, 50, 150, 200, 300, 350, 450, 499.999), (), spikes=1
    ),
    "held to the end": Case(a1(1_000), ((1_000, "a.1", "press"),), closed=frozenset({"a.1"})),
    "an hour after the start": Case(a1(3.6e9, 3.6e9 + 60_000), pushes((3.6e9, 3.6e9 + 60_000))),
    # Bounce when it closes
    "a real arcade switch": Case(
        a1(12_272, 12_280, 12_284, 12_540, 12_832, 12_836, 12_844, 92_844), pushes((12_272, 92_844))
    ),
    "bounce far beyond the window": Case(
        a1(0, 300, 2_100, 2_500, 6_400, 7_000, 11_900, 70_000), pushes((0, 70_000))
    ),
    "a pulse of no width, then closed": Case(a1(0, 0, 300, 60_000), pushes((0, 60_000))),
    "closes again a nanosecond before the window ends": Case(
        a1(0, 10, 999.999, 60_000), pushes((999.999, 60_000)), spikes=1
    ),
    "closes again as the window ends": Case(a1(0, 10, 1_000, 60_000), pushes((1_000, 60_000)), spikes=1),
    # Spikes
    "a spike": Case(a1(0, 3), (), spikes=1),
    "a spike 5 ms before a press": Case(a1(0, 3, 5_000, 60_000), pushes((5_000, 60_000)), spikes=1),
    "a spike in the window of a press is its first edge": Case(a1(0, 3, 500, 60_000), pushes((0, 60_000))),
    "spikes in a row before a press": Case(
        a1(0, 3, 2_000, 2_004, 4_000, 4_002, 6_000, 60_000), pushes((6_000, 60_000)), spikes=3
    ),
    "a spike that is still closed when its window ends": Case(
        a1(0, 3, 900, 60_000), pushes((900, 60_000)), spikes=1
    ),
    "spikes while it rests hold up the release": Case(
        a1(0, 50_000, 58_000, 58_003, 66_000, 66_003), pushes((0, 66_003))
    ),
    "spikes after the release": Case(a1(0, 50_000, 60_000, 60_003), pushes((0, 50_000)), spikes=1),
    # Bounce when it opens, and how long a release rests
    "bounce when it opens": Case(a1(0, 50_000, 50_150, 50_400, 51_900, 52_000), pushes((0, 52_000))),
    "rests of a nanosecond less than 10 ms": Case(
        a1(0, 50_000, 59_999.999, 60_100, 70_099.999, 70_200), pushes((0, 70_200))
    ),
    "pressed again after a rest of exactly 10 ms": Case(
        a1(0, 50_000, 60_000, 90_000), pushes((0, 50_000), (60_000, 90_000))
    ),
    "pressed again a nanosecond sooner is still one press": Case(
        a1(0, 50_000, 59_999.999, 90_000), pushes((0, 90_000))
    ),
    "two presses as short and as close as can be": Case(
        a1(0, 200, 10_200, 10_400), pushes((0, 200), (10_200, 10_400))
    ),
    "the second of two short presses a nanosecond too close": Case(
        a1(0, 200, 10_199.999, 10_400), pushes((0, 10_400))
    ),
    "a pulse of no width while it is held": Case(
        (At(0, "a.1", CLOSES), At(30_000, "a.1", OPENS), At(30_000, "a.1", CLOSES), At(60_000, "a.1", OPENS)),
        pushes((0, 60_000)),
    ),
    # The lock after a press has counted
    "pressed again a nanosecond before the lock ends": Case(
        a1(0, 300, 5_199.999, 20_000), pushes((0, 20_000)), settings=LOCKS
    ),
    "pressed again as the lock ends": Case(
        a1(0, 300, 5_200, 20_000), pushes((0, 300), (5_200, 20_000)), settings=LOCKS
    ),
    "a press in the lock": Case(a1(0, 300, 2_000, 2_300), pushes((0, 2_300)), settings=LOCKS),
    "opened just before the lock ends": Case(
        a1(0, 5_199, 6_199, 9_000), pushes((0, 5_199), (6_199, 9_000)), settings=LOCKS
    ),
    "a press in a lock longer than the rest": Case(
        a1(0, 300, 50_000, 50_300), pushes((0, 50_300)), settings=DebounceSettings(lock_us=100_000)
    ),
    "no lock at all": Case(
        a1(0, 200, 1_200, 1_400),
        pushes((0, 200), (1_200, 1_400)),
        settings=DebounceSettings(lock_us=0, release_us=1_000),
    ),
    # Parameters at their ends
    "counts at once": Case(a1(0, 0.001), pushes((0, 0.001)), settings=DebounceSettings(confirm_us=0)),
    "must be closed through the whole window": Case(
        a1(0, 1_000), pushes((0, 1_000)), settings=DebounceSettings(confirm_us=1_000)
    ),
    "open for a nanosecond of the whole window": Case(
        a1(0, 500, 500.001, 1_000), (), spikes=2, settings=DebounceSettings(confirm_us=1_000)
    ),
    "the longest of all settings": Case(
        a1(0, 20_000, 90_000, 300_000),
        pushes((0, 300_000)),
        settings=DebounceSettings(
            confirm_us=20_000, confirm_window_us=50_000, lock_us=100_000, release_us=200_000
        ),
    ),
    # Levels in a row
    "opens where it is open": Case((At(0, "a.1", OPENS), *a1(10, 60_000)), pushes((10, 60_000))),
    "closes three times": Case((*a1(0), *a1(100), *a1(5_000, 60_000)), pushes((0, 60_000))),
    "opens three times": Case(
        (*a1(0, 50_000), At(55_000, "a.1", OPENS), At(59_999, "a.1", OPENS)), pushes((0, 50_000))
    ),
    "opens again after its rest, and closes": Case(
        (*a1(0, 50_000), At(60_001, "a.1", OPENS), *a1(60_002, 90_000)), pushes((0, 50_000), (60_002, 90_000))
    ),
    # Several lines
    "two lines at one instant": Case(
        (*a1(0, 60_000), *line("b.1", 0, 60_000)),
        ((0, "a.1", "press"), (0, "b.1", "press"), (60_000, "a.1", "release"), (60_000, "b.1", "release")),
    ),
    "two lines a nanosecond apart": Case(
        (*line("b.1", 0, 60_000), *a1(0.001, 60_000.001)),
        ((0, "b.1", "press"), (0.001, "a.1", "press"), (60_000, "b.1", "release"), (60_000.001, "a.1", "release")),
    ),
    "one that bounces was first, one that does not counts sooner": Case(
        (At(0, "a.1", CLOSES), At(10, "a.1", OPENS), At(100, "b.1", CLOSES), *a1(600, 60_000), *line("b.1")),
        ((0, "a.1", "press"), (100, "b.1", "press"), (60_000, "a.1", "release")),
        closed=frozenset({"b.1"}),
    ),
    "a spike on one line does not hold up the other": Case(
        (*a1(0, 3), *line("b.1", 100, 60_000)), push("b.1", 100, 60_000), spikes=1
    ),
    "a release takes its place when it counts": Case(
        (*a1(0, 50_000), *line("b.1", 55_000, 90_000)),
        (
            (0, "a.1", "press"),
            (55_000, "b.1", "press"),
            (50_000, "a.1", "release"),
            (90_000, "b.1", "release"),
        ),
    ),
    "a press as a release of another line counts": Case(
        (*line("b.1", 0, 50_000), *a1(60_000, 90_000)),
        (
            (0, "b.1", "press"),
            (60_000, "a.1", "press"),
            (50_000, "b.1", "release"),
            (90_000, "a.1", "release"),
        ),
    ),
    "one line chatters through the press of another": Case(
        (*a1(*range(0, 30_000, 200)), *line("b.1", 10_050, 20_050)),
        (
            (0, "a.1", "press"),
            (10_050, "b.1", "press"),
            (20_050, "b.1", "release"),
            (29_800, "a.1", "release"),
        ),
    ),
    "all six buttons of a seat at once": Case(
        tuple(At(us, f"a.{n}", us == 0) for us in (0, 40_000) for n in range(1, 7)),
        tuple((us, f"a.{n}", kind) for us, kind in ((0, "press"), (40_000, "release")) for n in range(1, 7)),
    ),
    # Late edges, where nothing was decided beyond them
    "a press that is 30 ms late": Case(
        (At(10_000, "a.1", CLOSES, late_us=30_000), At(60_000, "a.1", OPENS)), pushes((10_000, 60_000))
    ),
    "a release that is 200 ms late": Case(
        (At(0, "a.1", CLOSES), At(30_000, "a.1", OPENS, late_us=200_000)), pushes((0, 30_000))
    ),
    "a whole press that is 100 ms late": Case(
        (
            At(10_000, "a.1", CLOSES, late_us=100_000),
            At(10_050, "a.1", OPENS, late_us=100_000),
            At(10_200, "a.1", CLOSES, late_us=100_000),
            At(60_000, "a.1", OPENS, late_us=100_000),
        ),
        pushes((10_000, 60_000)),
    ),
    "late bounce while it is held": Case(
        (
            At(0, "a.1", CLOSES),
            At(20_000, "a.1", OPENS, late_us=5_000),
            At(20_100, "a.1", CLOSES, late_us=5_000),
            At(60_000, "a.1", OPENS),
        ),
        pushes((0, 60_000)),
    ),
    # Made-up edges
    "a press that was made up": Case(
        (At(0, "a.1", CLOSES, made_up=True), At(60_000, "a.1", OPENS)),
        ((0, "a.1", "made-up press"), (60_000, "a.1", "release")),
    ),
    "a release that was made up": Case(
        (At(0, "a.1", CLOSES), At(60_000, "a.1", OPENS, made_up=True)), pushes((0, 60_000))
    ),
    "made up in the window of a real spike": Case(
        (*a1(0, 3), At(500, "a.1", CLOSES, made_up=True), At(60_000, "a.1", OPENS)), pushes((0, 60_000))
    ),
    "made up where an edge had told it": Case(
        (At(0, "a.1", CLOSES), At(500, "a.1", CLOSES, made_up=True), At(60_000, "a.1", OPENS)),
        pushes((0, 60_000)),
    ),
}

TOO_LATE: dict[str, tuple[tuple[At, ...], tuple[Told, ...], tuple[Told, ...]]] = {
    "a bounce after the release has counted": (
        (
            *a1(0, 50_000),
            At(100_000, "a.2", OPENS),
            At(55_000, "a.1", CLOSES, late_us=100_000),
            At(56_000, "a.1", OPENS, late_us=100_000),
        ),
        pushes((0, 56_000)),
        pushes((0, 50_000)),
    ),
    "a closing behind the opening after it": (
        (At(10_000, "a.1", CLOSES, late_us=100_000), At(30_000, "a.1", OPENS)),
        pushes((10_000, 30_000)),
        (),
    ),
    "an opening behind a closing after it": (
        (At(0, "a.1", CLOSES), At(20_000, "a.1", OPENS, late_us=100_000), *a1(40_000, 70_000)),
        pushes((0, 20_000), (40_000, 70_000)),
        pushes((0, 70_000)),
    ),
    "a press behind one of another line": (
        (
            At(10_000, "b.1", CLOSES, late_us=200_000),
            At(11_000, "b.1", OPENS, late_us=200_000),
            *a1(20_000, 60_000),
            At(100_000, "a.2", OPENS),
        ),
        (
            (10_000, "b.1", "press"),
            (20_000, "a.1", "press"),
            (11_000, "b.1", "release"),
            (60_000, "a.1", "release"),
        ),
        (*push("a.1", 20_000, 60_000), *push("b.1", 10_000, 11_000)),
    ),
}
"""By what came late: the edges, what comes of them in time, and what comes of them by then."""


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("name", CASES)
def test_a_table_gives_what_is_expected_however_time_is_cut_and_is_quiet_for_a_minute(
    name: str, manner: str
) -> None:
    case = CASES[name]
    outcome = play(manner, deliveries_of(case.edges), case.settings)
    assert outcome.told == case.expected
    assert sum(counter.spikes for counter in outcome.bank.counters()) == case.spikes
    assert_quiet(manner, outcome, case.closed)
    if case.closed:
        assert {one for one in case.closed if outcome.bank.closed_since(one) is not None} == case.closed


@pytest.mark.parametrize("name", CASES)
def test_what_is_counted_is_the_same_however_time_is_cut(name: str) -> None:
    case = CASES[name]

    def counted(manner: str) -> list[LineCounters]:
        counters = play(manner, deliveries_of(case.edges), case.settings).bank.counters()
        return [replace(counter, late=0) for counter in counters]

    expected = counted("one lump")
    assert sum(counter.raw_edges for counter in expected) == len(case.edges)
    assert sum(counter.made_up for counter in expected) == sum(edge.made_up for edge in case.edges)
    assert [counted(manner) for manner in MANNERS] == [expected] * len(MANNERS)


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("name", TOO_LATE)
def test_what_comes_too_late_rewrites_nothing(name: str, manner: str) -> None:
    edges, in_time, too_late = TOO_LATE[name]
    outcome = play(manner, deliveries_of(edges))
    late = sum(counter.late for counter in outcome.bank.counters())
    if manner in LUMPS:
        assert (outcome.told, late) == (in_time, 0)
    else:
        assert (outcome.told, late) == (too_late, sum(edge.late_us > 0 for edge in edges))
    assert_quiet(manner, outcome, frozenset())
