"""The arbiter and the intake: what is released when, and what becomes of presses that come too late."""

from __future__ import annotations

import pytest

from cabinet.buttons.arbiter import Arbiter, ArbiterSettings, clusters_of
from cabinet.buttons.debounce import DebounceSettings
from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Edge, Press, SourceStatus
from cabinet.buttons.intake import Intake, SourceTrouble, Taken

MS = 1_000_000
US = 1_000


def press(line: str, t_ns: int, err_ns: int = 100 * US, clock: str = HOST_CLOCK, map_err_ns: int = 0) -> Press:
    return Press(line, t_ns, err_ns, clock, seq=0, map_err_ns=map_err_ns)


def status(
    watermark_ns: int,
    source: str = "gpio",
    clock: str = HOST_CLOCK,
    largest_err_ns: int = 100 * US,
    map_err_ns: int = 0,
    *,
    is_live: bool = True,
) -> SourceStatus:
    return SourceStatus(source, clock, watermark_ns, largest_err_ns, map_err_ns, is_live=is_live)


def round_of(
    arbiter: Arbiter, now_ns: int, statuses: list[SourceStatus], presses: tuple[Press, ...] = ()
) -> list[list[str]]:
    for each in statuses:
        arbiter.watermark(each, now_ns)
    arbiter.tick(now_ns)
    for each_press in presses:
        arbiter.add(each_press)
    return [[p.line for p in cluster] for cluster in arbiter.release(now_ns)]


def test_a_press_is_released_when_the_watermark_has_passed_stamp_error_and_the_largest_error() -> None:
    arbiter = Arbiter()
    needed_ns = 10 * MS + 30 * US + 100 * US
    assert round_of(arbiter, 11 * MS, [status(needed_ns - 1)], (press("a.1", 10 * MS, 30 * US),)) == []
    assert round_of(arbiter, 12 * MS, [status(needed_ns)]) == [["a.1"]]


def test_every_live_source_must_have_passed() -> None:
    arbiter = Arbiter()
    assert round_of(arbiter, 20 * MS, [status(19 * MS), status(5 * MS, "pico")], (press("a.1", 10 * MS),)) == []
    assert round_of(arbiter, 21 * MS, [status(20 * MS), status(10 * MS + 200 * US, "pico")]) == [["a.1"]]


def test_the_maps_of_both_clocks_count_between_clocks_only() -> None:
    pico = status(0, "pico", "pico", 0, 300 * US)
    needed_ns = 10 * MS + 300 * US + 50 * US
    for watermark_ns, expected in ((needed_ns - 1, []), (needed_ns, [["a.1"]])):
        arbiter = Arbiter()
        statuses = [
            SourceStatus("pico", "pico", watermark_ns, 0, pico.map_err_ns),
            status(19 * MS, "teensy", "teensy", 0, 50 * US),
        ]
        own = press("a.1", 10 * MS, 0, "teensy", 50 * US)
        assert round_of(arbiter, 20 * MS, statuses, (own,)) == expected


def test_presses_come_out_by_stamp_whatever_order_they_came_in() -> None:
    arbiter = Arbiter()
    came = (press("b.2", 12 * MS), press("a.1", 11 * MS), press("b.1", 10 * MS))
    assert round_of(arbiter, 20 * MS, [status(18 * MS)], came) == [["b.1"], ["a.1"], ["b.2"]]


def test_all_that_could_tie_comes_together_although_the_ends_do_not_tie() -> None:
    arbiter = Arbiter()
    chain = (press("a.1", 10_000 * US), press("b.1", 10_150 * US), press("a.2", 10_300 * US))
    assert not chain[0].ties_with(chain[2])
    assert round_of(arbiter, 20 * MS, [status(10_499 * US)], chain) == []
    assert round_of(arbiter, 21 * MS, [status(10_500 * US)]) == [["a.1", "b.1", "a.2"]]


def test_a_cluster_holds_back_what_comes_after_it() -> None:
    arbiter = Arbiter()
    early = press("a.1", 10 * MS, 4 * MS)
    exact = press("b.1", 15 * MS, 0)
    assert round_of(arbiter, 30 * MS, [status(14_050 * US)], (early,)) == []
    assert round_of(arbiter, 31 * MS, [status(14_099 * US)], (exact,)) == []
    assert round_of(arbiter, 32 * MS, [status(20 * MS)]) == [["a.1"], ["b.1"]]


def test_clusters_that_a_later_press_joins_become_one_with_everything_between() -> None:
    wide_open = press("b.2", 14 * MS, 4 * MS)
    presses = [press("a.1", 10 * MS, 0), press("b.1", 12 * MS, 0), wide_open, press("a.2", 30 * MS, 0)]
    assert [[p.line for p in c] for c in clusters_of(presses)] == [["a.1", "b.1", "b.2"], ["a.2"]]


def test_a_source_silent_for_25_ms_is_degraded_and_not_waited_for() -> None:
    arbiter = Arbiter()
    assert round_of(arbiter, 0, [status(0), status(0, "pico")]) == []
    for ms in range(1, 25):
        now_ns = ms * MS
        came = (press("a.1", 2 * MS),) if ms == 3 else ()
        assert round_of(arbiter, now_ns, [status(now_ns - MS), status(0, "pico")], came) == []
    assert arbiter.degraded() == ()
    assert round_of(arbiter, 25 * MS, [status(24 * MS), status(0, "pico")]) == [["a.1"]]
    assert arbiter.degraded() == ("pico",)
    assert arbiter.decided_ns(25 * MS) == 24 * MS - 100 * US


def test_a_degraded_source_is_waited_for_again_once_its_watermark_moves() -> None:
    arbiter = Arbiter()
    for ms in range(40):
        round_of(arbiter, ms * MS, [status(ms * MS), status(0, "pico")])
    assert arbiter.degraded() == ("pico",)
    assert round_of(arbiter, 40 * MS, [status(40 * MS), status(30 * MS, "pico")], (press("a.1", 39 * MS),)) == []
    assert arbiter.degraded() == ()


def test_our_own_pause_is_not_held_against_a_source() -> None:
    arbiter = Arbiter()
    both = [status(0), status(0, "pico")]
    round_of(arbiter, 0, both)
    for pause in range(1, 5):
        round_of(arbiter, pause * 1_000 * MS, both)
    assert arbiter.degraded() == ()
    round_of(arbiter, 5_000 * MS, both)
    assert arbiter.degraded() == ("gpio", "pico")


def test_a_source_that_is_not_live_is_not_waited_for() -> None:
    arbiter = Arbiter()
    statuses = [status(15 * MS), status(0, "pico", is_live=False)]
    assert round_of(arbiter, 16 * MS, statuses, (press("a.1", 10 * MS),)) == [["a.1"]]
    assert arbiter.degraded() == ()


def test_without_a_live_source_everything_is_decided_now() -> None:
    arbiter = Arbiter()
    assert round_of(arbiter, 20 * MS, [status(0, is_live=False)], (press("a.1", 20 * MS),)) == [["a.1"]]
    assert arbiter.decided_ns(20 * MS) == 20 * MS


def test_decided_never_goes_back_and_never_passes_a_press_that_waits() -> None:
    arbiter = Arbiter()
    round_of(arbiter, 20 * MS, [status(19 * MS)])
    assert arbiter.decided_ns(20 * MS) == 19 * MS - 100 * US
    round_of(arbiter, 21 * MS, [status(19 * MS), status(5 * MS, "pico")])
    assert arbiter.decided_ns(21 * MS) == 19 * MS - 100 * US
    waiting = press("a.1", 22 * MS, 3 * MS)
    assert round_of(arbiter, 25 * MS, [status(24 * MS), status(24 * MS, "pico")], (waiting,)) == []
    assert arbiter.decided_ns(25 * MS) == 22 * MS


def test_a_late_press_is_judged_where_the_decided_time_stands_and_kept_in_the_log() -> None:
    arbiter = Arbiter()
    assert round_of(arbiter, 20 * MS, [status(19 * MS)], (press("a.1", 18 * MS),)) == [["a.1"]]
    decided_ns = arbiter.decided_ns(20 * MS)
    arbiter.watermark(status(20 * MS), 21 * MS)
    arbiter.tick(21 * MS)
    arbiter.add(press("b.1", 18 * MS))
    ((late,),) = arbiter.release(21 * MS)
    assert (late.line, late.t_ns, late.judged_ns) == ("b.1", 18 * MS, decided_ns)
    assert not late.ties_with(press("a.1", 18 * MS))
    assert arbiter.late_presses == 1
    (entry,) = arbiter.late_log()
    assert (entry.press, entry.late_ns, entry.arrived_ns) == (late, decided_ns - 18 * MS, 21 * MS)


def test_the_log_of_late_presses_is_bounded() -> None:
    arbiter = Arbiter(ArbiterSettings(late_kept=3))
    round_of(arbiter, 20 * MS, [status(19 * MS)])
    arbiter.decided_ns(20 * MS)
    round_of(arbiter, 20 * MS, [status(19 * MS)], tuple(press("b.1", t_ns) for t_ns in range(10)))
    assert arbiter.late_presses == 10
    assert [entry.press.t_ns for entry in arbiter.late_log()] == [7, 8, 9]


def test_a_press_with_a_wide_error_is_judged_at_its_arrival_and_never_ties() -> None:
    arbiter = Arbiter()
    wide = press("a.1", 10 * MS, WIDE_ERROR_NS + 1)
    beside = press("b.1", 10 * MS)
    assert round_of(arbiter, 12 * MS, [status(11 * MS)], (wide, beside)) == [["b.1"]]
    arbiter.watermark(status(12 * MS), 13 * MS)
    arbiter.tick(13 * MS)
    ((judged,),) = arbiter.release(13 * MS)
    assert (judged.line, judged.judged_ns) == ("a.1", 12 * MS)
    assert arbiter.wide_presses == 1


def test_at_equal_times_neither_seat_nor_button_nor_arrival_decides_the_place() -> None:
    first = {"a": 0, "b": 0}
    for t_ns in range(2_000):
        late = (press("a.1", t_ns), press("b.4", t_ns)) if t_ns % 2 else (press("b.4", t_ns), press("a.1", t_ns))
        arbiter = Arbiter()
        round_of(arbiter, 20 * MS, [status(19 * MS)])
        arbiter.decided_ns(20 * MS)
        (one,), (other,) = round_of(arbiter, 20 * MS, [status(19 * MS)], late)
        assert {one, other} == {"a.1", "b.4"}
        first[one[0]] += 1
    assert abs(first["a"] - first["b"]) < 200


# The intake: debouncers and arbiter together.


def edge(line: str, t_ns: int, closed: bool = True, clock: str = HOST_CLOCK, seq: int = 0) -> Edge:
    return Edge(clock, line, closed, t_ns, 100 * US, seq)


def lines(taken: Taken) -> list[list[str]]:
    return [[p.line for p in cluster] for cluster in taken.clusters]


def test_the_intake_waits_for_an_earlier_press_that_is_not_confirmed_yet() -> None:
    intake = Intake()
    bouncing = [edge("a.1", 10_000 * US), edge("a.1", 10_005 * US, closed=False, seq=1)]
    taken = intake.take([*bouncing, edge("b.1", 10_300 * US)], [status(10_750 * US)], 12 * MS)
    assert lines(taken) == []
    assert taken.decided_ns == 10_000 * US - 1
    taken = intake.take([edge("a.1", 10_780 * US, seq=2)], [status(11_400 * US)], 13 * MS)
    assert lines(taken) == [["a.1"], ["b.1"]]
    assert taken.decided_ns == 11_300 * US
    assert intake.pressed() == {"a.1", "b.1"}


def test_the_intake_reports_releases_and_since_when_a_button_is_held() -> None:
    intake = Intake()
    intake.take([edge("a.1", 10 * MS)], [status(20 * MS)], 22 * MS)
    assert intake.closed_since("a.1") == 10 * MS
    taken = intake.take([edge("a.1", 30 * MS, closed=False, seq=1)], [status(45 * MS)], 47 * MS)
    assert [(release.line, release.t_ns) for release in taken.releases] == [("a.1", 30 * MS)]
    assert intake.closed_since("a.1") is None
    assert intake.pressed() == frozenset()
    (counters,) = intake.counters()
    assert (counters.presses, counters.raw_edges) == (1, 2)


def test_the_intake_orders_a_device_and_the_host_in_host_time() -> None:
    intake = Intake()
    pico = SourceStatus("pico", "pico", 1_040 * MS, 50 * US, map_err_ns=300 * US, map_offset_ns=1_000 * MS)
    edges = [edge("b.1", 1_031 * MS), edge("a.1", 30 * MS, clock="pico"), edge("a.2", 1_031 * MS)]
    taken = intake.take(edges, [pico, status(1_040 * MS)], 1_041 * MS)
    flat = [p for cluster in taken.clusters for p in cluster]
    assert flat[0] == Press("a.1", 1_030 * MS, 100 * US, "pico", 0, map_err_ns=300 * US)
    assert {p.line for p in flat[1:]} == {"b.1", "a.2"}


def test_a_step_of_a_devices_map_never_swaps_two_edges_of_that_device() -> None:
    intake = Intake()
    offset_ns = 0
    for count in range(200):
        device_ns = (count + 1) * 40 * US
        offset_ns = -3 * MS if count % 2 else 3 * MS
        pico = SourceStatus("pico", "pico", 0, 0, map_err_ns=300 * US, map_offset_ns=offset_ns)
        intake.take([edge(f"a.{count}", device_ns, clock="pico")], [pico], 0)
    end = SourceStatus("pico", "pico", 1_000 * MS, 0, map_err_ns=300 * US, map_offset_ns=offset_ns)
    taken = intake.take([], [end], 1_000 * MS)
    stamps = [p.t_ns for cluster in taken.clusters for p in cluster]
    order = [int(p.line[2:]) for cluster in taken.clusters for p in cluster]
    assert order == list(range(200))
    assert stamps == sorted(stamps)
    assert all(p.map_err_ns >= 300 * US for cluster in taken.clusters for p in cluster)


def test_a_device_that_started_anew_gets_its_new_map_at_once() -> None:
    intake = Intake()
    before = SourceStatus("pico", "pico", 0, 0, map_offset_ns=100 * MS)
    intake.take([edge("a.1", 5 * MS, clock="pico")], [before], 105 * MS)
    after = SourceStatus("pico", "pico", 900 * MS, 0, map_offset_ns=600 * MS)
    taken = intake.take([edge("a.2", 50 * MS, clock="pico")], [after], 900 * MS)
    assert [p.t_ns for cluster in taken.clusters for p in cluster] == [105 * MS, 650 * MS]


def test_troubles_are_told_in_plain_words() -> None:
    intake = Intake()
    statuses = [
        SourceStatus("gpio", HOST_CLOCK, 0, 0, trouble="GPIO 4 is in use by another program."),
        SourceStatus("pico", "pico", 0, 0, is_live=False, losses=3),
        SourceStatus("keys", HOST_CLOCK, 0, 0, losses=2),
    ]
    for ms in range(1_010):
        taken = intake.take([], statuses, ms * MS)
    assert taken.troubles == (
        SourceTrouble("gpio", "GPIO 4 is in use by another program.", is_live=True),
        SourceTrouble("pico", "The buttons on pico do not answer: check its plug and cable.", is_live=False),
        SourceTrouble("keys", "The buttons on keys answer late: the game does not wait for them.", is_live=True),
    )
    assert taken.degraded == ("gpio", "keys")
    assert taken.losses == 5


def test_keys_that_come_with_slow_frames_are_no_trouble() -> None:
    intake = Intake()
    for ms in range(3_000):
        shown_ms = ms // 110 * 110
        taken = intake.take([], [SourceStatus("keys", HOST_CLOCK, shown_ms * MS, 0)], ms * MS)
        assert taken.troubles == ()


def test_contradicting_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="no press could ever count"):
        Intake(DebounceSettings(confirm_us=2_000))


def test_a_source_that_creeps_along_far_behind_is_not_waited_for() -> None:
    arbiter = Arbiter()
    for ms in range(2_000):
        arbiter.watermark(status(ms * MS), ms * MS)
        arbiter.watermark(status(ms // 100 * MS, "pico"), ms * MS)
        arbiter.tick(ms * MS)
    assert arbiter.degraded() == ("pico",)
    assert arbiter.decided_ns(2_000 * MS) >= 1_900 * MS
