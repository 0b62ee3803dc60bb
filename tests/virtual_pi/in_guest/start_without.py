"""Starts the cabinet where something is missing, and tells as JSON what it said and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from typing import Any

import gpiod

from cabinet.buttons.kernel_lines import NoChipError, find_chip
from tests.virtual_pi.in_guest.header import SETTINGS, plug_in

NOBODY = 65_534


def start(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "cabinet", "run", *words], capture_output=True, text=True, check=False, timeout=100
    )
    return {"status": done.returncode, "out": done.stdout, "err": done.stderr}


def find_chip_as(user: int) -> str:
    """What is said to a user who may not open the chip."""
    ours, theirs = Pipe()
    process = get_context("fork").Process(target=_find_chip_as, args=(user, theirs))
    process.start()
    told: str = ours.recv()
    process.join()
    return told


def _find_chip_as(user: int, answer: Connection) -> None:
    os.setgroups([])
    os.setuid(user)
    try:
        answer.send(str(find_chip()))
    except NoChipError as error:
        answer.send(str(error))


@contextmanager
def held(gpio: int, consumer: str) -> Iterator[None]:
    """Another program has this line."""
    with gpiod.request_lines(str(find_chip()), config={gpio: gpiod.LineSettings()}, consumer=consumer):
        yield


def main() -> None:
    result: dict[str, Any] = {
        f"no header for {name}": start("--source", name, "--headless") for name in ("gpio-chip", "gpio-zero")
    }
    plug_in()
    result["no screen"] = start("--source", "gpio-zero")
    result["forbidden"] = find_chip_as(NOBODY)
    with held(SETTINGS.pins["a.3"], "blink"):
        result["held"] = start("--source", "gpio-chip", "--headless")
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
