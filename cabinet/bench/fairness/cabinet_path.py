"""This project's own path: a source's edges through the real intake, judged by the real session.

Only the source, the rounds of the game thread and the time are made up.
"""

from __future__ import annotations

from random import Random
from typing import Final

from cabinet.bench.fairness.contest import Contest
from cabinet.bench.fairness.delivery import Stall
from cabinet.bench.fairness.paths import Claim, Decision
from cabinet.bench.fairness.races import Race
from cabinet.bench.fairness.source_models import Delivery, HostGpio, SourceModel
from cabinet.buttons.intake import Intake
from cabinet.engine.table import SEATS, Seat

MS: Final = 1_000_000
ROUND_NS: Final = (100_000, 3 * MS)
"""From one round of the game to the next. The game thread goes round at every edge and each half millisecond, if
it gets the processor; here it goes round at any instant."""


class CabinetPath:
    """Decides races as the cabinet does. Not thread-safe."""

    def __init__(self, chance: Random, source: SourceModel | None = None, token: Seat | None = None) -> None:
        """`source`: None stands for the host's own pins. `token`: who has it first; None: drawn."""
        self._chance = chance
        self._source = source or HostGpio()
        self._contest = Contest(chance.choice(SEATS) if token is None else token)
        self._intake = Intake()
        self._promised_ns = 0
        self._late_ns = 0
        self._coming: list[Delivery] = []

    def decide(self, race: Race) -> Decision:
        """Whose press was accepted."""
        self._coming = self._source.begin(race)[::-1]
        self._contest.begin(race.begins_ns)
        self._late_ns = 0
        now_ns = race.begins_ns
        while now_ns < race.rests_ns and not self._contest.is_over:
            now_ns = min(self._next_round_ns(now_ns, race.stall), race.rests_ns)
            self._round(now_ns, race.stall)
        late_ns = self._late_ns
        self._round(race.rests_ns, None)
        is_late = late_ns > 0 and not self._source.is_prompt(race)
        claim: Claim = "late" if is_late else "told_apart" if self._source.tells_apart(race) else "level"
        return Decision(self._contest.winner, claim, late_ns if is_late else 0)

    def _next_round_ns(self, now_ns: int, stall: Stall | None) -> int:
        next_ns = now_ns + self._chance.randrange(*ROUND_NS)
        if stall is not None and stall.whose == "game" and stall.from_ns <= next_ns < stall.until_ns:
            return stall.until_ns
        return next_ns

    def _round(self, now_ns: int, stall: Stall | None) -> None:
        """One round of the game: the source is asked first, then what was delivered is taken."""
        coming, edges = self._coming, []
        while coming and coming[-1].arrives_ns <= now_ns:
            delivery = coming.pop()
            self._source.delivered(delivery)
            edges.append(delivery.edge)
            if delivery.host_ns <= self._promised_ns:
                self._late_ns = max(self._late_ns, delivery.arrives_ns - delivery.host_ns)
        status = self._source.status(now_ns)
        self._promised_ns = max(self._promised_ns, status.watermark_ns)
        taken = self._intake.take(edges, (status,), now_ns)
        if taken.degraded and stall is not None:
            self._late_ns = max(self._late_ns, stall.until_ns - stall.from_ns)
        for cluster in taken.clusters:
            self._contest.take(cluster)
