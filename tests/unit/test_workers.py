"""The threads: an error in one of them is logged, shown in plain words, and does not end the cabinet."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from random import Random
from threading import Event

import pytest

from cabinet import workers
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


class GameThatCannotStartAgain(FailingGame):
    """Starts once; it fails in its first step, and then cannot be started so many times."""

    def __init__(self, failed_starts: int) -> None:
        super().__init__(1)
        self.starts_left_to_fail = failed_starts
        self.has_begun = False

    def start(self, now_ns: int) -> None:
        if self.has_begun and self.starts_left_to_fail:
            self.starts_left_to_fail -= 1
            raise RuntimeError("no pack of cards")
        self.has_begun = True
        super().start(now_ns)


def test_a_game_that_cannot_be_started_anew_at_once_is_tried_again() -> None:
    snapshots: SimpleQueue[Snapshot] = SimpleQueue()
    thread = GameThread(GameThatCannotStartAgain(2), counting_clock(), snapshots.put)
    thread.start()
    assert snapshots.get(timeout=WAIT_S).scene == "attract"
    thread.stop()
    assert not thread.has_failed


def test_a_game_that_can_never_be_started_anew_gives_up() -> None:
    thread = GameThread(GameThatCannotStartAgain(FAILURES_LIMIT), counting_clock(), lambda _: None)
    thread.start()
    thread._thread.join(WAIT_S)
    assert not thread._thread.is_alive()
    assert thread.has_failed


def test_a_failing_queue_of_edges_is_a_failure_of_the_game_like_any_other() -> None:
    class DeafGame(FailingGame):
        def wait_for_edge(self, timeout_s: float) -> Edge | None:  # noqa: ARG002
            if self.failures:
                self.failures -= 1
                raise RuntimeError("the queue is broken")
            return None

    snapshots: SimpleQueue[Snapshot] = SimpleQueue()
    thread = GameThread(DeafGame(1), counting_clock(), snapshots.put)
    thread.start()
    assert [trouble.key for trouble in snapshots.get(timeout=WAIT_S).troubles] == ["game"]
    thread.stop()
    assert not thread.has_failed


def test_a_failing_clock_ends_the_thread_and_it_says_so() -> None:
    times = iter([0, 1_000_000])
    thread = GameThread(FailingGame(0), lambda: next(times), lambda _: None)
    thread.start()
    thread._thread.join(WAIT_S)
    assert not thread._thread.is_alive()
    assert thread.has_failed


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_whatever_ends_the_thread_is_a_failure_when_nobody_stopped_it() -> None:
    class LeavingGame(FailingGame):
        def step(self, now_ns: int, first: Edge | None = None) -> Snapshot | None:
            raise SystemExit(f"at {now_ns}, with {first}")

    thread = GameThread(LeavingGame(0), counting_clock(), lambda _: None)
    thread.start()
    thread._thread.join(WAIT_S)
    assert thread.has_failed


def test_a_thread_that_was_stopped_has_not_failed_and_says_that_it_has_ended() -> None:
    thread = GameThread(FailingGame(0), counting_clock(), lambda _: None)
    thread.start()
    assert thread.stop()
    assert thread.stop()
    assert not thread.has_failed


def test_a_thread_that_hangs_says_that_it_has_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "STOP_WAIT_S", 0.01)
    may_go = Event()

    class HangingGame(FailingGame):
        def step(self, now_ns: int, first: Edge | None = None) -> Snapshot | None:
            may_go.wait(WAIT_S)
            return super().step(now_ns, first)

    thread = GameThread(HangingGame(0), counting_clock(), lambda _: None)
    thread.start()
    assert not thread.stop()
    may_go.set()
    thread._thread.join(WAIT_S)
    assert thread.stop()


def test_a_consumer_handles_everything_in_order_before_it_ends() -> None:
    handled: list[int] = []
    consumer: Consumer[int] = Consumer("test", handled.append, lambda _: None)
    for item in range(100):
        consumer.give(item)
    assert consumer.stop()
    assert consumer.stop()
    assert handled == list(range(100))


def test_a_consumer_of_the_newest_leaves_out_what_is_old_by_its_turn() -> None:
    handled: list[int] = []
    is_busy, may_go = Event(), Event()

    def handle(item: int) -> None:
        handled.append(item)
        is_busy.set()
        may_go.wait(WAIT_S)

    consumer: Consumer[int] = Consumer("lamps", handle, lambda _: None, newest_only=True)
    consumer.give(0)
    assert is_busy.wait(WAIT_S)
    for item in range(1, 100):
        consumer.give(item)
    may_go.set()
    consumer.stop()
    assert handled == [0, 99]


def test_an_item_is_handled_again_after_its_rest_until_there_is_none() -> None:
    handled: list[int] = []
    rests: list[float | None] = [0.0, 0.0, None, 3_600.0]
    is_done = Event()

    def rest_s() -> float | None:
        rest = rests.pop(0)
        if rest != 0.0:
            is_done.set()
        return rest

    consumer: Consumer[int] = Consumer("lamps", handled.append, lambda _: None, newest_only=True, rest_s=rest_s)
    consumer.give(1)
    assert is_done.wait(WAIT_S)
    consumer.give(2)
    assert consumer.stop()
    assert handled == [1, 1, 1, 2]


def test_an_item_that_cannot_be_handled_is_reported_and_taken_back_with_the_next_one_that_can() -> None:
    handled: list[int] = []
    reports: list[str | None] = []

    def handle(item: int) -> None:
        if item in (1, 2, 5):
            raise OSError("disk full")
        handled.append(item)

    consumer: Consumer[int] = Consumer("record", handle, reports.append)
    for item in range(7):
        consumer.give(item)
    consumer.stop()
    assert handled == [0, 3, 4, 6]
    assert reports == ["record: disk full", None, "record: disk full", None]


def test_one_trouble_is_logged_once_however_often_it_comes(caplog: pytest.LogCaptureFixture) -> None:
    def handle(item: int) -> None:
        raise OSError("disk full" if item < 90 else "disk gone")

    caplog.set_level("ERROR", "cabinet.workers")
    consumer: Consumer[int] = Consumer("record", handle, lambda _: None)
    for item in range(100):
        consumer.give(item)
    consumer.stop()
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["disk full", "disk gone"]


def test_a_report_that_fails_does_not_end_the_consumer() -> None:
    handled: list[int] = []

    def handle(item: int) -> None:
        if item == 0:
            raise OSError("disk full")
        handled.append(item)

    def report(text: str | None) -> None:
        raise RuntimeError(f"nobody to tell {text}")

    consumer: Consumer[int] = Consumer("record", handle, report)
    for item in range(3):
        consumer.give(item)
    consumer.stop()
    assert handled == [1, 2]


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")
