"""Bridges as the program plays on them: found, named, keys on a simulated one, clocks compared, ports on USB."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cabinet.bridges import NO_BRIDGE, Bridges, ClockNote, compared, find_bridges
from cabinet.buttons.edges import HOST_CLOCK, Deliver, SourceError, SourceStatus
from cabinet.buttons.keyboard import KeyboardSettings
from cabinet.buttons.lamp_state import LampState
from cabinet.config import Settings
from cabinet.switch_test import SwitchTest
from firmware_bridge.bridge import BridgeSource
from firmware_bridge.port import Place, SerialPorts, named, picos
from firmware_bridge.settings import BridgeSettings
from tests.unit.test_switch_test import shown

CHIP = "e66164084373532b"
OTHER = "e66164084373ffff"


PICO = (0x2E8A, 0x0005)


def usb(device: str, serial_number: str | None, usb_id: tuple[int | None, int | None] = PICO) -> SimpleNamespace:
    return SimpleNamespace(device=device, serial_number=serial_number, vid=usb_id[0], pid=usb_id[1])


def plugged_in(monkeypatch: pytest.MonkeyPatch, *found: SimpleNamespace) -> None:
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: list(found))


# Finding


def test_without_settings_every_board_with_a_picos_usb_id_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged_in(
        monkeypatch,
        usb("/dev/ttyACM1", CHIP.upper()),
        usb("/dev/ttyACM0", OTHER),
        usb("/dev/ttyACM2", None),
        usb("/dev/ttyACM3", "1", (0x2E8A, 0x0003)),
        usb("/dev/ttyUSB0", "A50285BI", (0x0403, 0x6001)),
        usb("/dev/ttyS0", None, (None, None)),
    )
    assert picos() == [Place(chip=OTHER), Place(chip=CHIP), Place(path="/dev/ttyACM2")]


def test_what_the_settings_name_is_taken_whether_it_is_there_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged_in(monkeypatch, usb("/dev/ttyACM0", OTHER))
    found = find_bridges(BridgeSettings(devices=(CHIP.upper(), "/dev/serial/by-id/x")))
    names = [source.name for source in found.sources(lambda: 0)]
    assert names == ["bridge 1", "bridge 2"]
    assert named((CHIP.upper(), "/dev/serial/by-id/x")) == [Place(chip=CHIP), Place(path="/dev/serial/by-id/x")]


def test_one_bridge_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged_in(monkeypatch, usb("/dev/ttyACM0", OTHER))
    [source] = find_bridges(BridgeSettings()).sources(lambda: 0)
    assert isinstance(source, BridgeSource)
    assert source.name == "bridge"


def test_none_at_all_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged_in(monkeypatch)
    with pytest.raises(SourceError) as error:
        find_bridges(BridgeSettings())
    assert str(error.value) == NO_BRIDGE
    assert "bridge install" in NO_BRIDGE


def test_a_chip_is_found_under_whatever_number_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged_in(monkeypatch, usb("/dev/ttyACM4", CHIP.upper()), usb("/dev/ttyACM0", OTHER))
    assert SerialPorts().find(Place(chip=CHIP)) == ["/dev/ttyACM4"]
    assert SerialPorts().find(Place(path="/dev/no-such-port", chip=CHIP)) == ["/dev/ttyACM4"]
    plugged_in(monkeypatch)
    assert SerialPorts().find(Place(chip=CHIP)) == []


@pytest.mark.parametrize(
    ("devices", "says"),
    [
        (
            ("ttyACM0",),
            "devices: 'ttyACM0' is no bridge; name a serial port (/dev/serial/by-id/…) or a chip's 16 digits",
        ),
        ((CHIP, CHIP.upper()), f"devices: {CHIP!r} is named twice; take one of them away"),
    ],
)
def test_a_wrong_list_is_one_line(devices: tuple[str, ...], says: str) -> None:
    assert BridgeSettings(devices=devices).mistakes() == (says,)
    with pytest.raises(SourceError) as error:
        find_bridges(BridgeSettings(devices=devices))
    assert str(error.value) == says


# Keys and lamps


class Device:
    """A simulated device as keys see it."""

    lines = ("a.1", "a.spit")

    def __init__(self) -> None:
        self.moved: list[tuple[str, bool]] = []
        self.is_on = True

    def contact(self, line: str, closed: bool) -> None:
        self.moved.append((line, closed))

    def close(self) -> None:
        self.is_on = False


def test_keys_move_the_simulated_devices_contacts() -> None:
    device = Device()
    keys = Bridges([Place(path="/x")], device).keys(KeyboardSettings())
    assert keys is not None
    keys.pumped(0, 1_000_000, [("a", True), ("left shift", True), ("s", True)])
    keys.pumped(1_000_000, 2_000_000, [("a", False)])
    assert device.moved == [("a.1", True), ("a.spit", True), ("a.1", False)], "it has no a.2"


def test_a_real_bridge_has_no_keys() -> None:
    assert Bridges([Place(path="/x")]).keys(KeyboardSettings()) is None


def test_a_simulated_device_is_switched_off_at_the_end() -> None:
    device = Device()
    Bridges([Place(path="/x")], device).close()
    assert not device.is_on


def test_lamps_are_told_to_every_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, object]] = []
    monkeypatch.setattr(BridgeSource, "set", lambda self, states: told.append((self.name, states)))
    found = Bridges([Place(path="/x"), Place(path="/y")])
    found.sources(lambda: 0)
    states = {"a.1": LampState("on")}
    found.set(states)
    assert told == [("bridge 1", states), ("bridge 2", states)]
    assert found.rest_s() is None


# Clocks


def status(source: str, clock: str, map_err_ns: int, *, is_live: bool = True) -> SourceStatus:
    return SourceStatus(source, clock, 1_000, 1_000, map_err_ns=map_err_ns, is_live=is_live)


class Fixed:
    """A source that always says the same."""

    def __init__(self, said: SourceStatus) -> None:
        self.name = said.source
        self.said = said

    def start(self, deliver: Deliver) -> None:
        """Nothing comes."""

    def status(self, now_ns: int) -> SourceStatus:  # noqa: ARG002 (a source's contract)
        return self.said

    def close(self) -> None:
        """Nothing is open."""


ONE = status("bridge 1", "bridge 1 1", 310_000)
TWO = status("bridge 2", "bridge 2 4", 250_000)
BOUND = "Presses on different bridges are compared to ± 0.56 ms, those on one to their own errors."


def test_two_clocks_are_compared_to_the_sum_of_their_bounds() -> None:
    assert compared([ONE, TWO]) == BOUND
    assert compared([ONE, status("gpio", HOST_CLOCK, 0)]) == BOUND.replace("bridges", "clocks").replace(
        "0.56", "0.31"
    )


def test_of_three_clocks_the_worst_two_count() -> None:
    assert compared([ONE, TWO, status("bridge 3", "bridge 3 1", 400_000)]) == BOUND.replace("0.56", "0.71")


def test_on_one_clock_or_before_all_are_live_there_is_nothing_to_say() -> None:
    assert compared([ONE]) is None
    assert compared([ONE, status("bridge 2", "bridge 2 1", 9, is_live=False)]) is None


def test_the_start_says_once_how_well_clocks_compare() -> None:
    said: list[str] = []
    late = Fixed(status("bridge 2", "bridge 2 4", 250_000, is_live=False))
    note = ClockNote([Fixed(ONE), late], said.append)
    note.look(1)
    assert said == []
    late.said = TWO
    note.look(2)
    note.look(3)
    assert said == [BOUND]


def test_the_switch_test_says_it_too() -> None:
    test = SwitchTest(Settings(), Fixed(ONE), Fixed(TWO))
    test.round(1_000)
    text = " ".join(shown(test, width=120).split())
    assert BOUND in text
    assert "bridge 1, as far as it can tell" in text
    assert "bridge 2, as far as it can tell" in text
