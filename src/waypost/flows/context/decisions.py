"""Decisions with their reasons: a reason alone says little, and a decision without its reason is undone by the next agent."""

from collections.abc import Sequence
from dataclasses import replace

from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.model.causal import DECISION, JUSTIFIES, REASON
from waypost.model.recall import Hit, View
from waypost.store.protocol import Edge, Reader

MOST_REASONS = 2  # of a decision

Reasons = dict[str, tuple[str, ...]]  # texts of reasons, by the id of the decision


def with_reasons(space: OpenSpace, reader: Reader, hits: Sequence[Hit], view: View) -> tuple[list[Hit], Reasons]:
    """The hits, with decisions in the place of their reasons, each once; and the reasons of every decision."""
    causal = [hit.id for hit in hits if hit.project is None and hit.kind in (DECISION, REASON)]
    if not causal:
        return list(hits), {}
    known_at = view.moment.known_at
    above = [edge for edge in reader.edges.of_kinds(causal, (JUSTIFIES,), known_at=known_at) if edge.from_id in causal]
    decided = _decisions(space, reader, hits, above, view)
    decision_of = {edge.from_id: edge.to_id for edge in above if edge.to_id in decided}
    best: dict[str, Hit] = {}
    for hit in hits:
        kept = replace(decided[decision_of[hit.id]], score=hit.score, why=hit.why) if hit.id in decision_of else hit
        if kept.id not in best or kept.score > best[kept.id].score:
            best[kept.id] = kept
    decisions = [hit.id for hit in best.values() if hit.kind == DECISION and hit.project is None]
    return list(best.values()), reasons_of(reader, decisions, view)


def reasons_of(reader: Reader, decision_ids: Sequence[str], view: View, *, source: str | None = None) -> Reasons:
    """What justifies each of these decisions, by default from every source."""
    if not decision_ids:
        return {}
    edges = reader.edges.of_kinds(decision_ids, (JUSTIFIES,), known_at=view.moment.known_at)
    texts = reader.memories.visible({edge.from_id for edge in edges}, view)
    reasons: Reasons = {}
    for edge in edges:
        if edge.to_id in decision_ids and edge.from_id in texts and texts[edge.from_id].kind == REASON:
            if source not in (None, texts[edge.from_id].source):
                continue
            stored = reasons.get(edge.to_id, ())
            reasons[edge.to_id] = (*stored, texts[edge.from_id].text)[:MOST_REASONS]
    return reasons


def _decisions(
    space: OpenSpace, reader: Reader, hits: Sequence[Hit], edges: Sequence[Edge], view: View
) -> dict[str, Hit]:
    """The decisions that reasons among the hits justify, as hits."""
    own = {hit.id: hit for hit in hits}
    missing = {edge.to_id for edge in edges} - own.keys()
    versions = [v for v in reader.memories.visible(missing, view).values() if v.kind == DECISION] if missing else []
    memories = looked_at(space, reader, versions) if versions else {}
    made = {version.memory_id: hit_of(memories[version.number], 0.0, {}) for version in versions}
    return made | {edge.to_id: own[edge.to_id] for edge in edges if edge.to_id in own}
