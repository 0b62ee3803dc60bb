"""`spit-cabinet buttons --fairness`: the owner sees whether the cabinet favours a seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rich.console import Console

from cabinet.buttons.edges import Edge, Source
from cabinet.config import Settings
from cabinet.hearing import Hearing, hear
from cabinet.seat_bias import Pairing, alone, bias_of, report, row
from cabinet.sources import SourceName

PRESSES: Final = 50

HOW: Final = (
    "Connect one button of both seats with each other, AMBER 1 with CYAN 1 say, so that one contact closes both "
    "(or let an output pin close both). Then press it 50 times. Ctrl-C ends it sooner."
)
HEAD: Final = "     button     AMBER to CYAN  error bar   (above 0: AMBER was earlier)"

Say = Callable[[str], None]


class FairnessTest:
    """Pairs the presses of both seats and says each. Not thread-safe; `deliver` may be called from any thread."""

    def __init__(self, settings: Settings, sources: Sequence[Source], say: Say, presses: int = PRESSES) -> None:
        self.pairing = Pairing()
        self._hearing = Hearing(settings, sources)
        self._say = say
        self._presses = presses
        self._troubles: tuple[str, ...] = ()
        self._has_begun = False

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from the source."""
        self._hearing.deliver(edge)

    def round(self, now_ns: int) -> bool:
        """Takes what came up to `now_ns`; False when there were enough presses."""
        if not self._has_begun:
            self._has_begun = True
            self._say(HOW)
            self._say(HEAD)
        taken = self._hearing.round(now_ns)
        troubles = tuple(trouble.text for trouble in taken.troubles)
        if troubles != self._troubles:
            self._troubles = troubles
            for trouble in troubles:
                self._say(trouble)
        for press in (press for cluster in taken.clusters for press in cluster):
            pair = self.pairing.take(press)
            if pair is None:
                continue
            self._say(row(len(self.pairing.pairs), pair))
            if len(self.pairing.pairs) >= self._presses:
                return False
        for text in alone(self.pairing.left_alone(taken.decided_ns)):
            self._say(f"     {text}")
        return True


def conclude(pairing: Pairing, say: Say) -> int:
    """Says what all presses come to; the exit status."""
    say("")
    if not pairing.pairs:
        say("No press was seen on both seats: connect the same button of both with each other, and press it.")
        return 1
    for line in report(bias_of(pairing.pairs)):
        say(line)
    return 0


def run(settings: Settings, name: SourceName) -> int:
    """Tests until there were enough presses, or until Ctrl-C; the exit status."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    tests: list[FairnessTest] = []

    def listener(sources: Sequence[Source]) -> FairnessTest:
        tests.append(FairnessTest(settings, sources, console.print))
        return tests[0]

    status = hear(settings, name, console, listener)
    return conclude(tests[0].pairing, console.print) if tests and not status else status
