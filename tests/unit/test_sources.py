"""Which buttons are played on: what is named, or the best that is there."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from gpiozero.pins.mock import MockFactory

from cabinet import cli, sources
from cabinet.bridges import Bridges
from cabinet.buttons.edges import SourceError
from cabinet.buttons.encoder import EncoderSource
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.gpio_chip import GpioChipSource
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.kernel_lines import NoChipError
from cabinet.sources import SourceName, Wired, find
from firmware_bridge.bridge import BridgeSource
from firmware_bridge.port import Place
from firmware_bridge.settings import BridgeSettings
from tests.unit.test_bridges import Device

SETTINGS = GpioSettings()


class Machine:
    """What there is, and what was told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.chip: Path | SourceError = Path("/dev/gpiochip0")
        self.pins: MockFactory | SourceError = MockFactory()
        self.told: list[str] = []
        monkeypatch.setattr(sources, "find_chip", lambda: self._there(self.chip))
        monkeypatch.setattr(sources, "open_pins", lambda: self._there(self.pins))
        monkeypatch.delenv("GPIOZERO_PIN_FACTORY")

    def find(
        self, name: SourceName = "auto", *, wants_lamps: bool = True, encoder: EncoderSettings | None = None
    ) -> Wired | None:
        return find(name, self.told.append, wants_lamps=wants_lamps, encoder=encoder)

    @staticmethod
    def _there(what: object) -> object:
        if isinstance(what, SourceError):
            raise what
        return what


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


NO_CHIP = NoChipError("no GPIO header was found")
NO_PINS = SourceError("lgpio is not installed")


def test_the_kernels_chip_comes_first(machine: Machine) -> None:
    wired = machine.find()
    assert wired is not None
    assert isinstance(wired.sources(SETTINGS)[0], GpioChipSource)
    assert wired.factory is machine.pins


def test_then_gpiozeros_pins(machine: Machine) -> None:
    machine.chip = NO_CHIP
    wired = machine.find()
    assert wired is not None
    assert isinstance(wired.sources(SETTINGS)[0], GpioZeroSource)


def test_then_the_keyboard_and_why_is_told(machine: Machine) -> None:
    machine.chip, machine.pins = NO_CHIP, NO_PINS
    assert machine.find() is None
    assert machine.told == ["lgpio is not installed"]


def test_a_bridge_that_the_settings_name_comes_first(machine: Machine) -> None:
    wired = find(
        "auto", machine.told.append, wants_lamps=True, bridge=BridgeSettings(devices=("/dev/serial/by-id/x",))
    )
    assert wired is not None
    assert [type(source) for source in wired.sources(SETTINGS)] == [BridgeSource]
    assert (wired.has_keys, wired.factory) == (False, None)


def test_a_bridge_that_nobody_names_is_not_looked_for(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "find_bridges", lambda _settings: pytest.fail("a port may be opened"))
    wired = machine.find()
    assert wired is not None
    assert wired.bridges is None


def test_a_simulated_bridge_has_keys_and_ends_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    bridges = Bridges([Place(path="/x")], Device())
    monkeypatch.setattr(bridges, "close", lambda: closed.append(True))
    monkeypatch.setattr(sources, "simulated_bridge", lambda: bridges)
    wired = find("simulated-bridge", pytest.fail, wants_lamps=True)
    assert wired is not None
    assert wired.has_keys
    wired.close()
    assert closed == [True]


def test_a_keyboard_that_is_asked_for_looks_at_no_pins(machine: Machine) -> None:
    assert machine.find("keyboard") is None
    assert machine.told == []


@pytest.mark.parametrize(("name", "is_chip"), [("gpio-chip", True), ("gpio-zero", False)])
def test_what_is_named_is_taken(machine: Machine, name: SourceName, is_chip: bool) -> None:
    wired = machine.find(name)
    assert wired is not None
    assert wired.on_chip == is_chip


@pytest.mark.parametrize(("name", "error"), [("gpio-chip", NO_CHIP), ("gpio-zero", NO_PINS)])
def test_what_is_named_and_not_there_is_an_error(machine: Machine, name: SourceName, error: SourceError) -> None:
    machine.chip, machine.pins = NO_CHIP, NO_PINS
    with pytest.raises(SourceError, match=str(error)):
        machine.find(name)


def test_several_chips_are_an_error_and_nothing_else_is_played_on_instead(machine: Machine) -> None:
    machine.chip = SourceError("2 GPIO chips look like the header")
    with pytest.raises(SourceError, match="2 GPIO chips"):
        machine.find()


def test_other_pins_that_gpiozero_is_asked_for_come_before_the_chip(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for asked_for, is_chip in (("mock", False), ("lgpio", True)):
        monkeypatch.setenv("GPIOZERO_PIN_FACTORY", asked_for)
        wired = machine.find()
        assert wired is not None
        assert wired.on_chip == is_chip


def test_the_chip_does_without_gpiozeros_pins_but_the_lamps_do_not(machine: Machine) -> None:
    machine.pins = NO_PINS
    wired = machine.find()
    assert wired is not None
    assert (wired.on_chip, wired.factory, wired.why_no_pins) == (True, None, "lgpio is not installed")
    wired.close()
    without_lamps = machine.find(wants_lamps=False)
    assert without_lamps is not None
    assert without_lamps.why_no_pins is None


# Encoders


@pytest.fixture
def encoder(tmp_path: Path) -> EncoderSettings:
    """One that is plugged in, and one that is not."""
    plugged = tmp_path / "left"
    plugged.touch()
    return EncoderSettings(
        devices={str(plugged): {"BTN_TRIGGER": "a.1"}, str(tmp_path / "right"): {"BTN_TRIGGER": "b.1"}}
    )


MISSING = EncoderSettings(devices={"/dev/input/by-path/nowhere-event-joystick": {"BTN_TRIGGER": "a.1"}})


def test_encoders_that_the_settings_name_and_that_are_there_come_first(
    machine: Machine, encoder: EncoderSettings
) -> None:
    wired = machine.find(encoder=encoder)
    assert wired is not None
    assert isinstance(wired.sources(SETTINGS)[0], EncoderSource)
    assert (wired.factory, wired.instead_of) == (machine.pins, None), "the lamps are on the header"


def test_encoders_without_a_header_have_no_lamps_and_none_are_missed(
    machine: Machine, encoder: EncoderSettings
) -> None:
    machine.chip = NO_CHIP
    wired = machine.find(encoder=encoder)
    assert wired is not None
    assert isinstance(wired.sources(SETTINGS)[0], EncoderSource)
    assert (wired.factory, wired.why_no_pins) == (None, None)


def test_without_the_named_encoders_the_lines_are_played_on_and_it_is_said(machine: Machine) -> None:
    wired = machine.find(encoder=MISSING)
    assert wired is not None
    assert isinstance(wired.sources(SETTINGS)[0], GpioChipSource)
    assert wired.instead_of == (
        "None of the encoders that the settings name is plugged in: the game is played on the GPIO lines. "
        "Plug one in and start the game again."
    )
    without_any = machine.find()
    assert without_any is not None
    assert without_any.instead_of is None


def test_without_them_and_without_lines_the_keyboard_plays_and_both_is_told(machine: Machine) -> None:
    machine.chip, machine.pins = NO_CHIP, NO_PINS
    assert machine.find(encoder=MISSING) is None
    assert machine.told == [
        "None of the encoders that the settings name is plugged in; lgpio is not installed",
    ]


def test_encoders_that_are_asked_for_are_taken_and_say_themselves_what_is_missing(machine: Machine) -> None:
    wired = machine.find("encoder", encoder=MISSING)
    assert wired is not None
    with pytest.raises(SourceError, match="is not there"):
        wired.sources(SETTINGS)[0].start(lambda _edge: None)


def test_named_pins_are_taken_though_there_are_encoders(machine: Machine, encoder: EncoderSettings) -> None:
    wired = machine.find("gpio-chip", encoder=encoder)
    assert wired is not None
    assert isinstance(wired.sources(SETTINGS)[0], GpioChipSource)
    assert machine.find("keyboard", encoder=encoder) is None


def test_a_raspberry_pi_is_known_by_its_device_tree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = tmp_path / "model"
    monkeypatch.setattr(sources, "PI_MODEL", model)
    assert not sources.is_raspberry_pi()
    model.write_bytes(b"Raspberry Pi 4 Model B Rev 1.1\0")
    assert sources.is_raspberry_pi()


def test_the_command_line_offers_every_source() -> None:
    assert get_args(SourceName) == cli.SOURCES
