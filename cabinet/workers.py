"""The threads beside the main one: the game thread, and consumers with queues of their own.

No thread dies in silence: what goes wrong is logged with its trace, shown in plain words, and the part goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final, Generic, TypeVar

from cabinet.game import Game
from cabinet.snapshot import Snapshot, Trouble

log: Final = logging.getLogger(__name__)

BUSY_WAIT_S: Final = 0.0005
IDLE_WAIT_S: Final = 0.005
"""How long the game thread waits for an edge, while a press may be pending and else (HOUSE.md, Time)."""
BUSY_AFTER_EDGE_NS: Final = 40_000_000
"""A press is decided, and a release rests, within this time of the last edge."""

FAILURES_LIMIT: Final = 5
FAILURES_WITHIN_NS: Final = 30_000_000_000
"""So many failures within this time: the game thread gives up, and the service ends so that it is started anew."""
TROUBLE_SHOWN_NS: Final = 8_000_000_000


class GameThread:
    """Steps a game in a thread of its own. `start`, `stop` and `has_failed` may be used from any thread."""

    def __init__(self, game: Game, clock_ns: Callable[[], int], on_snapshot: Callable[[Snapshot], None]) -> None:
        self._game = game
        self._clock_ns = clock_ns
        self._on_snapshot = on_snapshot
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="game", daemon=True)
        self._failures_ns: list[int] = []
        self.has_failed = False
        """It failed again and again, and has given up."""

    def start(self) -> None:
        """Begins in attract."""
        self._game.start(self._clock_ns())
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and waits for it; may be called twice."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def _run(self) -> None:
        busy_until_ns = 0
        while not self._stopping.is_set():
            first = self._game.wait_for_edge(BUSY_WAIT_S if self._clock_ns() < busy_until_ns else IDLE_WAIT_S)
            now_ns = self._clock_ns()
            if first is not None:
                busy_until_ns = now_ns + BUSY_AFTER_EDGE_NS
            try:
                snapshot = self._game.step(now_ns, first)
                if snapshot is not None:
                    self._on_snapshot(snapshot)
                self._forget_failure(now_ns)
            except Exception:
                log.exception("The game failed and starts anew")
                if not self._start_anew(now_ns):
                    return

    def _start_anew(self, now_ns: int) -> bool:
        """Back to attract, with a word on the screen; False when that has not helped for too long."""
        self._failures_ns = [at_ns for at_ns in self._failures_ns if now_ns - at_ns < FAILURES_WITHIN_NS]
        self._failures_ns.append(now_ns)
        if len(self._failures_ns) >= FAILURES_LIMIT:
            self.has_failed = True
            return False
        self._game.report("game", Trouble("game", "Something went wrong in the game. It starts anew."))
        self._game.start(now_ns)
        return True

    def _forget_failure(self, now_ns: int) -> None:
        if self._failures_ns and now_ns - self._failures_ns[-1] > TROUBLE_SHOWN_NS:
            self._failures_ns = []
            self._game.report("game", None)


ItemT = TypeVar("ItemT")


class Consumer(Generic[ItemT]):
    """Handles items one after the other in a thread of its own, so that whoever gives them never waits.

    `give` may be called from any thread.
    """

    def __init__(self, name: str, handle: Callable[[ItemT], None], report: Callable[[str], None]) -> None:
        """`report` is told in one line when an item could not be handled; the next one is still tried."""
        self._name = name
        self._handle = handle
        self._report = report
        self._items: SimpleQueue[ItemT] = SimpleQueue()
        self._stopping = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def give(self, item: ItemT) -> None:
        """Puts an item in the queue."""
        self._items.put(item)

    def stop(self) -> None:
        """Handles what is in the queue, then ends the thread; may be called twice."""
        self._stopping.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while True:
            try:
                item = self._items.get(timeout=0.1)
            except Empty:
                if self._stopping.is_set():
                    return
                continue
            try:
                self._handle(item)
            except Exception as error:
                log.exception("%s failed", self._name)
                self._report(f"{self._name}: {error}")
