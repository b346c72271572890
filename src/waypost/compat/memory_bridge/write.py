"""Writes rows of Memory Bridge through the gateway in batches, and records their statuses."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from waypost.compat.coding_brain.places import CheckoutFiles, checkout_files, unplaced_tags
from waypost.compat.memory_bridge.facts import BridgeFact
from waypost.compat.memory_bridge.survey import BridgeSurvey
from waypost.compat.memory_bridge.verify import checksum
from waypost.errors import WaypostError
from waypost.facts.classify import domain_of, kind_of, level_of
from waypost.facts.domains import Layout
from waypost.flows.move.imports import Note, write
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.prepare import locate_drafts
from waypost.model.draft import Draft
from waypost.model.memory import IMPORT, Caller, Version
from waypost.model.receipt import Receipt, Status
from waypost.model.reference import CodeReference
from waypost.store.protocol import Reader
from waypost.text.secrets.masking import mask

_MOST_NOTES_KEPT = 5_000


class ImportedRow(NamedTuple):
    """The memory of a row."""

    memory_id: str
    level: int | None
    is_past: bool


@dataclass(slots=True)
class BridgeTally:
    """The results so far."""

    statuses: dict[str, int] = field(
        default_factory=lambda: {"added": 0, "merged": 0, "duplicate": 0, "refused": 0, "skipped": 0}
    )
    memories: dict[str, ImportedRow] = field(default_factory=dict)  # by id in the source
    own: dict[str, bool] = field(default_factory=dict)  # ids of added memories, and whether they have a parent
    words: int = 0  # the sum of the checksums of added memories
    references: int = 0
    unplaced: int = 0
    masked: int = 0
    past: int = 0
    parents: int = 0
    sorted: Counter[str] = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)
    dropped_notes: int = 0

    def note(self, note: Note) -> None:
        if len(self.notes) < _MOST_NOTES_KEPT:
            self.notes.append(note)
        else:
            self.dropped_notes += 1

    def first_notes(self, most: int) -> list[Note]:
        more = max(0, len(self.notes) - most) + self.dropped_notes
        return [*self.notes[:most], *([Note(0, None, f"and {more:,} more")] if more else [])]


@dataclass(frozen=True, slots=True)
class DraftBuilder:
    """Makes drafts of facts, filling in missing kinds, levels, domains and modules."""

    places: CheckoutFiles | None
    layout: Layout
    domains: tuple[str, ...]
    now: datetime

    @classmethod
    def of(cls, space: OpenSpace, survey: BridgeSurvey) -> "DraftBuilder":
        places = checkout_files(space, survey.paths)
        return cls(places, Layout.of(places.files if places else ()), tuple(survey.domains), space.clock())

    def draft(self, fact: BridgeFact, parent: ImportedRow | None) -> Draft:
        """The draft of a fact. Raises WaypostError if it cannot be a memory."""
        refs, lost = self._place_refs(fact)
        fields = dict(fact.draft_fields)
        text = fields["text"]
        fields["kind"] = fields["kind"] or kind_of(text)
        if fields["level"] is None:
            lines = any(ref.line_range for ref in refs)
            level = level_of(text, points_at_lines=lines, points_at_file=bool(refs))
            fields["level"] = max(level, parent.level or 0) if parent else level
        if not fields.get("domain") and fields["level"] > 0:
            fields["domain"] = self._domain(text, refs) or None
        if not fields.get("module") and fields["level"] > 1 and refs:
            fields["module"] = self.layout.module(refs[0].file_path) or None
        fields["tags"] = {**fields["tags"], **dict(unplaced_tags(lost))}
        fits = parent is not None and (parent.level is None or fields["level"] >= parent.level)
        if parent is not None and not fits:
            fields["tags"]["parent_id"] = fact.parent[:200]
            fact.notes.append(f"level {fields['level']} cannot be below level {parent.level}: parent kept as a tag")
        fields["parent"] = parent.memory_id if parent and fits else None
        draft = Draft.of({**fields, "refs": [ref.to_json() for ref in refs]})
        return replace(
            draft,
            expires_at=fact.expires_at,
            stale_reason=fact.stale_reason,
            archived_at=self.now if fact.is_archived else None,
        )

    def _place_refs(self, fact: BridgeFact) -> tuple[list[CodeReference], list[str]]:
        refs: list[CodeReference] = []
        lost = list(fact.refs.lost)
        for ref in fact.refs.valid:
            here = ref.file_path if self.places is None else self.places.find(ref.file_path)
            if here:
                refs.append(replace(ref, file_path=here))
            else:
                lost.append(str(ref))
        for text in lost:
            fact.notes.append(f"reference {text[:200]} kept as a tag: no such file here, or several")
        return list(dict.fromkeys(refs)), lost

    def _domain(self, text: str, refs: Sequence[CodeReference]) -> str:
        """The domain of all references, or one of the source's domains that the text names; else empty."""
        of_refs = {self.layout.domain(ref.file_path) for ref in refs}
        return of_refs.pop() if len(of_refs) == 1 else domain_of(text, self.domains)


def write_batch(
    space: OpenSpace,
    facts: Sequence[BridgeFact],
    builder: DraftBuilder,
    caller: Caller,
    import_id: str,
    tally: BridgeTally,
) -> None:
    """Write a batch of rows and record their statuses."""
    ready: list[tuple[BridgeFact, Draft]] = []
    with space.store.read() as reader:
        for fact in facts:
            draft = _build_draft(space, fact, builder, tally)
            if draft is None:
                continue
            draft, existing = _existing(reader, draft)
            if existing is None:
                ready.append((fact, draft))
            else:
                status: Status = "added" if existing.details.get(IMPORT) == import_id else "duplicate"
                _record(reader, tally, fact, draft, Receipt(existing.memory_id, status, draft.key))
    receipts = write(space, [draft for _, draft in ready], caller, import_id) if ready else iter(())
    done = list(zip(ready, receipts, strict=True))
    with space.store.read() as reader:
        for (fact, draft), receipt in done:
            _record(reader, tally, fact, draft, receipt)


def _build_draft(space: OpenSpace, fact: BridgeFact, builder: DraftBuilder, tally: BridgeTally) -> Draft | None:
    if not fact.draft_fields:
        tally.statuses["skipped" if fact.is_empty else "refused"] += 1
        _add_note(tally, fact, "skipped: it has no text" if fact.is_empty else f"refused: {'; '.join(fact.notes)}")
        return None
    try:
        return locate_drafts(space, [builder.draft(fact, tally.memories.get(fact.parent))])[0]
    except WaypostError as error:
        tally.statuses["refused"] += 1
        _add_note(tally, fact, f"refused: {error.what}")
        return None


def _existing(reader: Reader, draft: Draft) -> tuple[Draft, Version | None]:
    """The draft with a free key, and the existing memory with its key and text, if any.

    Another database may have used the same id. Then the key gets a hash of the text.
    """
    if draft.key is None:
        return draft, None
    text = mask(draft.text).text
    for key in (draft.key, f"{draft.key}~{hashlib.sha256(text.encode()).hexdigest()[:8]}"):
        existing = reader.memories.with_key(mask(key).text)
        if existing is None:
            return replace(draft, key=key), None
        if text in (existing.text, reader.memories.versions(existing.memory_id)[0].text):
            return draft, existing
    return replace(draft, key=None), None


def _record(reader: Reader, tally: BridgeTally, fact: BridgeFact, draft: Draft, receipt: Receipt) -> None:
    tally.statuses[receipt.status] += 1
    tally.masked += len(receipt.masked)
    if receipt.status == "refused" or receipt.id is None:
        _add_note(tally, fact, f"refused: {receipt.reason}")
        return
    is_new = receipt.status == "added"
    previous = tally.memories.get(fact.source_id)
    if fact.source_id and (previous is None or previous.is_past):  # of several rows with one id, the current one counts
        level = draft.level if is_new else reader.memories.versions(receipt.id)[-1].level
        tally.memories[fact.source_id] = ImportedRow(receipt.id, level, fact.is_past)
    if receipt.status == "duplicate":  # nothing was stored, so nothing was left out
        return
    for what in (*fact.notes, *receipt.notices):
        _add_note(tally, fact, what)
    tally.references += len(draft.refs)
    tally.unplaced += len(fact.refs.valid) + len(fact.refs.lost) - len(draft.refs)
    if is_new:
        tally.own[receipt.id] = draft.parent is not None
        tally.words = (tally.words + checksum(receipt.id, mask(draft.text).text)) % (1 << 256)
        tally.past += fact.is_past
        tally.parents += draft.parent is not None
        if fact.draft_fields["level"] is None:
            tally.sorted[f"L{draft.level}"] += 1


def _add_note(tally: BridgeTally, fact: BridgeFact, what: str) -> None:
    tally.note(Note(fact.number, f"{fact.noun}{fact.source_id[:100]}".strip() or None, what))
