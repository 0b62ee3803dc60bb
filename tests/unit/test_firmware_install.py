"""`spit-cabinet bridge install`: what is copied where, and what is said when it cannot be."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from serial.tools import list_ports

from cabinet.buttons.lines import PANEL_LINES
from cabinet.cli import commands
from firmware_bridge import install
from firmware_bridge.firmware.pins import USABLE, read_pins
from tests.unit.test_house import readme_rows

ROOT = Path(__file__).parents[2]
NOT_GPIO = (3, 8, 13, 18, 23, 28, 30, 33)
"""Ground, and RUN, among the first 34 pins of a Pico."""

PICO = "1 28 False Raspberry Pi Pico with RP2040\n"


class Port(msgspec.Struct):
    device: str
    description: str = "Board in FS mode"
    vid: int | None = install.RASPBERRY_PI


class Mpremote:
    """Answers as mpremote does."""

    def __init__(self, answer: str = PICO, error: str = "") -> None:
        self.calls: list[list[str]] = []
        self._answer = answer
        self._error = error

    def __call__(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        self.calls.append(list(command))
        answer = self._answer if len(self.calls) == 1 else ""
        return subprocess.CompletedProcess(command, 1 if self._error else 0, answer, self._error)


def copied(call: Sequence[str]) -> dict[str, str]:
    """What was copied, by its place on the board."""
    places = {}
    steps = " ".join(call).split(" + ")
    for step in (step.split() for step in steps if step.startswith("fs cp")):
        for source in step[2:-1]:
            target = step[-1].removeprefix(":")
            places[target + Path(source).name if target.endswith("/") else target] = source
    return places


def installed(mpremote: Mpremote, pins: Path | None = None) -> list[str]:
    said: list[str] = []
    install.install("/dev/ttyACM3", pins, said.append, mpremote)
    return said


def refusal(mpremote: Mpremote) -> str:
    with pytest.raises(install.InstallError) as caught:
        install.install("/dev/ttyACM3", None, lambda _: None, mpremote)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def imports_of(path: Path) -> set[str]:
    """Our own modules that a file imports at run time, as paths."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("firmware_bridge"):
            assert node.module is not None
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return {f"{name.replace('.', '/')}.py" for name in found if (ROOT / f"{name.replace('.', '/')}.py").exists()}


def test_every_file_that_the_firmware_imports_is_copied_to_where_it_is_imported_from() -> None:
    mpremote = Mpremote()
    installed(mpremote)
    places = copied(mpremote.calls[-1])
    assert places["main.py"].endswith("firmware_bridge/firmware/main.py")
    assert {"firmware_bridge/__init__.py", "firmware_bridge/firmware/__init__.py"} <= set(places)
    wanted = {"main.py"}
    seen: set[str] = set()
    while wanted - seen:
        place = (wanted - seen).pop()
        seen.add(place)
        wanted |= imports_of(Path(places[place]))
    assert {"firmware_bridge/protocol.py", "firmware_bridge/firmware/samples.py"} <= seen
    assert "firmware_bridge/firmware/hardware.py" not in places


def test_what_starts_the_firmware_comes_last_and_then_the_board_is_reset() -> None:
    mpremote = Mpremote()
    said = installed(mpremote)
    steps = " ".join(mpremote.calls[-1]).split(" + ")
    assert steps[-2].endswith(":main.py")
    assert steps[-1] == "reset"
    assert mpremote.calls[-1][1:5] == ["-m", "mpremote", "connect", "/dev/ttyACM3"]
    assert said == [
        "Raspberry Pi Pico with RP2040, MicroPython 1.28, at /dev/ttyACM3",
        "The firmware is on the board at /dev/ttyACM3 and runs. It has the usual pins.",
    ]


def test_the_board_s_own_pins_are_kept() -> None:
    mpremote = Mpremote(PICO.replace("False", "True"))
    assert installed(mpremote)[-1].endswith("Its pins.json was kept.")
    assert "pins.json" not in copied(mpremote.calls[-1])


def test_a_file_of_pins_is_checked_before_anything_is_touched(tmp_path: Path) -> None:
    pins = tmp_path / "mine.json"
    pins.write_text('{"buttons": {"a.1": 5}}', encoding="utf-8")
    mpremote = Mpremote(PICO.replace("False", "True"))
    installed(mpremote, pins)
    assert copied(mpremote.calls[-1])["pins.json"] == str(pins)
    pins.write_text('{"buttons": {"a.1": 24}}', encoding="utf-8")
    untouched = Mpremote()
    with pytest.raises(install.InstallError, match=r"mine\.json: a\.1: GPIO 24; allowed: 0-22, 26-28"):
        installed(untouched, pins)
    with pytest.raises(install.InstallError, match="cannot be read"):
        installed(untouched, tmp_path / "none.json")
    assert untouched.calls == []


def test_the_only_board_is_taken_and_others_on_the_bus_are_not() -> None:
    ports = [Port("/dev/ttyS0", vid=None), Port("/dev/ttyUSB0", vid=0x1A86), Port("/dev/ttyACM0")]
    assert install.the_only_board(ports) == "/dev/ttyACM0"


def test_no_board_and_several_boards_say_what_to_do() -> None:
    with pytest.raises(install.InstallError, match="No board with MicroPython was found on USB: plug it in"):
        install.the_only_board([Port("/dev/ttyS0", vid=None)])
    with pytest.raises(install.InstallError) as caught:
        install.the_only_board([Port("/dev/ttyACM0", "Board in FS mode"), Port("/dev/ttyACM1", "Pico 2")])
    assert str(caught.value) == (
        "Several boards were found: /dev/ttyACM0 (Board in FS mode), /dev/ttyACM1 (Pico 2); name one with --port."
    )


def test_a_board_that_is_none_of_ours_is_refused_in_words() -> None:
    assert "is an ESP32; the board must have RP2040 or RP2350" in refusal(Mpremote("1 24 False an ESP32\n"))
    assert "has MicroPython 1.20; it must be 1.22 or later" in refusal(Mpremote("1 20 False Pico RP2040\n"))
    assert "did not answer as MicroPython does" in refusal(Mpremote("login:\n"))
    busy = Mpremote(error="Traceback\nmpremote: failed to access /dev/ttyACM3\n")
    assert "(mpremote: failed to access /dev/ttyACM3): stop the cabinet if it runs" in refusal(busy)


def test_the_command_says_it_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    result = CliRunner().invoke(commands, ["bridge", "install"])
    assert result.exit_code == 1
    assert result.output == install.NO_MPREMOTE + "\n"
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    monkeypatch.setattr(list_ports, "comports", list)
    result = CliRunner().invoke(commands, ["bridge", "install"])
    assert result.exit_code == 1
    assert result.output == install.NO_BOARD + "\n"


def test_the_usual_pins_are_good_and_serve_every_button_with_lamps_for_the_players() -> None:
    pins = read_pins((install.FIRMWARE / "pins.json").read_text(encoding="utf-8"))
    assert set(pins.names) == set(PANEL_LINES)
    assert {pins.names[number] for number in pins.lamp_buttons} == {
        name for name in pins.names if name.startswith(("a.", "b."))
    }


def test_the_readme_s_wiring_of_a_pico_is_that_of_the_usual_pins() -> None:
    pins = json.loads((install.FIRMWARE / "pins.json").read_text(encoding="utf-8"))
    header_pins = dict(zip(USABLE, (pin for pin in range(1, 35) if pin not in NOT_GPIO), strict=True))
    rows = readme_rows("| line | GPIO of the Pico | pin | lamp's GPIO | lamp's pin |")
    assert {row[0]: int(row[1]) for row in rows} == pins["buttons"]
    assert {row[0]: int(row[3]) for row in rows if row[3]} == pins["lamps"]
    for row in rows:
        for gpio, pin in ((row[1], row[2]), (row[3], row[4])):
            assert (int(pin) if pin else None) == (header_pins[int(gpio)] if gpio else None)
