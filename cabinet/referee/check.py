"""The checker: each scenario's result against what it expects."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from cabinet.referee.result import result_of


class Failure(msgspec.Struct, frozen=True):
    """A scenario whose result is not the expected one."""

    scenario_id: str
    title: str
    difference: str

    def __str__(self) -> str:
        return f"{self.scenario_id} ({self.title}): {self.difference}"


class Verdict(msgspec.Struct, frozen=True):
    """What came of checking a list of scenarios."""

    passed: int
    failures: tuple[Failure, ...]


def check_lines(lines: Iterable[str]) -> Verdict:
    """Checks one scenario a line; empty lines are passed over."""
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


def _check_line(line: str) -> Failure | None:
    try:
        document = json.loads(line)
    except json.JSONDecodeError as error:
        return Failure("null", "", f"no JSON: {error}")
    if not isinstance(document, dict):
        return Failure("null", "", "a scenario is a JSON object")
    expected = document.get("expect")
    if not isinstance(expected, dict) or not expected:
        difference: str | None = "expects nothing, so it checks nothing"
    else:
        difference = _difference(expected, result_of(document))
    if difference is None:
        return None
    return Failure(str(document.get("id")), str(document.get("title", "")), difference)


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
