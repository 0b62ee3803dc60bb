"""The keys of the window as buttons."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS, Edge, Press, SourceError
from cabinet.buttons.intake import Intake
from cabinet.buttons.keyboard import KeyboardSettings, KeyboardSource
from cabinet.buttons.lines import PANEL_LINES

ROOT = Path(__file__).parents[2]
MS = 1_000_000
FRAME_NS = 16_666_667


def started(settings: KeyboardSettings | None = None) -> tuple[KeyboardSource, list[Edge]]:
    source, edges = KeyboardSource(settings), list[Edge]()
    source.start(edges.append)
    return source, edges


def test_a_key_is_stamped_in_the_middle_of_two_pumps_with_half_of_it_as_error() -> None:
    source, edges = started()
    source.pumped(10 * MS, 18 * MS, [("a", True)])
    assert edges == [Edge(HOST_CLOCK, "a.1", True, 14 * MS, 4 * MS - 1, 1)]
    assert source.status(20 * MS).watermark_ns == 18 * MS


def test_repeats_of_a_held_key_and_foreign_keys_are_ignored() -> None:
    source, edges = started()
    source.pumped(0, MS, [("a", True), ("a", True), ("q", True), ("Left Shift", True)])
    source.pumped(MS, 2 * MS, [("a", True)])
    source.pumped(2 * MS, 3 * MS, [("a", False), ("a", False)])
    assert [(edge.line, edge.active) for edge in edges] == [("a.1", True), ("a.spit", True), ("a.1", False)]


def test_the_error_is_never_so_wide_that_keys_of_one_frame_stop_being_a_dead_heat() -> None:
    source, edges = started()
    source.pumped(0, 100 * MS, [("a", True), ("h", True)])
    assert [edge.err_ns for edge in edges] == [WIDE_ERROR_NS - 1, WIDE_ERROR_NS - 1]
    assert [edge.t_ns for edge in edges] == [100 * MS - WIDE_ERROR_NS] * 2


def test_a_key_heard_after_the_window_was_held_up_is_not_stamped_long_before() -> None:
    source, edges = started()
    source.pumped(0, MS, [])
    source.pumped(MS, 2_300 * MS, [("a", True)])
    assert edges[0].t_ns >= 2_300 * MS - 2 * WIDE_ERROR_NS
    assert source.status(0).largest_err_ns == WIDE_ERROR_NS
    first, second = presses_of([(0, 100 * MS, [("a", True), ("h", True)])])
    assert first.ties_with(second)


@pytest.mark.parametrize("frame_ns", [4_166_667, 8_333_333, FRAME_NS, 33_333_333])
def test_keys_of_one_pump_tie_and_keys_of_pumps_that_follow_each_other_do_not(frame_ns: int) -> None:
    a, b, later = presses_of([(0, frame_ns, [("a", True), ("h", True)]), (frame_ns, 2 * frame_ns, [("j", True)])])
    assert a.ties_with(b)
    assert not a.ties_with(later)
    assert not b.ties_with(later)


def test_a_tap_within_one_pump_is_a_press() -> None:
    assert [press.line for press in presses_of([(0, FRAME_NS, [("a", True), ("a", False)])])] == ["a.1"]
    assert [press.line for press in presses_of([(0, 10, [("a", True), ("a", False)])])] == ["a.1"]


def test_spit_held_with_a_stock_key_is_seen_as_held() -> None:
    spit, stock = presses_of([(0, FRAME_NS, [("right shift", True)]), (FRAME_NS, 2 * FRAME_NS, [("k", True)])])
    assert (spit.line, stock.line) == ("b.spit", "b.3")
    assert stock.held == {"b.spit"}


def presses_of(pumps: list[tuple[int, int, list[tuple[str, bool]]]]) -> list[Press]:
    source, edges = started()
    for from_ns, to_ns, changes in pumps:
        source.pumped(from_ns, to_ns, changes)
    source.pumped(pumps[-1][1], 1_000 * MS, [])
    taken = Intake().take(edges, [source.status(1_001 * MS)], 1_001 * MS)
    return [press for cluster in taken.clusters for press in cluster]


def test_it_is_live_from_the_first_pump_until_it_is_closed() -> None:
    source, edges = started()
    assert not source.status(0).is_live
    source.pumped(0, MS, [])
    assert source.status(MS).is_live
    source.close()
    source.close()
    source.pumped(MS, 2 * MS, [("a", True)])
    assert not source.status(2 * MS).is_live
    assert edges == []


def test_every_line_has_a_key_and_all_stock_keys_lie_in_one_row() -> None:
    settings = KeyboardSettings()
    assert settings.mistakes() == ()
    assert sorted(settings.keys) == sorted(PANEL_LINES)
    stock = [settings.keys[f"{seat}.{number}"] for seat in "ab" for number in range(1, 6)]
    assert stock == list("asdfghjkl;")


def test_every_mistake_in_the_table_gets_a_line() -> None:
    settings = KeyboardSettings(keys={"a.1": "q", "b.1": "Q", "d.1": "w", "a.2": " "})
    mistakes = settings.mistakes()
    assert len(mistakes) == 3
    assert mistakes[0].startswith("keys: 'd.1' is no button of the panel; known are a.1,")
    assert mistakes[1] == "keys: a.1 and b.1 share key q; give each a key of its own"
    assert mistakes[2].startswith("keys: a.2 has an empty key")
    with pytest.raises(SourceError, match=r"d\.1"):
        KeyboardSource(settings).start(lambda _edge: None)


def test_a_key_that_does_not_exist_is_named() -> None:
    (mistake,) = KeyboardSettings(
        keys={"a.1": "nonsense", "a.2": "Left Shift", "a.3": ";", "a.4": "f12"}
    ).mistakes()
    assert mistake.startswith("keys: a.1 is on 'nonsense', which is no key")


def test_every_named_key_is_one_that_pygame_knows() -> None:
    script = (
        "import os; os.environ['SDL_VIDEODRIVER'] = 'dummy'; import pygame; pygame.display.init();"
        "from cabinet.buttons.keyboard import NAMED_KEYS; [pygame.key.key_code(key) for key in NAMED_KEYS]"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
