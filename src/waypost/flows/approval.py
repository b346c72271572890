"""A person's word on candidates: approved, put right, or rejected."""

from collections.abc import Iterable
from dataclasses import replace

from waypost.errors import InvalidInput, NotFound, Refused, WaypostError
from waypost.facts.rejection import marks_met
from waypost.flows.candidates import (
    EXTRACTOR,
    WAS,
    candidate_of,
    draft_of,
    marks_of,
    marks_of_words,
    row_of,
    says_the_same,
)
from waypost.flows.held import audit, held_versions
from waypost.flows.open_space import OpenSpace
from waypost.flows.prepare import prepare
from waypost.flows.remember import remember
from waypost.model.draft import check_text
from waypost.model.ids import check_id
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.store.fact_protocol import CandidateRow

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
            for mark in marks_of(row, key):
                writer.add_tombstone(mark, now, candidate_id)
            for approved in held_versions(
                writer, candidate_id
            ):  # meanwhile, or by a process that was killed on the way
                writer.supersede(approved.number, now)
            writer.drop_candidates([candidate_id])
            audit(space, writer, "reject", None, caller, {_CANDIDATE: candidate_id})
    return tuple(chosen)


def reconsider(space: OpenSpace, rows: Iterable[CandidateRow], caller: Caller) -> tuple[str, ...]:
    """Undo: what was rejected by mistake waits again as it did, and its words may be proposed. Returns what waits now."""
    _decides(caller, "bring back")
    back, key = [], space.tombstone_key()
    with space.store.write() as writer:
        for row in rows:
            if writer.candidate(row.candidate_id) is None and not held_versions(writer, row.candidate_id):
                writer.remove_tombstones(marks_of(row, key))
                writer.put_candidate(row)
                audit(space, writer, "lift", None, caller, {_CANDIDATE: row.candidate_id})
                back.append(row.candidate_id)
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
                draft=row_of(candidate) | {WAS: was},
            )
        )
        audit(space, writer, "edit", None, caller, {_CANDIDATE: candidate_id})
    return candidate.text


def _decides(caller: Caller, what: str) -> None:
    if not caller.decides:
        raise Refused(
            f"Only a person can {what} candidates.", "Run it at a terminal, or with --yes as the owner's word."
        )


def _nothing_waits(candidate_id: str) -> WaypostError:
    return NotFound(f"No candidate {candidate_id} waits for approval.", "`waypost review` shows those that do.")
