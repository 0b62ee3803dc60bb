"""The capture's PIO program, alone in rp2040-pio-emulator: every sample a microsecond, edges at every phase."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pioemu import State, emulate
from pioemu.shift_register import ShiftRegister
from rp2040py.utils import pio_assembler as assembler

from firmware_bridge.firmware.capture_program import (
    FIRST_COUNT,
    OPCODES,
    PERIOD_CYCLES,
    PREPARE,
    SOURCE,
    WRAP_TARGET,
    WRAP_TOP,
    divider,
)

SOURCES = {"pins": 0, "x": 1, "y": 2, "null": 3, "isr": 6, "osr": 7}
JUMPS = {"": assembler.PIO_COND_ALWAYS, "x--": assembler.PIO_COND_XDEC, "x!=y": assembler.PIO_COND_XNEY}


def assembled(source: str) -> tuple[int, ...]:
    """The opcodes of the few instructions that the capture uses."""
    lines = [line.split(";")[0].strip() for line in source.splitlines()]
    labels: dict[str, int] = {}
    instructions: list[str] = []
    for line in lines:
        if line.endswith(":"):
            labels[line[:-1]] = len(instructions)
        elif line and not line.startswith("."):
            instructions.append(line)
    return tuple(opcode(line, labels) for line in instructions)


def opcode(line: str, labels: dict[str, int]) -> int:
    found = re.fullmatch(r"(\w+) ?([^\[]*?) ?(?:\[(\d+)\])?", line)
    assert found is not None
    name, operands, delay = found[1], [word.strip() for word in found[2].split(",")], int(found[3] or 0)
    if name == "nop":
        return assembler.pio_mov(2, 2, 0, delay)
    if name == "push":
        assert operands == ["noblock"]
        return 0x8000 | delay << 8
    if name == "jmp":
        return assembler.pio_jmp(labels[operands[-1]], JUMPS[operands[0] if len(operands) == 2 else ""], delay)
    assert name == "mov"
    invert = assembler.PIO_OP_INVERT if operands[1].startswith("~") else 0
    return assembler.pio_mov(SOURCES[operands[0]], SOURCES[operands[1].lstrip("~")], invert, delay)


def pairs(lines_at: Callable[[int], int], until_cycle: int) -> Iterator[tuple[int, int]]:
    """What the program pushes while the lines are as the function says: lines, number of the sample."""
    state = State(
        output_shift_register=ShiftRegister(FIRST_COUNT, 0), x_register=0, y_register=0xFFFFFFFF, program_counter=0
    )

    def lines(clock: int) -> int:
        return lines_at(clock)

    lines.__annotations__["clock"] = int  # the emulator asks for the class, not its name
    words: list[int] = []
    for _, after in emulate(
        list(OPCODES),
        stop_when=lambda _, state: state.clock >= until_cycle,
        initial_state=state,
        input_source=lines,
        wrap_target=WRAP_TARGET,
        wrap_top=WRAP_TOP,
    ):
        while after.receive_fifo:
            words.append(after.receive_fifo.popleft())
    assert len(words) % 2 == 0
    for seen, left in zip(words[::2], words[1::2], strict=True):
        yield seen, FIRST_COUNT - left


def test_the_opcodes_are_what_the_source_says() -> None:
    assert assembled(SOURCE) == OPCODES
    assert assembled("mov osr, ~null\nmov y, ~null\nstart:\njmp start")[:2] == PREPARE[:2]
    assert PREPARE[2] == assembler.pio_jmp(0)


def test_the_first_sample_is_always_told() -> None:
    assert list(pairs(lambda _: 0x0ABC, 10 * PERIOD_CYCLES)) == [(0x0ABC, 0)]


def test_an_edge_at_every_phase_is_told_by_the_next_sample_and_no_later() -> None:
    for phase in range(3 * PERIOD_CYCLES):
        edge = 100 * PERIOD_CYCLES + phase

        def lines(cycle: int, edge: int = edge) -> int:
            return 5 if cycle < edge else 7

        assert list(pairs(lines, 120 * PERIOD_CYCLES))[1:] == [(7, -(-edge // PERIOD_CYCLES))]


def test_samples_keep_their_distance_whatever_the_lines_do() -> None:
    """Lines that change with every sample, every second one …: a sample's time is its number times the period."""
    for every in (1, 2, 3, 7):

        def lines(cycle: int, every: int = every) -> int:
            return cycle // (every * PERIOD_CYCLES) & 0xFFFF

        told = list(pairs(lines, 300 * PERIOD_CYCLES))
        assert len(told) >= 299 // every
        assert all(seen == sample // every for seen, sample in told)


def test_all_lines_are_seen_at_one_instant() -> None:
    for phase in range(PERIOD_CYCLES):
        edge = 50 * PERIOD_CYCLES + phase

        def lines(cycle: int, edge: int = edge) -> int:
            return 0 if cycle < edge else 0x1FFFFFFF

        assert [seen for seen, _ in pairs(lines, 60 * PERIOD_CYCLES)] == [0, 0x1FFFFFFF]


def test_a_pulse_of_a_microsecond_is_never_missed() -> None:
    for phase in range(PERIOD_CYCLES):
        edge = 50 * PERIOD_CYCLES + phase

        def lines(cycle: int, edge: int = edge) -> int:
            return int(edge <= cycle < edge + PERIOD_CYCLES)

        assert [seen for seen, _ in pairs(lines, 60 * PERIOD_CYCLES)] == [0, 1, 0]


def test_both_ways_through_the_program_take_the_same_time() -> None:
    quiet = list(pairs(lambda _: 3, 40 * PERIOD_CYCLES + 1))
    assert quiet == [(3, 0)]
    last = list(pairs(lambda cycle: cycle // PERIOD_CYCLES, 1000 * PERIOD_CYCLES + 12))[-1]
    assert last == (1000, 1000)


def test_the_clock_divider_makes_a_microsecond_of_every_usual_frequency() -> None:
    for mhz in (50, 100, 125, 150, 200):
        assert divider(mhz * 1_000_000) * PERIOD_CYCLES == mhz
    assert divider(133_000_000) == 0
