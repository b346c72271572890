"""How useful a memory is for a task, and from where on it is worth its tokens.

Usefulness is the total of recall (see `retrieve.score`) plus what speaks for the memory itself: its source and kind, a
pin to code that the task opens, and freshness. Measured by `benchmarks/briefings`.
"""

from collections.abc import Mapping
from math import log2
from types import MappingProxyType

from waypost.model.recall import Hit

FLOOR = 2.25  # in a briefing of 1,000 tokens; a less useful memory is not shown, however much room there is
_PER_DOUBLING = 0.25  # by which the floor falls when the budget doubles: tokens are dearer in a small one

# What a person stated on purpose counts most; first facts about a project must match well.
_SOURCES: Mapping[str, float] = MappingProxyType({"person": 0.4, "extractor": -1.4})
# Rules, decisions and pitfalls change what one does; a plain fact may not.
_KINDS: Mapping[str, float] = MappingProxyType(
    {"constraint": 0.2, "preference": 0.1, "decision": 0.2, "fix": 0.2, "learning": 0.1, "reason": -0.2}
)
IN_FILE, AT_SYMBOL = 0.2, 0.6  # pinned to a file that the task opens; to a symbol shown of it
_STALE = -0.2
_LEAST_EVIDENCE = 0.3  # of keywords and meaning together; words without sense reach less
_WARNS = frozenset({"constraint", "decision", "fix", "learning"})


def usefulness(total: float, hit: Hit, pinned: float = 0.0) -> float:
    """The usefulness of a memory with this total of recall."""
    stale = _STALE if hit.is_stale else 0.0
    return total + _SOURCES.get(hit.source, 0.0) + _KINDS.get(hit.kind, 0.0) + pinned + stale


def matches(hit: Hit) -> bool:
    """Whether the words or the meaning of a memory speak for it at all, not only its source and kind."""
    return hit.why.get("keywords", 0.0) + hit.why.get("meaning", 0.0) >= _LEAST_EVIDENCE


def warns(hit: Hit, pinned: float) -> bool:
    """Whether a memory is a rule or pitfall of a symbol to open: it matters whatever words the task has."""
    return pinned >= AT_SYMBOL and hit.kind in _WARNS


def leniency(tokens: int) -> float:
    """How much less must speak for something to be shown in a budget of so many tokens: 0 for 1,000, 1 for 2,000."""
    return min(1.5, max(-0.5, log2(tokens / 1000)))


def floor_of(tokens: int) -> float:
    """The usefulness from which on a memory is shown."""
    return FLOOR - _PER_DOUBLING * leniency(tokens)
