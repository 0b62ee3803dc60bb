"""Every way of reading buttons that is compared. Pure."""

from __future__ import annotations

from typing import Final

from cabinet.bench.fairness.cabinet_path import CabinetPath
from cabinet.bench.fairness.paths import PathKind
from cabinet.bench.fairness.usual import FramePolling, HostReceiveTime, LockOut, RestThenKernel, RestThenLgpio

CABINET: Final = PathKind("cabinet", "this cabinet", "this cabinet", CabinetPath)
PATHS: Final = (
    CABINET,
    PathKind("frame_polling", "frame polling", "polled once a frame, the left first", FramePolling),
    PathKind("rest_lgpio", "rest, lgpio", "waits for rest, lgpio's stamps", RestThenLgpio),
    PathKind("rest_kernel", "rest, kernel", "waits for rest, the kernel's stamps", RestThenKernel),
    PathKind("lock_out", "lock-out", "lock-out, stamped on delivery", LockOut),
    PathKind("host_receive", "USB, host time", "USB every 8 ms, the host's stamps", HostReceiveTime),
)
"""This project's first."""
