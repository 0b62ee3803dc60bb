"""Finding the chip and claiming the lines: what is asked of libgpiod, and what is said when it refuses."""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cabinet.buttons import kernel_lines
from cabinet.buttons.edges import SourceError
from cabinet.buttons.gpio_pins import HEADER_LABELS
from cabinet.buttons.kernel_lines import BUFFER_EVENTS, KernelLines, NoChipError, find_chip, open_lines

PINS = {"a.1": 4, "b.1": 5}


class Value(Enum):
    INACTIVE = 0
    ACTIVE = 1


class Request:
    """A claim whose events come through a pipe."""

    def __init__(self) -> None:
        self.fd, self.kernel_end = os.pipe()
        self.values = {4: Value.INACTIVE, 5: Value.ACTIVE}
        self.releases = 0

    def get_values(self, offsets: list[int]) -> list[Value]:
        return [self.values[offset] for offset in offsets]

    def release(self) -> None:
        self.releases += 1


class Library:
    """Stands in for gpiod: chips by their paths, and what was asked for."""

    line = SimpleNamespace(
        Direction=SimpleNamespace(INPUT="input"),
        Edge=SimpleNamespace(BOTH="both"),
        Bias=SimpleNamespace(PULL_UP="pull-up"),
        Clock=SimpleNamespace(MONOTONIC="monotonic"),
    )

    def __init__(self, devices: Path) -> None:
        self.devices = devices
        self.labels: dict[str, str] = {}
        self.forbidden: set[str] = set()
        self.holders: dict[int, str] = {}
        self.error: Exception | None = None
        self.asked: dict[str, Any] = {}
        self.request = Request()
        self.open_chips = 0

    def add(self, name: str, label: str) -> Path:
        path = self.devices / name
        path.touch()
        self.labels[str(path)] = label
        return path

    def LineSettings(self, **settings: Any) -> dict[str, Any]:  # noqa: N802 - gpiod's name
        return settings

    def is_gpiochip_device(self, path: str) -> bool:
        return str(Path(path).resolve()) in self.labels

    def Chip(self, path: str) -> Chip:  # noqa: N802 - gpiod's name
        if path in self.forbidden:
            raise PermissionError(errno.EACCES, "Permission denied")
        return Chip(self, path)


class Chip:
    def __init__(self, library: Library, path: str) -> None:
        self.library = library
        self.path = path

    def __enter__(self) -> Chip:
        self.library.open_chips += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.library.open_chips -= 1

    def get_info(self) -> SimpleNamespace:
        return SimpleNamespace(label=self.library.labels[str(Path(self.path).resolve())])

    def get_line_info(self, number: int) -> SimpleNamespace:
        consumer = self.library.holders.get(number, "")
        return SimpleNamespace(used=number in self.library.holders, consumer=consumer)

    def request_lines(self, **asked: Any) -> Request:
        if self.library.error is not None:
            raise self.library.error
        self.library.asked = asked
        return self.library.request


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path)
    monkeypatch.setitem(sys.modules, "gpiod", library)
    monkeypatch.setattr(kernel_lines, "DEVICES", tmp_path)
    yield library
    os.close(library.request.fd)
    os.close(library.request.kernel_end)
    assert library.open_chips == 0


@pytest.fixture
def lines(library: Library) -> KernelLines:
    library.add("gpiochip0", "pinctrl-rp1")
    return open_lines(PINS)


# The chip


@pytest.mark.parametrize("label", HEADER_LABELS)
def test_the_chip_is_found_by_its_label_whatever_its_number(library: Library, label: str) -> None:
    library.add("gpiochip0", "brcmvirt-gpio")
    path = library.add("gpiochip11", label)
    assert find_chip() == path


def test_two_names_of_one_chip_are_one_chip(library: Library) -> None:
    path = library.add("gpiochip0", "pinctrl-rp1")
    (library.devices / "gpiochip4").symlink_to(path)
    assert find_chip() == path


def test_several_headers_are_told_in_one_line(library: Library) -> None:
    first = library.add("gpiochip0", "pinctrl-bcm2711")
    second = library.add("gpiochip3", "pinctrl-rp1")
    with pytest.raises(SourceError, match="2 GPIO chips look like the header of a Raspberry Pi") as error:
        find_chip()
    assert f"({first}, {second})" in str(error.value)
    assert not isinstance(error.value, NoChipError), "it must not play on something else without a word"


def test_no_header_is_told_with_what_was_looked_at(library: Library) -> None:
    with pytest.raises(NoChipError, match=r"\(looked at no /dev/gpiochip\*\); on a Pi add the user to the group"):
        find_chip()
    path = library.add("gpiochip0", "brcmvirt-gpio")
    with pytest.raises(NoChipError) as error:
        find_chip()
    assert f"(looked at {path})" in str(error.value)


def test_a_file_that_is_no_chip_is_passed_over(library: Library) -> None:
    (library.devices / "gpiochip-notes.txt").touch()
    path = library.add("gpiochip0", "pinctrl-rp1")
    assert find_chip() == path


def test_no_permission_is_told_with_what_to_do(library: Library) -> None:
    path = library.add("gpiochip0", "pinctrl-rp1")
    library.forbidden.add(str(path))
    with pytest.raises(NoChipError, match=r"^no permission to use .*gpiochip0; add the user to the group gpio"):
        find_chip()


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    with pytest.raises(NoChipError, match="gpiod is not installed"):
        open_lines(PINS)


# The claim


def test_all_lines_are_claimed_at_once_with_the_largest_buffer(library: Library, lines: KernelLines) -> None:
    settings = {
        "direction": "input",
        "edge_detection": "both",
        "bias": "pull-up",
        "active_low": True,
        "event_clock": "monotonic",
    }
    assert library.asked == {
        "config": {(4, 5): settings},
        "consumer": "spit-cabinet",
        "event_buffer_size": 1_024,
    }
    assert lines.levels() == {"a.1": False, "b.1": True}


def test_events_are_read_as_the_kernel_writes_them(library: Library, lines: KernelLines) -> None:
    assert not lines.wait(0)
    written = [(123_456_789_012_345, 1, 4, 7, 3), (123_456_789_012_399, 2, 5, 8, 4_294_967_295)]
    for one in written:
        os.write(library.request.kernel_end, struct.pack("=QIIII6I", *one, 0, 0, 0, 0, 0, 0))
    assert lines.wait(0)
    assert lines.read() == written
    assert not lines.wait(0)


def test_no_more_is_read_at_once_than_the_buffer_holds(library: Library, lines: KernelLines) -> None:
    event = struct.pack("=QIIII24x", 1, 1, 4, 1, 1)
    os.write(library.request.kernel_end, event * (BUFFER_EVENTS + 5))
    assert len(lines.read()) == BUFFER_EVENTS
    assert len(lines.read()) == 5


def test_lines_that_are_gone_say_so(library: Library, lines: KernelLines) -> None:
    os.close(library.request.fd)
    try:
        for use in (lambda: lines.wait(0), lines.read):
            with pytest.raises(OSError, match="Bad file descriptor"):
                use()
    finally:
        library.request.fd = os.dup(library.request.kernel_end)


def test_closing_lets_go_of_the_claim(library: Library, lines: KernelLines) -> None:
    lines.close()
    assert library.request.releases == 1


def test_who_holds_a_line_is_told(library: Library) -> None:
    library.add("gpiochip0", "pinctrl-rp1")
    library.error = OSError(errno.EBUSY, "Device or resource busy")
    library.holders = {5: "spi0 CS0", 17: "other"}
    with pytest.raises(SourceError) as error:
        open_lines(PINS)
    assert str(error.value) == (
        "GPIO 5 (b.1) is held by 'spi0 CS0'; stop the program that uses it, or give the button another GPIO"
    )


def test_of_many_lines_that_are_held_the_first_are_named(library: Library) -> None:
    library.add("gpiochip0", "pinctrl-rp1")
    library.error = OSError(errno.EBUSY, "Device or resource busy")
    library.holders = dict.fromkeys(range(4, 10), "spit-cabinet")
    with pytest.raises(SourceError, match=r"GPIO 6 \(a\.2\) is held by 'spit-cabinet', and 1 more; stop"):
        open_lines({**PINS, "a.2": 6, "b.2": 7})


@pytest.mark.parametrize(
    "error", [OSError(errno.EINVAL, "Invalid argument"), ValueError("line offset of of out range")]
)
def test_whatever_else_the_kernel_says_is_one_line(library: Library, error: Exception) -> None:
    path = library.add("gpiochip0", "pinctrl-rp1")
    library.error = error
    with pytest.raises(SourceError, match=r"Invalid argument|of out range") as caught:
        open_lines(PINS)
    assert str(caught.value).startswith(f"the GPIO chip {path} cannot be used: ")
    assert "\n" not in str(caught.value)
