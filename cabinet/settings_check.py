"""Checks a settings file's values against what the rooms declare, and finds every mistake at once.

Nothing is written twice: names, ranges and choices are read from the declared types. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, datetime, time
from difflib import get_close_matches
from functools import singledispatch
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from cabinet.toml_lines import BrokenLine, Document, KeyPath

S = TypeVar("S", bound=msgspec.Struct)

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_FOUND: Final = 60


class Mistake(msgspec.Struct, frozen=True):
    """One mistake in a settings file: where it is, what was found, what is allowed."""

    file: str
    line: int | None
    """Counted from 1; None when it concerns the file as a whole."""
    key: str
    """As in TOML, with its tables: ``debounce.lock_us``; empty when it is about no key."""
    found: str
    allowed: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        key = f"{self.key}: " if self.key else ""
        return f"{place}: {key}found {self.found}; allowed: {self.allowed}"


class Checker:
    """Reads one document into structs and gathers the mistakes. Not thread-safe."""

    def __init__(self, file: str, document: Document, other_keys: Mapping[KeyPath, tuple[str, ...]]) -> None:
        """`other_keys`: by table, keys that are no field of its struct and that the caller reads."""
        self._file = file
        self._document = document
        self._other_keys = other_keys
        self.new_items: dict[KeyPath, msgspec.Struct] = {}
        """By table of tables with names that the owner chooses: what each of them starts from."""
        self.mistakes: list[Mistake] = [self._broken(line) for line in document.broken]

    def read(self, path: KeyPath, table: dict[str, Any], base: S) -> S:
        """`base` with the table's values in place of its own; a wrong value leaves `base`'s."""
        others = self._other_keys.get(path, ())
        fields = {field.encode_name: field for field in msgspec.structs.fields(base)}
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key in fields:
                field = fields[key]
                old = getattr(base, field.name)
                before = len(self.mistakes)
                new = self._value((*path, key), value, old, field.type)
                if len(self.mistakes) == before or isinstance(old, (msgspec.Struct, dict)):
                    values[field.name] = new
            elif key not in others:
                self._unknown((*path, key), value, [*fields, *others])
        return self._build(path, table, base, values)

    def add(self, path: KeyPath, found: str, allowed: str) -> None:
        """Notes a mistake at a key."""
        line = self._document.line_of(path)
        self.mistakes.append(Mistake(self._file, line, key_text(path), found, allowed))

    def is_wrong(self, path: KeyPath) -> bool:
        """Whether a mistake was found at this very key."""
        return any(mistake.key == key_text(path) for mistake in self.mistakes)

    def in_order(self) -> tuple[Mistake, ...]:
        """All mistakes from the file's top to its end."""
        return tuple(sorted(self.mistakes, key=lambda one: (one.line or 0, one.key)))

    def _value(self, path: KeyPath, value: Any, old: Any, declared: Any) -> Any:
        if isinstance(old, msgspec.Struct) and isinstance(value, dict):
            return self.read(path, value, old)
        if isinstance(old, dict) and isinstance(value, dict):
            return {**old, **self._items(path, value, declared)}
        try:
            return msgspec.convert(value, declared)
        except (msgspec.ValidationError, ValueError):
            self.add(path, shortened(toml_value(value)), describe(inspect.type_info(declared)))
            return old

    def _items(self, path: KeyPath, table: dict[str, Any], declared: Any) -> dict[Any, Any]:
        """A table of names that the owner chooses, or of names from a list: each item by itself."""
        kind = inspect.type_info(declared)
        assert isinstance(kind, inspect.DictType)
        items: dict[Any, Any] = {}
        base = self.new_items.get(path)
        for key, value in table.items():
            if base is not None:
                items[key] = self._value((*path, key), value, base, type(base))
                continue
            try:
                items.update(msgspec.convert({key: value}, declared))
            except (msgspec.ValidationError, ValueError) as error:
                if "at `key`" in str(error):
                    self._unknown((*path, key), value, _choices(kind.key_type))
                else:
                    self.add((*path, key), shortened(toml_value(value)), describe(kind.value_type))
        return items

    def _build(self, path: KeyPath, table: dict[str, Any], base: S, values: dict[str, Any]) -> S:
        """The struct, with what it finds wrong about its values taken together."""
        try:
            built = type(base)(**{**msgspec.structs.asdict(base), **values})
        except ValueError as error:
            complaints: tuple[str, ...] = (str(error),)
            built = base
        else:
            find_mistakes = getattr(built, "mistakes", None)
            complaints = find_mistakes() if callable(find_mistakes) else ()
        wrong = [key for key in table if key not in values]
        for text in complaints:
            if not any(_mentions(text, key) for key in wrong):
                self._complain(path, table, text)
        return built

    def _complain(self, path: KeyPath, table: dict[str, Any], text: str) -> None:
        """Puts it at the key that the text names first: one of a table within before one of this table."""
        own: dict[KeyPath, Any] = {(key,): value for key, value in table.items()}
        inner: dict[KeyPath, Any] = {
            (key, name): item
            for key, value in table.items()
            if isinstance(value, dict)
            for name, item in value.items()
        }
        for values in (inner, own):
            if named := [key for key in values if _mentions(text, key[-1])]:
                first = min(named, key=lambda key: text.find(key[-1]))
                self.add((*path, *first), shortened(toml_value(values[first])), f"values that agree ({text})")
                return
        self.add(path, "values that do not agree", f"values that agree ({text})")

    def _unknown(self, path: KeyPath, value: Any, names: list[str]) -> None:
        what = "an unknown section" if len(path) == 1 and isinstance(value, dict) else "an unknown key"
        near = get_close_matches(path[-1], names, n=1, cutoff=0.5)
        if near:
            self.add(path, what, f"{key_text((near[0],))}, the nearest known name")
        else:
            self.add(path, what, ", ".join(key_text((name,)) for name in names))

    def _broken(self, line: BrokenLine) -> Mistake:
        allowed = "each key and each [section] once" if line.is_repeated else 'key = 12, key = "text" or [section]'
        return Mistake(self._file, line.line, "", f"{shortened(line.text)} ({line.reason})", allowed)


@singledispatch
def describe(kind: inspect.Type) -> str:
    """What a declared type allows, in plain words: ``a whole number from 0 to 1000``."""
    return f"a value of the kind {type(kind).__name__.removesuffix('Type').lower()}"


@describe.register
def _(_kind: inspect.BoolType) -> str:
    return "true or false"


@describe.register
def _(kind: inspect.IntType) -> str:
    return "a whole number" + _bounds(kind)


@describe.register
def _(kind: inspect.FloatType) -> str:
    return "a number" + _bounds(kind)


@describe.register
def _(kind: inspect.StrType) -> str:
    return "a text in quotes" + _lengths(kind.min_length, kind.max_length, "letters")


@describe.register
def _(kind: inspect.LiteralType) -> str:
    return " or ".join(toml_value(value) for value in kind.values)


@describe.register(inspect.ListType)
@describe.register(inspect.VarTupleType)
@describe.register(inspect.SetType)
@describe.register(inspect.FrozenSetType)
def _(kind: inspect.ListType | inspect.VarTupleType | inspect.SetType | inspect.FrozenSetType) -> str:
    count = _lengths(kind.min_length, kind.max_length, "of them")
    return f"a list in [brackets], each {describe(kind.item_type)}{count}"


@describe.register
def _(kind: inspect.DictType) -> str:
    return f"a table of keys, each with {describe(kind.value_type)}"


@describe.register
def _(kind: inspect.StructType) -> str:
    return f"a table with the keys {', '.join(field.encode_name for field in kind.fields)}"


@describe.register
def _(kind: inspect.UnionType) -> str:
    return ", or ".join(describe(one) for one in kind.types if not isinstance(one, inspect.NoneType))


@describe.register
def _(kind: inspect.Metadata) -> str:
    """Where a range or a list cannot say it, the declaration does."""
    said = (kind.extra_json_schema or {}).get("description")
    return str(said) if said else describe(kind.type)


def toml_value(value: Any) -> str:
    """A value as TOML writes it."""
    return _toml(msgspec.to_builtins(value, builtin_types=(datetime, date, time)))


def shortened(text: str) -> str:
    """A text of one short line."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_FOUND else text[: _LONGEST_FOUND - 1] + "…"


def key_text(path: KeyPath) -> str:
    """A key with its tables as TOML writes it."""
    return ".".join(key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False) for key in path)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key_text((key,))} = {_toml(item)}" for key, item in value.items()) + " }"
    return str(value)


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    low = kind.ge if kind.ge is not None else kind.gt
    high = kind.le if kind.le is not None else kind.lt
    above = "above" if kind.ge is None else "from"
    below = "below" if kind.le is None else "to"
    if low is not None and high is not None:
        return f" {above} {low} {below} {high}"
    if low is not None:
        return f" {above} {low}" + (" up" if kind.ge is not None else "")
    return f" {'up to' if kind.le is not None else below} {high}" if high is not None else ""


def _lengths(least: int | None, most: int | None, of_what: str) -> str:
    if least is None and most is None:
        return ""
    if least == most:
        return f", {least} {of_what}"
    if most is None:
        return f", at least {least} {of_what}"
    return f", {least or 0} to {most} {of_what}"


def _choices(kind: inspect.Type) -> list[str]:
    return [str(value) for value in kind.values] if isinstance(kind, inspect.LiteralType) else []


def _mentions(text: str, key: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(key)}(?!\w)", text) is not None
