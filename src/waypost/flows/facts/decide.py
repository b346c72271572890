"""Record a decision with its reasons, constraints and consequences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput, NotFound
from waypost.facts.agreement import TextRelation, compare
from waypost.facts.duplicates import normal_form, thresholds
from waypost.facts.identity import fingerprint
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import audit, refuse_derived, visible_version
from waypost.flows.write.insert import judging_engine
from waypost.flows.write.remember import remember
from waypost.model import causal
from waypost.model.causal import CausalEdge
from waypost.model.draft import MAX_ITEMS, Draft
from waypost.model.ids import check_id
from waypost.model.json_row import json_row
from waypost.model.memory import Caller, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Edge, Reader, Writer

Part = str | tuple[str, float]  # a text or the id of a memory, optionally with the strength of its link, 0 to 1

# Options for the whole chain. The others (refs, evidence, replaces, ttl …) belong to the decision alone.
_SHARED = ("level", "domain", "module", "session", "speaker", "time", "valid_from")
_LOOKED_AT = 30  # most similar memories that are compared
# Kinds that can be causes, and kinds that name a cause. The same text as both connects two chains.
_CAUSES, _CAUSED = (causal.DECISION, causal.CONSEQUENCE), (causal.REASON, causal.CONSTRAINT)


@dataclass(frozen=True, slots=True)
class Decided:
    """The receipts of a decision and its parts. If the decision was refused or needs review, only its own."""

    decision: Receipt
    reasons: tuple[Receipt, ...] = ()
    consequences: tuple[Receipt, ...] = ()
    constraints: tuple[Receipt, ...] = ()
    edges: tuple[CausalEdge, ...] = ()

    @property
    def id(self) -> str | None:
        return self.decision.id

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        return (self.decision, *self.reasons, *self.consequences, *self.constraints)

    def to_json(self) -> dict[str, Any]:
        row = json_row(self, id=self.id, status=self.decision.status)
        return row | ({"review": True} if self.decision.review else {})


@dataclass(frozen=True, slots=True)
class _Part:
    kind: str
    draft: Draft | None  # a new memory
    memory_id: str  # or an existing one
    strength: float | None


def decide(
    space: OpenSpace,
    text: str,
    caller: Caller,
    *,
    because: Sequence[Part] = (),
    leads_to: Sequence[Part] = (),
    given: Sequence[Part] = (),
    options: Mapping[str, Any] | None = None,
    approved: Mapping[str, Any] | None = None,
) -> Decided:
    """Record a decision, its reasons, consequences and constraints: each a text, or the id of a memory to link to.

    Everything is checked first, so that a wrong id or option stores nothing. Then three steps follow, each complete or
    not at all: the decision, its parts, the links. After a kill in between, recording it again finds everything and
    links it. Stored texts are linked, not stored twice. `options` are those of `remember`, and `strength` for all
    links. An agent's decision in place of a person's needs review, with its parts. `approved`: extra fields of the
    draft when a person approves.
    """
    options = dict(options or {})
    chain: dict[str, Any] = {"because": list(because), "leads_to": list(leads_to), "given": list(given)}
    chain |= {"strength": options["strength"]} if options.get("strength") is not None else {}
    strength = _strength(options.pop("strength", None))
    whole = _part(causal.DECISION, text, options, strength)
    if whole.draft is not None:
        whole = replace(whole, draft=replace(whole.draft, chain=chain, **approved or {}))
    shared = {name: options[name] for name in _SHARED if name in options}
    groups = ((causal.REASON, because), (causal.CONSEQUENCE, leads_to), (causal.CONSTRAINT, given))
    parts = [_part(kind, part, shared, strength) for kind, some in groups for part in _several(kind, some)]
    _check_known(space, whole, parts)
    (decision,) = _write_parts(space, [whole], caller)
    if decision.id is None or decision.review:
        return Decided(decision)
    receipts = _write_parts(space, parts, caller)
    edges = _write_links(space, decision.id, list(zip(parts, receipts, strict=True)), caller)
    by_kind = {kind: tuple(r for p, r in zip(parts, receipts, strict=True) if p.kind == kind) for kind, _ in groups}
    return Decided(decision, by_kind[causal.REASON], by_kind[causal.CONSEQUENCE], by_kind[causal.CONSTRAINT], edges)


def _several(kind: str, given: Sequence[Part]) -> Sequence[Part]:
    some: Sequence[Part] = [given] if isinstance(given, str) else given
    if len(some) > MAX_ITEMS:
        raise InvalidInput(f"{len(some)} times {kind}: a decision takes at most {MAX_ITEMS} of a kind.", "")
    return list(dict.fromkeys(some))


def _part(kind: str, given: Part, options: Mapping[str, Any], strength: float | None) -> _Part:
    text, own = given if isinstance(given, tuple) else (given, None)
    strength = strength if own is None else _strength(own)
    memory_id = _id_in(text)
    if memory_id and options.get("replaces"):
        raise InvalidInput("A decision that is known already replaces nothing.", "Give the new decision as a text.")
    draft = None if memory_id else Draft.of({**options, "text": text, "kind": kind})
    return _Part(kind, draft, memory_id, strength)


def _id_in(text: object) -> str:
    try:
        return check_id(text) if isinstance(text, str) else ""
    except InvalidInput:
        return ""


def _strength(given: object) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= 1:
        raise InvalidInput(f"The strength of a link is from 0 to 1, not {str(given)[:40]}.", "1 is certain.")
    return float(given)


def _check_known(space: OpenSpace, whole: _Part, parts: Sequence[_Part]) -> None:
    """Raise an error for an id without a memory here, or a decision's id that names something else."""
    with space.store.read() as reader:
        for part in (whole, *parts):
            if part.memory_id:
                version = visible_version(reader, part.memory_id, Moment(space.clock()))
                refuse_derived(version)
                if part is whole and version.kind != causal.DECISION:
                    raise InvalidInput(
                        f"The memory {version.memory_id} is a {version.kind}, no decision.",
                        "Give the decision as a text.",
                    )
        replaces = whole.draft.replaces if whole.draft else None
        if replaces and not any(version.superseded_at is None for version in reader.memories.versions(replaces)):
            raise NotFound(f"There is no current memory {replaces} to replace.", "See `waypost list`.")
    if whole.memory_id and any(part.memory_id == whole.memory_id for part in parts):
        raise InvalidInput("A decision is not its own reason, consequence or constraint.", "Link it to another memory.")


def _write_parts(space: OpenSpace, parts: Sequence[_Part], caller: Caller) -> list[Receipt]:
    drafts = [part.draft for part in parts if part.draft is not None]
    new: Iterator[Receipt] = iter(list(remember(space, drafts, caller, direct=True)) if drafts else [])
    return [
        Receipt(part.memory_id, "duplicate", reason="linked by its id") if part.draft is None else next(new)
        for part in parts
    ]


def _write_links(
    space: OpenSpace, decision: str, parts: Sequence[tuple[_Part, Receipt]], caller: Caller
) -> tuple[CausalEdge, ...]:
    """Write the links of the chain, and links to the same statements in other chains."""
    said = [
        (_edge(decision, part, receipt.id), part.strength)
        for part, receipt in parts
        if receipt.id is not None and receipt.id != decision
    ]
    members = list(dict.fromkeys((decision, *(receipt.id for _, receipt in parts if receipt.id is not None))))
    with space.store.read() as reader:
        echoes = [(edge, edge.strength) for edge in _echoes(space, reader, members)]
    if not said and not echoes:
        return ()
    with space.store.write() as writer:
        strengths = {
            (e.kind, e.from_id, e.to_id): e.strength for e in writer.edges.of_kinds(members, causal.CAUSAL_LINKS)
        }
        ends = {end for edge, _ in (*said, *echoes) for end in (edge.from_id, edge.to_id)}
        there = {end for end in ends if writer.memories.versions(end)}  # one may be forgotten meanwhile
        edges = [
            _put(writer, edge, strength, strengths, space.clock())
            for edge, strength in (*said, *echoes)
            if edge.from_id in there and edge.to_id in there
        ]
        audit(space, writer, "link", decision, caller, {"links": len(edges)})
    return tuple(edges)


def _edge(decision: str, part: _Part, memory_id: str) -> CausalEdge:
    if part.kind == causal.CONSEQUENCE:
        return CausalEdge(causal.LEADS_TO, decision, memory_id)
    return CausalEdge(causal.JUSTIFIES if part.kind == causal.REASON else causal.BLOCKS, memory_id, decision)


def _put(
    writer: Writer,
    edge: CausalEdge,
    strength: float | None,
    strengths: Mapping[tuple[str, str, str], float],
    now: datetime,
) -> CausalEdge:
    """Write a link. Without a strength, an existing link keeps its own."""
    kept_strength = strengths.get((edge.kind, edge.from_id, edge.to_id), 1.0) if strength is None else strength
    writer.edges.add(Edge(edge.kind, edge.from_id, edge.to_id, kept_strength, now))
    return CausalEdge(edge.kind, edge.from_id, edge.to_id, kept_strength)


def _echoes(space: OpenSpace, reader: Reader, members: Sequence[str]) -> Iterator[CausalEdge]:
    """Links from decisions and consequences to the same text as a reason or constraint in other chains.

    Within one chain nothing is linked: it would be its own cause.
    """
    moment, likenesses = Moment(space.clock()), dict[tuple[str, str], float]()
    for member in members:
        version = reader.memories.version(member, moment)
        if version is None or version.kind not in (*_CAUSES, *_CAUSED):
            continue
        is_cause = version.kind in _CAUSES
        for other, likeness in _same_in_other_chains(space, reader, version, _CAUSED if is_cause else _CAUSES, moment):
            if other not in members:
                pair = (member, other) if is_cause else (other, member)
                likenesses[pair] = max(likeness, likenesses.get(pair, 0.0))
    return (CausalEdge(causal.CAUSES, cause, effect, likeness) for (cause, effect), likeness in likenesses.items())


def _same_in_other_chains(
    space: OpenSpace, reader: Reader, version: Version, kinds: Sequence[str], moment: Moment
) -> Iterator[tuple[str, float]]:
    for kind in kinds:
        for same in reader.memories.with_fingerprint(fingerprint(replace(version, kind=kind))):
            if same.superseded_at is None:
                yield same.memory_id, 1.0
    passages = passages_of(version)
    engine = judging_engine(space, passages)
    if engine is None or len(passages) != 1:
        return
    mark = passages[0].content_hash
    vector = reader.vectors.get(engine, [mark]).get(mark)
    if vector is None:  # pending; identical texts were found above
        return
    near = reader.search.vectors(engine, vector, _LOOKED_AT, View(moment, (version.collection,))).hits
    alike = {passage.number: min(passage.score, 1.0) for passage in near if passage.score >= thresholds(engine)[1]}
    for number, other in reader.memories.by_number(alike).items():
        if other.kind in kinds and _says_the_same(version.text, other.text):
            yield other.memory_id, round(alike[number], 4)


def _says_the_same(text: str, other: str) -> bool:
    return normal_form(text) == normal_form(other) or compare(text, other).relation is TextRelation.SAME
