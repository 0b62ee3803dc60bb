"""What was found, for machines. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from cabinet.bench.fairness.paths import Claim, PathKind
from cabinet.bench.fairness.result import Fairness, verdicts
from cabinet.bench.fairness.tally import DEAD_HEAT, EVERY, LEADS, LEADS_US, Count, Tally
from cabinet.bench.fairness.ways import CABINET, OURS
from cabinet.bench.figures import spread_ms

CLAIMS: Final[tuple[Claim, ...]] = ("told_apart", "level", "late")


def as_values(found: Fairness) -> dict[str, Any]:
    """Everything as one object of JSON; shares are from 0 to 1."""
    live = found.live
    return {
        "races": found.races,
        "seed": found.seed,
        "paths": {kind.key: _path(found.tally, kind) for kind in found.paths},
        **{kind.key: _own_path(found, kind) for kind in OURS},
        "real_time": {
            "races": live.races,
            **_claims(live.tally, EVERY, CABINET),
            "level": {"races": live.tally.of(CABINET.key, EVERY, ["level"]).races},
            "pin_to_snapshot_ms": msgspec.to_builtins(live.delay),
            "slack_ms": live.slack_ms,
            "handed_over_late_ms": msgspec.to_builtins(live.handed_over_late),
            "frames_per_s": live.frames_per_s,
            "collections": live.collections,
            "busy_processes": live.busy_processes,
        },
        "unmet": [verdict.name for verdict in verdicts(found) if verdict.is_met is False],
    }


def _own_path(found: Fairness, kind: PathKind) -> dict[str, Any]:
    """One of this project's, by what it says of its decisions."""
    tally, tied = found.tally, found.tied(kind)
    return {
        **_claims(tally, LEADS, kind),
        "dead_heats": _dead_heats(tally.of(kind.key, [DEAD_HEAT], ["level"])),
        "dead_heats_late": tally.of(kind.key, [DEAD_HEAT], ["late"]).races,
        "dead_heats_by_stamps": {"races": tied.races, "by_token": tied.by_token},
        "leads": [_claims_of_lead(tally, lead, kind) for lead in LEADS],
    }


def _path(tally: Tally, kind: PathKind) -> dict[str, Any]:
    return {
        "title": kind.title,
        "leads": [{**_bounds(lead), **_count(tally.of(kind.key, [lead]))} for lead in LEADS],
        "all_leads": _count(tally.of(kind.key, LEADS)),
        "dead_heats": _dead_heats(tally.of(kind.key, [DEAD_HEAT])),
    }


def _claims_of_lead(tally: Tally, lead: int, kind: PathKind) -> dict[str, Any]:
    """What this project says of its decisions in one class of leads."""
    counts = {claim: tally.of(kind.key, [lead], [claim]) for claim in CLAIMS}
    return {
        **_bounds(lead),
        **{claim: {"races": count.races, "wrong": count.wrong} for claim, count in counts.items()},
    }


def _bounds(lead: int) -> dict[str, int]:
    return {"from_us": LEADS_US[lead], "to_us": LEADS_US[lead + 1]}


def _claims(tally: Tally, leads: Sequence[int], kind: PathKind) -> dict[str, Any]:
    """By what this project says of its decisions: every race is counted once."""
    key = kind.key
    claims: dict[str, Any] = {claim: _count(tally.of(key, leads, [claim])) for claim in CLAIMS}
    late_ns = tally.late_ns.get(key, ())
    return {
        **claims,
        "late_ms": msgspec.to_builtins(spread_ms(late_ns)) if late_ns else None,
        "undecided": tally.of(key, EVERY).undecided,
    }


def _count(count: Count) -> dict[str, Any]:
    return {
        "races": count.races,
        "wrong": count.wrong,
        "wrong_share": round(count.wrong_share, 6),
        "seat_bias": round(count.bias, 6),
    }


def _dead_heats(count: Count) -> dict[str, Any]:
    share = round(count.given_to_a_share, 6)
    return {"races": count.races, "given_to_a": count.given_to_a, "given_to_a_share": share}
