"""Kept edges as text: each press with its stamp, its error, how the contact bounced, and what came of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from cabinet.buttons.edges import HOST_CLOCK, Edge, Line, Press
from cabinet.engine.actions import Refused
from cabinet.engine.rules import MICROSECOND_NS, MILLISECOND_NS
from cabinet.engine.words import action_in_words, event_in_words
from cabinet.kept_edges.values import Given
from cabinet.players.hands import is_robot_line, panel_line
from cabinet.record import Began, Contended, Ended, Happened, Pressed, RecordLine, Seated
from cabinet.replay.edges import Event, Played, StretchBegan
from cabinet.replay.words import (
    SECOND_NS,
    began_in_words,
    contest_in_words,
    end_in_words,
    seated_in_words,
)
from cabinet.snapshot import Snapshot

TOLD_AFTER_NS: Final = 100 * MILLISECOND_NS
"""A press is told so long after its turn: its bounce is then known."""
EDGES_KEPT_NS: Final = 2 * SECOND_NS
"""So old are the edges of a press at most when it is told: it waits for its turn, and then for its bounce."""


class Teller:
    """Makes text of a replay as it goes on. Not thread-safe."""

    def __init__(self) -> None:
        self._edges: dict[Line, deque[tuple[int, Edge]]] = {}
        self._waiting: deque[tuple[int, str, Press | None]] = deque()
        self._heading: str | None = None
        self._rests_ns = 0
        """A contact that is quiet for so long has bounced its last."""
        self._offset_ns = 0
        self._now_ns = 0
        self._signs_told = 0
        self._matches = 0

    def take(self, event: Event) -> Iterator[str]:
        """The lines that can be told now."""
        if isinstance(event, StretchBegan):
            yield from self.rest()
            self._edges.clear()
            self._signs_told = 0
            self._now_ns = event.began.beginning.now_ns
            self._rests_ns = event.run.debounce.release_us * MICROSECOND_NS
            wall = datetime.fromtimestamp(event.began.wall_ns / SECOND_NS).astimezone()
            self._heading = f"stretch {event.number}, kept from {wall:%Y-%m-%d %H:%M:%S} on"
        elif isinstance(event, Played):
            if event.given is not None:
                self._now_ns = event.given.now_ns
                self._remember(event.given)
            self._tell(event)
            yield from self._due(self._now_ns - TOLD_AFTER_NS)

    def rest(self) -> Iterator[str]:
        """What is not told yet."""
        yield from self._due(None)

    def _due(self, until_ns: int | None) -> Iterator[str]:
        while self._waiting and (until_ns is None or self._waiting[0][0] <= until_ns):
            _, words, press = self._waiting.popleft()
            if self._heading is not None:
                yield self._heading
                self._heading = None
            yield words if press is None else words.replace(_BOUNCE, self._bounce(press))

    def _remember(self, given: Given) -> None:
        offsets_ns = {status.clock: status.map_offset_ns for status in given.statuses}
        for edge in given.edges:
            kept = self._edges.setdefault(edge.line, deque())
            kept.append((edge.t_ns + offsets_ns.get(edge.clock, 0), edge))
            while kept[0][0] < given.now_ns - EDGES_KEPT_NS:
                kept.popleft()

    def _bounce(self, press: Press) -> str:
        """The raw edges of a press, until its contact came to rest."""
        if is_robot_line(press.line):
            return "a robot's finger"
        edges, last_ns = [], press.t_ns
        for at_ns, edge in sorted(self._edges.get(press.line, ()), key=lambda one: one[0]):
            if press.t_ns <= at_ns <= last_ns + self._rests_ns:
                edges.append(edge)
                last_ns = at_ns
        took = f" in {(last_ns - press.t_ns) / MILLISECOND_NS:.2f} ms" if len(edges) > 1 else ""
        return f"{max(1, len(edges))} edge{'s' if took else ''}{took}{_missing(edges)}"

    # What happened

    def _tell(self, event: Played) -> None:
        outside = list(event.presses)
        of_match = [_taken(outside, line.button) for line in event.lines if isinstance(line, Pressed)]
        for press in outside:
            if not is_robot_line(press.line):
                self._say_press(press, _sign_of(press, event.latest))
        for line in event.lines:
            if isinstance(line, Began):
                self._offset_ns = event.latest.match_offset_ns
                self._matches += 1
                self._say(self._now_ns, self._offset_ns, began_in_words(self._matches, line))
            elif isinstance(line, Pressed):
                if (taken := of_match.pop(0)) is not None:
                    self._say_press(taken, _outcome(line))
            else:
                self._say_line(line)
        if event.latest.view is not None:
            self._offset_ns = event.latest.match_offset_ns

    def _say_line(self, line: RecordLine) -> None:
        if isinstance(line, Contended):
            at_ns, words = max(line.first_ns, line.second_ns), f"contest: {contest_in_words(line)}"
        elif isinstance(line, Happened) and not isinstance(line.event, Refused):
            at_ns, words = line.event.at_ns, event_in_words(line.event)
        elif isinstance(line, Ended):
            at_ns, words = line.at_ns, end_in_words(line)
        elif isinstance(line, Seated):
            at_ns, words = line.at_ns, seated_in_words(line)
        else:
            return
        self._say(self._now_ns, at_ns + self._offset_ns, words)

    def _say_press(self, press: Press, outcome: str) -> None:
        stamp = f"{panel_line(press.line)} ±{press.err_ns / MICROSECOND_NS:g} µs"
        self._say(self._now_ns, press.t_ns, f"{stamp}, {_BOUNCE}{_oddities(press)}: {outcome}", press)

    def _say(self, due_ns: int, at_ns: int, words: str, press: Press | None = None) -> None:
        self._waiting.append((due_ns, f"{at_ns / SECOND_NS:16.6f} s  {words}", press))


_BOUNCE: Final = "\0"
"""Where the bounce is put in when it is known."""


def _missing(edges: Sequence[Edge]) -> str:
    """What the source knows to be lost among the edges, or thinks possible."""
    lost, hiding = sum(edge.lost for edge in edges), sum(edge.may_hide for edge in edges)
    words = f", {lost} lost" if lost else ""
    return words + (f", {hiding} may hide one before it" if hiding else "")


def _taken(presses: list[Press], button: Line) -> Press | None:
    """The first press at a button, which is then no longer among them."""
    for press in presses:
        if panel_line(press.line) == button:
            presses.remove(press)
            return press
    return None


def _outcome(line: Pressed) -> str:
    """What a press meant in a match, and what came of it."""
    words = "it means nothing, or waits for another" if line.action is None else action_in_words(line.action)
    if line.refusal is not None:
        words += f", refused, {line.refusal}"
    if line.tied:
        words += ", a dead heat" + (" that the token decides" if line.token_decided else "")
    return words


def _sign_of(press: Press, latest: Snapshot) -> str:
    """What a press did outside a match."""
    signs = [sign for sign in latest.signs if sign.line == press.line and sign.at_ns == press.t_ns]
    did = "it acts" if signs and signs[-1].kind == "done" else "nothing"
    return f"{did} in {latest.scene}" if did == "nothing" else f"{did}, which leads to {latest.scene}"


def _oddities(press: Press) -> str:
    words = ""
    if press.clock != HOST_CLOCK:
        words += f", by the clock of {press.clock} (±{press.map_err_ns / MICROSECOND_NS:g} µs)"
    if press.made_up:
        words += ", made up after a loss"
    if press.judged_ns is not None:
        words += f", judged {(press.judged_ns - press.t_ns) / MILLISECOND_NS:.2f} ms later"
    return words
