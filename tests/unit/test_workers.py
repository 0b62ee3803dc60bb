"""The threads: an error in one of them is logged, shown in plain words, and does not end the cabinet."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from random import Random
from threading import Event

import pytest

from cabinet.buttons.edges import Edge
from cabinet.buttons.intake import Intake
from cabinet.game import Game, GameSettings
from cabinet.snapshot import Snapshot
from cabinet.workers import FAILURES_LIMIT, Consumer, GameThread

WAIT_S = 10.0


class FailingGame(Game):
    """Fails in its first steps, then plays."""

    def __init__(self, failures: int) -> None:
        super().__init__(GameSettings(), [], Intake(), Random(1))
        self.failures = failures

    def wait_for_edge(self, timeout_s: float) -> Edge | None:  # noqa: ARG002 - a test does not wait
        return None

    def step(self, now_ns: int, first: Edge | None = None) -> Snapshot | None:
        if self.failures:
            self.failures -= 1
            raise RuntimeError("a card is missing")
        return super().step(now_ns, first)


def counting_clock() -> Callable[[], int]:
    times = iter(range(0, 10**15, 1_000_000))
    return lambda: next(times)


def test_a_game_that_fails_starts_anew_and_says_so_on_the_screen() -> None:
    snapshots: SimpleQueue[Snapshot] = SimpleQueue()
    thread = GameThread(FailingGame(2), counting_clock(), snapshots.put)
    thread.start()
    snapshot = snapshots.get(timeout=WAIT_S)
    thread.stop()
    assert snapshot.scene == "attract"
    assert [trouble.text for trouble in snapshot.troubles] == ["Something went wrong in the game. It starts anew."]
    assert not thread.has_failed


def test_the_word_on_the_screen_goes_when_all_is_well_again() -> None:
    cleared = Event()

    def look(snapshot: Snapshot) -> None:
        if not snapshot.troubles:
            cleared.set()

    thread = GameThread(FailingGame(1), counting_clock(), look)
    thread.start()
    assert cleared.wait(WAIT_S)
    thread.stop()


def test_a_game_that_fails_again_and_again_gives_up() -> None:
    thread = GameThread(FailingGame(FAILURES_LIMIT), counting_clock(), lambda _: None)
    thread.start()
    thread._thread.join(WAIT_S)
    assert thread.has_failed


def test_a_consumer_handles_everything_in_order_before_it_ends() -> None:
    handled: list[int] = []
    consumer: Consumer[int] = Consumer("test", handled.append, lambda _: None)
    for item in range(100):
        consumer.give(item)
    consumer.stop()
    consumer.stop()
    assert handled == list(range(100))


def test_an_item_that_cannot_be_handled_is_reported_and_the_next_one_is_tried() -> None:
    handled: list[int] = []
    reports: list[str] = []

    def handle(item: int) -> None:
        if item == 1:
            raise OSError("disk full")
        handled.append(item)

    consumer: Consumer[int] = Consumer("record", handle, reports.append)
    for item in range(3):
        consumer.give(item)
    consumer.stop()
    assert handled == [0, 2]
    assert reports == ["record: disk full"]


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")
