"""The firmware's logic: the same checks on the same files under CPython and MicroPython's Unix port."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from tests.firmware_checks import capture, lamps, link, loop
from tests.micropython import run_micropython

MODULES = (capture, lamps, link, loop)
PREFIX = "check_"

UNDER_MICROPYTHON = """
from tests.firmware_checks import {module} as checks
for name in sorted(dir(checks)):
    if name.startswith("check_"):
        getattr(checks, name)()
        print(name)
"""


def checks_of(module: ModuleType) -> list[str]:
    return sorted(name for name in vars(module) if name.startswith(PREFIX))


@pytest.mark.parametrize(
    "check", [pytest.param(getattr(module, name), id=name) for module in MODULES for name in checks_of(module)]
)
def test_firmware(check: Callable[[], None]) -> None:
    check()


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_firmware_under_micropython(module: ModuleType) -> None:
    name = module.__name__.rpartition(".")[2]
    assert run_micropython(UNDER_MICROPYTHON.format(module=name)).split() == checks_of(module)
