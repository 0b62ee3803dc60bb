"""Movement is a function of time alone: where it starts, where it ends, and how long it takes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from display import motion

MS = 1_000_000
ages = st.integers(-(10**12), 10**12)


@given(st.floats(-5, 5))
def test_easing_stays_between_start_and_end(share: float) -> None:
    assert 0.0 <= motion.eased_out(share) <= 1.0


def test_easing_starts_at_once_and_arrives_gently() -> None:
    assert motion.eased_out(0) == 0.0
    assert motion.eased_out(1) == 1.0
    assert motion.eased_out(0.5) > 0.8
    values = [motion.eased_out(n / 50) for n in range(51)]
    assert values == sorted(values)


@given(st.floats(0, 10_000), st.floats(1, 5_000))
def test_a_flight_takes_90_to_120_ms(distance: float, longest: float) -> None:
    assert 90 * MS <= motion.flight_ns(distance, longest) <= 120 * MS


def test_a_longer_way_takes_longer() -> None:
    assert motion.flight_ns(0, 1_000) == 90 * MS
    assert motion.flight_ns(500, 1_000) == 105 * MS
    assert motion.flight_ns(1_000, 1_000) == 120 * MS


def test_a_way_starts_and_ends_where_it_should() -> None:
    assert motion.between((10, 20), (110, 220), 0.0) == (10, 20)
    assert motion.between((10, 20), (110, 220), 0.5) == (60, 120)
    assert motion.between((10, 20), (110, 220), 1.0) == (110, 220)


def test_a_turn_takes_80_ms_and_shows_the_back_first() -> None:
    assert motion.TURN_NS == 80 * MS
    assert motion.turn_width(0) == pytest.approx(-1)
    assert motion.turn_width(40 * MS) == pytest.approx(0, abs=1e-9)
    assert motion.turn_width(80 * MS) == pytest.approx(1)
    assert motion.turn_width(10**12) == pytest.approx(1)


def test_a_refused_card_shakes_for_90_ms_by_six_pixels_and_comes_to_rest() -> None:
    assert motion.SHAKE_NS == 90 * MS
    assert motion.SHAKE_PX == 6
    swings = [motion.shake(age * MS) for age in range(91)]
    assert swings[0] == 0.0
    assert swings[90] == 0.0
    assert max(swings) > 0.6
    assert min(swings) < -0.5
    assert motion.shake(-MS) == motion.shake(91 * MS) == 0.0


@given(ages)
def test_a_shake_never_goes_further_than_its_reach(age: int) -> None:
    assert -1.0 <= motion.shake(age) <= 1.0


def test_the_losers_ghost_goes_out_and_springs_back() -> None:
    way = [motion.ghost(age * MS) for age in range(261)]
    furthest = way.index(max(way))
    assert way[0] == 0.0
    assert max(way) > 0.95
    assert furthest < 130, "out faster than back"
    assert way[-1] == 0.0
    assert all(0.0 <= place <= 1.0 for place in way)
    assert motion.ghost(10**12) == 0.0


def test_the_count_of_a_deal_pulses_three_times_and_says_three_two_one() -> None:
    length = 1_800 * MS
    starts = [motion.pulse_strength(n * 600 * MS, length, 3) for n in range(3)]
    assert starts == [1.0, 1.0, 1.0]
    assert motion.pulse_strength(599 * MS, length, 3) < 0.01
    assert [motion.pulse_number(n * 600 * MS, length, 3) for n in range(3)] == [3, 2, 1]
    assert motion.pulse_strength(-1, length, 3) == motion.pulse_strength(length, length, 3) == 0.0
    assert motion.pulse_number(10**12, length, 3) == 1


@given(st.integers(1, 4_000))
def test_the_default_count_flares_at_most_three_times_a_second(beat_ms: int) -> None:
    flares = [age for age in range(beat_ms) if motion.pulse_strength(age * MS, beat_ms * MS, 1) == 1.0]
    assert flares == [0]


@given(ages)
def test_slow_light_stays_in_its_bounds(age: int) -> None:
    assert 0.0 <= motion.hint_strength(age) <= 1.0
    assert -1.0 <= motion.swing(age, 9_000 * MS) <= 1.0


@given(st.integers(0, 10**12))
def test_the_attract_picture_wanders_by_single_pixels(now: int) -> None:
    x, y = motion.drift(now, 10)
    later = motion.drift(now + 16 * MS, 10)
    assert abs(x) <= 10
    assert abs(y) <= 10
    assert abs(later[0] - x) <= 1
    assert abs(later[1] - y) <= 1


def test_the_attract_picture_does_not_stay() -> None:
    places = {motion.drift(second * 1_000 * MS, 10) for second in range(300)}
    assert len(places) > 50


@given(st.floats(0, 1), st.integers(1, 20))
def test_steps_keep_a_strength_near(strength: float, count: int) -> None:
    assert abs(motion.steps(strength, count) - strength) <= 0.5 / count + 1e-9


def test_steps_are_few() -> None:
    assert len({motion.steps(n / 1_000, 6) for n in range(1_001)}) == 7


def test_a_share_is_clamped() -> None:
    for age, share in itertools.product((-5, 0), (0.0,)):
        assert motion.share(age, 10) == share
    assert motion.share(5, 10) == 0.5
    assert motion.share(50, 10) == 1.0
