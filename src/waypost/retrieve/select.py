"""From passages to memories."""

from collections.abc import Iterable


def best_of(found: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The best score among each memory's passages, in the order in which the memories first came."""
    best: dict[str, float] = {}
    for memory_id, score in found:
        if score > best.get(memory_id, float("-inf")):
            best[memory_id] = score
    return best
