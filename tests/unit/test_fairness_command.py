"""The owner's test of fairness on every kind of button: pins in software, the kernel's chip, encoders and keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from click.testing import CliRunner

from cabinet import cli, fairness_command, sources
from cabinet.buttons.edges import Source, SourceError
from cabinet.buttons.encoder import EncoderSource
from cabinet.buttons.gpio_chip import GpioChipSource
from cabinet.buttons.gpio_zero import GpioZeroSource
from cabinet.buttons.keyboard import KeyboardSource
from cabinet.buttons.mock_board import MockBoard
from cabinet.config import Settings
from cabinet.fairness_command import HEAD, HOW, FairnessTest, conclude
from cabinet.hearing import Listener
from cabinet.virtual import VirtualClock
from tests.encoder_model import LEFT, RIGHT, TWO_ENCODERS, ModelInputs
from tests.kernel_model import KernelModel

MS = 1_000_000
US = 1_000
EVERY_NS = 300 * MS
HELD_NS = 60 * MS


class Owner:
    """Presses two buttons that are wired together; the test says what it sees."""

    def __init__(self, source: Source, presses: int = 50) -> None:
        self.said: list[str] = []
        self.test = FairnessTest(Settings(), [source], self.said.append, presses)
        if isinstance(source, GpioChipSource | EncoderSource):
            source.claim(self.test.deliver)
        else:
            source.start(self.test.deliver)

    @property
    def verdict(self) -> str:
        assert conclude(self.test.pairing, self.said.append) == 0
        return self.said[-1]


def on_pins(lead_ns: int, presses: int = 50) -> Owner:
    clock, board = VirtualClock(), MockBoard()
    source = GpioZeroSource(board.settings, board.factory, clock)
    owner = Owner(source)
    for count in range(presses):
        at_ns = 1_000 * MS + count * EVERY_NS
        for line, t_ns in (("a.1", at_ns), ("b.1", at_ns + lead_ns)):
            board.press(line, t_ns, [[0, 1], [300, 0], [700, 1], [60_000, 0]])
    now_ns = 0
    while owner.test.round(now_ns) and now_ns < 1_000 * MS + (presses + 1) * EVERY_NS:
        now_ns += 1 * MS
        clock.now_ns = now_ns
        board.run_until(now_ns)
    return owner


def test_one_contact_on_two_pins_is_even() -> None:
    owner = on_pins(0)
    assert owner.said[:2] == [HOW, HEAD]
    assert len(owner.test.pairing.pairs) == 50
    assert owner.verdict == "Even: neither seat is favoured."


def test_a_lead_of_a_pin_is_found() -> None:
    assert on_pins(350 * US).verdict.startswith("AMBER is seen first by 0.35 ms: check ")
    assert on_pins(-350 * US).verdict.startswith("CYAN is seen first by 0.35 ms: check ")


def test_after_fifty_presses_it_ends_by_itself() -> None:
    owner = on_pins(0, presses=70)
    assert len(owner.test.pairing.pairs) == 50


def test_a_button_that_is_not_wired_to_the_other_is_told() -> None:
    clock, board = VirtualClock(), MockBoard()
    owner = Owner(GpioZeroSource(board.settings, board.factory, clock))
    board.press("a.2", 500 * MS, [[0, 1], [60_000, 0]])
    for now_ns in range(0, 1_000 * MS, 1 * MS):
        clock.now_ns = now_ns
        board.run_until(now_ns)
        owner.test.round(now_ns)
    assert owner.said[2:] == ["     only AMBER 2 was pressed: is CYAN 2 connected with it?"]
    assert conclude(owner.test.pairing, owner.said.append) == 1
    assert owner.said[-1] == (
        "No press was seen on both seats: connect the same button of both with each other, and press it."
    )


def test_the_kernels_chip_stamps_one_contact_in_the_order_of_the_pins_and_is_even_all_the_same() -> None:
    kernel = KernelModel(chance=Random(3))
    source = GpioChipSource(kernel.settings, kernel.open_lines, lambda: kernel.now_ns)
    owner = Owner(source)
    start_ns = kernel.now_ns + 500 * MS
    for count in range(50):
        for line, late_ns in (("a.1", 0), ("b.1", 2 * US)):
            at_ns = start_ns + count * EVERY_NS + late_ns
            kernel.change(line, True, at_ns)
            kernel.change(line, False, at_ns + HELD_NS)
    while owner.test.round(kernel.now_ns):
        source.round()
    assert owner.verdict == (
        "Even: neither seat is favoured. AMBER's stamps are mostly earlier, by 0.002 ms, but that is within the "
        "error bar, and such races are dead heats."
    )


def two_encoders(left_late_ns: int) -> Owner:
    """One contact on both; the left one's firmware takes longer by so much."""
    inputs = ModelInputs()
    inputs.devices[RIGHT].phase_ns = 3 * MS
    source = EncoderSource(TWO_ENCODERS, inputs, inputs.clock_ns)
    owner = Owner(source)
    chance = Random(5)
    at_ns = inputs.now_ns + 100 * MS
    for _ in range(50):
        at_ns += EVERY_NS + chance.randrange(8 * MS)
        for path, late_ns in ((LEFT, left_late_ns), (RIGHT, 0)):
            inputs.contact(path, "1", True, at_ns + late_ns)
            inputs.contact(path, "1", False, at_ns + HELD_NS + late_ns)
    while owner.test.round(inputs.now_ns):
        source.round()
    return owner


def test_two_encoders_that_are_asked_at_different_times_are_even() -> None:
    owner = two_encoders(0)
    assert owner.verdict.startswith("Even: neither seat is favoured.")
    assert {pair.first for pair in owner.test.pairing.pairs} == {None}


def test_an_encoder_that_is_slower_than_the_other_is_found() -> None:
    assert two_encoders(20 * MS).verdict.startswith("CYAN is seen first by ")


def test_two_keys_of_one_finger_are_even() -> None:
    source = KeyboardSource()
    owner = Owner(source, presses=12)
    now_ns, down = 0, False
    while owner.test.round(now_ns):
        down = not down if now_ns % (100 * MS) == 0 else down
        before_ns, now_ns = now_ns, now_ns + 2 * MS
        source.pumped(before_ns, now_ns, [("a", down), ("h", down)])
    assert owner.verdict == "Even: neither seat is favoured."


def test_a_trouble_of_the_buttons_is_told_once() -> None:
    inputs = ModelInputs()
    source = EncoderSource(TWO_ENCODERS, inputs, inputs.clock_ns)
    owner = Owner(source)
    inputs.pull_out(LEFT)
    for _ in range(40):
        source.round()
        owner.test.round(inputs.now_ns)
    assert owner.said[2:] == [
        "The encoder in USB plug 1.1 is not there (a.1, a.2 and 4 more): plug it in where it was."
    ]


# The command


def heard(
    monkeypatch: pytest.MonkeyPatch, hear: Callable[[Callable[[Sequence[Source]], Listener]], int]
) -> tuple[int, str]:
    monkeypatch.setattr(
        fairness_command, "hear", lambda _settings, _name, _console, listener_of: hear(listener_of)
    )
    result = CliRunner().invoke(cli.commands, ["buttons", "--fairness"])
    return result.exit_code, result.output


def test_ctrl_c_ends_it_with_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """`hear` returns 0 on Ctrl-C."""
    done = on_pins(350 * US, presses=12)

    def interrupted(listener_of: Callable[[Sequence[Source]], Listener]) -> int:
        test = listener_of([KeyboardSource()])
        assert isinstance(test, FairnessTest)
        test.pairing.pairs += done.test.pairing.pairs
        return 0

    status, output = heard(monkeypatch, interrupted)
    assert status == 0
    assert "12 presses. From AMBER to CYAN: median +0.350 ms" in output
    assert output.splitlines()[-1].startswith("AMBER is seen first by 0.35 ms")


def test_what_keeps_the_buttons_away_is_all_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert heard(monkeypatch, lambda _listener_of: 1) == (1, "")


def test_buttons_that_cannot_be_used_are_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SourceError(
            "GPIO 4 (a.1) is held by 'blink'; give it another one in [gpio.pins] " + 10 * "and so on "
        )

    monkeypatch.setattr(sources, "find", fail)
    assert fairness_command.run(Settings(), "gpio-chip") == 1
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "[gpio.pins]" in out


def test_learning_and_fairness_are_two_things() -> None:
    result = CliRunner().invoke(cli.commands, ["buttons", "--learn", "--fairness"])
    assert result.exit_code == 2
    assert "--learn and --fairness are two things" in result.output
