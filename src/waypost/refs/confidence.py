"""How sure a memory is, from what is known about it (CB-7)."""

from datetime import datetime

from waypost.model.memory import State, Version

_RECENCY, _EVIDENCE, _HASH, _SOURCE = 0.3, 0.2, 0.3, 0.2
_FADES_OVER_DAYS = 30
_EVIDENCE_FOR_FULL = 3
_NEVER_VERIFIED = 0.5
_HASH_CHANGED = 0.2
_NOT_A_PERSON = 0.7
_STALE_AT_MOST = 0.5


def confidence(version: Version, state: State, now: datetime) -> float:
    """Between 0 and 1. Being written counts as a verification, unless it points at code that nobody could look at; what has
    gone stale is worth at most a half."""
    verified = state.verified_at or (None if version.refs else version.recorded_at)
    days = 0.0 if verified is None else (now - verified).total_seconds() / 86_400
    recency = _NEVER_VERIFIED if verified is None else min(1.0, max(0.0, 1 - days / _FADES_OVER_DAYS))
    evidence = min(1.0, len(version.evidence) / _EVIDENCE_FOR_FULL)
    current = _HASH_CHANGED if state.is_stale else 1.0
    source = 1.0 if version.source == "person" else _NOT_A_PERSON
    value = _RECENCY * recency + _EVIDENCE * evidence + _HASH * current + _SOURCE * source
    return round(min(value, _STALE_AT_MOST) if state.is_stale else value, 4)
