"""Which pins are opened, and what is said when they cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from cabinet.buttons import pin_factory
from cabinet.buttons.edges import SourceError
from cabinet.buttons.pin_factory import open_lgpio, open_pins


def test_an_empty_lgpio_package_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", types.ModuleType("lgpio"))
    with pytest.raises(SourceError, match=r"empty package; run: sudo apt install python3-lgpio.*--system-site"):
        open_lgpio()


def test_lgpio_leaves_no_file_behind_and_does_not_move_the_program(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "lib" / "lgpio.py").write_text(
        "import os; os.chdir(os.environ['LG_WD']); os.mkfifo('.lgd-nfy0'); gpiochip_open = None\n"
    )
    program = "import os; from cabinet.buttons import pin_factory as g; g._import_lgpio(); print(os.getcwd())"
    environment = {name: text for name, text in os.environ.items() if name != "LG_WD"}
    environment |= {"PYTHONPATH": str(tmp_path / "lib"), "TMPDIR": str(tmp_path / "tmp")}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{root}\n", "")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_chip_is_found_by_its_label_and_its_number_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    labels = {0: "raspberrypi-exp-gpio", 11: "brcmvirt-gpio"}
    fake = types.SimpleNamespace(
        error=OSError,
        gpiochip_open=lambda number: number,
        gpio_get_chip_info=lambda handle: (0, 54, "gpiochip", labels[handle]),
        gpiochip_close=lambda _handle: 0,
    )
    for number in labels:
        (tmp_path / f"gpiochip{number}").touch()
    monkeypatch.setitem(sys.modules, "lgpio", fake)
    monkeypatch.setattr(pin_factory, "Path", lambda _path: tmp_path)
    monkeypatch.setattr(pin_factory, "_import_lgpio", lambda: fake)
    with pytest.raises(SourceError, match=r"looked at /dev/gpiochip0, /dev/gpiochip11\)"):
        open_lgpio()

    factories = {11: MockFactory()}
    pins = types.SimpleNamespace(LGPIOFactory=lambda chip: factories[chip])
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", pins)
    labels[11] = "pinctrl-rp1"
    assert open_lgpio() is factories[11]


def test_gpiozeros_own_variable_asks_for_other_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    assert isinstance(open_pins(), MockFactory)


def test_pins_that_are_not_there_get_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "elsewhere")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    with pytest.raises(SourceError, match="GPIOZERO_PIN_FACTORY=elsewhere") as caught:
        open_pins()
    assert "\n" not in str(caught.value)
