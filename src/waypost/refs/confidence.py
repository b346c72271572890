"""How much a memory can be trusted."""

from datetime import datetime
from typing import NamedTuple

from waypost.model.memory import State, Version

_RECENCY, _EVIDENCE, _HASH, _SOURCE = 0.3, 0.2, 0.3, 0.2
_FADES_OVER_DAYS = 30
_EVIDENCE_FOR_FULL = 3
_NEVER_VERIFIED = 0.5
_HASH_CHANGED = 0.2
_NOT_A_PERSON = 0.7
_STALE_AT_MOST = 0.5


class ConfidencePart(NamedTuple):
    """One component of a confidence value: its value (0 to 1) and its weight."""

    name: str  # "recency", "evidence", "code", "source"
    value: float
    weight: float


def confidence_parts(version: Version, state: State, now: datetime) -> tuple[ConfidencePart, ...]:
    """The components of a memory's confidence.

    Writing a memory counts as verification, unless it has code references that could not be checked.
    """
    recency, evidence, code, source = _values(version, state, now)
    return (
        ConfidencePart("recency", recency, _RECENCY),
        ConfidencePart("evidence", evidence, _EVIDENCE),
        ConfidencePart("code", code, _HASH),
        ConfidencePart("source", source, _SOURCE),
    )


def _values(version: Version, state: State, now: datetime) -> tuple[float, float, float, float]:
    verified = state.verified_at or (None if version.refs else version.recorded_at)
    days = 0.0 if verified is None else (now - verified).total_seconds() / 86_400
    recency = _NEVER_VERIFIED if verified is None else min(1.0, max(0.0, 1 - days / _FADES_OVER_DAYS))
    evidence = min(1.0, len(version.evidence) / _EVIDENCE_FOR_FULL) if version.evidence else 0.0
    code = _HASH_CHANGED if state.is_stale else 1.0
    return recency, evidence, code, 1.0 if version.source == "person" else _NOT_A_PERSON


def confidence(version: Version, state: State, now: datetime) -> float:
    """The weighted sum of the parts, between 0 and 1. A stale memory gets at most 0.5."""
    recency, evidence, code, source = _values(version, state, now)
    value = recency * _RECENCY + evidence * _EVIDENCE + code * _HASH + source * _SOURCE
    return round(min(value, _STALE_AT_MOST) if state.is_stale else value, 4)
