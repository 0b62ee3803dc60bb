"""The checker: each scenario's result against what it expects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from cabinet.referee.result import result_of
from cabinet.referee.scenario import TOO_DEEP, ScenarioError, read_line


class Failure(msgspec.Struct, frozen=True):
    """A scenario whose result is not the expected one."""

    scenario_id: str
    title: str
    difference: str

    def __str__(self) -> str:
        """One line, which any terminal takes."""
        return _printable(f"{self.scenario_id} ({self.title}): {self.difference}")


class Verdict(msgspec.Struct, frozen=True):
    """What came of checking a list of scenarios."""

    passed: int
    failures: tuple[Failure, ...]


def check_lines(lines: Iterable[str | bytes]) -> Verdict:
    """Checks one scenario a line; empty lines are passed over. Never raises for bad input."""
    passed = 0
    failures = []
    for line in lines:
        if not line.strip():
            continue
        failure = _check_line(line)
        if failure is None:
            passed += 1
        else:
            failures.append(failure)
    return Verdict(passed, tuple(failures))


def _check_line(line: str | bytes) -> Failure | None:
    try:
        document = read_line(line)
    except ScenarioError as error:
        return Failure("null", "", str(error))
    try:
        difference = _difference_in(document)
    except RecursionError:
        difference = TOO_DEEP
    if difference is None:
        return None
    title = document.get("title", "")
    return Failure(str(document.get("id")), title if isinstance(title, str) else "", difference)


def _difference_in(document: dict[str, Any]) -> str | None:
    expected = document.get("expect")
    if isinstance(expected, dict) and (unknown := sorted(set(expected) - {"steps", "state", "error"})):
        return f"expect: unknown {', '.join(unknown)}; allowed: steps, state, error"
    if not isinstance(expected, dict) or not expected:
        return "expects nothing, so it checks nothing"
    return _difference(expected, result_of(document))


def _difference(expected: dict[str, Any], result: dict[str, Any]) -> str | None:
    """Where a result is not as expected; None when it is (CLARIFICATIONS.md C31)."""
    if "error" in expected:
        if "error" not in result:
            return "is accepted, but an error is expected"
        is_named = str(expected["error"]).lower() in result["error"].lower()
        return None if is_named else f"the error does not name {expected['error']!r}: {result['error']}"
    if "error" in result:
        return str(result["error"])
    if "steps" in expected and expected["steps"] != result["steps"]:
        return f"steps: expected {expected['steps']}, got {result['steps']}"
    return _not_contained("state", expected.get("state", {}), result["state"])


def _not_contained(name: str, expected: Any, found: Any) -> str | None:
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key not in found:
                return f"{name}.{key}: is not there"
            difference = _not_contained(f"{name}.{key}", value, found[key])
            if difference is not None:
                return difference
        return None
    is_same = type(expected) is type(found) and expected == found
    return None if is_same else f"{name}: expected {expected}, got {found}"


def _printable(text: str) -> str:
    """The text with escapes for line feeds, control characters and halves of characters."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
