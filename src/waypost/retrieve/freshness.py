"""What the state of the code behind a memory does to its rank."""

from dataclasses import replace

from waypost.retrieve.fuse import Scored, shown_score

# On the scale of fuse's totals, where a full match by keywords is 1. A stale memory yields to a fresh one that says about
# the same, and stays above what has nothing to do with the question (benchmarks/freshness.py).
STALE = -1.0
SURE = 0.5  # for the part of confidence that is above or below the usual one
USUAL_CONFIDENCE = 0.8


def with_freshness(one: Scored, *, points_at_code: bool, is_stale: bool, confidence: float) -> Scored:
    """The same with what follows from its code: nothing for a memory that points at none, and is not stale."""
    part = STALE if is_stale else 0.0
    if points_at_code and not is_stale:
        part = SURE * (confidence - USUAL_CONFIDENCE)
    if not part:
        return one
    total = one.total + part
    return replace(one, total=total, score=shown_score(total), why={**one.why, "freshness": part})
