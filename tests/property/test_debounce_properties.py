"""What holds for the debouncer under any bounce, any parameters and any way of cutting time."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cabinet.buttons.bank import Bank
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.edges import HOST_CLOCK, Edge, Press, Release

CHANCE = st.builds(Random, st.integers(0, 1 << 32))
MS = 1_000_000
SECOND_NS = 1_000 * MS
LINES = ("a.1", "a.2", "a.spit", "b.1", "b.2", "b.spit")

Trace = list[tuple[int, bool]]


@st.composite
def settings(draw: st.DrawFn) -> DebounceSettings:
    window_us = draw(st.integers(200, 3_000))
    return DebounceSettings(
        confirm_us=draw(st.integers(1, window_us)),
        confirm_window_us=window_us,
        lock_us=draw(st.integers(0, 20_000)),
        release_us=draw(st.integers(4_000, 30_000)),
    )


@st.composite
def physical_press(draw: st.DrawFn, held_at_least_us: int = 5_000, rest_us: int = 4_000) -> Trace:
    """One push of a finger, from 0: bounce while closing, closed, bounce while opening.

    The contact is closed for at least 150 µs of its first 200 µs and never rests open for `rest_us`.
    """
    at_us, trace = 0, [(0, True)]
    for gap_us in draw(st.lists(st.integers(1, 5), max_size=8)):
        trace += [(at_us + 20, False), (at_us + 20 + gap_us, True)]
        at_us += 20 + gap_us
    for closed_us, open_us in draw(
        st.lists(st.tuples(st.integers(1, 2_000), st.integers(1, rest_us - 1)), max_size=4)
    ):
        at_us = max(at_us, 2_000) + closed_us
        trace += [(at_us, False), (at_us + open_us, True)]
        at_us += open_us
    at_us += draw(st.integers(held_at_least_us, 200_000))
    trace.append((at_us, False))
    for open_us, closed_us in draw(
        st.lists(st.tuples(st.integers(1, rest_us - 1), st.integers(1, 3_000)), max_size=4)
    ):
        trace += [(at_us + open_us, True), (at_us + open_us + closed_us, False)]
        at_us += open_us + closed_us
    return trace


@st.composite
def any_edges(draw: st.DrawFn) -> list[Edge]:
    """Edges of any lines at any times, any direction after any other."""
    drawn = draw(
        st.lists(st.tuples(st.integers(0, 60_000), st.sampled_from(LINES), st.booleans()), min_size=1, max_size=60)
    )
    drawn.sort(key=lambda edge: edge[0])
    return [Edge(HOST_CLOCK, line, on, us * 1000, 0, seq) for seq, (us, line, on) in enumerate(drawn)]


def edges_of(trace: Trace, line: str = "a.1", start_ns: int = 0) -> list[Edge]:
    return [Edge(HOST_CLOCK, line, closed, start_ns + us * 1000, 0, seq) for seq, (us, closed) in enumerate(trace)]


def run(edges: list[Edge], settings: DebounceSettings | None = None) -> list[Press | Release]:
    bank = Bank(settings)
    for edge in edges:
        bank.edge(edge)
    return bank.advance(max(edge.t_ns for edge in edges) + SECOND_NS)


CONFIRMED_BY_150_US = st.builds(
    lambda settings, confirm_us: DebounceSettings(
        confirm_us=confirm_us,
        confirm_window_us=settings.confirm_window_us,
        lock_us=settings.lock_us,
        release_us=settings.release_us,
    ),
    settings(),
    st.integers(1, 150),
)


@given(physical_press(), CONFIRMED_BY_150_US, st.integers(0, 10**15))
def test_the_stamp_is_the_first_edge_and_one_push_is_one_press(
    trace: Trace, settings: DebounceSettings, start_ns: int
) -> None:
    results = run(edges_of(trace, start_ns=start_ns), settings)
    assert [type(result) for result in results] == [Press, Release]
    assert results[0].t_ns == start_ns
    assert results[1].t_ns == start_ns + trace[-1][0] * 1000


@given(
    st.lists(st.tuples(st.integers(0, 20_000), physical_press()), min_size=len(LINES), max_size=len(LINES)),
    CONFIRMED_BY_150_US,
)
def test_parameters_never_change_the_order_of_first_presses(
    pushes: list[tuple[int, Trace]], settings: DebounceSettings
) -> None:
    edges = [
        edge for line, (us, trace) in zip(LINES, pushes, strict=True) for edge in edges_of(trace, line, us * 1000)
    ]
    order = sorted(zip((us for us, _ in pushes), LINES, strict=True))
    for chosen in (settings, DebounceSettings(confirm_us=150)):
        presses = [result for result in run(edges, chosen) if isinstance(result, Press)]
        assert [(press.t_ns // 1000, press.line) for press in presses] == order


@given(any_edges(), settings(), st.lists(st.integers(0, 60_000_000), max_size=30), CHANCE)
def test_the_result_is_the_same_however_time_is_cut_and_edges_are_shuffled(
    edges: list[Edge], settings: DebounceSettings, cuts: list[int], chance: Random
) -> None:
    bank = Bank(settings)
    results = []
    waiting = list(edges)
    for cut_ns in sorted(cuts):
        known = [edge for edge in waiting if edge.t_ns <= cut_ns]
        waiting = [edge for edge in waiting if edge.t_ns > cut_ns]
        chance.shuffle(known)
        for edge in known:
            bank.edge(edge)
        results += bank.advance(cut_ns)
    for edge in waiting:
        bank.edge(edge)
    results += bank.advance(edges[-1].t_ns + SECOND_NS)
    assert results == run(edges, settings)


@given(any_edges(), settings())
def test_presses_come_in_order_and_alternate_with_releases(edges: list[Edge], settings: DebounceSettings) -> None:
    results = run(edges, settings)
    stamps = [result.t_ns for result in results if isinstance(result, Press)]
    assert stamps == sorted(stamps)
    for line in LINES:
        kinds = [type(result) for result in results if result.line == line]
        assert kinds == [Press, Release] * (len(kinds) // 2) + [Press] * (len(kinds) % 2)


@given(any_edges(), settings())
def test_every_press_is_stamped_at_an_edge_that_closed_its_line(
    edges: list[Edge], settings: DebounceSettings
) -> None:
    closings = {(edge.line, edge.t_ns, edge.seq) for edge in edges if edge.active}
    for result in run(edges, settings):
        if isinstance(result, Press):
            assert (result.line, result.t_ns, result.seq) in closings


@given(any_edges(), settings())
def test_nothing_is_stuck_one_second_after_the_contacts_rest(
    edges: list[Edge], settings: DebounceSettings
) -> None:
    end_ns = edges[-1].t_ns + 1_000
    edges = edges + [Edge(HOST_CLOCK, line, False, end_ns, 0, 1_000) for line in LINES]
    bank = Bank(settings)
    for edge in edges:
        bank.edge(edge)
    bank.advance(end_ns + SECOND_NS)
    assert bank.pressed() == frozenset()
    assert bank.settled_ns() == end_ns + SECOND_NS
    assert bank.advance(end_ns + 60 * SECOND_NS) == []


@given(any_edges(), settings())
def test_when_the_seats_are_swapped_so_is_the_result(edges: list[Edge], settings: DebounceSettings) -> None:
    def swapped(line: str) -> str:
        return ("b" if line[0] == "a" else "a") + line[1:]

    def by_line(results: list[Press | Release], line: str) -> list[tuple[type, int, frozenset[str]]]:
        return [
            (type(r), r.t_ns, r.held if isinstance(r, Press) else frozenset()) for r in results if r.line == line
        ]

    mirror = [
        Edge(edge.clock, swapped(edge.line), edge.active, edge.t_ns, edge.err_ns, edge.seq) for edge in edges
    ]
    straight, swap = run(edges, settings), run(mirror, settings)
    for line in LINES:
        assert by_line(swap, swapped(line)) == [
            (kind, t_ns, frozenset(map(swapped, held))) for kind, t_ns, held in by_line(straight, line)
        ]
