"""A bridge on a real USB serial line: found, played on, taken, stalled, pulled out and found again.

The kernel has it on a host controller and a device that are both simulated; from the bus on all is its own. The
device runs the firmware's own code on a board in software, whose clock and contacts are known to the nanosecond.
How long things take, and so how many presses come too late for their place, is told and not asserted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from cabinet.buttons.edges import WIDE_ERROR_NS
from tests.virtual_pi.conftest import told_at_the_end
from tests.virtual_pi.guest import PYTHON, Guest, told
from tests.virtual_pi.in_guest.bridge import PRESSES
from tests.virtual_pi.in_guest.bridge_device import CHIP

pytestmark = pytest.mark.virtual_pi

MS = 1_000_000
STAMP_ERR_NS = 1_000
LONGEST_BOUNCE_NS = 1 * MS
SHORTEST_REST_NS = 10 * MS
FIRST, SECOND = "/dev/ttyACM0", "/dev/ttyACM1"
IN_USE = f"The bridge at {FIRST} is in use by another program: end that, or wait until it lets go."

Told = dict[str, Any]
Moved = tuple[str, bool, int, int]
"""A contact: line, whether it closed, and when, by the Pi's clock that nobody adjusts and by the device's."""


class Heard:
    """What contacts did, and what the cabinet made of them."""

    def __init__(self, result: Told) -> None:
        self.result = result
        self.moved: list[Moved] = [tuple(one) for one in result["moved"]]
        self.edges: list[Told] = result["edges"]
        self.presses: list[Told] = result["presses"]
        self.cause_of = dict(self._causes())
        """What moved to make each edge."""

    def _causes(self) -> Iterator[tuple[int, Moved]]:
        """Each edge has a contact of its own, in the contacts' order, that moved within the edge's error."""
        contacts = iter(self.moved)
        for place, edge in enumerate(self.edges):
            for contact in contacts:
                line, closed, _, device_ns = contact
                if (line, closed) == (edge["line"], edge["closed"]) and is_stamped(edge, device_ns):
                    yield place, contact
                    break
            else:
                raise AssertionError(f"no contact moved for {edge}")

    @property
    def first_closings(self) -> list[Moved]:
        """Those that begin a press."""
        last_ns: dict[str, int] = {}
        found = []
        for contact in self.moved:
            line, closed, at_ns, _ = contact
            if closed and at_ns - last_ns.get(line, at_ns - SHORTEST_REST_NS) >= SHORTEST_REST_NS:
                found.append(contact)
            last_ns[line] = at_ns
        return found

    def pressed_by(self, press: Told) -> Moved:
        """The contact that a press is stamped with."""
        return self.cause_of[press["edge"] - self.result["first_edge"]]

    def presses_begun(self) -> list[Moved]:
        """The first closing of each press, in the contacts' order.

        One that came too late for its place may be stamped later in its bounce, if that was cut in two.
        """
        closings = self.first_closings
        begun = []
        for press in self.presses:
            line, _, at_ns, _ = contact = self.pressed_by(press)
            first = [one for one in closings if one[0] == line and 0 <= at_ns - one[2] <= LONGEST_BOUNCE_NS]
            assert first, f"no press began with {contact}"
            assert first == [contact] or press["is_late"], f"{contact} came in time for {first[0]}"
            begun += first
        return sorted(begun, key=lambda contact: contact[2])

    def edge_delays_ns(self) -> list[int]:
        return [self.edges[place]["delivered_ns"] - contact[2] for place, contact in self.cause_of.items()]

    def press_delays_ns(self) -> list[int]:
        difference_ns = self.edges[0]["difference"][0]
        return [press["taken_ns"] - difference_ns - self.pressed_by(press)[2] for press in self.presses]


def is_stamped(edge: Told, device_ns: int) -> bool:
    """Whether an edge's stamp fits to within its error, and the error is as small as the device promises."""
    t_ns, err_ns = int(edge["t_ns"]), int(edge["err_ns"])
    return err_ns == STAMP_ERR_NS and abs(t_ns - device_ns) <= STAMP_ERR_NS


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """One machine and one start for all."""
    guest = Guest(tmp_path_factory.mktemp("guest"))
    done = guest.run(PYTHON, "-m", "tests.virtual_pi.in_guest.bridge", within_s=240)
    assert done.returncode == 0, told(done)
    found: Told = json.loads(done.stdout)
    return found


def in_ms(times_ns: list[int]) -> str:
    """Median, 99th percentile and worst."""
    times_ns = sorted(times_ns)
    figures = (times_ns[len(times_ns) // 2], times_ns[len(times_ns) * 99 // 100], times_ns[-1])
    return " / ".join(f"{time_ns / MS:.2f}" for time_ns in figures) + " ms"


def test_it_is_found_by_its_usb_id(results: Told) -> None:
    assert results["places"] == [CHIP]
    assert results["match"]["ports"] == [FIRST]


def test_every_press_of_a_match_comes_once_and_in_order(results: Told) -> None:
    heard = Heard(results["match"])
    in_time = [heard.pressed_by(press)[2] for press in heard.presses if not press["is_late"]]
    assert len(heard.first_closings) == PRESSES
    assert heard.presses_begun() == heard.first_closings
    assert in_time
    assert in_time == sorted(in_time)
    late = len(heard.presses) - len(in_time)
    assert late == heard.result["late"]
    assert (heard.result["losses"], heard.result["statuses"]) == (0, [])
    told_at_the_end(
        f"bridge: {PRESSES} presses came once each, {late} too late for their place; of {len(heard.moved)} edges "
        f"{len(heard.moved) - len(heard.edges)} were left out, as the rest of a bounce that was cut in two"
    )
    told_at_the_end(f"bridge: from the contact to the edge's delivery {in_ms(heard.edge_delays_ns())}")
    told_at_the_end(f"bridge: from the contact to the press that is decided {in_ms(heard.press_delays_ns())}")


def test_the_edges_of_a_match_keep_their_exact_distances(results: Told) -> None:
    """On the device's clock. Few are missing: the rest of bounces in which the busy machine stood still."""
    heard = Heard(results["match"])
    assert len(heard.edges) >= len(heard.moved) * 95 // 100
    distances = [
        (later["t_ns"] - edge["t_ns"]) - (heard.cause_of[place + 1][3] - heard.cause_of[place][3])
        for place, (edge, later) in enumerate(zip(heard.edges, heard.edges[1:], strict=False))
    ]
    assert max(map(abs, distances)) <= STAMP_ERR_NS
    told_at_the_end(f"bridge: edges' distances on the device are wrong by {max(map(abs, distances))} ns at most")


def test_the_map_of_its_clock_keeps_its_promise(results: Told) -> None:
    heard = Heard(results["match"])
    bounds_ns, errors_ns = [], []
    for place, (_, _, at_ns, device_ns) in heard.cause_of.items():
        edge = heard.edges[place]
        difference_ns, difference_err_ns = edge["difference"]
        error_ns = abs(edge["map_offset_ns"] - (at_ns + difference_ns - device_ns))
        assert error_ns <= edge["map_err_ns"] + difference_err_ns
        bounds_ns.append(edge["map_err_ns"])
        errors_ns.append(error_ns)
    told_at_the_end(f"bridge: its clock's map promises ± {in_ms(bounds_ns)} and is wrong by {in_ms(errors_ns)}")


def test_a_port_that_may_not_be_opened_is_told_in_one_line(results: Told) -> None:
    assert results["troubles_of_others"]["forbidden"] == (
        f"The bridge at {FIRST} may not be opened by this user: add it to the group dialout."
    )


def test_a_port_that_another_program_has_is_told_in_one_line(results: Told) -> None:
    assert results["troubles_of_others"]["locked"] == IN_USE
    assert results["troubles_of_others"]["exclusive"] == IN_USE
    assert results["second_program"]["trouble"] == IN_USE


def test_no_other_program_gets_the_port_while_it_is_played_on(results: Told) -> None:
    status, said = results["second_program"]["intruder"]
    assert status != 0
    assert "busy" in said.lower()


def test_a_program_that_stood_still_for_a_second_loses_no_press(results: Told) -> None:
    heard = Heard(results["stalled"])
    assert heard.result["stood_ns"] >= 950 * MS
    assert heard.presses_begun() == heard.first_closings
    assert (heard.result["losses"], heard.result["statuses"]) == (0, [])
    told_at_the_end(
        f"bridge: {len(heard.presses)} presses around a second in which the program stood still, none lost, "
        f"{heard.result['late']} judged at their arrival"
    )


def test_pulled_out_it_is_told_and_the_held_button_is_let_go(results: Told) -> None:
    out = results["pulled_out"]
    assert [press["line"] for press in out["held"]["presses"]] == ["a.3"]
    (released,) = out["lost"]["edges"]
    assert (released["line"], released["closed"], released["made_up"]) == ("a.3", False, True)
    assert released["err_ns"] > WIDE_ERROR_NS
    (status,) = out["lost"]["statuses"]
    assert not status["is_live"]
    assert status["trouble"] == f"The bridge at {FIRST} is not there: plug it in."
    assert (out["lost"]["losses"], out["lost"]["ports"]) == (1, [])
    told_after_ns = status["told_ns"] - out["lost"]["before_ns"]
    assert told_after_ns < 1_000 * MS
    told_at_the_end(f"bridge: pulled out, it is told {in_ms([told_after_ns])} after")


def test_it_is_found_under_another_number_and_nothing_pressed_meanwhile_is_lost(results: Told) -> None:
    """It had power. The made-up release alone counts as a loss, and letting go of the held button does nothing."""
    out = results["pulled_out"]
    resumed = Heard(out["resumed"])
    assert resumed.result["ports"] == [SECOND]
    assert resumed.presses_begun() == resumed.first_closings
    assert [press["line"] for press in resumed.presses] == ["b.1", "a.1", "b.spit", "a.5", "b.1"]
    assert [edge["line"] for edge in resumed.edges if edge["line"] == "a.3"] == []
    last = resumed.result["statuses"][-1]
    assert (last["is_live"], last["trouble"]) == (True, None)
    assert resumed.result["losses"] == 0
    again = Heard(out["again"])
    assert [begun[0] for begun in again.presses_begun()] == ["a.3"]
    told_at_the_end(f"bridge: plugged in again, it is played on after {out['back_s']:.1f} s")


def test_what_took_its_number_is_left_alone(results: Told) -> None:
    assert results["heard_beside"] == 0


def test_after_a_boot_it_has_another_clock_and_its_lamps_are_told_anew(results: Told) -> None:
    booted = Heard(results["without_power"])
    before = {edge["clock"] for edge in results["match"]["edges"]}
    assert before.isdisjoint(edge["clock"] for edge in booted.edges)
    assert [begun[0] for begun in booted.presses_begun()] == ["b.2"]
    assert booted.result["lit"] == ["a.1", "b.spit"]
