"""`context --preset scope`: what is known about the code of a task, in 500 tokens."""

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from waypost.context.cache import context_key
from waypost.context.scope import NO_MEMORY, SCOPE_TOKENS, ScopeText, format_scope
from waypost.flows.checkouts.treeless import notice_elsewhere, seen_elsewhere
from waypost.flows.context.brief import Briefing, check_budget
from waypost.flows.engines.query import WHOLE, EngineQuestion, engines_for, reading_for
from waypost.flows.index.freshness import MOST_ROUNDS, catch_up, files_of, refresh
from waypost.flows.links.hits import derived, hit_of
from waypost.flows.open_space import OpenSpace, tree_changed_key
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.scope import ScopeDocument, ScopeScored, ScopeTask
from waypost.retrieve.scope import read_task, score, select
from waypost.store.protocol import Reader
from waypost.text.keywords import query_terms

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

COLLECTIONS = ("functions", "code_structure", "database_schema", "architecture")
_FROM_EACH = 10
_WEIGHTS = (4.0, 2.0, 2.0, 1.0)  # of name, path, doc and body, where there is no vector to go by


def scope_brief(space: OpenSpace, description: str, view: View, *, tokens: int = SCOPE_TOKENS) -> Briefing:
    """The smart context of a task, from the cache while nothing has changed."""
    check_budget(tokens)
    catch_up(space)
    task = read_task(description)
    with space.store.read() as reader:
        token = _token(space, reader)
        if not reader.code.has_any(space.identity.checkout_id):
            return Briefing(NO_MEMORY, -(-len(NO_MEMORY) // 4), (), 0.0, "This tree is not indexed yet.")
    key = context_key(space.identity.space_id, task, "scope", tokens, space.identity.checkout_id)
    lasting = not view.moment.explicit and view.moment.known_at is None  # another moment has another answer
    made: Briefing | None = space.contexts.get(key, token) if lasting else None
    if made is not None and not _refresh(space, made):
        return made
    for _ in range(MOST_ROUNDS):
        with space.store.read() as reader:
            token = _token(space, reader)
        made = _make(space, task, view, tokens)
        if not _refresh(space, made):
            break
    assert made is not None
    if lasting:
        space.contexts.put(key, made, token)
    return made


def _refresh(space: OpenSpace, briefing: Briefing) -> bool:
    """Index what has changed of the files shown. Returns whether anything had."""
    with space.store.read() as reader:
        files = files_of(space, reader, briefing.memories)
    return refresh(space, files)


def _token(space: OpenSpace, reader: Reader) -> Hashable:
    """Differs as soon as a file is known to have changed, or more of the tree has been embedded."""
    checkout = space.identity.checkout_id
    return (
        reader.meta.get(tree_changed_key(space)),
        tuple(reader.code.tracked(checkout)),
        tuple(reader.vectors.pending().values()),
    )


def _make(space: OpenSpace, task: ScopeTask, view: View, tokens: int) -> Briefing:
    now = space.clock()
    question = EngineQuestion(space, task.query, wakes=False)
    with reading_for(space, question) as (reader, engines):
        vectors = question.by_engine(engines_for(space, engines, question.language), WHOLE)
        candidates: dict[int, float | None] = {}
        for collection in COLLECTIONS:
            candidates |= _candidates(reader, task, vectors, replace(view, collections=(collection,)))
        versions, seen = reader.memories.by_number(candidates), seen_elsewhere(space, reader)
    scored = select(score(task, _document(versions[number], cosine), now) for number, cosine in candidates.items())
    scope_text = format_scope(scored, now, tokens)
    by_id = {version.memory_id: version for version in versions.values()}
    hits = tuple(
        hit_of(derived(by_id[scored_place.document.id], now, seen), scored_place.final, _why(scored_place))
        for scored_place in scope_text.used
    )
    explanation = " ".join((_told(task, scope_text), *notice_elsewhere(space)))
    return Briefing(
        scope_text.text,
        scope_text.tokens,
        hits,
        max((scored_place.final for scored_place in scope_text.used), default=0.0),
        explanation,
    )


def _candidates(reader: Reader, task: ScopeTask, vectors: "dict[str, Vector]", view: View) -> dict[int, float | None]:
    """The nearest ten; by keywords where there are no vectors, or not enough yet."""
    candidates: dict[int, float | None] = {}
    for engine, vector in vectors.items():
        for passage in reader.search.vectors(engine, vector, _FROM_EACH, view).hits:
            candidates[passage.number] = max(passage.score, candidates.get(passage.number) or -1.0)
    if len(candidates) < _FROM_EACH:
        terms = query_terms(" ".join((task.description, *task.expanded)))
        for passage in reader.search.code_keywords(terms, _WEIGHTS, _FROM_EACH, view):
            candidates.setdefault(passage.number, None)
    return candidates


def _document(version: Version, cosine: float | None) -> ScopeDocument:
    details, first = version.details, version.refs[0] if version.refs else None
    return ScopeDocument(
        id=version.memory_id,
        content=" ".join((details.get("doc", ""), version.text)),
        type=details.get("type", version.kind),
        name=version.name or "",
        path=first.file_path if first else "",
        line=first.line_range.start if first and first.line_range and version.kind == "symbol" else None,
        collection=version.collection,
        changed_at=version.time,
        cosine=cosine,
        parameters=tuple(details.get("params", ())),
        returns=details.get("returns"),
        columns=tuple(details.get("columns", ())),
        functions=tuple(details.get("functions", ())),
    )


def _why(scored: ScopeScored) -> dict[str, float]:
    return {"meaning": scored.semantic, "keywords": scored.keyword, "recency": scored.recency, "type": scored.bonus}


def _told(task: ScopeTask, scope_text: ScopeText) -> str:
    if scope_text.left_out and not scope_text.used:
        return f"None of {scope_text.left_out} places fits into the budget."
    if not scope_text.used:
        return f"Nothing about {', '.join(task.keywords) or 'this'} scored above 0.5."
    left = f", {scope_text.left_out} left out" if scope_text.left_out else ""
    return f"A {task.task_type} task: {len(scope_text.used)} places in {scope_text.tokens} tokens{left}."
