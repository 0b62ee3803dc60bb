"""Levels that no edge explains."""

from __future__ import annotations

from cabinet.buttons.levels import Disagreement, Levels

MS = 1_000_000
PATIENCE_NS = 3 * MS
OPEN = {"a.1": False, "b.1": False}
A_CLOSED = {"a.1": True, "b.1": False}


def test_levels_that_agree_say_nothing() -> None:
    levels = Levels(OPEN, 0)
    assert levels.compare(OPEN, 50 * MS, PATIENCE_NS) == []
    assert not levels.has_suspects
    assert levels.agreed_ns("a.1") == 50 * MS


def test_a_level_that_stays_different_is_a_lost_edge_when_edges_have_had_time_to_come() -> None:
    levels = Levels(OPEN, 0)
    levels.compare(OPEN, 50 * MS, PATIENCE_NS)
    assert levels.compare(A_CLOSED, 60 * MS, PATIENCE_NS) == []
    assert levels.compare(A_CLOSED, 63 * MS - 1, PATIENCE_NS) == []
    lost = Disagreement("a.1", True, t_ns=60 * MS, unseen_ns=10 * MS)
    assert levels.compare(A_CLOSED, 63 * MS, PATIENCE_NS) == [lost]
    assert levels.compare(A_CLOSED, 70 * MS, PATIENCE_NS) == []


def test_while_it_is_not_certain_there_is_a_suspect() -> None:
    levels = Levels(OPEN, 0)
    seen = [levels.has_suspects]
    for now_ns in (60 * MS, 63 * MS):
        levels.compare(A_CLOSED, now_ns, PATIENCE_NS)
        seen.append(levels.has_suspects)
    assert seen == [False, True, False]


def test_an_edge_under_way_clears_its_line() -> None:
    levels = Levels(OPEN, 0)
    levels.compare(A_CLOSED, 60 * MS, PATIENCE_NS)
    levels.edge("a.1", True, 59 * MS)
    assert not levels.has_suspects
    assert levels.compare(A_CLOSED, 80 * MS, PATIENCE_NS) == []


def test_a_level_that_agrees_again_was_no_loss() -> None:
    levels = Levels(OPEN, 0)
    levels.compare(A_CLOSED, 60 * MS, PATIENCE_NS)
    levels.compare(OPEN, 62 * MS, PATIENCE_NS)
    assert levels.compare(A_CLOSED, 64 * MS, PATIENCE_NS) == []


def test_two_edges_of_one_direction_do_not_toggle_the_level_and_the_second_is_told() -> None:
    levels = Levels(OPEN, 0)
    assert [levels.edge("a.1", True, t_ns) for t_ns in (1 * MS, 2 * MS)] == [False, True]
    assert levels.compare(A_CLOSED, 10 * MS, 0) == []
    assert levels.agreed_ns("a.1") == 10 * MS
    assert levels.agreed_ns("b.1") == 10 * MS


def test_the_edge_that_comes_after_its_level_was_read_is_no_second_one() -> None:
    levels = Levels(OPEN, 0)
    levels.compare(A_CLOSED, 10 * MS, 0)
    assert [levels.edge("a.1", True, t_ns) for t_ns in (9 * MS, 12 * MS)] == [False, True]


def test_an_old_edge_makes_nothing_known_earlier() -> None:
    levels = Levels(OPEN, 10 * MS)
    levels.edge("a.1", True, 4 * MS)
    assert levels.agreed_ns("a.1") == 10 * MS
