"""An hour of play in virtual time on a bridge whose link fails again and again."""

from __future__ import annotations

import pytest

from tests.bridge_play import BAD_LINK, Play, check

HOUR_MS = 3_600_000


@pytest.mark.long
def test_an_hour_with_resets_unpluggings_stalls_and_one_frame_in_a_hundred_broken() -> None:
    play = Play(20_26, faults=BAD_LINK).run(HOUR_MS)
    check(play)
    assert len(play.made) > 20_000
    assert len(play.must_come()) > 15_000
    assert play.desk.device is not None
    assert len(play.boots) > 100
    assert len(play.listened) > 200
