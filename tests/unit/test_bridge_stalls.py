"""What the host makes of its own standing still: no fault of the bridge."""

from __future__ import annotations

import pytest

from tests.bridge_desk import MS, BridgeDesk


def test_who_was_stopped_right_after_nothing_had_come_does_not_call_the_bridge_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = BridgeDesk().settle()
    port = desk.source._port

    def read_and_stand_still(_wait_s: float) -> bytes:
        desk.clock.now_ns += 1_500 * MS
        monkeypatch.undo()
        return b""

    monkeypatch.setattr(port, "read", read_and_stand_still)
    desk.press("a.1", after_ms=200)
    desk.source.round()
    desk.run(200)
    assert desk.source._port is port
    assert desk.status.is_live
    assert desk.status.losses == 0
    assert desk.lines_pressed() == ["a.1"]
