"""How the state of its code changes the rank of a memory."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from waypost.model.code_link import CodeLink, LinkedMemory
from waypost.model.code_verdict import MOVED, UNCHANGED
from waypost.model.reference import LineRange
from waypost.retrieve.score import ScoredMemory, shown_score

# On the scale of totals, where a full match by keywords is 1. A stale memory ranks after a fresh one about the same code.
# If no memory about it is fresh, it ranks only after what is nearly as good: a larger penalty would bury it under
# unrelated memories (benchmarks/freshness.py). Expired memories rank lower too.
OUTDONE = -1.0
STALE = -0.3
SURE = 0.5  # for confidence above or below the usual one
USUAL_CONFIDENCE = 0.74  # of an agent's memory without evidence whose code is unchanged: it keeps its rank
_SAME_PLACE = 0.5  # share of their lines that two ranges must have in common


def with_freshness(
    memory: ScoredMemory, *, points_at_code: bool, is_stale: bool, confidence: float, is_outdone: bool
) -> ScoredMemory:
    """The same memory with the part of its score that depends on its code."""
    part = 0.0
    if is_stale:
        part = STALE if points_at_code and not is_outdone else OUTDONE
    elif points_at_code:
        part = SURE * (confidence - USUAL_CONFIDENCE)
    if not part:
        return memory
    total = memory.total + part
    return replace(memory, total=total, score=shown_score(total), why={**memory.why, "freshness": part})


def outdone(memories: Iterable[LinkedMemory]) -> frozenset[int]:
    """Version numbers of stale memories whose code also has a fresh memory."""
    fresh: dict[str, list[CodeLink]] = defaultdict(list)
    stale: list[LinkedMemory] = []
    for memory in memories:
        if memory.state.is_stale:
            stale.append(memory)
            continue
        for link in memory.links:
            if link.finding.state in (UNCHANGED, MOVED):
                fresh[link.reference.file_path].append(link)
    return frozenset(
        memory.version.number
        for memory in stale
        if any(_same(link, other) for link in memory.links for other in fresh[link.reference.file_path])
    )


def _same(link: CodeLink, other: CodeLink) -> bool:
    """Whether two links into one file point at the same code."""
    here, there = link.reference, other.reference
    if here.symbol_id is not None and here.symbol_id == there.symbol_id:
        return True
    if here.line_range is None or there.line_range is None:
        return here.line_range == there.line_range
    return _shared(here.line_range, there.line_range) >= _SAME_PLACE


def _shared(lines: LineRange, other: LineRange) -> float:
    common = min(lines.end, other.end) - max(lines.start, other.start) + 1
    return common / (max(lines.end, other.end) - min(lines.start, other.start) + 1)
