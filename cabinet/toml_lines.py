"""Reads TOML so that every value has its line and one broken line does not hide the next.

tomllib tells no positions. A file is therefore cut into its statements first: lines are joined until tomllib
accepts them by themselves, so that the grammar stays tomllib's alone. Pure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

KeyPath = tuple[str, ...]
"""A key by the tables it lies in: ``("gpio", "pins", "a.1")``."""

DEEPEST: Final = 20
"""A key lies in fewer tables than this; the deepest setting lies in three."""

_AT: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class BrokenLine(msgspec.Struct, frozen=True):
    """A line that TOML does not allow."""

    line: int
    """Counted from 1."""
    text: str
    """The line as it stands in the file."""
    reason: str
    """What the TOML reader says, without the position."""
    is_repeated: bool = False
    """A key or table that was already set further up."""


class Document(msgspec.Struct, frozen=True):
    """A file's values, without its broken lines."""

    values: dict[str, Any]
    lines: dict[KeyPath, int]
    """The line, from 1, at which each key or table first appears."""
    broken: tuple[BrokenLine, ...] = ()

    def line_of(self, path: KeyPath) -> int | None:
        """The line of a key, else that of the nearest table around it; None when it is nowhere in the file."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return line
        return None


class Statement(msgspec.Struct, frozen=True):
    """A key with its value, or a table's header."""

    first: int
    """Index of its first line, from 0."""
    end: int
    """Index of the line after its last."""
    is_header: bool
    values: dict[str, Any] | None
    """None when it is broken."""
    broken_line: int = 0
    reason: str = ""
    is_reported: bool = True


def read_toml(text: str) -> Document:
    """The values, their lines, and every broken line. Never raises."""
    lines = text.replace("\r\n", "\n").split("\n")
    statements = list(statements_of(lines))
    broken = [
        BrokenLine(one.broken_line + 1, lines[one.broken_line].strip(), one.reason)
        for one in statements
        if one.values is None and one.is_reported
    ]
    good = [one for one in _without_headless(statements) if one.values is not None]
    values, good, repeated = _join(lines, good)
    return Document(values, _lines_of(good), tuple(sorted([*broken, *repeated], key=lambda one: one.line)))


def statements_of(lines: list[str]) -> Iterator[Statement]:
    """Each key with its value, and each table's header; none for empty lines and comments.

    What follows a broken statement of several lines may be its rest, so it is passed over in silence until
    something is right again.
    """
    index, is_silent = 0, False
    while index < len(lines):
        if lines[index].strip().startswith("#") or not lines[index].strip():
            index += 1
            continue
        statement = _statement_at(lines, index)
        if statement.values is None:
            yield msgspec.structs.replace(statement, is_reported=not is_silent)
            is_silent = is_silent or statement.end - statement.first > 1
            index += 1
        else:
            yield statement
            is_silent = False
            index = statement.end


def _statement_at(lines: list[str], first: int) -> Statement:
    is_header = lines[first].lstrip().startswith("[")
    end = first + 1
    while True:
        try:
            values = tomllib.loads("\n".join(lines[first:end]) + "\n")
        except RecursionError:
            return Statement(first, end, is_header, None, first, "Too many brackets")
        except ValueError as error:
            if not isinstance(error, tomllib.TOMLDecodeError):
                return Statement(first, end, is_header, None, first, "A number of too many digits")
            reason, line = _reason_and_line(error)
            if line is None and end < len(lines):
                end += 1
                continue
            starts_there = line is None or reason.startswith("Unclosed")
            broken_line = first if starts_there else first + (line or 1) - 1
            return Statement(first, end, is_header, None, broken_line, reason)
        if _is_deep(values):
            return Statement(first, end, is_header, None, first, "A name of too many parts")
        return Statement(first, end, is_header, values)


def _is_deep(values: dict[str, Any]) -> bool:
    tables = [values]
    for _ in range(DEEPEST):
        tables = [inner for table in tables for inner in table.values() if isinstance(inner, dict)]
    return bool(tables)


def _reason_and_line(error: tomllib.TOMLDecodeError) -> tuple[str, int | None]:
    """The line is None when the text ended too early."""
    text = str(error)
    found = _AT.search(text)
    if found is None:
        return text, 1
    return text[: found.start()], int(found[1]) if found[1] else None


def _without_headless(statements: list[Statement]) -> Iterator[Statement]:
    """Leaves out what stands beneath a broken header: nobody knows where it belongs."""
    is_headless = False
    for one in statements:
        if one.is_header:
            is_headless = one.values is None
        if not is_headless:
            yield one


def _join(
    lines: list[str], statements: list[Statement]
) -> tuple[dict[str, Any], list[Statement], list[BrokenLine]]:
    """All statements as one file; those that contradict an earlier one are taken out and told."""
    repeated: list[BrokenLine] = []
    while True:
        try:
            return tomllib.loads(_text_of(lines, statements)), statements, repeated
        except tomllib.TOMLDecodeError as error:
            reason, line = _reason_and_line(error)
            at = (len(lines) if line is None else line) - 1
            wrong = next(one for one in reversed(statements) if one.first <= at)
            repeated.append(BrokenLine(wrong.first + 1, lines[wrong.first].strip(), reason, is_repeated=True))
            headless = [msgspec.structs.replace(one, values=None) if one is wrong else one for one in statements]
            statements = [one for one in _without_headless(headless) if one.values is not None]


def _text_of(lines: list[str], statements: list[Statement]) -> str:
    kept = [""] * len(lines)
    for one in statements:
        kept[one.first : one.end] = lines[one.first : one.end]
    return "\n".join(kept)


def located(statements: Iterable[Statement]) -> Iterator[tuple[Statement, list[KeyPath]]]:
    """Each right statement with every key that it sets or opens, by the tables around it.

    A header has its own table last; a key with a table as its value has those within, too.
    """
    header: KeyPath = ()
    for one in statements:
        if one.values is None:
            continue
        paths = list(_paths(one.values))
        if one.is_header:
            header = max(paths, key=len)
            yield one, [header[:length] for length in range(1, len(header) + 1)]
        else:
            yield one, [header + path for path in paths]


def _lines_of(statements: list[Statement]) -> dict[KeyPath, int]:
    found: dict[KeyPath, int] = {}
    for one, paths in located(statements):
        for path in paths:
            found.setdefault(path, one.first + 1)
    return found


def _paths(value: object) -> Iterator[KeyPath]:
    """Every key in a value, with those of the tables within."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (key,)
            yield from ((key, *path) for path in _paths(inner))
