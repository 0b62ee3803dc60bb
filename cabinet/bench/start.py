"""How long the cabinet takes to its first frame, and how much memory it needs: measured of a process of its own.

`measure` starts this module as a program, in which the real service shows attract to a screen that shows nothing.
The program ends by itself and says on its standard output what it has seen.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Final

import msgspec

from cabinet import config
from cabinet.service import RunOptions, Service

NS_IN_S: Final = 1_000_000_000
SETTINGS: Final = '[display]\ndriver = "dummy"\nwidth = {}\nheight = {}\n'
LOOK_EVERY_S: Final = 0.001
LONGEST_S: Final = 30
"""A process that has shown nothing by then will never."""
BYTES_IN_KIB: Final = 1_024
BYTES_IN_MB: Final = 1_000_000


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of a start."""

    start_s: float
    """From starting the interpreter to the first frame."""
    rss_mb: float
    """The most memory that was in use so far, some seconds later."""
    frames: int
    """Frames shown until then."""


class Seen(msgspec.Struct, frozen=True):
    """What the started program says of itself."""

    first_frame_ns: int
    """Host time at which the first frame had been shown."""
    peak_kib: int
    """The largest resident set, in KiB."""
    frames: int


class StartError(Exception):
    """The started program has shown nothing; the text says why in one line."""


def measure(size: tuple[int, int], *, seconds: float) -> Start:
    """Starts the cabinet and lets it draw attract at that size for `seconds`.

    Raises StartError with one plain line.
    """
    with tempfile.TemporaryDirectory(prefix="spit-cabinet-bench-") as folder:
        path = Path(folder) / "settings.toml"
        path.write_text(SETTINGS.format(*size), encoding="utf-8")
        began_ns = time.monotonic_ns()
        seen = _run_program(path, seconds)
    return Start(
        start_s=round((seen.first_frame_ns - began_ns) / NS_IN_S, 3),
        rss_mb=round(seen.peak_kib * BYTES_IN_KIB / BYTES_IN_MB, 1),
        frames=seen.frames,
    )


def _run_program(settings: Path, seconds: float) -> Seen:
    command = [sys.executable, "-m", "cabinet.bench.start", str(settings), str(seconds)]
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=LONGEST_S + seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise StartError(f"the cabinet has shown nothing for {LONGEST_S} s") from error
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise StartError(f"the cabinet has not started: {said[-1]}")
    return msgspec.json.decode(lines[-1], type=Seen)


def program(settings_path: Path, seconds: float) -> Seen:
    """Runs the service until it has drawn for `seconds`; what was seen. Belongs to the main thread."""
    service = Service(config.load(settings_path), RunOptions(source="keyboard"))
    watcher = _Watcher(service, seconds)
    watcher.start()
    service.run()
    return watcher.seen()


class _Watcher:
    """Looks from a thread of its own whether the service has shown a frame, and stops it some time later."""

    def __init__(self, service: Service, seconds: float) -> None:
        self._service = service
        self._seconds = seconds
        self._first_frame_ns = 0
        self._thread = Thread(target=self._watch, name="watcher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def seen(self) -> Seen:
        self._thread.join()
        return Seen(self._first_frame_ns, peak_kib(), self._service.frames_shown)

    def _watch(self) -> None:
        while not self._service.frames_shown:
            time.sleep(LOOK_EVERY_S)
        self._first_frame_ns = time.monotonic_ns()
        time.sleep(self._seconds)
        self._service.stop()


def peak_kib() -> int:
    """The largest resident set that this process has had, in KiB; 0 where the kernel does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


if __name__ == "__main__":
    answer = program(Path(sys.argv[1]), float(sys.argv[2]))
    sys.stdout.write(msgspec.json.encode(answer).decode() + "\n")
