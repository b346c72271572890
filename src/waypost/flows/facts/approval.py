"""A person's word on candidates: approved, put right, or rejected."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from waypost.errors import InvalidInput, NotFound, Refused, WaypostError
from waypost.facts.rejection import marks_met
from waypost.flows.facts.candidates import (
    EXTRACTOR,
    WAS,
    candidate_of,
    draft_of,
    earlier_words,
    marks_of,
    marks_of_words,
    row_of,
    says_the_same,
)
from waypost.flows.facts.decide import decide
from waypost.flows.facts.proposals import PROPOSAL, REPLACE, RETRACT, Proposal, proposal_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit, held_versions
from waypost.flows.write.lifecycle import correct, retract
from waypost.flows.write.prepare import prepare
from waypost.flows.write.reinstate import end
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
    """These candidates are true: they are remembered as a person's word, with the evidence that they came with.

    `text` puts the words right: those that were proposed are not proposed again. One that was approved before is
    answered as the duplicate that it is; one that never waited approves none of them.
    """
    _decides(caller, "approve")
    told = None if text is None else check_text(text)
    person = Caller("person", space.settings.person, caller.owners_word)
    chosen = [check_id(one) for one in ids]
    if told is not None and len(chosen) > 1:
        raise InvalidInput(f"{len(chosen)} candidates cannot have the same words.", "Edit one at a time.")
    with space.store.read() as reader:
        for one in chosen:
            if reader.candidate(one) is None and not held_versions(reader, one):
                raise _nothing_waits(one)
    return tuple((one, _approve(space, one, person, told)) for one in chosen)


def _approve(space: OpenSpace, candidate_id: str, person: Caller, text: str | None) -> Receipt:
    with space.store.read() as reader:
        row = reader.candidate(candidate_id)
        if row is None and held_versions(reader, candidate_id):
            return Receipt(candidate_id, "duplicate", reason="it was approved before")
    if row is None:
        raise _nothing_waits(candidate_id)
    proposal = proposal_of(row)
    if proposal is not None:
        return _approve_proposal(space, row, proposal, person, text)
    candidate = candidate_of(row)
    draft = replace(draft_of(space, replace(candidate, text=text or candidate.text)), memory_id=candidate_id)
    with space.store.read() as reader:
        known = reader.find_key(draft.key) if draft.key else None
    if known is not None and not says_the_same(known, draft):
        draft = replace(draft, replaces=known.memory_id)
    receipt = next(remember(space, [draft], person, direct=True))
    if receipt.status != "refused":
        key = space.tombstone_key()
        said = set(marks_met(key, prepare(space, draft, person, key).version))
        with space.store.write() as writer:
            writer.drop_candidates([candidate_id])
            for mark in marks_of_words(row, key):
                if mark not in said:
                    writer.add_tombstone(mark, space.clock(), candidate_id)
            details = {"confidence": row.confidence, "edited": text is not None}
            audit(space, writer, "approve", receipt.id, person, details)
    return receipt


def _approve_proposal(
    space: OpenSpace, row: CandidateRow, proposal: Proposal, person: Caller, text: str | None
) -> Receipt:
    """Do what was proposed, as the person's act and the proposer's words; or as the person's, if they put these right."""
    said_by = {} if text is not None or earlier_words(row) else dict(proposal.by)
    receipt = _carry_out(space, row.candidate_id, proposal, person, text, said_by)
    if receipt.status != "refused":
        with space.store.write() as writer:
            writer.drop_candidates([row.candidate_id])
            details = {"action": proposal.action, "edited": text is not None}
            audit(space, writer, "approve", receipt.id, person, details)
    return receipt


def _carry_out(
    space: OpenSpace, candidate_id: str, proposal: Proposal, person: Caller, text: str | None, said_by: dict[str, str]
) -> Receipt:
    target, given = proposal.target, dict(proposal.given)
    with space.store.read() as reader:
        is_held = bool(held_versions(reader, target))
    if proposal.action == REPLACE:
        if not is_held:
            given.pop("replaces", None)  # meanwhile somebody else ended it
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
            raise InvalidInput("A retraction has no words to put right.", "Approve it, or reject it.")
        retract(space, target, person, valid_until=times.get("valid_until"))
        return Receipt(target, "added", reason="it is retracted")
    return correct(space, target, text or str(given["text"]), person, **times, said_by=said_by)


def decline(space: OpenSpace, ids: Iterable[str], caller: Caller) -> tuple[str, ...]:
    """These candidates are wrong or useless: a tombstone keeps each from being proposed again."""
    _decides(caller, "reject")
    key = space.tombstone_key()
    chosen = [check_id(one) for one in ids]
    with space.store.write() as writer:
        now = space.clock()
        for candidate_id in chosen:
            row = writer.candidate(candidate_id)
            if row is None:
                raise _nothing_waits(candidate_id)
            for mark in _marks_to_leave(writer, row, key):
                writer.add_tombstone(mark, now, candidate_id)
            approved = held_versions(writer, candidate_id)  # meanwhile, or by a process that was killed on the way
            end(space, writer, approved, caller, key, now)
            writer.put_candidate(replace(row, declined_at=now))
            audit(space, writer, "reject", None, caller, {_CANDIDATE: candidate_id})
    return tuple(chosen)


def _marks_to_leave(reader: Reader, row: CandidateRow, key: bytes) -> list[bytes]:
    """Its tombstones; but a value that is held by now is not rejected because somebody proposed it for another memory."""
    proposal = proposal_of(row)
    if proposal is None or proposal.action == RETRACT:
        return marks_of(row, key)
    held = any(version.superseded_at is None for version in reader.find_fingerprint(row.fingerprint))
    return [] if held else marks_of(row, key)


def reconsider(space: OpenSpace, ids: Iterable[str], caller: Caller) -> tuple[str, ...]:
    """Undo `decline`: what was rejected by mistake waits again as it did, and its words may be proposed. Returns what waits
    now; what was approved or proposed again in the meantime is left alone."""
    _decides(caller, "bring back")
    back, key = [], space.tombstone_key()
    with space.store.write() as writer:
        for candidate_id in [check_id(one) for one in ids]:
            row = writer.candidate(candidate_id, declined=True)
            if row is None and writer.candidate(candidate_id) is None and not held_versions(writer, candidate_id):
                raise NotFound(f"No candidate {candidate_id} was rejected.", "`waypost review --rejected` lists them.")
            if row is None or held_versions(writer, candidate_id):
                continue
            writer.remove_tombstones(marks_of(row, key))
            if any(other.tombstone == row.tombstone for other in writer.candidates_like([row.fingerprint], [])):
                writer.drop_candidates([candidate_id])  # it was proposed again since
                continue
            writer.put_candidate(replace(row, declined_at=None))
            audit(space, writer, "lift", None, caller, {_CANDIDATE: candidate_id})
            back.append(candidate_id)
    return tuple(back)


def edit(space: OpenSpace, candidate_id: str, text: str, caller: Caller) -> str:
    """Put a candidate's words right and leave it waiting. Returns them as they are kept."""
    _decides(caller, "edit")  # a person would approve an agent's words with the extractor's evidence
    candidate_id = check_id(candidate_id)
    told = check_text(text)
    key = space.tombstone_key()
    with space.store.write() as writer:
        row = writer.candidate(candidate_id)
        if row is None:
            raise _nothing_waits(candidate_id)
        proposal = proposal_of(row)
        if proposal is not None and proposal.action == RETRACT:
            raise InvalidInput("A retraction has no words to put right.", "Approve it, or reject it.")
        candidate = replace(candidate_of(row), text=told)
        prepared = prepare(space, draft_of(space, candidate), EXTRACTOR, key)
        candidate = replace(candidate, text=prepared.version.text)
        said = set(marks_met(key, prepared.version))
        was = [one.hex() for one in marks_of_words(row, key) if one not in said]
        writer.put_candidate(
            replace(
                row,
                fingerprint=prepared.version.fingerprint,
                tombstone=prepared.tombstone,
                draft=row_of(candidate) | {WAS: was} | _proposed_words(proposal, candidate.text),
            )
        )
        audit(space, writer, "edit", None, caller, {_CANDIDATE: candidate_id})
    return candidate.text


def _proposed_words(proposal: Proposal | None, text: str) -> dict[str, object]:
    return {} if proposal is None else {PROPOSAL: asdict(replace(proposal, given={**proposal.given, "text": text}))}


def _decides(caller: Caller, what: str) -> None:
    if not caller.decides:
        raise Refused(
            f"Only a person can {what} candidates.", "Run it at a terminal, or with --yes as the owner's word."
        )


def _nothing_waits(candidate_id: str) -> WaypostError:
    return NotFound(f"No candidate {candidate_id} waits for approval.", "`waypost review` shows those that do.")
