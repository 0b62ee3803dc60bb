"""What stands between the contacts of a race and this project's input path: a source, in virtual time.

Another source is another class with these methods, as the bridge in `bridge_source.py`.
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from cabinet.bench.fairness.delivery import LARGEST_ERR_NS
from cabinet.bench.fairness.races import Contact, Race
from cabinet.buttons.edges import HOST_CLOCK, Edge, SourceStatus
from cabinet.buttons.gpio_pins import GpioSettings
from cabinet.buttons.settling import KERNEL_SLACK_NS, Slack, lateness_ns

SLACK_LIMIT_NS: Final = GpioSettings().slack_limit_us * 1_000
"""The most that a source's slack grows to, where the owner has set nothing else."""


class Delivery(msgspec.Struct, frozen=True, gc=False):
    """An edge on its way to the game."""

    arrives_ns: int
    host_ns: int
    """Its stamp in host time, as well as the source knows it."""
    edge: Edge


class SourceModel(Protocol):
    """Stamps and delivers what the contacts of a race do. Not thread-safe."""

    least_slack_ns: int
    """The least slack that the design gives such a source: what it delivers within that is never late, whatever
    it promises."""

    def begin(self, race: Race) -> list[Delivery]:
        """Everything that it will deliver of the race, in order of arrival."""

    def tells_apart(self, race: Race) -> bool:
        """Whether its stamps of the two presses lie further apart than all errors together, maps of clocks too."""

    def delivered(self, delivery: Delivery) -> None:
        """This edge has arrived, at its time; before the next `status`."""

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything is delivered at host time `now_ns`."""

    def has_been_silent(self, race: Race) -> bool:
        """Whether it stood still in this race for so long that the game need not wait for it."""


class HostGpio:
    """Buttons on the host's own pins, stamped by its kernel: the edges and errors that the race itself has.

    Its watermark is the time at which the reader last saw its buffer empty, less the slack; the slack is the one
    of the real sources, and follows the lateness seen.
    """

    least_slack_ns = KERNEL_SLACK_NS

    def __init__(self, slack_ns: int = KERNEL_SLACK_NS, slack_limit_ns: int = SLACK_LIMIT_NS) -> None:
        self._slack = Slack(slack_ns, slack_limit_ns)
        self._seq = 0
        self._stands_from_ns = self._stands_until_ns = 0

    def begin(self, race: Race) -> list[Delivery]:
        """Everything that it will deliver of the race, in order of arrival."""
        stall = race.stall
        if stall is not None and stall.whose == "reader":
            self._stands_from_ns, self._stands_until_ns = stall.from_ns, stall.until_ns
        changes = sorted(_changes(race.a) + _changes(race.b))
        deliveries = []
        for seq, (stamp_ns, arrives_ns, line, number, err_ns) in enumerate(changes, self._seq):
            edge = Edge(HOST_CLOCK, line, number % 2 == 0, stamp_ns, err_ns, seq)
            deliveries.append(Delivery(arrives_ns, stamp_ns, edge))
        self._seq += len(changes)
        deliveries.sort(key=_arrival)
        return deliveries

    def tells_apart(self, race: Race) -> bool:
        """Whether the stamps with their errors do not touch."""
        return race.is_told_apart

    def delivered(self, delivery: Delivery) -> None:
        """This edge has arrived, at its time."""
        now_ns = delivery.arrives_ns
        self._slack.seen(lateness_ns(delivery.host_ns, now_ns, self._seen_empty_ns(now_ns - 1)), now_ns)

    def status(self, now_ns: int) -> SourceStatus:
        """How far everything is delivered at host time `now_ns`."""
        watermark_ns = self._seen_empty_ns(now_ns) - self._slack.slack_ns(now_ns)
        return SourceStatus("gpio", HOST_CLOCK, watermark_ns, LARGEST_ERR_NS)

    def has_been_silent(self, race: Race) -> bool:
        """Whether its reader stood still."""
        return race.stall is not None and race.stall.whose == "reader"

    def _seen_empty_ns(self, now_ns: int) -> int:
        is_standing = self._stands_from_ns <= now_ns < self._stands_until_ns
        return self._stands_from_ns if is_standing else now_ns


def _changes(contact: Contact) -> list[tuple[int, int, str, int, int]]:
    line, err_ns = contact.line, contact.err_ns
    times = zip(contact.stamps_ns, contact.arrivals_ns, strict=True)
    return [(stamp_ns, arrives_ns, line, number, err_ns) for number, (stamp_ns, arrives_ns) in enumerate(times)]


def _arrival(delivery: Delivery) -> int:
    return delivery.arrives_ns
