"""Encoders on a real USB: two of one name, told apart, overrun, pulled out, forbidden, learned and compared.

The kernel has them on a host controller and devices that are both simulated; from the bus on all is its own. That
bus hands over a report at once, whatever the encoder asks for, so durations are told and not asserted.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from cabinet.buttons.edges import WIDE_ERROR_NS
from tests.virtual_pi.conftest import told_at_the_end
from tests.virtual_pi.guest import PYTHON, Guest, told
from tests.virtual_pi.in_guest.usb_encoder import place

pytestmark = pytest.mark.virtual_pi

MS = 1_000_000
ERR_NS = 4_501_000
LINES = ("1", "2", "3", "4", "5", "spit")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One machine and one start for all."""
    guest = Guest(tmp_path_factory.mktemp("guest"))
    done = guest.run(PYTHON, "-m", "tests.virtual_pi.in_guest.encoders", within_s=400)
    assert done.returncode == 0, told(done)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_two_encoders_of_one_name_are_known_by_their_plugs(results: dict[str, Any]) -> None:
    moved = results["stamps"]["moved"]
    edges = results["stamps"]["edges"]
    assert [edge[:2] for edge in edges] == [one[:2] for one in moved]
    assert results["stamps"]["places"] == [place(0), place(1)]


def test_the_kernel_says_how_often_they_are_asked(results: dict[str, Any]) -> None:
    assert results["stamps"]["ways"] == ["USB, asked every 8 ms, as it asks for"] * 2


def test_every_contact_moved_within_the_error_of_its_stamp(results: dict[str, Any]) -> None:
    edges = results["stamps"]["edges"]
    for (_, _, before_ns, after_ns), (_, _, t_ns, err_ns, made_up) in zip(
        results["stamps"]["moved"], edges, strict=True
    ):
        assert (err_ns, made_up) == (ERR_NS, False)
        assert before_ns - err_ns <= t_ns <= after_ns + err_ns
    delays_ns = sorted(results["stamps"]["delays_ns"])
    half = delays_ns[len(delays_ns) // 2] - ERR_NS
    told_at_the_end(
        f"encoder: from the kernel's stamp to delivery {half / MS:.2f} ms (median of {len(delays_ns)}), "
        f"{(delays_ns[-1] - ERR_NS) / MS:.2f} ms (worst)"
    )


def test_nobody_else_hears_them(results: dict[str, Any]) -> None:
    assert results["stamps"]["overheard"] == 0


def test_after_an_overrun_all_levels_are_right_and_what_is_made_up_says_so(results: dict[str, Any]) -> None:
    overflow = results["overflow"]
    levels = {line: active for line, active, *_ in overflow["edges"]}
    assert levels == {"a.1": False, "a.2": False, "a.3": False}
    made_up = [edge for edge in overflow["edges"] if edge[4]]
    assert {("a.1", False), ("a.3", True)} <= {(line, active) for line, active, *_ in made_up}
    assert len(made_up) == overflow["losses"]
    for _, _, t_ns, err_ns, _ in made_up:
        assert err_ns > WIDE_ERROR_NS
        assert overflow["from_ns"] - err_ns <= t_ns <= overflow["to_ns"] + err_ns
    for line in levels:
        mine = [edge for edge in overflow["edges"] if edge[0] == line]
        assert [edge[1] for edge in mine] == [count % 2 == 0 for count in range(len(mine))]
        assert [edge[2] for edge in mine] == sorted(edge[2] for edge in mine)


def test_encoders_that_are_pulled_out_are_told_and_no_button_stays_pressed(results: dict[str, Any]) -> None:
    is_live, trouble = results["unplugged"]["lost"]
    assert not is_live
    assert trouble == (
        "The encoder in USB plug 1 is not there (a.1, a.2 and 6 more): plug it in where it was; "
        "The encoder in USB plug 1 is not there (b.1, b.2 and 6 more): plug it in where it was"
    )
    pressed, released = results["unplugged"]["edges"][:2]
    assert (pressed[:2], released[:2]) == (["a.5", True], ["a.5", False])


def test_they_keep_their_seats_though_the_kernel_numbers_them_the_other_way(results: dict[str, Any]) -> None:
    before, after = results["unplugged"]["numbers"]
    assert sorted(before) == sorted(after)
    assert before != after
    assert [edge[:2] for edge in results["unplugged"]["edges"][2:]] == [
        ["a.1", True],
        ["a.1", False],
        ["b.1", True],
        ["b.1", False],
    ]


def test_one_that_may_not_be_read_is_told_in_one_line(results: dict[str, Any]) -> None:
    assert results["forbidden"] == (
        f"no permission to read {place(0)}; add the user to the group input: "
        "sudo usermod -aG input $USER, then log in anew"
    )


def test_one_that_another_program_holds_is_told_in_one_line(results: dict[str, Any]) -> None:
    assert results["held"] == f"{place(0)} is held by another program; stop that program"


def test_a_held_key_of_a_keyboard_encoder_is_one_press(results: dict[str, Any]) -> None:
    repeating = results["repeating"]
    assert repeating["seen_beside"] == [1, 2, 2, 2, 0], (
        "the kernel passes repeats on, and only while it is not ours"
    )
    pressed, released = repeating["edges"]
    assert (pressed[:2], released[:2]) == (["a.1", True], ["a.1", False])
    assert repeating["from_ns"] - ERR_NS <= pressed[2] <= repeating["to_ns"] + ERR_NS


def test_a_panel_is_learned_on_a_terminal_and_written(results: dict[str, Any]) -> None:
    learned = results["learned"]
    assert learned["status"] == 0
    assert learned["settings"].startswith("# mine\n[rules]\nstock = 4\n\n[encoder.devices.")
    names = ("BTN_TRIGGER", "BTN_THUMB", "BTN_THUMB2", "BTN_TOP", "BTN_TOP2", "BTN_PINKIE")
    assert tomllib.loads(learned["settings"])["encoder"]["devices"] == {
        place(socket): {name: f"{seat}.{line}" for name, line in zip(names, LINES, strict=True)}
        for socket, seat in enumerate("ab")
    }
    assert (
        learned["said"]
        .splitlines()[-1]
        .endswith("settings.toml: 12 buttons on 2 encoders. Try them: spit-cabinet buttons --source encoder")
    )


def test_the_owners_test_of_fairness_finds_what_was_learned_and_calls_it_even(results: dict[str, Any]) -> None:
    fair = results["fair"]
    assert fair["status"] == 0
    lines = fair["said"].splitlines()
    assert "As races: AMBER 0, CYAN 0, dead heats 12." in lines
    assert lines[-1].startswith("Even: neither seat is favoured.")
