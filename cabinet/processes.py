"""Work on all cores: what comes out does not depend on how many there are."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TypeVar

PartT = TypeVar("PartT")
ResultT = TypeVar("ResultT")


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_processes(
    work: Callable[[PartT], ResultT], parts: Sequence[PartT], workers: int, tell: Callable[[ResultT], None]
) -> list[ResultT]:
    """Does each part of the work in one of `workers` processes; the results in the order of the parts.

    `work` must be a function of a module; `tell` is told each result as it comes, in any order. Ctrl-C ends the
    processes, too, whatever they are doing. To be called in the main thread.
    Raises what `work` raises, and concurrent.futures' BrokenProcessPool when a process is killed.
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, _begin_process)
    try:
        with _ctrl_c_put_off():
            futures = [pool.submit(work, part) for part in parts]
        for future in as_completed(futures):
            tell(future.result())
    except KeyboardInterrupt:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return [future.result() for future in futures]


@contextmanager
def _ctrl_c_put_off() -> Iterator[None]:
    """Ctrl-C waits; processes that start meanwhile never hear it, and so leave it to this one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_process() -> None:
    """A process ends by Ctrl-C only through the first one, and with it, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_first_process, daemon=True).start()


def _end_with_the_first_process() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
