"""Source: buttons on USB encoders, keyboard encoders and gpio-keys, through the kernel's input devices.

One thread reads all of them; it only queues. An encoder is known by the plug it is in, so that two of one name
keep their seats; one that is unplugged is opened again in the same plug. The stamps are the kernel's, less the
time that an encoder takes: see `encoder_timing` for how well they are known.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event, Thread
from typing import Final

from cabinet.buttons.edges import HOST_CLOCK, Deliver, Edge, SourceError, SourceStatus
from cabinet.buttons.encoder_device import Inputs, KernelInputs
from cabinet.buttons.encoder_plug import Plug, PlugEdge
from cabinet.buttons.encoder_settings import EncoderSettings
from cabinet.buttons.settling import BUSY_AFTER_EDGE_NS, LOOKS_EVERY_NS, Slack, held_since_start, lateness_ns

SLACK_NS: Final = 1_000_000
SLACK_LIMIT_NS: Final = 15_000_000
"""How late an event may come after its stamp: the kernel wakes the reader in the same interrupt."""

BUSY_WAIT_MS: Final = LOOKS_EVERY_NS // 1_000_000
IDLE_WAIT_MS: Final = 5
"""How long to wait for events while a press may be pending, and else (HOUSE.md, Time)."""

STOP_WAIT_S: Final = 2.0

log: Final = logging.getLogger(__name__)


class EncoderSource:
    """Buttons on input devices. `start` and `close` belong to one thread, `status` to any."""

    def __init__(
        self,
        settings: EncoderSettings,
        inputs: Inputs | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        name: str = "encoder",
    ) -> None:
        """`clock_ns`: the host's CLOCK_MONOTONIC."""
        self.name = name
        self.edges = 0
        """Delivered so far, and the number of the last one."""
        self.made_up = 0
        """Of these, made up: events were lost, or a plug was pulled."""
        self._settings = settings
        self._inputs = inputs or KernelInputs()
        self._clock_ns = clock_ns
        self._plugs: list[Plug] = []
        self._deliver: Deliver | None = None
        self._slack = Slack(SLACK_NS, SLACK_LIMIT_NS)
        self._before_stamp_ns = 0
        self._largest_err_ns = 0
        self._busy_until_ns = 0
        self._watermark_ns = 0
        self._stopping = Event()
        self._thread: Thread | None = None
        self._status: SourceStatus | None = None

    def start(self, deliver: Deliver) -> None:
        """Open the encoders, then deliver their edges from a thread of its own.

        Those that are not there are waited for. Raises SourceError with one plain line when none is, or when one
        cannot be used.
        """
        self.claim(deliver)
        self._stopping.clear()
        self._thread = Thread(target=self._run, name=f"{self.name} reader", daemon=True)
        self._thread.start()

    def claim(self, deliver: Deliver) -> None:
        """Open the encoders and start no thread: somebody calls `round`. Raises SourceError as `start` does."""
        self._check()
        self._deliver = deliver
        tables = self._settings.devices.items()
        plugs = [Plug(path, lines, self._settings, self._inputs, self._clock_ns) for path, lines in tables]
        now_ns = self._clock_ns()
        errors: list[Exception] = []
        try:
            for plug in plugs:
                try:
                    plug.open(now_ns)
                except OSError as error:
                    plug.missing(now_ns, error)
                    errors.append(error)
            if len(errors) == len(plugs):
                raise SourceError(_one_line(plug.trouble or "" for plug in plugs) or "")
        except SourceError:
            for plug in plugs:
                plug.close()
            raise
        self._plugs = plugs
        self._busy_until_ns = self._watermark_ns = now_ns
        self._status = self._new_status(now_ns)

    def round(self) -> None:
        """One round of the reader's thread: reads and delivers, looks for lost encoders; waits if nothing came."""
        now_ns = self._clock_ns()
        ready = self._inputs.wait(0)
        edges: list[PlugEdge] = []
        for plug in self._plugs:
            if not plug.is_open:
                plug.try_again(now_ns)
            elif plug.path in ready:
                edges += self._read(plug, now_ns)
            else:
                plug.seen_empty(now_ns)
        for edge in sorted(edges, key=lambda one: one.t_ns):
            self._give(edge)
        if ready:
            self._busy_until_ns = now_ns + BUSY_AFTER_EDGE_NS
        self._status = self._new_status(now_ns)
        if not ready:
            self._inputs.wait(BUSY_WAIT_MS if now_ns < self._busy_until_ns else IDLE_WAIT_MS)

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything was delivered at the reader's last round. Thread-safe."""
        status, thread = self._status, self._thread
        if status is not None and (thread is None or thread.is_alive()):
            return status
        has_died = thread is not None and not self._stopping.is_set()
        return SourceStatus(
            source=self.name,
            clock=HOST_CLOCK,
            watermark_ns=now_ns,
            largest_err_ns=self._largest_err_ns,
            is_live=False,
            trouble="The thread that reads the encoders has ended: restart the game." if has_died else None,
            losses=self.made_up,
        )

    def close(self) -> None:
        """End the thread, then let go of the encoders. May be called twice."""
        self._stopping.set()
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join(STOP_WAIT_S)
            if thread.is_alive():
                log.error("The thread that reads the encoders does not end; they stay held")
                return
        self._thread = self._status = None
        for plug in self._plugs:
            plug.close()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self.round()
        except Exception:
            log.exception("The thread that reads the encoders has ended")

    def _check(self) -> None:
        """That the settings name encoders, and each once."""
        settings = self._settings
        if mistakes := settings.mistakes():
            raise SourceError("; ".join(mistakes))
        if not any(settings.devices.values()):
            raise SourceError(
                "the settings name no encoder; spit-cabinet buttons --learn asks for each button and writes them"
            )
        places: dict[Path, str] = {}
        for path in settings.devices:
            if (other := places.setdefault(Path(path).resolve(), path)) != path:
                raise SourceError(
                    f"{other} and {path} are one and the same encoder; put its buttons into one table"
                )

    def _read(self, plug: Plug, now_ns: int) -> list[PlugEdge]:
        known_ns = plug.known_ns
        try:
            edges = plug.read(now_ns)
        except OSError as error:
            return plug.lose(now_ns, error)
        except Exception as error:
            log.exception("Reading %s failed; it is opened anew", plug.path)
            return plug.lose(now_ns, error)
        self._slack.seen(lateness_ns(plug.oldest_ns, now_ns, known_ns), now_ns)
        return edges

    def _give(self, edge: PlugEdge) -> None:
        assert self._deliver is not None
        self.edges += 1
        self.made_up += edge.made_up
        made = Edge(HOST_CLOCK, edge.line, edge.active, edge.t_ns, edge.err_ns, self.edges, edge.made_up)
        self._deliver(made)

    def _new_status(self, now_ns: int) -> SourceStatus:
        opened = [plug for plug in self._plugs if plug.is_open]
        self._before_stamp_ns = max(self._before_stamp_ns, *(plug.before_stamp_ns for plug in self._plugs))
        self._largest_err_ns = max(self._largest_err_ns, *(plug.err_ns for plug in self._plugs))
        known_ns = min((plug.known_ns for plug in opened), default=now_ns)
        held = sorted(line for plug in opened for line in plug.held_since_start(now_ns))
        troubles = [plug.trouble for plug in self._plugs if plug.trouble is not None]
        troubles += [text for text in (held_since_start(held),) if text is not None]
        return SourceStatus(
            source=self.name,
            clock=HOST_CLOCK,
            watermark_ns=known_ns - self._slack.slack_ns(now_ns) - self._before_stamp_ns,
            largest_err_ns=self._largest_err_ns,
            is_live=all(plug.is_open for plug in self._plugs if plug.has_seat),
            trouble=_one_line(troubles),
            losses=self.made_up,
        )


def _one_line(troubles: Iterable[str]) -> str | None:
    """Several troubles as one."""
    several = list(troubles)
    return several[0] if len(several) == 1 else "; ".join(text.rstrip(".") for text in several) or None


def are_there(settings: EncoderSettings, inputs: Inputs | None = None) -> bool:
    """Whether at least one of the encoders that the settings name is plugged in."""
    inputs = inputs or KernelInputs()
    return any(inputs.is_there(path) for path, lines in settings.devices.items() if lines)
