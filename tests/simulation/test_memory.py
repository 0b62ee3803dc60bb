"""Memory does not grow in an hour of play: run with ``pytest -m long``."""

from __future__ import annotations

import gc
import resource
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

from cabinet import keeping, record
from cabinet.bulletin import Bulletin
from cabinet.buttons import sequence
from cabinet.buttons.arbiter import Arbiter
from cabinet.buttons.bounce import FAMILIES, draw_trace
from cabinet.buttons.chip_reader import Tally
from cabinet.buttons.debounce import Debouncer
from cabinet.buttons.edges import HOST_CLOCK, Edge
from cabinet.engine.games import game_named
from cabinet.engine.table import SEATS, Seat
from cabinet.game import FRAME_NS, GameSettings
from cabinet.kept_edges.edge_file import EdgeFile
from cabinet.panel import BUTTONS, line_of
from cabinet.players.robot import SKILLS
from cabinet.players.visitor import Visitor
from cabinet.record_file import RecordFile
from cabinet.snapshot import Snapshot
from cabinet.virtual import VirtualCabinet
from tests.kernel_model import MS, READY_NS, US, ChipBench

pytestmark = pytest.mark.long

S = 1_000 * MS
PERIOD_NS = 300 * S
QUIET_NS = 185 * S
"""When in a period memory is measured: nobody plays, and the attract mode runs."""
WARM_PERIODS = 3
HOUR_PERIODS = 12
BLOCKS_LIMIT = 300
"""Objects. From one quiet moment to another the attract mode's match, and what the buttons did last, differ by
some dozens; one kept of each press would be thousands."""
RESIDENT_LIMIT_KB = 4_096
"""For what is large and no object, as a buffer of bytes."""
TAP_NS = 60 * MS


class Evening:
    """A cabinet whose matches and edges are kept, and the people who come to it, the same every five minutes."""

    def __init__(self, folder: Path, closing: ExitStack) -> None:
        self._rng = Random(5)
        settings = GameSettings(games=(game_named("spit"), game_named("speed")))
        records = closing.enter_context(RecordFile(folder / "matches.jsonl"))
        run = keeping.run_of(settings, ["gpio"])
        edges = closing.enter_context(EdgeFile(folder / "edges.jsonl", run, lambda: 0))
        self._append = records.append
        self.cabinet = VirtualCabinet(settings, Random(6), keep=self._keep, tap=keeping.tap_for(run, edges.append))
        closing.callback(self.cabinet.close)
        self.cabinet.on_snapshot = self._see
        self._visitors: list[Visitor] = []
        self.kept: Counter[str] = Counter()
        self.scenes: Counter[str] = Counter()

    @property
    def now_ns(self) -> int:
        return self.cabinet.clock.now_ns

    def play(self, periods: int, at_rest: Callable[[], None]) -> None:
        """So many times five minutes; `at_rest` is called in each when nobody plays."""
        for _ in range(periods):
            began_ns = self.now_ns
            self._visit(SEATS, began_ns + 125 * S)
            self._visit((), began_ns + QUIET_NS)
            assert self.cabinet.game.latest.scene == "attract"
            at_rest()
            self._taps(("a.spit", "a.5", "a.4"), began_ns + 215 * S)
            self._visit(("a",), began_ns + 270 * S)
            self._mash(began_ns + PERIOD_NS)

    def _visit(self, seats: tuple[Seat, ...], until_ns: int) -> None:
        self._visitors = [Visitor(seat, SKILLS["quick"], Random(self._rng.getrandbits(32))) for seat in seats]
        for visitor in self._visitors:
            visitor.see(self.cabinet.game.latest, self.now_ns)
        while self.now_ns < until_ns:
            for visitor in self._visitors:
                for contact in visitor.contacts_until(self.now_ns):
                    self._move(line_of(visitor.seat, contact.button), contact.at_ns, closes=contact.closed)
            self.cabinet.run_until(until_ns, self._next_ns)

    def _next_ns(self) -> int | None:
        times = [visitor.next_ns() for visitor in self._visitors]
        return min((at_ns for at_ns in times if at_ns is not None), default=None)

    def _move(self, line: str, at_ns: int, *, closes: bool) -> None:
        if not closes:
            self.cabinet.board.change(line, False, at_ns)
            return
        trace = draw_trace(self._rng, self._rng.choice(FAMILIES), TAP_NS // US)
        for us, closed in trace:
            if us * US < TAP_NS:
                self.cabinet.board.change(line, bool(closed), at_ns + us * US)

    def _taps(self, lines: tuple[str, ...], until_ns: int) -> None:
        for line in lines:
            self.cabinet.board.press(line, self.now_ns + 10 * MS)
            self.cabinet.run_until(self.now_ns + 1_500 * MS)
        self.cabinet.run_until(until_ns)

    def _mash(self, until_ns: int) -> None:
        """Both hit everything; a line chatters, and edges come that are late."""
        lines = [line_of(seat, button) for seat in SEATS for button in BUTTONS[:6]]
        seq = 0
        while self.now_ns < until_ns:
            line = self._rng.choice(lines)
            self.cabinet.board.press(line, self.now_ns + MS, hold_us=self._rng.choice([30_000, 300_000]))
            if self._rng.random() < 0.1:
                for number in range(400):
                    self.cabinet.board.change("coin", number % 2 == 0, self.now_ns + MS + number * 200 * US)
            if self._rng.random() < 0.2:
                late_ns = self.now_ns - 60 * MS
                for closes in (True, False):
                    late = Edge(HOST_CLOCK, "b.2", closes, late_ns + (not closes) * 20 * MS, 0, seq)
                    self.cabinet.game.deliver(late)
                    seq += 1
            self.cabinet.run_until(min(until_ns, self.now_ns + self._rng.choice([40, 120, 300]) * MS))

    def _keep(self, line: record.RecordLine) -> None:
        self.kept[type(line).__name__] += 1
        self._append(line)

    def _see(self, snapshot: Snapshot) -> None:
        self.scenes[snapshot.scene] += 1
        self.scenes["lesson"] += snapshot.lesson is not None
        self.scenes["photo"] += snapshot.photo is not None
        for visitor in self._visitors:
            visitor.see(self.cabinet.game.latest_for(visitor.seat), self.now_ns + FRAME_NS)


class Scale:
    """Weighs what Python has allocated: objects in blocks, and all of the process.

    Blocks are counted by Python itself at no cost, where tracing every allocation would take ten minutes.
    """

    def __init__(self) -> None:
        self.blocks: list[int] = []
        self.resident_kb: list[int] = []

    def __call__(self) -> None:
        gc.collect()
        self.blocks.append(sys.getallocatedblocks())
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        self.resident_kb.append(pages * resource.getpagesize() // 1_024)


def growth(weights: list[int]) -> int:
    """From after the warming up to the end: the least of the last three less the least of the first three."""
    warm = weights[WARM_PERIODS:]
    return min(warm[-3:]) - min(warm[:3])


def test_memory_does_not_grow_in_an_hour_of_play(tmp_path: Path) -> None:
    scale = Scale()
    with ExitStack() as closing:
        evening = Evening(tmp_path, closing)
        evening.play(HOUR_PERIODS, scale)
        assert evening.now_ns >= 3_600 * S
        late = evening.cabinet.intake.late_log()
        counters = evening.cabinet.intake.counters()
    assert growth(scale.blocks) < BLOCKS_LIMIT, scale.blocks
    assert growth(scale.resident_kb) < RESIDENT_LIMIT_KB, scale.resident_kb
    assert min(evening.scenes[scene] for scene in ("attract", "lobby", "match", "result", "lesson", "photo")) > 0
    assert evening.kept["Began"] > HOUR_PERIODS
    assert evening.kept["Contended"] > 50
    assert len(late) == 100, "as many as are remembered"
    assert sum(counter.presses for counter in counters) > 3_000
    assert (tmp_path / "edges.jsonl").stat().st_size > 500_000


LEAKS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "happenings are never forgotten": lambda patch: patch.setattr(Bulletin, "forget", lambda *_: None),
    "every edge is kept": lambda patch: _hoard(patch, Debouncer, "edge"),
    "every press is kept": lambda patch: _hoard(patch, Arbiter, "add"),
    "every line of the record is kept": lambda patch: _hoard(patch, RecordFile, "append"),
}


def _hoard(patch: pytest.MonkeyPatch, owner: type, name: str) -> None:
    hoard: list[object] = []
    plain = getattr(owner, name)

    def hoarding(self: object, *items: object) -> object:
        hoard.append(items)
        return plain(self, *items)

    patch.setattr(owner, name, hoarding)


@pytest.mark.parametrize("leak", LEAKS)
def test_what_is_never_let_go_would_be_found(leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scale = Scale()
    LEAKS[leak](monkeypatch)
    with ExitStack() as closing:
        Evening(tmp_path, closing).play(WARM_PERIODS + 6, scale)
    assert growth(scale.blocks) > BLOCKS_LIMIT, scale.blocks


def read_for_an_hour(scale: Scale) -> Tally:
    """Presses that bounce, edges that merge, and, with the process stopped, chatter that piles up or overflows."""
    rng = Random(7)
    bench = ChipBench().settled()
    kernel = bench.kernel
    lines = [line for line in kernel.lines if line != "coin"]
    for period in range(HOUR_PERIODS):
        kernel.late_ns = lambda: rng.randrange(400) * US
        for _ in range(300):
            trace = draw_trace(rng, rng.choice(FAMILIES), 80_000)
            kernel.press(rng.choice(lines), kernel.now_ns + MS, [(us, bool(closed)) for us, closed in trace])
            bench.play_until(kernel.now_ns + 200 * MS)
        kernel.late_ns = lambda: 30 * US
        for number in range(2_000 if period % 2 else 600):
            kernel.change("coin", number % 2 == 0, kernel.now_ns + MS + number * 50 * US)
        bench.stop_process(150 * MS)
        bench.play_until(READY_NS + (period + 1) * PERIOD_NS)
        for grows_in_the_test in (bench.edges, bench.presses, kernel.waits_ns):
            grows_in_the_test.clear()
        scale()
    return bench.source.tally


READER_LIMIT = 1_500
"""Objects. After a chatter the last 50 ms of each line's edges are some hundreds; of 25,000 events one in ten kept
is more."""
HOLES_KEPT = 64
"""So few missing numbers are remembered here, in place of thousands, that no more fit in after some minutes."""


def test_memory_of_the_kernel_s_reader_does_not_grow_in_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = Scale()
    monkeypatch.setattr(sequence, "_HOLES_KEPT", HOLES_KEPT)
    tally = read_for_an_hour(scale)
    assert min(tally.merged, tally.dropped, tally.left_out) > 500
    assert growth(scale.blocks) < READER_LIMIT, scale.blocks
    assert growth(scale.resident_kb) < RESIDENT_LIMIT_KB, scale.resident_kb


def test_a_reader_that_forgets_nothing_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = Scale()
    monkeypatch.setattr(sequence, "_HOLES_KEPT", 1 << 40)
    read_for_an_hour(scale)
    assert growth(scale.blocks) > READER_LIMIT, scale.blocks
