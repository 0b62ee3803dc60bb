"""Presses on the bench's bridge find their signs by line and time; one without a sign is told."""

from __future__ import annotations

import pytest

from cabinet.bench.bridge import NEAR_NS, NoBridgeAnswerError, nearest, summed_up
from cabinet.bench.figures import Spread

MS = 1_000_000


def test_a_press_is_answered_by_the_stamp_of_its_line_that_is_nearest() -> None:
    stamps = [("a.1", 100 * MS), ("a.1", 102 * MS), ("b.1", 101 * MS)]
    assert nearest(("a.1", 101 * MS + 1), stamps) == ("a.1", 102 * MS)
    assert nearest(("b.1", 90 * MS), stamps) == ("b.1", 101 * MS)
    assert nearest(("a.1", 102 * MS + NEAR_NS + 1), stamps) is None
    assert nearest(("a.2", 100 * MS), stamps) is None


def test_delays_count_from_the_contact_and_not_from_its_stamp() -> None:
    made = [("a.1", 100 * MS), ("b.1", 200 * MS), ("b.2", 300 * MS)]
    published_ns = {("a.1", 101 * MS): 105 * MS, ("b.1", 199 * MS): 207 * MS}
    found = summed_up(made, published_ns, 60.0)
    assert found.delay == Spread(median=6.0, p99=7.0, max=7.0)
    assert (found.presses, found.presses_unanswered, found.stamps_wrong_ms) == (3, 1, 1.0)


def test_no_answer_at_all_is_one_line() -> None:
    with pytest.raises(NoBridgeAnswerError, match="No press on the bridge was answered"):
        summed_up([("a.1", 100 * MS)], {}, 60.0)
