"""The source on USB encoders: stamps with an honest error, what was lost, and two encoders of one name."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Edge, SourceError
from cabinet.buttons.encoder import EncoderSource
from cabinet.buttons.encoder_contacts import EV_ABS, EV_KEY
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.encoder_timing import Timing
from tests.encoder_model import (
    CODES,
    LEFT,
    MS,
    RIGHT,
    START_NS,
    TWO_ENCODERS,
    US,
    EncoderBench,
    ModelInputs,
    levels,
)

AT_NS = START_NS + 100 * MS
ONE_MS = Timing(0, 2 * MS, "USB, asked every 1 ms, as it asks for")


def without_numbers(edges: list[Edge]) -> list[tuple[str, bool, int, int, bool]]:
    return [(edge.line, edge.active, edge.t_ns, edge.err_ns, edge.made_up) for edge in edges]


# Stamps


def test_an_edge_is_stamped_in_the_middle_of_when_the_contact_may_have_moved() -> None:
    bench = EncoderBench().start()
    bench.inputs.key(LEFT, "1", 1, AT_NS)
    bench.inputs.key(LEFT, "1", 0, AT_NS + 80 * MS)
    bench.run_until(AT_NS + 200 * MS)
    middle_ns, err_ns = 4_500 * US, 4_500 * US + 1 * US
    assert bench.edges == [
        Edge(HOST_CLOCK, "a.1", True, AT_NS - middle_ns, err_ns, 1),
        Edge(HOST_CLOCK, "a.1", False, AT_NS + 80 * MS - middle_ns, err_ns, 2),
    ]
    assert bench.presses == [("a.1", AT_NS - middle_ns)]


def test_presses_of_one_report_have_one_stamp_and_are_a_dead_heat() -> None:
    """Also when a report tells of them one after the other, in the order of the encoder's pins."""
    bench = EncoderBench().start()
    bench.inputs.report(LEFT, AT_NS, (EV_KEY, CODES["2"], 1), (EV_KEY, CODES["1"], 1))
    bench.run_until(AT_NS + 5 * MS)
    first, second = bench.edges
    assert first.t_ns == second.t_ns
    assert (first.seq, second.seq) == (1, 2)


def test_edges_of_both_encoders_are_numbered_by_their_stamps() -> None:
    bench = EncoderBench().start()
    bench.inputs.key(RIGHT, "1", 1, AT_NS)
    bench.inputs.key(LEFT, "1", 1, AT_NS + 300 * US)
    bench.inputs.pass_time(AT_NS + 1 * MS)
    bench.source.round()
    assert [(edge.line, edge.seq) for edge in bench.edges] == [("b.1", 1), ("a.1", 2)]


def test_all_below_the_watermark_was_delivered_with_encoders_of_different_speed() -> None:
    bench = EncoderBench(inputs=ModelInputs([]))
    bench.inputs.plug_in(LEFT)
    bench.inputs.plug_in(RIGHT, ONE_MS, poll_ns=1 * MS)
    bench.start()
    for count in range(40):
        bench.inputs.key((LEFT, RIGHT)[count % 2], "1", count // 2 % 2 == 0, AT_NS + count * 7_300 * US)
    bench.run_until(AT_NS + 500 * MS)
    assert len(bench.edges) == 40
    for watermark_ns, delivered in bench.watermarks:
        assert all(edge.t_ns >= watermark_ns for edge in bench.edges[delivered:])
    assert bench.watermarks[-1][0] > AT_NS + 480 * MS, "it follows the time"


def test_what_waits_to_be_read_holds_the_watermark_back() -> None:
    bench = EncoderBench(inputs=ModelInputs([RIGHT]))
    bench.inputs.plug_in(LEFT, buffer=1_024)
    bench.start()
    bench.run_until(AT_NS)
    for count in range(50):
        bench.inputs.key(LEFT, "1", 1 - count % 2, AT_NS + 10 * MS + count * 100 * US)
    bench.inputs.pass_time(AT_NS + 100 * MS)
    bench.run_until(AT_NS + 200 * MS)
    assert len(bench.edges) == 50
    for watermark_ns, delivered in bench.watermarks:
        assert all(edge.t_ns >= watermark_ns for edge in bench.edges[delivered:])


def test_the_largest_error_is_that_of_the_slowest_encoder() -> None:
    bench = EncoderBench(inputs=ModelInputs([]))
    bench.inputs.plug_in(LEFT)
    bench.inputs.plug_in(RIGHT, ONE_MS)
    status = bench.start().source.status(START_NS)
    assert status.largest_err_ns == 4_501 * US
    assert (status.is_live, status.trouble, status.losses) == (True, None, 0)


def test_a_repeat_of_a_held_key_is_no_edge() -> None:
    bench = EncoderBench().start()
    bench.inputs.key(LEFT, "1", 1, AT_NS)
    for count in range(5):
        bench.inputs.key(LEFT, "1", 2, AT_NS + (250 + 33 * count) * MS)
    bench.run_until(AT_NS + 500 * MS)
    assert len(bench.edges) == 1


def test_an_encoder_that_is_too_slow_for_races_is_told(caplog: pytest.LogCaptureFixture) -> None:
    bench = EncoderBench(inputs=ModelInputs([RIGHT]))
    bench.inputs.plug_in(LEFT, Timing(0, 17 * MS, "USB, asked every 16 ms, as it asks for"))
    bench.start()
    (line,) = [record.message for record in caplog.records if "too slow" in record.message]
    assert line == (
        f"{LEFT} is too slow for races (USB, asked every 16 ms, as it asks for): its presses are judged when they "
        "arrive; use another encoder"
    )


def test_a_stick_can_be_buttons() -> None:
    settings = EncoderSettings(devices={LEFT: {"ABS_X-": "a.left", "ABS_X+": "a.right", "ABS_HAT0Y-": "a.spit"}})
    bench = EncoderBench(settings)
    bench.inputs.devices[LEFT].axes = {0: (0, 255), 17: (-1, 1)}
    bench.inputs.devices[LEFT].values = {0: 127}
    bench.start()
    for count, (axis, value) in enumerate([(0, 0), (0, 127), (0, 255), (17, -1), (17, 0)]):
        bench.inputs.report(LEFT, AT_NS + count * 50 * MS, (EV_ABS, axis, value))
    bench.run_until(AT_NS + 300 * MS)
    assert [(edge.line, edge.active) for edge in bench.edges] == [
        ("a.left", True),
        ("a.left", False),
        ("a.right", True),
        ("a.spit", True),
        ("a.spit", False),
    ]


# Told apart


def test_two_encoders_of_one_name_are_told_apart_by_their_plugs() -> None:
    bench = EncoderBench().start()
    names = {device.name for device in bench.inputs.devices.values()}
    assert len(names) == 1
    bench.inputs.key(RIGHT, "3", 1, AT_NS)
    bench.inputs.key(LEFT, "3", 1, AT_NS + 50 * MS)
    bench.run_until(AT_NS + 100 * MS)
    assert [press[0] for press in bench.presses] == ["b.3", "a.3"]


def test_what_they_send_goes_nowhere_else() -> None:
    bench = EncoderBench().start()
    assert all(device.is_ours for device in bench.inputs.devices.values())


def test_one_encoder_under_two_names_is_told(tmp_path: Path) -> None:
    node, link = tmp_path / "event3", tmp_path / "by-path"
    link.symlink_to(node)
    settings = EncoderSettings(devices={str(node): {"BTN_TRIGGER": "a.1"}, str(link): {"BTN_THUMB": "a.2"}})
    with pytest.raises(SourceError, match="are one and the same encoder; put its buttons into one table"):
        EncoderBench(settings).start()


# Lost events


def overflow(bench: EncoderBench, from_ns: int, reports: int) -> None:
    """More reports than the kernel keeps, while nobody reads: the left THUMB goes down and up, again and again."""
    for count in range(reports):
        bench.inputs.key(LEFT, "2", 1 - count % 2, from_ns + count * 10 * US)


def test_after_a_loss_the_state_is_read_anew_and_what_differs_is_made_up() -> None:
    bench = EncoderBench().start()
    bench.inputs.key(LEFT, "1", 1, AT_NS)
    bench.run_until(AT_NS + 20 * MS)
    before_ns = bench.inputs.now_ns
    bench.inputs.key(LEFT, "1", 0, before_ns + 1 * MS)
    bench.inputs.key(LEFT, "3", 1, before_ns + 1 * MS)
    overflow(bench, before_ns + 2 * MS, 40)
    bench.inputs.pass_time(before_ns + 10 * MS)
    bench.run_until(before_ns + 11 * MS)
    made_up = [edge for edge in bench.edges if edge.made_up]
    assert [(edge.line, edge.active) for edge in made_up] == [("a.1", False), ("a.3", True)]
    for edge in made_up:
        assert abs(edge.t_ns - (before_ns + 1 * MS)) <= edge.err_ns
        assert edge.err_ns > WIDE_ERROR_NS, "it is never part of a dead heat"
    assert bench.source.status(bench.inputs.now_ns).losses == 2
    assert bench.source.status(bench.inputs.now_ns).trouble is None


def test_what_waits_behind_a_loss_keeps_its_stamps() -> None:
    """To ask for the keys takes the waiting events away, so they are read before."""
    bench = EncoderBench(inputs=ModelInputs([RIGHT]))
    bench.inputs.plug_in(LEFT, buffer=256)
    bench.start()
    bench.run_until(AT_NS)
    overflow(bench, AT_NS + 10 * MS, 220)
    bench.inputs.pass_time(AT_NS + 20 * MS)
    bench.run_until(AT_NS + 30 * MS)
    exact = [edge.t_ns + 4_500 * US for edge in bench.edges if not edge.made_up]
    assert exact == [AT_NS + 10 * MS + count * 10 * US for count in range(128, 220)]


def test_edges_of_a_line_never_go_back_in_time() -> None:
    """A guess may lie later than the event that comes after it."""
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    bench.inputs.devices[LEFT].answers_after_ns = 40 * MS
    now_ns = bench.inputs.now_ns
    overflow(bench, now_ns + 1 * MS, 40)
    bench.inputs.pass_time(now_ns + 2 * MS)
    bench.inputs.key(LEFT, "1", 1, now_ns + 11 * MS)
    bench.inputs.key(LEFT, "1", 0, now_ns + 17 * MS)
    bench.inputs.key(LEFT, "1", 1, now_ns + 150 * MS)
    bench.run_until(now_ns + 200 * MS)
    guess, back, again = [edge for edge in bench.edges if edge.line == "a.1"]
    assert (guess.active, guess.made_up) == (True, True)
    assert back.t_ns == guess.t_ns
    assert abs(now_ns + 17 * MS - 4_500 * US - back.t_ns) == back.err_ns - 4_501 * US > 0
    assert (again.active, again.err_ns) == (True, 4_501 * US)
    assert bench.intake.pressed() == {"a.1"}


def test_a_long_loss_has_a_long_error() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    before_ns = bench.inputs.now_ns
    bench.inputs.key(RIGHT, "1", 1, before_ns + 100 * US)
    for count in range(60):
        bench.inputs.key(RIGHT, "2", 1 - count % 2, before_ns + 1 * MS + count * 10 * MS)
    bench.inputs.pass_time(before_ns + 700 * MS)
    bench.run_until(before_ns + 701 * MS)
    (edge,) = [edge for edge in bench.edges if edge.line == "b.1"]
    assert edge.t_ns - edge.err_ns <= before_ns + 100 * US - 9 * MS
    assert edge.t_ns + edge.err_ns >= before_ns + 700 * MS


def test_a_press_whose_release_was_lost_before_it_counts_with_its_own_stamp() -> None:
    bench = EncoderBench().start()
    bench.inputs.key(LEFT, "1", 1, AT_NS)
    bench.run_until(AT_NS + 40 * MS)
    now_ns = bench.inputs.now_ns
    bench.inputs.key(LEFT, "1", 0, now_ns + 1 * MS)
    overflow(bench, now_ns + 2 * MS, 32)
    bench.inputs.key(LEFT, "1", 1, now_ns + 60 * MS)
    bench.inputs.pass_time(now_ns + 61 * MS)
    bench.run_until(now_ns + 100 * MS)
    assert [t_ns for line, t_ns in bench.presses if line == "a.1"] == [
        AT_NS - 4_500 * US,
        now_ns + 60 * MS - 4_500 * US,
    ]
    last = bench.edges[-1]
    assert (last.line, last.made_up, last.err_ns) == ("a.1", False, 4_501 * US)


def test_nothing_stays_pressed_when_a_release_is_lost() -> None:
    bench = EncoderBench().start()
    bench.inputs.key(LEFT, "1", 1, AT_NS)
    bench.run_until(AT_NS + 40 * MS)
    assert bench.intake.pressed() == {"a.1"}
    now_ns = bench.inputs.now_ns
    bench.inputs.key(LEFT, "1", 0, now_ns + 1 * MS)
    overflow(bench, now_ns + 2 * MS, 40)
    bench.inputs.pass_time(now_ns + 10 * MS)
    bench.run_until(now_ns + 60 * MS)
    assert bench.intake.pressed() == frozenset()


# The thread


def test_a_thread_of_its_own_delivers_and_ends_with_close_which_may_come_twice() -> None:
    inputs = ModelInputs()
    source = EncoderSource(TWO_ENCODERS, inputs, inputs.clock_ns)
    edges: list[Edge] = []
    inputs.key(LEFT, "1", 1, AT_NS)
    source.start(edges.append)
    thread = source._thread
    assert thread is not None
    while not edges:
        thread.join(0.001)
    assert source.status(0).is_live
    source.close()
    source.close()
    assert not thread.is_alive()
    assert not any(device.is_open for device in inputs.devices.values())
    assert (source.status(0).is_live, source.status(0).trouble) == (False, None)
    assert levels(edges) == {"a.1": True}


def test_it_can_be_started_again() -> None:
    inputs = ModelInputs()
    source = EncoderSource(TWO_ENCODERS, inputs, inputs.clock_ns)
    for count in (1, 2):
        source.start(lambda _edge: None)
        assert source.status(0).is_live
        source.close()
        assert [device.opened for device in inputs.devices.values()] == [count, count]


def test_a_thread_that_dies_is_noticed(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    inputs = ModelInputs()
    source = EncoderSource(TWO_ENCODERS, inputs, inputs.clock_ns)

    def fail() -> None:
        raise RuntimeError("no such round")

    monkeypatch.setattr(source, "round", fail)
    source.start(lambda _edge: None)
    assert source._thread is not None
    source._thread.join(10)
    status = source.status(0)
    assert not status.is_live
    assert status.trouble == "The thread that reads the encoders has ended: restart the game."
    assert "no such round" in caplog.text
    source.close()
    assert not any(device.is_open for device in inputs.devices.values())
