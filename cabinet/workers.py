"""The threads beside the main one: the game thread, and consumers with queues of their own.

No thread dies in silence: what goes wrong is logged with its trace, shown in plain words, and the part goes on.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from threading import Condition, Event, Thread
from typing import Final, Generic, TypeVar

from cabinet import pace
from cabinet.buttons.settling import BUSY_AFTER_EDGE_NS
from cabinet.game import Game
from cabinet.snapshot import Snapshot, Trouble

log: Final = logging.getLogger(__name__)

NS_IN_S: Final = 1_000_000_000

FAILURES_LIMIT: Final = 5
FAILURES_WITHIN_NS: Final = 30 * NS_IN_S
"""So many failures within this time: the game thread gives up, and the service ends so that it is started anew."""
TROUBLE_SHOWN_NS: Final = 8 * NS_IN_S
STOP_WAIT_S: Final = 2.0
"""How long a thread that is to end is waited for."""


class GameThread:
    """Steps a game in a thread of its own. `start`, `stop` and `has_failed` may be used from any thread."""

    def __init__(self, game: Game, clock_ns: Callable[[], int], on_snapshot: Callable[[Snapshot], None]) -> None:
        self._game = game
        self._clock_ns = clock_ns
        self._on_snapshot = on_snapshot
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="game", daemon=True)
        self._busy_until_ns = 0
        self._must_start_anew = False
        self._failures_ns: list[int] = []
        self.has_failed = False
        """It has ended though nobody stopped it."""

    def start(self) -> None:
        """Begins in attract."""
        self._game.start(self._clock_ns())
        self._thread.start()

    def stop(self) -> bool:
        """Ends the thread and waits for it, at most `STOP_WAIT_S`; whether it has ended. May be called again."""
        self._stopping.set()
        return _has_ended(self._thread)

    def _run(self) -> None:
        try:
            self._step_until_stopped()
        except Exception:
            log.exception("The game thread cannot go on")
        finally:
            self.has_failed = not self._stopping.is_set()

    def _step_until_stopped(self) -> None:
        while not self._stopping.is_set():
            try:
                self._step()
            except Exception:
                log.exception("The game failed and starts anew")
                if self._fails_too_often(self._clock_ns()):
                    log.error("The game has failed %d times and gives up", len(self._failures_ns))
                    return
                self._must_start_anew = True

    def _step(self) -> None:
        """One step of the game, when the next edge has come or it is time; first it starts anew if it must."""
        wait_ns = pace.step_ns(self._clock_ns(), self._busy_until_ns)
        first = self._game.wait_for_edge(wait_ns / NS_IN_S)
        now_ns = self._clock_ns()
        if self._must_start_anew:
            self._game.start(now_ns)
            self._must_start_anew = False
        if first is not None:
            self._busy_until_ns = now_ns + BUSY_AFTER_EDGE_NS
        snapshot = self._game.step(now_ns, first)
        if snapshot is not None:
            self._on_snapshot(snapshot)
        self._forget_failure(now_ns)

    def _fails_too_often(self, now_ns: int) -> bool:
        """Puts a word on the screen; True when it has failed again and again, and starting anew has not helped."""
        self._failures_ns = [at_ns for at_ns in self._failures_ns if now_ns - at_ns < FAILURES_WITHIN_NS]
        self._failures_ns.append(now_ns)
        self._game.report("game", Trouble("game", "Something went wrong in the game. It starts anew."))
        return len(self._failures_ns) >= FAILURES_LIMIT

    def _forget_failure(self, now_ns: int) -> None:
        if self._failures_ns and now_ns - self._failures_ns[-1] > TROUBLE_SHOWN_NS:
            self._failures_ns = []
            self._game.report("game", None)


ItemT = TypeVar("ItemT")


class Consumer(Generic[ItemT]):
    """Handles items one after the other in a thread of its own, so that whoever gives them never waits.

    `give` and `stop` may be called from any thread.
    """

    def __init__(
        self,
        name: str,
        handle: Callable[[ItemT], None],
        report: Callable[[str | None], None],
        *,
        newest_only: bool = False,
        rest_s: Callable[[], float | None] = lambda: None,
    ) -> None:
        """`report` is told in one line that an item could not be handled, and None when one could be again.

        The next item is always tried. `newest_only`: of the items that wait, all but the newest are left out.
        `rest_s`: after so many seconds without a new item the last one is handled again; None: never.
        """
        self._name = name
        self._handle = handle
        self._report = report
        self._rest_s = rest_s
        self._items: deque[ItemT] = deque(maxlen=1 if newest_only else None)
        self._changed = Condition()
        self._is_stopping = False
        self._trouble: str | None = None
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def give(self, item: ItemT) -> None:
        """Lets an item wait for its turn."""
        with self._changed:
            self._items.append(item)
            self._changed.notify()

    def stop(self) -> bool:
        """Handles what waits, then ends the thread, within `STOP_WAIT_S`; whether it has. May be repeated."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify()
        has_ended = _has_ended(self._thread)
        if not has_ended:
            log.error("%s: does not end; %d items are left", self._name, len(self._items))
        return has_ended

    def _run(self) -> None:
        last: deque[ItemT] = deque(maxlen=1)
        rest_s: float | None = None
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._items or self._is_stopping, rest_s)
                if self._items:
                    last.append(self._items.popleft())
                elif self._is_stopping:
                    return
            rest_s = None
            try:
                self._handle_one(last[0])
                rest_s = self._rest_s()
            except Exception:
                log.exception("%s: its trouble could not be shown", self._name)

    def _handle_one(self, item: ItemT) -> None:
        text: str | None = None
        try:
            self._handle(item)
        except Exception as error:
            text = f"{self._name}: {error}"
            if text == self._trouble:
                return
            log.exception("%s failed", self._name)
        else:
            if self._trouble is None:
                return
            log.info("%s works again", self._name)
        self._trouble = text
        self._report(text)


def _has_ended(thread: Thread) -> bool:
    if thread.is_alive():
        thread.join(STOP_WAIT_S)
    return not thread.is_alive()
