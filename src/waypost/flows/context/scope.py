"""`context --preset scope`: what is known about the code of a task, in 500 tokens."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from waypost.context.cache import context_key
from waypost.context.scope import NO_MEMORY, SCOPE_TOKENS, ScopeText, format_scope
from waypost.flows.checkouts.treeless import notice_elsewhere, seen_elsewhere
from waypost.flows.context.brief import Briefing, check_budget
from waypost.flows.context.open_files import code_to_open
from waypost.flows.engines.query import WHOLE, EngineQuestion, engines_for, reading_for
from waypost.flows.index.freshness import MOST_ROUNDS, catch_up, files_of, refresh
from waypost.flows.links.hits import derived, hit_of
from waypost.flows.open_space import OpenSpace, tree_changed_key
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.scope import ScopeDocument, ScopeScored, ScopeTask
from waypost.retrieve.scope import KEEP_ABOVE, read_task, score, select
from waypost.store.protocol import Reader

_FROM_EACH = 2  # symbols of a file
_TOKENS_OF_CODE = 1000  # the budget of a briefing that shows as many files
_PER_TOTAL, _LEAST_TOTAL = 0.12, 1.2  # the scale from totals of files to scores
_NEXT = 0.02  # by which the second symbol of a file stands behind the first


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
    code = code_to_open(space, task.description, view, tokens=_TOKENS_OF_CODE, now=now)
    places = [(file, hit) for file in code.files for hit in file.hits[:_FROM_EACH] if hit.id in code.versions]
    cosines = _cosines(space, task, [code.versions[hit.id].number for _, hit in places])
    scored = select(
        _scored(task, code.versions[hit.id], cosines, now, file.total, place)
        for file in code.files
        for place, hit in enumerate(file.hits[:_FROM_EACH])
        if hit.id in code.versions
    )
    with space.store.read() as reader:
        seen = seen_elsewhere(space, reader)
    scope_text = format_scope(scored, now, tokens)
    hits = tuple(
        hit_of(derived(code.versions[place.document.id], now, seen), place.final, _why(place))
        for place in scope_text.used
    )
    explanation = " ".join((_told(task, scope_text), *notice_elsewhere(space)))
    return Briefing(
        scope_text.text,
        scope_text.tokens,
        hits,
        max((place.final for place in scope_text.used), default=0.0),
        explanation,
    )


def _scored(
    task: ScopeTask, version: Version, cosines: Mapping[int, float], now: datetime, total: float, place: int
) -> ScopeScored:
    """A place to open: what speaks for its file decides, so everything worth opening passes `select`."""
    scored = score(task, _document(version, cosines.get(version.number)), now)
    worth = KEEP_ABOVE + _PER_TOTAL * max(0.1, total - _LEAST_TOTAL) - _NEXT * place
    return replace(scored, final=min(1.0, max(KEEP_ABOVE + 0.001, worth)))


def _cosines(space: OpenSpace, task: ScopeTask, numbers: Sequence[int]) -> dict[int, float]:
    """How near each version is to the task, by the nearest engine."""
    question = EngineQuestion(space, task.query, wakes=False)
    best: dict[int, float] = {}
    with reading_for(space, question) as (reader, engines):
        for engine, vector in question.by_engine(engines_for(space, engines, question.language), WHOLE).items():
            for number, cosine in reader.search.vector_scores(engine, vector, numbers).items():
                best[number] = max(cosine, best.get(number, -1.0))
    return best


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
        return f"No code about {', '.join(task.keywords) or 'this'} is worth opening."
    left = f", {scope_text.left_out} left out" if scope_text.left_out else ""
    return f"A {task.task_type} task: {len(scope_text.used)} places in {scope_text.tokens} tokens{left}."
