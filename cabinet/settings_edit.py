"""Writes the buttons of encoders into the text of a settings file, and leaves all else in it as it is. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from cabinet.buttons.edges import Line
from cabinet.settings_check import key_text, toml_value
from cabinet.toml_lines import KeyPath, Statement, located, read_toml, statements_of

Devices = Mapping[str, Mapping[str, Line]]
"""For each encoder, which of its keys and axes is which button; as in `EncoderSettings.devices`."""

DEVICES: Final[KeyPath] = ("encoder", "devices")


class CannotEditError(Exception):
    """The text is written in a way that this cannot change; the text of the error says why, in one line."""


def encoders_as_toml(devices: Devices) -> list[str]:
    """The lines of a settings file that name these encoders."""
    lines: list[str] = []
    for path, table in devices.items():
        if not table:
            continue
        if lines:
            lines.append("")
        lines.append(f"[{key_text((*DEVICES, path))}]")
        lines += [f"{key_text((code,))} = {toml_value(line)}" for code, line in table.items()]
    return lines


def encoders_in(text: str) -> dict[str, dict[str, Line]]:
    """The encoders that a settings file names, as far as they are readable."""
    found: Any = read_toml(text).values
    for key in DEVICES:
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return {}
    return {
        path: {code: line for code, line in table.items() if isinstance(line, str)}
        for path, table in found.items()
        if isinstance(table, dict)
    }


def with_encoders(text: str, devices: Devices) -> str:
    """The text with these encoders in place of those that it names.

    They go where the first of the old ones was, else beneath the header ``[encoder.devices]`` and its comments,
    else to the end. Whatever comes out is read again: the values, but for these, are what they were, and so is
    every comment. Raises CannotEditError where that cannot be reached.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    old, header = _old_ones(lines)
    block = encoders_as_toml(devices)
    kept = [line for number, line in enumerate(lines) if number not in old]
    places = [min(old)] if old else [_below_comments(lines, header)] if header is not None else []
    for place in (*places, None):
        edited = _at_end(kept, block) if place is None else _inserted(kept, place, block)
        if _is_right(text, "\n".join(edited), devices):
            return end.join(edited)
    raise CannotEditError("its section [encoder] is written in a way that cannot be changed line by line")


def _old_ones(lines: list[str]) -> tuple[set[int], int | None]:
    """The numbers of the lines that name encoders, and that of the header ``[encoder.devices]``."""
    removed: list[Statement] = []
    header = None
    for one, paths in located(statements_of(lines)):
        if one.is_header and paths[-1] == DEVICES:
            header = one.first
        elif all(path[: len(DEVICES)] == DEVICES[: len(path)] for path in paths) and len(paths[-1]) >= len(
            DEVICES
        ):
            removed.append(one)
    numbers = {number for one in removed for number in range(one.first, one.end)}
    for before, after in pairwise(removed):
        if all(not line.strip() for line in lines[before.end : after.first]):
            numbers.update(range(before.end, after.first))
    return numbers, header


def _below_comments(lines: list[str], header: int) -> int:
    place = header + 1
    while place < len(lines) and lines[place].lstrip().startswith("#"):
        place += 1
    return place


def _inserted(kept: list[str], place: int, block: list[str]) -> list[str]:
    """With an empty line on either side, where there is something."""
    before, after = kept[:place], kept[place:]
    if block and before and before[-1].strip():
        block = ["", *block]
    if block and after and after[0].strip():
        block = [*block, ""]
    if block and not after:
        block = [*block, ""]
    return [*before, *block, *after]


def _at_end(kept: list[str], block: list[str]) -> list[str]:
    kept = list(kept)
    while block and kept and not kept[-1].strip():
        kept.pop()
    return _inserted(kept, len(kept), block)


def _is_right(before: str, after: str, devices: Devices) -> bool:
    old, new = read_toml(before), read_toml(after)
    wanted = {path: dict(table) for path, table in devices.items() if table}
    return (
        encoders_in(after) == wanted
        and _without_encoders(old.values) == _without_encoders(new.values)
        and [one.text for one in old.broken] == [one.text for one in new.broken]
    )


def _without_encoders(values: dict[str, Any]) -> dict[str, Any]:
    section = values.get(DEVICES[0])
    if not isinstance(section, dict):
        return values
    rest = {key: value for key, value in section.items() if key != DEVICES[1]}
    others = {key: value for key, value in values.items() if key != DEVICES[0]}
    return {**others, DEVICES[0]: rest} if rest else others
