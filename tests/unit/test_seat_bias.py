"""The owner's own test of fairness: what presses of two buttons on one contact show, and what is said of it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabinet.buttons.edges import HOST_CLOCK, Press
from cabinet.seat_bias import (
    CHANCE,
    PAIR_NS,
    Bias,
    Pair,
    Pairing,
    alone,
    bias_of,
    chance_range,
    is_chance,
    report,
    row,
    verdict,
)

MS = 1_000_000
US = 1_000
ERR_NS = 100 * US


def press(line: str, t_ns: int, err_ns: int = ERR_NS, judged_ns: int | None = None) -> Press:
    return Press(line=line, t_ns=t_ns, err_ns=err_ns, clock=HOST_CLOCK, seq=1, judged_ns=judged_ns)


def pairs_of(times_ns: list[int], err_ns: int = ERR_NS) -> list[Pair]:
    """One for each time by which CYAN is later."""
    pairing = Pairing()
    for count, time_ns in enumerate(times_ns):
        at_ns = count * 1_000 * MS
        both = [press("a.1", at_ns, err_ns), press("b.1", at_ns + time_ns, err_ns)]
        for one in sorted(both, key=lambda one: one.t_ns):
            pairing.take(one)
    return pairing.pairs


def bias_with(times_ns: list[int], err_ns: int = ERR_NS) -> Bias:
    return bias_of(pairs_of(times_ns, err_ns))


# One press


def test_the_same_button_of_both_seats_is_one_pair_whoever_comes_first() -> None:
    pairing = Pairing()
    assert pairing.take(press("b.3", 10 * MS)) is None
    assert pairing.take(press("a.3", 11 * MS)) == Pair("3", -1 * MS, 200 * US, "b", is_by_stamp=True)
    assert pairing.take(press("a.spit", 500 * MS)) is None
    assert pairing.take(press("b.spit", 501 * MS)) == Pair("spit", 1 * MS, 200 * US, "a", is_by_stamp=True)
    assert pairing.left_alone(10_000 * MS) == []


def test_within_both_errors_it_is_a_dead_heat_as_in_the_game() -> None:
    firsts = [pair.first for pair in pairs_of([-201 * US, -200 * US, 0, 200 * US, 201 * US])]
    assert firsts == ["b", None, None, None, "a"]


def test_other_buttons_and_presses_far_apart_are_no_pair() -> None:
    pairing = Pairing()
    for one in (press("a.1", 0), press("b.2", 1 * MS), press("b.1", PAIR_NS + 1), press("coin", PAIR_NS + 2)):
        assert pairing.take(one) is None
    assert pairing.take(press("a.2", PAIR_NS + 3)) is not None


def test_a_press_that_only_one_seat_had_is_told_once() -> None:
    pairing = Pairing()
    pairing.take(press("a.1", 0))
    assert pairing.left_alone(PAIR_NS) == []
    lonely = pairing.left_alone(2 * PAIR_NS + 1)
    assert alone(lonely) == ["only AMBER 1 was pressed: is CYAN 1 connected with it?"]
    assert pairing.left_alone(3 * PAIR_NS) == []
    assert alone(["b.spit"]) == ["only CYAN SPIT was pressed: is AMBER SPIT connected with it?"]


def test_a_press_whose_stamp_was_not_good_is_decided_by_its_arrival_and_marked() -> None:
    pairing = Pairing()
    pairing.take(press("a.1", 10 * MS, 6 * MS, judged_ns=30 * MS))
    pair = pairing.take(press("b.1", 11 * MS))
    assert pair == Pair("1", 1 * MS, 6 * MS + ERR_NS, "b", is_by_stamp=False)


def test_clocks_of_two_devices_add_what_their_maps_lack() -> None:
    pairing = Pairing()
    pairing.take(Press(line="a.1", t_ns=0, err_ns=1, clock="left", seq=1, map_err_ns=200 * US))
    pair = pairing.take(Press(line="b.1", t_ns=100 * US, err_ns=1, clock="right", seq=1, map_err_ns=100 * US))
    assert pair == Pair("1", 100 * US, 300 * US + 2, None, is_by_stamp=True)


def test_a_press_in_one_line_has_its_time_its_error_and_who_was_first() -> None:
    amber, even, cyan = pairs_of([350 * US, 12 * US, -1_234 * US])
    assert row(1, amber) == "  1  1       +0.350 ms  ± 0.200 ms  AMBER first"
    assert row(22, even) == " 22  1       +0.012 ms  ± 0.200 ms  dead heat"
    assert row(50, cyan) == " 50  1       -1.234 ms  ± 0.200 ms  CYAN first"


# Chance


def test_the_range_of_chance_holds_a_fair_coin_in_99_of_100_and_no_wider() -> None:
    assert chance_range(50) == (16, 34)
    assert chance_range(0) == (0, 0)
    assert chance_range(5) == (0, 5), "five out of five may be chance"
    assert chance_range(8) == (1, 7)
    for races in (1, 7, 20, 50, 200):
        low, high = chance_range(races)
        assert low + high == races
        tails = [_tail(races, count) for count in (low - 1, low)]
        assert tails[0] <= (1 - CHANCE) / 2 < tails[1]


def _tail(races: int, count: int) -> float:
    """How likely so many or fewer are."""
    total, ways = 0, 1
    for number in range(count + 1):
        total += ways
        ways = ways * (races - number) // (number + 1)
    return float(total / 2**races)


@given(seed=st.integers(0, 1 << 32))
def test_a_fair_coin_is_seldom_called_unfair(seed: int) -> None:
    chance = Random(seed)
    called = 0
    for _ in range(300):
        wins = sum(chance.random() < 0.5 for _ in range(50))
        called += not is_chance({"a": wins, "b": 50 - wins})
    assert called <= 15, "three are expected"


# In words


def test_even_stamps_are_even() -> None:
    times_ns = [count * 5 * US for count in range(-25, 25)]
    bias = bias_with(times_ns)
    assert verdict(bias) == "Even: neither seat is favoured."
    assert report(bias) == [
        "50 presses. From AMBER to CYAN: median -0.003 ms, half of all from -0.064 to +0.059 ms; "
        "error bar ± 0.200 ms.",
        "As races: AMBER 0, CYAN 0, dead heats 50.",
        "Stamped earlier: AMBER 24, CYAN 25. A seat that is not favoured has 16 to 33 of 49.",
        "Even: neither seat is favoured.",
    ]


def test_a_seat_that_is_seen_first_is_named_with_the_time_and_what_to_check() -> None:
    amber = bias_with([350 * US] * 50)
    assert report(amber)[1] == (
        "As races: AMBER 50, CYAN 0, dead heats 0. A seat that is not favoured has 16 to 34 of 50."
    )
    assert verdict(amber).startswith(
        "AMBER is seen first by 0.35 ms: check that both buttons have the same switch, "
    )
    assert verdict(bias_with([-2 * MS] * 12)).startswith("CYAN is seen first by 2.00 ms: check ")


def test_a_lead_within_the_error_bar_is_told_and_even() -> None:
    assert verdict(bias_with([20 * US] * 50)) == (
        "Even: neither seat is favoured. AMBER's stamps are mostly earlier, by 0.020 ms, but that is within the "
        "error bar, and such races are dead heats."
    )
    assert "CYAN's stamps are mostly earlier, by 0.020 ms" in verdict(bias_with([-20 * US] * 50))


def test_races_that_both_win_alike_are_even_though_none_is_a_dead_heat() -> None:
    bias = bias_with([(1 - 2 * (count % 2)) * 5 * MS for count in range(50)])
    assert bias.wins == {"a": 25, "b": 25}
    assert verdict(bias) == "Even: neither seat is favoured."


def test_a_few_presses_say_nothing() -> None:
    assert verdict(bias_with([1 * MS] * 9)).startswith("Too few to say anything: ")
    assert verdict(bias_with([1 * MS] * 10)).startswith("AMBER is seen first")


def test_one_press_is_its_own_median() -> None:
    bias = bias_with([300 * US])
    assert (bias.median_ns, bias.middle_half_ns) == (300 * US, (300 * US, 300 * US))
    with pytest.raises(ValueError, match="no press was seen on both seats"):
        bias_of([])


def test_presses_that_the_arrival_decided_are_counted_and_told() -> None:
    pairs = [*pairs_of([0] * 10), Pair("1", 0, 6 * MS, "a", is_by_stamp=False)]
    lines = report(bias_of(pairs))
    assert lines[3].startswith("1 of them were not judged by their stamps: ")
    assert row(11, pairs[-1]).endswith("AMBER first (by arrival: its stamp was not good)")


@given(times_us=st.lists(st.integers(-30_000, 30_000), min_size=1, max_size=60), err_us=st.integers(0, 4_000))
def test_exchanging_the_seats_exchanges_what_is_said(times_us: list[int], err_us: int) -> None:
    bias = bias_with([time_us * US for time_us in times_us], err_us * US)
    other = bias_with([-time_us * US for time_us in times_us], err_us * US)
    assert (bias.wins["a"], bias.earlier["a"], bias.lead_ns["a"]) == (
        other.wins["b"],
        other.earlier["b"],
        other.lead_ns["b"],
    )
    assert bias.dead_heats == other.dead_heats
    swapped = verdict(other).replace("AMBER", "amber").replace("CYAN", "AMBER").replace("amber", "CYAN")
    assert verdict(bias) == swapped
    assert sum(bias.wins.values()) + bias.dead_heats == bias.presses
