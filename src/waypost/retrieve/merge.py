"""Code, facts and the journal in one list.

Each group is ranked in its own way: a high score only says that a hit is the best of its group. Groups are compared by
certainty, which means the same in all of them. The journal keeps its order, because turns depend on each other: where
certainty contradicts it, the turns concerned share their mean. Scores never rise down the list.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import merge

from waypost.model.recall import Hit
from waypost.retrieve.score import total_of
from waypost.store.protocol import Population

Populations = Mapping[str, Mapping[str, Population]]  # by engine and language

OTHERS = "others"  # the part of a score that comes from here
_MIDDLE = 0.0  # only differences of totals are needed: any middle would do


def one_list(*groups: Sequence[Hit]) -> list[Hit]:
    """The hits of all groups, best first; of equal ones, those of an earlier group."""
    rest = [list(_with_keys(group)) for group in groups if group]
    if len(rest) < 2:
        return [hit for group in rest for _, hit in group]
    return list(_falling(hit for _, hit in merge(*rest, key=lambda pair: -pair[0])))


def _with_keys(hits: Sequence[Hit]) -> Iterator[tuple[float, Hit]]:
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
