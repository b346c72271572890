"""Approve, edit and reject candidates. Only a person may."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from waypost.errors import InvalidInput, NotFound, Refused, WaypostError
from waypost.facts.rejection.marks import blocking_marks
from waypost.flows.facts.candidates import (
    EXTRACTOR,
    WAS,
    candidate_of,
    draft_of,
    earlier_marks,
    marks_of,
    row_of,
    says_the_same,
    text_marks,
)
from waypost.flows.facts.decide import decide
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import audit, current_versions
from waypost.flows.versions.prepare import prepare
from waypost.flows.write.conflicts import add_reconsidered_conflict, end_declined_conflict
from waypost.flows.write.lifecycle import correct, retract
from waypost.flows.write.proposals import PROPOSAL, REPLACE, RETRACT, Proposal, proposal_of
from waypost.flows.write.reinstate import end_versions
from waypost.flows.write.remember import remember
from waypost.model.candidate import CandidateRow
from waypost.model.draft import Draft, check_text
from waypost.model.ids import check_id
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.model.time import parse_time
from waypost.store.protocol import Reader

_CANDIDATE = "candidate"  # in the audit's details


def approve(
    space: OpenSpace, ids: Iterable[str], caller: Caller, *, text: str | None = None
) -> tuple[tuple[str, Receipt], ...]:
    """Store candidates as memories of a person, with the candidates' evidence.

    `text` replaces the text; the proposed text is not proposed again. A candidate approved before is returned as a
    duplicate. An unknown candidate approves none of them.
    """
    _need_person(caller, "approve")
    edited_text = None if text is None else check_text(text)
    person = Caller("person", space.settings.person, caller.owners_word)
    chosen = [check_id(candidate_id) for candidate_id in ids]
    if edited_text is not None and len(chosen) > 1:
        raise InvalidInput(f"{len(chosen)} candidates cannot have the same words.", "Edit one at a time.")
    with space.store.read() as reader:
        for candidate_id in chosen:
            if reader.facts.candidate(candidate_id) is None and not current_versions(reader, candidate_id):
                raise _not_pending(candidate_id)
    return tuple((candidate_id, _approve(space, candidate_id, person, edited_text)) for candidate_id in chosen)


def _approve(space: OpenSpace, candidate_id: str, person: Caller, text: str | None) -> Receipt:
    with space.store.read() as reader:
        row = reader.facts.candidate(candidate_id)
        if row is None and current_versions(reader, candidate_id):
            return Receipt(candidate_id, "duplicate", reason="it was approved before")
    if row is None:
        raise _not_pending(candidate_id)
    proposal = proposal_of(row)
    if proposal is not None:
        return _approve_proposal(space, row, proposal, person, text)
    candidate = candidate_of(row)
    draft = replace(draft_of(space, replace(candidate, text=text or candidate.text)), memory_id=candidate_id)
    with space.store.read() as reader:
        stored = reader.memories.with_key(draft.key) if draft.key else None
    if stored is not None and not says_the_same(stored, draft):
        draft = replace(draft, replaces=stored.memory_id)
    receipt = next(remember(space, [draft], person, direct=True))
    if receipt.status != "refused":
        key = space.tombstone_key()
        said = set(blocking_marks(key, prepare(space, draft, person, key).version))
        with space.store.write() as writer:
            writer.facts.drop_candidates([candidate_id])
            for mark in text_marks(row, key):
                if mark not in said:
                    writer.tombstones.add(mark, space.clock(), candidate_id)
            details = {"confidence": row.confidence, "edited": text is not None}
            audit(space, writer, "approve", receipt.id, person, details)
    return receipt


def _approve_proposal(
    space: OpenSpace, row: CandidateRow, proposal: Proposal, person: Caller, text: str | None
) -> Receipt:
    """Do what was proposed, with the proposer as source; or with the person, if they changed the text."""
    said_by = {} if text is not None or earlier_marks(row) else dict(proposal.by)
    receipt = _carry_out(space, row.candidate_id, proposal, person, text, said_by)
    if receipt.status != "refused":
        with space.store.write() as writer:
            writer.facts.drop_candidates([row.candidate_id])
            details = {"action": proposal.action, "edited": text is not None}
            audit(space, writer, "approve", receipt.id, person, details)
    return receipt


def _carry_out(
    space: OpenSpace, candidate_id: str, proposal: Proposal, person: Caller, text: str | None, said_by: dict[str, str]
) -> Receipt:
    target, given = proposal.target, dict(proposal.given)
    with space.store.read() as reader:
        is_held = bool(current_versions(reader, target))
    if proposal.action == REPLACE:
        if not is_held:
            given.pop("replaces", None)  # it has ended meanwhile
        approved: dict[str, Any] = {"memory_id": candidate_id, "said_by": said_by}
        words = text or str(given.pop("text"))
        options = {name: value for name, value in given.items() if name != "text"}
        if not proposal.chain:
            draft = replace(Draft.of({**options, "text": words}), **approved)
            return next(remember(space, [draft], person, direct=True))
        parts = {name: value for name, value in proposal.chain.items() if name != "strength"}
        options |= {"strength": proposal.chain["strength"]} if "strength" in proposal.chain else {}
        options.pop("kind", None)
        return decide(space, words, person, **parts, options=options, approved=approved).decision
    if not is_held:
        raise NotFound(
            f"The memory {target} that this would {proposal.action} does not hold any more.",
            f"Reject the proposal: waypost review reject {candidate_id}",
        )
    times = {name: parse_time(str(given[name]), name) for name in ("valid_from", "valid_until") if name in given}
    if proposal.action == RETRACT:
        if text is not None:
            raise InvalidInput("A retraction has no text to edit.", "Approve it, or reject it.")
        retract(space, target, person, valid_until=times.get("valid_until"))
        return Receipt(target, "added", reason="it is retracted")
    return correct(space, target, text or str(given["text"]), person, **times, said_by=said_by)


def decline(space: OpenSpace, ids: Iterable[str], caller: Caller) -> tuple[str, ...]:
    """Reject candidates. A tombstone keeps each from being proposed again."""
    _need_person(caller, "reject")
    key = space.tombstone_key()
    chosen = [check_id(candidate_id) for candidate_id in ids]
    with space.store.write() as writer:
        now = space.clock()
        for candidate_id in chosen:
            row = writer.facts.candidate(candidate_id)
            if row is None:
                raise _not_pending(candidate_id)
            end_declined_conflict(writer, row)
            for mark in _marks_to_leave(writer, row, key):
                writer.tombstones.add(mark, now, candidate_id)
            approved = current_versions(writer, candidate_id)  # meanwhile, or by a process that was killed
            end_versions(space, writer, approved, caller, key, now)
            writer.facts.put_candidate(replace(row, declined_at=now))
            audit(space, writer, "reject", None, caller, {_CANDIDATE: candidate_id})
    return tuple(chosen)


def _marks_to_leave(reader: Reader, row: CandidateRow, key: bytes) -> list[bytes]:
    """The tombstones of a candidate. A value that is current is not rejected with a proposal for another memory."""
    proposal = proposal_of(row)
    if proposal is None or proposal.action == RETRACT:
        return marks_of(row, key)
    if proposal.newer:
        return [row.tombstone]  # both hold
    is_current = any(version.superseded_at is None for version in reader.memories.with_fingerprint(row.fingerprint))
    return [] if is_current else marks_of(row, key)


def reconsider(space: OpenSpace, ids: Iterable[str], caller: Caller) -> tuple[str, ...]:
    """Undo `decline`: the candidates are pending again, and their texts may be proposed.

    Returns what is pending now. What was approved or proposed again in the meantime is left alone.
    """
    _need_person(caller, "bring back")
    restored, key = [], space.tombstone_key()
    with space.store.write() as writer:
        for candidate_id in [check_id(given_id) for given_id in ids]:
            row = writer.facts.candidate(candidate_id, declined=True)
            if (
                row is None
                and writer.facts.candidate(candidate_id) is None
                and not current_versions(writer, candidate_id)
            ):
                raise NotFound(f"No candidate {candidate_id} was rejected.", "`waypost review --rejected` lists them.")
            if row is None or current_versions(writer, candidate_id):
                continue
            writer.tombstones.remove(marks_of(row, key))
            add_reconsidered_conflict(writer, row)
            if any(other.tombstone == row.tombstone for other in writer.facts.candidates_like([row.fingerprint], [])):
                writer.facts.drop_candidates([candidate_id])  # it was proposed again since
                continue
            writer.facts.put_candidate(replace(row, declined_at=None))
            audit(space, writer, "lift", None, caller, {_CANDIDATE: candidate_id})
            restored.append(candidate_id)
    return tuple(restored)


def edit(space: OpenSpace, candidate_id: str, text: str, caller: Caller) -> str:
    """Change the text of a pending candidate. Returns the stored text."""
    _need_person(caller, "edit")  # else a person would approve an agent's text with the extractor's evidence
    candidate_id = check_id(candidate_id)
    edited_text = check_text(text)
    key = space.tombstone_key()
    with space.store.write() as writer:
        row = writer.facts.candidate(candidate_id)
        if row is None:
            raise _not_pending(candidate_id)
        proposal = proposal_of(row)
        if proposal is not None and proposal.action == RETRACT:
            raise InvalidInput("A retraction has no text to edit.", "Approve it, or reject it.")
        candidate = replace(candidate_of(row), text=edited_text)
        prepared = prepare(space, draft_of(space, candidate), EXTRACTOR, key)
        candidate = replace(candidate, text=prepared.version.text)
        said = set(blocking_marks(key, prepared.version))
        was = [mark.hex() for mark in text_marks(row, key) if mark not in said]
        writer.facts.put_candidate(
            replace(
                row,
                fingerprint=prepared.version.fingerprint,
                tombstone=prepared.tombstone,
                draft=row_of(candidate) | {WAS: was} | _proposal_with_text(proposal, candidate.text),
            )
        )
        audit(space, writer, "edit", None, caller, {_CANDIDATE: candidate_id})
    return candidate.text


def _proposal_with_text(proposal: Proposal | None, text: str) -> dict[str, object]:
    return {} if proposal is None else {PROPOSAL: asdict(replace(proposal, given={**proposal.given, "text": text}))}


def _need_person(caller: Caller, what: str) -> None:
    if not caller.decides:
        raise Refused(
            f"Only a person can {what} candidates.", "Run it at a terminal, or with --yes to act with owner rights."
        )


def _not_pending(candidate_id: str) -> WaypostError:
    return NotFound(f"No candidate {candidate_id} is pending.", "`waypost review` lists pending candidates.")
