"""Encoders that are unplugged, held, forbidden or missing: told in one line, and opened again where they were."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from cabinet.buttons.edges import WIDE_ERROR_NS, SourceError
from cabinet.buttons.encoder import are_there
from cabinet.buttons.encoder_settings import EncoderSettings
from tests.encoder_model import CODES, LEFT, MS, RIGHT, START_NS, TWO_ENCODERS, US, EncoderBench, ModelInputs

AT_NS = START_NS + 100 * MS


# Unplugged


def pulled(bench: EncoderBench, path: str = LEFT) -> int:
    bench.inputs.pull_out(path)
    bench.source.round()
    return bench.inputs.now_ns


def test_an_encoder_that_is_unplugged_is_told_and_not_live() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    now_ns = pulled(bench)
    status = bench.source.status(now_ns)
    assert not status.is_live
    assert status.trouble == (
        "The encoder in USB plug 1.1 is not there (a.1, a.2 and 4 more): plug it in where it was."
    )
    assert not bench.inputs.devices[LEFT].is_open


def test_no_button_of_it_stays_pressed() -> None:
    bench = EncoderBench().start()
    bench.inputs.key(LEFT, "1", 1, AT_NS)
    bench.inputs.key(LEFT, "spit", 1, AT_NS)
    bench.inputs.key(RIGHT, "2", 1, AT_NS)
    bench.run_until(AT_NS + 40 * MS)
    now_ns = pulled(bench)
    released = bench.edges[3:]
    assert [(edge.line, edge.active, edge.made_up) for edge in released] == [
        ("a.1", False, True),
        ("a.spit", False, True),
    ]
    assert all(edge.err_ns > WIDE_ERROR_NS for edge in released)
    bench.run_until(now_ns + 60 * MS)
    assert bench.intake.pressed() == {"b.2"}
    bench.inputs.plug_in(LEFT)
    bench.run_until(now_ns + 300 * MS)
    pulled(bench)
    assert len(bench.edges) == 5, "what was let go once is not let go again"


def test_the_other_encoder_goes_on() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    now_ns = pulled(bench)
    bench.inputs.key(RIGHT, "1", 1, now_ns + 10 * MS)
    bench.run_until(now_ns + 50 * MS)
    assert bench.presses == [("b.1", now_ns + 10 * MS - 4_500 * US)]


def test_it_is_opened_again_in_its_plug_and_presses() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    pulled(bench)
    device = bench.inputs.plug_in(LEFT)
    bench.run_until(AT_NS + 200 * MS)
    status = bench.source.status(bench.inputs.now_ns)
    assert (status.is_live, status.trouble, device.is_ours) == (True, None, True)
    bench.inputs.key(LEFT, "5", 1, AT_NS + 300 * MS)
    bench.run_until(AT_NS + 350 * MS)
    assert bench.presses == [("a.5", AT_NS + 300 * MS - 4_500 * US)]


def test_it_is_looked_for_ever_more_rarely() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    lost_ns = pulled(bench)
    bench.run_until(lost_ns + 12_000 * MS)
    tries_ns = [lost_ns, *bench.inputs.tries]
    waits_ns = [after - before for before, after in pairwise(tries_ns)]
    for wait_ns, wanted_ms in zip(waits_ns, [100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000, 2_000], strict=False):
        assert 0 <= wait_ns - wanted_ms * MS <= 10 * MS
    assert len(waits_ns) == 9


def test_a_second_loss_is_looked_for_soon_again() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    lost_ns = pulled(bench)
    bench.run_until(lost_ns + 5_000 * MS)
    bench.inputs.plug_in(LEFT)
    bench.run_until(lost_ns + 10_000 * MS)
    again_ns = pulled(bench)
    bench.inputs.plug_in(LEFT)
    bench.run_until(again_ns + 120 * MS)
    assert bench.source.status(bench.inputs.now_ns).is_live


def test_a_button_held_while_it_comes_back_presses_only_after_it_was_let_go() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    pulled(bench)
    device = bench.inputs.plug_in(LEFT)
    device.down.add(CODES["4"])
    bench.run_until(AT_NS + 400 * MS)
    assert bench.trouble == "Held since the start: a.4; let go, or check the switch and its wires."
    bench.inputs.key(LEFT, "4", 0, AT_NS + 500 * MS)
    bench.inputs.key(LEFT, "4", 1, AT_NS + 600 * MS)
    bench.run_until(AT_NS + 700 * MS)
    assert bench.presses == [("a.4", AT_NS + 600 * MS - 4_500 * US)]
    assert bench.trouble is None


def test_what_keeps_it_away_is_told() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    pulled(bench)
    bench.inputs.plug_in(LEFT).refusal = SourceError("no permission to read it")
    bench.run_until(AT_NS + 200 * MS)
    assert bench.trouble == "no permission to read it"
    assert not bench.source.status(bench.inputs.now_ns).is_live


def test_an_encoder_without_a_players_button_does_not_stop_the_game() -> None:
    settings = msgspec.structs.replace(
        TWO_ENCODERS, devices={LEFT: TWO_ENCODERS.devices[LEFT], RIGHT: {"BTN_TRIGGER": "coin"}}
    )
    bench = EncoderBench(settings).start()
    bench.run_until(AT_NS)
    now_ns = pulled(bench, RIGHT)
    status = bench.source.status(now_ns)
    assert status.is_live
    assert status.trouble == "The encoder in USB plug 1.2 is not there (coin): plug it in where it was."


def test_another_encoder_in_the_plug_is_told_by_what_it_lacks() -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    pulled(bench)
    device = bench.inputs.plug_in(LEFT)
    device.name, device.keys = "I-PAC 2", frozenset(CODES.values()) - {CODES["1"], CODES["spit"]}
    bench.run_until(AT_NS + 200 * MS)
    assert bench.trouble == (
        f"The encoder 'I-PAC 2' at {LEFT} has no BTN_TRIGGER, BTN_PINKIE (a.1, a.spit): is it another one? "
        "spit-cabinet buttons --learn"
    )
    assert bench.source.status(bench.inputs.now_ns).is_live


def test_an_exception_behind_the_reading_is_told_and_the_encoder_opened_anew(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench = EncoderBench().start()
    bench.run_until(AT_NS)
    left = bench.inputs.devices[LEFT]

    def fail() -> None:
        raise ValueError("no such event")

    monkeypatch.setattr(left, "read", fail)
    bench.inputs.key(LEFT, "1", 1, AT_NS + 10 * MS)
    bench.run_until(AT_NS + 20 * MS)
    assert "ValueError: no such event" in caplog.text
    assert bench.trouble == (
        "The encoder in USB plug 1.1 does not answer (a.1, a.2 and 4 more): ValueError: no such event."
    )
    monkeypatch.undo()
    bench.run_until(AT_NS + 200 * MS)
    assert left.opened == 2
    assert bench.source.status(bench.inputs.now_ns).is_live


# At the start


def test_one_that_is_not_there_at_the_start_is_waited_for() -> None:
    bench = EncoderBench(inputs=ModelInputs([RIGHT])).start()
    assert not bench.source.status(START_NS).is_live
    bench.inputs.plug_in(LEFT)
    bench.run_until(START_NS + 200 * MS)
    assert bench.source.status(bench.inputs.now_ns).is_live


def test_without_any_of_them_there_is_no_source() -> None:
    with pytest.raises(SourceError) as caught:
        EncoderBench(inputs=ModelInputs([])).start()
    assert str(caught.value) == (
        "The encoder in USB plug 1.1 is not there (a.1, a.2 and 4 more): plug it in where it was; "
        "The encoder in USB plug 1.2 is not there (b.1, b.2 and 4 more): plug it in where it was"
    )


@pytest.mark.parametrize("refused", [LEFT, RIGHT])
def test_one_that_cannot_be_used_is_the_starters_trouble_and_the_other_is_let_go(refused: str) -> None:
    bench = EncoderBench()
    bench.inputs.devices[refused].refusal = SourceError(f"{refused} is held by another program; stop that program")
    with pytest.raises(SourceError, match=r"is held by another program; stop that program$"):
        bench.start()
    assert not any(device.is_open for device in bench.inputs.devices.values())
    assert not bench.source.status(START_NS).is_live


def test_settings_without_encoders_say_how_to_learn_them() -> None:
    for settings in (EncoderSettings(), EncoderSettings(devices={LEFT: {}})):
        with pytest.raises(SourceError, match=r"^the settings name no encoder; spit-cabinet buttons --learn "):
            EncoderBench(settings).start()


def test_mistakes_in_the_settings_open_nothing() -> None:
    bench = EncoderBench(EncoderSettings(devices={LEFT: {"BTN_TRIGGER": "a.9"}}))
    with pytest.raises(SourceError, match=r"'a\.9' is no button of the panel"):
        bench.start()
    assert bench.inputs.devices[LEFT].opened == 0


def test_encoders_are_there_when_one_of_them_is() -> None:
    assert are_there(TWO_ENCODERS, ModelInputs([LEFT, RIGHT]))
    assert are_there(TWO_ENCODERS, ModelInputs([RIGHT]))
    assert not are_there(TWO_ENCODERS, ModelInputs([]))
    assert not are_there(EncoderSettings(devices={LEFT: {}}), ModelInputs([LEFT]))
