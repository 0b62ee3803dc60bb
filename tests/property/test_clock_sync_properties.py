"""The clock map's bound holds for every delay and every drift within the limit: no luck, no symmetry."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.clock_sync import DRIFT_LIMIT_PPM, ClockSync
from tests.serial_links import MS, RATE_STEP_NS, SECOND, DeviceClock

delays_ns = st.one_of(st.just(0), st.integers(0, 2 * MS), st.integers(0, 500 * MS))
rates_ppm = st.lists(st.floats(1 - DRIFT_LIMIT_PPM, DRIFT_LIMIT_PPM - 1), min_size=1, max_size=40)


@st.composite
def exchanges(draw: st.DrawFn) -> list[tuple[int, int, int, int]]:
    """When each ping is sent, and how long it takes there, is held, and takes back."""
    number = draw(st.integers(1, 30))
    return [
        (draw(st.integers(0, 4 * SECOND)), draw(delays_ns), draw(st.integers(0, MS)), draw(delays_ns))
        for _ in range(number)
    ]


@settings(max_examples=400)
@given(
    rates_ppm,
    st.integers(0, 10**17),
    exchanges(),
    st.lists(st.tuples(st.integers(0, 4 * SECOND), delays_ns), max_size=30),
    st.integers(0, 5 * SECOND),
)
def test_no_delays_and_no_drift_within_the_limit_break_the_promise(
    rates: list[float],
    started_ns: int,
    trips: list[tuple[int, int, int, int]],
    beats: list[tuple[int, int]],
    asked_ns: int,
) -> None:
    clock = DeviceClock(started_ns, lambda host_ns: rates[host_ns // RATE_STEP_NS % len(rates)], 6 * SECOND)
    sync = ClockSync()
    heard: list[tuple[int, tuple[int, ...]]] = []
    for sent_ns, there_ns, held_ns, back_ns in trips:
        replied_ns = sent_ns + there_ns + held_ns
        stamps = clock.stamp_ns(sent_ns + there_ns), clock.stamp_ns(replied_ns)
        heard.append((replied_ns + back_ns, (sent_ns, *stamps)))
    for sent_ns, back_ns in beats:
        heard.append((sent_ns + back_ns, (clock.stamp_ns(sent_ns),)))
    for heard_ns, told in sorted(heard):
        if len(told) == 1:
            sync.beat(*told, heard_ns)
        else:
            sent_ns, received_ns, replied_ns = told
            assert sync.round_trip(sent_ns, received_ns, replied_ns, heard_ns) is None
        device_ns = clock.true_ns(asked_ns)
        estimate = sync.estimate(device_ns)
        if estimate is not None:
            assert abs(clock.host_ns(device_ns) - device_ns - estimate.offset_ns) <= estimate.err_ns
    assert sync.ignored_beats == 0
    assert sync.epoch == 1


@given(st.lists(st.tuples(*(st.integers(0, 10**18),) * 4), max_size=20), st.integers(0, 10**18))
def test_no_numbers_upset_it_and_no_bound_is_negative(
    trips: list[tuple[int, int, int, int]], asked_ns: int
) -> None:
    sync = ClockSync()
    for sent_ns, received_ns, replied_ns, heard_ns in trips:
        sync.round_trip(sent_ns, received_ns, replied_ns, heard_ns)
        sync.beat(received_ns, heard_ns)
        estimate = sync.estimate(asked_ns)
        assert estimate is None or estimate.err_ns >= 0
