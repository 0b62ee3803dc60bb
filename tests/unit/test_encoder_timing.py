"""How well an input device's stamps are known, from what the kernel's sysfs says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.buttons.edges import WIDE_ERROR_NS
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.encoder_timing import Timing, timing_of

MS = 1_000_000
US = 1_000
DEVICE_US = EncoderSettings().device_us


class Sysfs:
    """A /sys with one input device, event3."""

    def __init__(self, root: Path) -> None:
        self.classes = root / "class" / "input"
        self.root = root

    def usb(self, *endpoints: tuple[str, str, str], folder: str = "usb1/1-1.2/1-1.2:1.0") -> Path:
        """A joystick on USB, whose endpoints have a type, a direction and an interval."""
        interface = self.root / "devices" / folder
        for number, (kind, direction, interval) in enumerate(endpoints):
            endpoint = interface / f"ep_8{number}"
            endpoint.mkdir(parents=True)
            for name, text in (("type", kind), ("direction", direction), ("interval", interval)):
                (endpoint / name).write_text(f"{text}\n")
        return self._hang(interface / "0003:0079:0006.0001", "hid-generic")

    def gpio_keys(self, *debounces_ms: int | None) -> Path:
        """Keys on GPIO lines, with what the device tree says of each."""
        device = self.root / "devices" / "platform" / "gpio-keys"
        for number, debounce_ms in enumerate(debounces_ms):
            node = device / "of_node" / f"button@{number}"
            node.mkdir(parents=True)
            if debounce_ms is not None:
                (node / "debounce-interval").write_bytes(debounce_ms.to_bytes(4, "big"))
        return self._hang(device, "gpio-keys")

    def _hang(self, device: Path, driver: str) -> Path:
        drivers = self.root / "bus" / "drivers" / driver
        drivers.mkdir(parents=True)
        event = device / "input" / "input7" / "event3"
        event.mkdir(parents=True)
        (device / "driver").symlink_to(drivers)
        (event.parent / "device").symlink_to(device)
        (event / "device").symlink_to(event.parent)
        self.classes.mkdir(parents=True)
        (self.classes / "event3").symlink_to(event)
        return device

    def timing(self, settings: EncoderSettings | None = None) -> Timing:
        return timing_of("event3", settings or EncoderSettings(), self.classes)


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path)


@pytest.mark.parametrize(
    ("asks_for", "is_asked_every_us"),
    [("10ms", 8_000), ("8ms", 8_000), ("4ms", 4_000), ("1ms", 1_000), ("125us", 125), ("32ms", 32_000)],
)
def test_a_usb_encoder_is_asked_as_often_as_it_asks_for_in_powers_of_two(
    sysfs: Sysfs, asks_for: str, is_asked_every_us: int
) -> None:
    sysfs.usb(("Interrupt", "in", asks_for))
    timing = sysfs.timing()
    assert (timing.shortest_ns, timing.longest_ns) == (0, (is_asked_every_us + DEVICE_US) * US)
    assert timing.way == f"USB, asked every {is_asked_every_us / 1_000:g} ms, as it asks for"


def test_the_middle_and_its_error_hold_every_instant_that_is_possible() -> None:
    for shortest_ns, longest_ns in ((0, 9 * MS), (0, 9 * MS + 1), (4 * MS, 13 * MS), (0, 0), (1, 2)):
        timing = Timing(shortest_ns, longest_ns, "")
        for truth_ns in (shortest_ns, longest_ns):
            for cut_off_ns in (0, 999):
                stamp_ns = 10 * MS - cut_off_ns
                seen_ns = stamp_ns - timing.before_stamp_ns
                assert abs(10 * MS - truth_ns - seen_ns) <= timing.err_ns


def test_a_slow_encoder_can_still_tie_and_one_of_16_ms_cannot(sysfs: Sysfs) -> None:
    sysfs.usb(("Interrupt", "in", "10ms"))
    assert sysfs.timing().err_ns < WIDE_ERROR_NS
    assert sysfs.timing(EncoderSettings(poll_us=16_000)).err_ns > WIDE_ERROR_NS


def test_only_what_the_device_sends_by_itself_counts(sysfs: Sysfs) -> None:
    sysfs.usb(("Interrupt", "out", "32ms"), ("Bulk", "in", "64ms"), ("Interrupt", "in", "2ms"))
    assert sysfs.timing().longest_ns == (2_000 + DEVICE_US) * US


def test_of_several_the_slowest_counts(sysfs: Sysfs) -> None:
    sysfs.usb(("Interrupt", "in", "1ms"), ("Interrupt", "in", "4ms"))
    assert sysfs.timing().longest_ns == (4_000 + DEVICE_US) * US


def test_the_owners_word_comes_first(sysfs: Sysfs) -> None:
    sysfs.usb(("Interrupt", "in", "10ms"))
    timing = sysfs.timing(EncoderSettings(poll_us=1_000, device_us=0))
    assert (timing.longest_ns, timing.way) == (1 * MS, "USB, asked every 1 ms, as set by poll_us")


@pytest.mark.parametrize("interval", ["", "0ms", "fast"])
def test_what_cannot_be_read_is_taken_for_slow(sysfs: Sysfs, interval: str) -> None:
    sysfs.usb(("Interrupt", "in", interval))
    assert sysfs.timing().longest_ns == (8_000 + DEVICE_US) * US
    assert sysfs.timing().way == "of unknown kind, asked every 8 ms, taken for slow"


def test_a_device_that_is_nowhere_in_sysfs_is_taken_for_slow(tmp_path: Path) -> None:
    assert timing_of("event9", EncoderSettings(), tmp_path).longest_ns == (8_000 + DEVICE_US) * US


def test_a_neighbours_endpoint_is_not_taken(sysfs: Sysfs, tmp_path: Path) -> None:
    sysfs.usb()
    other = tmp_path / "devices" / "usb1" / "1-1.3" / "1-1.3:1.0" / "ep_81"
    other.mkdir(parents=True)
    for name, text in (("type", "Interrupt"), ("direction", "in"), ("interval", "1ms")):
        (other / name).write_text(text)
    assert sysfs.timing().way.startswith("of unknown kind")


@pytest.mark.parametrize(
    ("debounces_ms", "from_ms", "to_ms"),
    [((5, 5), 4, 13), ((None,), 4, 13), ((1, 20), 16, 25), ((0,), 0, 5)],
)
def test_gpio_keys_are_stamped_when_the_contact_has_been_at_rest(
    sysfs: Sysfs, debounces_ms: tuple[int | None, ...], from_ms: int, to_ms: int
) -> None:
    sysfs.gpio_keys(*debounces_ms)
    timing = sysfs.timing()
    assert (timing.shortest_ns, timing.longest_ns) == (from_ms * MS, to_ms * MS)
    assert timing.way.startswith("gpio-keys, at rest for ")
    assert timing.err_ns < WIDE_ERROR_NS


def test_a_switch_that_bounces_longer_makes_gpio_keys_less_certain(sysfs: Sysfs) -> None:
    sysfs.gpio_keys(5)
    assert sysfs.timing(EncoderSettings(bounce_us=20_000)).longest_ns == 28 * MS
