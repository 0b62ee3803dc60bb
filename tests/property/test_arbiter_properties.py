"""What holds for the order of presses, however they are delivered within what the sources promised."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from cabinet.buttons.arbiter import Arbiter, Cluster
from cabinet.buttons.edges import HOST_CLOCK, Edge, Press, SourceStatus
from cabinet.buttons.intake import Intake

CHANCE = st.builds(Random, st.integers(0, 1 << 32))
MS = 1_000_000
US = 1_000
SLACK_NS = 3 * MS
LINES = ("a.1", "a.2", "a.spit", "b.1", "b.2", "b.spit")
SOURCES = {"gpio": (HOST_CLOCK, 0), "pico": ("pico", 200 * US), "keys": (HOST_CLOCK, 0)}


@st.composite
def presses_by_source(draw: st.DrawFn) -> list[tuple[str, Press]]:
    """Presses of three sources on two clocks, dense enough to tie often."""
    found = []
    for seq in range(draw(st.integers(1, 14))):
        source = draw(st.sampled_from(sorted(SOURCES)))
        clock, map_err_ns = SOURCES[source]
        t_ns = 50 * MS + draw(st.integers(0, 4_000)) * US
        err_ns = draw(st.integers(0, 300)) * US
        line = draw(st.sampled_from(LINES))
        found.append((source, Press(line, t_ns, err_ns, clock, seq, map_err_ns=map_err_ns)))
    return found


def deliver(
    presses: list[tuple[str, Press]], chance: Random, silent: frozenset[str] = frozenset()
) -> tuple[list[Cluster], Arbiter]:
    """Delivers each press at most the slack late, in rounds of up to 4 ms, and checks the decided time."""
    arbiter = Arbiter()
    arrivals = [(press.t_ns + chance.randrange(SLACK_NS), source, press) for source, press in presses]
    clusters: list[Cluster] = []
    decided_ns = -1_000 * MS
    now_ns = 0
    while now_ns < 150 * MS:
        now_ns += chance.randrange(100 * US, 4 * MS)
        for source, (clock, map_err_ns) in SOURCES.items():
            watermark_ns = 0 if source in silent else now_ns - SLACK_NS
            arbiter.watermark(SourceStatus(source, clock, watermark_ns, 300 * US, map_err_ns), now_ns)
        arbiter.tick(now_ns)
        came = [press for at_ns, _, press in arrivals if at_ns <= now_ns]
        arrivals = [arrival for arrival in arrivals if arrival[0] > now_ns]
        chance.shuffle(came)
        for press in came:
            arbiter.add(press)
        for cluster in arbiter.release(now_ns):
            assert all(press.order_ns >= decided_ns for press in cluster), "a decision would be rewritten"
            clusters.append(cluster)
        assert arbiter.decided_ns(now_ns) >= decided_ns
        decided_ns = arbiter.decided_ns(now_ns)
        assert all(press.order_ns <= decided_ns for cluster in clusters for press in cluster)
    assert not arrivals
    return clusters, arbiter


@given(presses_by_source(), CHANCE)
def test_the_order_is_that_of_the_stamps_whatever_the_delivery(
    presses: list[tuple[str, Press]], chance: Random
) -> None:
    clusters, arbiter = deliver(presses, chance)
    released = [press for cluster in clusters for press in cluster]
    assert sorted(released, key=lambda press: press.seq) == [press for _, press in presses]
    assert [press.t_ns for press in released] == sorted(press.t_ns for _, press in presses)
    assert arbiter.late_presses == 0


@given(presses_by_source(), CHANCE)
def test_two_deliveries_give_the_same_clusters(presses: list[tuple[str, Press]], chance: Random) -> None:
    assert deliver(presses, chance)[0] == deliver(presses, chance)[0]


@given(presses_by_source(), CHANCE)
def test_no_cluster_splits_a_tie_and_none_is_larger_than_its_ties(
    presses: list[tuple[str, Press]], chance: Random
) -> None:
    clusters, _ = deliver(presses, chance)
    for index, cluster in enumerate(clusters):
        for later in clusters[index + 1 :]:
            assert not any(press.ties_with(other) for press in cluster for other in later)
        for cut in range(1, len(cluster)):
            assert any(press.ties_with(other) for press in cluster[:cut] for other in cluster[cut:])


@given(presses_by_source(), CHANCE, st.sets(st.sampled_from(sorted(SOURCES)), min_size=1))
def test_nothing_waits_for_ever_for_a_silent_source(
    presses: list[tuple[str, Press]], chance: Random, silent: set[str]
) -> None:
    clusters, _ = deliver(presses, chance, frozenset(silent))
    assert sum(map(len, clusters)) == len(presses)


@given(presses_by_source(), st.lists(st.integers(0, 80 * MS), min_size=1, max_size=8), CHANCE)
def test_late_presses_come_after_all_that_was_decided(
    presses: list[tuple[str, Press]], late_ns: list[int], chance: Random
) -> None:
    arbiter = Arbiter()
    clusters: list[Cluster] = []
    arrivals = [
        (press.t_ns + (late_ns[index % len(late_ns)] if index % 2 else 0), press)
        for index, (_, press) in enumerate(presses)
    ]
    for now_ns in range(40 * MS, 200 * MS, 2 * MS):
        decided_ns = arbiter.decided_ns(now_ns) if now_ns > 40 * MS else 0
        arbiter.watermark(SourceStatus("gpio", HOST_CLOCK, now_ns - SLACK_NS, 300 * US), now_ns)
        arbiter.tick(now_ns)
        came = [press for at_ns, press in arrivals if now_ns - 2 * MS < at_ns <= now_ns]
        chance.shuffle(came)
        for press in came:
            arbiter.add(press)
        for cluster in arbiter.release(now_ns):
            for press in cluster:
                assert press.order_ns >= decided_ns
                assert press.judged_ns is None or press.judged_ns > press.t_ns
            clusters.append(cluster)
    order = [press.order_ns for cluster in clusters for press in cluster]
    assert order == sorted(order)
    assert len(order) == len(presses)


def swapped(line: str) -> str:
    return ("b" if line[0] == "a" else "a") + line[1:]


@given(presses_by_source(), st.integers(0, 1_000_000))
def test_when_the_seats_are_swapped_so_is_the_order(presses: list[tuple[str, Press]], seed: int) -> None:
    mirror = [(s, msgspec.structs.replace(press, line=swapped(press.line))) for s, press in presses]
    straight, _ = deliver(presses, Random(seed))
    swap, _ = deliver(mirror, Random(seed))

    def races(clusters: list[Cluster], rename: bool) -> list[set[tuple[int, str]]]:
        return [{(p.t_ns, swapped(p.line) if rename else p.line) for p in cluster} for cluster in clusters]

    assert races(swap, rename=True) == races(straight, rename=False)


@given(
    st.lists(st.tuples(st.integers(0, 30_000), st.sampled_from(LINES), st.booleans()), min_size=1, max_size=40),
    st.integers(0, 1_000_000),
)
def test_the_whole_intake_gives_one_result_whatever_the_rounds(
    drawn: list[tuple[int, str, bool]], seed: int
) -> None:
    drawn.sort()
    edges = [Edge(HOST_CLOCK, line, on, us * US, 50 * US, seq) for seq, (us, line, on) in enumerate(drawn)]

    def run(chance: Random) -> tuple[list[Cluster], list[object]]:
        intake = Intake()
        clusters: list[Cluster] = []
        releases: list[object] = []
        arrivals = [(edge.t_ns + chance.randrange(SLACK_NS), edge) for edge in edges]
        now_ns = 0
        while now_ns < 200 * MS:
            now_ns += chance.randrange(100 * US, 5 * MS)
            status = SourceStatus("gpio", HOST_CLOCK, now_ns - SLACK_NS, 50 * US)
            came = [edge for at_ns, edge in arrivals if at_ns <= now_ns]
            arrivals = [arrival for arrival in arrivals if arrival[0] > now_ns]
            chance.shuffle(came)
            taken = intake.take(came, [status], now_ns)
            assert taken.late_presses == 0
            clusters += taken.clusters
            releases += taken.releases
        return clusters, releases

    first = run(Random(seed))
    assert first == run(Random(seed + 1))
    order = [press.t_ns for cluster in first[0] for press in cluster]
    assert all(one <= two for one, two in pairwise(order))
