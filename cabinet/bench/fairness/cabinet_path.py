"""This project's own path: a source's edges through the real intake, judged by the real session.

Only the source, the rounds of the game thread and the time are made up.
"""

from __future__ import annotations

from random import Random
from typing import Final

from cabinet.bench.fairness.contest import Contest
from cabinet.bench.fairness.delivery import Stall
from cabinet.bench.fairness.paths import LATE_COUNTS_NS, Decision, claim_of
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
        self._slowest_ns: dict[Seat, int] = {}
        self._is_excused: dict[Seat, bool] = {}
        self._coming: list[Delivery] = []

    def decide(self, race: Race) -> Decision:
        """Whose press was accepted."""
        self._coming = self._source.begin(race)[::-1]
        self._contest.begin(race.begins_ns)
        self._slowest_ns = dict.fromkeys(SEATS, 0)
        self._is_excused = dict.fromkeys(SEATS, False)
        token = self._contest.token
        now_ns = race.begins_ns
        while now_ns < race.rests_ns and not self._contest.is_over:
            now_ns = min(self._next_round_ns(now_ns, race.stall), race.rests_ns)
            self._round(now_ns, race)
        late_ns = self._late_ns()
        self._round(race.rests_ns, race)
        claim = claim_of(race, late_ns, tells_apart=self._source.tells_apart(race))
        winner = self._contest.winner
        by_token = winner == token and self._contest.token != token
        return Decision(winner, claim, max(late_ns.values()) if claim == "late" else 0, by_token)

    def _next_round_ns(self, now_ns: int, stall: Stall | None) -> int:
        next_ns = now_ns + self._chance.randrange(*ROUND_NS)
        if stall is not None and stall.whose == "game" and stall.from_ns <= next_ns < stall.until_ns:
            return stall.until_ns
        return next_ns

    def _round(self, now_ns: int, race: Race) -> None:
        """One round of the game: what was delivered until now, how far that is all, and what it decides."""
        coming, edges = self._coming, []
        while coming and coming[-1].arrives_ns <= now_ns:
            delivery = coming.pop()
            self._watch(delivery, race)
            self._source.delivered(delivery)
            edges.append(delivery.edge)
        status = self._source.status(now_ns)
        self._promised_ns = max(self._promised_ns, status.watermark_ns)
        taken = self._intake.take(edges, (status,), now_ns)
        if taken.degraded and self._source.has_been_silent(race):
            self._is_excused = dict.fromkeys(SEATS, True)
        for cluster in taken.clusters:
            self._contest.take(cluster)

    def _watch(self, delivery: Delivery, race: Race) -> None:
        """Sees whether an edge that a press depends on comes later than the source has promised."""
        contact = race.a if race.a.line == delivery.edge.line else race.b
        lateness_ns = delivery.arrives_ns - delivery.host_ns
        if delivery.host_ns >= contact.closes_ns + LATE_COUNTS_NS:
            return
        self._slowest_ns[contact.seat] = max(self._slowest_ns[contact.seat], lateness_ns)
        if delivery.host_ns <= self._promised_ns:
            self._is_excused[contact.seat] = True

    def _late_ns(self) -> dict[Seat, int]:
        """Of each seat whose press came later than promised, by how much.

        What came within the least slack of the design is never late: a source that promises more is found out.
        """
        least_ns = self._source.least_slack_ns
        late = {seat: ns for seat, ns in self._slowest_ns.items() if ns > least_ns and self._is_excused[seat]}
        return dict.fromkeys(SEATS, 0) | late
