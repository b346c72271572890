"""Record a decision with what led to it, what limited it and what comes of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput, NotFound
from waypost.facts.agreement import TextRelation, compare
from waypost.facts.duplicates import normal_form, thresholds
from waypost.facts.identity import fingerprint
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit, refuse_derived, visible_version
from waypost.flows.write.insert import judging_engine
from waypost.flows.write.remember import remember
from waypost.model.causal import (
    BLOCKS,
    CAUSAL_LINKS,
    CAUSES,
    CONSEQUENCE,
    CONSTRAINT,
    DECISION,
    JUSTIFIES,
    LEADS_TO,
    REASON,
    CausalEdge,
)
from waypost.model.draft import MAX_ITEMS, Draft
from waypost.model.ids import check_id
from waypost.model.memory import Caller, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Edge, Reader, Writer

Part = str | tuple[str, float]  # a text, or the id of a memory; perhaps with the strength of its link, 0 to 1

# What is true of the whole chain. The rest (refs, evidence, replaces, ttl …) is said of the decision alone.
_SHARED = ("level", "domain", "module", "session", "speaker", "time", "valid_from")
_LOOKED_AT = 30  # memories nearest in meaning, among which one may say the same
# What may be a cause for others, and what a cause is given as. The same said as both connects two chains.
_CAUSES, _CAUSED = (DECISION, CONSEQUENCE), (REASON, CONSTRAINT)


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a decision and its parts. Nothing but the decision's receipt is there when that was refused, or
    waits for review."""

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
        return ({"review": True} if self.decision.review else {}) | {
            "id": self.id,
            "status": self.decision.status,
            "decision": self.decision.to_json(),
            "reasons": [one.to_json() for one in self.reasons],
            "consequences": [one.to_json() for one in self.consequences],
            "constraints": [one.to_json() for one in self.constraints],
            "edges": [one.to_json() for one in self.edges],
        }


@dataclass(frozen=True, slots=True)
class _Part:
    kind: str
    draft: Draft | None  # to be written
    memory_id: str  # known already
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

    Everything is checked first, so that a wrong id or option leaves nothing behind. Then three steps, each whole or
    not at all: the decision, lest its parts be stored when it is refused; the parts; the links. A kill in between
    leaves the decision alone, or with its parts unlinked: recording it once more finds all of them and links them.
    What is known already is linked, not stored twice. `options` are those of `remember`, and `strength` for all links.
    An agent's decision in the place of a person's waits for review with all its parts. `approved`: what the draft of the
    decision has besides, where a person approves one.
    """
    options = dict(options or {})
    chain: dict[str, Any] = {"because": list(because), "leads_to": list(leads_to), "given": list(given)}
    chain |= {"strength": options["strength"]} if options.get("strength") is not None else {}
    strength = _strength(options.pop("strength", None))
    whole = _part(DECISION, text, options, strength)
    if whole.draft is not None:
        whole = replace(whole, draft=replace(whole.draft, chain=chain, **approved or {}))
    shared = {name: options[name] for name in _SHARED if name in options}
    groups = ((REASON, because), (CONSEQUENCE, leads_to), (CONSTRAINT, given))
    parts = [_part(kind, one, shared, strength) for kind, some in groups for one in _several(kind, some)]
    _check_known(space, whole, parts)
    (decision,) = _written(space, [whole], caller)
    if decision.id is None or decision.review:
        return Decided(decision)
    receipts = _written(space, parts, caller)
    edges = _linked(space, decision.id, list(zip(parts, receipts, strict=True)), caller)
    by_kind = {kind: tuple(r for p, r in zip(parts, receipts, strict=True) if p.kind == kind) for kind, _ in groups}
    return Decided(decision, by_kind[REASON], by_kind[CONSEQUENCE], by_kind[CONSTRAINT], edges)


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
    """Every id must be that of a memory of this space, and the decision's that of a decision."""
    with space.store.read() as reader:
        for part in (whole, *parts):
            if part.memory_id:
                version = visible_version(reader, part.memory_id, Moment(space.clock()))
                refuse_derived(version)
                if part is whole and version.kind != DECISION:
                    raise InvalidInput(
                        f"The memory {version.memory_id} is a {version.kind}, no decision.",
                        "Give the decision as a text.",
                    )
        replaces = whole.draft.replaces if whole.draft else None
        if replaces and not any(version.superseded_at is None for version in reader.memories.versions(replaces)):
            raise NotFound(f"There is no current memory {replaces} to replace.", "See `waypost list`.")
    if whole.memory_id and any(part.memory_id == whole.memory_id for part in parts):
        raise InvalidInput("A decision is not its own reason, consequence or constraint.", "Link it to another memory.")


def _written(space: OpenSpace, parts: Sequence[_Part], caller: Caller) -> list[Receipt]:
    """The receipts of the parts, in their order. What was given by its id has one as well."""
    drafts = [part.draft for part in parts if part.draft is not None]
    new: Iterator[Receipt] = iter(list(remember(space, drafts, caller, direct=True)) if drafts else [])
    return [
        Receipt(part.memory_id, "duplicate", reason="linked by its id") if part.draft is None else next(new)
        for part in parts
    ]


def _linked(
    space: OpenSpace, decision: str, parts: Sequence[tuple[_Part, Receipt]], caller: Caller
) -> tuple[CausalEdge, ...]:
    """Write the links of the chain, and those to what says the same in other chains."""
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
        known = {(e.kind, e.from_id, e.to_id): e.strength for e in writer.edges.of_kinds(members, CAUSAL_LINKS)}
        ends = {end for edge, _ in (*said, *echoes) for end in (edge.from_id, edge.to_id)}
        there = {end for end in ends if writer.memories.versions(end)}  # somebody may have forgotten one since
        edges = [
            _put(writer, edge, strength, known, space.clock())
            for edge, strength in (*said, *echoes)
            if edge.from_id in there and edge.to_id in there
        ]
        audit(space, writer, "link", decision, caller, {"links": len(edges)})
    return tuple(edges)


def _edge(decision: str, part: _Part, memory_id: str) -> CausalEdge:
    if part.kind == CONSEQUENCE:
        return CausalEdge(LEADS_TO, decision, memory_id)
    return CausalEdge(JUSTIFIES if part.kind == REASON else BLOCKS, memory_id, decision)


def _put(
    writer: Writer,
    edge: CausalEdge,
    strength: float | None,
    known: Mapping[tuple[str, str, str], float],
    now: datetime,
) -> CausalEdge:
    """Said again without a strength, a link keeps the one it has."""
    held = known.get((edge.kind, edge.from_id, edge.to_id), 1.0) if strength is None else strength
    writer.edges.add(Edge(edge.kind, edge.from_id, edge.to_id, held, now))
    return CausalEdge(edge.kind, edge.from_id, edge.to_id, held)


def _echoes(space: OpenSpace, reader: Reader, members: Sequence[str]) -> Iterator[CausalEdge]:
    """Links from what was decided, or came of it, to what says the same as a reason or a constraint elsewhere.

    What is said twice in one chain is not linked: that would make it its own cause.
    """
    moment, found = Moment(space.clock()), dict[tuple[str, str], float]()
    for member in members:
        version = reader.memories.version(member, moment)
        if version is None or version.kind not in (*_CAUSES, *_CAUSED):
            continue
        is_cause = version.kind in _CAUSES
        for other, likeness in _same_elsewhere(space, reader, version, _CAUSED if is_cause else _CAUSES, moment):
            if other not in members:
                pair = (member, other) if is_cause else (other, member)
                found[pair] = max(likeness, found.get(pair, 0.0))
    return (CausalEdge(CAUSES, cause, effect, likeness) for (cause, effect), likeness in found.items())


def _same_elsewhere(
    space: OpenSpace, reader: Reader, version: Version, kinds: Sequence[str], moment: Moment
) -> Iterator[tuple[str, float]]:
    """Current memories of these kinds that say what this one says, and how alike they are."""
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
    if vector is None:  # it is owed; what is equal word for word was found above
        return
    near = reader.search.vectors(engine, vector, _LOOKED_AT, View(moment, (version.collection,))).hits
    alike = {one.number: min(one.score, 1.0) for one in near if one.score >= thresholds(engine)[1]}
    for number, other in reader.memories.by_number(alike).items():
        if other.kind in kinds and _says_the_same(version.text, other.text):
            yield other.memory_id, round(alike[number], 4)


def _says_the_same(one: str, other: str) -> bool:
    return normal_form(one) == normal_form(other) or compare(one, other).relation is TextRelation.SAME
