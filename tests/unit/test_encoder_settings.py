"""The settings of encoders: names of keys and axes, and every mistake in one plain line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet import config
from cabinet.buttons.edges import SourceError
from cabinet.buttons.encoder_codes import ABS_MAX, KEY_MAX, contact_of, has_name, name_of
from cabinet.buttons.encoder_contacts import EV_ABS, EV_KEY, Contact
from cabinet.buttons.encoder_settings import EncoderSettings

PATH = "/dev/input/by-path/platform-xhci-hcd.0-usb-0:1.1:1.0-event-joystick"
OTHER = "/dev/input/by-path/platform-xhci-hcd.0-usb-0:1.2:1.0-event-joystick"


def mistakes(**table: str) -> tuple[str, ...]:
    return EncoderSettings(devices={PATH: table}).mistakes()


def test_keys_and_ends_of_axes_have_the_kernels_names() -> None:
    assert contact_of("BTN_TRIGGER") == Contact(EV_KEY, 0x120)
    assert contact_of("KEY_LEFTCTRL") == Contact(EV_KEY, 29)
    assert contact_of("ABS_X-") == Contact(EV_ABS, 0, -1)
    assert contact_of("ABS_HAT0Y+") == Contact(EV_ABS, 0x11, 1)
    assert contact_of("304") == Contact(EV_KEY, 304)


def test_every_switch_that_a_device_can_have_is_called_by_a_name_that_means_it() -> None:
    every = [Contact(EV_KEY, code) for code in range(1, KEY_MAX + 1)]
    every += [Contact(EV_ABS, code, side) for code in range(ABS_MAX + 1) for side in (-1, 1)]
    named = [contact for contact in every if has_name(contact)]
    assert [contact_of(name_of(contact)) for contact in named] == named
    assert len(named) == KEY_MAX + 2 * 11 + 2 * 8, "all keys, and both ends of 11 axes and of 4 hats"


def test_the_first_and_the_last_of_each_run_of_names_have_the_kernels_numbers() -> None:
    ends = {
        "KEY_ESC": 1, "KEY_RIGHTBRACE": 27, "KEY_ENTER": 28, "KEY_N": 49, "KEY_M": 50, "KEY_F10": 68,
        "KEY_NUMLOCK": 69, "KEY_KPDOT": 83, "KEY_102ND": 86, "KEY_F12": 88, "KEY_KPENTER": 96, "KEY_PAGEDOWN": 109,
        "KEY_INSERT": 110, "KEY_PAUSE": 119, "KEY_LEFTMETA": 125, "KEY_COMPOSE": 127,
        "KEY_F13": 183, "KEY_F24": 194,
        "BTN_0": 0x100, "BTN_9": 0x109, "BTN_LEFT": 0x110, "BTN_TASK": 0x117,
        "BTN_TRIGGER": 0x120, "BTN_BASE6": 0x12B,
        "BTN_DEAD": 0x12F, "BTN_THUMBR": 0x13E, "BTN_DPAD_UP": 0x220, "BTN_DPAD_RIGHT": 0x223,
        "BTN_TRIGGER_HAPPY1": 0x2C0, "BTN_TRIGGER_HAPPY40": 0x2E7, "BTN_SOUTH": 0x130, "BTN_WEST": 0x134,
    }  # fmt: skip
    assert {name: contact_of(name).code for name in ends} == ends
    axes = {"ABS_X-": 0, "ABS_BRAKE+": 10, "ABS_HAT0X-": 16, "ABS_HAT3Y+": 23}
    assert {name: contact_of(name).code for name in axes} == axes


def test_a_key_without_a_name_goes_by_its_number() -> None:
    assert name_of(Contact(EV_KEY, 0x1FF)) == "511"
    assert name_of(Contact(EV_KEY, 0x133)) == "BTN_X"


def test_good_settings_have_no_mistakes() -> None:
    assert mistakes(BTN_TRIGGER="a.1", KEY_A="a.spit", **{"ABS_X-": "a.left", "288": "coin"}) == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("BTN_TRIGER", "'BTN_TRIGER' is no key and no end of an axis; the nearest is BTN_TRIGGER"),
        ("ABS_XX-", "'ABS_XX-' is no key and no end of an axis; the nearest is ABS_X-"),
        ("ABS_X", "'ABS_X' is no key and no end of an axis; the nearest is ABS_X"),
        ("BTN_TRIGGER-", "'BTN_TRIGGER-' is no key and no end of an axis; the nearest is BTN_TRIGGER"),
        (
            "the red one",
            "'the red one' is no key and no end of an axis; use BTN_TRIGGER, KEY_A, a key's number, or ",
        ),
        ("900", "900 is no key; their numbers end at 767"),
    ],
)
def test_a_name_that_means_nothing_is_told(name: str, text: str) -> None:
    (mistake,) = mistakes(**{name: "a.1"})
    assert mistake.startswith(f"devices: {PATH}: {text}")
    with pytest.raises(SourceError, match=" is no key"):
        contact_of(name)


def test_a_button_that_no_panel_has_is_told() -> None:
    (mistake,) = mistakes(BTN_TRIGGER="a.6")
    assert mistake.startswith(f"devices: {PATH}: 'a.6' is no button of the panel; known are a.1, ")


def test_two_keys_for_one_button_are_told_also_on_two_encoders() -> None:
    both = EncoderSettings(devices={PATH: {"BTN_TRIGGER": "a.1"}, OTHER: {"BTN_THUMB": "a.1"}})
    assert both.mistakes() == (
        f"devices: {OTHER}: BTN_THUMB and BTN_TRIGGER of {PATH} are both a.1; take one of them away",
    )


def test_a_path_must_be_a_whole_one() -> None:
    (mistake,) = EncoderSettings(devices={"event3": {"BTN_TRIGGER": "a.1"}}).mistakes()
    assert mistake == "devices: event3 is no path of an input device; it begins with /dev/input/"


# In the settings file


def test_the_file_names_them_and_its_mistakes_have_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f'[encoder]\npoll_us = 1000\n[encoder.devices."{PATH}"]\nBTN_TRIGGER = "a.1"\n')
    encoder = config.load(path).encoder
    assert (encoder.devices, encoder.poll_us) == ({PATH: {"BTN_TRIGGER": "a.1"}}, 1_000)
    path.write_text(f'[encoder]\npoll_us = -1\n[encoder.devices."{PATH}"]\nBTN_TRIGGER = "a.9"\n')
    with pytest.raises(config.SettingsError) as caught:
        config.load(path)
    first, second = str(caught.value).splitlines()
    assert first == f"{path}:2: encoder.poll_us: found -1; allowed: a whole number from 0 to 50000"
    assert second.startswith(f'{path}:3: encoder.devices."{PATH}": found {{ BTN_TRIGGER = "a.9" }}; allowed: ')
    assert "'a.9' is no button of the panel" in second


def test_the_sample_shows_how_they_are_named_and_is_read_back() -> None:
    sample = config.sample()
    assert "[encoder.devices]" in sample
    assert "BTN_TRIGGER" in sample
    assert config._parse("sample", sample) == config.Settings()
