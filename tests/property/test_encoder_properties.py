"""Encoders of any speed, any presses, any losses: what must hold whatever happens."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cabinet.buttons.edges import WIDE_ERROR_NS, Press
from cabinet.buttons.encoder_contacts import (
    EV_KEY,
    EV_SYN,
    SYN_DROPPED,
    SYN_REPORT,
    Contact,
    Contacts,
    DeviceState,
    InputEvent,
)
from cabinet.buttons.encoder_timing import Timing
from tests.encoder_model import LEFT, MS, RIGHT, START_NS, US, EncoderBench, ModelInputs, levels

AT_NS = START_NS + 50 * MS
DEVICE_NS = 1 * MS
HOLD_NS = 60 * MS

POLLS_NS = st.sampled_from([125 * US, 1 * MS, 2 * MS, 4 * MS, 8 * MS])


def bench_of(polls_ns: tuple[int, int], phases_ns: tuple[int, int], buffer: int = 64) -> EncoderBench:
    bench = EncoderBench(inputs=ModelInputs([]))
    for path, poll_ns, phase_ns in zip((LEFT, RIGHT), polls_ns, phases_ns, strict=True):
        timing = Timing(0, poll_ns + DEVICE_NS, "")
        bench.inputs.plug_in(path, timing, poll_ns, phase_ns % poll_ns, buffer)
    return bench.start()


def races(bench: EncoderBench, leads_ns: list[int], paths: tuple[str, str] = (LEFT, RIGHT)) -> list[Press]:
    """The same button of both encoders, the second later by each lead; the presses as they are released."""
    presses: list[Press] = []
    at_ns = AT_NS
    for count, lead_ns in enumerate(leads_ns):
        button = "12345"[count % 5]
        for path, closed_ns in zip(paths, (at_ns, at_ns + lead_ns), strict=True):
            bench.inputs.contact(path, button, True, closed_ns)
            bench.inputs.contact(path, button, False, closed_ns + HOLD_NS)
        at_ns += 200 * MS
    given_edges = 0
    while bench.inputs.now_ns < at_ns:
        bench.source.round()
        status = bench.source.status(bench.inputs.now_ns)
        taken = bench.intake.take(bench.edges[given_edges:], [status], bench.inputs.now_ns)
        given_edges = len(bench.edges)
        presses += [press for cluster in taken.clusters for press in cluster]
        assert taken.late_presses == 0
    return presses


@given(
    polls_ns=st.tuples(POLLS_NS, POLLS_NS),
    phases_ns=st.tuples(st.integers(0, 8 * MS), st.integers(0, 8 * MS)),
    leads_ns=st.lists(st.integers(-20 * MS, 20 * MS), min_size=1, max_size=5),
)
@settings(max_examples=60)
def test_every_press_was_within_its_error_and_nobody_wins_who_was_later(
    polls_ns: tuple[int, int], phases_ns: tuple[int, int], leads_ns: list[int]
) -> None:
    presses = races(bench_of(polls_ns, phases_ns), leads_ns)
    assert len(presses) == 2 * len(leads_ns)
    for count, lead_ns in enumerate(leads_ns):
        race = presses[2 * count : 2 * count + 2]
        truth_ns = {"a": AT_NS + count * 200 * MS, "b": AT_NS + count * 200 * MS + lead_ns}
        for press in race:
            assert abs(press.t_ns - truth_ns[press.line[0]]) <= press.err_ns
        first, second = race
        if not first.ties_with(second):
            assert truth_ns[first.line[0]] <= truth_ns[second.line[0]]


@given(
    polls_ns=st.tuples(POLLS_NS, POLLS_NS),
    phases_ns=st.tuples(st.integers(0, 8 * MS), st.integers(0, 8 * MS)),
    lead_ns=st.integers(-20 * MS, 20 * MS),
)
@settings(max_examples=60)
def test_swapping_the_seats_swaps_the_result(
    polls_ns: tuple[int, int], phases_ns: tuple[int, int], lead_ns: int
) -> None:
    forth = races(bench_of(polls_ns, phases_ns), [lead_ns])
    back = races(bench_of(polls_ns[::-1], phases_ns[::-1]), [lead_ns], (RIGHT, LEFT))
    other = {"a": "b", "b": "a"}
    mirrored = [replace(press, line=other[press.line[0]] + press.line[1:], seq=0) for press in back]
    assert forth[0].ties_with(forth[1]) == back[0].ties_with(back[1])
    if forth[0].ties_with(forth[1]):
        forth, mirrored = sorted(forth, key=by_line), sorted(mirrored, key=by_line)
    assert [replace(press, seq=0, held=frozenset()) for press in forth] == [
        replace(press, held=frozenset()) for press in mirrored
    ]


def by_line(press: Press) -> str:
    return press.line


@given(
    seed=st.integers(0, 1 << 32),
    buffer=st.integers(4, 128),
    answers_after_ns=st.sampled_from([0, 1 * MS, 15 * MS]),
    pauses_ms=st.lists(st.integers(1, 300), min_size=1, max_size=8),
)
@settings(max_examples=80)
def test_however_much_is_lost_all_levels_come_right_and_what_is_made_up_says_how_badly_it_is_known(
    seed: int, buffer: int, answers_after_ns: int, pauses_ms: list[int]
) -> None:
    chance = Random(seed)
    bench = bench_of((8 * MS, 1 * MS), (0, 0), buffer)
    for device in bench.inputs.devices.values():
        device.answers_after_ns = answers_after_ns
    moved: dict[str, list[tuple[int, bool]]] = {}
    at_ns = AT_NS
    for pause_ms in pauses_ms:
        end_ns = at_ns + pause_ms * MS
        for path, seat in ((LEFT, "a"), (RIGHT, "b")):
            for button in ("1", "2", "3"):
                t_ns = at_ns + chance.randrange(20 * MS)
                while t_ns < end_ns:
                    history = moved.setdefault(f"{seat}.{button}", [])
                    closed = not history[-1][1] if history else True
                    asked_ns = bench.inputs.contact(path, button, closed, t_ns)
                    history.append((t_ns, closed))
                    t_ns = max(asked_ns, t_ns) + chance.choice([9 * MS, 30 * MS, 100 * MS])
        bench.inputs.pass_time(end_ns - chance.randrange(20 * MS))
        bench.run_until(bench.inputs.now_ns + 20 * MS)
        at_ns = bench.inputs.now_ns + 100 * MS
    bench.run_until(at_ns + 300 * MS)
    truth = {line: history[-1][1] for line, history in moved.items()}
    seen = levels(bench.edges)
    assert {line: seen.get(line, False) for line in truth} == truth
    for edge in bench.edges:
        instants = [t_ns for t_ns, closed in moved[edge.line] if closed == edge.active]
        assert any(abs(t_ns - edge.t_ns) <= edge.err_ns for t_ns in instants)
        assert edge.made_up == (edge.err_ns > WIDE_ERROR_NS)
    for line in moved:
        mine = [edge for edge in bench.edges if edge.line == line]
        assert [edge.active for edge in mine] == [count % 2 == 0 for count in range(len(mine))]
        assert [edge.t_ns for edge in mine] == sorted(edge.t_ns for edge in mine)
        assert [edge.seq for edge in mine] == sorted(edge.seq for edge in mine)
    assert bench.intake.pressed() == {line for line, closed in truth.items() if closed}


KEYS = (0x120, 0x121, 0x122)
EVENT = st.one_of(
    st.tuples(st.just(EV_KEY), st.sampled_from(KEYS), st.sampled_from([0, 1, 2])),
    st.just((EV_SYN, SYN_REPORT, 0)),
    st.just((EV_SYN, SYN_DROPPED, 0)),
)


@given(
    batches=st.lists(st.lists(EVENT, max_size=12), max_size=6),
    states=st.lists(st.frozensets(st.sampled_from(KEYS)), min_size=6, max_size=6),
)
def test_whatever_a_device_sends_levels_alternate_and_after_a_loss_agree_with_its_state(
    batches: list[list[tuple[int, int, int]]], states: list[frozenset[int]]
) -> None:
    switches = Contacts([Contact(EV_KEY, key) for key in KEYS], {}, DeviceState(frozenset(), {}), 0)
    known: dict[Contact, bool] = {}
    t_ns = 0
    for batch, keys in zip(batches, states, strict=False):
        events: list[InputEvent] = []
        for event in batch:
            t_ns += 1_000
            events.append((t_ns, *event))
        changes = switches.take(events)
        must_read = switches.must_read_state
        changes += switches.compare(DeviceState(keys, {}), t_ns, t_ns)
        for change in changes:
            assert change.closed != known.get(change.contact, False), "an edge is a change"
            assert change.from_ns <= change.to_ns <= t_ns
            known[change.contact] = change.closed
        if must_read:
            assert {contact.code for contact in switches.closed()} == keys
        switches.seen_empty(t_ns)
