"""What holds for the debouncer under any bounce, any parameters and any way of cutting time."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cabinet.buttons.bank import Bank
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.edges import HOST_CLOCK, Edge, Press, Release
from tests.bouncing import (
    LINES,
    SECOND_NS,
    Bouncing,
    any_edges,
    any_settings,
    bouncing,
    lock_and_release_move_no_first_press,
    nothing_is_stuck,
    one_press_a_push,
    order_is_that_of_first_edges,
    run,
    stamps_are_first_edges,
    swapping_seats_swaps_results,
)

CHANCE = st.builds(Random, st.integers(0, 1 << 32))


@given(bouncing(), st.integers(0, 10**15))
def test_the_stamp_is_the_first_edge_whatever_bounce_and_parameters(given: Bouncing, start_ns: int) -> None:
    """As far as parameters see one press at all: see `fitting_settings`."""
    assert stamps_are_first_edges(given, start_ns)


@given(bouncing())
def test_one_push_of_a_finger_is_one_press(given: Bouncing) -> None:
    """As far as parameters see one press at all: see `fitting_settings`."""
    assert one_press_a_push(given)


@given(bouncing())
def test_parameters_never_change_the_order_of_first_presses(given: Bouncing) -> None:
    """As long as the contacts are no spikes to either: then the later closing is the first edge of the press."""
    assert order_is_that_of_first_edges(given)


@given(any_edges(), any_settings(), any_settings())
def test_lock_and_release_move_no_first_press_whatever_the_edges(
    edges: list[Edge], settings: DebounceSettings, other: DebounceSettings
) -> None:
    assert lock_and_release_move_no_first_press(edges, settings, other)


@given(any_edges(), any_settings())
def test_nothing_is_stuck_one_second_after_the_contacts_rest(
    edges: list[Edge], settings: DebounceSettings
) -> None:
    assert nothing_is_stuck(edges, settings)


@given(any_edges(), any_settings())
def test_when_the_seats_are_swapped_so_is_the_result(edges: list[Edge], settings: DebounceSettings) -> None:
    assert swapping_seats_swaps_results(edges, settings)


@given(any_edges(), any_settings(), st.lists(st.integers(0, 60_000_000), max_size=30), CHANCE)
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


@given(bouncing(), st.integers(3_000_000, 200_000_000), st.integers(1, 2_000_000))
def test_a_push_whose_edges_all_come_late_is_one_press_with_its_own_stamp(
    given: Bouncing, late_ns: int, step_ns: int
) -> None:
    """All edges equally late, and looked at in steps of any length up to 2 ms."""
    one = given.lines[0]
    edges, bank = one.edges(), Bank(given.settings)
    results, now_ns, waiting = [], 0, one.edges()
    step_ns = max(step_ns, edges[-1].t_ns // 2_000)
    while waiting:
        now_ns += step_ns
        while waiting and waiting[0].t_ns + late_ns <= now_ns:
            bank.edge(waiting.pop(0))
        results += bank.advance(now_ns)
    results += bank.advance(now_ns + SECOND_NS)
    assert [(type(result), result.t_ns) for result in results] == [
        (type(result), result.t_ns) for result in run(edges, given.settings)
    ]


@given(any_edges(), any_settings())
def test_presses_come_in_order_and_alternate_with_releases(edges: list[Edge], settings: DebounceSettings) -> None:
    results = run(edges, settings)
    stamps = [result.t_ns for result in results if isinstance(result, Press)]
    assert stamps == sorted(stamps)
    for line in LINES:
        kinds = [type(result) for result in results if result.line == line]
        assert kinds == [Press, Release] * (len(kinds) // 2) + [Press] * (len(kinds) % 2)


@given(any_edges(), any_settings())
def test_every_press_is_stamped_at_an_edge_that_closed_its_line(
    edges: list[Edge], settings: DebounceSettings
) -> None:
    closings = {(edge.line, edge.t_ns, edge.seq) for edge in edges if edge.active}
    for result in run(edges, settings):
        if isinstance(result, Press):
            assert (result.line, result.t_ns, result.seq) in closings


@given(any_edges(), any_settings())
def test_a_line_is_judged_alone_whatever_the_others_do(edges: list[Edge], settings: DebounceSettings) -> None:
    results = run([*edges, Edge(HOST_CLOCK, "coin", True, edges[-1].t_ns, 0, 1_000)], settings)
    for line in LINES:
        own = [edge for edge in edges if edge.line == line]
        alone = run(own, settings) if own else []
        assert [(type(result), result.t_ns) for result in results if result.line == line] == [
            (type(result), result.t_ns) for result in alone
        ]
