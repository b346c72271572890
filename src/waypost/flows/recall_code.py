"""Recall over a tree: candidates by keywords and by vectors, ranked as code."""

from datetime import datetime
from typing import TYPE_CHECKING

from waypost.flows.open_space import OpenSpace
from waypost.model.memory import State
from waypost.model.recall import Hit, View
from waypost.retrieve.spread import Engines
from waypost.store.protocol import Reader
from waypost.text.words import query_terms

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_DEPTH = 100
_WEIGHTS = (8.0, 4.0, 2.0, 1.0)


def code_hits(
    space: OpenSpace,
    reader: Reader,
    asked: str,
    language: str,
    view: View,
    vectors: "dict[str, Vector]",
    roles: Engines,
    k: int,
    now: datetime,
) -> list[Hit]:
    from waypost.flows.recall import hit_of

    keyword = {f.number: f.score for f in reader.code_keyword_search(query_terms(asked), _WEIGHTS, _DEPTH, view)}
    scores = dict.fromkeys(keyword, 0.0)
    best = max(keyword.values(), default=1.0)
    for engine, vector in vectors.items():
        for f in reader.vector_search(engine, vector, _DEPTH, view).found:
            scores[f.number] = max(scores.get(f.number, 0.0), f.score)
    total = {n: 0.5 * keyword.get(n, 0.0) / best + 0.5 * s for n, s in scores.items()}
    chosen = sorted(total, key=lambda n: -total[n])[:k]
    versions = reader.versions_by_number(chosen)
    return [hit_of(versions[n], State(), total[n], {"total": total[n]}, now) for n in chosen]
