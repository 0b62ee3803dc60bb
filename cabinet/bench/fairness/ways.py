"""Every way of reading buttons that is compared. Pure."""

from __future__ import annotations

from random import Random
from typing import Final

from cabinet.bench.fairness.bridge_source import BridgeModel
from cabinet.bench.fairness.cabinet_path import CabinetPath
from cabinet.bench.fairness.paths import PathKind
from cabinet.bench.fairness.usual import FramePolling, HostReceiveTime, LockOut, RestThenKernel, RestThenLgpio


def on_bridge(chance: Random) -> CabinetPath:
    """This project's path with the buttons on a microcontroller."""
    return CabinetPath(chance, BridgeModel(Random(chance.getrandbits(64))))


CABINET: Final = PathKind("cabinet", "this cabinet", "this cabinet", CabinetPath)
BRIDGE: Final = PathKind("bridge", "its bridge", "this cabinet, buttons on a bridge", on_bridge)
OURS: Final = (CABINET, BRIDGE)
USUAL: Final = (
    PathKind("frame_polling", "frame polling", "polled once a frame, the left first", FramePolling),
    PathKind("rest_lgpio", "rest, lgpio", "waits for rest, lgpio's stamps", RestThenLgpio),
    PathKind("rest_kernel", "rest, kernel", "waits for rest, the kernel's stamps", RestThenKernel),
    PathKind("lock_out", "lock-out", "lock-out, stamped on delivery", LockOut),
    PathKind("host_receive", "USB, host time", "USB every 8 ms, the host's stamps", HostReceiveTime),
)
PATHS: Final = (*OURS, *USUAL)
"""This project's first."""
RACED: Final = (CABINET, *USUAL, BRIDGE)
"""The same as chance is drawn for them: what is new goes to the end, so that the others stay as they were."""
