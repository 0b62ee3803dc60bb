"""Encoders written into a settings file: all else in it, and every comment, stays as it is."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabinet import config
from cabinet.settings_edit import CannotEditError, encoders_in, with_encoders

LEFT = "/dev/input/by-path/pci-0000:01:00.0-usb-0:1.1:1.0-event-joystick"
RIGHT = "/dev/input/by-path/pci-0000:01:00.0-usb-0:1.2:1.0-event-joystick"
DEVICES = {LEFT: {"BTN_TRIGGER": "a.1", "ABS_X-": "a.left"}, RIGHT: {"BTN_TRIGGER": "b.1"}}
BLOCK = f"""\
[encoder.devices."{LEFT}"]
BTN_TRIGGER = "a.1"
ABS_X- = "a.left"

[encoder.devices."{RIGHT}"]
BTN_TRIGGER = "b.1"
"""

OWNERS = """\
# My cabinet, in the hall.
[cabinet]
idle_s = 30   # they are slow there

[encoder]
poll_us = 1000  # usbhid.jspoll=1
"""


def test_an_empty_file_gets_them_alone() -> None:
    assert with_encoders("", DEVICES) == BLOCK


def test_they_go_to_the_end_of_a_file_that_names_none() -> None:
    assert with_encoders(OWNERS, DEVICES) == f"{OWNERS}\n{BLOCK}"


def test_they_take_the_place_of_the_old_ones_and_comments_stay() -> None:
    old = f"""\
[encoder.devices."{LEFT}"]
# the left one is red
BTN_THUMB = "a.2"   # sticks

[encoder.devices."/dev/input/event9"]
BTN_THUMB = "b.2"

# The screen is old.
[display]
fullscreen = true
"""
    assert (
        with_encoders(old, DEVICES)
        == f"""\
{BLOCK}
# the left one is red

# The screen is old.
[display]
fullscreen = true
"""
    )


def test_in_the_commented_sample_they_go_beneath_their_header() -> None:
    sample = config.sample()
    edited = with_encoders(sample, DEVICES)
    assert edited.replace(f"{BLOCK}", "").replace("\n\n\n", "\n\n") == sample
    lines = edited.splitlines()
    assert lines.index(f'[encoder.devices."{LEFT}"]') > lines.index("[encoder.devices]")
    assert lines.index("[keyboard]") > lines.index(f'[encoder.devices."{RIGHT}"]')
    assert config._parse("sample", edited).encoder.devices == DEVICES


@pytest.mark.parametrize(
    "old",
    [
        f'[encoder]\ndevices = {{ "{LEFT}" = {{ BTN_TOP = "a.3" }} }}\npoll_us = 1000\n',
        f'encoder.devices."{LEFT}".BTN_TOP = "a.3"\nencoder.poll_us = 1000\n',
        f'[encoder.devices]\n"{LEFT}" = {{ BTN_TOP = "a.3" }}\n[encoder]\npoll_us = 1000\n',
        f'[encoder]\npoll_us = 1000\n[encoder.devices."{LEFT}"]\nBTN_TOP = "a.3"\n[rules]\n',
    ],
)
def test_however_the_old_ones_are_written_they_are_replaced(old: str) -> None:
    edited = tomllib.loads(with_encoders(old, DEVICES))
    assert edited["encoder"] == {"poll_us": 1000, "devices": DEVICES}


def test_what_cannot_be_changed_line_by_line_is_told() -> None:
    with pytest.raises(
        CannotEditError, match=r"\[encoder\] is written in a way that cannot be changed line by line"
    ):
        with_encoders("encoder = { poll_us = 1000 }\n", DEVICES)


def test_broken_lines_stay_for_their_owner() -> None:
    assert with_encoders("cabinet = = 3\n", DEVICES) == f"cabinet = = 3\n\n{BLOCK}"


def test_lines_end_as_they_did() -> None:
    assert with_encoders("[rules]\r\nstock = 4\r\n", DEVICES) == f"[rules]\nstock = 4\n\n{BLOCK}".replace(
        "\n", "\r\n"
    )


def test_none_at_all_takes_the_old_ones_away() -> None:
    assert with_encoders(f"{OWNERS}\n{BLOCK}", {LEFT: {}}).rstrip() == OWNERS.rstrip()


def test_what_a_file_names_is_read_as_far_as_it_can_be() -> None:
    assert encoders_in(f"{OWNERS}\n{BLOCK}") == DEVICES
    assert encoders_in("[encoder]\ndevices = 3\n") == {}
    assert encoders_in('encoder = "no"\n') == {}
    assert encoders_in('[encoder.devices]\nx = 3\ny = { A = "a.1", B = 2 }\n') == {"y": {"A": "a.1"}}


LINES = st.sampled_from(
    [
        "",
        "   ",
        "# a comment",
        "[encoder]",
        "poll_us = 1000",
        "[encoder.devices]",
        f'[encoder.devices."{LEFT}"]',
        '[encoder.devices."/dev/input/event4"]  # spare',
        'BTN_TOP = "a.3"',
        'BTN_BASE = "a.4" # worn',
        "[rules]",
        "stock = 4",
        "rubbish",
        'note = """',
        '"""',
        "list = [",
        "]",
    ]
)


@given(lines=st.lists(LINES, max_size=14), devices=st.sampled_from([DEVICES, {LEFT: {"288": "coin"}}, {}]))
def test_whatever_is_in_a_file_it_is_kept_and_writing_again_changes_nothing(
    lines: list[str], devices: dict[str, dict[str, str]]
) -> None:
    text = "\n".join(lines)
    try:
        edited = with_encoders(text, devices)
    except CannotEditError:
        return
    assert encoders_in(edited) == devices
    assert with_encoders(edited, devices) == edited
    if not {'note = """', "list = ["} & set(lines):
        kept = [line for line in edited.splitlines() if line.lstrip().startswith("#")]
        assert kept == [line for line in lines if line.lstrip().startswith("#")]
