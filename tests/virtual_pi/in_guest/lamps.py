"""Plays from attract into a match on the kernel's pins, and tells as JSON what the START lamps' pins drove."""

from __future__ import annotations

import json
import sys
import time
from random import Random

from cabinet.buttons.gpio_lamps import GpioLamps
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.intake import Intake
from cabinet.buttons.lamp_state import LampState
from cabinet.buttons.pin_factory import open_lgpio
from cabinet.engine.match import Match, new_match
from cabinet.engine.rules import Rules
from cabinet.game import Game, GameSettings
from cabinet.lamps import LIT
from cabinet.snapshot import Snapshot
from cabinet.workers import Consumer, GameThread
from tests.virtual_pi.in_guest.header import SETTINGS, lamp, plug_in, press_by_command, wait_for

LAMPS = tuple(SETTINGS.lamps)


def levels(enough: int, at_most: int = 30) -> dict[str, list[int]]:
    """The levels that each lamp's pin drives: looked at until there were `enough` of them, or `at_most` times."""
    return {line: _levels_of(line, enough, at_most) for line in LAMPS}


def _levels_of(line: str, enough: int, at_most: int) -> list[int]:
    seen: set[int] = set()
    for _ in range(at_most):
        seen.add(lamp(line))
        if len(seen) == enough:
            break
    return sorted(seen)


def steady() -> dict[str, list[int]]:
    """The levels within three looks."""
    return levels(2, at_most=3)


def deal(rules: Rules, _seed: int) -> Match:
    """A match whose first cards leave somebody something to play."""
    return new_match(rules, Random(1))


def main() -> None:
    plug_in()
    factory = open_lgpio()
    lamps = GpioLamps(SETTINGS, factory)
    source = GpioZeroSource(SETTINGS, factory)
    game = Game(GameSettings(deal=deal), [source], Intake(), Random(1))
    troubles: list[str] = []

    def report(text: str | None) -> None:
        troubles.extend([text] if text is not None else [])

    def light(snapshot: Snapshot) -> None:
        lamps.set(dict(snapshot.lamps))

    consumer = Consumer("lamps", light, report, newest_only=True, rest_s=lamps.rest_s)
    thread = GameThread(game, time.monotonic_ns, consumer.give)
    source.start(game.deliver)
    thread.start()
    seen = {"attract": levels(2)}
    press_by_command("a.spit")
    wait_for("a has joined", lambda: game.latest.seats_a.player == "human")
    press_by_command("b.spit")
    wait_for("b has joined", lambda: game.latest.seats_b.player == "human")
    press_by_command("b.spit")
    wait_for("b is ready", lambda: game.latest.seats_b.is_ready)
    seen["a waits, b is ready"] = {"a.spit": _levels_of("a.spit", 2, 30), "b.spit": _levels_of("b.spit", 2, 3)}
    press_by_command("a.spit")
    wait_for("cards are turned", lambda: game.latest.view is not None and game.latest.view.phase == "play")
    time.sleep(0.2)
    is_stuck = game.latest.view is not None and game.latest.view.is_stuck
    seen["play"] = steady()
    thread.stop()
    consumer.stop()
    source.close()
    lamps.set(dict.fromkeys(LAMPS, LampState("on", brightness=180)))
    seen["dimmed"] = levels(2)
    lamps.set(dict.fromkeys(LAMPS, LIT))
    seen["all lit"] = steady()
    lamps.close()
    seen["closed"] = steady()
    factory.close()
    troubles += [trouble.text for trouble in game.latest.troubles]
    result = {"levels": seen, "is_stuck": is_stuck, "has_failed": thread.has_failed, "troubles": troubles}
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
