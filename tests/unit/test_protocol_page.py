"""PROTOCOL.md and the code say the same: every field, its size, order and range, and every number."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge import protocol
from firmware_bridge.protocol import CLASSES, LAYOUTS, MAX_BODY, encode
from tests.golden_frames import GOLDEN

PAGE = (Path(__file__).parents[2] / "firmware_bridge/PROTOCOL.md").read_text(encoding="utf-8")
MESSAGES = re.findall(r"^### (\w+), kind (\d+), .+?\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLES = {type(message): message for message in reversed(GOLDEN.values())}


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, its head left out."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_kind_is_told_with_its_name() -> None:
    assert {int(kind): name for name, kind, _ in MESSAGES} == {
        kind: told.__name__ for kind, told in CLASSES.items()
    }


@pytest.mark.parametrize(("name", "kind", "text"), MESSAGES, ids=[name for name, _, _ in MESSAGES])
def test_every_field_is_told_in_order_with_its_size(name: str, kind: str, text: str) -> None:
    told = rows(text)
    layout = LAYOUTS[int(kind)]
    assert tuple(field for field, *_ in told) == getattr(protocol, name)._fields
    sizes = [str(struct.calcsize("<" + letter)) for letter in layout]
    assert [size for _, size, *_ in told] == sizes + ["tail"] * (len(told) - len(layout))
    assert len(told) - len(layout) in (0, 1)
    assert 1 + struct.calcsize("<" + layout) <= MAX_BODY


@pytest.mark.parametrize(("name", "kind", "text"), MESSAGES, ids=[name for name, _, _ in MESSAGES])
def test_the_ends_of_every_range_are_sent_and_nothing_beyond(name: str, kind: str, text: str) -> None:
    example: Any = EXAMPLES[getattr(protocol, name)]
    for (field, size, told, _), _letter in zip(rows(text), LAYOUTS[int(kind)], strict=False):
        low, high = (0, 256 ** int(size) - 1) if told == "any" else map(int, told.split(" to "))
        for value in (low, high):
            assert encode(example._replace(**{field: value}))
        for value in (low - 1, high + 1):
            with pytest.raises(ValueError, match=r"range|allow"):
                encode(example._replace(**{field: value}))


def test_every_number_is_told() -> None:
    _, _, after = PAGE.partition("## Numbers\n")
    table, _, _ = after.partition("\n## ")
    told = {name: int(value) for name, value, _ in rows(table)}
    kinds = {told.__name__.upper() for told in CLASSES.values()}
    in_code = {
        name: value
        for name, value in vars(protocol).items()
        if name.isupper() and isinstance(value, int) and not name.startswith("_") and name not in kinds
    }
    del in_code["TYPE_CHECKING"]
    assert told == in_code


def test_how_many_edges_and_lamps_fit_is_told_truly() -> None:
    assert "8 to 39 edges go into a frame" in PAGE  # test_protocol.py shows both
    lamps = protocol.Lamps(0, (protocol.Lamp(1, 0, 0, 0),) * 18)
    assert "at most 18" in PAGE
    assert encode(lamps)
    with pytest.raises(ValueError, match="56 bytes"):
        encode(lamps._replace(lamps=lamps.lamps * 2))


def test_the_longest_error_is_told_truly() -> None:
    assert "at most 54 letters" in PAGE
    assert encode(protocol.Error(1, "x" * 54))
    with pytest.raises(ValueError, match="56 bytes"):
        encode(protocol.Error(1, "x" * 55))
