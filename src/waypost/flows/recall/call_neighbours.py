"""What the best hits call, and what calls them, joins the candidates: often only a neighbour has the words of a question."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING

from waypost.model.kinds import CODE_COLLECTIONS, IS_TEST
from waypost.model.recall import View
from waypost.retrieve.code_rank import CodeCandidate
from waypost.retrieve.score import ScoredMemory
from waypost.store.protocol import Reader
from waypost.store.structure import RelationSketch

if TYPE_CHECKING:
    from waypost.flows.recall.candidates import CodeQuery, Gathered
    from waypost.store.protocol import CodeSketch

_FOLLOWED = 5  # best hits whose calls are followed
_MOST_CALLS = 12  # of one of them in one direction: more say little about each


def add_call_neighbours(
    reader: Reader,
    query: "CodeQuery",
    view: View,
    gathered: "Gathered[CodeSketch]",
    candidates: Sequence[CodeCandidate],
    ranked: Iterable[ScoredMemory],
) -> dict[str, float]:
    """Gather what the best functions call and what calls them. Returns, by id of what they call, how good they are, 0 to 1.

    To be a caller says nothing by itself: any weight for it loses on the evaluation's repositories.
    """
    by_id = {candidate.memory_id: candidate for candidate in candidates}
    good = takewhile(lambda scored: scored.total > 0, ranked)
    best = next(good, None)
    if best is None or view.checkout_id is None:
        return {}
    followed = islice(
        (
            scored
            for scored in chain((best,), good)
            if by_id[scored.memory_id].kind == "symbol" and not by_id[scored.memory_id].is_test
        ),
        _FOLLOWED,
    )
    worth = {
        scored.memory_id: min(1.0, scored.total / best.total) / math.sqrt(place)
        for place, scored in enumerate(followed, 1)
    }
    structure = reader.structure
    called = _worths(structure.out_of(view.checkout_id, list(worth), ("calls",)), worth)
    callers = _worths(structure.into(view.checkout_id, list(worth), ("calls",)), worth)
    _gather(reader, query, view, gathered, [other for other in called | callers if other not in by_id])
    return called


def _worths(relations: Iterable[RelationSketch], worth: Mapping[str, float]) -> dict[str, float]:
    """How good the hits are that each symbol is related to. A hit with many relations says little about each."""
    related: dict[str, list[RelationSketch]] = {}
    for relation in relations:
        if relation.other.kind == "symbol" and not relation.other.traits & IS_TEST:
            related.setdefault(relation.near, []).append(relation)
    worths: dict[str, float] = {}
    for near, others in related.items():
        for relation in others if len(others) <= _MOST_CALLS else ():
            value = relation.strength * worth[near]
            worths[relation.other.id] = max(worths.get(relation.other.id, 0.0), value)
    return worths


def _gather(
    reader: Reader, query: "CodeQuery", view: View, gathered: "Gathered[CodeSketch]", memory_ids: Sequence[str]
) -> None:
    """Add these memories and their files to what was gathered."""
    if not memory_ids:
        return
    numbers = {version.number for version in reader.memories.visible(memory_ids, view).values()}
    sketches = reader.code.sketches(numbers)
    paths = {sketch.path for sketch in sketches.values() if sketch.path}
    files = reader.code.files_at(paths, replace(view, collections=CODE_COLLECTIONS))
    beside = reader.code.sketches(set(files) - gathered.sketches.keys() - sketches.keys())
    gathered.sketches |= sketches | beside
    for engine, vector in query.vectors.items():
        gathered.similarity[engine] |= reader.search.vector_scores(engine, vector, [*sketches, *beside])
    if not gathered.files_shown:
        gathered.not_shown |= beside.keys()
