"""Proposals: changes by agents to a person's memory, which need a person's approval.

A proposal is stored as a candidate. Its row says what would be done (`action`), to which memory (`target`), by whom,
and with which options. Rejecting it keeps the agent's value from being stored or proposed again.
"""

import hmac
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from waypost.flows.links.draft_links import INFERRED
from waypost.flows.open_space import OpenSpace, tombstone_key_in
from waypost.flows.versions.current import audit
from waypost.flows.versions.prepare import Prepared
from waypost.model.candidate import Candidate, CandidateRow
from waypost.model.draft import Draft
from waypost.model.memory import Caller, Version
from waypost.model.receipt import Receipt
from waypost.model.time import format_time
from waypost.store.protocol import Reader, Writer

REPLACE, CORRECT, RETRACT = "replace", "correct", "retract"
PROPOSAL = "proposal"  # in the row of a candidate
_TOPIC = "memory:"  # how the topics of proposals begin, before the id of the memory
_CONFIDENCE = 0.7  # of an agent's statement, as in the confidence of memories
_WAITS = "a person said this, so your {what} needs their approval; until then theirs holds"
_KNOWN = "the same proposal is already in review"
# Fields of a draft that JSON can represent as they are.
_JSON_FIELDS = (
    "text", "kind", "level", "domain", "module", "session", "speaker", "key", "ttl", "ttl_class", "on_expire",
    "parent", "replaces",
)  # fmt: skip
_TIMES = ("time", "valid_from", "valid_until")


@dataclass(frozen=True, slots=True)
class Proposal:
    action: str
    target: str
    by: Mapping[str, str]  # source and actor
    given: Mapping[str, Any]  # the options of `remember`, `correct` or `retract`
    chain: Mapping[str, Any] = field(default_factory=dict)  # the options of `decide`, for a decision
    newer: str = ""  # the stored memory with this value, which contradicts the target; else nothing is stored yet

    @property
    def who(self) -> str:
        return f"{self.by['source']} {self.by['actor']}"


def proposal_of(row: CandidateRow) -> Proposal | None:
    """The proposal of a candidate, or None if the candidate was learned."""
    given = row.draft.get(PROPOSAL)
    return None if given is None else Proposal(**given)


def options_of(draft: Draft) -> dict[str, Any]:
    """A draft as options from which it can be created again, without references that the index added."""
    refs = [ref.to_json(anchored=True) for ref in draft.refs if ref.confidence_reason != INFERRED]
    given: dict[str, Any] = {name: getattr(draft, name) for name in _JSON_FIELDS}
    given |= {name: format_time(at) for name in _TIMES if (at := getattr(draft, name)) is not None}
    given |= {"refs": refs, "evidence": list(draft.evidence), "refresh": list(draft.refresh), "tags": dict(draft.tags)}
    given |= {**draft.labels, **draft.claims}
    return {name: value for name, value in given.items() if value not in (None, "", [], {})}


def propose_replacement(
    space: OpenSpace, writer: Writer, caller: Caller, item: Prepared, target: str, key: bytes, *, is_known: bool = False
) -> Receipt:
    """Propose to replace a person's memory. `is_known`: the value is stored and must not be rejected with the proposal."""
    draft = item.draft
    proposal = Proposal(REPLACE, target, _by(caller), options_of(draft), dict(draft.chain))
    mark = _mark(key, REPLACE, target, item.version.fingerprint) if is_known else item.tombstone
    receipt = _propose(space, writer, caller, proposal, item.version, mark, what="replacement")
    return replace(receipt, key=draft.key, masked=item.masked)


def propose_conflict(space: OpenSpace, writer: Writer, caller: Caller, item: Prepared, target: str) -> bool:
    """Put up for review whether a stored memory replaces the one that it contradicts. False if a person decided that."""
    draft, newer = replace(item.draft, replaces=target), item.version.memory_id
    mark = _mark(tombstone_key_in(writer), REPLACE, target, item.version.fingerprint)
    if writer.tombstones.matching([mark]):
        return False
    proposal = Proposal(REPLACE, target, _by(caller), options_of(draft), newer=newer)
    row = _row(space, proposal, item.version, mark, "replacement")
    writer.facts.put_candidate(
        replace(row, reason=f"contradicts {target}; approve: it replaces that, reject: both hold")
    )
    return True


def drop_conflict_proposals(writer: Writer, first: str, second: str) -> None:
    """Drop pending proposals that one of these memories replaces the other, which it contradicted."""
    pairs = {(first, second), (second, first)}
    rows = [*proposals_about(writer, first), *proposals_about(writer, second)]
    writer.facts.drop_candidates(
        row.candidate_id
        for row in rows
        if (proposal := proposal_of(row)) is not None and (proposal.newer, proposal.target) in pairs
    )


def propose_correction(
    space: OpenSpace, writer: Writer, caller: Caller, item: Prepared, target: str, given: Mapping[str, Any]
) -> Receipt:
    proposal = Proposal(CORRECT, target, _by(caller), {"text": item.version.text, **given})
    receipt = _propose(space, writer, caller, proposal, item.version, item.tombstone, what="correction")
    return replace(receipt, key=item.draft.key, masked=item.masked)


def propose_retraction(
    space: OpenSpace, writer: Writer, caller: Caller, version: Version, given: Mapping[str, Any], key: bytes
) -> Receipt:
    proposal = Proposal(RETRACT, version.memory_id, _by(caller), given)
    mark = _mark(key, RETRACT, version.memory_id, version.fingerprint)
    return _propose(space, writer, caller, proposal, version, mark, what="retraction")


def proposals_about(reader: Reader, memory_id: str, *, declined: bool = False) -> list[CandidateRow]:
    """Pending proposals about a memory, or the `declined` ones."""
    return reader.facts.candidates_like([], [topic_about(memory_id)], declined=declined)


def topic_about(memory_id: str) -> str:
    return _TOPIC + memory_id


def target_of(topic: str) -> str:
    """The memory that proposals with this topic are about, or "" for other topics."""
    return topic.removeprefix(_TOPIC) if topic.startswith(_TOPIC) else ""


def _by(caller: Caller) -> dict[str, str]:
    return {"source": caller.source, "actor": caller.actor}


def _mark(key: bytes, action: str, target: str, fingerprint: bytes) -> bytes:
    """A tombstone for the proposal itself, where its value must not be rejected."""
    return hmac.digest(key, b"\0".join((b"proposal", action.encode(), target.encode(), fingerprint)), "sha256")


def _propose(
    space: OpenSpace, writer: Writer, caller: Caller, proposal: Proposal, version: Version, mark: bytes, *, what: str
) -> Receipt:
    """Store a proposal for review, once. `version` is the memory after the change; for a retraction, before it."""
    target = proposal.target
    if writer.tombstones.matching([mark]):
        return Receipt(None, "refused", reason="a person rejected this proposal before", replaces=target)
    for row in proposals_about(writer, target):
        other = proposal_of(row)
        if other is not None and (row.tombstone, other.action, other.given) == (mark, proposal.action, proposal.given):
            return Receipt(row.candidate_id, "duplicate", reason=_KNOWN, replaces=target, review=True)
    row = _row(space, proposal, version, mark, what)
    writer.facts.put_candidate(row)
    details = {"candidate": row.candidate_id, "action": proposal.action}
    audit(space, writer, "propose", target, caller, details)
    return Receipt(row.candidate_id, "added", reason=_WAITS.format(what=what), replaces=target, review=True)


def _row(space: OpenSpace, proposal: Proposal, version: Version, mark: bytes, what: str) -> CandidateRow:
    candidate = Candidate(
        text=version.text,
        confidence=_CONFIDENCE,
        origin=proposal.by["source"],
        kind=version.kind,
        level=version.level,
        domain=version.domain,
        module=version.module,
        topic=topic_about(proposal.target),
        refs=tuple(str(ref) for ref in version.refs if ref.confidence_reason != INFERRED),
        evidence=version.evidence,
        reason=f"{what} of {proposal.target}, proposed by {proposal.who}",
    )
    return CandidateRow(
        space.new_id(),
        space.clock(),
        candidate.confidence,
        candidate.origin,
        candidate.topic,
        candidate.reason,
        version.fingerprint,
        mark,
        asdict(candidate) | {"time": None, PROPOSAL: asdict(proposal)},
    )
