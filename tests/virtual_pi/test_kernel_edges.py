"""Real edges of a kernel's lines, with its stamps, through both of the cabinet's GPIO sources.

The lines are simulated below the kernel, which is its own from the interrupt on. The machine is some 20 times
slower than a PC and shares it, so durations are not asserted here, but told at the end of the run.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from cabinet.buttons.edges import WIDE_ERROR_NS
from cabinet.buttons.gpio_pins import GpioSettings
from tests.virtual_pi.conftest import told_at_the_end
from tests.virtual_pi.guest import PYTHON, Guest, told
from tests.virtual_pi.in_guest.kernel_edges import QUIET

pytestmark = pytest.mark.virtual_pi

PINS = GpioSettings().pins
MS = 1_000_000
HELD_NS = 130 * MS
"""A quiet line is pressed twice in this time at most."""


class Heard:
    """One scenario: what the wires did, and what the input path made of it."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.result = result
        self.moved: list[tuple[str, bool, int, int]] = [tuple(one) for one in result["moved"]]
        self.closings = [(line, before, after) for line, closed, before, after in self.moved if closed]
        self.presses: list[tuple[str, int, int, bool, int]] = [tuple(one) for one in result["presses"]]

    def press_of(self, line: str, before_ns: int, after_ns: int) -> tuple[str, int, int, bool, int] | None:
        """The press whose stamp, give or take its error, lies within the write that closed the contact."""
        for press in self.presses:
            _, t_ns, err_ns, _, _ = press
            is_near = abs(t_ns - before_ns) < HELD_NS
            if press[0] == line and is_near and before_ns - err_ns <= t_ns <= after_ns + err_ns:
                return press
        return None


class Run:
    """All scenarios with one source."""

    def __init__(self, source: str, results: dict[str, Any]) -> None:
        self.source = source
        self.is_chip = source == "gpio-chip"
        self._results = results

    def __getitem__(self, name: str) -> Heard:
        return Heard(self._results[name])


@pytest.fixture(scope="module", params=["gpio-chip", "gpio-zero"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One machine and one start for all scenarios of a source."""
    guest = Guest(tmp_path_factory.mktemp("guest"))
    words = (PYTHON, "-m", "tests.virtual_pi.in_guest.kernel_edges", request.param)
    done = guest.run(*words, within_s=480)
    assert done.returncode == 0, told(done)
    return Run(request.param, json.loads(done.stdout))


def in_ms(times_ns: list[int]) -> str:
    """Median, 99th percentile and worst."""
    times_ns = sorted(times_ns)
    figures = (times_ns[len(times_ns) // 2], times_ns[len(times_ns) * 99 // 100], times_ns[-1])
    return " / ".join(f"{time_ns / MS:.2f}" for time_ns in figures) + " ms"


def test_every_stamp_is_that_of_its_interrupt_and_so_is_their_order(run: Run) -> None:
    heard = run["order"]
    assert Counter(line for line, _, _ in heard.closings) == dict.fromkeys(PINS, 12)
    by_stamp = sorted(heard.presses, key=lambda press: press[1])
    assert [press[0] for press in by_stamp] == [line for line, _, _ in heard.closings]
    for (_, before_ns, after_ns), (_, t_ns, *_) in zip(heard.closings, by_stamp, strict=True):
        assert before_ns <= t_ns <= after_ns
    told_at_the_end(
        f"{run.source}: {len(by_stamp)} stamps, each within the write that caused it; writes took "
        + in_ms([after_ns - before_ns for _, before_ns, after_ns in heard.closings])
    )


def test_presses_on_all_lines_at_once_are_judged_in_the_order_of_their_interrupts(run: Run) -> None:
    """Contacts close as fast as one program can close them. Those that came late for their place are counted."""
    heard = run["order"]
    in_time = [press for press in heard.presses if not press[3]]
    assert [press[1] for press in in_time] == sorted(press[1] for press in in_time)
    late = len(heard.presses) - len(in_time)
    assert late == heard.result["late_presses"]
    assert late <= len(heard.presses) // 4
    told_at_the_end(f"{run.source}: {late} of {len(heard.presses)} presses came too late for their place")


def test_single_presses_are_decided_at_their_stamps(run: Run) -> None:
    heard = run["delay"]
    assert [press[0] for press in heard.presses] == [line for line, _, _ in heard.closings]
    assert heard.result["losses"] == 0
    arrivals = [arrived_ns - t_ns for _, _, t_ns, _, made_up, arrived_ns in heard.result["edges"] if not made_up]
    told_at_the_end(f"{run.source}: from stamp to delivery {in_ms(arrivals)}")
    told_at_the_end(
        f"{run.source}: from stamp to decision {in_ms([press[4] - press[1] for press in heard.presses])}"
    )


def test_races_while_the_program_stood_still_are_decided_by_their_stamps(run: Run) -> None:
    heard = run["stopped"]
    assert [(press[0], press[3]) for press in heard.presses] == [
        ("b.3", False),
        ("a.3", False),
        ("a.4", False),
        ("b.4", False),
    ]
    assert all(heard.press_of(*closing) is not None for closing in heard.closings)
    assert (heard.result["late_presses"], heard.result["losses"]) == (0, 0)


def test_what_the_full_buffer_lost_is_counted_to_the_last_edge(run: Run) -> None:
    heard = run["overflow"]
    tally = heard.result["tally"]
    if not run.is_chip:
        assert heard.result["losses"] == 0, "lgpio does not tell"
        return
    assert tally["dropped"] > 0
    assert tally["events"] + tally["dropped"] + tally["merged"] == len(heard.moved)
    first = next(edge for edge in heard.result["edges"] if edge[0] in ("a.1", "b.1"))
    assert first[3] > WIDE_ERROR_NS, "the first edge after a loss is never part of a dead heat"
    told_at_the_end(
        f"{run.source}: of {len(heard.moved)} edges while it stood still {tally['dropped']} were dropped and "
        f"{tally['merged']} merged, all counted"
    )


def test_after_it_nothing_is_stuck_and_a_press_counts(run: Run) -> None:
    heard = run["overflow"]
    assert heard.result["pressed"] == []
    assert heard.press_of(*heard.closings[-1]) is not None
    assert heard.closings[-1][0] == "a.2"


def test_sixteen_lines_that_chatter_take_no_press_of_the_others(run: Run) -> None:
    heard = run["storm"]
    missing = [closing for closing in heard.closings if heard.press_of(*closing) is None]
    assert missing == []
    assert len([press for press in heard.presses if press[0] in QUIET]) == len(heard.closings)
    assert heard.result["pressed"] == []
    exact = sum(press[2] <= WIDE_ERROR_NS for press in heard.presses if press[0] in QUIET)
    told_at_the_end(
        f"{run.source}: {heard.result['noise']} edges on 16 lines beside {len(heard.closings)} presses on two "
        f"others: none lost, {exact} with an error below 5 ms; {heard.result['merged']} merged, "
        f"{heard.result['losses']} lost or made up"
    )


def test_a_button_that_is_stuck_is_named_and_the_others_play(run: Run) -> None:
    heard = run["stuck"]
    assert [press[0] for press in heard.presses] == ["b.5"]
    troubles = [trouble for _, _, trouble in heard.result["statuses"]]
    assert troubles[-1] == "Held since the start: a.5; let go, or check the switch and its wires."


def test_lines_that_disappear_are_told_and_no_button_stays_pressed(run: Run) -> None:
    heard = run["disappearing"]
    assert heard.presses[0][0] == "a.1"
    assert heard.result["pressed"] == []
    told_ns, is_live, trouble = heard.result["statuses"][1]
    assert not is_live
    lost = "The buttons' GPIO lines were lost (No such device): trying to get them back."
    assert trouble == (lost if run.is_chip else "No GPIO pin can be read any more: restart the game.")
    told_at_the_end(
        f"{run.source}: lines that disappear are told {in_ms([told_ns - heard.result['gone_ns']])} after"
    )


def test_the_kernels_lines_are_claimed_again_when_they_are_back(run: Run) -> None:
    heard = run["disappearing"]
    if not run.is_chip:
        assert not heard.result["statuses"][-1][1], "lgpio has to be started anew"
        return
    _, is_live, trouble = heard.result["statuses"][-1]
    assert (is_live, trouble) == (True, None)
    assert [press[0] for press in heard.presses] == ["a.1", "b.1"]
    assert heard.press_of(*heard.closings[-1]) is not None
