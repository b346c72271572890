"""What the best hits call joins the candidates: a question is often about a function whose caller has its words."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.retrieve.code_rank import CodeCandidate
from waypost.retrieve.score import ScoredMemory
from waypost.store.protocol import Reader

if TYPE_CHECKING:
    from waypost.flows.recall.candidates import CodeQuery, Gathered
    from waypost.store.protocol import CodeSketch

_CALLERS = 5  # best hits whose calls are followed
_MOST_CALLS = 12  # of one of them: who calls more says little about each


def add_callees(
    reader: Reader,
    query: "CodeQuery",
    view: View,
    gathered: "Gathered[CodeSketch]",
    candidates: Sequence[CodeCandidate],
    ranked: Iterable[ScoredMemory],
) -> dict[str, float]:
    """Gather what the best functions call. Returns, by memory id, how good its callers are, 0 to 1."""
    by_id = {candidate.memory_id: candidate for candidate in candidates}
    good = takewhile(lambda scored: scored.total > 0, ranked)
    best = next(good, None)
    if best is None or view.checkout_id is None:
        return {}
    callers = islice(
        (
            scored
            for scored in chain((best,), good)
            if by_id[scored.memory_id].kind == "symbol" and not by_id[scored.memory_id].is_test
        ),
        _CALLERS,
    )
    worth = {
        scored.memory_id: min(1.0, scored.total / best.total) / math.sqrt(place)
        for place, scored in enumerate(callers, 1)
    }
    calls: dict[str, list[tuple[str, float]]] = {}
    for relation in reader.structure.out_of(view.checkout_id, list(worth), ("calls",)):
        calls.setdefault(relation.near, []).append((relation.other.id, relation.strength))
    called: dict[str, float] = {}
    for caller, targets in calls.items():
        for target, strength in targets if len(targets) <= _MOST_CALLS else ():
            called[target] = max(called.get(target, 0.0), strength * worth[caller])
    _gather(reader, query, view, gathered, [target for target in called if target not in by_id])
    return called


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
