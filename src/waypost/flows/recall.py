"""Recall: question → candidates by keywords and by vectors → fused and scored → the best k, explained."""

import time as timing
from datetime import datetime

from waypost.errors import InvalidInput
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import check_text
from waypost.model.memory import State, Version
from waypost.model.recall import Answer, Hit, View
from waypost.refs.confidence import confidence
from waypost.text.words import query_terms

MOST_HITS = 1000
_DEPTH = 200
_ON_THE_SPOT = 256  # texts owed that are embedded before answering rather than left out


def recall(
    space: OpenSpace, question: str, view: View, *, k: int = 5, now: datetime | None = None, fresh: bool = False
) -> Answer:
    started = timing.perf_counter()
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_HITS:
        raise InvalidInput(f"k is {k}; it must be from 1 to {MOST_HITS}.", "")
    question = check_text(question, "question")
    terms = query_terms(question)
    scores: dict[int, float] = {}
    with space.store.read() as reader:
        engine = space.engines.main
        found = reader.keyword_search(terms, _DEPTH, view)
        top = max((f.score for f in found), default=1.0) or 1.0
        for f in found:
            scores[f.number] = max(scores.get(f.number, 0.0), f.score / top)
        vector = space.engines.embed_question(engine, question)
        if vector is not None:
            for f in reader.vector_search(engine.name, vector, _DEPTH, view).found:
                scores[f.number] = scores.get(f.number, 0.0) + 2 * f.score
        best = sorted(scores, key=lambda n: (-scores[n], n))[:k]
        versions = reader.versions_by_number(best)
        states = reader.states([v.memory_id for v in versions.values()])
    hits = [
        hit_of(versions[n], states.get(versions[n].memory_id, State()), scores[n] / 3, {}, space.clock()) for n in best
    ]
    took = (timing.perf_counter() - started) * 1000
    return Answer(question, tuple(hits), (), took)


def hit_of(version: Version, state: State, score: float, why: dict[str, float], now: datetime) -> Hit:
    first = version.refs[0] if version.refs else None
    lines = first.line_range if first else None
    return Hit(
        id=version.memory_id,
        score=score,
        text=version.text,
        kind=version.kind,
        collection=version.collection,
        source=version.source,
        valid_from=version.valid_from,
        recorded_at=version.recorded_at,
        valid_until=version.valid_until,
        key=version.key,
        name=version.name,
        path=first.file_path if first else None,
        line=lines.start if lines else None,
        end_line=lines.end if lines else None,
        summary=_one_line(version.text),
        level=version.level,
        domain=version.domain,
        session=version.session,
        speaker=version.speaker,
        time=version.time,
        confidence=confidence(version, state, now),
        is_stale=state.is_stale,
        stale_reason=state.stale_reason,
        code_refs=version.refs,
        tags=version.tags,
        why=why,
    )


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:157].rsplit(" ", 1)[0] + " …"
