"""Code, facts and the journal in one list.

Each group is ranked in its own way: a high score only says that a hit is the best of its group. Groups are compared by
certainty, which means the same in all of them. Facts are ordered by it too, and so is code beside other groups: stale facts
come later, and of nearly equal ones what a person stated comes first. A fact comes before those that it
renews. The journal keeps its order, because turns depend on
each other: where certainty contradicts it, the turns concerned share their mean. Scores never rise down the list.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import merge
from math import exp, log

from waypost.model.recall import Hit
from waypost.retrieve.score import total_of
from waypost.store.protocol import Population

Populations = Mapping[str, Mapping[str, Population]]  # by engine and language

OTHERS = "others"  # the part of a score that comes from here
STATED = 0.5  # on the logistic scale: what a person stated on purpose, beside what agents and `init` wrote
FRESHNESS = (
    3.0  # for the part of a score that the state of its code gives: a stale fact with a fresh one beside it has -1
)
_FACTS = "facts"
_MIDDLE = 0.0  # only differences of totals are needed: any middle would do


def one_list(
    facts: Sequence[Hit], code: Sequence[Hit], journal: Sequence[Hit], *, is_small: bool = False, is_fitted: bool = True
) -> list[Hit]:
    """The hits of all groups, best first; of equal ones, those of an earlier group.

    `is_small`: everything stored was compared with the question. Then certainty orders the journal too.
    `is_fitted`: certainty was fitted for the engines in use. If not, each group keeps its order.
    """
    if not facts and not journal:
        return list(code)
    if not facts and not code and not (is_small and is_fitted):
        return list(journal)
    groups = (
        _newest_first(_by_certainty(facts)) if is_fitted else _in_order(facts),
        _by_certainty(code) if is_fitted else _in_order(code),
        _by_certainty(journal) if is_small and is_fitted else _in_order(journal),
    )
    return list(_falling(hit for _, hit in merge(*groups, key=lambda pair: -pair[0])))


def _by_certainty(hits: Sequence[Hit]) -> list[tuple[float, Hit]]:
    return sorted(((_worth(hit), hit) for hit in hits), key=lambda pair: -pair[0])


def _newest_first(facts: list[tuple[float, Hit]]) -> list[tuple[float, Hit]]:
    """The same, with each fact before those that it renews."""
    ordered = list[tuple[float, Hit]]()
    for worth, hit in facts:
        at = next((at for at, (_, other) in enumerate(ordered) if other.newer_id == hit.id), len(ordered))
        ordered.insert(at, (ordered[at][0] if at < len(ordered) else worth, hit))
    return ordered


def odds(probability: float) -> float:
    """A probability on the logistic scale."""
    inside = min(max(probability, 1e-9), 1 - 1e-9)
    return log(inside / (1 - inside))


def _worth(hit: Hit) -> float:
    """Certainty, changed by what makes one of two answers the better one."""
    certainty = hit.certainty or 0.0
    change = FRESHNESS * hit.why.get("freshness", 0.0) + STATED * (hit.source == "person" and hit.collection == _FACTS)
    return 1 / (1 + exp(-odds(certainty) - change)) if change else certainty


def _in_order(hits: Sequence[Hit]) -> Iterator[tuple[float, Hit]]:
    """Hits with their certainty, made to fall down the list: neighbours that contradict it share their mean."""
    blocks: list[list[float]] = []
    for hit in hits:
        blocks.append([hit.certainty or 0.0])
        while len(blocks) > 1 and _mean(blocks[-2]) < _mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    keys = [_mean(block) for block in blocks for _ in block]
    return zip(keys, hits, strict=True)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _falling(hits: Iterator[Hit]) -> Iterator[Hit]:
    least = 1.0
    for hit in hits:
        if hit.score <= least:
            least = hit.score
            yield hit
        else:
            part = total_of(least, _MIDDLE) - total_of(hit.score, _MIDDLE)
            yield replace(hit, score=least, why={**hit.why, OTHERS: part})
