"""Writes the commented sample of a settings file from the declared structs, so that the two cannot differ.

A line that begins with ``##`` explains; one that begins with a single ``#`` is a setting with its default.
"""

from __future__ import annotations

import ast
import inspect as python_inspect
import textwrap
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from cabinet.settings_check import describe, key_text, toml_value
from cabinet.toml_lines import KeyPath

_WIDTH = 100


def sample_of(settings: msgspec.Struct, first_lines: dict[KeyPath, list[str]]) -> str:
    """Every section of `settings` with its values as defaults.

    `first_lines`: lines to put at the top of a section, before its own keys; those of ``()`` begin the file.
    """
    lines = list(first_lines.get((), []))
    docs = field_docs(type(settings))
    for field in msgspec.structs.fields(settings):
        lines += _table((field.encode_name,), getattr(settings, field.name), docs.get(field.name, ""), first_lines)
    return "\n".join(lines) + "\n"


def explanation(text: str) -> list[str]:
    """Lines that explain, wrapped."""
    return textwrap.wrap(" ".join(text.split()), _WIDTH, initial_indent="## ", subsequent_indent="## ")


def setting(key: str, value: Any) -> str:
    """A setting with its default, commented out."""
    return f"# {key_text((key,))} = {toml_value(value)}"


def field_docs(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Each field's docstring: the text beneath it in the source."""
    docs: dict[str, str] = {}
    for cls in reversed(struct.__mro__):
        if issubclass(cls, msgspec.Struct) and cls is not msgspec.Struct:
            docs |= _docs_in(cls)
    return docs


def _docs_in(cls: type) -> dict[str, str]:
    body = ast.parse(textwrap.dedent(python_inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for statement, following in zip(body.body, body.body[1:], strict=False):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                docs[name] = " ".join(text.split())
    return docs


def _table(path: KeyPath, value: Any, doc: str, first_lines: dict[KeyPath, list[str]]) -> Iterator[str]:
    """One table: its explanation, its header, its keys, then the tables within."""
    yield ""
    yield from explanation(doc)
    yield f"[{key_text(path)}]"
    yield from first_lines.get(path, [])
    if isinstance(value, dict):
        yield from (setting(str(key), item) for key, item in value.items())
        return
    docs = field_docs(type(value))
    inner: list[str] = []
    for field in msgspec.structs.fields(value):
        item = getattr(value, field.name)
        text = docs.get(field.name, "")
        if isinstance(item, dict) and not _holds_tables(field.type):
            text = f"{text} Allowed: {describe(inspect.type_info(field.type))}."
        if isinstance(item, (msgspec.Struct, dict)):
            inner += _table((*path, field.encode_name), item, text, first_lines)
            continue
        yield from explanation(f"{text} Allowed: {describe(inspect.type_info(field.type))}.")
        yield f"## {field.encode_name} is not set." if item is None else setting(field.encode_name, item)
    yield from inner


def _holds_tables(declared: Any) -> bool:
    """Whether it is a table of tables with names that the owner chooses; what these are is explained elsewhere."""
    kind = inspect.type_info(declared)
    return isinstance(kind, inspect.DictType) and isinstance(kind.value_type, inspect.StructType)
